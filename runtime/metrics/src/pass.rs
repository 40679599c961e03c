//! Estimators of pass@k and pass^k for tasks and over tasks, and pass@1 over runs.

use serde::Serialize;

use super::{Estimate, Interval, mean_interval, wilson};

/// Estimates pass@k, the probability that at least one of `k` attempts passes, without bias from `c` passes among `n`
/// attempts: 1 − C(n−c, k) / C(n, k), computed as 1 − ∏ (1 − k/i) over i = n−c+1 … n, which neither overflows nor
/// cancels (arXiv 2107.03374, section 2.1).
pub fn pass_at_k(n: u32, c: u32, k: u32) -> Estimate {
    if !estimable(n, c, k) {
        return Estimate::NotEstimable;
    }
    if n - c < k {
        return Estimate::Value(1.0);
    }
    let missed: f64 = (n - c + 1..=n)
        .map(|i| 1.0 - f64::from(k) / f64::from(i))
        .product();
    Estimate::Value(1.0 - missed)
}

/// Estimates pass^k, the probability that all of `k` attempts pass, without bias from `c` passes among `n` attempts:
/// C(c, k) / C(n, k) (τ-bench, arXiv 2406.12045, section 4.2).
pub fn pass_hat_k(n: u32, c: u32, k: u32) -> Estimate {
    if !estimable(n, c, k) {
        return Estimate::NotEstimable;
    }
    if c < k {
        return Estimate::Value(0.0);
    }
    Estimate::Value(
        (0..k)
            .map(|i| f64::from(c - i) / f64::from(n - i))
            .product(),
    )
}

fn estimable(n: u32, c: u32, k: u32) -> bool {
    k >= 1 && k <= n && c <= n
}

/// Counts of the graded attempts of one task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TaskCount {
    /// Number of graded attempts.
    pub graded: u32,
    /// Number of passed attempts.
    pub passed: u32,
}

impl TaskCount {
    /// Returns the share of graded attempts that passed; none without graded attempts.
    pub fn rate(self) -> Option<f64> {
        (self.graded > 0).then(|| f64::from(self.passed) / f64::from(self.graded))
    }
}

/// Mean of pass@k or pass^k over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OverTasks {
    /// Number of attempts k.
    pub k: u32,
    /// Mean of the estimates over the tasks that have one.
    pub value: Estimate,
    /// Number of tasks with at least k graded attempts.
    pub tasks: usize,
    /// Number of tasks with fewer; the mean does not include them.
    pub left_out: usize,
    /// Confidence interval of the mean. It is [Wilson's](wilson) if the estimate of each task is 0 or 1, because each
    /// has exactly k graded attempts; otherwise a bootstrap by task. If all tasks have the same estimate, a bootstrap
    /// interval would be a point. Wilson's interval with each task as one trial is used then, which is too wide rather
    /// than wrong.
    pub interval: Option<Interval>,
}

/// Function that estimates [`pass_at_k`] or [`pass_hat_k`] from n attempts, c passes and k.
pub type Estimator = fn(u32, u32, u32) -> Estimate;

/// Computes the mean of `estimator` ([`pass_at_k`] or [`pass_hat_k`]) over tasks, with a confidence interval.
pub fn over_tasks(counts: &[TaskCount], k: u32, estimator: Estimator) -> OverTasks {
    let values = values(counts, k, estimator);
    let plain = counts
        .iter()
        .filter(|count| count.graded >= k)
        .all(|count| count.graded == k);
    let by_task = if plain { None } else { mean_interval(&values) };
    OverTasks {
        interval: by_task.or_else(|| wilson(values.iter().sum(), values.len())),
        ..without_interval(counts, k, &values)
    }
}

/// Computes the mean of `estimator` over tasks, without an interval.
pub fn over_tasks_plain(counts: &[TaskCount], k: u32, estimator: Estimator) -> OverTasks {
    without_interval(counts, k, &values(counts, k, estimator))
}

fn values(counts: &[TaskCount], k: u32, estimator: Estimator) -> Vec<f64> {
    counts
        .iter()
        .filter_map(|count| estimator(count.graded, count.passed, k).value())
        .collect()
}

fn without_interval(counts: &[TaskCount], k: u32, values: &[f64]) -> OverTasks {
    OverTasks {
        k,
        value: Estimate::mean(values),
        tasks: values.len(),
        left_out: counts.len() - values.len(),
        interval: None,
    }
}

/// Rates of pass@1 per run, with their mean and standard deviation, as in published tables. Run r consists of the r-th
/// attempt of each task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Runs {
    /// Pass rate of each run among its graded attempts. Runs without graded attempts are left out.
    pub rates: Vec<f64>,
    /// Mean of the rates.
    pub mean: Estimate,
    /// Population standard deviation of the rates, with the divisor n, as in the published tables.
    pub population_sd: Estimate,
    /// Sample standard deviation of the rates, with the divisor n − 1. It estimates the variation of further runs.
    pub sample_sd: Estimate,
}

impl Runs {
    /// Computes the statistics from the counts of each run.
    pub fn of(runs: impl IntoIterator<Item = TaskCount>) -> Self {
        let rates: Vec<f64> = runs.into_iter().filter_map(TaskCount::rate).collect();
        let mean = Estimate::mean(&rates);
        let squares: f64 = match mean {
            Estimate::Value(mean) => rates.iter().map(|rate| (rate - mean).powi(2)).sum(),
            Estimate::NotEstimable => 0.0,
        };
        let sd = |divisor: usize| match divisor {
            0 => Estimate::NotEstimable,
            divisor => Estimate::Value((squares / divisor as f64).sqrt()),
        };
        let (population_sd, sample_sd) = (sd(rates.len()), sd(rates.len().saturating_sub(1)));
        Self {
            rates,
            mean,
            population_sd,
            sample_sd,
        }
    }
}
