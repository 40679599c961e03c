//! Plans: the attempts of an experiment and their order.

mod growth;
mod stored;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_agent::{Allowance, AttemptLimits, CommandSpec};
use mcpmark_model::{Cost, ModelSettings, ModelSpec, Prices};
use mcpmark_server_spec::ServerSpec;
use mcpmark_snapshot::Digest;
use mcpmark_task::{TaskDigest, TaskId};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

pub(crate) use self::growth::Place;
pub use self::growth::{Added, PlanError, PlanStep};
use crate::{AttemptKey, AttemptRow, AttemptStatus, OutcomeKind};

/// Kind of agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Agent that plays the task's solution.
    Oracle,
    /// Agent that does nothing.
    Nop,
    /// Agent that calls tools at random.
    Random,
    /// Model that calls tools as functions.
    Mcpmark,
    /// Model that writes its calls as JSON in its text.
    React,
    /// Agent that repeats the calls of an earlier attempt.
    Replay,
    /// External program.
    Command,
    /// MCP client that connects to the served world.
    Client,
    /// Person or program that makes its calls one by one.
    Manual,
}

impl AgentKind {
    /// Returns the name used on the command line and in reports.
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
            Self::Manual => "manual",
        }
    }

    /// Reports whether the agent uses a model.
    pub fn is_model(self) -> bool {
        matches!(self, Self::Mcpmark | Self::React)
    }
}

/// Agent with its settings and, if it uses one, its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// Kind of agent.
    pub agent: AgentKind,
    /// Settings of the agent.
    #[serde(default, skip_serializing_if = "AgentSettings::is_default")]
    pub agent_settings: AgentSettings,
    /// Model of the agent, if it uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSpec>,
}

impl Participant {
    /// Returns an agent without settings and model.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            agent,
            agent_settings: AgentSettings::default(),
            model: None,
        }
    }

    /// Returns the distinct external servers of participants, with their names.
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

    /// Returns the parts that identify a participant: agent, settings of the agent, model, settings of the model. Other
    /// parts, such as the rate limit of the model, may change.
    pub(crate) fn identity(&self) -> (AgentKind, &AgentSettings, Option<(&str, &ModelSettings)>) {
        let model = self.model.as_ref();
        let model = model.map(|model| (&*model.name, &model.settings));
        (self.agent, &self.agent_settings, model)
    }

    /// Returns the name of the model, or of the agent if it has no model.
    pub fn name(&self) -> &str {
        match &self.model {
            Some(model) => &model.name,
            None => self.agent.as_str(),
        }
    }
}

/// Specification of an experiment. The journal stores it, so that the experiment can be resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Spec {
    /// Ids of the tasks.
    pub tasks: Vec<String>,
    /// Task digests by task id; older experiments have none.
    #[serde(
        rename = "bundles",
        default,
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub task_digests: BTreeMap<String, Digest>,
    /// Location of the tasks if it is not a library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<TaskSource>,
    /// Participants of the experiment.
    pub participants: Vec<Participant>,
    /// Number of attempts of each task by each participant; the maximum of all steps if the plan has steps.
    pub attempts: u32,
    /// Steps of a plan that was extended; empty if every participant attempts every task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// Limits of attempts and of the whole experiment, in addition to the tasks' own limits.
    #[serde(default)]
    pub limits: SpecLimits,
    /// Seed for shuffling the order in which attempts begin; the order of the plan if not set.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Prices from which costs are computed.
    #[serde(default)]
    pub prices: Prices,
    /// Limits of concurrency.
    #[serde(default)]
    pub concurrency: Concurrency,
}

/// Location of an experiment's tasks if it is not a library: a corpus or a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSource {
    /// Path of the corpus or bundle.
    pub tasks: PathBuf,
    /// Directory of the starting states of the corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<PathBuf>,
    /// Digest of the bundle. It selects the unpacked copy in the cache if the bundle cannot be opened any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Digest>,
}

/// Settings of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentSettings {
    /// Number of tokens of a request from which on the conversation is replaced by a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact_at: Option<u64>,
    /// Maximum size of the text of one tool result that is shown to a model, in bytes; unlimited if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_result_bytes: Option<u64>,
    /// System prompt that replaces the default of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Globs of the offered tools; all tools if empty. A glob with a leading `!` excludes tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Maximum number of retries of a request after temporary errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// External servers by name, whose tools are added to those of the world.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, ServerSpec>,
    /// Id of the attempt whose calls are repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Program that the agent `command` runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSpec>,
}

impl AgentSettings {
    /// Returns true if no setting is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits of an experiment, in addition to the tasks' own limits. The lower of two limits applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpecLimits {
    /// Maximum number of turns of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Maximum wall time of an attempt, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_seconds: Option<u64>,
    /// Maximum wall time of a tool call, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_seconds: Option<u64>,
    /// Maximum number of tokens in all requests of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Maximum number of tokens in all replies of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Maximum cost of an attempt, in nano-dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt_cost_nano_usd: Option<Cost>,
    /// Maximum cost of the experiment, in nano-dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_cost_nano_usd: Option<Cost>,
    /// Maximum number of tokens in all requests and replies of the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_tokens: Option<u64>,
    /// Maximum wall time of one run of the experiment, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment_time_seconds: Option<u64>,
}

impl SpecLimits {
    /// Combines these limits with a task's own limits. Returns the lower value of each.
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

    /// Reports whether a limit depends on the token counts that providers report.
    pub fn counts_usage(&self) -> bool {
        self.input_tokens.is_some()
            || self.output_tokens.is_some()
            || self.attempt_cost_nano_usd.is_some()
            || self.experiment_cost_nano_usd.is_some()
            || self.experiment_tokens.is_some()
    }

    /// Returns the allowance that all attempts share.
    pub fn of_experiment(&self) -> Allowance {
        Allowance {
            cost: self.experiment_cost_nano_usd,
            tokens: self.experiment_tokens,
            time: self.experiment_time_seconds.map(Duration::from_secs),
        }
    }
}

/// Limits of concurrency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Concurrency {
    /// Number of concurrent attempts, and so of open worlds; the number of cores if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Number of concurrent requests to models; the number of concurrent attempts if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u32>,
    /// Number of concurrent grades; the number of cores if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grades: Option<u32>,
}

/// Planned attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Position in the plan.
    pub position: usize,
    /// Index of the task in the spec and among the prepared tasks.
    pub task: usize,
    /// Index of the participant in the spec.
    pub participant: usize,
    /// Identity of the attempt.
    pub key: AttemptKey,
}

/// Version of a task: its id and its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskVersion {
    /// Id of the task.
    pub id: TaskId,
    /// Task digest.
    pub digest: Digest,
}

impl Spec {
    /// Returns a specification of one attempt of each task by each participant, with default settings.
    pub fn new(tasks: Vec<String>, participants: Vec<Participant>) -> Self {
        Self {
            tasks,
            task_digests: BTreeMap::new(),
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

    /// Returns the models of the participants.
    pub fn models(&self) -> impl Iterator<Item = &ModelSpec> {
        self.participants
            .iter()
            .filter_map(|participant| participant.model.as_ref())
    }

    /// Returns the distinct external servers of the participants, with their names.
    pub fn servers(&self) -> Vec<(&str, &ServerSpec)> {
        Participant::servers(&self.participants)
    }

    /// Returns the ids of the tasks that an agent of the given kind attempts.
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

    /// Returns all attempts, step by step. A step contains the first attempt of each task by each participant, then the
    /// second of each, so that an experiment that is stopped early has attempted every task. Attempts keep their
    /// positions when the plan grows.
    pub fn plan(&self) -> Vec<Planned> {
        let settings = |value: serde_json::Result<serde_json::Value>| -> Arc<str> {
            // Maps with string keys and finite numbers always serialise.
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

    /// Returns the attempts that remain to be made. An attempt is done if its task is unchanged and it was graded, its
    /// task is invalid, its verifier is held back, or its process died too often. Verifier faults and state faults
    /// count as grades. `tasks` are the current versions of the tasks, in the order of the spec.
    pub fn remaining(&self, tasks: &[TaskVersion], rows: &[AttemptRow]) -> Vec<Planned> {
        let rows: HashMap<usize, &AttemptRow> =
            rows.iter().map(|row| (row.position, row)).collect();
        let mut plan = self.plan();
        plan.retain(|planned| {
            let task = tasks.get(planned.task);
            !rows
                .get(&planned.position)
                .is_some_and(|row| is_done(row) && task.is_some_and(|task| is_of(row, task)))
        });
        plan
    }

    /// Returns the indices of participants with remaining attempts. Changed tasks are detected only if the spec
    /// contains their digests.
    pub fn acting(&self, rows: &[AttemptRow]) -> BTreeSet<usize> {
        let done: BTreeSet<usize> = rows
            .iter()
            .filter(|row| {
                let current = self.task_digests.get(&row.task).copied();
                let current = current.map(TaskDigest::from);
                is_done(row) && (row.task_digest == current || current.is_none())
            })
            .map(|row| row.position)
            .collect();
        let places = self.places().into_iter().enumerate();
        places
            .filter(|(position, _)| !done.contains(position))
            .map(|(_, place)| place.participant as usize)
            .collect()
    }

    /// Returns the attempts in the order in which they begin. With a seed, the attempts of each repetition are
    /// shuffled, but lower repetitions stay first, so that an experiment that is stopped has attempted all tasks
    /// equally often.
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

    /// Returns the tasks whose digest differs from that in the spec or, if it is not there, in an earlier attempt. Each
    /// is returned with that older digest.
    pub fn changed_tasks<'a>(
        &self,
        tasks: &'a [TaskVersion],
        rows: &[AttemptRow],
    ) -> Vec<(&'a TaskVersion, Digest)> {
        let attempted: HashMap<&str, Digest> = rows
            .iter()
            .filter_map(|row| Some((row.task.as_str(), row.task_digest?.untyped())))
            .collect();
        tasks
            .iter()
            .filter_map(|task| {
                let id = task.id.to_string();
                let known = self.task_digests.get(&id).or_else(|| attempted.get(&*id));
                Some((task, *known?)).filter(|(task, known)| task.digest != *known)
            })
            .collect()
    }

    /// Returns the number of attempts that are done, but whose task has changed or is not in `tasks`.
    pub fn changed(&self, tasks: &[TaskVersion], rows: &[AttemptRow]) -> usize {
        let done = rows.iter().filter(|row| is_done(row));
        done.filter(|row| {
            let task = tasks.iter().find(|task| task.id.to_string() == row.task);
            !task.is_some_and(|task| is_of(row, task))
        })
        .count()
    }
}

fn is_of(row: &AttemptRow, task: &TaskVersion) -> bool {
    row.task_digest == Some(task.digest.into())
}

fn is_done(row: &AttemptRow) -> bool {
    let is_settled = match row.outcome {
        Some(
            OutcomeKind::Graded
            | OutcomeKind::StateFault
            | OutcomeKind::VerifierFault
            | OutcomeKind::InvalidTask
            | OutcomeKind::HeldBack,
        ) => true,
        Some(OutcomeKind::InfraError | OutcomeKind::Cancelled) | None => false,
    };
    (row.status == AttemptStatus::Finished && is_settled) || row.died()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, Outcome};

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

    #[test]
    fn attempts_of_changed_tasks_remain() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&dir.path().join("journal.db")).unwrap());
        let version = |id: &str, content: &str| TaskVersion {
            id: id.parse().unwrap(),
            digest: Digest::of(content.as_bytes()),
        };
        let begun = [version("s/w/a", "old"), version("s/w/b", "old")];
        let spec = Spec::new(
            begun.iter().map(|task| task.id.to_string()).collect(),
            vec![Participant::plain(AgentKind::Nop)],
        );
        let id = journal.create_experiment("e", "{}").unwrap();
        for planned in spec.plan() {
            let digest = &begun[planned.task].digest;
            let attempt = journal
                .start_attempt(&id, planned.position, &planned.key, Some(digest), None)
                .unwrap();
            let outcome = Outcome::InvalidTask("it has no checks".to_owned());
            journal
                .finish_attempt(attempt.id(), &outcome, None)
                .unwrap();
        }
        let rows = journal.attempts("e").unwrap();
        assert!(spec.remaining(&begun, &rows).is_empty());
        assert!(spec.changed_tasks(&begun, &rows).is_empty());
        assert_eq!(spec.changed(&begun, &rows), 0);
        let now = [version("s/w/a", "old"), version("s/w/b", "new")];
        let remaining = spec.remaining(&now, &rows);
        assert_eq!(remaining.len(), 1);
        assert_eq!(remaining[0].position, 1);
        let changed = spec.changed_tasks(&now, &rows);
        assert_eq!(changed, [(&now[1], begun[1].digest)]);
        assert_eq!(spec.changed(&now, &rows), 1);
    }
}
