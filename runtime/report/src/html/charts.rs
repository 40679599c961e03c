//! Section of the page with charts, and the data for the script that draws them.

use std::fmt::Write;

use mcpmark_agent::failure::FailureClass;
use mcpmark_metrics::{Interval, OverTasks};
use serde_json::{Value, json};

use super::escape::text;
use super::intervals;
use crate::data::Report;
use crate::published::published;
use crate::render::Options;

/// Number of colours of models before they repeat. Must agree with `report.css`.
pub(super) const COLOURS: usize = 8;

/// Maximum number of tools in the chart of tool calls.
const TOOLS: usize = 12;

/// Maximum number of models for which turns are drawn, each in its own chart.
const TURN_CHARTS: usize = 12;

/// Writes the figures for which the experiment has data.
pub(super) fn figures(out: &mut String, report: &Report, options: &Options) {
    out.push_str("<section id=\"charts\">\n<h2>Charts</h2>\n<div class=\"figures\">\n");
    intervals::rates(out, report);
    intervals::differences(out, report);
    let has_cost = report
        .models
        .iter()
        .any(|model| model.overall.resources.cost_usd.mean.is_some());
    if has_cost || options.published {
        figure(
            out,
            "cost",
            "Cost against performance",
            "Mean cost of an attempt, on a logarithmic scale, and pass@1 with its 95 % interval. Up and \
             left is better. Models of unknown cost are missing.",
        );
    }
    if report.k > 1 {
        figure(
            out,
            "reliability",
            "More attempts",
            "pass@k, at least one of k attempts passes (solid), and pass^k, all k do (dashed), with 95 % \
             intervals.",
        );
    }
    if has_efforts(report) {
        figure(
            out,
            "effort",
            "Reasoning effort",
            "pass@1 of the same model at different efforts, with 95 % intervals. Efforts whose intervals \
             overlap may not differ.",
        );
    }
    if report.models.iter().any(|model| !model.failures.is_empty()) {
        figure(
            out,
            "failures",
            "Why attempts failed",
            "Failed attempts of each model by class. Implicit: it ended like a success and was \
             wrong. The others show in how they ended.",
        );
    }
    if report.models.iter().any(|model| !model.tools.is_empty()) {
        figure(
            out,
            "tools",
            "Tools used",
            "Calls per attempt of the most frequent tools.",
        );
    }
    for (place, model) in report.models.iter().enumerate().take(TURN_CHARTS) {
        if !model.turns.is_empty() {
            figure(
                out,
                &format!("turns-{place}"),
                &format!("Turns: {}", model.name),
                "Graded attempts by how many turns they took.",
            );
        }
    }
    out.push_str(
        "</div>\n<noscript><p>The charts need JavaScript; the tables below have their \
                  numbers.</p></noscript>\n</section>\n",
    );
}

fn figure(out: &mut String, id: &str, title: &str, caption: &str) {
    let title = text(title);
    let _ = writeln!(
        out,
        "<figure><h3>{title}</h3><div class=\"chart\"><canvas id=\"chart-{id}\" role=\"img\" \
         aria-label=\"{title}. {0} The tables below have the numbers.\"></canvas></div>\
         <figcaption>{0}</figcaption></figure>",
        text(caption)
    );
}

fn has_efforts(report: &Report) -> bool {
    report.models.iter().any(|a| {
        let same = |b: &&crate::ModelReport| b.model == a.model && b.effort != a.effort;
        a.model.is_some() && a.effort.is_some() && report.models.iter().any(|b| same(&b))
    })
}

/// Returns the data that `report.js` draws.
pub(super) fn data(report: &Report, options: &Options) -> Value {
    let classes: Vec<FailureClass> = FailureClass::ALL
        .into_iter()
        .filter(|class| {
            report
                .models
                .iter()
                .any(|model| model.failures.contains_key(class))
        })
        .collect();
    let mut tools: Vec<(&str, u64)> = Vec::new();
    for tool in report.models.iter().flat_map(|model| &model.tools) {
        match tools.iter_mut().find(|(name, _)| *name == tool.name) {
            Some((_, calls)) => *calls += tool.calls,
            None => tools.push((&tool.name, tool.calls)),
        }
    }
    tools.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    tools.truncate(TOOLS);
    let models: Vec<Value> = report
        .models
        .iter()
        .map(|model| {
            let score = &model.overall.score;
            let acted: usize = model.ended.values().sum();
            let calls = |name: &str| {
                let tool = model.tools.iter().find(|tool| tool.name == name);
                tool.map_or(0.0, |tool| tool.calls as f64 / acted.max(1) as f64)
            };
            let intervals = |over: &[OverTasks]| -> Vec<Option<[f64; 2]>> {
                let bounds = |interval: Interval| [interval.low, interval.high];
                over.iter().map(|over| over.interval.map(bounds)).collect()
            };
            json!({
                "name": shown(&model.name),
                "base": shown(model.model.as_deref().unwrap_or(&model.agent)),
                "effort": model.effort.as_deref().map(shown),
                "pass": score.pass_1(),
                "cost": model.overall.resources.cost_usd.mean,
                "at": score.pass_at.iter().map(|over| over.value).collect::<Vec<_>>(),
                "at_intervals": intervals(&score.pass_at),
                "hat_intervals": intervals(&score.pass_hat),
                "hat": score.pass_hat.iter().map(|over| over.value).collect::<Vec<_>>(),
                "failures": classes
                    .iter()
                    .map(|class| model.failures.get(class).copied().unwrap_or(0))
                    .collect::<Vec<_>>(),
                "tools": tools.iter().map(|(name, _)| calls(name)).collect::<Vec<_>>(),
                "turns": model.turns,
            })
        })
        .collect();
    let published: Vec<Value> = published()
        .iter()
        .filter(|_| options.published)
        .map(|model| {
            json!({
                "name": model.name,
                "pass": model.pass_1 / 100.0,
                "cost": model.mean(|s| s.cost_usd),
            })
        })
        .collect();
    json!({
        "models": models,
        "classes": classes,
        "tools": tools.iter().map(|(name, _)| shown(name)).collect::<Vec<_>>(),
        "published": published,
    })
}

/// Sanitises a name for a chart. A canvas does not interpret markup, but would draw invisible and reordering
/// characters.
fn shown(name: &str) -> String {
    crate::sanitise::line(name).into_owned()
}
