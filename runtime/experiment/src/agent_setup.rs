//! Participants of a run with their opened resources: models, budgets, servers and replayed turns.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcpmark_agent::{
    Agent, Allowance, Asking, Budget, Client, Command, CommandSpec, Functions, Gate, Manual, Nop,
    Random, React, Replay, Reply, Retries, Spent, Step, ToolCall,
};
use mcpmark_external::ServerSpec;
use mcpmark_journal::{AgentKind, MessageRole, Planned, SpecLimits, Trajectory};
use mcpmark_model::{Model, Pace, Prices};
use mcpmark_sandbox::Sandbox;

use crate::oracle::Oracle;
use crate::{Prepared, ToolFilter, random_seed};

/// Participants of an experiment with their opened resources.
pub struct AgentSetup {
    /// Opened participants, one for each participant of the spec.
    pub participants: Vec<OpenedParticipant>,
    /// Prices of the models.
    pub prices: Arc<Prices>,
    /// Budget of the whole experiment, and the limit of concurrent requests to models. All attempts share it.
    pub budget: Arc<Budget>,
    /// Limits of attempts.
    pub limits: SpecLimits,
}

/// Participant with its opened resources.
pub struct OpenedParticipant {
    /// Kind of agent.
    pub agent: AgentKind,
    /// Model, if the agent uses one.
    pub model: Option<Model>,
    /// Limits of rate and concurrency for the model, shared by all participants that send requests to the same address.
    pub gate: Arc<Gate>,
    /// Retry policy for temporary errors.
    pub retries: Retries,
    /// Number of tokens of a request from which on the conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// Maximum size of the text of one tool result that is shown to a model, in bytes; unlimited if not set.
    pub max_result_bytes: Option<u64>,
    /// System prompt that replaces the default of the agent.
    pub system_prompt: Option<Arc<str>>,
    /// Filter of the offered tools.
    pub tools: ToolFilter,
    /// External servers by name, whose tools are added to those of the world.
    pub servers: BTreeMap<String, ServerSpec>,
    /// Turns that the agent `replay` repeats.
    pub replay: Vec<Step>,
    /// Program that the agent `command` runs.
    pub command: Option<CommandSpec>,
    /// MCP client that acts in a served world.
    pub client: Option<Arc<Client>>,
    /// Agent that a person or a program controls.
    pub manual: Option<Arc<Manual>>,
}

impl OpenedParticipant {
    /// Returns a participant without a model.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            agent,
            model: None,
            gate: Arc::new(Gate::new(Pace::default())),
            retries: Retries::default(),
            compact_at: None,
            max_result_bytes: None,
            system_prompt: None,
            tools: ToolFilter::default(),
            servers: BTreeMap::new(),
            replay: Vec::new(),
            command: None,
            client: None,
            manual: None,
        }
    }
}

impl AgentSetup {
    /// Returns a cast whose only participant is an agent without a model.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            participants: vec![OpenedParticipant::plain(agent)],
            prices: Arc::default(),
            budget: Arc::new(Budget::new(1, Allowance::default(), Spent::default())),
            limits: SpecLimits::default(),
        }
    }

    /// Returns the participant of an attempt.
    pub(crate) fn participant(&self, planned: &Planned) -> Result<&OpenedParticipant, String> {
        let participant = self.participants.get(planned.participant);
        participant.ok_or_else(|| "the participant of the attempt is not set up".to_owned())
    }

    /// Returns the agent of one attempt.
    ///
    /// # Errors
    ///
    /// Returns a message if the agent lacks something that it needs, such as a solution, a model or a program.
    pub(crate) fn agent(
        &self,
        task: &Prepared,
        planned: &Planned,
        sandbox: &Sandbox,
    ) -> Result<Box<dyn Agent>, String> {
        let seed = random_seed(&task.id, planned.key.k);
        let participant = self.participant(planned)?;
        let asking = || {
            let model = participant.model.as_ref();
            Ok::<_, String>(Asking {
                model: model
                    .ok_or("the agent needs a model, but none is set")?
                    .clone(),
                prices: Arc::clone(&self.prices),
                budget: Arc::clone(&self.budget),
                gate: Arc::clone(&participant.gate),
                retries: participant.retries,
                compact_at: participant.compact_at,
                max_result_bytes: participant.max_result_bytes,
                system_prompt: participant.system_prompt.clone(),
                seed,
            })
        };
        Ok(match (participant.agent, &task.solution) {
            (AgentKind::Nop, _) => Box::new(Nop),
            (AgentKind::Random, _) => Box::new(Random::new(seed)),
            (AgentKind::Oracle, Some(solution)) => Box::new(Oracle::new(
                sandbox.clone(),
                solution.clone(),
                task.parameters.clone(),
            )),
            (AgentKind::Oracle, None) => {
                return Err("the task has no solution, but the oracle needs one".to_owned());
            }
            (AgentKind::Mcpmark, _) => Box::new(Functions::new(asking()?)),
            (AgentKind::React, _) => Box::new(React::new(asking()?)),
            (AgentKind::Replay, _) => Box::new(Replay::new(participant.replay.clone())),
            (AgentKind::Command, _) => {
                let command = participant.command.clone();
                Box::new(Command::new(
                    command.ok_or("the agent needs a program to run, but none is set")?,
                ))
            }
            (AgentKind::Client, _) => {
                let client = participant.client.clone();
                Box::new(client.ok_or("the agent needs an MCP client, but none is connected")?)
            }
            (AgentKind::Manual, _) => {
                let manual = participant.manual.clone();
                Box::new(manual.ok_or("the agent needs controls, but nothing controls it")?)
            }
        })
    }
}

/// Returns the turns of a trajectory. A trajectory that was cut off gives the turns until then.
///
/// # Errors
///
/// Returns an error if a message or result does not have the form that this program writes.
pub(crate) fn steps(trajectory: &Trajectory) -> Result<Vec<Step>, serde_json::Error> {
    let mut calls: HashMap<(u32, String), Vec<_>> = HashMap::new();
    for call in trajectory.calls.iter().rev() {
        let result = match (&call.result, &call.error) {
            (Some(result), _) => Some(Ok(serde_json::from_value(result.clone())?)),
            (None, Some(error)) => Some(Err(error.clone())),
            (None, None) => None,
        };
        let key = (call.turn, call.call_id.clone());
        calls.entry(key).or_default().push(result);
    }
    let mut steps = Vec::new();
    for message in &trajectory.messages {
        if message.role != MessageRole::Assistant {
            continue;
        }
        let reply: Reply = serde_json::from_value(message.content.clone())?;
        let mut result = |call: &ToolCall| {
            let key = (message.turn, call.id.clone());
            calls.get_mut(&key).and_then(Vec::pop).flatten()
        };
        let results = reply.calls.iter().map(&mut result).collect();
        steps.push(Step { reply, results });
    }
    Ok(steps)
}
