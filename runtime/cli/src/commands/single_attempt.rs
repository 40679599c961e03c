//! Experiment of one attempt whose agent is not started by this program: an MCP client, a person or another program.

use std::sync::Arc;

use mcpmark_experiment::{
    AgentKind, AttemptLimits, ExperimentLock, JournalError, Participant, Prepared, Spec, TaskSource,
};

use super::experiment_run::{self, PreparedRun};
use super::task_selection::TaskSelection;
use crate::args::EngineArgs;
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, journal_error};

/// New experiment with one planned attempt of one task. It is locked for this process.
pub(super) struct SingleAttempt {
    pub(super) prepared_run: PreparedRun,
    pub(super) spec: Spec,
    /// Id of the experiment.
    pub(super) id: String,
    /// Name of the experiment.
    pub(super) name: String,
    _lock: ExperimentLock,
}

impl SingleAttempt {
    /// Prepares a task and creates the experiment. `limits` adapts the limits of the task's attempts. Without a name,
    /// the experiment is named after the current time.
    pub(super) fn create(
        context: &Context,
        agent: AgentKind,
        task: String,
        place: Option<TaskSource>,
        name: Option<String>,
        limits: impl Fn(AttemptLimits) -> AttemptLimits,
    ) -> Result<Self, CommandError> {
        let name = name.map(experiment_run::check_name).transpose()?;
        if let Some(name) = &name
            && experiment_run::find(context, name)?.is_some()
        {
            return Err(journal_error(JournalError::NameTaken(name.clone())));
        }
        let mut spec = Spec::new(vec![task], vec![Participant::plain(agent)]);
        spec.published = place;
        let chosen = TaskSelection::by_id(context, spec.published.as_ref(), &spec.tasks)?;
        spec.tasks = chosen.ids().map(ToString::to_string).collect();
        if let Some(place) = &mut spec.published {
            place.bundle = chosen.bundle()?;
        }
        let mut prepared_run =
            PreparedRun::open(context, &chosen, &spec, 1, EngineArgs::default())?;
        for task in &mut prepared_run.tasks {
            *task = Arc::new(Prepared {
                attempt_limits: limits(task.attempt_limits),
                ..(**task).clone()
            });
        }
        spec.task_digests = prepared_run.task_digests();
        let text = serde_json::to_string(&spec).map_err(CommandError::infrastructure)?;
        let (id, name) = match name {
            Some(name) => {
                let id = prepared_run.runner.journal.create_experiment(&name, &text);
                (id.map_err(journal_error)?, name)
            }
            None => prepared_run.create_unnamed(&text)?,
        };
        let lock = context.home().lock_experiment(&id, &name);
        Ok(Self {
            prepared_run,
            spec,
            id,
            name,
            _lock: lock.map_err(|error| home_error(&error))?,
        })
    }
}
