//! Attempt of an agent on a task, with its limits.

use std::time::{Duration, Instant};

use mcpmark_service::{CallError, Calls, ToolClient, ToolOutput};
use tokio_util::sync::CancellationToken;

use crate::{
    CallStatus, Cost, End, EndKind, Event, ModelCall, RecordError, Recorder, Reply, ResultView,
    ToolCall, Usage,
};

/// Limits of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Maximum number of replies of the agent.
    pub turns: u32,
    /// Wall time of the whole attempt, without the time spent in [`stand_still`](Attempt::stand_still).
    pub time: Duration,
    /// Timeout of one tool call, in wall time.
    pub tool_call: Duration,
    /// Maximum number of tokens of all requests to the model.
    pub input_tokens: Option<u64>,
    /// Maximum number of tokens of all replies of the model.
    pub output_tokens: Option<u64>,
    /// Maximum cost of all requests and replies.
    pub cost: Option<Cost>,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self {
            turns: 100,
            time: Duration::from_secs(3600),
            tool_call: Duration::from_secs(60),
            input_tokens: None,
            output_tokens: None,
            cost: None,
        }
    }
}

/// Reason for which an attempt cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// End of the agent's part, such as a limit or a cancellation. Its [`EndKind`] determines whether the world is
    /// graded.
    #[error("{0}")]
    End(End),
    /// Failure to record an event.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Closed connection to the tool server.
    #[error("the tool server closed its connection")]
    ServerClosed,
    /// Request that could not be sent to a tool server.
    #[error("tool server: {0}")]
    ServerLost(String),
    /// Invalid agent, such as a solution that faults.
    #[error("{0}")]
    Invalid(String),
    /// Failure of the host while the agent acted.
    #[error("{0}")]
    Host(String),
}

/// Reason for which a tool call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoResult {
    /// Error of the call.
    #[error(transparent)]
    Failed(CallError),
    /// Cancellation of the call by the agent.
    #[error("the agent cancelled the call")]
    GivenUp,
    /// Cancellation of the attempt.
    #[error("the attempt was cancelled")]
    Cancelled,
}

/// Attempt from the view of its agent: instruction, tools and limits.
///
/// Every agent acts through [`reply`](Self::reply) and [`call`](Self::call), so that turns, limits and the trajectory
/// have the same meaning for all agents.
pub struct Attempt<'a> {
    instruction: &'a str,
    client: &'a ToolClient,
    limits: AttemptLimits,
    recorder: &'a mut dyn Recorder,
    cancel: CancellationToken,
    began: Instant,
    /// End of the wall time; `None` if the limit exceeds the range of [`Instant`].
    deadline: Option<Instant>,
    turns: u32,
    tool_calls: u32,
    usage: Usage,
    cost: Cost,
    answer: Option<String>,
    /// Session whose memory account is charged for the conversation.
    session: Option<Calls>,
}

/// Maximum memory of a conversation, in bytes: about a hundred times the context of a model.
const MAX_CONVERSATION_BYTES: u64 = 128 << 20;
/// Number of copies of a conversation in memory while it is sent: the conversation itself, its form for the library,
/// JSON values and text.
const COPIES: u64 = 4;

impl<'a> Attempt<'a> {
    /// Starts the clock and records the instruction.
    ///
    /// # Errors
    ///
    /// Returns an error if the recorder fails.
    pub fn start(
        instruction: &'a str,
        client: &'a ToolClient,
        limits: AttemptLimits,
        recorder: &'a mut dyn Recorder,
        cancel: CancellationToken,
    ) -> Result<Self, RecordError> {
        recorder.record(Event::Instruction(instruction))?;
        let began = Instant::now();
        Ok(Self {
            instruction,
            client,
            limits,
            recorder,
            cancel,
            began,
            deadline: began.checked_add(limits.time),
            turns: 0,
            tool_calls: 0,
            usage: Usage::default(),
            cost: Cost::ZERO,
            answer: None,
            session: None,
        })
    }

    /// Sets the session whose memory account is charged for the conversation, in addition to its calls.
    pub fn charge(&mut self, session: &Calls) {
        self.session = Some(session.clone());
    }

    /// Sets the memory of the conversation, in bytes.
    ///
    /// # Errors
    ///
    /// Returns the end of the attempt if the conversation exceeds its maximum size or the remaining memory budget of
    /// the process.
    pub fn hold(&mut self, bytes: u64) -> Result<(), Halt> {
        if bytes > MAX_CONVERSATION_BYTES {
            let detail = format!(
                "the conversation takes {bytes} bytes of memory, but the limit is {MAX_CONVERSATION_BYTES}"
            );
            return Err(Halt::End(End::with(EndKind::MemoryLimit, detail)));
        }
        let Some(session) = &self.session else {
            return Ok(());
        };
        session.hold(COPIES * bytes).map_err(|left| {
            let detail = format!(
                "the conversation needs {} bytes of memory, but only {left} are left of the limit of the process",
                COPIES * bytes
            );
            Halt::End(End::with(EndKind::MemoryLimit, detail))
        })
    }

    /// Returns the instruction of the task.
    pub fn instruction(&self) -> &'a str {
        self.instruction
    }

    /// Returns the client of the tools that the agent may call.
    pub fn client(&self) -> &'a ToolClient {
        self.client
    }

    /// Returns the limits of the attempt.
    pub fn limits(&self) -> &AttemptLimits {
        &self.limits
    }

    /// Returns the number of replies so far.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns the number of tool calls so far.
    pub fn tool_calls(&self) -> u32 {
        self.tool_calls
    }

    /// Returns the text of the last reply.
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// Checks that another turn may begin.
    ///
    /// # Errors
    ///
    /// Returns the end of the attempt if a limit is reached or the attempt was cancelled.
    pub fn check(&self) -> Result<(), Halt> {
        self.may_act()?;
        if self.turns >= self.limits.turns {
            return Err(Halt::End(End::with(
                EndKind::TurnLimit,
                format!("{} turns were used", self.limits.turns),
            )));
        }
        let over = |limit: Option<u64>, used| limit.filter(|limit| used >= *limit);
        let tokens = [
            (over(self.limits.input_tokens, self.usage.input), "input"),
            (over(self.limits.output_tokens, self.usage.output), "output"),
        ];
        for (limit, which) in tokens {
            if let Some(limit) = limit {
                let detail = format!("{limit} {which} tokens were used");
                return Err(Halt::End(End::with(EndKind::TokenLimit, detail)));
            }
        }
        if let Some(limit) = self.limits.cost.filter(|limit| self.cost >= *limit) {
            let detail = format!("{limit} were spent");
            return Err(Halt::End(End::with(EndKind::CostLimit, detail)));
        }
        Ok(())
    }

    /// Records the setup of the model in addition to the instruction: system prompt, tools and the view of results.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup cannot be recorded.
    pub fn setup(
        &mut self,
        system: &str,
        tools: &serde_json::Value,
        adapted: &[String],
        view: ResultView,
    ) -> Result<(), Halt> {
        let event = Event::Setup {
            system,
            tools,
            adapted,
            view,
        };
        Ok(self.recorder.record(event)?)
    }

    /// Records one request to the model, and counts its usage and cost.
    ///
    /// # Errors
    ///
    /// Returns an error if the request cannot be recorded.
    pub fn asked(&mut self, call: &ModelCall) -> Result<(), Halt> {
        self.recorder.record(Event::ModelCall(call))?;
        if call.status == CallStatus::Ok || call.usage.is_some() {
            self.usage += call.usage.unwrap_or_default();
            self.cost = self.cost.saturating_add(call.cost.unwrap_or_default());
        }
        Ok(())
    }

    /// Records the compaction of the conversation, which replaces it by a summary.
    ///
    /// # Errors
    ///
    /// Returns an error if the compaction cannot be recorded.
    pub fn compacted(&mut self, content: &serde_json::Value) -> Result<(), Halt> {
        let turn = self.turns + 1;
        Ok(self.recorder.record(Event::Compaction { turn, content })?)
    }

    /// Records a text for the model that is not a tool result.
    ///
    /// # Errors
    ///
    /// Returns an error if the text cannot be recorded.
    pub fn told(&mut self, text: &str) -> Result<(), Halt> {
        let turn = self.turns;
        Ok(self.recorder.record(Event::Told { turn, text })?)
    }

    /// Records a note of the host, which is not part of the conversation.
    ///
    /// # Errors
    ///
    /// Returns an error if the note cannot be recorded.
    pub fn note(&mut self, text: &str) -> Result<(), Halt> {
        let turn = self.turns;
        Ok(self.recorder.record(Event::Note { turn, text })?)
    }

    /// Counts and records a tool call that is refused, with the reason, which is its result for the agent.
    ///
    /// # Errors
    ///
    /// Returns an error if the attempt has ended or the call cannot be recorded.
    pub fn refuse(&mut self, call: &ToolCall, reason: &str) -> Result<(), Halt> {
        self.may_act()?;
        self.tool_calls += 1;
        let turn = self.turns;
        self.recorder.record(Event::CallStarted { turn, call })?;
        self.recorder.record(Event::CallEnded {
            turn,
            call,
            result: Err(reason),
            elapsed: Duration::ZERO,
        })?;
        Ok(())
    }

    /// Counts and records one turn.
    ///
    /// # Errors
    ///
    /// Returns an error if no further turn is allowed or the turn cannot be recorded.
    pub fn reply(&mut self, reply: &Reply) -> Result<(), Halt> {
        self.check()?;
        self.turns += 1;
        self.recorder.record(Event::Reply {
            turn: self.turns,
            reply,
        })?;
        self.answer = Some(reply.text.clone());
        Ok(())
    }

    /// Counts and records the last turn of an agent that ended by itself. The turn limit does not apply to it.
    ///
    /// # Errors
    ///
    /// Returns an error if the turn cannot be recorded.
    pub fn conclude(&mut self, text: String) -> Result<(), Halt> {
        self.turns += 1;
        let reply = Reply {
            text,
            ..Reply::default()
        };
        self.recorder.record(Event::Reply {
            turn: self.turns,
            reply: &reply,
        })?;
        self.answer = Some(reply.text);
        Ok(())
    }

    /// Runs one tool call of the current turn. The inner error is for the agent: the call has no result, and the
    /// attempt continues.
    ///
    /// # Errors
    ///
    /// Returns an error if the attempt has ended, its server is lost, or the call cannot be recorded.
    pub async fn call(&mut self, call: &ToolCall) -> Result<Result<ToolOutput, String>, Halt> {
        let called = self.call_while_wanted(call, std::future::pending()).await?;
        Ok(called.map_err(|error| error.to_string()))
    }

    /// Runs one tool call like [`call`](Self::call), and cancels it when `given_up` completes. The inner error contains
    /// the error of the server unchanged.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`call`](Self::call).
    pub async fn call_while_wanted(
        &mut self,
        call: &ToolCall,
        given_up: impl Future<Output = ()>,
    ) -> Result<Result<ToolOutput, NoResult>, Halt> {
        let remaining = self.may_act()?;
        self.tool_calls += 1;
        self.recorder.record(Event::CallStarted {
            turn: self.turns,
            call,
        })?;
        let started = Instant::now();
        let timeout = self.limits.tool_call.min(remaining);
        let called = tokio::select! {
            () = self.cancel.cancelled() => Err(Some(End::new(EndKind::Cancelled))),
            () = given_up => Err(None),
            called = self.client.call(&call.name, call.arguments.clone(), timeout) => Ok(called),
        };
        let elapsed = started.elapsed();
        let (result, halt) = match called {
            Ok(Ok(output)) => (Ok(output), None),
            Ok(Err(error)) => {
                let halt = match &error {
                    CallError::Closed => Some(Halt::ServerClosed),
                    CallError::Lost(_) | CallError::Gone { .. } => {
                        Some(Halt::ServerLost(error.to_string()))
                    }
                    CallError::Timeout { .. } if timeout == remaining => {
                        Some(Halt::End(self.out_of_time()))
                    }
                    _ => None,
                };
                (Err(NoResult::Failed(error)), halt)
            }
            Err(None) => (Err(NoResult::GivenUp), None),
            Err(Some(end)) => (Err(NoResult::Cancelled), Some(Halt::End(end))),
        };
        let told = match (&result, &halt) {
            (
                _,
                Some(
                    halt @ (Halt::ServerClosed
                    | Halt::End(End {
                        kind: EndKind::TimeLimit,
                        ..
                    })),
                ),
            ) => Err(halt.to_string()),
            (Err(error), _) => Err(error.to_string()),
            (Ok(output), _) => Ok(output),
        };
        self.recorder.record(Event::CallEnded {
            turn: self.turns,
            call,
            result: told.as_ref().map(|output| *output).map_err(String::as_str),
            elapsed,
        })?;
        match halt {
            Some(halt) => Err(halt),
            None => Ok(result),
        }
    }

    /// Waits for something outside the agent's control, and extends the deadline by the duration of the wait.
    ///
    /// # Errors
    ///
    /// Returns an error if the attempt is cancelled during the wait.
    pub async fn stand_still<T>(&mut self, waiting: impl Future<Output = T>) -> Result<T, Halt> {
        let began = Instant::now();
        let waited = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Halt::End(End::new(EndKind::Cancelled))),
            waited = waiting => Ok(waited),
        };
        self.deadline = self
            .deadline
            .and_then(|deadline| deadline.checked_add(began.elapsed()));
        waited
    }

    /// Returns the wall time since the start.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns the remaining wall time.
    pub fn remaining(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        })
    }

    /// Returns a future that completes when the attempt must end: at its time limit or when it is cancelled.
    ///
    /// The time limit is the current one: a later [`stand_still`](Self::stand_still) does not extend it.
    pub fn over(&self) -> impl Future<Output = End> + use<> {
        let (cancel, remaining, end) = (self.cancel.clone(), self.remaining(), self.out_of_time());
        async move {
            tokio::select! {
                () = cancel.cancelled() => End::new(EndKind::Cancelled),
                () = tokio::time::sleep(remaining) => end,
            }
        }
    }

    /// Returns the remaining time, or the end of the attempt if it was cancelled or no time is left.
    fn may_act(&self) -> Result<Duration, Halt> {
        if self.cancel.is_cancelled() {
            return Err(Halt::End(End::new(EndKind::Cancelled)));
        }
        let remaining = self.remaining();
        if remaining.is_zero() {
            return Err(Halt::End(self.out_of_time()));
        }
        Ok(remaining)
    }

    fn out_of_time(&self) -> End {
        End::with(
            EndKind::TimeLimit,
            format!("{} s were used", self.limits.time.as_secs()),
        )
    }
}
