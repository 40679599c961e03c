//! Charts of rates and differences with their intervals, as SVG, which needs no script and has text that can be copied
//! and searched.

use std::fmt::Write;

use mcpmark_metrics::Interval;

use super::charts::COLOURS;
use super::escape::text;
use crate::data::{Pair, Report};
use crate::numbers;
use crate::sanitise::line;

/// Significance level: differences with a larger or equal p-value are drawn as inconclusive.
const UNSURE: f64 = 0.05;

/// Maximum number of pairs of models that are drawn. The table contains all pairs.
const PAIRS: usize = 30;

/// Dimensions of the drawings, in units of the view box.
const NAMES: f64 = 250.0;
const PLOT: f64 = 360.0;
const VALUES: f64 = 250.0;
const ROW: f64 = 26.0;
const AXIS: f64 = 24.0;

/// Row of a chart.
struct Row {
    name: String,
    class: String,
    value: f64,
    interval: Option<Interval>,
    shown: String,
}

/// Draws pass@1 of each model for which it can be estimated.
pub(super) fn rates(out: &mut String, report: &Report) {
    let models = report.models.iter().enumerate();
    let rows: Vec<Row> = models
        .filter_map(|(place, model)| {
            let over = model.overall.score.pass_at.first();
            let interval = over.and_then(|over| over.interval);
            let value = model.overall.score.pass_1().value()?;
            Some(Row {
                name: line(&model.name).into_owned(),
                class: format!("m{}", place % COLOURS),
                value,
                interval,
                shown: format!(
                    "{} % ({})",
                    numbers::percent(Some(value)),
                    numbers::interval(interval)
                ),
            })
        })
        .collect();
    if !rows.is_empty() {
        figure(
            out,
            "pass@1 with 95 % intervals",
            "Share of attempts that passed, over tasks. Models whose intervals overlap may not differ.",
            &rows,
            (0.0, 1.0),
            |value| format!("{:.0} %", value * 100.0),
        );
    }
}

/// Draws the differences between models. Inconclusive differences are drawn hollow, and their text says so.
pub(super) fn differences(out: &mut String, report: &Report) {
    let rows: Vec<Row> = report
        .comparisons
        .iter()
        .take(PAIRS)
        .map(difference)
        .collect();
    if rows.is_empty() {
        return;
    }
    let far = rows
        .iter()
        .flat_map(|row| {
            let interval = row.interval.map(|interval| [interval.low, interval.high]);
            interval.into_iter().flatten().chain([row.value])
        })
        .fold(0.1_f64, |far, value| far.max(value.abs()));
    let rest = match report.comparisons.len().saturating_sub(PAIRS) {
        0 => String::new(),
        rest => format!(
            " The table below has {} more.",
            numbers::count(rest, "pair")
        ),
    };
    let caption = format!(
        "Percentage points by which the second model passes more, paired by task, with 95 % intervals. \
         Hollow: p is {UNSURE} or more after Holm's correction, so no difference is shown.{rest}"
    );
    figure(
        out,
        "Models compared",
        &caption,
        &rows,
        (-far, far),
        numbers::points,
    );
}

fn difference(pair: &Pair) -> Row {
    let is_shown = pair.p_holm < UNSURE;
    let verdict = if is_shown {
        format!(
            "{} (p {})",
            numbers::points(pair.comparison.difference),
            numbers::p(pair.p_holm)
        )
    } else {
        format!("not shown (p {})", numbers::p(pair.p_holm))
    };
    Row {
        name: format!("{} → {}", line(&pair.a), line(&pair.b)),
        class: if is_shown { "sure" } else { "unsure" }.to_owned(),
        value: pair.comparison.difference,
        interval: pair.comparison.interval,
        shown: verdict,
    }
}

fn figure(
    out: &mut String,
    title: &str,
    caption: &str,
    rows: &[Row],
    (low, high): (f64, f64),
    tick: impl Fn(f64) -> String,
) {
    let height = rows.len() as f64 * ROW;
    let x = |value: f64| NAMES + PLOT * (value - low) / (high - low);
    let _ = write!(
        out,
        "<figure class=\"intervals\"><h3>{0}</h3><svg viewBox=\"0 0 {1} {2}\" role=\"img\" aria-label=\"{0}. {3}\">",
        text(title),
        NAMES + PLOT + VALUES,
        height + AXIS,
        text(caption)
    );
    for place in 0..=4 {
        let value = low + (high - low) * f64::from(place) / 4.0;
        let at = x(value);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"0\" x2=\"{at:.1}\" y2=\"{height}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
            height + AXIS - 7.0,
            text(&tick(value))
        );
    }
    for (place, row) in rows.iter().enumerate() {
        let y = (place as f64 + 0.5) * ROW;
        let _ = write!(
            out,
            "<g class=\"{}\"><title>{}: {}</title><text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            row.class,
            text(&row.name),
            text(&row.shown),
            NAMES - 14.0,
            y + 5.0,
            text(&short(&row.name))
        );
        if let Some(interval) = row.interval {
            let (from, to) = (x(interval.low), x(interval.high));
            let _ = write!(
                out,
                "<path class=\"interval\" d=\"M{from:.1} {y:.1}H{to:.1}M{from:.1} {0:.1}V{1:.1}M{to:.1} {0:.1}V{1:.1}\"/>",
                y - 4.0,
                y + 4.0
            );
        }
        let _ = write!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\"/><text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            x(row.value),
            NAMES + PLOT + 14.0,
            y + 5.0,
            text(&row.shown)
        );
    }
    let _ = writeln!(
        out,
        "</svg><figcaption>{}</figcaption></figure>",
        text(caption)
    );
}

/// Maximum length of a name in a drawing, in characters.
const SHORT: usize = 34;

/// Shortens a long name in the middle.
fn short(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= SHORT {
        return name.to_owned();
    }
    let part = SHORT / 2;
    let head: String = characters[..part].iter().collect();
    let tail: String = characters[characters.len() - part + 1..].iter().collect();
    format!("{head}…{tail}")
}
