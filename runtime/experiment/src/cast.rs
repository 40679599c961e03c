use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcpmark_agent::{
    Agent, Allowance, Asking, Budget, Client, Command, CommandSpec, Functions, Gate, Nop, Oracle,
    Random, React, Replay, Reply, Retries, Spent, Step, ToolCall,
};
use mcpmark_external::ServerSpec;
use mcpmark_model::{Model, Pace, Prices};
use mcpmark_sandbox::Sandbox;

use crate::journal::Trajectory;
use crate::{AgentKind, Planned, Prepared, SpecLimits, ToolFilter, random_seed};

/// Who acts in an experiment, ready to do so.
pub struct Cast {
    /// The players, one for each participant of the spec.
    pub players: Vec<Player>,
    /// The prices of the models.
    pub prices: Arc<Prices>,
    /// Settings that all attempts share.
    pub budget: Arc<Budget>,
    /// Limits of attempts.
    pub limits: SpecLimits,
}

/// A participant that is ready to act.
pub struct Player {
    /// The kind of agent.
    pub agent: AgentKind,
    /// The model, where the agent asks one.
    pub model: Option<Model>,
    /// The bound on requests to the model, which all that ask it at the same address share.
    pub gate: Arc<Gate>,
    /// What is done about errors that pass.
    pub retries: Retries,
    /// Tokens of a request from which on a conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// The most bytes of text of one tool result that a model is shown; no limit if not set.
    pub max_result_bytes: Option<u64>,
    /// The system prompt that replaces the agent's own.
    pub system_prompt: Option<Arc<str>>,
    /// The tools that are offered.
    pub tools: ToolFilter,
    /// Servers whose tools stand beside those of the world.
    pub servers: BTreeMap<String, ServerSpec>,
    /// The turns that the replaying agent plays.
    pub replay: Vec<Step>,
    /// The program that acts.
    pub command: Option<CommandSpec>,
    /// Who is waited for, where a world is served.
    pub client: Option<Arc<Client>>,
}

impl Player {
    /// An agent without a model.
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
        }
    }
}

impl Cast {
    /// An agent without a model, as the only participant.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            players: vec![Player::plain(agent)],
            prices: Arc::default(),
            budget: Arc::new(Budget::new(1, Allowance::default(), Spent::default())),
            limits: SpecLimits::default(),
        }
    }

    /// The player of an attempt.
    pub(crate) fn player(&self, planned: &Planned) -> Result<&Player, String> {
        let player = self.players.get(planned.participant);
        player.ok_or_else(|| "the attempt has no participant of the experiment".to_owned())
    }

    /// The agent of one attempt.
    ///
    /// # Errors
    ///
    /// What is missing for it.
    pub(crate) fn agent(
        &self,
        task: &Prepared,
        planned: &Planned,
        sandbox: &Sandbox,
    ) -> Result<Box<dyn Agent>, String> {
        let seed = random_seed(&task.id, planned.key.k);
        let player = self.player(planned)?;
        let asking = || {
            let model = player.model.as_ref();
            Ok::<_, String>(Asking {
                model: model.ok_or("there is no model to ask")?.clone(),
                prices: Arc::clone(&self.prices),
                budget: Arc::clone(&self.budget),
                gate: Arc::clone(&player.gate),
                retries: player.retries,
                compact_at: player.compact_at,
                max_result_bytes: player.max_result_bytes,
                system_prompt: player.system_prompt.clone(),
                seed,
            })
        };
        Ok(match (player.agent, &task.solution) {
            (AgentKind::Nop, _) => Box::new(Nop),
            (AgentKind::Random, _) => Box::new(Random::new(seed)),
            (AgentKind::Oracle, Some(solution)) => Box::new(Oracle::new(
                sandbox.clone(),
                solution.clone(),
                task.parameters.clone(),
            )),
            (AgentKind::Oracle, None) => {
                return Err("the task has no solution for the oracle to play".to_owned());
            }
            (AgentKind::Mcpmark, _) => Box::new(Functions::new(asking()?)),
            (AgentKind::React, _) => Box::new(React::new(asking()?)),
            (AgentKind::Replay, _) => Box::new(Replay::new(player.replay.clone())),
            (AgentKind::Command, _) => {
                let command = player.command.clone();
                Box::new(Command::new(command.ok_or("there is no program to run")?))
            }
            (AgentKind::Client, _) => {
                let client = player.client.clone();
                Box::new(client.ok_or("the client of a served world comes but once")?)
            }
        })
    }
}

/// The turns of a trajectory, as far as it came.
///
/// # Errors
///
/// When a message or result is not of the form that this program writes.
pub fn steps(trajectory: &Trajectory) -> Result<Vec<Step>, serde_json::Error> {
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
        if message.role != "assistant" {
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
