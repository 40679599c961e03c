//! Progress of one model: finished attempts, cost and remaining time.

use std::time::Duration;

use indicatif::ProgressBar;
use mcpmark_experiment::Cost;
use mcpmark_experiment::journal::AttemptRow;

use crate::output::sanitise;

/// Progress of a model.
#[derive(Default)]
pub(super) struct ModelProgress {
    pub(super) bar: Option<ProgressBar>,
    pub(super) planned: u32,
    pub(super) done: u32,
    /// Number of attempts made before this run.
    before: u32,
    pub(super) passed: u32,
    pub(super) failed: u32,
    /// Known cost; `None` until a request was made.
    pub(super) cost: Option<Cost>,
    /// True if the cost of a request is unknown.
    pub(super) unknown: bool,
}

impl ModelProgress {
    /// Updates the bar of the model, if there is one.
    pub(super) fn show(&self, model: &str, since: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.line(model, since));
        }
    }

    /// Formats the progress as a line.
    pub(super) fn line(&self, model: &str, since: Duration) -> String {
        let cost = match (self.cost, self.unknown) {
            (None, false) => String::new(),
            (Some(cost), false) => format!(", {cost}"),
            (None | Some(Cost::ZERO), true) => ", cost unknown".to_owned(),
            (Some(cost), true) => format!(", {cost}+"),
        };
        let left = match self.done - self.before {
            0 => String::new(),
            _ if self.done >= self.planned => String::new(),
            done => {
                let each = since.as_secs_f64() / f64::from(done);
                let left = each * f64::from(self.planned - self.done);
                format!(
                    ", about {} left",
                    indicatif::HumanDuration(Duration::from_secs_f64(left))
                )
            }
        };
        format!(
            "{}  {}/{} done, {} passed, {} failed{cost}{left}",
            sanitise::line(model),
            self.done,
            self.planned,
            self.passed,
            self.failed
        )
    }

    /// Counts an attempt that was made before this run.
    pub(super) fn count(&mut self, row: &AttemptRow) {
        let passed = row.passed();
        self.done += 1;
        self.before += 1;
        self.passed += u32::from(passed == Some(true));
        self.failed += u32::from(passed == Some(false));
    }

    /// Adds the cost of a request, which may be unknown.
    pub(super) fn spend(&mut self, cost: Option<Cost>) {
        let before = self.cost.unwrap_or(Cost::ZERO);
        match cost.and_then(|cost| before.checked_add(cost)) {
            Some(sum) => self.cost = Some(sum),
            None => self.unknown = true,
        }
    }
}
