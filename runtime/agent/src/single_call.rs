//! Tool call that is a turn of its own, for agents that are not models.

use std::future::Future;

use mcpmark_service::{JsonObject, ToolOutput};

use crate::{Attempt, Halt, NoResult, Reply, ToolCall};

/// Result of a call that is a turn of its own.
pub(crate) enum Called {
    /// Result of the tool.
    Output(ToolOutput),
    /// Call of a tool that does not exist, which was refused for this reason.
    Refused(String),
    /// Call without a result.
    NoResult(NoResult),
}

/// Makes one tool call as a turn of the attempt. The call is cancelled when `given_up` completes. A call of a tool that
/// does not exist is recorded and counted as well.
///
/// # Errors
///
/// Returns an error if the attempt has ended, its server is lost, or the call cannot be recorded.
pub(crate) async fn call_as_turn(
    attempt: &mut Attempt<'_>,
    tool: String,
    arguments: JsonObject,
    given_up: impl Future<Output = ()>,
) -> Result<Called, Halt> {
    let call = ToolCall {
        id: format!("call-{}", attempt.tool_calls() + 1),
        name: tool,
        arguments,
        malformed: None,
    };
    let reply = Reply {
        calls: vec![call],
        ..Reply::default()
    };
    attempt.reply(&reply)?;
    let call = &reply.calls[0];
    let tools = attempt.client().tools();
    if !tools.iter().any(|tool| tool.name == call.name) {
        let reason = format!("there is no tool named {:?}", call.name);
        attempt.refuse(call, &reason)?;
        return Ok(Called::Refused(reason));
    }
    let called = attempt.call_while_wanted(call, given_up).await?;
    Ok(called.map_or_else(Called::NoResult, Called::Output))
}
