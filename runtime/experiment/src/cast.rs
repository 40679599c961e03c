use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcpmark_agent::{
    Agent, Allowance, Asking, Budget, Client, Command, CommandSpec, Functions, Nop, Oracle, Random,
    React, Replay, Reply, Retries, Spent, Step, ToolCall,
};
use mcpmark_external::ServerSpec;
use mcpmark_model::{Model, Prices};
use mcpmark_sandbox::Sandbox;

use crate::journal::Trajectory;
use crate::{AgentKind, Planned, Prepared, SpecLimits, random_seed};

/// Who acts in an experiment, ready to do so.
pub struct Cast {
    /// The kind of agent.
    pub agent: AgentKind,
    /// The models, in the order of the spec.
    pub models: Vec<Model>,
    /// What they cost.
    pub prices: Arc<Prices>,
    /// What their attempts share.
    pub budget: Arc<Budget>,
    /// What is done about errors that pass.
    pub retries: Retries,
    /// Tokens of a request from which on a conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// Servers whose tools stand beside those of the world.
    pub servers: BTreeMap<String, ServerSpec>,
    /// What attempts may use.
    pub limits: SpecLimits,
    /// The turns that the replaying agent plays.
    pub replay: Vec<Step>,
    /// The program that acts.
    pub command: Option<CommandSpec>,
    /// Who is waited for, where a world is served.
    pub client: Option<Arc<Client>>,
}

impl Cast {
    /// An agent without a model.
    pub fn plain(agent: AgentKind) -> Self {
        Self {
            agent,
            models: Vec::new(),
            prices: Arc::default(),
            budget: Arc::new(Budget::new(1, Allowance::default(), Spent::default())),
            retries: Retries::default(),
            compact_at: None,
            servers: BTreeMap::new(),
            limits: SpecLimits::default(),
            replay: Vec::new(),
            command: None,
            client: None,
        }
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
        let asking = || {
            let model = planned.model.and_then(|index| self.models.get(index));
            Ok::<_, String>(Asking {
                model: model.ok_or("there is no model to ask")?.clone(),
                prices: Arc::clone(&self.prices),
                budget: Arc::clone(&self.budget),
                retries: self.retries,
                compact_at: self.compact_at,
                seed,
            })
        };
        Ok(match (self.agent, &task.solution) {
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
            (AgentKind::Replay, _) => Box::new(Replay::new(self.replay.clone())),
            (AgentKind::Command, _) => {
                let command = self.command.clone();
                Box::new(Command::new(command.ok_or("there is no program to run")?))
            }
            (AgentKind::Client, _) => {
                let client = self.client.clone();
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
