//! Report as CSV: one flat table with a row for each model and each group of tasks.
//!
//! The crate `csv` reads the rows in the tests, but does not write them: it quotes a field only if its characters
//! require it, while a field that a spreadsheet would interpret as a formula is always quoted here. With the writer of
//! the crate, the bytes of reports with such names would change.

use mcpmark_metrics::{Estimate, Interval};

use crate::data::{ModelReport, Report, Slice};
use crate::published::{Figure, PublishedModel, published};

const HEADER: &str = "source,experiment,model,agent,effort,group,name,tasks,attempts,graded,passed,\
pass_at_1,pass_at_1_sd,pass_at_1_sample_sd,pass_at_1_low,pass_at_1_high,pass_at_1_se_by_world,k,\
pass_at_k,pass_hat_k,worst,best,input_tokens,output_tokens,cost_usd,turns,tool_calls,seconds,mean_score";

/// Renders the table. Rates are shares from 0 to 1, and unknown values are empty fields.
pub(crate) fn csv(report: &Report, with_published: bool) -> String {
    let mut out = format!("{HEADER}\n");
    for model in &report.models {
        row(&mut out, report, model, "all", "", &model.overall);
        for (kind, groups) in [
            ("service", &model.services),
            ("tier", &model.tiers),
            ("world", &model.worlds),
            ("tag", &model.tags),
        ] {
            for group in groups {
                row(&mut out, report, model, kind, &group.name, &group.slice);
            }
        }
    }
    if with_published {
        for model in published() {
            let tasks: u32 = model.services.iter().map(|service| service.tasks).sum();
            let overall = Published {
                group: "all",
                name: "",
                tasks,
                rates: [
                    Some(model.pass_1),
                    Some(model.pass_1_sd),
                    model.pass_at_4,
                    model.pass_hat_4,
                ],
                means: MEANS.map(|(_, mean)| model.mean(mean)),
            };
            overall.row(&mut out, model);
            for service in &model.services {
                let of_service = Published {
                    group: "service",
                    name: service.service,
                    tasks: service.tasks,
                    rates: [
                        Some(service.pass_1),
                        service.pass_1_sd,
                        service.pass_at_4,
                        service.pass_hat_4,
                    ],
                    means: MEANS.map(|(_, mean)| mean(service)),
                };
                of_service.row(&mut out, model);
            }
        }
    }
    out
}

/// Columns of published resource means.
const MEANS: [(&str, Figure); 5] = [
    ("input_tokens", |s| s.input_tokens),
    ("output_tokens", |s| s.output_tokens),
    ("cost_usd", |s| s.cost_usd),
    ("turns", |s| s.turns),
    ("tool_calls", |s| s.tool_calls),
];

/// Row of published results.
struct Published {
    group: &'static str,
    name: &'static str,
    tasks: u32,
    /// pass@1, its standard deviation, pass@4 and pass^4, in per cent.
    rates: [Option<f64>; 4],
    /// Means in the order of [`MEANS`].
    means: [Option<f64>; 5],
}

impl Published {
    fn row(&self, out: &mut String, model: &PublishedModel) {
        let attempts = (self.tasks * model.runs()).to_string();
        let [pass_1, sd, at, hat] = self.rates.map(|rate| number(rate.map(|rate| rate / 100.0)));
        let fields = HEADER.split(',').map(|column| match column {
            "source" => "arXiv 2509.24002".to_owned(),
            "model" => model.name.to_owned(),
            "group" => self.group.to_owned(),
            "name" => self.name.to_owned(),
            "tasks" => self.tasks.to_string(),
            "attempts" | "graded" => attempts.clone(),
            "pass_at_1" => pass_1.clone(),
            "pass_at_1_sd" => sd.clone(),
            "k" => model.runs().to_string(),
            "pass_at_k" => at.clone(),
            "pass_hat_k" => hat.clone(),
            column => {
                let means = MEANS.iter().zip(self.means);
                let mut named = means.filter(|((name, _), _)| *name == column);
                number(named.next().and_then(|(_, mean)| mean))
            }
        });
        push(out, &fields.collect::<Vec<_>>());
    }
}

fn row(
    out: &mut String,
    report: &Report,
    model: &ModelReport,
    kind: &str,
    name: &str,
    slice: &Slice,
) {
    let (score, resources) = (&slice.score, &slice.resources);
    let estimate = |estimate: Estimate| number(estimate.value());
    let end = |end: fn(&Interval) -> f64| {
        let first = score.pass_at.first().and_then(|over| over.interval);
        number(first.as_ref().map(end))
    };
    let at = |list: &[mcpmark_metrics::OverTasks]| {
        number(
            list.get(report.k.saturating_sub(1) as usize)
                .and_then(|over| over.value.value()),
        )
    };
    push(
        out,
        &[
            "mcpmark".to_owned(),
            model.experiment.clone(),
            model.own_name.clone(),
            model.agent.clone(),
            model.effort.clone().unwrap_or_default(),
            kind.to_owned(),
            name.to_owned(),
            score.tasks.to_string(),
            score.attempts.to_string(),
            score.graded.to_string(),
            score.passed.to_string(),
            estimate(score.pass_1()),
            estimate(score.runs.population_sd),
            estimate(score.runs.sample_sd),
            end(|interval| interval.low),
            end(|interval| interval.high),
            estimate(score.clustered.error),
            report.k.to_string(),
            at(&score.pass_at),
            at(&score.pass_hat),
            estimate(score.bounds.worst),
            estimate(score.bounds.best),
            number(resources.input_tokens.mean),
            number(resources.output_tokens.mean),
            number(resources.cost_usd.mean),
            number(resources.turns.mean),
            number(resources.tool_calls.mean),
            number(resources.seconds.mean),
            number(slice.mean_score),
        ],
    );
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    })
}

fn push(out: &mut String, fields: &[String]) {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    out.push_str(&fields.join(","));
    out.push('\n');
}

/// Quotes a field according to RFC 4180. Prefixes `'` to fields that a spreadsheet would interpret as a formula,
/// including those that start with a full-width character.
fn quoted(field: &str) -> String {
    let field = crate::sanitise::line(field);
    let formula = field.starts_with(['=', '+', '@', '\t', '＝', '＋', '－', '＠'])
        || (field.starts_with('-') && field.parse::<f64>().is_err());
    let guard = if formula { "'" } else { "" };
    if formula || field.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", field.replace('"', "\"\""))
    } else {
        field.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::push;

    proptest! {
        #[test]
        fn rows_are_read_by_the_crate_csv(
            fields in proptest::collection::vec("[a-c0-9=+@＝－ ,;'\"\r\n\t-]{0,12}", 2..6),
        ) {
            let mut text = String::new();
            push(&mut text, &fields);
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .from_reader(text.as_bytes());
            let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(rows.len(), 1);
            prop_assert_eq!(rows[0].len(), fields.len());
            for (read, field) in rows[0].iter().zip(&fields) {
                let field = crate::sanitise::line(field);
                prop_assert_eq!(read.strip_prefix('\'').filter(|it| *it == field).unwrap_or(read), field);
                prop_assert!(!read.starts_with(['=', '+', '@', '\t']), "{}", read);
            }
        }
    }
}
