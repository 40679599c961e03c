use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mcpmark_model::{Cost, Usage};
use tokio::sync::Semaphore;

/// What all attempts of an experiment may use together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// What their requests may cost.
    pub cost: Option<Cost>,
    /// Tokens of their requests and replies.
    pub tokens: Option<u64>,
    /// Wall time of one run.
    pub time: Option<Duration>,
}

/// What an experiment has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// What its requests cost.
    pub cost: Cost,
    /// Tokens of its requests and replies.
    pub tokens: u64,
}

/// A limit of an experiment that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// That of its cost.
    Cost(Cost),
    /// That of its tokens.
    Tokens(u64),
    /// That of its wall time.
    Time(Duration),
}

/// What all attempts of an experiment share: what they may use, and the requests at the same time.
#[derive(Debug)]
pub struct Budget {
    pub(crate) calls: Semaphore,
    allowance: Allowance,
    began: Instant,
    cost: AtomicU64,
    tokens: AtomicU64,
}

impl Budget {
    /// So many requests at the same time, what may be used in all, and what of it was used before.
    /// The time counts from here.
    pub fn new(calls: usize, allowance: Allowance, spent: Spent) -> Self {
        Self {
            calls: Semaphore::new(calls.max(1)),
            allowance,
            began: Instant::now(),
            cost: AtomicU64::new(spent.cost.nano_usd()),
            tokens: AtomicU64::new(spent.tokens),
        }
    }

    /// What was used.
    pub fn spent(&self) -> Spent {
        Spent {
            cost: Cost::from_nano_usd(self.cost.load(Ordering::Relaxed)),
            tokens: self.tokens.load(Ordering::Relaxed),
        }
    }

    /// A limit that is reached.
    pub fn reached(&self) -> Option<Reached> {
        let (Allowance { cost, tokens, time }, spent) = (self.allowance, self.spent());
        let cost = cost.filter(|limit| spent.cost >= *limit);
        let tokens = tokens.filter(|limit| spent.tokens >= *limit);
        let time = time.filter(|limit| self.began.elapsed() >= *limit);
        cost.map(Reached::Cost)
            .or(tokens.map(Reached::Tokens))
            .or(time.map(Reached::Time))
    }

    /// Comes back when the time is over.
    pub(crate) async fn out_of_time(&self) -> Reached {
        match self.allowance.time {
            Some(time) => {
                tokio::time::sleep(time.saturating_sub(self.began.elapsed())).await;
                Reached::Time(time)
            }
            None => std::future::pending().await,
        }
    }

    /// Whether a limit rests on what providers report.
    pub(crate) fn counts_usage(&self) -> bool {
        self.allowance.cost.is_some() || self.allowance.tokens.is_some()
    }

    pub(crate) fn spend(&self, usage: Usage, cost: Option<Cost>) {
        let cost = cost.unwrap_or_default();
        add(&self.cost, cost.nano_usd());
        add(&self.tokens, usage.input.saturating_add(usage.output));
    }
}

/// Whatever a provider says that was used, a sum never becomes less.
fn add(sum: &AtomicU64, part: u64) {
    let added = |sum: u64| Some(sum.saturating_add(part));
    // It always adds.
    let _ = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added);
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(limit) => write!(f, "the experiment's limit of {limit} is reached"),
            Self::Tokens(limit) => {
                write!(f, "the experiment's limit of {limit} tokens is reached")
            }
            Self::Time(limit) => {
                let seconds = limit.as_secs_f64();
                write!(f, "the experiment's limit of {seconds} s is reached")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn each_limit_is_reached_by_itself() {
        let dollar = Cost::from_usd("1").unwrap();
        let of = |allowance| Budget::new(1, allowance, Spent::default());
        let cost = of(Allowance {
            cost: Some(dollar),
            ..Allowance::default()
        });
        cost.spend(usage(1 << 40, 1 << 40), None);
        assert_eq!(cost.reached(), None);
        cost.spend(usage(1, 1), Some(dollar));
        assert_eq!(cost.reached(), Some(Reached::Cost(dollar)));

        // What a provider says may be anything.
        let beyond = Cost::from_nano_usd(u64::MAX);
        cost.spend(usage(u64::MAX, u64::MAX), Some(beyond));
        cost.spend(usage(1, 1), Some(beyond));
        assert_eq!(cost.reached(), Some(Reached::Cost(dollar)));
        assert_eq!(cost.spent().tokens, u64::MAX);

        let tokens = of(Allowance {
            tokens: Some(10),
            ..Allowance::default()
        });
        tokens.spend(usage(4, 5), Some(dollar));
        assert_eq!(tokens.reached(), None);
        tokens.spend(usage(0, 1), None);
        assert_eq!(tokens.reached(), Some(Reached::Tokens(10)));

        let time = of(Allowance {
            time: Some(Duration::ZERO),
            ..Allowance::default()
        });
        assert_eq!(time.reached(), Some(Reached::Time(Duration::ZERO)));
        assert!(!time.counts_usage());
    }

    #[test]
    fn what_was_used_before_counts() {
        let spent = Spent {
            tokens: 10,
            ..Spent::default()
        };
        let allowance = Allowance {
            tokens: Some(10),
            ..Allowance::default()
        };
        let budget = Budget::new(1, allowance, spent);
        assert_eq!(budget.reached(), Some(Reached::Tokens(10)));
    }
}
