//! Formatting of numbers in tables. Unknown values are a dash.

use mcpmark_journal::decimals;
use mcpmark_metrics::{Estimate, Interval, Mean, OverTasks, Score};

/// Placeholder for an unknown value.
pub(crate) const NONE: &str = "–";

/// Formats a share as a percentage with two decimals, as in the published tables.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or(NONE.to_owned(), |share| format!("{:.2}", share * 100.0))
}

/// Formats an estimate as a percentage. Appends `*` if tasks with too few grades are left out.
pub(crate) fn over(estimate: Option<&OverTasks>) -> String {
    let Some(estimate) = estimate else {
        return NONE.to_owned();
    };
    let mark = if estimate.left_out > 0 && estimate.value != Estimate::NotEstimable {
        "*"
    } else {
        ""
    };
    format!("{}{mark}", percent(estimate.value.value()))
}

/// Formats pass@1 with its standard deviation over runs, as in `52.56 ± 1.29`.
pub(crate) fn pass_1(score: &Score) -> String {
    match score.pass_1().value() {
        None => NONE.to_owned(),
        Some(rate) => format!(
            "{} ± {}",
            percent(Some(rate)),
            percent(score.runs.population_sd.value())
        ),
    }
}

/// Formats an interval in per cent, as in `48.1–57.0`.
pub(crate) fn interval(interval: Option<Interval>) -> String {
    interval.map_or(NONE.to_owned(), |interval| {
        format!("{:.1}–{:.1}", interval.low * 100.0, interval.high * 100.0)
    })
}

/// Formats the interval of a difference in percentage points, as in `−3.1 to 8.4`.
pub(crate) fn difference_interval(interval: Option<Interval>) -> String {
    interval.map_or(NONE.to_owned(), |interval| {
        format!("{} to {}", points(interval.low), points(interval.high))
    })
}

/// Formats a difference in percentage points, as in `+4.2`.
pub(crate) fn points(difference: f64) -> String {
    let text = format!("{:+.1}", difference * 100.0);
    if text == "-0.0" {
        return "+0.0".to_owned();
    }
    text.replace('-', "−")
}

/// Formats a p-value.
pub(crate) fn p(value: f64) -> String {
    if value < 0.0001 {
        "< 0.0001".to_owned()
    } else {
        format!("{value:.4}")
    }
}

/// Formats a mean with one decimal. Appends `*` if the value is unknown for some attempts.
pub(crate) fn mean(mean: Mean) -> String {
    marked(mean, |value| format!("{value:.1}"))
}

/// Formats a mean number of tokens in thousands.
pub(crate) fn thousands(mean: Mean) -> String {
    marked(mean, |value| format!("{:.1}", value / 1000.0))
}

/// Formats a mean cost in US dollars.
pub(crate) fn dollars(mean: Mean) -> String {
    marked(mean, decimals)
}

fn marked(mean: Mean, format: impl Fn(f64) -> String) -> String {
    let Some(value) = mean.mean else {
        return NONE.to_owned();
    };
    let mark = if mean.unknown > 0 { "*" } else { "" };
    format!("{}{mark}", format(value))
}

/// Formats a number with its noun, as in `1 task` and `2 tasks`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
