//! Reference values of scipy 1.17.1 and statsmodels 0.15.0. Each table names the call that produced it.

use super::close;
use crate::{
    clustered, holm, mcnemar, mean_interval, paired_permutation, student_t_quantile, wilson,
};

/// `statsmodels.stats.proportion.proportion_confint(c, n, 0.05, "wilson")`
const WILSON: [(f64, usize, f64, f64); 8] = [
    (0.0, 12, 0.0, 0.242_494_006_655_240_96),
    (1.0, 12, 0.014_865_094_404_917_095, 0.353_879_911_141_117_05),
    (6.0, 12, 0.253_781_597_633_706, 0.746_218_402_366_294),
    (12.0, 12, 0.757_505_993_344_758_9, 1.0),
    (67.0, 127, 0.441_203_059_029_132_7, 0.612_296_803_041_289_6),
    (1.0, 1, 0.206_549_314_377_237_4, 1.0),
    (3.0, 4, 0.300_641_842_582_401_84, 0.954_412_739_190_299_5),
    (
        500.0,
        1000,
        0.469_069_600_368_104_2,
        0.530_930_399_631_895_8,
    ),
];

/// `scipy.stats.t.ppf(0.975, df)`
const STUDENT: [(f64, f64); 8] = [
    (1.0, 12.706_204_736_174_694),
    (2.0, 4.302_652_729_749_462),
    (3.0, 3.182_446_305_283_707_8),
    (7.0, 2.364_624_251_592_784),
    (8.0, 2.306_004_135_204_166),
    (30.0, 2.042_272_456_301_237_8),
    (126.0, 1.978_970_601_990_628_1),
    (1000.0, 1.962_339_080_826_408_3),
];

/// Degrees of freedom and the root of `mpmath.betainc(df/2, 0.5, 0, df/(df + t*t), regularized=True) - 0.05`, from
/// mpmath 1.3.0 with 40 digits. Solvers with an absolute tolerance fail here.
const STUDENT_LARGE: (f64, f64) = (100_000.0, 1.959_987_707_534_609_6);

/// `statsmodels.stats.contingency_tables.mcnemar([[10, a], [b, 10]], exact=True).pvalue`
const MCNEMAR: [(u64, u64, f64); 7] = [
    (1, 0, 1.0),
    (3, 9, 0.145_996_093_75),
    (10, 2, 0.038_574_218_75),
    (5, 5, 1.0),
    (0, 20, 1.907_348_632_812_5e-6),
    (40, 61, 0.046_044_066_929_342_785),
    (900, 1000, 0.023_108_845_108_901_193),
];

/// `scipy.stats.permutation_test((d,), sum, permutation_type="samples", n_resamples=inf)`
const PERMUTATION: [(&[i64], f64); 3] = [
    (&[1, 2, -1, 3, 0, 4, 2], 0.093_75),
    (&[1; 8], 0.007_812_5),
    (&[-3, 2, 2, -1, 4, 4, 0, 0, 1, -2, 3, 3], 0.166_015_625),
];

#[test]
fn wilson_equals_statsmodels() {
    for (c, n, low, high) in WILSON {
        let interval = wilson(c, n).unwrap();
        close(interval.low, low, 1e-12);
        close(interval.high, high, 1e-12);
    }
    assert_eq!(wilson(0.0, 0), None);
}

#[test]
fn students_quantiles_equal_scipy() {
    for (freedom, t) in STUDENT.into_iter().chain([STUDENT_LARGE]) {
        close(student_t_quantile(0.975, freedom), t, 1e-9 * t);
    }
}

#[test]
fn tests_equal_statsmodels_and_scipy() {
    for (a, b, p) in MCNEMAR {
        close(mcnemar(a, b), p, 1e-10);
    }
    close(mcnemar(0, 0), 1.0, 0.0);
    for (differences, p) in PERMUTATION {
        close(paired_permutation(differences).p, p, 1e-12);
    }
    // statsmodels.stats.multitest.multipletests(p, method="holm")
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
    for (found, expected) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
        close(*found, expected, 1e-12);
    }
}

#[test]
fn a_sampled_permutation_test_comes_near_the_exact_one() {
    // The same differences in a unit so small that the exact test takes too many steps.
    let coarse: Vec<i64> = (0..60).map(|i| [3, -2, 4, 0, -1, 2][i % 6]).collect();
    let fine: Vec<i64> = coarse.iter().map(|d| d * 1_000_000).collect();
    let (exact, drawn) = (paired_permutation(&coarse), paired_permutation(&fine));
    assert_eq!((exact.draws, drawn.draws), (None, Some(100_000)));
    close(drawn.p, exact.p, 0.005);
    assert_eq!(paired_permutation(&fine), drawn);
}

#[test]
fn a_clustered_error_equals_statsmodels() {
    // sm.OLS(x, 1).fit(cov_type="cluster", cov_kwds={"groups": g, "use_correction": False}),
    // its error times sqrt(4/3).
    let x = [
        1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.25, 0.5, 0.75, 0.0,
    ];
    let g = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3];
    let found = clustered(x.into_iter().zip(g.map(|g| ["a", "b", "c", "d"][g])));
    close(found.mean.value().unwrap(), 0.531_25, 1e-12);
    let error = found.error.value().unwrap();
    close(error, 0.095_630_020_973_846_65, 1e-12);
    let interval = found.interval.unwrap();
    close(
        interval.high - 0.531_25,
        3.182_446_305_283_707_8 * error,
        1e-9,
    );

    let alike = clustered([(0.0, "a"), (0.0, "b"), (0.0, "b")]);
    assert_eq!((alike.error.value(), alike.interval), (Some(0.0), None));
    let one = clustered([(1.0, "a"), (0.0, "a")]);
    assert_eq!((one.mean.value(), one.error.value()), (Some(0.5), None));
    assert_eq!(clustered([]).mean.value(), None);
}

#[test]
fn a_bootstrap_comes_near_scipy() {
    // scipy.stats.bootstrap((v,), numpy.mean, method="percentile", n_resamples=200000)
    let v = [
        0.0, 0.25, 0.5, 1.0, 1.0, 0.75, 0.0, 0.0, 0.25, 1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.25, 0.75,
        1.0, 1.0, 0.0,
    ];
    let interval = mean_interval(&v).unwrap();
    close(interval.low, 0.3125, 0.013);
    close(interval.high, 0.6625, 0.013);
    assert_eq!(mean_interval(&v), Some(interval));
    assert_eq!(mean_interval(&[0.5; 9]), None);
}
