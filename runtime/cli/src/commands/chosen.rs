//! The tasks of an experiment: those of a library, of a bundle, or of a published corpus.

use std::collections::BTreeSet;

use mcpmark_experiment::{Judge, Prepared, Spec, TaskSource, Terms, TermsError};
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::published::{Corpus, PublishedTask};
use mcpmark_task::{Library, Task, TaskId};

use crate::args::{PublishedArgs, Selection};
use crate::commands::{bundle, published};
use crate::context::{self, Context};
use crate::error::{CommandError, chain};
use crate::exit;
use crate::output::{self, sanitise};

/// The tasks that a person chose.
pub(crate) struct Chosen {
    /// Where they are made ready: their bundle is its root, where they come from one.
    context: Context,
    tasks: Tasks,
}

/// Tasks, and where they lie.
enum Tasks {
    Own(Library, Vec<Task>),
    Published(Corpus, TaskSource, Vec<PublishedTask>),
}

/// The place of tasks, so that an experiment finds it again from any directory.
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

impl Chosen {
    pub(crate) fn select(
        context: &Context,
        place: Option<&TaskSource>,
        selection: &Selection,
    ) -> Result<Self, CommandError> {
        let (context, place) = lying(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = context.corpus_at(&place.tasks)?;
                let tasks = published::select(&corpus, selection)?;
                Tasks::Published(corpus, place, tasks)
            }
            None => {
                let library = context.library()?;
                let tasks = context::select(&library, selection)?;
                Tasks::Own(library, tasks)
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

    /// Those of the tasks that are there; `lacking` hears of each that is not, and may let that pass.
    pub(crate) fn known(
        context: &Context,
        place: Option<&TaskSource>,
        ids: &[String],
        lacking: &mut dyn FnMut(&str, CommandError) -> Result<(), CommandError>,
    ) -> Result<Self, CommandError> {
        let (context, place) = lying(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = context.corpus_at(&place.tasks)?;
                let one = |id: &str| published::task_of(&corpus, id);
                let tasks = there(ids, one, lacking)?;
                Tasks::Published(corpus, place, tasks)
            }
            None => {
                let library = context.library()?;
                let one = |id: &str| context::one_task(&library, id);
                let tasks = there(ids, one, lacking)?;
                Tasks::Own(library, tasks)
            }
        };
        Ok(Self { context, tasks })
    }

    /// The digest of the bundle that they come from, where they come from one.
    pub(crate) fn bundle(&self) -> Result<Option<Digest>, CommandError> {
        self.context.bundle()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        let (own, published) = match &self.tasks {
            Tasks::Own(_, tasks) => (&tasks[..], &[][..]),
            Tasks::Published(_, _, tasks) => (&[][..], &tasks[..]),
        };
        let published = published.iter().map(|task| &task.id);
        own.iter().map(|task| &task.id).chain(published)
    }

    /// The tools of each kind of their worlds, as far as that is known before they are set up.
    pub(crate) fn tools(&self) -> Vec<BTreeSet<String>> {
        let profiles: BTreeSet<(&str, Option<&str>)> = match &self.tasks {
            Tasks::Own(_, tasks) => tasks
                .iter()
                .map(|task| (task.id.service(), task.meta.profile.as_deref()))
                .collect(),
            Tasks::Published(_, _, tasks) => {
                tasks.iter().map(|task| (task.id.service(), None)).collect()
            }
        };
        let tools = profiles.into_iter().filter_map(|(service, profile)| {
            let tools = self.context.services().service(service)?.tools(profile);
            Some(tools.into_iter().collect())
        });
        tools.collect()
    }

    /// The first of some tasks that nobody has shown to be solvable.
    pub(crate) fn unsolved(&self, ids: &BTreeSet<&str>) -> Option<&TaskId> {
        let unsolved: Vec<&TaskId> = match &self.tasks {
            Tasks::Own(_, tasks) => tasks
                .iter()
                .filter(|task| task.solution.is_none())
                .map(|task| &task.id)
                .collect(),
            Tasks::Published(_, _, tasks) => tasks
                .iter()
                .filter(|task| task.solution.is_none())
                .map(|task| &task.id)
                .collect(),
        };
        let mut unsolved = unsolved.into_iter();
        unsolved.find(|id| ids.contains(&*id.to_string()))
    }

    /// Makes them ready to judge what was left. A verifier that is held back is taken from the store, where
    /// it is kept if it has judged here before.
    pub(crate) fn to_judge(
        &self,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let mut prepared = self.prepare(sandbox, store)?;
        for task in &mut prepared {
            if let Judge::HeldBack(verifier) = &task.judge
                && verifier.references().all(|it| it.is_complete(store))
            {
                let terms = Terms::read(store, &task.terms).map_err(NoJudge::from)?;
                task.judge = judge(&self.context, task.id.service(), &terms, sandbox, store)?;
            }
        }
        Ok(prepared)
    }

    /// The task of an attempt, with whoever judged that last: a task may have got another verifier since.
    pub(crate) fn as_judged(
        &self,
        terms: &Terms,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Prepared, CommandError> {
        let mut task = self.prepare(sandbox, store)?.remove(0);
        task.judge = judge(&self.context, task.id.service(), terms, sandbox, store)?;
        task.parameters = mcpmark_json::canonical(&terms.parameters);
        task.judged_on.answer = terms.answer;
        task.verifier_limits = terms.limits;
        Ok(task)
    }

    /// Makes them ready to be attempted.
    pub(crate) fn prepare(
        &self,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let context = &self.context;
        match &self.tasks {
            Tasks::Own(library, tasks) => context.prepare(library, tasks, sandbox, store),
            Tasks::Published(corpus, place, tasks) => {
                context.prepare_published(corpus, place.states.as_deref(), tasks, sandbox, store)
            }
        }
    }
}

/// Why whoever judged cannot judge again.
pub(crate) enum NoJudge {
    Terms(TermsError),
    Command(CommandError),
}

impl From<TermsError> for NoJudge {
    fn from(error: TermsError) -> Self {
        Self::Terms(error)
    }
}

impl From<CommandError> for NoJudge {
    fn from(error: CommandError) -> Self {
        Self::Command(error)
    }
}

impl From<NoJudge> for CommandError {
    fn from(wrong: NoJudge) -> Self {
        match wrong {
            NoJudge::Command(error) => error,
            NoJudge::Terms(error @ TermsError::Missing { .. }) => {
                Self::invalid(&error).hint("name the store that has it with --home")
            }
            NoJudge::Terms(error) => Self::invalid(sanitise::line(&chain(&error))),
        }
    }
}

/// The judge of states of a service by these terms, loaded from the store.
pub(crate) fn judge(
    context: &Context,
    service: &str,
    terms: &Terms,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<Judge, NoJudge> {
    terms.judge(service, context.services(), store, sandbox, || {
        context.interpreter(sandbox).map_err(NoJudge::from)
    })
}

/// What is told where tasks of an experiment cannot be had: the way out, if their place is gone.
pub(crate) fn or_elsewhere(spec: &Spec, way_out: &str, error: CommandError) -> CommandError {
    let Some(place) = &spec.published else {
        // It was begun with the library of a directory, or of a root.
        return match &error.hint {
            Some(hint) if error.code == exit::USAGE => {
                let hint = format!("{hint}; or {way_out}");
                error.hint(hint)
            }
            _ => error,
        };
    };
    match lies_there(place) {
        Ok(true) => error,
        Ok(false) if error.code != exit::INFRASTRUCTURE => error,
        _ => {
            let known = place.bundle.map_or_else(String::new, |digest| {
                format!("; they were those of bundle {digest}")
            });
            error.hint(format!("{way_out}{known}"))
        }
    }
}

/// Where tasks lie: in a bundle, which is then the root; or in a corpus, that of a bundle among them.
fn lying(
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

/// Whether a place of tasks is seen to be there: one in a registry only when that is asked.
fn lies_there(place: &TaskSource) -> Result<bool, CommandError> {
    bundle::must_be_there(&place.tasks)?;
    Ok(!bundle::is_reference(&place.tasks))
}

/// The context whose root is the bundle or the library of a place, or where a bundle is gone, the same
/// one as it was kept here; none where the place is a corpus.
fn at_root(context: &Context, place: &TaskSource) -> Result<Option<Context>, CommandError> {
    let away = match lies_there(place) {
        Ok(true) if !bundle::is_root(&place.tasks) => return Ok(None),
        Ok(is_file) => {
            let there = context.at_bundle(&place.tasks);
            match there.is_bundle() {
                Ok(_) => return Ok(Some(there)),
                Err(error) if is_file || error.code != exit::INFRASTRUCTURE => return Err(error),
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
        "{} {}; the same bundle was kept here, and is taken",
        output::paint(output::WARN, "warning:"),
        away.message
    ));
    Ok(Some(context.at_unpacked(unpacked)))
}

/// Each task that is there. One that is broken is an error in any case.
fn there<T>(
    ids: &[String],
    one: impl Fn(&str) -> Result<T, CommandError>,
    lacking: &mut dyn FnMut(&str, CommandError) -> Result<(), CommandError>,
) -> Result<Vec<T>, CommandError> {
    let mut tasks = Vec::new();
    for id in ids {
        match one(id) {
            Ok(task) => tasks.push(task),
            Err(error) if error.code == exit::USAGE => lacking(id, error)?,
            Err(error) => return Err(error),
        }
    }
    Ok(tasks)
}
