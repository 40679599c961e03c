//! Participants of a run, opened from their spec.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcpmark_agent::{Budget, Gate, Retries};
use mcpmark_journal::{Journal, JournalError, Participant, Spec};
use mcpmark_model::{ModelSpec, Pace};

use crate::agent_setup::steps;
use crate::preflight::ActingModels;
use crate::{AgentSetup, OpenedParticipant, ToolFilter, ToolFilterError};

/// Errors of opening the participants of a run.
#[derive(Debug, thiserror::Error)]
pub enum ParticipantError {
    /// The journal cannot be read, or does not have the attempt to replay.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The trajectory to replay does not have the form that this program writes.
    #[error("{0}")]
    Trajectory(serde_json::Error),
    /// The filter of the offered tools is not valid.
    #[error(transparent)]
    Filter(#[from] ToolFilterError),
}

impl AgentSetup {
    /// Opens the participants of a run of an experiment. `jobs` is the number of concurrent attempts. The budget starts
    /// with what the experiment spent before.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or if a participant replays a trajectory that is not valid.
    pub fn open(
        spec: &Spec,
        models: ActingModels,
        journal: &Journal,
        experiment: &str,
        jobs: u32,
    ) -> Result<Self, ParticipantError> {
        let spent = journal.spent(experiment)?;
        let gates = Gates::of(&spec.participants);
        let mut participants = Vec::new();
        for (model, participant) in models.models.into_iter().zip(&spec.participants) {
            let settings = &participant.agent_settings;
            let replay = match &settings.replay {
                Some(attempt) => {
                    let trajectory = journal.trajectory(attempt)?;
                    steps(&trajectory).map_err(ParticipantError::Trajectory)?
                }
                None => Vec::new(),
            };
            let mut retries = Retries::default();
            if let Some(count) = settings.retries {
                retries.tries = count.saturating_add(1);
            }
            participants.push(OpenedParticipant {
                model,
                gate: gates.gate(participant.model.as_ref()),
                retries,
                compact_at: settings.compact_at,
                max_result_bytes: settings.max_result_bytes,
                system_prompt: settings.system_prompt.as_deref().map(Into::into),
                tools: ToolFilter::parse(&settings.tools)?,
                servers: settings.servers.clone(),
                replay,
                command: settings.command.clone(),
                ..OpenedParticipant::plain(participant.agent)
            });
        }
        let calls = spec.concurrency.model_calls.unwrap_or(jobs) as usize;
        Ok(Self {
            participants,
            prices: Arc::new(spec.prices.clone()),
            budget: Arc::new(Budget::new(calls, spec.limits.of_experiment(), spent)),
            limits: spec.limits,
        })
    }
}

/// Limits on requests to models, by name and address. Participants with the same model at the same address share one
/// gate, whatever their settings, because the server counts their requests together.
struct Gates(BTreeMap<(String, Option<String>), Arc<Gate>>);

impl Gates {
    fn of(participants: &[Participant]) -> Self {
        let mut paces: BTreeMap<_, Pace> = BTreeMap::new();
        for model in participants.iter().filter_map(|one| one.model.as_ref()) {
            let pace = paces.entry(Self::place(model)).or_default();
            *pace = pace.and(model.pace);
        }
        let gate = |(place, pace)| (place, Arc::new(Gate::new(pace)));
        Self(paces.into_iter().map(gate).collect())
    }

    fn place(model: &ModelSpec) -> (String, Option<String>) {
        (model.name.clone(), model.settings.base_url.clone())
    }

    /// Returns the gate of a model. Without a model, the gate has no limits.
    fn gate(&self, model: Option<&ModelSpec>) -> Arc<Gate> {
        let known = model.and_then(|model| self.0.get(&Self::place(model)));
        known.map_or_else(|| Arc::new(Gate::new(Pace::default())), Arc::clone)
    }
}
