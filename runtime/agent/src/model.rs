//! How agents ask models: with retries, under limits, and every request in the journal.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_model::{
    Answer, AskError, AskErrorKind, Asked, Conversation, Finish, Model, Prices, REQUEST_TIME,
    ToolSpec, Transcript,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::json;

use crate::gate::Entered;
use crate::{
    Attempt, Budget, CallStatus, End, EndKind, Gate, Halt, ModelCall, Purpose, Reached, ResultView,
    Retries,
};

/// A model with everything that asking it needs.
#[derive(Clone)]
pub struct Asking {
    /// The model.
    pub model: Model,
    /// What it costs.
    pub prices: Arc<Prices>,
    /// The system prompt that replaces the agent's own.
    pub system_prompt: Option<Arc<str>>,
    /// What is shared with other attempts.
    pub budget: Arc<Budget>,
    /// The rate limit of requests to the model, shared with other attempts.
    pub gate: Arc<Gate>,
    /// What is done about errors that pass.
    pub retries: Retries,
    /// Tokens of a request from which on the conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// The most bytes of text of one tool result that the model is shown; no limit if not set.
    pub max_result_bytes: Option<u64>,
    /// The attempt's own number: draws the waits, and the sampling seed where one is wanted.
    pub seed: u64,
}

/// How much of a conversation the request for its summary may hold at first.
enum Fits {
    /// All of it, as far as is known.
    Whole,
    /// Less: it was too long for the model.
    Less,
}

/// The length of a request for a summary, in bytes, that a model should always take.
const SHORTEST: usize = 4000;

const COMPACTION: &str = "\
You take over the notes of an agent that works on a task through tools. Its conversation has grown \
too long to go on with. Write what it needs to go on without having seen it: what it was asked \
for and every condition it has to keep, what it has found out (exact names, paths, numbers and \
texts), what it has changed so far, and what is left to do. Be brief, but leave out no fact that \
the rest of the work needs. Call no tools.";

impl Asking {
    /// How results are shown, with images where the agent can pass them on and the model takes them.
    pub(crate) fn view(&self, images: bool) -> ResultView {
        ResultView {
            max_bytes: self.max_result_bytes,
            images: images && self.model.takes_images(),
        }
    }

    /// Asks for the next reply, again where an error may pass.
    ///
    /// # Errors
    ///
    /// The end of the attempt, where one has come, or that the model cannot be asked.
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
            Err(error) if error.kind == AskErrorKind::ContextOverflow => {
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

    /// Replaces a conversation that has come to its threshold by a summary.
    ///
    /// # Errors
    ///
    /// As of [`turn`](Self::turn).
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
                // How many tokens fit is not said in a form to rely on.
                Err(error)
                    if error.kind == AskErrorKind::ContextOverflow && text.len() > SHORTEST =>
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
    ) -> Result<Result<Answer, AskError>, Halt> {
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
                // Nobody knows what the agent would have done with the time that errors took.
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

    /// Waits for room for a request. That takes none of the attempt's own time.
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

    /// Makes one request.
    async fn once(
        &self,
        over: impl Future<Output = End>,
        remaining: Duration,
        conversation: &Conversation,
        tools: &[ToolSpec],
    ) -> (Try, i64) {
        let started_ms = now_ms();
        let seed = self.model.sampling_seed(self.seed);
        // A little longer than the attempt: at its end it is `over` that says so.
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

    /// A limit on what nobody counts would never hold.
    fn must_know_usage(&self, attempt: &Attempt<'_>) -> Result<(), Halt> {
        let limits = attempt.limits();
        let of_attempt = limits.input_tokens.is_some()
            || limits.output_tokens.is_some()
            || limits.cost.is_some();
        if !of_attempt && !self.budget.counts_usage() {
            return Ok(());
        }
        let detail = "the reply does not say how many tokens it took, so no limit on tokens or cost can hold";
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

/// What one request came to: a reply or an error, or that the attempt ended before.
enum Try {
    Asked(Box<Asked>),
    Over(End),
}

/// The end that an error is. A conversation that does not fit and a reply that is too long are the agent's own doing,
/// and so is a conversation that the provider refuses after it took an earlier part of it: an agent could otherwise void
/// its grade by a file that is no image, or by a call of a tool whose name no provider takes back.
fn ended_by(error: &AskError, attempt: &Attempt<'_>) -> Halt {
    Halt::End(match error.kind {
        AskErrorKind::BadRequest if attempt.turns() > 0 => {
            let detail = format!("the provider refuses the conversation: {}", error.message);
            End::with(EndKind::ContextOverflow, detail)
        }
        AskErrorKind::ReplyTooLong => End::with(EndKind::MemoryLimit, error.message.clone()),
        AskErrorKind::ContextOverflow => End::with(EndKind::ContextOverflow, error.message.clone()),
        kind => {
            let detail = match error.retry_after {
                Some(wait) if kind.is_passing() => format!(
                    "{}: {} (it wants to be left alone for {} s)",
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
