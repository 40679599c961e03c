//! Score of a model over some tasks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Clustered, Estimate, Estimator, OverTasks, Runs, TaskCount, clustered, over_tasks,
    over_tasks_plain, pass_at_k, pass_hat_k,
};

/// Result of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Id of the task.
    pub task: &'a str,
    /// World of the task, whose tasks have much in common.
    pub world: &'a str,
    /// Number of the repetition, from 1.
    pub k: u32,
    /// True if the attempt passed; none if it was not graded.
    pub passed: Option<bool>,
}

/// Metrics of one model over some tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of attempts.
    pub attempts: usize,
    /// Number of graded attempts. Rates count only these.
    pub graded: usize,
    /// Number of passed attempts.
    pub passed: usize,
    /// pass@1 over runs, as published.
    pub runs: Runs,
    /// pass@k for k from 1 to the largest number of graded attempts of a task.
    pub pass_at: Vec<OverTasks>,
    /// pass^k for the same k.
    pub pass_hat: Vec<OverTasks>,
    /// Pass rate of the graded attempts, with a standard error clustered by world.
    pub clustered: Clustered,
    /// Bounds of the pass rate if the ungraded attempts were graded.
    pub bounds: Bounds,
}

/// Pass rate over all attempts if the ungraded ones all fail, and if they all pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Rate if they all fail.
    pub worst: Estimate,
    /// Rate if they all pass.
    pub best: Estimate,
}

impl Score {
    /// Computes the metrics from the samples of one model, with a confidence interval for every k.
    pub fn of(samples: &[Sample<'_>]) -> Self {
        Self::with(samples, over_tasks)
    }

    /// Computes the metrics with a confidence interval for pass@1 only, for callers with very many groups.
    pub fn brief(samples: &[Sample<'_>]) -> Self {
        Self::with(samples, |counts, k, estimator| {
            if k == 1 {
                over_tasks(counts, k, estimator)
            } else {
                over_tasks_plain(counts, k, estimator)
            }
        })
    }

    fn with(samples: &[Sample<'_>], over: fn(&[TaskCount], u32, Estimator) -> OverTasks) -> Self {
        let counts: Vec<TaskCount> = counts(samples).into_values().collect();
        let mut runs: BTreeMap<u32, TaskCount> = BTreeMap::new();
        for sample in samples {
            add(runs.entry(sample.k).or_default(), sample);
        }
        let (graded, passed) = runs.values().fold((0, 0), |(graded, passed), run| {
            (graded + run.graded as usize, passed + run.passed as usize)
        });
        let most = counts.iter().map(|count| count.graded).max().unwrap_or(0);
        let each = |estimator| (1..=most).map(|k| over(&counts, k, estimator)).collect();
        let share = |passed: usize| match samples.len() {
            0 => Estimate::NotEstimable,
            all => Estimate::Value(passed as f64 / all as f64),
        };
        Self {
            tasks: counts.len(),
            attempts: samples.len(),
            graded,
            passed,
            runs: Runs::of(runs.into_values()),
            pass_at: each(pass_at_k),
            pass_hat: each(pass_hat_k),
            clustered: clustered(
                samples
                    .iter()
                    .filter_map(|s| Some((f64::from(u8::from(s.passed?)), s.world))),
            ),
            bounds: Bounds {
                worst: share(passed),
                best: share(passed + samples.len() - graded),
            },
        }
    }

    /// Returns pass@1: the mean over tasks of the share of graded attempts that passed. It equals the mean over runs if
    /// every task has a grade in every run.
    pub fn pass_1(&self) -> Estimate {
        self.pass_at
            .first()
            .map_or(Estimate::NotEstimable, |over| over.value)
    }
}

/// Counts the graded attempts of each task, including tasks without any. It is fastest if the samples are grouped by
/// task, in the order of the ids.
pub fn counts<'a>(samples: &[Sample<'a>]) -> BTreeMap<&'a str, TaskCount> {
    let mut counts: Vec<(&str, TaskCount)> = samples
        .chunk_by(|a, b| a.task == b.task)
        .map(|samples| {
            let mut count = TaskCount::default();
            samples.iter().for_each(|sample| add(&mut count, sample));
            (samples[0].task, count)
        })
        .collect();
    counts.sort_by_key(|(task, _)| *task);
    counts.dedup_by(|(task, count), (before, sum)| {
        let is_same = task == before;
        if is_same {
            sum.graded += count.graded;
            sum.passed += count.passed;
        }
        is_same
    });
    counts.into_iter().collect()
}

fn add(count: &mut TaskCount, sample: &Sample<'_>) {
    if let Some(passed) = sample.passed {
        count.graded += 1;
        count.passed += u32::from(passed);
    }
}
