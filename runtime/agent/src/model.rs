//! How agents ask models: with retries, under limits, and every request in the journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_model::{
    Answer, AskError, AskErrorKind, Asked, Conversation, Model, Prices, REQUEST_TIME, ToolSpec,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::{Attempt, CallStatus, Cost, End, EndKind, Halt, ModelCall, Purpose};

/// Times and waits of requests that fail for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Tries of one request, the first among them.
    pub tries: u32,
    /// The wait after the first; each further one is twice as long. A random share of up to a
    /// half is taken off.
    pub first: Duration,
    /// The longest wait, also where the provider asks for more.
    pub longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            tries: 8,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(120),
        }
    }
}

/// What all attempts of an experiment share: the money, and the requests at the same time.
#[derive(Debug)]
pub struct Budget {
    calls: Semaphore,
    limit: Option<Cost>,
    spent: AtomicU64,
}

impl Budget {
    /// So many requests at the same time, so much money in all, and what of it is spent already.
    pub fn new(calls: usize, limit: Option<Cost>, spent: Cost) -> Self {
        Self {
            calls: Semaphore::new(calls.max(1)),
            limit,
            spent: AtomicU64::new(spent.nano_usd()),
        }
    }

    /// What was spent.
    pub fn spent(&self) -> Cost {
        Cost::from_nano_usd(self.spent.load(Ordering::Relaxed))
    }

    /// The limit, where it is reached.
    pub fn reached(&self) -> Option<Cost> {
        self.limit.filter(|limit| self.spent() >= *limit)
    }

    fn spend(&self, cost: Cost) {
        self.spent.fetch_add(cost.nano_usd(), Ordering::Relaxed);
    }
}

/// A model with everything that asking it needs.
#[derive(Clone)]
pub struct Asking {
    /// The model.
    pub model: Model,
    /// What it costs.
    pub prices: Arc<Prices>,
    /// What is shared with other attempts.
    pub budget: Arc<Budget>,
    /// What is done about errors that pass.
    pub retries: Retries,
    /// Tokens of a request from which on the conversation is replaced by a summary.
    pub compact_at: Option<u64>,
    /// The attempt's own number: draws the waits, and the sampling seed where one is wanted.
    pub seed: u64,
}

const COMPACTION: &str = "\
You take over the notes of an agent that works on a task through tools. Its conversation has grown \
too long to go on with. Write what it needs to go on without having seen it: what it was asked \
for and every condition it has to keep, what it has found out (exact names, paths, numbers and \
texts), what it has changed so far, and what is left to do. Be brief, but leave out no fact that \
the rest of the work needs. Call no tools.";

impl Asking {
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
                    return Err(overflow(&error));
                }
                self.compact(attempt, conversation).await?;
                attempt.check()?;
                match self
                    .ask(attempt, conversation, tools, Purpose::Turn)
                    .await?
                {
                    Ok(answer) => Ok(answer),
                    Err(error) => Err(overflow(&error)),
                }
            }
            Err(error) => Err(failed(&error)),
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
                self.compact(attempt, conversation).await
            }
            _ => Ok(()),
        }
    }

    async fn compact(
        &self,
        attempt: &mut Attempt<'_>,
        conversation: &mut Conversation,
    ) -> Result<(), Halt> {
        attempt.check()?;
        let history = conversation.to_json();
        let request = Conversation::new(COMPACTION, &history.to_string());
        let asked = self
            .ask(attempt, &request, &[], Purpose::Compaction)
            .await?;
        let summary = match asked {
            Ok(answer) => answer.text,
            Err(error) if error.kind == AskErrorKind::ContextOverflow => {
                return Err(overflow(&error));
            }
            Err(error) => return Err(failed(&error)),
        };
        conversation.keep_first(2);
        conversation.push_user(&format!(
            "The work so far was summed up, for the conversation had grown too long:\n\n{summary}\n\n\
             Go on from there."
        ));
        attempt.compacted(&json!({
            "request": { "system": COMPACTION, "messages": history },
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
            let (over, remaining) = (attempt.over(), attempt.remaining());
            let once = self.once(over, remaining, conversation, tools);
            let (asked, started_ms) = once.await?;
            let again = match &asked {
                Try::Over(_) => None,
                Try::Asked(asked) => asked
                    .result
                    .as_ref()
                    .err()
                    .filter(|error| error.kind.is_passing() && number < self.retries.tries)
                    .map(|error| self.wait(error, number, &mut waits)),
            };
            let call = self.call(
                attempt,
                purpose,
                number,
                started_ms,
                &asked,
                again.is_some(),
            );
            if let Some(cost) = call.cost {
                self.budget.spend(cost);
            }
            attempt.asked(&call)?;
            let asked = match asked {
                Try::Over(end) => return Err(Halt::End(end)),
                Try::Asked(asked) => asked,
            };
            let Some(wait) = again else {
                return Ok(asked.result);
            };
            let over = attempt.over();
            tokio::select! {
                end = over => return Err(Halt::End(end)),
                () = tokio::time::sleep(wait) => {}
            }
            number += 1;
        }
    }

    /// Makes one request, when there is room for it.
    async fn once(
        &self,
        over: impl Future<Output = End>,
        remaining: Duration,
        conversation: &Conversation,
        tools: &[ToolSpec],
    ) -> Result<(Try, i64), Halt> {
        tokio::pin!(over);
        let permit = tokio::select! {
            end = &mut over => return Err(Halt::End(end)),
            permit = self.budget.calls.acquire() => permit,
        };
        // The semaphore is never closed.
        let _permit = permit.map_err(|error| Halt::Host(error.to_string()))?;
        if let Some(limit) = self.budget.reached() {
            let detail = format!("the experiment's limit of {limit} is reached");
            return Err(Halt::End(End::with(EndKind::Cancelled, detail)));
        }
        let started_ms = now_ms();
        let seed = self.model.sampling_seed(self.seed);
        let time = REQUEST_TIME.min(remaining);
        let asked = tokio::select! {
            end = &mut over => Try::Over(end),
            asked = self.model.ask(conversation, tools, seed, time) => Try::Asked(Box::new(asked)),
        };
        Ok((asked, started_ms))
    }

    fn wait(&self, error: &AskError, number: u32, waits: &mut ChaCha20Rng) -> Duration {
        if let Some(wished) = error.retry_after {
            return wished.min(self.retries.longest);
        }
        let doubled = 2_u32.saturating_pow(number - 1);
        let wait = self.retries.first.saturating_mul(doubled);
        let share = f64::from(waits.next_u32()) / f64::from(u32::MAX);
        wait.min(self.retries.longest).mul_f64(1.0 - share / 2.0)
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

fn overflow(error: &AskError) -> Halt {
    Halt::End(End::with(EndKind::ContextOverflow, error.message.clone()))
}

fn failed(error: &AskError) -> Halt {
    let detail = format!("{}: {}", error.kind.as_str(), error.message);
    Halt::End(End::with(EndKind::ModelError, detail))
}

fn now_ms() -> i64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}
