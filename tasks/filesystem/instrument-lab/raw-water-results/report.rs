//! The three files that tell the results.

use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest::{Csv, numbers};

use crate::rules::{Outcome, Parameter, Project};

pub const HEADER: [&str; 8] = [
    "sample",
    "site",
    "taken",
    "parameter",
    "value",
    "unit",
    "batch",
    "mark",
];
pub const RESULTS: &str = "reports/P-2411/results.csv";
pub const SUMMARY: &str = "reports/P-2411/summary.json";
pub const EXCEEDANCES: &str = "reports/P-2411/exceedances.md";

fn value(outcome: &Outcome, parameter: &Parameter) -> String {
    if outcome.is_below {
        format!("<{}", numbers::fixed(outcome.loq, parameter.decimals))
    } else {
        numbers::fixed(outcome.amount, parameter.decimals)
    }
}

fn mark(outcome: Option<&Outcome>, parameter: &Parameter) -> &'static str {
    match outcome {
        None => "none",
        Some(outcome) if outcome.is_below => "below",
        Some(outcome) if parameter.limit.is_some_and(|limit| outcome.amount > limit) => "exceeds",
        Some(_) => "",
    }
}

pub fn rows(project: &Project) -> Vec<[String; 8]> {
    let mut rows = Vec::new();
    for sample in &project.samples {
        for (parameter, outcome) in project.parameters.iter().zip(&sample.outcomes) {
            let outcome = outcome.as_ref();
            rows.push([
                sample.id.clone(),
                sample.site.clone(),
                sample.taken.strftime("%Y-%m-%dT%H:%MZ").to_string(),
                parameter.name.clone(),
                outcome.map_or_else(String::new, |outcome| value(outcome, parameter)),
                parameter.unit.clone(),
                outcome.map_or_else(String::new, |outcome| outcome.batch.clone()),
                mark(outcome, parameter).to_owned(),
            ]);
        }
    }
    rows
}

pub fn table(rows: &[[String; 8]]) -> String {
    std::iter::once(Csv::line(HEADER))
        .chain(rows.iter().map(Csv::line))
        .collect()
}

pub fn summary(project: &Project) -> Value {
    let parameters: Vec<Value> = project
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let outcomes = || {
                project
                    .samples
                    .iter()
                    .filter_map(|sample| Some((sample, sample.outcomes[index].as_ref()?)))
            };
            let results = outcomes().count();
            let count = |wanted: &str| {
                outcomes()
                    .filter(|(_, outcome)| mark(Some(outcome), parameter) == wanted)
                    .count()
            };
            // Of equal results, the first of the register.
            let highest =
                outcomes()
                    .filter(|(_, outcome)| !outcome.is_below)
                    .reduce(|best, next| {
                        if next.1.amount > best.1.amount {
                            next
                        } else {
                            best
                        }
                    });
            json!({
                "parameter": parameter.name,
                "unit": parameter.unit,
                "results": results,
                "below": count("below"),
                "exceeding": count("exceeds"),
                "missing": project.samples.len() - results,
                "highest": highest.map(|(_, outcome)| value(outcome, parameter)),
                "sample": highest.map(|(sample, _)| sample.id.clone()),
            })
        })
        .collect();
    json!({
        "project": project.id,
        "client": project.client,
        "samples": project.samples.len(),
        "parameters": parameters,
    })
}

/// JSON, indented by two blanks a level.
pub fn indented(value: &Value) -> String {
    let text = mcpmark_guest::serde_json::to_string_pretty(value);
    text.expect("a value is JSON") + "\n"
}

pub fn exceedances(project: &Project) -> String {
    let mut list = String::new();
    let (mut exceeding, mut results) = (0, 0);
    for sample in &project.samples {
        for (parameter, outcome) in project.parameters.iter().zip(&sample.outcomes) {
            let Some(outcome) = outcome else { continue };
            results += 1;
            if let (Some(limit), "exceeds") = (parameter.limit, mark(Some(outcome), parameter)) {
                exceeding += 1;
                list.push_str(&format!(
                    "- {}, {}: {} {} {} (limit {limit})\n",
                    sample.id,
                    sample.site,
                    parameter.name,
                    value(outcome, parameter),
                    parameter.unit
                ));
            }
        }
    }
    if list.is_empty() {
        list.push_str("- none\n");
    }
    format!(
        "# {}: {}\n\n{exceeding} of {results} results exceed a limit.\n\n{list}",
        project.id, project.title
    )
}
