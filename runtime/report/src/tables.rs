//! Tables of a report, in reading order.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_agent::failure::FailureClass;
use mcpmark_journal::ScoreRule;
use mcpmark_metrics::Interval;

use crate::certificates;
use crate::data::{Difference, Group, ModelReport, Report, Slice};
use crate::numbers::{self, NONE, percent};
use crate::published::{self, Figure, PublishedService, published};
use crate::sanitise::line;
use crate::table::{Column, Table, label, left, right};

/// Returns all tables that are not empty.
pub(crate) fn all(report: &Report, with_published: bool) -> Vec<Table> {
    let mut tables = vec![scores(report)];
    if report.experiments.len() > 1 {
        let names = report.experiments.iter().map(|one| one.name.as_str());
        let mut differing = differing(names, &report.differences);
        if report.differences.iter().any(Difference::is_of_task) {
            differing.note =
                "a task with another digest is a task of its own: its attempts are in \
                              the rates, and are not compared with those of that name elsewhere"
                    .to_owned();
        }
        tables.push(differing);
    }
    tables.push(resources(report));
    if report.k > 1 {
        tables.push(reliability(report));
    }
    tables.push(intervals(report));
    tables.push(groups(report, "By service", "service", |model| {
        &model.services
    }));
    tables.push(groups(report, "By tier", "tier", |model| &model.tiers));
    tables.push(groups(report, "By world", "world", |model| &model.worlds));
    tables.push(groups(report, "By tag", "tag", |model| &model.tags));
    tables.push(comparisons(report));
    tables.push(failures(report));
    tables.push(state_faults(report));
    tables.push(ungraded(report));
    tables.push(tools(report));
    tables.push(matrix(report));
    tables.push(certificates::table(report));
    tables.retain(|table| !table.rows.is_empty());
    if with_published {
        tables.push(published_table());
        tables.push(published_services(report));
    }
    tables
}

/// Returns the table of differences between experiments or participants.
pub(crate) fn differing<'a>(
    names: impl Iterator<Item = &'a str>,
    differences: &[Difference],
) -> Table {
    let mut columns = vec![label("")];
    columns.extend(names.map(|name| left(line(name))));
    let mut table = Table::new("What differs", columns);
    for Difference { what, values } in differences {
        let mut cells = vec![line(what).into_owned()];
        cells.extend(values.iter().map(|value| line(value).into_owned()));
        table.row(cells);
    }
    table
}

fn name(model: &ModelReport) -> String {
    line(&model.name).into_owned()
}

/// Formats pass@k for the k of the report.
fn at_k(slice: &Slice, k: u32) -> String {
    numbers::over(slice.score.pass_at.get(k.saturating_sub(1) as usize))
}

fn hat_k(slice: &Slice, k: u32) -> String {
    numbers::over(slice.score.pass_hat.get(k.saturating_sub(1) as usize))
}

fn pass_1_interval(slice: &Slice) -> Option<Interval> {
    slice.score.pass_at.first().and_then(|over| over.interval)
}

/// Returns the columns of rates, which follow the label columns.
fn rate_columns(k: u32) -> Vec<Column> {
    let mut columns = vec![
        right("tasks"),
        right("pass@1 ± sd"),
        right("95 %"),
        right("score"),
    ];
    if k > 1 {
        columns.push(right(format!("pass@{k}")));
        columns.push(right(format!("pass^{k}")));
    }
    columns
}

fn rate_cells(slice: &Slice, k: u32) -> Vec<String> {
    let mut cells = vec![
        slice.score.tasks.to_string(),
        numbers::pass_1(&slice.score),
        numbers::interval(pass_1_interval(slice)),
        percent(slice.mean_score),
    ];
    if k > 1 {
        cells.push(at_k(slice, k));
        cells.push(hat_k(slice, k));
    }
    cells
}

fn scores(report: &Report) -> Table {
    let mut columns = vec![label("model")];
    columns.extend(rate_columns(report.k));
    columns.push(right("not graded"));
    let mut table = Table::new("Scores", columns);
    for model in &report.models {
        let score = &model.overall.score;
        let mut cells = vec![name(model)];
        cells.extend(rate_cells(&model.overall, report.k));
        cells.push(match score.attempts - score.graded {
            0 => "0".to_owned(),
            missing => format!("{missing} of {}", score.attempts),
        });
        table.row(cells);
    }
    table.note =
        "per cent of graded attempts; sd over runs; 95 % interval of pass@1, by task; mean score. \
                  * leaves out tasks with too few grades."
            .to_owned();
    table.note.push_str(&by_share(report));
    table
}

/// Returns a note if some scores were computed by the rule `share`, because they are not comparable with earned scores.
fn by_share(report: &Report) -> String {
    let of = |rule| {
        let counts = report
            .models
            .iter()
            .map(|model| model.overall.score_rules.get(&rule));
        counts.flatten().sum::<usize>()
    };
    let share = of(ScoreRule::Share);
    match (share, of(ScoreRule::Earned)) {
        (0, _) => String::new(),
        (_, 0) => " Scores are shares of all checks, also of those that held at the start; \
                   `mcpmark regrade` computes what was earned."
            .to_owned(),
        (_, earned) => format!(
            " {share} of {} scores are shares of all checks, also of those that held at the start, \
             and do not compare with the others; `mcpmark regrade` computes what was earned.",
            share + earned
        ),
    }
}

fn resource_columns() -> Vec<Column> {
    vec![
        right("input k"),
        right("output k"),
        right("USD"),
        right("turns"),
        right("calls"),
    ]
}

fn resource_cells(slice: &Slice) -> Vec<String> {
    let resources = &slice.resources;
    vec![
        numbers::thousands(resources.input_tokens),
        numbers::thousands(resources.output_tokens),
        numbers::dollars(resources.cost_usd),
        numbers::mean(resources.turns),
        numbers::mean(resources.tool_calls),
    ]
}

fn resources(report: &Report) -> Table {
    let mut columns = vec![label("model")];
    columns.extend(resource_columns());
    columns.push(right("seconds"));
    columns.push(right("malformed"));
    let mut table = Table::new("What an attempt takes", columns);
    for model in &report.models {
        let mut cells = vec![name(model)];
        cells.extend(resource_cells(&model.overall));
        cells.push(numbers::mean(model.overall.resources.seconds));
        cells.push(model.malformed_calls.to_string());
        table.row(cells);
    }
    table.note = "means over attempts in which the agent acted; thousands of tokens; malformed \
                  calls of all attempts. * some attempts do not know it."
        .to_owned();
    table
}

fn reliability(report: &Report) -> Table {
    let mut columns = vec![
        label("model"),
        Column {
            label: true,
            ..right("k")
        },
    ];
    columns.extend([
        right("pass@k"),
        right("95 %"),
        right("pass^k"),
        right("95 % "),
        right("tasks"),
    ]);
    let mut table = Table::new("More attempts", columns);
    for model in &report.models {
        let score = &model.overall.score;
        for (at, hat) in score.pass_at.iter().zip(&score.pass_hat) {
            table.row(vec![
                name(model),
                at.k.to_string(),
                numbers::over(Some(at)),
                numbers::interval(at.interval),
                numbers::over(Some(hat)),
                numbers::interval(hat.interval),
                at.tasks.to_string(),
            ]);
        }
    }
    table.note = "pass@k: at least one of k attempts passes; pass^k: all k do. Unbiased \
                  estimates, averaged over tasks."
        .to_owned();
    table
}

fn intervals(report: &Report) -> Table {
    let mut table = Table::new(
        "How sure pass@1 is",
        vec![
            label("model"),
            right("pass@1"),
            right("by task"),
            left("method"),
            right("by world"),
            right("worlds"),
            right("sample sd"),
            right("if ungraded failed–passed"),
        ],
    );
    for model in &report.models {
        let score = &model.overall.score;
        let by_task = pass_1_interval(&model.overall);
        table.row(vec![
            name(model),
            percent(score.pass_1().value()),
            numbers::interval(by_task),
            by_task.map_or(NONE.to_owned(), |interval| {
                interval.method.as_str().to_owned()
            }),
            numbers::interval(score.clustered.interval),
            score.clustered.clusters.to_string(),
            percent(score.runs.sample_sd.value()),
            format!(
                "{}–{}",
                percent(score.bounds.worst.value()),
                percent(score.bounds.best.value())
            ),
        ]);
    }
    table.note = "95 % intervals: by task (Wilson or bootstrap), and Student's t with an error \
                  clustered by world."
        .to_owned();
    table
}

fn groups(report: &Report, title: &str, what: &str, of: fn(&ModelReport) -> &Vec<Group>) -> Table {
    let mut columns = vec![label(what), label("model")];
    columns.extend(rate_columns(report.k));
    columns.extend(resource_columns());
    columns.push(right("seconds"));
    let mut table = Table::new(title, columns);
    let mut names: Vec<&str> = report
        .models
        .iter()
        .flat_map(|model| of(model).iter().map(|group| group.name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    for group_name in names {
        for model in &report.models {
            let found = of(model).iter().find(|group| group.name == group_name);
            let Some(group) = found else {
                continue;
            };
            let mut cells = vec![line(group_name).into_owned(), name(model)];
            cells.extend(rate_cells(&group.slice, report.k));
            cells.extend(resource_cells(&group.slice));
            cells.push(numbers::mean(group.slice.resources.seconds));
            table.row(cells);
        }
    }
    table
}

fn comparisons(report: &Report) -> Table {
    let mut table = Table::new(
        "Models compared",
        vec![
            label("a"),
            label("b"),
            right("b − a"),
            right("95 %"),
            right("p"),
            right("p (Holm)"),
            right("tasks"),
            left("test"),
        ],
    );
    for pair in &report.comparisons {
        let comparison = &pair.comparison;
        table.row(vec![
            line(&pair.a).into_owned(),
            line(&pair.b).into_owned(),
            numbers::points(comparison.difference),
            numbers::difference_interval(comparison.interval),
            numbers::p(comparison.p),
            numbers::p(pair.p_holm),
            comparison.tasks.to_string(),
            comparison.method.as_str().to_owned(),
        ]);
    }
    table.note = "paired by task; differences in percentage points; Holm's correction for all \
                  pairs of this table."
        .to_owned();
    table
}

/// Returns a table with a row for each of `rows` and a column for each model.
fn by_model(
    report: &Report,
    title: &str,
    what: &str,
    rows: &[String],
    cell: impl Fn(&ModelReport, usize) -> String,
) -> Table {
    let mut columns = vec![label(what)];
    columns.extend(report.models.iter().map(|model| right(name(model))));
    let mut table = Table::new(title, columns);
    for (index, row) in rows.iter().enumerate() {
        let mut cells = vec![line(row).into_owned()];
        cells.extend(report.models.iter().map(|model| cell(model, index)));
        table.row(cells);
    }
    table
}

fn failures(report: &Report) -> Table {
    let classes: Vec<FailureClass> = FailureClass::ALL
        .into_iter()
        .filter(|class| {
            report
                .models
                .iter()
                .any(|model| model.failures.contains_key(class))
        })
        .collect();
    let rows: Vec<String> = classes.iter().map(ToString::to_string).collect();
    by_model(
        report,
        "Why attempts failed",
        "class",
        &rows,
        |model, row| {
            let count = model.failures.get(&classes[row]).copied().unwrap_or(0);
            let all: usize = model.failures.values().sum();
            match count {
                0 => "0".to_owned(),
                count => format!("{count} ({:.0} %)", count as f64 * 100.0 / all as f64),
            }
        },
    )
}

fn state_faults(report: &Report) -> Table {
    let mut table = counts(
        report,
        "Failed by a state that stops the verifier",
        "fault",
        |model| &model.state_faults,
    );
    table.note =
        "the verifier judges the starting state of these attempts, and what the agent left \
                  stops it: they count as failed"
            .to_owned();
    table
}

fn ungraded(report: &Report) -> Table {
    counts(report, "Not graded", "why", |model| &model.ungraded)
}

/// Returns a table of counts, with a row for each name that occurs for any model.
fn counts(
    report: &Report,
    title: &str,
    what: &str,
    of: fn(&ModelReport) -> &BTreeMap<String, usize>,
) -> Table {
    let models = report.models.iter();
    let names: BTreeSet<&String> = models.flat_map(|model| of(model).keys()).collect();
    let rows: Vec<String> = names.into_iter().cloned().collect();
    by_model(report, title, what, &rows, |model, row| {
        let count = of(model).get(&rows[row]).copied().unwrap_or(0);
        count.to_string()
    })
}

fn tools(report: &Report) -> Table {
    let mut rows: Vec<(u64, String)> = Vec::new();
    for tool in report.models.iter().flat_map(|model| &model.tools) {
        match rows.iter_mut().find(|(_, name)| *name == tool.name) {
            Some((calls, _)) => *calls += tool.calls,
            None => rows.push((tool.calls, tool.name.clone())),
        }
    }
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let rows: Vec<String> = rows.into_iter().map(|(_, name)| name).collect();
    by_model(
        report,
        "Tools used",
        "tool",
        &rows,
        |model, row| match model.tools.iter().find(|tool| tool.name == rows[row]) {
            None => "0".to_owned(),
            Some(tool) if tool.errors == 0 => tool.calls.to_string(),
            Some(tool) => format!("{} ({} err)", tool.calls, tool.errors),
        },
    )
}

fn matrix(report: &Report) -> Table {
    let rows: Vec<String> = report.tasks.iter().map(|task| task.id.clone()).collect();
    let mut table = by_model(report, "Tasks", "task", &rows, |model, row| {
        let count = model.matrix[row].count;
        match count.graded {
            0 => NONE.to_owned(),
            graded => format!("{}/{graded}", count.passed),
        }
    });
    table.note = "attempts that passed, of those that were graded".to_owned();
    table
}

/// Returns the first columns of tables of published results.
fn published_columns() -> Vec<Column> {
    vec![
        label("model"),
        right("pass@1 ± sd"),
        right("pass@4"),
        right("pass^4"),
        right("input k"),
        right("output k"),
        right("USD"),
        right("turns"),
        right("calls"),
    ]
}

fn published_cells(
    name: &str,
    pass_1: (f64, Option<f64>),
    rates: [Option<f64>; 2],
    mean: impl Fn(Figure) -> Option<f64>,
) -> Vec<String> {
    let decimals = |value: Option<f64>, places: usize| {
        value.map_or(NONE.to_owned(), |value| format!("{value:.places$}"))
    };
    let thousands = |tokens: Option<f64>| decimals(tokens.map(|tokens| tokens / 1000.0), 1);
    vec![
        name.to_owned(),
        format!("{:.2} ± {}", pass_1.0, decimals(pass_1.1, 2)),
        decimals(rates[0], 2),
        decimals(rates[1], 2),
        thousands(mean(|s| s.input_tokens)),
        thousands(mean(|s| s.output_tokens)),
        match mean(|s| s.cost_usd) {
            None => NONE.to_owned(),
            // Published costs have two decimals, and costs below one cent are only known to be below.
            Some(usd) if usd < 0.01 => "< 0.01".to_owned(),
            usd => decimals(usd, 2),
        },
        decimals(mean(|s| s.turns), 1),
        decimals(mean(|s| s.tool_calls), 1),
    ]
}

fn published_table() -> Table {
    let mut table = Table::new(
        "Published results, on another set of tasks",
        published_columns(),
    );
    for model in published() {
        table.row(published_cells(
            model.name,
            (model.pass_1, Some(model.pass_1_sd)),
            [model.pass_at_4, model.pass_hat_4],
            |figure| model.mean(figure),
        ));
    }
    table.note = format!(
        "{}. 127 tasks, four runs (claude-opus-4.1: one). These tasks are not the ones above: \
         the rates cannot be compared.",
        published::CITATION
    );
    table
}

/// Returns the published results for the services of the report, or for all services if none of them is in the report.
fn published_services(report: &Report) -> Table {
    let mut columns = vec![label("service")];
    columns.extend(published_columns());
    let mut table = Table::new("Published results by service, other tasks", columns);
    let is_ours = |service: &PublishedService| {
        let models = report.models.iter();
        models
            .flat_map(|model| &model.services)
            .any(|ours| ours.name == service.service)
    };
    let services = &published()[0].services;
    let any = services.iter().any(is_ours);
    for (place, service) in services.iter().enumerate() {
        if any && !is_ours(service) {
            continue;
        }
        let mut models: Vec<_> = published()
            .iter()
            .map(|model| (model.name, &model.services[place]))
            .collect();
        models.sort_by(|(_, a), (_, b)| b.pass_1.total_cmp(&a.pass_1));
        for (name, figures) in models {
            let mut cells = vec![service.service.to_owned()];
            cells.extend(published_cells(
                name,
                (figures.pass_1, figures.pass_1_sd),
                [figures.pass_at_4, figures.pass_hat_4],
                |figure| figure(figures),
            ));
            table.row(cells);
        }
    }
    table.note = "these tasks are not those of the tables above".to_owned();
    table
}
