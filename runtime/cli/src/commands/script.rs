//! Verifiers that are Python scripts: `verify.py` of published tasks, or any other file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mcpmark_grading::Printed;
use mcpmark_kinds::{ScriptInvocation, WorldGuests};
use mcpmark_sandbox::{Interpreter, Sandbox};

use crate::commands::judge::Judge;
use crate::commands::published;
use crate::context::Context;
use crate::error::{self, CommandError};
use crate::output::{self, sanitise};

/// Returns true if a verifier is a script, as opposed to a component.
pub(crate) fn is_script(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "py")
}

/// Loader of Python verifiers, which share one interpreter.
pub(crate) struct Scripts {
    corpus: Option<PathBuf>,
    states: Option<PathBuf>,
    interpreter: Mutex<Option<Interpreter>>,
}

impl Scripts {
    /// Creates a loader. `corpus` contains the tasks, and `states` their starting states.
    pub(crate) fn new(corpus: Option<PathBuf>, states: Option<PathBuf>) -> Self {
        Self {
            corpus,
            states,
            interpreter: Mutex::new(None),
        }
    }

    /// Loads the verifier of a task of the corpus. Returns `None` if there is no corpus.
    pub(crate) fn of_task(
        &self,
        context: &Context,
        task: &str,
        sandbox: &Sandbox,
    ) -> Result<Option<Judge>, CommandError> {
        let Some(corpus) = &self.corpus else {
            return Ok(None);
        };
        let corpus = context.corpus_at(corpus)?;
        let task = published::task_of(&corpus, task)?;
        if let Some(held_back) = &task.held_back {
            return Err(error::held_back(&task.id, &held_back.verifier));
        }
        // Grading does not require the starting state, so it may be missing.
        let state = corpus.state(&task, self.states.as_deref()).ok().flatten();
        let guests = match state {
            Some(state) => context.published_guests(&corpus, &task, &state, sandbox)?,
            None => WorldGuests::default(),
        };
        let kind = context.services().kind(task.id.service());
        let invocation = kind.map_or_else(ScriptInvocation::default, |kind| {
            kind.script_invocation(&task.id)
        });
        let interpreter = self.interpreter(context, sandbox)?;
        let judge = Judge::of_script(&task.script, interpreter)?;
        Ok(Some(judge.of_published(kind.cloned(), invocation, guests)))
    }

    /// Loads the verifier in a file, for states of a service if it is given.
    pub(crate) fn of_file(
        &self,
        context: &Context,
        file: &Path,
        service: Option<&str>,
        sandbox: &Sandbox,
    ) -> Result<Judge, CommandError> {
        let kind = match service {
            None => None,
            Some(name) => Some(context.service_named(name)?.clone()),
        };
        if !is_script(file) {
            return Ok(Judge::of_component(file, sandbox)?.within(kind));
        }
        // Checked before the interpreter is built, because a wrong path is the likeliest mistake.
        if let Err(error) = file.metadata() {
            return Err(CommandError::usage(format!("{}: {error}", file.display())));
        }
        let interpreter = self.interpreter(context, sandbox)?;
        Ok(Judge::of_script(file, interpreter)?.within(kind))
    }

    fn interpreter(
        &self,
        context: &Context,
        sandbox: &Sandbox,
    ) -> Result<Interpreter, CommandError> {
        let mut kept = self
            .interpreter
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(interpreter) = &*kept {
            return Ok(interpreter.clone());
        }
        let interpreter = context.interpreter(sandbox)?;
        *kept = Some(interpreter.clone());
        Ok(interpreter)
    }
}

/// Formats the output of a script, line by line.
pub(crate) fn text(printed: &Printed) -> String {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&printed.stdout),
        String::from_utf8_lossy(&printed.stderr),
    );
    let lines = stdout.lines().chain(stderr.lines());
    let lines = lines.map(|line| {
        let line = format!("| {}", sanitise::line(line));
        format!("{}\n", output::paint(output::DIM, line))
    });
    lines.collect()
}
