//! Tests of scores, comparisons and resources on small samples.

use super::close;
use crate::{Comparison, Consumption, Estimate, Method, Resources, Sample, Score, TestMethod};

/// Creates samples from one letter per attempt: `+` passed, `-` failed, `?` not graded.
fn samples<'a>(tasks: &[(&'a str, &'a str, &str)]) -> Vec<Sample<'a>> {
    tasks
        .iter()
        .flat_map(|&(task, world, attempts)| {
            attempts.chars().zip(1..).map(move |(letter, k)| Sample {
                task,
                world,
                k,
                passed: match letter {
                    '+' => Some(true),
                    '-' => Some(false),
                    _ => None,
                },
            })
        })
        .collect()
}

#[test]
fn a_score_is_what_the_published_tables_have() {
    let samples = samples(&[
        ("a", "x", "++++"),
        ("b", "x", "+--+"),
        ("c", "y", "----"),
        ("d", "y", "+---"),
    ]);
    let score = Score::of(&samples);
    // Runs: 3, 1, 1 and 2 of 4 passed.
    assert_eq!(score.runs.rates, [0.75, 0.25, 0.25, 0.5]);
    assert_eq!(score.runs.mean, Estimate::Value(0.4375));
    assert_eq!(score.pass_1(), score.runs.mean);
    close(score.runs.population_sd.value().unwrap(), 0.207_289, 1e-6);
    close(score.runs.sample_sd.value().unwrap(), 0.239_357, 1e-6);
    // At k = 4: three tasks passed at least once, and one passed each time.
    let (at, hat) = (&score.pass_at[3], &score.pass_hat[3]);
    assert_eq!(
        (at.value, hat.value),
        (Estimate::Value(0.75), Estimate::Value(0.25))
    );
    assert_eq!(at.interval.unwrap().method, Method::Wilson);
    assert_eq!(score.pass_at[0].interval.unwrap().method, Method::Bootstrap);
    assert_eq!((score.pass_at.len(), score.clustered.clusters), (4, 2));
    assert_eq!(score.bounds.worst, score.bounds.best);
}

#[test]
fn ungraded_attempts_are_neither_passes_nor_failures() {
    let score = Score::of(&samples(&[
        ("a", "x", "++?+"),
        ("b", "x", "?-?-"),
        ("c", "x", "???"),
    ]));
    assert_eq!(
        (score.tasks, score.attempts, score.graded, score.passed),
        (3, 11, 5, 3)
    );
    assert_eq!(score.pass_1(), Estimate::Value(0.5));
    assert_eq!((score.pass_at[0].tasks, score.pass_at[0].left_out), (2, 1));
    assert_eq!((score.pass_at[2].tasks, score.pass_at[2].left_out), (1, 2));
    assert_eq!(score.pass_at.len(), 3);
    assert_eq!(score.bounds.worst, Estimate::Value(3.0 / 11.0));
    assert_eq!(score.bounds.best, Estimate::Value(9.0 / 11.0));

    let none = Score::of(&samples(&[("a", "x", "??")]));
    assert_eq!(none.pass_1(), Estimate::NotEstimable);
    assert_eq!(none.runs.mean, Estimate::NotEstimable);
    assert_eq!(Score::of(&[]).bounds.worst, Estimate::NotEstimable);
}

#[test]
fn one_run_has_no_sample_deviation() {
    let score = Score::of(&samples(&[("a", "x", "+"), ("b", "x", "-")]));
    assert_eq!(score.runs.population_sd, Estimate::Value(0.0));
    assert_eq!(score.runs.sample_sd, Estimate::NotEstimable);
    assert_eq!(score.pass_at[0].interval.unwrap().method, Method::Wilson);
}

#[test]
fn models_are_compared_on_the_tasks_of_both() {
    let a = samples(&[
        ("1", "x", "+"),
        ("2", "x", "-"),
        ("3", "y", "+"),
        ("only a", "y", "+"),
    ]);
    let b = samples(&[
        ("1", "x", "+"),
        ("2", "x", "+"),
        ("3", "y", "-"),
        ("4", "y", "?"),
    ]);
    let single = Comparison::of(&a, &b).unwrap();
    assert_eq!((single.tasks, single.left_out), (3, 1));
    assert_eq!((single.method, single.p), (TestMethod::Mcnemar, 1.0));
    assert_eq!(single.difference, 0.0);
    let flips: Vec<_> = single.flips.iter().map(|flip| flip.task.as_str()).collect();
    assert_eq!(flips, ["2", "3"]);

    // The numbers of attempts differ, 4 and 3, so rates are scaled to twelfths.
    let a = samples(&[("1", "x", "+---"), ("2", "x", "----"), ("3", "y", "++--")]);
    let b = samples(&[("1", "x", "++-"), ("2", "x", "+--"), ("3", "y", "+++")]);
    let many = Comparison::of(&a, &b).unwrap();
    assert_eq!(many.method, TestMethod::Permutation);
    close(many.difference, (5.0 / 12.0 + 1.0 / 3.0 + 0.5) / 3.0, 1e-12);
    // All three differences have the same sign: 2 of the 8 patterns are as far from 0.
    close(many.p, 0.25, 1e-12);
    assert_eq!(many.flips[0].task, "3");
    assert!(Comparison::of(&a, &[]).is_none());
}

#[test]
fn unknown_costs_are_not_free() {
    let attempt = |cost| Consumption {
        turns: 4,
        cost_nano_usd: cost,
        ..Consumption::default()
    };
    let resources = Resources::of(&[attempt(Some(2_000_000_000)), attempt(None)]);
    assert_eq!(resources.cost_usd.mean, Some(2.0));
    assert_eq!(
        (resources.cost_usd.known, resources.cost_usd.unknown),
        (1, 1)
    );
    assert_eq!(resources.turns.mean, Some(4.0));
    assert_eq!(resources.seconds.mean, None);
}
