//! The agent `oracle`, which plays the solution of a task: a guest that acts.

use async_trait::async_trait;
use mcpmark_agent::{Agent, Attempt, End, EndKind, Halt, Reply, ToolCall};
use mcpmark_sandbox::{
    Limits, RunError, Sandbox, Solution, Solved, ToolContent, ToolError, ToolHost, ToolInfo,
    ToolOutput,
};
use mcpmark_service::Content;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

/// Tool calls of an oracle in addition to those of its solution. The solution does not get their results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtraCalls {
    /// Calls before the first call of the solution. Their ids are replaced.
    pub before: Vec<ToolCall>,
    /// Calls after the last call of the solution. Their ids are replaced.
    pub after: Vec<ToolCall>,
    /// Set to make each call a second time if it succeeded, and its tool is declared as read-only or idempotent or the
    /// call is one of `repeatable`.
    pub repeat: bool,
    /// Calls that can be repeated although their tools do not declare it. Their ids do not matter.
    pub repeatable: Vec<ToolCall>,
}

/// Agent that plays the solution of a task. Each tool call is a turn, and so is the last message.
#[derive(Clone)]
pub struct Oracle {
    sandbox: Sandbox,
    solution: Solution,
    parameters: String,
    extra: ExtraCalls,
    most_calls: Option<u32>,
}

impl Oracle {
    /// Creates an oracle for one task.
    pub fn new(sandbox: Sandbox, solution: Solution, parameters: String) -> Self {
        Self {
            sandbox,
            solution,
            parameters,
            extra: ExtraCalls::default(),
            most_calls: None,
        }
    }

    /// Sets calls that are made in addition to those of the solution.
    #[must_use]
    pub fn with_extra_calls(self, extra: ExtraCalls) -> Self {
        Self { extra, ..self }
    }

    /// Stops the solution before its call number `calls + 1`. The attempt then ends as completed, without an answer.
    #[must_use]
    pub fn with_most_calls(self, calls: u32) -> Self {
        Self {
            most_calls: Some(calls),
            ..self
        }
    }
}

#[async_trait]
impl Agent for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        for call in &self.extra.before {
            // A call that fails is as harmless as one that succeeds.
            let _ = play(attempt, call.clone()).await?;
        }
        let (requests, mut incoming) = mpsc::channel(1);
        let bridge = Bridge {
            tools: tool_infos(attempt),
            requests,
        };
        let Self {
            sandbox,
            solution,
            parameters,
            extra,
            most_calls,
        } = self.clone();
        let limits = Limits {
            time_ms: u64::try_from(attempt.remaining().as_millis()).unwrap_or(u64::MAX),
            ..Limits::SOLUTION
        };
        let played = tokio::task::spawn_blocking(move || {
            sandbox
                .solve(&solution, Box::new(bridge), parameters, &limits)
                .result
        });
        let over = attempt.over();
        tokio::pin!(over);
        let mut halt = None;
        let mut is_cut = false;
        loop {
            let request = tokio::select! {
                // A guest that is still computing runs until its fuel or time is used up, or until its next call, which
                // fails.
                end = &mut over => return Err(Halt::End(end)),
                request = incoming.recv() => request,
            };
            let Some(Request { call, result }) = request else {
                break;
            };
            if most_calls.is_some_and(|most| attempt.tool_calls() >= most) {
                is_cut = true;
                let stop = ToolError::Stop("the solution may make no further call".to_owned());
                // As below, the guest may have ended.
                let _ = result.send(Err(stop));
                continue;
            }
            let again = (extra.repeat && is_repeatable(attempt, &extra.repeatable, &call))
                .then(|| call.clone());
            let answer = match play_again(attempt, call, again).await {
                Ok(answer) => answer.map_err(ToolError::Failed),
                Err(reason) => {
                    let message = reason.to_string();
                    halt = Some(reason);
                    Err(ToolError::Stop(message))
                }
            };
            // The guest waits for the answer. If it has ended, its result is in `played`.
            let _ = result.send(answer);
        }
        let played = played.await;
        if let Some(halt) = halt {
            return Err(halt);
        }
        if is_cut {
            return Ok(End::new(EndKind::Completed));
        }
        match played {
            Ok(Ok(Solved::Answer(text))) => {
                for call in extra.after {
                    let _ = play(attempt, call).await?;
                }
                attempt.reply(&Reply {
                    text,
                    ..Reply::default()
                })?;
                Ok(End::new(EndKind::Completed))
            }
            Ok(Err(RunError::Fault(fault))) => {
                Err(Halt::Invalid(format!("the solution faulted: {fault}")))
            }
            Ok(Err(RunError::World(message))) => Err(Halt::Invalid(message)),
            Ok(Ok(Solved::Stopped(message)) | Err(RunError::Host(message))) => {
                Err(Halt::Host(message))
            }
            Err(panic) => Err(Halt::Host(panic.to_string())),
        }
    }
}

async fn play(
    attempt: &mut Attempt<'_>,
    call: ToolCall,
) -> Result<Result<ToolOutput, String>, Halt> {
    let call = ToolCall {
        id: format!("call-{}", attempt.tool_calls() + 1),
        ..call
    };
    let reply = Reply {
        calls: vec![call],
        ..Reply::default()
    };
    attempt.reply(&reply)?;
    Ok(attempt.call(&reply.calls[0]).await?.map(convert))
}

/// Makes a call, and if it succeeded the call `again`. Returns the result of the first one.
async fn play_again(
    attempt: &mut Attempt<'_>,
    call: ToolCall,
    again: Option<ToolCall>,
) -> Result<Result<ToolOutput, String>, Halt> {
    let result = play(attempt, call).await?;
    let succeeded = matches!(&result, Ok(output) if !output.is_error);
    if let Some(again) = again.filter(|_| succeeded) {
        let _ = play(attempt, again).await?;
    }
    Ok(result)
}

/// Reports whether a call is one of `repeatable`, or its tool is declared as read-only or idempotent.
fn is_repeatable(attempt: &Attempt<'_>, repeatable: &[ToolCall], call: &ToolCall) -> bool {
    let is_same = |it: &ToolCall| it.name == call.name && it.arguments == call.arguments;
    if repeatable.iter().any(is_same) {
        return true;
    }
    let mut tools = attempt.client().tools().iter();
    let tool = tools.find(|tool| tool.name == call.name);
    let hints = tool.and_then(|tool| tool.annotations.as_ref());
    hints.is_some_and(|hints| {
        hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true)
    })
}

/// Tool host that sends the calls of a guest from its thread to the attempt.
struct Bridge {
    tools: Vec<ToolInfo>,
    requests: mpsc::Sender<Request>,
}

struct Request {
    call: ToolCall,
    result: oneshot::Sender<Result<ToolOutput, ToolError>>,
}

impl ToolHost for Bridge {
    fn list(&mut self) -> Vec<ToolInfo> {
        self.tools.clone()
    }

    fn call(&mut self, name: &str, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let gone = || ToolError::Stop("the attempt has ended".into());
        let call = ToolCall {
            name: name.to_owned(),
            arguments,
            ..ToolCall::default()
        };
        let (result, answer) = oneshot::channel();
        self.requests
            .blocking_send(Request { call, result })
            .map_err(|_| gone())?;
        answer.blocking_recv().map_err(|_| gone())?
    }
}

fn tool_infos(attempt: &Attempt<'_>) -> Vec<ToolInfo> {
    let tools = attempt.client().tools().iter();
    tools
        .map(|tool| ToolInfo {
            name: tool.name.to_string(),
            description: tool.description.as_deref().unwrap_or_default().to_owned(),
            input_schema: Value::Object((*tool.input_schema).clone()),
        })
        .collect()
}

fn convert(output: mcpmark_service::ToolOutput) -> ToolOutput {
    let content = output
        .content
        .into_iter()
        .map(|content| match content {
            Content::Text { text } => ToolContent::Text(text),
            Content::Image { mime_type, data } => ToolContent::Image(mime_type, data),
            Content::Audio { mime_type, data } => ToolContent::Audio(mime_type, data),
            Content::Other(value) => ToolContent::Other(value),
        })
        .collect();
    ToolOutput {
        content,
        structured: output.structured,
        is_error: output.is_error,
    }
}
