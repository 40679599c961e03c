//! Run of an agent on a task without a journal.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcpmark_agent::{Agent, Attempt, AttemptLimits, End, Event, RecordError, Recorder, ToolCall};
use mcpmark_experiment::Prepared;
use mcpmark_kinds::ServiceUnavailable;
use mcpmark_service::{STOP_GRACE, Tool, ToolClient, WorldState, error_chain};
use mcpmark_snapshot::{Digest, ScratchSpace, Store, Tree};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::skeleton::calls_digest;

/// Maximum number of calls in [`Played::reads`].
const MOST_READS: usize = 60;

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
    /// Names of the tools that only read.
    pub(crate) read_only: BTreeSet<String>,
    /// Digest of the shapes of the calls.
    pub(crate) shape: Digest,
    /// Calls of read-only tools: those that the agent made, without repetitions, and those without arguments.
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
            read_only: BTreeSet::new(),
            shape: calls_digest(&[], &[]),
            reads: Vec::new(),
        })
    }
    .await;
    let shape = calls_digest(client.tools(), &recorded.calls);
    let kind = task.start.kind.as_deref();
    let read_only = read_only(client.tools(), |tool| {
        kind.is_some_and(|kind| kind.only_reads(tool))
    });
    let reads = reads(client.tools(), &read_only, &recorded.calls);
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
        read_only,
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

/// Returns the names of the tools that declare that they only read, and of those of which `only_reads` is true.
fn read_only(tools: &[Tool], only_reads: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let reads = |tool: &&Tool| {
        let hints = tool.annotations.as_ref();
        hints.is_some_and(|hints| hints.read_only_hint == Some(true)) || only_reads(&tool.name)
    };
    let tools = tools.iter().filter(reads);
    tools.map(|tool| tool.name.to_string()).collect()
}

/// Returns the distinct calls of read-only tools among `calls`, followed by one call of each read-only tool that
/// requires no arguments.
fn reads(tools: &[Tool], read_only: &BTreeSet<String>, calls: &[ToolCall]) -> Vec<ToolCall> {
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
        if read_only.contains(&call.name) && !is_known && reads.len() < MOST_READS {
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
        let read_only = super::read_only(&tools, |_| false);
        assert_eq!(
            reads(&tools, &read_only, &calls),
            [call("read", "a"), call("read", "b"), me]
        );
    }

    #[test]
    fn a_service_knows_tools_that_only_read_without_annotations() {
        let tools = [tool("find", false, &[]), tool("write", false, &["path"])];
        let read_only = super::read_only(&tools, |tool| tool == "find");
        assert_eq!(read_only, BTreeSet::from(["find".to_owned()]));
        assert_eq!(reads(&tools, &read_only, &[call("write", "a")]).len(), 1);
    }
}
