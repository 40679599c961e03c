//! Plans: which attempts an experiment has, and in which order.

mod growth;
mod stored;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_agent::{Allowance, AttemptLimits, CommandSpec};
use mcpmark_external::ServerSpec;
use mcpmark_model::{Cost, ModelSettings, ModelSpec, Prices};
use mcpmark_snapshot::Digest;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

pub(crate) use self::growth::Place;
pub use self::growth::{Added, PlanError, PlanStep};
use crate::journal::{AttemptKey, AttemptRow};
use crate::{Prepared, STATE_FAULT, TaskSource};

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Plays the task's solution.
    Oracle,
    /// Does nothing.
    Nop,
    /// Calls tools at random.
    Random,
    /// A model that calls tools as functions.
    Mcpmark,
    /// A model that writes its calls as JSON in its text.
    React,
    /// Plays the calls of another attempt again.
    Replay,
    /// Somebody's program.
    Command,
    /// Whoever connects to the served world.
    Client,
}

impl AgentKind {
    /// The name used on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Oracle => "oracle",
            Self::Nop => "nop",
            Self::Random => "random",
            Self::Mcpmark => "mcpmark",
            Self::React => "react",
            Self::Replay => "replay",
            Self::Command => "command",
            Self::Client => "client",
        }
    }

    /// Whether a model is behind it.
    pub fn is_model(self) -> bool {
        matches!(self, Self::Mcpmark | Self::React)
    }
}

/// An agent with its settings and, where it asks one, its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// The kind of agent.
    pub agent: AgentKind,
    /// How the agent acts.
    #[serde(default, skip_serializing_if = "AgentSettings::is_default")]
    pub agent_settings: AgentSettings,
    /// The model that the agent asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSpec>,
}

impl Participant {
    /// An agent without settings and model.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            agent,
            agent_settings: AgentSettings::default(),
            model: None,
        }
    }

    /// The servers whose tools participants have beside those of the world, each once.
    pub fn servers<'a>(
        participants: impl IntoIterator<Item = &'a Self>,
    ) -> Vec<(&'a str, &'a ServerSpec)> {
        let mut servers = Vec::new();
        for participant in participants {
            for (name, server) in &participant.agent_settings.servers {
                if !servers.contains(&(name.as_str(), server)) {
                    servers.push((name.as_str(), server));
                }
            }
        }
        servers
    }

    /// What makes it the one that it is: agent, its settings, model, its settings. What else is said of it, such as how
    /// often its model is asked, may change.
    pub(crate) fn identity(&self) -> (AgentKind, &AgentSettings, Option<(&str, &ModelSettings)>) {
        let model = self.model.as_ref();
        let model = model.map(|model| (&*model.name, &model.settings));
        (self.agent, &self.agent_settings, model)
    }

    /// The name of the model, or of the agent where no model acts.
    pub fn name(&self) -> &str {
        match &self.model {
            Some(model) => &model.name,
            None => self.agent.as_str(),
        }
    }
}

/// What an experiment runs; kept in the journal, so that it can go on later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Spec {
    /// The tasks, by id.
    pub tasks: Vec<String>,
    /// What names all of each, by its id; those of before this was kept are not there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bundles: BTreeMap<String, Digest>,
    /// Where they lie, where that is no library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<TaskSource>,
    /// Who acts.
    pub participants: Vec<Participant>,
    /// Attempts of each task by each participant; the most of them where the plan has steps.
    pub attempts: u32,
    /// The steps in which the plan grew; empty where each participant attempts each task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// What attempts and the whole may use, beside the tasks' own limits.
    #[serde(default)]
    pub limits: SpecLimits,
    /// Shuffles the order in which attempts begin; that of the plan if not set.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The prices that costs are reckoned with.
    #[serde(default)]
    pub prices: Prices,
    /// What goes on at the same time.
    #[serde(default)]
    pub concurrency: Concurrency,
}

/// How an agent acts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentSettings {
    /// Tokens of a request from which on the conversation is replaced by a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact_at: Option<u64>,
    /// The most bytes of text of one tool result that a model is shown; no limit if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_result_bytes: Option<u64>,
    /// The system prompt that replaces the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Globs of the tools that a model is offered, as of [`ToolFilter`](crate::ToolFilter); all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Times that a request is made again after an error that may pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Servers whose tools stand beside those of the world, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, ServerSpec>,
    /// The attempt whose calls are played again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The program that acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSpec>,
}

impl AgentSettings {
    /// Whether nothing is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What an experiment may use beside the tasks' own limits. The lower of two limits holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpecLimits {
    /// Turns of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Wall time of an attempt, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_seconds: Option<u64>,
    /// Wall time of a tool call, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_seconds: Option<u64>,
    /// Tokens of all requests of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of all replies of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Cost of an attempt, in nano-dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt_cost_nano_usd: Option<Cost>,
    /// Cost of the experiment, in nano-dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_cost_nano_usd: Option<Cost>,
    /// Tokens of all requests and replies of the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_tokens: Option<u64>,
    /// Wall time of one run of the experiment, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_time_seconds: Option<u64>,
}

impl SpecLimits {
    /// These limits and a task's own, the lower of each.
    pub fn over(&self, task: AttemptLimits) -> AttemptLimits {
        let seconds = |own: Duration, limit: Option<u64>| {
            limit.map_or(own, |limit| own.min(Duration::from_secs(limit)))
        };
        AttemptLimits {
            turns: self.turns.map_or(task.turns, |turns| turns.min(task.turns)),
            time: seconds(task.time, self.time_seconds),
            tool_call: seconds(task.tool_call, self.tool_call_seconds),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cost: self.attempt_cost_nano_usd,
        }
    }

    /// Whether one of them rests on the tokens that providers report.
    pub fn counts_usage(&self) -> bool {
        self.input_tokens.is_some()
            || self.output_tokens.is_some()
            || self.attempt_cost_nano_usd.is_some()
            || self.experiment_cost_nano_usd.is_some()
            || self.experiment_tokens.is_some()
    }

    /// What all attempts may use together.
    pub fn of_experiment(&self) -> Allowance {
        Allowance {
            cost: self.experiment_cost_nano_usd,
            tokens: self.experiment_tokens,
            time: self.experiment_time_seconds.map(Duration::from_secs),
        }
    }
}

/// What goes on at the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Concurrency {
    /// Attempts, and so worlds; one a core if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Requests to models; as many as attempts if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u32>,
    /// Grades; one a core if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grades: Option<u32>,
}

/// One attempt that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its place in the plan.
    pub position: usize,
    /// Index of its task among the prepared ones.
    pub task: usize,
    /// Index of its participant in the spec.
    pub participant: usize,
    /// Which attempt it is.
    pub key: AttemptKey,
}

impl Spec {
    /// One attempt of each task by each participant, with nothing set.
    pub fn new(tasks: Vec<String>, participants: Vec<Participant>) -> Self {
        Self {
            tasks,
            bundles: BTreeMap::new(),
            published: None,
            participants,
            attempts: 1,
            steps: Vec::new(),
            limits: SpecLimits::default(),
            seed: None,
            prices: Prices::default(),
            concurrency: Concurrency::default(),
        }
    }

    /// The models of the participants.
    pub fn models(&self) -> impl Iterator<Item = &ModelSpec> {
        self.participants
            .iter()
            .filter_map(|participant| participant.model.as_ref())
    }

    /// The servers whose tools participants have beside those of the world, each once.
    pub fn servers(&self) -> Vec<(&str, &ServerSpec)> {
        Participant::servers(&self.participants)
    }

    /// The tasks that an agent of a kind attempts.
    pub fn tasks_of(&self, agent: AgentKind) -> BTreeSet<&str> {
        let is_of = |index: &usize| {
            let participant = self.participants.get(*index);
            participant.is_some_and(|participant| participant.agent == agent)
        };
        let steps = self.steps();
        let steps = steps
            .iter()
            .filter(|step| step.participants.iter().any(is_of));
        let tasks = steps.flat_map(|step| &step.tasks);
        tasks
            .filter_map(|index| Some(self.tasks.get(*index)?.as_str()))
            .collect()
    }

    /// All attempts, step by step: the first of each task by each participant, then the second of
    /// each, so that an experiment that is stopped early has seen every task. An attempt keeps its
    /// position when the plan grows.
    pub fn plan(&self) -> Vec<Planned> {
        let settings = |value: serde_json::Result<serde_json::Value>| -> Arc<str> {
            // Maps with string keys and finite numbers are always JSON.
            value.map_or_else(
                |_| "{}".into(),
                |value| mcpmark_json::canonical(&value).into(),
            )
        };
        let tasks: Vec<Arc<str>> = self.tasks.iter().map(|id| id.as_str().into()).collect();
        let keys: Vec<AttemptKey> = self
            .participants
            .iter()
            .map(|participant| AttemptKey {
                task: "".into(),
                agent: participant.agent.as_str().into(),
                agent_settings: settings(serde_json::to_value(&participant.agent_settings)),
                model: participant.model.as_ref().map(|model| (*model.name).into()),
                model_settings: match &participant.model {
                    Some(model) => settings(serde_json::to_value(&model.settings)),
                    None => "{}".into(),
                },
                k: 0,
            })
            .collect();
        let places = self.places().into_iter().enumerate();
        places
            .map(|(position, place)| {
                let (task, participant) = (place.task as usize, place.participant as usize);
                Planned {
                    position,
                    task,
                    participant,
                    key: AttemptKey {
                        task: Arc::clone(&tasks[task]),
                        k: place.k,
                        ..keys[participant].clone()
                    },
                }
            })
            .collect()
    }

    /// The attempts that are still to be made. One is done when it came to a grade, a
    /// verifier's fault or an invalid task, or its process died too often, and its task has not
    /// changed since.
    pub fn remaining(&self, prepared: &[Prepared], rows: &[AttemptRow]) -> Vec<Planned> {
        let rows: HashMap<usize, &AttemptRow> =
            rows.iter().map(|row| (row.position, row)).collect();
        let mut plan = self.plan();
        plan.retain(|planned| {
            !rows
                .get(&planned.position)
                .is_some_and(|row| is_done(row) && is_of(row, &prepared[planned.task]))
        });
        plan
    }

    /// The participants with attempts that are still to be made, as far as the digests of the tasks
    /// in the spec tell.
    pub fn acting(&self, rows: &[AttemptRow]) -> BTreeSet<usize> {
        let done: BTreeSet<usize> = rows
            .iter()
            .filter(|row| {
                let bundle = self.bundles.get(&row.task).map(ToString::to_string);
                is_done(row) && (row.bundle == bundle || bundle.is_none())
            })
            .map(|row| row.position)
            .collect();
        let places = self.places().into_iter().enumerate();
        places
            .filter(|(position, _)| !done.contains(position))
            .map(|(_, place)| place.participant as usize)
            .collect()
    }

    /// The order in which attempts begin: shuffled, but never one of a later repetition before one
    /// of an earlier, so that an experiment that is stopped has seen every task as often.
    pub fn order(&self, mut plan: Vec<Planned>) -> Vec<Planned> {
        if let Some(seed) = self.seed {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let mut drawn: Vec<(u32, u64, Planned)> = plan
                .into_iter()
                .map(|planned| (planned.key.k, rng.next_u64(), planned))
                .collect();
            drawn.sort_by_key(|(k, number, planned)| (*k, *number, planned.position));
            plan = drawn.into_iter().map(|(_, _, planned)| planned).collect();
        }
        plan
    }

    /// The tasks that are others than those of the experiment, as far as that knows, and the
    /// digest that each had there.
    pub fn others<'a>(
        &self,
        prepared: &'a [Arc<Prepared>],
        rows: &[AttemptRow],
    ) -> Vec<(&'a Prepared, Digest)> {
        let attempted: HashMap<&str, Digest> = rows
            .iter()
            .filter_map(|row| Some((row.task.as_str(), row.bundle.as_ref()?.parse().ok()?)))
            .collect();
        prepared
            .iter()
            .filter_map(|task| {
                let id = task.id.to_string();
                let known = self.bundles.get(&id).or_else(|| attempted.get(&*id));
                Some((&**task, *known?)).filter(|(task, known)| task.bundle != *known)
            })
            .collect()
    }

    /// How many attempts were done, but of a task that has changed since.
    pub fn changed(&self, prepared: &[Prepared], rows: &[AttemptRow]) -> usize {
        let done = rows.iter().filter(|row| is_done(row));
        done.filter(|row| {
            let task = prepared.iter().find(|task| task.id.to_string() == row.task);
            !task.is_some_and(|task| is_of(row, task))
        })
        .count()
    }
}

fn is_of(row: &AttemptRow, task: &Prepared) -> bool {
    row.bundle.as_ref() == Some(&task.bundle.to_string())
}

fn is_done(row: &AttemptRow) -> bool {
    let is_settled = matches!(
        row.outcome.as_deref(),
        Some("graded" | STATE_FAULT | "verifier-fault" | "invalid-task" | "held-back")
    );
    (row.status == "finished" && is_settled) || row.died()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_seen_before_any_is_repeated() {
        let spec = Spec {
            attempts: 2,
            ..Spec::new(
                vec!["s/w/a".into(), "s/w/b".into()],
                vec![Participant::plain(AgentKind::Nop)],
            )
        };
        let plan: Vec<_> = spec
            .plan()
            .into_iter()
            .map(|p| (p.position, p.key.task.to_string(), p.key.k))
            .collect();
        assert_eq!(plan.len(), spec.planned());
        assert_eq!(
            plan,
            [
                (0, "s/w/a".to_owned(), 1),
                (1, "s/w/b".to_owned(), 1),
                (2, "s/w/a".to_owned(), 2),
                (3, "s/w/b".to_owned(), 2),
            ]
        );
    }
}
