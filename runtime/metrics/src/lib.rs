//! Metrics of an experiment: pure functions over plain data.
//!
//! A [`Sample`] is the result of one attempt. [`Score`] summarises the samples of one model over some tasks: pass@1
//! over runs, pass@k and pass^k, confidence intervals, and bounds for ungraded attempts. [`Comparison`] pairs two
//! models by task. [`Resources`] has the mean consumption of attempts.
//!
//! A metric that the data do not determine is [`Estimate::NotEstimable`]; it is never 0 and never NaN. Every interval
//! is a 95 % interval. Random draws use a fixed seed, so that the same attempts give the same report.
//!
//! ```
//! use mcpmark_metrics::{Estimate, pass_at_k, pass_hat_k};
//!
//! // One of four attempts passed.
//! assert_eq!(pass_at_k(4, 1, 2), Estimate::Value(0.5));
//! assert_eq!(pass_hat_k(4, 1, 2), Estimate::Value(0.0));
//! assert_eq!(pass_at_k(4, 1, 5), Estimate::NotEstimable);
//! ```

mod bootstrap;
mod cluster;
mod compare;
mod interval;
mod pass;
mod permutation;
mod resources;
mod score;
mod special;

pub use self::bootstrap::{RESAMPLES, mean_interval};
pub use self::cluster::{Clustered, clustered};
pub use self::compare::{Comparison, Flip, Method as TestMethod, holm, mcnemar};
pub use self::interval::{Interval, Method, wilson};
pub use self::pass::{
    Estimator, OverTasks, Runs, TaskCount, over_tasks, over_tasks_plain, pass_at_k, pass_hat_k,
};
pub use self::permutation::{PermutationTest, paired_permutation};
pub use self::resources::{Consumption, Mean, Resources};
pub use self::score::{Bounds, Sample, Score, counts};
pub use self::special::student_t_quantile;

use serde::{Serialize, Serializer};

/// Estimated metric, if the data suffice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimate {
    /// Value of the estimate.
    Value(f64),
    /// Not estimable, because there are too few graded attempts.
    NotEstimable,
}

impl Estimate {
    /// Returns the value, if there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotEstimable => None,
        }
    }

    /// Returns the mean of the values; not estimable without values.
    pub fn mean(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::NotEstimable;
        }
        Self::Value(values.iter().sum::<f64>() / values.len() as f64)
    }
}

impl Serialize for Estimate {
    /// Serializes the value, or null.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
