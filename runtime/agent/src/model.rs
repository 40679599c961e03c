//! Requests of agents to models, with retries and limits. Every request is recorded.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_model::{
    Answer, Conversation, Finish, Model, ModelExchange, Prices, REQUEST_TIME, RequestError,
    RequestErrorKind, ToolSpec, Transcript,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::json;

use crate::gate::Entered;
use crate::{
    Attempt, Budget, CallStatus, End, EndKind, Gate, Halt, ModelCall, Purpose, Reached, ResultView,
    Retries,
};

/// Model with the settings, limits and retry policy of its requests.
#[derive(Clone)]
pub struct Asking {
    /// Model that requests are sent to.
    pub model: Model,
    /// Prices of the model.
    pub prices: Arc<Prices>,
    /// System prompt that replaces the agent's default.
    pub system_prompt: Option<Arc<str>>,
    /// Budget of the experiment, shared with other attempts.
    pub budget: Arc<Budget>,
    /// Limits on concurrency and rate of requests to the model, shared with other attempts.
    pub gate: Arc<Gate>,
    /// Retry policy for temporary errors.
    pub retries: Retries,
    /// Number of tokens of a request with its reply from which on the conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// Maximum size of the text of one tool result, in bytes; `None` for no limit.
    pub max_result_bytes: Option<u64>,
    /// Number of the attempt, from which the random waits and, if configured, the sampling seed are derived.
    pub seed: u64,
}

/// Initial length of the conversation in the request for its summary.
enum Fits {
    /// Complete conversation.
    Whole,
    /// Half of the conversation, because all of it was too long for the model.
    Less,
}

/// Length of a request for a summary that every model should accept, in bytes. Shorter requests are not shortened
/// further.
const SHORTEST: usize = 4000;

const COMPACTION: &str = "\
You take over the notes of an agent that works on a task through tools. Its conversation has grown \
too long to go on with. Write what it needs to go on without having seen it: what it was asked \
for and every condition it has to keep, what it has found out (exact names, paths, numbers and \
texts), what it has changed so far, and what is left to do. Be brief, but leave out no fact that \
the rest of the work needs. Call no tools.";

impl Asking {
    /// Returns the view of tool results. The model is shown images if the agent can pass them on and the model takes
    /// them.
    pub(crate) fn view(&self, images: bool) -> ResultView {
        ResultView {
            max_bytes: self.max_result_bytes,
            images: images && self.model.takes_images(),
        }
    }

    /// Requests the next reply, with retries after temporary errors. If the conversation is too long for the model and
    /// compaction is enabled, it is replaced by a summary and the request is repeated.
    ///
    /// # Errors
    ///
    /// Returns the end of the attempt if one of its limits is reached, it is cancelled, or the request fails. Returns
    /// another error if a request cannot be recorded.
    pub(crate) async fn turn(
        &self,
        attempt: &mut Attempt<'_>,
        conversation: &mut Conversation,
        tools: &[ToolSpec],
    ) -> Result<Answer, Halt> {
        attempt.check()?;
        match self
            .ask(attempt, conversation, tools, Purpose::Turn)
            .await?
        {
            Ok(answer) => Ok(answer),
            Err(error) if error.kind == RequestErrorKind::ContextOverflow => {
                if self.compact_at.is_none() || conversation.len() <= 3 {
                    return Err(ended_by(&error, attempt));
                }
                self.compact(attempt, conversation, Fits::Less).await?;
                attempt.check()?;
                self.ask(attempt, conversation, tools, Purpose::Turn)
                    .await?
                    .map_err(|error| ended_by(&error, attempt))
            }
            Err(error) => Err(ended_by(&error, attempt)),
        }
    }

    /// Replaces the conversation by a summary if its number of tokens has reached the threshold.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`turn`](Self::turn).
    pub(crate) async fn compact_if_long(
        &self,
        attempt: &mut Attempt<'_>,
        conversation: &mut Conversation,
        last: &Answer,
    ) -> Result<(), Halt> {
        let used = last.usage.map(|usage| usage.input + usage.output);
        match (self.compact_at, used) {
            (Some(threshold), Some(used)) if used >= threshold => {
                self.compact(attempt, conversation, Fits::Whole).await
            }
            _ => Ok(()),
        }
    }

    async fn compact(
        &self,
        attempt: &mut Attempt<'_>,
        conversation: &mut Conversation,
        fits: Fits,
    ) -> Result<(), Halt> {
        let history = conversation.to_json();
        let transcript = Transcript::of(conversation);
        let mut length = match fits {
            Fits::Whole => transcript.len(),
            Fits::Less => transcript.len() / 2,
        };
        let (text, answer) = loop {
            attempt.check()?;
            let text = transcript.cut_to(length);
            let request = Conversation::new(COMPACTION, &text);
            let asked = self
                .ask(attempt, &request, &[], Purpose::Compaction)
                .await?;
            match asked {
                Ok(answer) => break (text, answer),
                // Providers do not state the maximum number of tokens in a reliable form.
                Err(error)
                    if error.kind == RequestErrorKind::ContextOverflow && text.len() > SHORTEST =>
                {
                    length = text.len().min(length) / 2;
                }
                Err(error) => return Err(ended_by(&error, attempt)),
            }
        };
        let summary = answer.text.trim();
        // A reply without a usable summary is a failure of the model and not of the host, so the attempt is graded.
        let without_summary = match &answer.finish {
            Finish::Refused(reason) => Some(format!(
                "the summary of the conversation was refused: {reason}"
            )),
            _ if summary.is_empty() => Some("the summary of the conversation is empty".to_owned()),
            _ => None,
        };
        if let Some(detail) = without_summary {
            return Err(Halt::End(End::with(EndKind::ContextOverflow, detail)));
        }
        conversation.keep_first(2);
        conversation.push_user(&format!(
            "The work so far was summed up, for the conversation had grown too long:\n\n{summary}\n\n\
             Go on from there."
        ));
        attempt.compacted(&json!({
            "request": { "system": COMPACTION, "text": text },
            "history": history,
            "summary": summary,
            "kept": conversation.to_json(),
        }))
    }

    async fn ask(
        &self,
        attempt: &mut Attempt<'_>,
        conversation: &Conversation,
        tools: &[ToolSpec],
        purpose: Purpose,
    ) -> Result<Result<Answer, RequestError>, Halt> {
        let mut waits = ChaCha20Rng::seed_from_u64(self.seed ^ u64::from(attempt.turns()));
        let mut number = 1;
        loop {
            let permit = self.queue(attempt).await?;
            let (over, remaining) = (attempt.over(), attempt.remaining());
            let (asked, started_ms) = self.once(over, remaining, conversation, tools).await;
            drop(permit);
            let again = match &asked {
                Try::Over(_) => None,
                Try::Asked(asked) => asked
                    .result
                    .as_ref()
                    .err()
                    .filter(|error| error.kind.is_passing() && number < self.retries.tries)
                    .map(|error| self.retries.wait(error, number, &mut waits))
                    .filter(|wait| *wait < attempt.remaining()),
            };
            let call = self.call(
                attempt,
                purpose,
                number,
                started_ms,
                &asked,
                again.is_some(),
            );
            if let Some(usage) = call.usage {
                self.budget.spend(usage, call.cost);
            }
            attempt.asked(&call)?;
            let asked = match asked {
                // It is unknown what the agent would have done with the time that errors took, so the attempt is not
                // graded.
                Try::Over(end) if end.kind == EndKind::TimeLimit && number > 1 => {
                    let detail = format!("the time ran out at try {number} of a request: {end}");
                    return Err(Halt::End(End::with(EndKind::ModelError, detail)));
                }
                Try::Over(end) => return Err(Halt::End(end)),
                Try::Asked(asked) => asked,
            };
            if asked.result.is_ok() && call.usage.is_none() {
                self.must_know_usage(attempt)?;
            }
            let Some(wait) = again else {
                return Ok(asked.result);
            };
            attempt.stand_still(tokio::time::sleep(wait)).await?;
            number += 1;
        }
    }

    /// Waits for the permits of a request. The wait does not count towards the time limit of the attempt.
    async fn queue(&self, attempt: &mut Attempt<'_>) -> Result<Entered<'_>, Halt> {
        let waiting = async {
            tokio::select! {
                reached = self.budget.out_of_time() => Err(reached),
                entered = self.gate.enter(&self.budget.calls) => Ok(entered),
            }
        };
        let entered = match attempt.stand_still(waiting).await? {
            // The semaphores are never closed.
            Ok(entered) => entered.map_err(|error| Halt::Host(error.to_string()))?,
            Err(reached) => return Err(cancelled_by(reached)),
        };
        match self.budget.reached() {
            Some(reached) => Err(cancelled_by(reached)),
            None => Ok(entered),
        }
    }

    /// Sends one request. Also returns its start, in milliseconds since 1970-01-01T00:00:00Z.
    async fn once(
        &self,
        over: impl Future<Output = End>,
        remaining: Duration,
        conversation: &Conversation,
        tools: &[ToolSpec],
    ) -> (Try, i64) {
        let started_ms = now_ms();
        let seed = self.model.sampling_seed(self.seed);
        // Slightly longer than the remaining time, so that `over` ends the attempt before the timeout of the request.
        let time = REQUEST_TIME.min(remaining.saturating_add(Duration::from_secs(5)));
        let asked = tokio::select! {
            end = over => Try::Over(end),
            reached = self.budget.out_of_time() => {
                Try::Over(End::with(EndKind::Cancelled, reached.to_string()))
            }
            asked = self.model.ask(conversation, tools, seed, time) => Try::Asked(Box::new(asked)),
        };
        (asked, started_ms)
    }

    /// Returns an error if there is a limit on tokens or cost. It could not be enforced, because the provider does not
    /// report usage.
    fn must_know_usage(&self, attempt: &Attempt<'_>) -> Result<(), Halt> {
        let limits = attempt.limits();
        let of_attempt = limits.input_tokens.is_some()
            || limits.output_tokens.is_some()
            || limits.cost.is_some();
        if !of_attempt && !self.budget.counts_usage() {
            return Ok(());
        }
        let detail = "the reply does not report its token usage, so limits on tokens and cost cannot be enforced";
        Err(Halt::End(End::with(EndKind::ModelError, detail)))
    }

    fn call(
        &self,
        attempt: &Attempt<'_>,
        purpose: Purpose,
        try_number: u32,
        started_ms: i64,
        asked: &Try,
        again: bool,
    ) -> ModelCall {
        let empty = ModelCall {
            turn: attempt.turns() + 1,
            purpose,
            try_number,
            started_ms,
            elapsed: Duration::ZERO,
            status: CallStatus::Failed,
            error: None,
            request_digest: None,
            raw: None,
            usage: None,
            cost: None,
        };
        let asked = match asked {
            Try::Over(end) => {
                return ModelCall {
                    elapsed: Duration::from_millis(now_ms().saturating_sub(started_ms) as u64),
                    error: Some(("cut-off", format!("the attempt ended first: {end}"))),
                    ..empty
                };
            }
            Try::Asked(asked) => asked,
        };
        let (status, error, usage) = match &asked.result {
            Ok(answer) => (CallStatus::Ok, None, answer.usage),
            Err(error) => {
                let status = if again {
                    CallStatus::Retry
                } else {
                    CallStatus::Failed
                };
                (
                    status,
                    Some((error.kind.as_str(), error.message.clone())),
                    None,
                )
            }
        };
        ModelCall {
            elapsed: asked.elapsed,
            status,
            error,
            request_digest: asked.request_digest.clone(),
            raw: asked.raw.clone(),
            usage,
            cost: usage.and_then(|usage| self.prices.cost(self.model.name(), usage)),
            ..empty
        }
    }
}

/// Result of one request, or the end of the attempt if that came first.
enum Try {
    Asked(Box<ModelExchange>),
    Over(End),
}

/// Returns the end of the attempt that an error causes.
///
/// The agent is responsible for a conversation that does not fit the model, for a reply that is too long, and for a
/// conversation that the provider refuses after it accepted an earlier part. These attempts are graded. Otherwise an
/// agent could void its grade, for example with a file that is not an image, or with a call of a tool whose name no
/// provider accepts.
fn ended_by(error: &RequestError, attempt: &Attempt<'_>) -> Halt {
    Halt::End(match error.kind {
        RequestErrorKind::BadRequest if attempt.turns() > 0 => {
            let detail = format!("the provider refuses the conversation: {}", error.message);
            End::with(EndKind::ContextOverflow, detail)
        }
        RequestErrorKind::ReplyTooLong => End::with(EndKind::MemoryLimit, error.message.clone()),
        RequestErrorKind::ContextOverflow => {
            End::with(EndKind::ContextOverflow, error.message.clone())
        }
        kind => {
            let detail = match error.retry_after {
                Some(wait) if kind.is_passing() => format!(
                    "{}: {} (the provider requests a wait of {} s)",
                    kind.as_str(),
                    error.message,
                    wait.as_secs_f64().ceil()
                ),
                _ => format!("{}: {}", kind.as_str(), error.message),
            };
            End::with(EndKind::ModelError, detail)
        }
    })
}

fn cancelled_by(reached: Reached) -> Halt {
    Halt::End(End::with(EndKind::Cancelled, reached.to_string()))
}

fn now_ms() -> i64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}
