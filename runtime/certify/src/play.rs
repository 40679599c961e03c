//! Run of an agent on a task without a journal.

use std::sync::Arc;

use mcpmark_agent::{Agent, Attempt, AttemptLimits, End, Event, RecordError, Recorder, ToolCall};
use mcpmark_experiment::Prepared;
use mcpmark_kinds::{ServiceKind, ServiceUnavailable};
use mcpmark_service::{STOP_GRACE, Tool, ToolClient, WorldState, error_chain};
use mcpmark_snapshot::{Digest, ScratchSpace, Store, Tree};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::skeleton::calls_digest;

/// Maximum number of calls in [`Played::reads`].
const MAX_READS: usize = 60;

/// Result of one run of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    pub(crate) end: End,
    pub(crate) tree: Tree,
    pub(crate) answer: Option<String>,
    pub(crate) tool_calls: u32,
    /// All calls, in order.
    pub(crate) calls: Vec<ToolCall>,
    /// Results of the calls, in the order of their ends, each with the number of calls that had started before it.
    pub(crate) results: Vec<(usize, Value)>,
    /// For each call, whether it only reads.
    pub(crate) only_reads: Vec<bool>,
    /// Digest of the shapes of the calls.
    pub(crate) shape: Digest,
    /// Calls that only read: those that the agent made, without repetitions, and those without arguments.
    pub(crate) reads: Vec<ToolCall>,
}

/// Runs an agent on a private copy of a task's world, under the limits of an attempt.
pub(crate) async fn play(
    task: &Prepared,
    agent: &dyn Agent,
    store: &Arc<Store>,
    scratch: &ScratchSpace,
) -> Result<Played, String> {
    play_within(task, agent, store, scratch, task.attempt_limits).await
}

/// Runs an agent on a private copy of a task's world, under other limits than those of its attempts.
pub(crate) async fn play_within(
    task: &Prepared,
    agent: &dyn Agent,
    store: &Arc<Store>,
    scratch: &ScratchSpace,
    limits: AttemptLimits,
) -> Result<Played, String> {
    let service = task.start.service();
    let service = service
        .ok_or_else(|| ServiceUnavailable::Unknown(task.id.service().to_owned()).to_string())?;
    let world = WorldState {
        tree: task.start.tree.clone(),
        store: Arc::clone(store),
        seed: task.start.seed,
        clock: task.start.clock,
        profile: task.profile.clone(),
        limits: task.session_limits.clone(),
        scratch: scratch.clone(),
    };
    let session = service
        .open(world)
        .await
        .map_err(|error| error_chain(&error))?;
    let client = ToolClient::connect(&*session)
        .await
        .map_err(|error| error_chain(&error))?;
    let mut recorded = RecordedCalls::default();
    let played = async {
        let mut attempt = Attempt::start(
            &task.instruction,
            &client,
            limits,
            &mut recorded,
            CancellationToken::new(),
        )
        .map_err(|error| error_chain(&error))?;
        let end = match agent.run(&mut attempt).await {
            Ok(end) | Err(mcpmark_agent::Halt::End(end)) => end,
            Err(halt) => return Err(error_chain(&halt)),
        };
        let tree = session.finish(STOP_GRACE).await;
        let tree = tree.map_err(|error| error_chain(&error))?;
        Ok(Played {
            end,
            tree,
            answer: attempt.answer().map(str::to_owned),
            tool_calls: attempt.tool_calls(),
            calls: Vec::new(),
            results: Vec::new(),
            only_reads: Vec::new(),
            shape: calls_digest(&[], &[]),
            reads: Vec::new(),
        })
    }
    .await;
    let shape = calls_digest(client.tools(), &recorded.calls);
    let kind = task.start.kind.as_deref();
    let only_reads = |call: &ToolCall| {
        let is_known = |kind: &dyn ServiceKind| kind.only_reads(&call.name, &call.arguments);
        is_declared_read_only(client.tools(), call) || kind.is_some_and(is_known)
    };
    let reads = reads(client.tools(), only_reads, &recorded.calls);
    let only_reads = recorded.calls.iter().map(only_reads).collect();
    let disconnected = client.close().await;
    let closed = session.close().await;
    // The first error is the most informative, because it may have caused the later ones.
    let played = played?;
    disconnected
        .and(closed)
        .map_err(|error| error_chain(&error))?;
    Ok(Played {
        calls: recorded.calls,
        results: recorded.results,
        only_reads,
        shape,
        reads,
        ..played
    })
}

/// Recorder that keeps only the tool calls and their results, because certification does not store trajectories.
#[derive(Default)]
struct RecordedCalls {
    calls: Vec<ToolCall>,
    results: Vec<(usize, Value)>,
}

impl Recorder for RecordedCalls {
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError> {
        match event {
            Event::CallStarted { call, .. } => self.calls.push(call.clone()),
            // A result came as JSON, so its serialisation cannot fail.
            Event::CallEnded {
                result: Ok(result), ..
            } => {
                let result = serde_json::to_value(result).unwrap_or_default();
                self.results.push((self.calls.len(), result));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reports whether the tool of a call declares that it only reads.
fn is_declared_read_only(tools: &[Tool], call: &ToolCall) -> bool {
    let tool = tools.iter().find(|tool| tool.name == call.name);
    let hints = tool.and_then(|tool| tool.annotations.as_ref());
    hints.is_some_and(|hints| hints.read_only_hint == Some(true))
}

/// Returns the distinct calls among `calls` that only read, followed by one such call of each tool that requires no
/// arguments.
fn reads(
    tools: &[Tool],
    only_reads: impl Fn(&ToolCall) -> bool,
    calls: &[ToolCall],
) -> Vec<ToolCall> {
    let requires_nothing = |tool: &&Tool| {
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        required.is_none_or(Vec::is_empty)
    };
    let without_arguments = tools.iter().filter(requires_nothing).map(|tool| ToolCall {
        name: tool.name.to_string(),
        ..ToolCall::default()
    });
    let mut reads: Vec<ToolCall> = Vec::new();
    for call in calls.iter().cloned().chain(without_arguments) {
        let is_known = reads
            .iter()
            .any(|known| known.name == call.name && known.arguments == call.arguments);
        if !is_known && reads.len() < MAX_READS && only_reads(&call) {
            reads.push(call);
        }
    }
    reads
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, reads: bool, required: &[&str]) -> Tool {
        serde_json::from_value(json!({
            "name": name,
            "inputSchema": {"type": "object", "required": required},
            "annotations": {"readOnlyHint": reads},
        }))
        .unwrap()
    }

    fn call(name: &str, path: &str) -> ToolCall {
        ToolCall {
            name: name.to_owned(),
            arguments: [("path".to_owned(), json!(path))].into_iter().collect(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn reads_are_distinct_calls_of_read_only_tools() {
        let tools = [
            tool("read", true, &["path"]),
            tool("write", false, &["path"]),
            tool("me", true, &[]),
            tool("reset", false, &[]),
        ];
        let calls = [
            call("read", "a"),
            call("write", "a"),
            call("read", "b"),
            call("read", "a"),
            call("unknown", "a"),
        ];
        let me = ToolCall {
            name: "me".to_owned(),
            ..ToolCall::default()
        };
        let only_reads = |call: &ToolCall| is_declared_read_only(&tools, call);
        assert_eq!(
            reads(&tools, only_reads, &calls),
            [call("read", "a"), call("read", "b"), me]
        );
    }

    #[test]
    fn calls_of_one_tool_may_read_or_write() {
        let tools = [tool("query", false, &["path"])];
        let only_reads = |call: &ToolCall| call.arguments["path"] == "a";
        assert_eq!(
            reads(
                &tools,
                only_reads,
                &[call("query", "b"), call("query", "a")]
            ),
            [call("query", "a")]
        );
    }
}
