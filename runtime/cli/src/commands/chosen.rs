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

/// The tasks that a person chose, and where they lie.
pub(crate) enum Chosen {
    Library {
        library: Library,
        tasks: Vec<Task>,
    },
    Corpus {
        corpus: Corpus,
        place: PublishedPlace,
        tasks: Vec<PublishedTask>,
    },
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
        match place {
            Some(place) if bundle::is_meant(&place.tasks) => {
                Self::select(&context.at_bundle(&place.tasks), None, selection)
            }
            Some(place) => {
                let corpus = open(place)?;
                let tasks = published::select(&corpus, selection)?;
                Ok(Self::corpus(corpus, place, tasks))
            }
            None => {
                let library = context.library()?;
                let tasks = context::select(&library, selection)?;
                Ok(Self::Library { library, tasks })
            }
        }
    }

    pub(crate) fn by_id(
        context: &Context,
        place: Option<&PublishedPlace>,
        ids: &[String],
    ) -> Result<Self, CommandError> {
        match place {
            Some(place) if bundle::is_meant(&place.tasks) => {
                Self::by_id(&context.at_bundle(&place.tasks), None, ids)
            }
            Some(place) => {
                let corpus = open(place)?;
                let tasks = ids.iter().map(|id| published::task_of(&corpus, id));
                let tasks = tasks.collect::<Result<_, _>>()?;
                Ok(Self::corpus(corpus, place, tasks))
            }
            None => {
                let library = context.library()?;
                let tasks = ids.iter().map(|id| context::one_task(&library, id));
                let tasks = tasks.collect::<Result<_, _>>()?;
                Ok(Self::Library { library, tasks })
            }
        }
    }

    fn corpus(corpus: Corpus, place: &PublishedPlace, tasks: Vec<PublishedTask>) -> Self {
        Self::Corpus {
            corpus,
            place: place.clone(),
            tasks,
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        let (own, published) = match self {
            Self::Library { tasks, .. } => (&tasks[..], &[][..]),
            Self::Corpus { tasks, .. } => (&[][..], &tasks[..]),
        };
        let published = published.iter().map(|task| &task.id);
        own.iter().map(|task| &task.id).chain(published)
    }

    /// The tools that their worlds have, as far as that is known before they are set up.
    pub(crate) fn tools(&self) -> BTreeSet<String> {
        let profiles: BTreeSet<(&str, Option<&str>)> = match self {
            Self::Library { tasks, .. } => tasks
                .iter()
                .map(|task| (task.id.service(), task.meta.profile.as_deref()))
                .collect(),
            Self::Corpus { tasks, .. } => {
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
        match self {
            Self::Library { tasks, .. } => {
                let task = tasks.iter().find(|task| task.solution.is_none());
                task.map(|task| &task.id)
            }
            Self::Corpus { tasks, .. } => {
                let task = tasks.iter().find(|task| task.solution.is_none());
                task.map(|task| &task.id)
            }
        }
    }

    /// Makes them ready to be attempted.
    pub(crate) fn prepare(
        &self,
        context: &Context,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        match self {
            Self::Library { library, tasks } => context.prepare(library, tasks, sandbox, store),
            Self::Corpus {
                corpus,
                place,
                tasks,
            } => context.prepare_published(corpus, place.states.as_deref(), tasks, sandbox, store),
        }
    }
}

fn open(place: &PublishedPlace) -> Result<Corpus, CommandError> {
    Corpus::at(&place.tasks).map_err(|error| CommandError::usage(chain(&error)))
}
