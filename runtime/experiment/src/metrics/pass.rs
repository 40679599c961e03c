use serde::Serialize;

use super::{Estimate, Interval, mean_interval, wilson};

/// The chance that at least one of `k` attempts passes, estimated without bias from `c` passes
/// among `n` attempts: 1 − C(n−c, k) / C(n, k), computed as 1 − ∏ (1 − k/i) over
/// i = n−c+1 … n, which neither overflows nor cancels (arXiv 2107.03374, section 2.1).
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

/// The chance that all of `k` attempts pass, estimated without bias from `c` passes among `n`
/// attempts: C(c, k) / C(n, k) (τ-bench, arXiv 2406.12045, section 4.2).
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

/// The graded attempts of one task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TaskCount {
    /// Attempts that were graded.
    pub graded: u32,
    /// Attempts that passed.
    pub passed: u32,
}

impl TaskCount {
    /// The share that passed.
    pub fn rate(self) -> Option<f64> {
        (self.graded > 0).then(|| f64::from(self.passed) / f64::from(self.graded))
    }
}

/// pass@k or pass^k over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OverTasks {
    /// Attempts.
    pub k: u32,
    /// The mean of the estimates of the tasks that have one.
    pub value: Estimate,
    /// Tasks with at least k graded attempts.
    pub tasks: usize,
    /// Tasks with fewer; they are not in the mean.
    pub left_out: usize,
    /// Where the mean lies. [Wilson's](wilson) where each task gives a plain yes or no, that is
    /// where it has just k graded attempts; else a bootstrap by task. Where all tasks have the
    /// same estimate a bootstrap would be a point, and the interval is Wilson's with each task
    /// as one trial: wide rather than wrong.
    pub interval: Option<Interval>,
}

/// [`pass_at_k`] or [`pass_hat_k`]: from n attempts, c passes and k.
pub type Estimator = fn(u32, u32, u32) -> Estimate;

/// The mean of `estimator` ([`pass_at_k`] or [`pass_hat_k`]) over tasks, with an interval.
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

/// The same without an interval.
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

/// pass@1 as it is published: the rates of the runs, their mean and their standard deviation.
/// Run r holds the r-th attempt of each task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Runs {
    /// The share of each run's graded attempts that passed; runs without any are left out.
    pub rates: Vec<f64>,
    /// Their mean.
    pub mean: Estimate,
    /// Their standard deviation with the divisor n, as the published tables have it.
    pub population_sd: Estimate,
    /// Their standard deviation with the divisor n − 1: what further runs would vary by.
    pub sample_sd: Estimate,
}

impl Runs {
    /// From the counts of each run.
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
