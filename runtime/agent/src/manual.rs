//! Agent that a person or a program controls from outside, one tool call at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_service::{JsonObject, Tool, ToolOutput};
use tokio::sync::{mpsc, oneshot};

use crate::single_call::{Called, call_as_turn};
use crate::{Agent, Attempt, End, EndKind, Halt};

/// Step of a manual attempt.
#[derive(Debug)]
pub enum ManualStep {
    /// Tool call, which is a turn of its own. It is cancelled when the receiver of `result` is dropped.
    Call {
        /// Name of the tool.
        tool: String,
        /// Arguments of the call.
        arguments: JsonObject,
        /// Channel for the result. It is dropped if the attempt ends before the call begins.
        result: oneshot::Sender<ManualResult>,
    },
    /// End of the agent's part with its last message.
    Finish {
        /// Last message of the agent.
        answer: String,
    },
}

/// Result of a call of a manual attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum ManualResult {
    /// Result of the tool.
    Output(ToolOutput),
    /// There is no tool of this name. The call counts as a turn.
    UnknownTool,
    /// Reason for which the call has no result, such as its timeout. The attempt continues.
    NoResult(String),
    /// Reason for which the attempt has ended, such as a limit.
    Ended(String),
}

/// Controls of a manual attempt.
#[derive(Debug)]
pub struct ManualControls {
    /// Tools of the attempt, sent when the agent may act. The channel is closed if the attempt ends before that.
    pub tools: oneshot::Receiver<Vec<Tool>>,
    /// Channel for the steps. The attempt is cancelled when it is closed.
    pub steps: mpsc::Sender<ManualStep>,
}

/// Agent whose steps come through [`ManualControls`]. It serves one attempt.
#[derive(Debug)]
pub struct Manual {
    channels: Mutex<Option<Channels>>,
    idle: Duration,
}

/// Ends of the channels of [`ManualControls`].
#[derive(Debug)]
struct Channels {
    tools: oneshot::Sender<Vec<Tool>>,
    steps: mpsc::Receiver<ManualStep>,
}

impl Manual {
    /// Creates an agent and its controls. The attempt is cancelled after the time `idle` without a step.
    pub fn new(idle: Duration) -> (Self, ManualControls) {
        let (tools, listed) = oneshot::channel();
        let (sender, steps) = mpsc::channel(1);
        let channels = Channels { tools, steps };
        let manual = Self {
            channels: Mutex::new(Some(channels)),
            idle,
        };
        let controls = ManualControls {
            tools: listed,
            steps: sender,
        };
        (manual, controls)
    }
}

#[async_trait]
impl Agent for Arc<Manual> {
    fn name(&self) -> &'static str {
        "manual"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let channels = self
            .channels
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(Channels { tools, mut steps }) = channels else {
            return Err(Halt::Host(
                "the controls of the agent have already been used by another attempt".to_owned(),
            ));
        };
        // Without a receiver the controls are gone, and the next step is the end of the channel.
        let _ = tools.send(attempt.client().tools().to_vec());
        let over = attempt.over();
        tokio::pin!(over);
        loop {
            let step = tokio::select! {
                biased;
                end = &mut over => return Err(Halt::End(end)),
                step = steps.recv() => step,
                () = tokio::time::sleep(self.idle) => {
                    return Err(cancelled(format!("no call for {} s", self.idle.as_secs())));
                }
            };
            match step {
                // The caller no longer waits, so the call must have no effect.
                Some(ManualStep::Call { result, .. }) if result.is_closed() => {}
                Some(ManualStep::Call {
                    tool,
                    arguments,
                    result,
                }) => call(attempt, tool, arguments, result).await?,
                Some(ManualStep::Finish { answer }) => {
                    attempt.conclude(answer)?;
                    return Ok(End::new(EndKind::Completed));
                }
                None => return Err(cancelled("the controls of the agent are closed")),
            }
        }
    }
}

/// Makes a call and sends its result.
async fn call(
    attempt: &mut Attempt<'_>,
    tool: String,
    arguments: JsonObject,
    mut result: oneshot::Sender<ManualResult>,
) -> Result<(), Halt> {
    let called = call_as_turn(attempt, tool, arguments, result.closed()).await;
    let (answer, halt) = match called {
        Ok(Called::Output(output)) => (ManualResult::Output(output), None),
        Ok(Called::Refused(_)) => (ManualResult::UnknownTool, None),
        Ok(Called::NoResult(error)) => (ManualResult::NoResult(error.to_string()), None),
        Err(halt) => (ManualResult::Ended(halt.to_string()), Some(halt)),
    };
    // The receiver may have been dropped, which cancels the call.
    let _ = result.send(answer);
    halt.map_or(Ok(()), Err)
}

fn cancelled(detail: impl Into<String>) -> Halt {
    Halt::End(End::with(EndKind::Cancelled, detail))
}
