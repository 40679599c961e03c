//! Confidence intervals of proportions and means.

use serde::Serialize;

/// 0.975 quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Method of the computation.
    pub method: Method,
}

/// Method of a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Wilson's score interval of a proportion.
    Wilson,
    /// Percentiles of a bootstrap by task.
    Bootstrap,
    /// Normal approximation of the bootstrap by task, for many tasks.
    Normal,
    /// Student's t with a standard error clustered by world.
    Clustered,
}

impl Method {
    /// Returns the name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wilson => "Wilson",
            Self::Bootstrap => "bootstrap by task",
            Self::Normal => "normal, by task",
            Self::Clustered => "clustered by world",
        }
    }
}

/// Computes Wilson's score interval of a proportion (Wilson 1927; recommended by arXiv 2503.01747 for evaluations with
/// a few hundred items). `successes` may be a sum of fractions. Returns none without trials.
pub fn wilson(successes: f64, trials: usize) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let p = successes / n;
    let z2 = Z * Z;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval {
        low: if successes <= 0.0 {
            0.0
        } else {
            (centre - half).max(0.0)
        },
        high: if successes >= n {
            1.0
        } else {
            (centre + half).min(1.0)
        },
        method: Method::Wilson,
    })
}

/// Returns the normal interval `mean` ± z · `error`.
pub(super) fn normal(mean: f64, error: f64) -> Interval {
    Interval {
        low: mean - Z * error,
        high: mean + Z * error,
        method: Method::Normal,
    }
}
