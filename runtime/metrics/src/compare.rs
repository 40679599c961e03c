//! Paired comparison of two models, with significance tests.

use std::collections::BTreeMap;

use serde::Serialize;

use super::score::{Sample, counts};
use super::special::ln_choose;
use super::{Clustered, Interval, TaskCount, clustered, mean_interval, paired_permutation};

/// Comparison of two models on the same tasks, paired by task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Number of tasks with a graded attempt of both. Only these are counted.
    pub tasks: usize,
    /// Number of tasks for which only one of them has a graded attempt.
    pub left_out: usize,
    /// Mean pass rate of the first model.
    pub rate_a: f64,
    /// Mean pass rate of the second model.
    pub rate_b: f64,
    /// Mean pass rate of the second model minus that of the first.
    pub difference: f64,
    /// Bootstrap confidence interval of the difference, by task.
    pub interval: Option<Interval>,
    /// Difference with a standard error clustered by world.
    pub clustered: Clustered,
    /// Two-sided p-value of the null hypothesis that there is no difference.
    pub p: f64,
    /// Test that gave the p-value.
    pub method: Method,
    /// Tasks on which the models differ, the largest differences first.
    pub flips: Vec<Flip>,
}

/// Significance test of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// McNemar's exact test, if both models have one graded attempt of each task.
    Mcnemar,
    /// Exact paired permutation test by task, which counts every sign pattern.
    Permutation,
    /// Sampled paired permutation test by task, with sign patterns from a fixed seed.
    SampledPermutation,
}

impl Method {
    /// Returns the name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mcnemar => "McNemar, exact",
            Self::Permutation => "paired permutation by task, exact",
            Self::SampledPermutation => "paired permutation by task, sampled",
        }
    }
}

/// Task on which two models differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// Id of the task.
    pub task: String,
    /// Graded and passed attempts of the first model.
    pub a: TaskCount,
    /// Graded and passed attempts of the second model.
    pub b: TaskCount,
}

impl Comparison {
    /// Compares the samples of two models. Returns none if no task has graded attempts of both.
    pub fn of(a: &[Sample<'_>], b: &[Sample<'_>]) -> Option<Self> {
        let (first, second) = (by_task(a), by_task(b));
        let worlds: BTreeMap<&str, &str> = a
            .chunk_by(|a, b| a.task == b.task)
            .map(|samples| (samples[0].task, samples[0].world))
            .collect();
        let pairs: Vec<(&str, TaskCount, TaskCount)> = first
            .iter()
            .filter_map(|(task, count)| Some((*task, *count, *second.get(task)?)))
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let rate = |count: &TaskCount| count.rate().unwrap_or_default();
        let n = pairs.len() as f64;
        let differences: Vec<f64> = pairs.iter().map(|(_, a, b)| rate(b) - rate(a)).collect();
        let (p, method) = test(&pairs);
        let mut flips: Vec<Flip> = pairs
            .iter()
            .filter(|(_, a, b)| rate(a) != rate(b))
            .map(|(task, a, b)| Flip {
                task: (*task).to_owned(),
                a: *a,
                b: *b,
            })
            .collect();
        flips.sort_by(|x, y| {
            let size = |flip: &Flip| (rate(&flip.b) - rate(&flip.a)).abs();
            size(y)
                .total_cmp(&size(x))
                .then_with(|| x.task.cmp(&y.task))
        });
        Some(Self {
            tasks: pairs.len(),
            left_out: first.len() + second.len() - 2 * pairs.len(),
            rate_a: pairs.iter().map(|(_, a, _)| rate(a)).sum::<f64>() / n,
            rate_b: pairs.iter().map(|(_, _, b)| rate(b)).sum::<f64>() / n,
            difference: differences.iter().sum::<f64>() / n,
            interval: mean_interval(&differences),
            clustered: clustered(pairs.iter().zip(&differences).map(|((task, _, _), value)| {
                (*value, worlds.get(task).copied().unwrap_or_default())
            })),
            p,
            method,
            flips,
        })
    }
}

fn by_task<'a>(samples: &[Sample<'a>]) -> BTreeMap<&'a str, TaskCount> {
    counts(samples)
        .into_iter()
        .filter(|(_, count)| count.graded > 0)
        .collect()
}

fn test(pairs: &[(&str, TaskCount, TaskCount)]) -> (f64, Method) {
    let single = |count: &TaskCount| count.graded == 1;
    if pairs.iter().all(|(_, a, b)| single(a) && single(b)) {
        let only = |by: fn(&TaskCount, &TaskCount) -> bool| {
            pairs.iter().filter(|(_, a, b)| by(a, b)).count() as u64
        };
        let p = mcnemar(
            only(|a, b| a.passed > b.passed),
            only(|a, b| b.passed > a.passed),
        );
        return (p, Method::Mcnemar);
    }
    // Scales the rates to a common denominator, so that their differences are integers.
    let common = pairs
        .iter()
        .flat_map(|(_, a, b)| [a.graded, b.graded])
        .try_fold(1_i64, |common, n| lcm(common, i64::from(n)))
        .unwrap_or(DENOMINATOR);
    let scaled = |count: &TaskCount| {
        (i64::from(count.passed) * common + i64::from(count.graded) / 2) / i64::from(count.graded)
    };
    let differences: Vec<i64> = pairs
        .iter()
        .map(|(_, a, b)| scaled(b) - scaled(a))
        .collect();
    let test = paired_permutation(&differences);
    let method = match test.draws {
        None => Method::Permutation,
        Some(_) => Method::SampledPermutation,
    };
    (test.p, method)
}

/// Maximum common denominator. If the least common one is larger, rates are rounded to this one.
const DENOMINATOR: i64 = 1_000_000;

fn lcm(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x)
        .checked_mul(b)
        .filter(|common| *common <= DENOMINATOR)
}

/// Computes the two-sided p-value of McNemar's exact test from the number of tasks that only the first and only the
/// second model passed: twice the smaller tail of a fair coin (McNemar 1947; exact as a sign test).
pub fn mcnemar(only_a: u64, only_b: u64) -> f64 {
    let n = only_a + only_b;
    let halves = n as f64 * std::f64::consts::LN_2;
    let tail: f64 = (0..=only_a.min(only_b))
        .map(|i| (ln_choose(n, i) - halves).exp())
        .sum();
    (2.0 * tail).min(1.0)
}

/// Adjusts p-values for multiple comparisons (Holm 1979): the i-th smallest of m is multiplied by m − i + 1, and none
/// is smaller than the one before it. The result has the order of `values`.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut adjusted = vec![0.0; values.len()];
    let mut floor = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        let factor = (values.len() - rank) as f64;
        floor = floor.max((values[index] * factor).min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}
