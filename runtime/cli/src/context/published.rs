//! Preparation of published tasks.

use std::path::Path;

use mcpmark_build::Builder;
use mcpmark_experiment::{CorpusPreparer, PrepareError, Prepared, published_guests};
use mcpmark_kinds::WorldGuests;
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::Store;
use mcpmark_task::published::{Corpus, PublishedTask};

use super::{Context, prepare_error};
use crate::bundles;
use crate::error::{CommandError, error_chain};
use crate::interruption;
use crate::output::build::BuildDisplay;
use crate::settings;

impl Context {
    /// Opens a corpus of published tasks.
    pub(crate) fn corpus_at(&self, dir: &Path) -> Result<Corpus, CommandError> {
        let corpus = Corpus::at(dir).map_err(|error| CommandError::usage(error_chain(&error)))?;
        Ok(corpus.with_stateless(self.services.starting_from_nothing()))
    }

    /// Returns the builder of guests for the tasks of a corpus.
    fn corpus_builder(&self) -> Builder {
        interruption::watch();
        self.builder_in(self.cache.join("guests"))
    }

    /// Loads the guests that belong to the starting state of a corpus's task.
    pub(crate) fn published_guests(
        &self,
        corpus: &Corpus,
        task: &PublishedTask,
        state: &Path,
        sandbox: &Sandbox,
    ) -> Result<WorldGuests, CommandError> {
        let mut builder = self.corpus_builder();
        let mut display = BuildDisplay::default();
        let report = &mut |event| display.show(event);
        let services = &self.services;
        published_guests(corpus, services, task, state, &mut builder, sandbox, report)
            .map_err(|error| prepare_error(&error))
    }

    /// Prepares tasks of a corpus for attempts.
    pub(crate) fn prepare_published(
        &self,
        corpus: &Corpus,
        states: Option<&Path>,
        tasks: &[PublishedTask],
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let interpreter = self.interpreter(sandbox)?;
        let mut builder = self.corpus_builder();
        let mut display = BuildDisplay::default();
        let report = &mut |event| display.show(event);
        let mut preparer = CorpusPreparer {
            corpus,
            services: &self.services,
            states,
            builder: &mut builder,
            sandbox,
            interpreter: &interpreter,
            store,
            ceiling: &settings::world_ceiling()?,
            report,
        };
        let prepared = preparer.prepare(tasks).map_err(|error| match &error {
            PrepareError::Task(_)
                if states.is_none() && tasks.iter().any(|it| it.world.is_none()) =>
            {
                prepare_error(&error).hint("set --states to the directory with the states")
            }
            error => prepare_error(error),
        })?;
        let pairs = prepared.iter().map(|task| {
            let state = bundles::state_name(&task.id, &task.start)?;
            Ok((state, task))
        });
        let pairs: Vec<_> = pairs.collect::<Result<_, CommandError>>()?;
        self.hold(&pairs, sandbox, store)?;
        Ok(prepared)
    }
}
