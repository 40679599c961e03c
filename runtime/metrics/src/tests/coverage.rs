//! Coverage of the 95 % confidence intervals, on simulated experiments from a fixed seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{Estimate, Interval, TaskCount, clustered, over_tasks, pass_at_k, pass_hat_k, wilson};

/// Estimator of a task from the number of its attempts and passes, and k.
type Estimator = fn(u32, u32, u32) -> Estimate;

const TRIALS: u32 = 600;

struct Chance(ChaCha8Rng);

impl Chance {
    fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 2_f64.powi(32)
    }
}

/// Returns the share of simulated intervals that contain the true value.
fn coverage(mut simulate: impl FnMut(&mut Chance) -> (Option<Interval>, f64)) -> f64 {
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(7));
    let held = (0..TRIALS)
        .filter(|_| {
            let (interval, truth) = simulate(&mut chance);
            interval.is_some_and(|i| (i.low..=i.high).contains(&truth))
        })
        .count();
    held as f64 / f64::from(TRIALS)
}

#[track_caller]
fn about_95(share: f64, slack: f64) {
    assert!((0.95 - slack..=1.0).contains(&share), "{share}");
}

#[test]
fn wilson_holds_for_few_and_for_rare() {
    for (n, p) in [(12, 0.5), (30, 0.1), (127, 0.5256), (127, 0.04)] {
        let share = coverage(|chance| {
            let passed = (0..n).filter(|_| chance.unit() < p).count();
            (wilson(passed as f64, n), p)
        });
        about_95(share, 0.03);
    }
}

/// Tasks differ in difficulty: their pass probabilities are uniform, so the true values of pass@k and pass^k are 1 −
/// 1/(k+1) and 1/(k+1).
#[test]
fn the_bootstrap_by_task_holds_for_pass_at_k_and_pass_hat_k() {
    for k in [1, 3] {
        let estimators: [(Estimator, f64); 2] = [
            (pass_at_k, f64::from(k) / f64::from(k + 1)),
            (pass_hat_k, 1.0 / f64::from(k + 1)),
        ];
        for (estimator, truth) in estimators {
            let share = coverage(|chance| {
                let counts: Vec<TaskCount> = (0..40)
                    .map(|_| {
                        let p = chance.unit();
                        let passed = (0..4).filter(|_| chance.unit() < p).count() as u32;
                        TaskCount { graded: 4, passed }
                    })
                    .collect();
                (over_tasks(&counts, k, estimator).interval, truth)
            });
            about_95(share, 0.04);
        }
    }
}

/// The tasks of a world share its difficulty. Without clusters, the interval contains the true value far less often.
#[test]
fn clusters_matter_where_worlds_differ() {
    let names: Vec<String> = (0..12).map(|world| world.to_string()).collect();
    let simulate = |by_world: bool| {
        coverage(|chance| {
            let mut values = Vec::new();
            for world in 0..12 {
                let p = chance.unit();
                for _ in 0..20 {
                    values.push((f64::from(u8::from(chance.unit() < p)), world));
                }
            }
            let each: Vec<String> = (0..values.len()).map(|i| i.to_string()).collect();
            let found = clustered(values.iter().enumerate().map(|(i, (value, world))| {
                let cluster = if by_world { &names[*world] } else { &each[i] };
                (*value, cluster.as_str())
            }));
            (found.interval, 0.5)
        })
    };
    about_95(simulate(true), 0.03);
    assert!(simulate(false) < 0.75);
}
