//! Verifiers that are Python scripts: `verify.py` of published tasks, or any other file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mcpmark_experiment::{PUBLISHED_CLOCK, capture_published};
use mcpmark_grading::Printed;
use mcpmark_kinds::{InvocationError, ScriptInvocation, ServiceKind, WorldGuests};
use mcpmark_sandbox::{Interpreter, Sandbox};
use mcpmark_snapshot::{Snapshot, Store};
use mcpmark_task::TaskId;

use crate::commands::judge::Judge;
use crate::commands::published;
use crate::context::Context;
use crate::error::{self, CommandError, error_chain};
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
        store: &Store,
    ) -> Result<Option<Judge>, CommandError> {
        let Some(corpus) = &self.corpus else {
            return Ok(None);
        };
        let corpus = context.corpus_at(corpus)?;
        let task = published::task_of(&corpus, task)?;
        if let Some(held_back) = &task.held_back {
            return Err(error::held_back(&task.id, &held_back.verifier));
        }
        // Unless the arguments of the script depend on the starting state, it may be missing.
        let state = corpus.state(&task, self.states.as_deref()).ok().flatten();
        let guests = match &state {
            Some(state) => context.published_guests(&corpus, &task, state, sandbox)?,
            None => WorldGuests::default(),
        };
        let kind = context.services().kind(task.id.service());
        let invocation = match kind {
            Some(kind) => invocation(&**kind, &task.id, state.as_deref(), store)?,
            None => ScriptInvocation::default(),
        };
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

/// Returns the arguments and variables of a published task's script. The starting state is read only if they depend on
/// it.
fn invocation(
    kind: &dyn ServiceKind,
    task: &TaskId,
    state: Option<&Path>,
    store: &Store,
) -> Result<ScriptInvocation, CommandError> {
    let of_start = match (kind.script_invocation(task, None), state) {
        (Err(InvocationError::NoStart { .. }), Some(state)) => {
            let start = capture_published(state, PUBLISHED_CLOCK, store);
            let start = start.map_err(CommandError::infrastructure)?;
            let start = Snapshot::new(start, Arc::new(store.clone()));
            kind.script_invocation(task, Some(&start))
        }
        (invocation, _) => invocation,
    };
    of_start.map_err(|error| {
        let result = CommandError::invalid(format!("task {task}: {}", error_chain(&error)));
        match error {
            InvocationError::NoStart { .. } => {
                result.hint("set --states to the directory with the starting states")
            }
            _ => result,
        }
    })
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
