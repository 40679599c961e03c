//! Tasks that were selected for an experiment, from a library or from a published corpus.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_grading::{Judge, Terms, TermsError};
use mcpmark_journal::TaskSource;
use mcpmark_kinds::{ServiceUnavailable, Services};
use mcpmark_snapshot::Store;
use mcpmark_task::published::{Corpus, PublishedTask};
use mcpmark_task::{Library, Task, TaskId};

use crate::Prepared;

/// Tasks with the library or the corpus that contains them.
pub enum SelectedTasks {
    /// Tasks of a library, which may be an unpacked bundle.
    Own(Library, Vec<Task>),
    /// Tasks of a corpus, with its location.
    Published(Corpus, TaskSource, Vec<PublishedTask>),
}

/// Tasks of one service that cannot run on this machine.
#[derive(Debug)]
pub struct LeftOut {
    /// Reason why the service cannot run.
    pub problem: ServiceUnavailable,
    /// Number of its tasks.
    pub count: usize,
}

/// Returns the services of tasks that cannot run on this machine, with the numbers of their tasks.
pub fn unavailable<'a>(
    tasks: impl Iterator<Item = &'a TaskId>,
    services: &Services,
) -> BTreeMap<String, LeftOut> {
    let mut left_out: BTreeMap<String, LeftOut> = BTreeMap::new();
    for id in tasks {
        let available = services.check_available(id.service());
        if let Err(problem @ ServiceUnavailable::Missing { .. }) = available {
            let entry = left_out.entry(id.service().to_owned());
            entry.or_insert(LeftOut { problem, count: 0 }).count += 1;
        }
    }
    left_out
}

impl SelectedTasks {
    /// Returns the ids of the tasks.
    pub fn ids(&self) -> impl Iterator<Item = &TaskId> {
        let (own, published) = match self {
            Self::Own(_, tasks) => (&tasks[..], &[][..]),
            Self::Published(_, _, tasks) => (&[][..], &tasks[..]),
        };
        let published = published.iter().map(|task| &task.id);
        own.iter().map(|task| &task.id).chain(published)
    }

    /// Removes the tasks of services that cannot run on this machine, and returns them by service. If no other task is
    /// left, none is removed, so that the run fails with the reason.
    pub fn leave_out_unavailable(&mut self, services: &Services) -> BTreeMap<String, LeftOut> {
        let left_out = unavailable(self.ids(), services);
        let count: usize = left_out.values().map(|left_out| left_out.count).sum();
        if count == self.ids().count() {
            return BTreeMap::new();
        }
        match self {
            Self::Own(_, tasks) => tasks.retain(|it| !left_out.contains_key(it.id.service())),
            Self::Published(_, _, tasks) => {
                tasks.retain(|it| !left_out.contains_key(it.id.service()));
            }
        }
        left_out
    }

    /// Returns the tools of each service and profile among the tasks, as far as they are known before set-up.
    pub fn tools(&self, services: &Services) -> Vec<BTreeSet<String>> {
        let profiles: BTreeSet<(&str, Option<&str>)> = match self {
            Self::Own(_, tasks) => tasks
                .iter()
                .map(|task| (task.id.service(), task.meta.profile.as_deref()))
                .collect(),
            Self::Published(_, _, tasks) => {
                tasks.iter().map(|task| (task.id.service(), None)).collect()
            }
        };
        let tools = profiles.into_iter().filter_map(|(service, profile)| {
            let tools = services.service(service)?.tools(profile);
            Some(tools.into_iter().collect())
        });
        tools.collect()
    }

    /// Returns the first of these tasks that has no solution.
    pub fn unsolved(&self, ids: &BTreeSet<&str>) -> Option<&TaskId> {
        let unsolved: Vec<&TaskId> = match self {
            Self::Own(_, tasks) => tasks
                .iter()
                .filter(|task| task.solution.is_none())
                .map(|task| &task.id)
                .collect(),
            Self::Published(_, _, tasks) => tasks
                .iter()
                .filter(|task| task.solution.is_none())
                .map(|task| &task.id)
                .collect(),
        };
        let mut unsolved = unsolved.into_iter();
        unsolved.find(|id| ids.contains(&*id.to_string()))
    }
}

impl Prepared {
    /// Returns the terms of a task whose verifier is held back, if an earlier grade stored the verifier.
    ///
    /// # Errors
    ///
    /// Returns an error if the terms cannot be read.
    pub fn terms_of_stored_verifier(&self, store: &Store) -> Result<Option<Terms>, TermsError> {
        match &self.judge {
            Judge::HeldBack(verifier) if verifier.references().all(|it| it.is_complete(store)) => {
                Terms::read(store, &self.terms).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the task with the verifier and the inputs of an earlier grade, because those of the task may have
    /// changed since.
    #[must_use]
    pub fn as_judged(mut self, terms: &Terms, judge: Judge) -> Self {
        self.judge = judge;
        self.parameters = mcpmark_json::canonical(&terms.parameters);
        self.judged_on.answer = terms.answer;
        self.verifier_limits = terms.limits;
        self
    }
}
