//! Limits on cost, tokens and time that all attempts of an experiment share.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mcpmark_model::{Cost, Usage};
use tokio::sync::Semaphore;

/// Limits of an experiment, shared by all of its attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Maximum cost of model requests.
    pub cost: Option<Cost>,
    /// Maximum number of tokens of requests and replies.
    pub tokens: Option<u64>,
    /// Maximum wall time of one run.
    pub time: Option<Duration>,
}

/// Usage of an experiment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Cost of model requests.
    pub cost: Cost,
    /// Number of tokens of requests and replies.
    pub tokens: u64,
}

/// Limit of an experiment that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Cost limit.
    Cost(Cost),
    /// Token limit.
    Tokens(u64),
    /// Limit on wall time.
    Time(Duration),
}

/// Budget of an experiment, shared by all of its attempts: limits, usage, and permits for concurrent requests.
#[derive(Debug)]
pub struct Budget {
    pub(crate) calls: Semaphore,
    allowance: Allowance,
    began: Instant,
    cost: AtomicU64,
    tokens: AtomicU64,
}

impl Budget {
    /// Creates a budget with the maximum number of concurrent requests, the limits, and the earlier usage of the
    /// experiment. The wall time begins now.
    pub fn new(calls: usize, allowance: Allowance, spent: Spent) -> Self {
        Self {
            calls: Semaphore::new(calls.max(1)),
            allowance,
            began: Instant::now(),
            cost: AtomicU64::new(spent.cost.nano_usd()),
            tokens: AtomicU64::new(spent.tokens),
        }
    }

    /// Returns the usage so far.
    pub fn spent(&self) -> Spent {
        Spent {
            cost: Cost::from_nano_usd(self.cost.load(Ordering::Relaxed)),
            tokens: self.tokens.load(Ordering::Relaxed),
        }
    }

    /// Returns a limit that is reached, if any.
    pub fn reached(&self) -> Option<Reached> {
        let (Allowance { cost, tokens, time }, spent) = (self.allowance, self.spent());
        let cost = cost.filter(|limit| spent.cost >= *limit);
        let tokens = tokens.filter(|limit| spent.tokens >= *limit);
        let time = time.filter(|limit| self.began.elapsed() >= *limit);
        cost.map(Reached::Cost)
            .or(tokens.map(Reached::Tokens))
            .or(time.map(Reached::Time))
    }

    /// Waits until the limit on wall time is reached.
    pub(crate) async fn out_of_time(&self) -> Reached {
        match self.allowance.time {
            Some(time) => {
                tokio::time::sleep(time.saturating_sub(self.began.elapsed())).await;
                Reached::Time(time)
            }
            None => std::future::pending().await,
        }
    }

    /// Reports whether a limit depends on the usage that providers report.
    pub(crate) fn counts_usage(&self) -> bool {
        self.allowance.cost.is_some() || self.allowance.tokens.is_some()
    }

    pub(crate) fn spend(&self, usage: Usage, cost: Option<Cost>) {
        let cost = cost.unwrap_or_default();
        add(&self.cost, cost.nano_usd());
        add(&self.tokens, usage.input.saturating_add(usage.output));
    }
}

/// Adds to a sum. The addition saturates, so that no reported usage decreases a sum.
fn add(sum: &AtomicU64, part: u64) {
    let added = |sum: u64| Some(sum.saturating_add(part));
    // The closure never returns `None`.
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

        // A provider may report any usage.
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
    fn earlier_use_counts() {
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
