//! Tasks of an experiment, from a library, a bundle or a published corpus.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_experiment::{LeftOut, Prepared, SelectedTasks, Spec, TaskSource};
use mcpmark_grading::{Judge, Terms, TermsError};
use mcpmark_metadata::ExitCode;
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::TaskId;

use crate::args::{PublishedArgs, Selection};
use crate::commands::{bundle, published};
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain};
use crate::output::{self, sanitise};

/// Selected tasks.
pub(crate) struct TaskSelection {
    /// Context in which the tasks are prepared. Its root is the bundle, if they come from one.
    context: Context,
    tasks: SelectedTasks,
}

/// Prints one line for each service whose tasks are left out, with the reason.
pub(crate) fn warn_of_left_out(left_out: &BTreeMap<String, LeftOut>) {
    for LeftOut { problem, count } in left_out.values() {
        let tasks = if *count == 1 { "task is" } else { "tasks are" };
        output::warn(&format!("{count} {tasks} left out: {problem}"));
    }
}

/// Returns the location of tasks with absolute paths, so that an experiment finds it from any directory.
pub(crate) fn place(args: &PublishedArgs) -> Result<Option<TaskSource>, CommandError> {
    let absolute = |dir| std::path::absolute(dir).map_err(CommandError::usage);
    let Some(tasks) = &args.tasks else {
        return Ok(None);
    };
    let tasks = if bundle::is_reference(tasks) {
        tasks.clone()
    } else {
        absolute(tasks)?
    };
    Ok(Some(TaskSource {
        tasks,
        states: args.states.as_ref().map(absolute).transpose()?,
        bundle: None,
    }))
}

impl TaskSelection {
    pub(crate) fn select(
        context: &Context,
        place: Option<&TaskSource>,
        selection: &Selection,
    ) -> Result<Self, CommandError> {
        let (context, place) = resolve_source(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = context.corpus_at(&place.tasks)?;
                let tasks = published::select(&corpus, selection)?;
                SelectedTasks::Published(corpus, place, tasks)
            }
            None => {
                let library = context.library()?;
                let tasks = context::select(&library, selection)?;
                SelectedTasks::Own(library, tasks)
            }
        };
        Ok(Self { context, tasks })
    }

    pub(crate) fn by_id(
        context: &Context,
        place: Option<&TaskSource>,
        ids: &[String],
    ) -> Result<Self, CommandError> {
        Self::known(context, place, ids, &mut |_, error| Err(error))
    }

    /// Selects tasks by their ids. `lacking` is called for each missing task, and decides whether that is an error.
    pub(crate) fn known(
        context: &Context,
        place: Option<&TaskSource>,
        ids: &[String],
        lacking: &mut dyn FnMut(&str, CommandError) -> Result<(), CommandError>,
    ) -> Result<Self, CommandError> {
        let (context, place) = resolve_source(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = context.corpus_at(&place.tasks)?;
                let one = |id: &str| published::task_of(&corpus, id);
                let tasks = existing_tasks(ids, one, lacking)?;
                SelectedTasks::Published(corpus, place, tasks)
            }
            None => {
                let library = context.library()?;
                let one = |id: &str| context::one_task(&library, id);
                let tasks = existing_tasks(ids, one, lacking)?;
                SelectedTasks::Own(library, tasks)
            }
        };
        Ok(Self { context, tasks })
    }

    /// Removes the tasks of services that cannot run on this machine, with a warning for each service.
    pub(crate) fn leave_out_unavailable(&mut self) {
        warn_of_left_out(&self.tasks.leave_out_unavailable(self.context.services()));
    }

    /// Returns the digest of the tasks' bundle, if they come from one.
    pub(crate) fn bundle(&self) -> Result<Option<Digest>, CommandError> {
        self.context.bundle()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        self.tasks.ids()
    }

    /// Returns the tools of each service and profile among the tasks, as far as they are known before set-up.
    pub(crate) fn tools(&self) -> Vec<BTreeSet<String>> {
        self.tasks.tools(self.context.services())
    }

    /// Returns the first of these tasks that has no solution.
    pub(crate) fn unsolved(&self, ids: &BTreeSet<&str>) -> Option<&TaskId> {
        self.tasks.unsolved(ids)
    }

    /// Prepares the tasks for grading. Loads a held-back verifier from the store if an earlier grade stored it there.
    pub(crate) fn to_judge(
        &self,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let mut prepared = self.prepare(sandbox, store)?;
        for task in &mut prepared {
            let terms = task.terms_of_stored_verifier(store);
            if let Some(terms) = terms.map_err(LoadVerifierError::from)? {
                task.judge = judge(&self.context, task.id.service(), &terms, sandbox, store)?;
            }
        }
        Ok(prepared)
    }

    /// Prepares the task of an attempt with the verifier of its last grade, because the current verifier of the task
    /// may differ.
    pub(crate) fn as_judged(
        &self,
        terms: &Terms,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Prepared, CommandError> {
        let task = self.prepare(sandbox, store)?.remove(0);
        let judge = judge(&self.context, task.id.service(), terms, sandbox, store)?;
        Ok(task.as_judged(terms, judge))
    }

    /// Prepares the tasks for attempts.
    pub(crate) fn prepare(
        &self,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let context = &self.context;
        match &self.tasks {
            SelectedTasks::Own(library, tasks) => context.prepare(library, tasks, sandbox, store),
            SelectedTasks::Published(corpus, place, tasks) => {
                context.prepare_published(corpus, place.states.as_deref(), tasks, sandbox, store)
            }
        }
    }
}

/// Error of loading an earlier verifier from the store.
pub(crate) enum LoadVerifierError {
    Terms(TermsError),
    Command(CommandError),
}

impl From<TermsError> for LoadVerifierError {
    fn from(error: TermsError) -> Self {
        Self::Terms(error)
    }
}

impl From<CommandError> for LoadVerifierError {
    fn from(error: CommandError) -> Self {
        Self::Command(error)
    }
}

impl From<LoadVerifierError> for CommandError {
    fn from(wrong: LoadVerifierError) -> Self {
        match wrong {
            LoadVerifierError::Command(error) => error,
            LoadVerifierError::Terms(error @ TermsError::Missing { .. }) => {
                Self::invalid(&error).hint("name the home directory whose store has it with --home")
            }
            LoadVerifierError::Terms(error) => Self::invalid(sanitise::line(&error_chain(&error))),
        }
    }
}

/// Loads the verifier of these terms from the store, for states of a service.
pub(crate) fn judge(
    context: &Context,
    service: &str,
    terms: &Terms,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<Judge, LoadVerifierError> {
    terms.judge(service, context.services(), store, sandbox, || {
        context
            .interpreter(sandbox)
            .map_err(LoadVerifierError::from)
    })
}

/// Adds the hint `way_out` to an error if the tasks of an experiment are no longer at their location.
pub(crate) fn with_location_hint(spec: &Spec, way_out: &str, error: CommandError) -> CommandError {
    let Some(place) = &spec.published else {
        // The experiment was started with a library, so its location is not recorded.
        return match &error.hint {
            Some(hint) if error.code == ExitCode::Usage => {
                let hint = format!("{hint}; or {way_out}");
                error.hint(hint)
            }
            _ => error,
        };
    };
    match is_local(place) {
        Ok(true) => error,
        Ok(false) if error.code != ExitCode::Infrastructure => error,
        _ => {
            let known = place.bundle.map_or_else(String::new, |digest| {
                format!("; the tasks were from bundle {digest}")
            });
            error.hint(format!("{way_out}{known}"))
        }
    }
}

/// Resolves the location of tasks. For a bundle or a library, the returned context has it as its root. The returned
/// location is that of a corpus, which may be in a bundle.
fn resolve_source(
    context: &Context,
    place: Option<&TaskSource>,
) -> Result<(Context, Option<TaskSource>), CommandError> {
    let context = match place {
        Some(place) => match at_root(context, place)? {
            Some(context) => context,
            None => return Ok((context.clone(), Some(place.clone()))),
        },
        None => context.clone(),
    };
    let unpacked = context.corpus()?.map(|corpus| TaskSource {
        tasks: corpus.root,
        states: Some(corpus.states),
        bundle: None,
    });
    Ok((context, unpacked))
}

/// Checks that a location exists. Returns false for a reference to a registry, whose existence is not checked here.
fn is_local(place: &TaskSource) -> Result<bool, CommandError> {
    bundle::check_exists(&place.tasks)?;
    Ok(!bundle::is_reference(&place.tasks))
}

/// Returns a context whose root is the bundle or the library at a location. If the bundle is gone, its cached copy is
/// used. Returns `None` if the location is a corpus.
fn at_root(context: &Context, place: &TaskSource) -> Result<Option<Context>, CommandError> {
    let away = match is_local(place) {
        Ok(true) if !bundle::is_root(&place.tasks) => return Ok(None),
        Ok(is_file) => {
            let there = context.at_bundle(&place.tasks);
            match there.is_bundle() {
                Ok(_) => return Ok(Some(there)),
                Err(error) if is_file || error.code != ExitCode::Infrastructure => {
                    return Err(error);
                }
                Err(error) => error,
            }
        }
        Err(error) => error,
    };
    let kept = match &place.bundle {
        Some(digest) => bundle::library_of(context, &place.tasks, digest)?,
        None => None,
    };
    let Some(unpacked) = kept else {
        return Err(away);
    };
    output::note(&format!(
        "{} {}; using the same bundle from the cache",
        output::paint(output::WARN, "warning:"),
        away.message
    ));
    Ok(Some(context.at_unpacked(unpacked)))
}

/// Collects the tasks that exist. An invalid task is always an error.
fn existing_tasks<T>(
    ids: &[String],
    one: impl Fn(&str) -> Result<T, CommandError>,
    lacking: &mut dyn FnMut(&str, CommandError) -> Result<(), CommandError>,
) -> Result<Vec<T>, CommandError> {
    let mut tasks = Vec::new();
    for id in ids {
        match one(id) {
            Ok(task) => tasks.push(task),
            Err(error) if error.code == ExitCode::Usage => lacking(id, error)?,
            Err(error) => return Err(error),
        }
    }
    Ok(tasks)
}
