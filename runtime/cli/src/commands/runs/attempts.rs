//! List of an experiment's attempts.

use std::cmp::Reverse;
use std::collections::HashMap;

use anstyle::Style;
use mcpmark_experiment::Journal;
use mcpmark_experiment::failure::FailureClass;
use mcpmark_experiment::journal::{AttemptStatus, OutcomeKind, SurveyRow};
use mcpmark_experiment::report::{experiment_report, program};

use super::{
    Acting, Actors, cut_off, dollars, mark, model_of, planned, say_cut_off, seconds, with_program,
};
use crate::args::{AttemptFilterArgs, AttemptOrder};
use crate::context::Context;
use crate::error::{CommandError, journal_error};
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Outcomes and statuses that a filter accepts in addition to failure classes.
const OUTCOMES: [&str; 9] = [
    OutcomeKind::Graded.as_str(),
    OutcomeKind::StateFault.as_str(),
    OutcomeKind::VerifierFault.as_str(),
    OutcomeKind::HeldBack.as_str(),
    OutcomeKind::InfraError.as_str(),
    OutcomeKind::InvalidTask.as_str(),
    OutcomeKind::Cancelled.as_str(),
    AttemptStatus::Running.as_str(),
    AttemptStatus::CutOff.as_str(),
];

pub(super) struct Listing<'a> {
    pub(super) filter: &'a AttemptFilterArgs,
    pub(super) order: AttemptOrder,
    pub(super) limit: Option<u32>,
    pub(super) as_json: bool,
}

pub(super) fn list(
    context: &Context,
    journal: &Journal,
    name: &str,
    listing: &Listing<'_>,
) -> Result<(), CommandError> {
    check_classes(&listing.filter.class)?;
    let experiment = journal.experiment(name).map_err(journal_error)?;
    let mut survey = journal.survey(name).map_err(journal_error)?;
    let interrupted = cut_off(context, &experiment, &mut survey);
    let all = survey.rows.len();
    let mut rows = survey.rows;
    rows.retain(|row| is_wanted(row, listing.filter));
    sort(&mut rows, listing.order);
    let wanted = rows.len();
    rows.truncate(listing.limit.map_or(usize::MAX, |limit| limit as usize));
    if listing.as_json {
        let mut attempts = journal.attempts(name).map_err(journal_error)?;
        let ids = rows
            .iter()
            .enumerate()
            .map(|(place, row)| (&*row.id, place));
        let places: HashMap<&str, usize> = ids.collect();
        attempts.retain(|attempt| places.contains_key(&*attempt.id));
        attempts.sort_by_key(|attempt| places.get(&*attempt.id));
        let planned = planned(&experiment.spec).unwrap_or(all);
        let spec = serde_json::from_str(&experiment.spec).unwrap_or_default();
        let spending = journal.spending(&experiment.id).map_err(journal_error)?;
        let report = experiment_report(name, spec, planned, attempts, &spending);
        return output::print_json(&report);
    }
    output::print(&table(&rows).render())?;
    if rows.len() < all {
        let matching = if rows.len() < wanted && wanted < all {
            format!(" ({wanted} match)")
        } else {
            String::new()
        };
        output::note(&format!(
            "{} of {}{matching}",
            rows.len(),
            output::count(all, "attempt")
        ));
    }
    say_cut_off(&experiment.name, interrupted);
    Ok(())
}

/// Refuses unknown classes and outcomes.
pub(super) fn check_classes(classes: &[String]) -> Result<(), CommandError> {
    let known = || {
        let failures = FailureClass::ALL.into_iter().map(FailureClass::as_str);
        failures.chain(OUTCOMES)
    };
    match classes
        .iter()
        .find(|class| !known().any(|one| one == *class))
    {
        None => Ok(()),
        Some(class) => Err(
            CommandError::usage(format!("unknown class or outcome {class:?}")).hint(format!(
                "expected one of {}",
                known().collect::<Vec<_>>().join(", ")
            )),
        ),
    }
}

pub(super) fn is_wanted(row: &SurveyRow, filter: &AttemptFilterArgs) -> bool {
    let has_class = |class: &String| {
        row.failure
            .as_ref()
            .is_some_and(|failure| failure.class.as_str() == class)
            || row.standing() == class
    };
    let has_text = |text: &String| {
        let model = model_of(row);
        let name = if model.is_empty() {
            &*row.agent
        } else {
            &model
        };
        name.to_lowercase().contains(&text.to_lowercase())
    };
    (!filter.failed || row.passed != Some(true))
        && (filter.class.is_empty() || filter.class.iter().any(has_class))
        && filter.model.as_ref().is_none_or(has_text)
        && (filter.task.is_empty() || filter.task.iter().any(|task| task.matches_text(&row.task)))
}

/// Sorts attempts. Equal ones keep the order of the plan.
fn sort(rows: &mut [SurveyRow], order: AttemptOrder) {
    match order {
        AttemptOrder::Plan => {}
        AttemptOrder::Cost => rows.sort_by_key(|row| Reverse(row.cost.map(|cost| cost.nano_usd()))),
        AttemptOrder::Time => rows.sort_by_key(|row| Reverse(row.agent_us)),
        AttemptOrder::Turns => rows.sort_by_key(|row| Reverse(row.turns)),
        AttemptOrder::Score => {
            rows.sort_by(|a, b| {
                let score = |row: &SurveyRow| row.score.unwrap_or(-1.0);
                score(a).total_cmp(&score(b))
            });
        }
    }
}

fn table(rows: &[SurveyRow]) -> Table {
    // Empty columns are omitted.
    let models = rows.iter().any(|row| row.model.is_some());
    let costs = rows.iter().any(|row| row.cost.is_some());
    let actor = match (models, rows.iter().any(|row| row.model.is_none())) {
        (true, true) => "agent or model",
        (true, false) => "model",
        (false, _) => "agent",
    };
    let actors = Actors::of(rows.iter().map(|row| Acting {
        agent: &row.agent,
        program: None,
        model: row.model.as_deref(),
    }));
    let mut header = vec!["attempt", "<task", actor];
    if actors.model_agents {
        header.push("agent");
    }
    header.extend([">k", "result", ">score", ">turns", ">calls"]);
    if costs {
        header.push(">USD");
    }
    header.push(">time");
    let mut table = Table::new(&header);
    for row in rows {
        let plain = Style::new();
        let (mut result, style) = mark(row.passed, row.standing());
        if let Some(failure) = &row.failure {
            result = format!("{result}: {}", failure.class);
        }
        let actor = if row.model.is_some() {
            model_of(row)
        } else {
            with_program(&row.agent, program(&row.agent_settings).as_deref())
        };
        let score = row.score.map(|score| format!("{score:.3}"));
        let mut cells = vec![
            (row.id.clone(), output::DIM),
            (sanitise::line(&row.task).into_owned(), plain),
            (sanitise::line(&actor).into_owned(), plain),
        ];
        if actors.model_agents {
            cells.push((sanitise::line(&row.agent).into_owned(), plain));
        }
        cells.extend([
            (row.k.to_string(), plain),
            (result, style),
            (score.unwrap_or_default(), plain),
            (row.turns.to_string(), plain),
            (row.tool_calls.to_string(), plain),
        ]);
        if costs {
            cells.push((dollars(row.cost, false), plain));
        }
        cells.push((row.agent_us.map_or(String::new(), seconds), plain));
        table.row(cells);
    }
    table
}
