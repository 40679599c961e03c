use anstyle::Style;
use mcpmark_experiment::Spec;
use mcpmark_experiment::journal::{AttemptRow, ExperimentRow, Survey, SurveyRow};
use mcpmark_experiment::report::{AttemptReport, ExperimentReport, reasoning_effort};
pub(crate) use mcpmark_report::instant;
use serde_json::json;

use crate::args::RunsArgs;
use crate::commands::run::journal_error;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit;
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Lists experiments, or the attempts of one.
pub(crate) fn runs(context: &Context, args: RunsArgs) -> Result<u8, CommandError> {
    let journal = context.journal()?;
    let Some(name) = &args.experiment else {
        let experiments = journal
            .experiments(args.limit as usize)
            .map_err(journal_error)?;
        if args.json {
            let list: Vec<_> = experiments
                .iter()
                .map(|row| {
                    json!({
                        "experiment": row.name,
                        "id": row.id,
                        "created": instant(row.created_ms),
                        "attempts": planned(&row.spec).unwrap_or(row.attempts as usize),
                        "graded": row.graded,
                        "passed": row.passed,
                    })
                })
                .collect();
            output::print_json(&list)?;
        } else if experiments.is_empty() {
            output::print("no experiments yet; `mcpmark run` begins one\n")?;
        } else {
            let mut table = Table::new(&[
                "experiment",
                "begun (UTC)",
                ">attempts",
                ">graded",
                ">passed",
            ]);
            for row in &experiments {
                let attempts = planned(&row.spec).unwrap_or(row.attempts as usize);
                let plain = Style::new();
                table.row(vec![
                    (sanitise::line(&row.name).into_owned(), plain),
                    (
                        instant(row.created_ms).replace('T', " ").replace('Z', ""),
                        output::DIM,
                    ),
                    (attempts.to_string(), plain),
                    (row.graded.to_string(), plain),
                    (row.passed.to_string(), plain),
                ]);
            }
            output::print(&table.render())?;
        }
        return Ok(exit::PASSED);
    };
    let experiment = journal.experiment(name).map_err(journal_error)?;
    if args.json {
        let rows = journal.attempts(name).map_err(journal_error)?;
        let attempts = planned(&experiment.spec).unwrap_or(rows.len());
        let spec = serde_json::from_str(&experiment.spec).unwrap_or_default();
        let spending = journal.spending(&experiment.id).map_err(journal_error)?;
        let report = ExperimentReport::new(name, spec, attempts, rows, &spending);
        output::print_json(&report)?;
        return Ok(exit::PASSED);
    }
    let mut survey = journal.survey(name).map_err(journal_error)?;
    let cut_off = cut_off(context, &experiment, &mut survey);
    // Without models it would be an empty column.
    let models = survey.rows.iter().any(|row| row.model.is_some());
    let (before, after) = (
        ["attempt", "<task"],
        [">k", "agent", "result", ">score", ">turns", ">calls"],
    );
    let model: &[&str] = if models { &["model"] } else { &[] };
    let mut table = Table::new(&[&before[..], model, &after].concat());
    for row in &survey.rows {
        let plain = Style::new();
        let (result, style) = mark(row.passed, row.outcome.as_deref().unwrap_or(&row.status));
        let mut cells = vec![
            (row.id.clone(), output::DIM),
            (sanitise::line(&row.task).into_owned(), plain),
        ];
        if models {
            cells.push((sanitise::line(&model_of(row)).into_owned(), plain));
        }
        cells.extend([
            (row.k.to_string(), plain),
            (sanitise::line(&row.agent).into_owned(), plain),
            (result, style),
            (
                row.score
                    .map_or(String::new(), |score| format!("{score:.3}")),
                plain,
            ),
            (row.turns.to_string(), plain),
            (row.tool_calls.to_string(), plain),
        ]);
        table.row(cells);
    }
    output::print(&table.render())?;
    say_cut_off(&experiment.name, cut_off);
    Ok(exit::PASSED)
}

/// What is said of an attempt whose process ended in its middle.
const CUT_OFF: &str = "cut off";

/// Calls attempts cut off that stand as running and that no process runs, and counts them.
pub(crate) fn cut_off(context: &Context, experiment: &ExperimentRow, survey: &mut Survey) -> usize {
    let stand = |row: &&mut SurveyRow| &*row.status == "running";
    let mut running: Vec<_> = survey.rows.iter_mut().filter(stand).collect();
    if running.is_empty() || context.home().is_running(&experiment.id) {
        return 0;
    }
    for row in &mut running {
        row.status = CUT_OFF.into();
    }
    running.len()
}

/// The same for one attempt, by the id of its experiment.
pub(crate) fn is_cut_off(context: &Context, experiment: &str, attempt: &mut AttemptRow) -> bool {
    let cut_off = attempt.status == "running" && !context.home().is_running(experiment);
    if cut_off {
        CUT_OFF.clone_into(&mut attempt.status);
    }
    cut_off
}

/// Says how attempts that were cut off go on.
pub(crate) fn say_cut_off(experiment: &str, attempts: usize) {
    if attempts > 0 {
        output::note(&format!(
            "{} cut off; go on with `mcpmark resume {}`",
            output::count(attempts, "attempt"),
            sanitise::line(experiment)
        ));
    }
}

/// The model of an attempt, with its effort, which tells it from itself in an experiment.
fn model_of(row: &SurveyRow) -> String {
    let effort = reasoning_effort(&row.model_settings);
    with_effort(row.model.as_deref().unwrap_or_default(), effort.as_deref())
}

/// A model and, where it is set, how much it thinks.
pub(crate) fn with_effort(model: &str, effort: Option<&str>) -> String {
    match effort {
        Some(effort) => format!("{model} ({effort})"),
        None => model.to_owned(),
    }
}

/// Who acted: the model with its effort, or the agent where none did.
pub(crate) fn actor(row: &AttemptRow) -> String {
    match &row.model {
        Some(model) => with_effort(model, reasoning_effort(&row.model_settings).as_deref()),
        None => row.agent.clone(),
    }
}

/// A line for each attempt: what came of it, its task and its id.
pub(crate) fn lines(attempts: &[AttemptReport]) -> String {
    let words: Vec<_> = attempts
        .iter()
        .map(|attempt| match (attempt.passed, &attempt.outcome) {
            (Some(true), _) => ("pass", output::GOOD),
            (Some(false), _) => ("fail", output::BAD),
            (None, Some(outcome)) => (outcome.as_str(), output::WARN),
            (None, None) => ("unfinished", output::WARN),
        })
        .collect();
    let width = words.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
    let line = |(attempt, (word, style)): (&AttemptReport, &(&str, Style))| {
        let gap = width - word.len();
        let model = attempt.model.as_deref();
        let model = model.map(|model| with_effort(model, attempt.effort.as_deref()));
        format!(
            "{}{:gap$}  {}  {}\n",
            output::paint(*style, sanitise::line(word)),
            "",
            output::progress::label(&attempt.task, model.as_deref(), attempt.k),
            output::paint(output::DIM, &attempt.id)
        )
    };
    attempts.iter().zip(&words).map(line).collect()
}

/// What came of an attempt, in a word.
pub(crate) fn result(row: &AttemptRow) -> (String, Style) {
    mark(
        row.grade.as_ref().and_then(|grade| grade.passed),
        row.outcome.as_deref().unwrap_or(&row.status),
    )
}

fn mark(passed: Option<bool>, otherwise: &str) -> (String, Style) {
    match passed {
        Some(true) => ("pass".to_owned(), output::GOOD),
        Some(false) => ("fail".to_owned(), output::BAD),
        None => (sanitise::line(otherwise).into_owned(), output::WARN),
    }
}

fn planned(spec: &str) -> Option<usize> {
    serde_json::from_str::<Spec>(spec)
        .ok()
        .map(|spec| spec.planned())
}
