//! Published results of 20 models, for display next to the results of an experiment.

use std::sync::LazyLock;

use mcpmark_metadata as metadata;

/// Source of the published results.
pub(crate) const CITATION: &str =
    "MCPMark: A Benchmark for Stress-Testing Realistic and Comprehensive MCP Use, arXiv 2509.24002";

const OVERALL: &str = include_str!("../data/published-overall.csv");
const BY_SERVICE: &str = include_str!("../data/published-by-service.csv");

/// Services of the published benchmark, with their numbers of tasks.
const SERVICES: [(&str, u32); 5] = [
    ("filesystem", 30),
    ("github", 23),
    ("notion", 28),
    ("playwright", 25),
    ("postgres", 21),
];

/// Published results of a model, as percentages over 127 tasks and four runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedModel {
    /// Name of the model, with the reasoning effort if it was set.
    pub name: &'static str,
    /// pass@1, in per cent.
    pub pass_1: f64,
    /// Standard deviation over runs with the divisor n, in percentage points.
    pub pass_1_sd: f64,
    /// pass@4, in per cent. `None` for a model with one run.
    pub pass_at_4: Option<f64>,
    /// pass^4, in per cent. `None` for a model with one run.
    pub pass_hat_4: Option<f64>,
    /// Results by service, in the order of the publication.
    pub services: Vec<PublishedService>,
}

/// Results of a [`PublishedModel`] for one service.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedService {
    /// Name of the service.
    pub service: &'static str,
    /// Number of tasks.
    pub tasks: u32,
    /// pass@1, in per cent.
    pub pass_1: f64,
    /// Standard deviation over runs with the divisor n, in percentage points.
    pub pass_1_sd: Option<f64>,
    /// pass@4, in per cent. `None` for a model with one run.
    pub pass_at_4: Option<f64>,
    /// pass^4, in per cent. `None` for a model with one run.
    pub pass_hat_4: Option<f64>,
    /// Mean number of input tokens for each attempt.
    pub input_tokens: Option<f64>,
    /// Mean number of output tokens for each attempt.
    pub output_tokens: Option<f64>,
    /// Mean cost of an attempt, in US dollars. 0 means less than a cent.
    pub cost_usd: Option<f64>,
    /// Mean number of turns for each attempt.
    pub turns: Option<f64>,
    /// Mean number of tool calls for each attempt.
    pub tool_calls: Option<f64>,
}

/// Accessor of a figure of a service, which returns `None` if it was not published.
pub(crate) type Figure = fn(&PublishedService) -> Option<f64>;

impl PublishedModel {
    /// Returns the number of runs of each task.
    pub fn runs(&self) -> u32 {
        if self.pass_at_4.is_some() { 4 } else { 1 }
    }

    /// Returns the mean of a figure over all tasks, or `None` if it is missing for a service.
    pub fn mean(&self, figure: impl Fn(&PublishedService) -> Option<f64>) -> Option<f64> {
        let tasks: u32 = self.services.iter().map(|service| service.tasks).sum();
        let sum: Option<f64> = self
            .services
            .iter()
            .map(|service| Some(figure(service)? * f64::from(service.tasks)))
            .sum();
        Some(sum? / f64::from(tasks))
    }
}

/// Returns the published results, ordered by pass@1 from best to worst.
pub fn published() -> &'static [PublishedModel] {
    static MODELS: LazyLock<Vec<PublishedModel>> = LazyLock::new(|| {
        let mut models: Vec<PublishedModel> = OVERALL.lines().skip(1).map(model).collect();
        models.sort_by(|a, b| b.pass_1.total_cmp(&a.pass_1));
        models
    });
    &MODELS
}

/// Returns the published results for the JSON report, with rates as shares from 0 to 1.
pub(crate) fn document() -> metadata::PublishedResults {
    let share = |rate: Option<f64>| rate.map(|rate| rate / 100.0);
    let service = |it: &PublishedService| metadata::PublishedService {
        service: it.service.to_owned(),
        tasks: it.tasks,
        pass_at_1: it.pass_1 / 100.0,
        pass_at_1_sd: share(it.pass_1_sd),
        pass_at_4: share(it.pass_at_4),
        pass_hat_4: share(it.pass_hat_4),
        input_tokens: it.input_tokens,
        output_tokens: it.output_tokens,
        cost_usd: it.cost_usd,
        turns: it.turns,
        tool_calls: it.tool_calls,
    };
    let model = |it: &PublishedModel| metadata::PublishedModel {
        name: it.name.to_owned(),
        runs: it.runs(),
        pass_at_1: it.pass_1 / 100.0,
        pass_at_1_sd: it.pass_1_sd / 100.0,
        pass_at_4: share(it.pass_at_4),
        pass_hat_4: share(it.pass_hat_4),
        input_tokens: it.mean(|s| s.input_tokens),
        output_tokens: it.mean(|s| s.output_tokens),
        cost_usd: it.mean(|s| s.cost_usd),
        turns: it.mean(|s| s.turns),
        tool_calls: it.mean(|s| s.tool_calls),
        services: it.services.iter().map(service).collect(),
    };
    metadata::PublishedResults {
        source: CITATION.to_owned(),
        tasks: 127,
        models: published().iter().map(model).collect(),
    }
}

fn model(line: &'static str) -> PublishedModel {
    let fields: Vec<&'static str> = line.split(',').collect();
    let number = |index: usize| fields.get(index).and_then(|field| field.parse().ok());
    let name = fields[0];
    PublishedModel {
        name,
        pass_1: number(6).unwrap_or_default(),
        pass_1_sd: number(7).unwrap_or_default(),
        pass_at_4: number(8),
        pass_hat_4: number(9),
        services: SERVICES
            .iter()
            .zip(1..)
            .map(|(&(service, tasks), column)| {
                let row = BY_SERVICE.lines().skip(1).map(split).find(|row| {
                    // In one of the two tables, the name of a model ends with its date.
                    row[0] == service && row[1].trim_end_matches("-0905") == name
                });
                let figure = |index: usize| {
                    let text = *row.as_ref()?.get(index)?;
                    let cheap = text.starts_with('<').then_some(0.0);
                    text.parse().ok().or(cheap)
                };
                PublishedService {
                    service,
                    tasks,
                    pass_1: number(column).unwrap_or_default(),
                    pass_1_sd: figure(3),
                    pass_at_4: figure(4),
                    pass_hat_4: figure(5),
                    input_tokens: figure(6).map(|thousands| thousands * 1000.0),
                    output_tokens: figure(7).map(|thousands| thousands * 1000.0),
                    cost_usd: figure(8),
                    turns: figure(9),
                    tool_calls: figure(10),
                }
            })
            .collect(),
    }
}

fn split(line: &'static str) -> Vec<&'static str> {
    line.split(',').collect()
}

#[cfg(test)]
mod tests {
    use mcpmark_metrics::{Sample, Score};

    use super::*;

    /// The published rates are integral numbers of passed attempts over integral numbers of attempts, so the attempts
    /// can be reconstructed. The scoring code must then reproduce the published overall rate.
    #[test]
    fn the_published_services_give_back_the_published_overall_rates() {
        assert_eq!(published().len(), 20);
        for model in published() {
            let mut attempts = Vec::new();
            for service in &model.services {
                let all = service.tasks * model.runs();
                let exact = service.pass_1 / 100.0 * f64::from(all);
                let passed = exact.round();
                // The published percentages have two decimals.
                assert!(
                    (exact - passed).abs() <= 0.005 / 100.0 * f64::from(all) + 1e-9,
                    "{} {}: {exact}",
                    model.name,
                    service.service
                );
                for number in 0..all {
                    let task = format!("{}/{}", service.service, number % service.tasks);
                    let k = number / service.tasks + 1;
                    attempts.push((task, service.service, k, f64::from(number) < passed));
                }
            }
            let samples: Vec<Sample<'_>> = attempts
                .iter()
                .map(|(task, world, k, passed)| Sample {
                    task,
                    world,
                    k: *k,
                    passed: Some(*passed),
                })
                .collect();
            let score = Score::of(&samples);
            assert_eq!(score.tasks, 127);
            for rate in [score.pass_1(), score.runs.mean] {
                let rate = rate.value().unwrap() * 100.0;
                assert!(
                    (rate - model.pass_1).abs() <= 0.005 + 1e-9,
                    "{}: {rate} is not {}",
                    model.name,
                    model.pass_1
                );
            }
        }
        assert_eq!(
            (published()[0].name, published()[0].pass_1),
            ("gpt-5-medium", 52.56)
        );
    }

    #[test]
    fn every_figure_is_there_but_what_was_not_published() {
        for model in published() {
            assert!(model.mean(|s| s.cost_usd).is_some(), "{}", model.name);
            assert!(model.mean(|s| s.turns).is_some(), "{}", model.name);
            assert!(model.mean(|s| s.tool_calls).is_some(), "{}", model.name);
            assert!(model.mean(|s| s.input_tokens).is_some(), "{}", model.name);
            assert!(model.mean(|s| s.output_tokens).is_some(), "{}", model.name);
            for service in &model.services {
                assert!(service.pass_1_sd.is_some(), "{}", model.name);
                let known = [service.pass_at_4, service.pass_hat_4].map(|rate| rate.is_some());
                assert_eq!(known, [model.runs() == 4; 2], "{}", model.name);
            }
        }
        let single: Vec<_> = published()
            .iter()
            .filter(|model| model.runs() == 1)
            .map(|model| model.name)
            .collect();
        assert_eq!(single, ["claude-opus-4.1"]);
    }
}
