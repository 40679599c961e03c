//! The tasks of an experiment: those of a library, or of a published corpus.

use std::collections::BTreeSet;

use mcpmark_experiment::{Prepared, PublishedPlace};
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::Store;
use mcpmark_task::published::{Corpus, PublishedTask};
use mcpmark_task::{Library, Task, TaskId};

use crate::args::{PublishedArgs, Selection};
use crate::commands::{bundle, published};
use crate::context::{self, Context};
use crate::error::{CommandError, chain};

/// The tasks that a person chose.
pub(crate) struct Chosen {
    /// Where they are made ready: their bundle is its root, where they come from one.
    context: Context,
    tasks: Tasks,
}

/// Tasks, and where they lie.
enum Tasks {
    Own(Library, Vec<Task>),
    Published(Corpus, PublishedPlace, Vec<PublishedTask>),
}

/// The place of a corpus, so that an experiment finds it again from any directory.
pub(crate) fn place(args: &PublishedArgs) -> Result<Option<PublishedPlace>, CommandError> {
    let absolute = |dir| std::path::absolute(dir).map_err(CommandError::usage);
    let Some(tasks) = &args.tasks else {
        return Ok(None);
    };
    let tasks = match bundle::is_reference(tasks) {
        true => tasks.clone(),
        false => absolute(tasks)?,
    };
    Ok(Some(PublishedPlace {
        tasks,
        states: args.states.as_ref().map(absolute).transpose()?,
    }))
}

impl Chosen {
    pub(crate) fn select(
        context: &Context,
        place: Option<&PublishedPlace>,
        selection: &Selection,
    ) -> Result<Self, CommandError> {
        let (context, place) = lying(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = open(&place)?;
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
        place: Option<&PublishedPlace>,
        ids: &[String],
    ) -> Result<Self, CommandError> {
        let (context, place) = lying(context, place)?;
        let tasks = match place {
            Some(place) => {
                let corpus = open(&place)?;
                let tasks = ids.iter().map(|id| published::task_of(&corpus, id));
                let tasks = tasks.collect::<Result<_, _>>()?;
                Tasks::Published(corpus, place, tasks)
            }
            None => {
                let library = context.library()?;
                let tasks = ids.iter().map(|id| context::one_task(&library, id));
                let tasks = tasks.collect::<Result<_, _>>()?;
                Tasks::Own(library, tasks)
            }
        };
        Ok(Self { context, tasks })
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        let (own, published) = match &self.tasks {
            Tasks::Own(_, tasks) => (&tasks[..], &[][..]),
            Tasks::Published(_, _, tasks) => (&[][..], &tasks[..]),
        };
        let published = published.iter().map(|task| &task.id);
        own.iter().map(|task| &task.id).chain(published)
    }

    /// The tools that their worlds have, as far as that is known before they are set up.
    pub(crate) fn tools(&self) -> BTreeSet<String> {
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
            Some(mcpmark_experiment::service(service)?.tools(profile))
        });
        tools.flatten().collect()
    }

    /// The first task that nobody has shown to be solvable.
    pub(crate) fn unsolved(&self) -> Option<&TaskId> {
        match &self.tasks {
            Tasks::Own(_, tasks) => {
                let task = tasks.iter().find(|task| task.solution.is_none());
                task.map(|task| &task.id)
            }
            Tasks::Published(_, _, tasks) => {
                let task = tasks.iter().find(|task| task.solution.is_none());
                task.map(|task| &task.id)
            }
        }
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

/// Where tasks lie: in a bundle, which is then the root; or in a corpus, that of a bundle among them.
fn lying(
    context: &Context,
    place: Option<&PublishedPlace>,
) -> Result<(Context, Option<PublishedPlace>), CommandError> {
    let context = match place {
        Some(place) if bundle::is_meant(&place.tasks) => context.at_bundle(&place.tasks),
        Some(place) => return Ok((context.clone(), Some(place.clone()))),
        None => context.clone(),
    };
    let unpacked = context.corpus()?.map(|corpus| PublishedPlace {
        tasks: corpus.root,
        states: Some(corpus.states),
    });
    Ok((context, unpacked))
}

fn open(place: &PublishedPlace) -> Result<Corpus, CommandError> {
    Corpus::at(&place.tasks).map_err(|error| CommandError::usage(chain(&error)))
}
