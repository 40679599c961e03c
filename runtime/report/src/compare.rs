//! Comparison of two models, paired by task, from one or two experiments.

use std::fmt::Write;

use mcpmark_metrics::{Comparison, Mean, Sample, TaskCount, holm};
use serde::Serialize;

use crate::build::samples_of;
use crate::columns::fold;
use crate::data::{Difference, ModelReport, Report};
use crate::differences::{SETTINGS, of_participants};
use crate::numbers::{self, NONE};
use crate::sanitise::line;
use crate::table::{Table, label, left, right, wrap};
use crate::tables;

/// Comparisons of pairs of models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Compared pairs.
    pub pairs: Vec<ComparedPair>,
}

/// Two models and their differences.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedPair {
    /// First model.
    pub a: Side,
    /// Second model.
    pub b: Side,
    /// Differences other than the model: agents and settings, and for two experiments also limits, engines and digests
    /// of tasks.
    pub differences: Vec<Difference>,
    /// Statistical comparison on the common tasks.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// p-value after Holm's correction for all pairs.
    pub p_holm: f64,
}

/// Model of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the model in that experiment.
    pub model: String,
    /// Resources that its attempts used.
    pub resources: mcpmark_metrics::Resources,
}

/// Errors of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The experiment does not have this model.
    #[error("experiment {experiment:?} does not have the model {model:?}; expected one of {known}")]
    NoModel {
        /// Name of the experiment.
        experiment: String,
        /// Requested model.
        model: String,
        /// Models of the experiment.
        known: String,
    },
    /// The experiment has this model with several settings.
    #[error(
        "experiment {experiment:?} has the model {model:?} with several settings; expected one of {known}"
    )]
    Ambiguous {
        /// Name of the experiment.
        experiment: String,
        /// Requested model.
        model: String,
        /// Names of the candidates.
        known: String,
    },
    /// The experiments have several models, but none in common.
    #[error(
        "experiments {a:?} and {b:?} have no model in common; choose one of each as EXPERIMENT:MODEL ({known})"
    )]
    NoPair {
        /// Name of the first experiment.
        a: String,
        /// Name of the second experiment.
        b: String,
        /// Models of both experiments.
        known: String,
    },
    /// No task has graded attempts of both models.
    #[error("{a} and {b} have no common task with a grade of each{}", other_tasks(.changed))]
    NoTask {
        /// Number of common tasks whose digests differ.
        changed: usize,
        /// Name of the first model.
        a: String,
        /// Name of the second model.
        b: String,
    },
}

fn other_tasks(changed: &usize) -> String {
    match *changed {
        0 => String::new(),
        1 => "; one task has the same name and different digests".to_owned(),
        changed => format!("; {changed} tasks have the same name and different digests"),
    }
}

/// Compares two models of the experiments in a report. Each is given by the name of its experiment, and the name of the
/// model if there are several. Without names of models, models with the same name in both experiments are compared.
///
/// # Errors
///
/// Returns an error if a model does not exist or is ambiguous, or if no pair or no common task exists.
pub fn compare(
    report: &Report,
    a: (&str, Option<&str>),
    b: (&str, Option<&str>),
) -> Result<Compared, CompareError> {
    let (first, second) = (chosen(report, a)?, chosen(report, b)?);
    let pairs: Vec<(&ModelReport, &ModelReport)> = match (&*first, &*second) {
        ([a], [b]) => vec![(*a, *b)],
        _ => first
            .iter()
            .filter_map(|a| {
                let same = second.iter().find(|b| b.own_name == a.own_name);
                Some((*a, *same?))
            })
            .collect(),
    };
    if pairs.is_empty() {
        return Err(CompareError::NoPair {
            a: a.0.to_owned(),
            b: b.0.to_owned(),
            known: names(first.iter().chain(&second).copied()),
        });
    }
    let of_experiments: Vec<&Difference> = report
        .differences
        .iter()
        .filter(|one| !one.what.starts_with(SETTINGS))
        .collect();
    let changed = of_experiments
        .iter()
        .filter(|one| one.is_of_task() && !one.values.iter().any(|it| it == NONE))
        .count();
    let comparisons: Vec<Comparison> = pairs
        .iter()
        .map(|(model_a, model_b)| {
            paired(report, model_a, model_b).ok_or_else(|| CompareError::NoTask {
                a: format!("{}:{}", a.0, model_a.own_name),
                b: format!("{}:{}", b.0, model_b.own_name),
                changed,
            })
        })
        .collect::<Result<_, _>>()?;
    let values: Vec<f64> = comparisons.iter().map(|comparison| comparison.p).collect();
    let side = |model: &ModelReport| Side {
        experiment: model.experiment.clone(),
        model: model.own_name.clone(),
        resources: model.overall.resources,
    };
    // The experiments of the report may be in reverse order.
    let is_swapped = report
        .experiments
        .first()
        .is_some_and(|one| one.name != a.0);
    let between = |model_a: &ModelReport, model_b: &ModelReport| {
        let mut differences = of_participants(model_a, model_b);
        differences.extend(of_experiments.iter().map(|one| {
            let mut one = (*one).clone();
            if is_swapped {
                one.values.reverse();
            }
            one
        }));
        differences
    };
    Ok(Compared {
        pairs: pairs
            .into_iter()
            .zip(comparisons)
            .zip(holm(&values))
            .map(|(((model_a, model_b), comparison), p_holm)| ComparedPair {
                a: side(model_a),
                b: side(model_b),
                differences: between(model_a, model_b),
                comparison,
                p_holm,
            })
            .collect(),
    })
}

fn chosen<'a>(
    report: &'a Report,
    (experiment, name): (&str, Option<&str>),
) -> Result<Vec<&'a ModelReport>, CompareError> {
    let own = || {
        let models = report.models.iter();
        models.filter(|model| model.experiment == experiment)
    };
    let Some(name) = name else {
        return Ok(own().collect());
    };
    if let Some(model) = own().find(|model| model.own_name == name) {
        return Ok(vec![model]);
    }
    let is_named = |model: &&ModelReport| model.model.as_deref().unwrap_or(&model.agent) == name;
    let found: Vec<&ModelReport> = own().filter(is_named).collect();
    let (experiment, model) = (experiment.to_owned(), name.to_owned());
    match &*found {
        [_] => Ok(found),
        [] => Err(CompareError::NoModel {
            experiment,
            model,
            known: names(own()),
        }),
        several => Err(CompareError::Ambiguous {
            experiment,
            model,
            known: names(several.iter().copied()),
        }),
    }
}

fn names<'a>(models: impl Iterator<Item = &'a ModelReport>) -> String {
    let mut names: Vec<&str> = models.map(|model| model.own_name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

fn paired(report: &Report, a: &ModelReport, b: &ModelReport) -> Option<Comparison> {
    let (first, second) = (samples_of(report, a), samples_of(report, b));
    Comparison::of(&named(report, &first), &named(report, &second))
}

fn named<'a>(report: &'a Report, samples: &[(usize, u32, Option<bool>)]) -> Vec<Sample<'a>> {
    samples
        .iter()
        .map(|(task, k, passed)| Sample {
            task: &report.tasks[*task].id,
            world: report.tasks[*task].world(),
            k: *k,
            passed: *passed,
        })
        .collect()
}

impl Compared {
    /// Formats the comparison as text with lines of at most `width` columns.
    pub fn text(&self, width: Option<usize>) -> String {
        let mut out = String::new();
        for (place, pair) in self.pairs.iter().enumerate() {
            if place > 0 {
                out.push('\n');
            }
            self.pair(&mut out, pair, width);
        }
        out
    }

    fn pair(&self, out: &mut String, pair: &ComparedPair, width: Option<usize>) {
        let name = |side: &Side| line(&format!("{}:{}", side.experiment, side.model)).into_owned();
        let comparison = &pair.comparison;
        for (which, side) in [("a", &pair.a), ("b", &pair.b)] {
            let mut lead = which;
            for line in fold(
                &name(side),
                width.map_or(usize::MAX, |width| width.saturating_sub(3)),
            ) {
                let _ = writeln!(out, "{lead}  {line}");
                lead = " ";
            }
        }
        out.push('\n');
        let mut table = Table::new(
            "",
            vec![
                label(""),
                right("a"),
                right("b"),
                right("b − a"),
                left("95 %"),
            ],
        );
        table.row(vec![
            "pass@1".to_owned(),
            numbers::percent(Some(comparison.rate_a)),
            numbers::percent(Some(comparison.rate_b)),
            numbers::points(comparison.difference),
            numbers::difference_interval(comparison.interval),
        ]);
        table.row(vec![
            "  clustered by world".to_owned(),
            String::new(),
            String::new(),
            String::new(),
            numbers::difference_interval(comparison.clustered.interval),
        ]);
        let (a, b) = (&pair.a.resources, &pair.b.resources);
        type Row = (&'static str, Mean, Mean, fn(Mean) -> String);
        let rows: [Row; 6] = [
            ("turns", a.turns, b.turns, numbers::mean),
            ("tool calls", a.tool_calls, b.tool_calls, numbers::mean),
            (
                "input tokens, k",
                a.input_tokens,
                b.input_tokens,
                numbers::thousands,
            ),
            (
                "output tokens, k",
                a.output_tokens,
                b.output_tokens,
                numbers::thousands,
            ),
            ("USD", a.cost_usd, b.cost_usd, numbers::dollars),
            ("seconds", a.seconds, b.seconds, numbers::mean),
        ];
        for (what, a, b, show) in rows {
            if a.mean.is_some() || b.mean.is_some() {
                table.row(vec![
                    what.to_owned(),
                    show(a),
                    show(b),
                    String::new(),
                    String::new(),
                ]);
            }
        }
        out.push_str(&table.text(width));
        let mut verdict = format!(
            "p = {} ({}; {} of both",
            numbers::p(comparison.p),
            comparison.method.as_str(),
            numbers::count(comparison.tasks, "task"),
        );
        if comparison.left_out > 0 {
            let _ = write!(verdict, ", {} only of one", comparison.left_out);
        }
        verdict.push(')');
        if self.pairs.len() > 1 {
            let _ = write!(verdict, "; {} after Holm", numbers::p(pair.p_holm));
        }
        let _ = write!(out, "\n{}", wrap(&verdict, width));
        if !pair.differences.is_empty() {
            let differing = tables::differing(["a", "b"].into_iter(), &pair.differences);
            let _ = write!(
                out,
                "\n{}{}",
                wrap("what differs beside:", width),
                differing.text(width)
            );
        } else if pair.a.experiment != pair.b.experiment {
            let same = "agents, settings, tasks, attempts, limits and engine do not differ";
            let _ = write!(out, "\n{}", wrap(same, width));
        }
        if comparison.flips.is_empty() {
            out.push_str("\nthey do not differ on any task\n");
            return;
        }
        let mut flips = Table::new("", vec![label("tasks that differ"), right("a"), right("b")]);
        let shown = |count: TaskCount| format!("{}/{}", count.passed, count.graded);
        for flip in &comparison.flips {
            flips.row(vec![
                line(&flip.task).into_owned(),
                shown(flip.a),
                shown(flip.b),
            ]);
        }
        let _ = write!(out, "\n{}", flips.text(width));
    }
}
