//! Comparison of the estimators with exact integer arithmetic and with complete enumeration.

use proptest::prelude::*;

use super::close;
use crate::{Estimate, mcnemar, paired_permutation, pass_at_k, pass_hat_k};

/// Computes C(n, k) exactly.
fn choose(n: u32, k: u32) -> u128 {
    if k > n {
        return 0;
    }
    (0..u128::from(k)).fold(1, |all, i| all * (u128::from(n) - i) / (i + 1))
}

fn value(estimate: Estimate) -> f64 {
    estimate.value().unwrap()
}

#[test]
fn every_small_case_equals_the_fraction() {
    for n in 1..=60 {
        for c in 0..=n {
            for k in 1..=n {
                let all = choose(n, k) as f64;
                let missed = choose(n - c, k) as f64 / all;
                close(value(pass_at_k(n, c, k)), 1.0 - missed, 1e-12);
                close(value(pass_hat_k(n, c, k)), choose(c, k) as f64 / all, 1e-12);
            }
        }
    }
}

#[test]
fn too_few_attempts_give_no_number() {
    for (n, c, k) in [(0, 0, 1), (3, 3, 4), (4, 2, 0), (2, 3, 1)] {
        assert_eq!(pass_at_k(n, c, k), Estimate::NotEstimable);
        assert_eq!(pass_hat_k(n, c, k), Estimate::NotEstimable);
    }
    assert_eq!(
        serde_json::to_string(&Estimate::NotEstimable).unwrap(),
        "null"
    );
}

proptest! {
    #[test]
    fn both_are_the_rate_at_one_and_part_from_there(n in 1_u32..2000, c in 0_u32..2000, k in 1_u32..2000) {
        let (c, k) = (c.min(n), k.min(n));
        let rate = f64::from(c) / f64::from(n);
        prop_assert!((value(pass_at_k(n, c, 1)) - rate).abs() < 1e-12);
        prop_assert!((value(pass_hat_k(n, c, 1)) - rate).abs() < 1e-12);
        let (at, hat) = (value(pass_at_k(n, c, k)), value(pass_hat_k(n, c, k)));
        prop_assert!((0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&hat));
        prop_assert!(at >= rate - 1e-9 && hat <= rate + 1e-9);
        if k < n {
            prop_assert!(value(pass_at_k(n, c, k + 1)) >= at - 1e-9);
            prop_assert!(value(pass_hat_k(n, c, k + 1)) <= hat + 1e-9);
        }
        // All k attempts pass exactly if none of the k fails.
        prop_assert!((hat - (1.0 - value(pass_at_k(n, n - c, k)))).abs() < 1e-9);
    }

    #[test]
    fn a_permutation_test_counts_every_pattern(differences in proptest::collection::vec(-6_i64..=6, 0..12)) {
        let observed = differences.iter().sum::<i64>().abs();
        let patterns = 1_u32 << differences.len();
        let hits = (0..patterns)
            .filter(|pattern| {
                let sum: i64 = differences
                    .iter()
                    .enumerate()
                    .map(|(i, d)| if pattern >> i & 1 == 1 { *d } else { -d })
                    .sum();
                sum.abs() >= observed
            })
            .count();
        let test = paired_permutation(&differences);
        prop_assert_eq!(test.draws, None);
        prop_assert!((test.p - hits as f64 / f64::from(patterns)).abs() < 1e-12);
    }

    #[test]
    fn mcnemar_is_the_permutation_test_of_single_attempts(a in 0_u64..60, b in 0_u64..60) {
        let differences: Vec<i64> = (0..a).map(|_| -1).chain((0..b).map(|_| 1)).collect();
        prop_assert!((mcnemar(a, b) - paired_permutation(&differences).p).abs() < 1e-9);
    }
}
