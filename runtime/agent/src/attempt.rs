use std::time::{Duration, Instant};

use mcpmark_service::{CallError, Calls, ToolClient, ToolOutput};
use tokio_util::sync::CancellationToken;

use crate::{
    CallStatus, Cost, End, EndKind, Event, ModelCall, RecordError, Recorder, Reply, ResultView,
    ToolCall, Usage,
};

/// What an agent may use in one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Replies of the agent.
    pub turns: u32,
    /// Wall time of the whole attempt, but for what it [stands still](Attempt::stand_still).
    pub time: Duration,
    /// Wall time of one tool call.
    pub tool_call: Duration,
    /// Tokens of all requests to the model.
    pub input_tokens: Option<u64>,
    /// Tokens of all its replies.
    pub output_tokens: Option<u64>,
    /// What all of that may cost.
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

/// Why an attempt goes no further.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// A limit was reached or somebody stopped it. The world is graded all the same.
    #[error("{0}")]
    End(End),
    /// What happens can no longer be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The service has gone.
    #[error("the tool server closed its connection")]
    ServerClosed,
    /// A server can no longer be reached.
    #[error("a tool server: {0}")]
    ServerLost(String),
    /// What acts is itself not valid: a task's solution that faults.
    #[error("{0}")]
    Invalid(String),
    /// The host failed while the agent acted.
    #[error("{0}")]
    Host(String),
}

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoResult {
    /// It failed.
    #[error(transparent)]
    Failed(CallError),
    /// The agent no longer waits for it.
    #[error("the agent cancelled the call")]
    GivenUp,
    /// The attempt was cancelled.
    #[error("the attempt was cancelled")]
    Cancelled,
}

/// One attempt as its agent sees it: the instruction, the tools, and the limits.
///
/// Every agent, whether model, solution or none, acts through [`reply`](Self::reply)
/// and [`call`](Self::call), so that turns, limits and the trajectory mean the same.
pub struct Attempt<'a> {
    instruction: &'a str,
    client: &'a ToolClient,
    limits: AttemptLimits,
    recorder: &'a mut dyn Recorder,
    cancel: CancellationToken,
    began: Instant,
    /// None where the limit is past what the clock can count.
    deadline: Option<Instant>,
    turns: u32,
    tool_calls: u32,
    usage: Usage,
    cost: Cost,
    answer: Option<String>,
    /// The session whose memory the conversation counts for.
    session: Option<Calls>,
}

/// The most memory of a conversation in bytes: some hundred times what a model can read.
const MAX_CONVERSATION_BYTES: u64 = 128 << 20;
/// How often a conversation is in memory while it is sent: as it is kept, for the library, as values and as text.
const COPIES: u64 = 4;

impl<'a> Attempt<'a> {
    /// Starts the clock and records the instruction.
    ///
    /// # Errors
    ///
    /// When the recorder fails.
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

    /// Counts what the agent keeps for the memory of a session, beside that of its calls.
    pub fn charge(&mut self, session: &Calls) {
        self.session = Some(session.clone());
    }

    /// Sets the memory of the conversation.
    ///
    /// # Errors
    ///
    /// The end of the attempt, where it is more than a conversation may have or the process has left.
    pub fn hold(&mut self, bytes: u64) -> Result<(), Halt> {
        if bytes > MAX_CONVERSATION_BYTES {
            let detail = format!(
                "the conversation takes {bytes} bytes of memory, and may take {MAX_CONVERSATION_BYTES}"
            );
            return Err(Halt::End(End::with(EndKind::MemoryLimit, detail)));
        }
        let Some(session) = &self.session else {
            return Ok(());
        };
        session.hold(COPIES * bytes).map_err(|left| {
            let detail = format!(
                "the conversation needs {} bytes of memory, and {left} are left of what the process may use",
                COPIES * bytes
            );
            Halt::End(End::with(EndKind::MemoryLimit, detail))
        })
    }

    /// What the agent is asked to do.
    pub fn instruction(&self) -> &'a str {
        self.instruction
    }

    /// The tools that it may call.
    pub fn client(&self) -> &'a ToolClient {
        self.client
    }

    /// The limits that hold.
    pub fn limits(&self) -> &AttemptLimits {
        &self.limits
    }

    /// Replies so far.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Tool calls so far.
    pub fn tool_calls(&self) -> u32 {
        self.tool_calls
    }

    /// The text of the last reply.
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// Says whether another turn may begin.
    ///
    /// # Errors
    ///
    /// The end of the attempt, where one has come.
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

    /// Records what the model is told beside the instruction.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
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

    /// Counts and records one request to the model.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
    pub fn asked(&mut self, call: &ModelCall) -> Result<(), Halt> {
        self.recorder.record(Event::ModelCall(call))?;
        if call.status == CallStatus::Ok || call.usage.is_some() {
            self.usage += call.usage.unwrap_or_default();
            self.cost = self.cost.saturating_add(call.cost.unwrap_or_default());
        }
        Ok(())
    }

    /// Records that a summary takes the place of the conversation.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
    pub fn compacted(&mut self, content: &serde_json::Value) -> Result<(), Halt> {
        let turn = self.turns + 1;
        Ok(self.recorder.record(Event::Compaction { turn, content })?)
    }

    /// Records something that the model is told and that is no result of a tool.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
    pub fn told(&mut self, text: &str) -> Result<(), Halt> {
        let turn = self.turns;
        Ok(self.recorder.record(Event::Told { turn, text })?)
    }

    /// Records something that happened and is neither said nor done by the agent.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
    pub fn note(&mut self, text: &str) -> Result<(), Halt> {
        let turn = self.turns;
        Ok(self.recorder.record(Event::Note { turn, text })?)
    }

    /// Counts and records a call that cannot be made, and what the agent is told instead.
    ///
    /// # Errors
    ///
    /// When the attempt has ended, or it cannot be recorded.
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
    /// When no further turn is allowed, or it cannot be recorded.
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

    /// Counts and records the last turn of an agent that ended by itself, which no limit on turns forbids.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
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

    /// Runs one tool call of the current turn. The inner error is for the agent: the
    /// call has no result, and the attempt goes on.
    ///
    /// # Errors
    ///
    /// When the attempt has ended, its server is lost, or the call cannot be recorded.
    pub async fn call(&mut self, call: &ToolCall) -> Result<Result<ToolOutput, String>, Halt> {
        let called = self.call_while_wanted(call, std::future::pending()).await?;
        Ok(called.map_err(|error| error.to_string()))
    }

    /// As [`call`](Self::call), for an agent that may give the call up: it is cancelled when `given_up` comes back. The
    /// inner error is as the server sent it.
    ///
    /// # Errors
    ///
    /// As there.
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
                    CallError::Lost(_) => Some(Halt::ServerLost(error.to_string())),
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

    /// Waits for something that the agent has no part in. Its deadline moves by as long as that
    /// takes.
    ///
    /// # Errors
    ///
    /// When somebody stops the attempt meanwhile.
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

    /// Wall time since the start.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Wall time that is left.
    pub fn remaining(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        })
    }

    /// Comes back when the attempt has to end, whatever the agent does: at its time limit or
    /// when somebody stops it.
    pub fn over(&self) -> impl Future<Output = End> + use<> {
        let (cancel, remaining, end) = (self.cancel.clone(), self.remaining(), self.out_of_time());
        async move {
            tokio::select! {
                () = cancel.cancelled() => End::new(EndKind::Cancelled),
                () = tokio::time::sleep(remaining) => end,
            }
        }
    }

    /// The time that is left, where any is and nobody has stopped the attempt.
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
