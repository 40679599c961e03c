//! Clustered standard errors of a mean.

use std::collections::BTreeMap;

use serde::Serialize;

use super::interval::{Interval, Method};
use super::{Estimate, student_t_quantile};

/// Mean with a clustered standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clustered {
    /// Mean of the values.
    pub mean: Estimate,
    /// Standard error of the mean; not estimable with fewer than two clusters.
    pub error: Estimate,
    /// Number of clusters.
    pub clusters: usize,
    /// Confidence interval: mean ± t · error, with one degree of freedom fewer than there are clusters. None if the
    /// error is 0, because equal clusters contain no information about their spread.
    pub interval: Option<Interval>,
}

/// Computes the mean of values and its standard error if the values of a cluster are correlated: the tasks of one
/// world, or the attempts of one task.
///
/// error² = C/(C−1) · Σ_c (Σ_{i in c} (x_i − x̄))² / n², with C clusters and n values: the clustered error of Miller
/// (arXiv 2411.00640, section 2.2) with the correction for few clusters that Inspect applies too.
pub fn clustered<'a>(values: impl IntoIterator<Item = (f64, &'a str)>) -> Clustered {
    let values: Vec<(f64, &str)> = values.into_iter().collect();
    let sum: f64 = values.iter().map(|(value, _)| value).sum();
    let n = values.len() as f64;
    let mean = sum / n;
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    // Values of a cluster are usually adjacent.
    for together in values.chunk_by(|(_, a), (_, b)| a == b) {
        let sum: f64 = together.iter().map(|(value, _)| value - mean).sum();
        *sums.entry(together[0].1).or_default() += sum;
    }
    let clusters = sums.len();
    if clusters < 2 {
        return Clustered {
            mean: if values.is_empty() {
                Estimate::NotEstimable
            } else {
                Estimate::Value(mean)
            },
            error: Estimate::NotEstimable,
            clusters,
            interval: None,
        };
    }
    let squares: f64 = sums.values().map(|sum| sum * sum).sum();
    let c = clusters as f64;
    let error = (c / (c - 1.0) * squares).sqrt() / n;
    let half = student_t_quantile(0.975, c - 1.0) * error;
    Clustered {
        mean: Estimate::Value(mean),
        error: Estimate::Value(error),
        clusters,
        interval: (error > 0.0).then_some(Interval {
            low: mean - half,
            high: mean + half,
            method: Method::Clustered,
        }),
    }
}
