use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Clustered, Estimate, Estimator, OverTasks, Runs, TaskCount, clustered, over_tasks,
    over_tasks_plain, pass_at_k, pass_hat_k,
};

/// One attempt as far as numbers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Its task.
    pub task: &'a str,
    /// The world of the task, whose tasks have much in common.
    pub world: &'a str,
    /// Which repetition, from 1.
    pub k: u32,
    /// Whether it passed; none unless it was graded.
    pub passed: Option<bool>,
}

/// What one model did on some tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Tasks.
    pub tasks: usize,
    /// Attempts.
    pub attempts: usize,
    /// Attempts that were graded; rates count these alone.
    pub graded: usize,
    /// Attempts that passed.
    pub passed: usize,
    /// pass@1 over runs, as published.
    pub runs: Runs,
    /// pass@k for k = 1 … the most graded attempts of a task.
    pub pass_at: Vec<OverTasks>,
    /// pass^k for the same.
    pub pass_hat: Vec<OverTasks>,
    /// The mean over attempts with a standard error clustered by world.
    pub clustered: Clustered,
    /// What the rate would be if the ungraded attempts were graded.
    pub bounds: Bounds,
}

/// The rate over all attempts if those without a grade had all failed, and if all had passed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// All failed.
    pub worst: Estimate,
    /// All passed.
    pub best: Estimate,
}

impl Score {
    /// Sums up samples of one model, with an interval for every k.
    pub fn of(samples: &[Sample<'_>]) -> Self {
        Self::with(samples, over_tasks)
    }

    /// The same with an interval for pass@1 alone, for those who sum up very many groups.
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

    /// pass@1: the mean over tasks of the share of graded attempts that passed. Where every task
    /// has the same number of grades this is the mean over runs too.
    pub fn pass_1(&self) -> Estimate {
        self.pass_at
            .first()
            .map_or(Estimate::NotEstimable, |over| over.value)
    }
}

/// The counts of each task, those without a grade too. Samples that stand together by task, in the
/// order of their ids, are counted fastest.
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
