//! Lists of experiments and attempts: `mcpmark runs`.

mod attempts;
mod experiments;

use std::collections::HashSet;

use anstyle::Style;
use mcpmark_experiment::journal::{AttemptRow, AttemptStatus, ExperimentRow, Survey, SurveyRow};
use mcpmark_experiment::report::{program, reasoning_effort};
use mcpmark_experiment::{Journal, JournalError, Spec, decimals};
use mcpmark_metadata::{AttemptReport, ExitCode};
use mcpmark_model::Cost;
pub(crate) use mcpmark_report::instant;

use crate::args::{AttemptFilterArgs, RunsArgs};
use crate::context::Context;
use crate::error::{CommandError, journal_error};
use crate::output::{self, sanitise};

/// Lists experiments, or the attempts of one.
pub(crate) fn runs(context: &Context, args: RunsArgs) -> Result<ExitCode, CommandError> {
    let journal = context.journal()?;
    let of_attempts = !args.filter.is_empty() || args.sort.is_some();
    let name = match &args.experiment {
        Some(name) => Some(named(&journal, name)?),
        None if of_attempts && args.since.is_some() => {
            return Err(CommandError::usage(
                "--since selects experiments, but filters on attempts apply to one experiment",
            )
            .hint("name the experiment, or omit --since to use the latest one"));
        }
        None if of_attempts => Some(named(&journal, LATEST)?),
        None => None,
    };
    match name {
        None => experiments::list(context, &journal, args.limit, args.since, args.json)?,
        Some(name) => {
            let listing = attempts::Listing {
                filter: &args.filter,
                order: args.sort.unwrap_or_default(),
                limit: args.limit,
                as_json: args.json,
            };
            attempts::list(context, &journal, &name, &listing)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Alias of the experiment, or of the attempt, that began last.
pub(crate) const LATEST: &str = "latest";

/// Resolves the name of an experiment. `latest` is the one that began last, unless an experiment has that name.
pub(crate) fn named(journal: &Journal, name: &str) -> Result<String, CommandError> {
    match journal.experiment(name) {
        Err(JournalError::Unknown { .. }) if name == LATEST => {
            let newest = journal.experiments(1).map_err(journal_error)?.pop();
            newest.map(|row| row.name).ok_or_else(|| {
                CommandError::usage("no experiments yet").hint("`mcpmark run` starts one")
            })
        }
        // An unknown name is reported by the next query.
        _ => Ok(name.to_owned()),
    }
}

/// Returns the id of the attempt that began last among those of the latest experiment that match a filter.
pub(crate) fn latest_attempt(
    context: &Context,
    journal: &Journal,
    filter: &AttemptFilterArgs,
) -> Result<String, CommandError> {
    attempts::check_classes(&filter.class)?;
    let experiment = named(journal, LATEST)?;
    let mut survey = journal.survey(&experiment).map_err(journal_error)?;
    let row = journal.experiment(&experiment).map_err(journal_error)?;
    cut_off(context, &row, &mut survey);
    let wanted: HashSet<&str> = survey
        .rows
        .iter()
        .filter(|row| attempts::is_wanted(row, filter))
        .map(|row| &*row.id)
        .collect();
    let attempts = journal.attempts(&experiment).map_err(journal_error)?;
    let wanted = attempts.into_iter().filter(|row| wanted.contains(&*row.id));
    let last = wanted.max_by_key(|row| row.started_ms);
    last.map(|row| row.id).ok_or_else(|| {
        CommandError::usage(format!(
            "no attempt of experiment {experiment:?} matches the filters"
        ))
        .hint(format!("`mcpmark runs {experiment}` lists them"))
    })
}

/// Resolves the id of an attempt. `latest` is the one that began last in the latest experiment.
pub(crate) fn named_attempt(journal: &Journal, id: &str) -> Result<String, CommandError> {
    if id != LATEST {
        return Ok(id.to_owned());
    }
    let experiment = named(journal, LATEST)?;
    let attempts = journal.attempts(&experiment).map_err(journal_error)?;
    let last = attempts.into_iter().max_by_key(|row| row.started_ms);
    last.map(|row| row.id).ok_or_else(|| {
        CommandError::usage(format!(
            "no attempt of experiment {experiment:?} has started"
        ))
        .hint(format!("`mcpmark resume {experiment}` starts them"))
    })
}

/// Formats a cost in US dollars for a column, with `+` if a part is unknown.
fn dollars(cost: Option<Cost>, some_unknown: bool) -> String {
    match (cost, some_unknown) {
        (None, false) => String::new(),
        (None, true) => "unknown".to_owned(),
        (Some(cost), true) => format!("{}+", decimals(cost.usd())),
        (Some(cost), false) => decimals(cost.usd()),
    }
}

/// Formats a duration in microseconds for a column.
pub(crate) fn seconds(microseconds: u64) -> String {
    let seconds = microseconds / 1_000_000;
    match seconds {
        0..60 => format!("{:.1}s", microseconds as f64 / 1e6),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Marks the attempts that are recorded as running although no process runs their experiment. Returns their number.
pub(crate) fn cut_off(context: &Context, experiment: &ExperimentRow, survey: &mut Survey) -> usize {
    let stand = |row: &&mut SurveyRow| row.status == AttemptStatus::Running;
    let mut running: Vec<_> = survey.rows.iter_mut().filter(stand).collect();
    if running.is_empty() || context.home().is_running(&experiment.id) {
        return 0;
    }
    for row in &mut running {
        row.status = AttemptStatus::CutOff;
    }
    running.len()
}

/// Marks one attempt as cut off in the same way. `experiment` is the id of its experiment.
pub(crate) fn is_cut_off(context: &Context, experiment: &str, attempt: &mut AttemptRow) -> bool {
    let cut_off =
        attempt.status == AttemptStatus::Running && !context.home().is_running(experiment);
    if cut_off {
        attempt.status = AttemptStatus::CutOff;
    }
    cut_off
}

/// Prints the command that resumes attempts that were cut off.
pub(crate) fn say_cut_off(experiment: &str, attempts: usize) {
    if attempts > 0 {
        output::note(&format!(
            "{} cut off; continue with `mcpmark resume {}`",
            output::count(attempts, "attempt"),
            sanitise::line(experiment)
        ));
    }
}

/// Returns the model of an attempt with its reasoning effort, because an experiment may use one model with several
/// efforts.
fn model_of(row: &SurveyRow) -> String {
    let effort = reasoning_effort(&row.model_settings);
    with_effort(row.model.as_deref().unwrap_or_default(), effort.as_deref())
}

/// Formats a model with its reasoning effort, if it is set.
pub(crate) fn with_effort(model: &str, effort: Option<&str>) -> String {
    match effort {
        Some(effort) => format!("{model} ({effort})"),
        None => model.to_owned(),
    }
}

/// Formats an agent with its program, if it has one.
fn with_program(agent: &str, program: Option<&str>) -> String {
    match program {
        Some(program) => format!("{agent} {program}"),
        None => agent.to_owned(),
    }
}

/// Returns the model with its reasoning effort, or without a model the agent with its program.
pub(crate) fn actor(row: &AttemptRow) -> String {
    match &row.model {
        Some(model) => with_effort(model, reasoning_effort(&row.model_settings).as_deref()),
        None => with_program(&row.agent, program(&row.agent_settings).as_deref()),
    }
}

/// Agent of an attempt, with its program and its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Acting<'a> {
    agent: &'a str,
    program: Option<&'a str>,
    model: Option<&'a str>,
}

/// Columns that a list needs to distinguish its rows.
#[derive(Debug, Default, Clone, Copy)]
struct Actors {
    /// True if there are several agents or models.
    several: bool,
    /// True if several agents use models.
    model_agents: bool,
}

impl Actors {
    /// Returns the columns needed for these attempts.
    fn of<'a>(attempts: impl Iterator<Item = Acting<'a>>) -> Self {
        let mut actors = Self::default();
        let (mut first, mut first_model) = (None, None);
        for one in attempts {
            actors.several |= *first.get_or_insert(one) != one;
            let agent = one.agent;
            actors.model_agents |=
                one.model.is_some() && *first_model.get_or_insert(agent) != agent;
        }
        actors
    }
}

/// Formats one line per attempt, with its result, task and id.
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
    let actors = Actors::of(attempts.iter().map(|attempt| Acting {
        agent: &attempt.agent,
        program: attempt.program.as_deref(),
        model: attempt.model.as_deref(),
    }));
    let line = |(attempt, (word, style)): (&AttemptReport, &(&str, Style))| {
        let gap = width - word.len();
        let model = match &attempt.model {
            Some(model) => Some(with_effort(model, attempt.effort.as_deref())),
            None => {
                let program = attempt.program.as_deref();
                Some(with_program(&attempt.agent, program)).filter(|_| actors.several)
            }
        };
        let model = model.map(|model| {
            if attempt.model.is_some() && actors.model_agents {
                format!("{model}, {}", attempt.agent)
            } else {
                model
            }
        });
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

/// Returns the result of an attempt in one word, with its style.
pub(crate) fn result(row: &AttemptRow) -> (String, Style) {
    mark(row.passed(), row.standing())
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
