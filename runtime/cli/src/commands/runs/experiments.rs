//! List of experiments.

use anstyle::Style;
use mcpmark_experiment::Journal;
use mcpmark_experiment::journal::{ExperimentRow, ExperimentTotals};
use mcpmark_experiment::report::program;
use mcpmark_experiment::{Participant, Spec};
use mcpmark_metadata::{ExperimentState, ExperimentSummary};

use super::{dollars, instant, seconds, with_program};
use crate::args::Since;
use crate::context::Context;
use crate::error::{CommandError, journal_error};
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Default number of experiments listed, if neither a number nor a time is given.
const DEFAULT_LIMIT: usize = 20;

/// Row of the list.
struct Listed {
    row: ExperimentRow,
    totals: ExperimentTotals,
    /// Models, and the agents without a model.
    actors: Vec<String>,
    tasks: Option<usize>,
    planned: usize,
    state: ExperimentState,
}

pub(super) fn list(
    context: &Context,
    journal: &Journal,
    limit: Option<u32>,
    since: Option<Since>,
    as_json: bool,
) -> Result<(), CommandError> {
    let limit = match limit {
        Some(limit) => limit as usize,
        None if since.is_some() => usize::MAX,
        None => DEFAULT_LIMIT,
    };
    let start = since.map(|Since(start)| start.as_millisecond());
    let rows = journal.experiments_since(start, limit);
    let rows = rows.map_err(journal_error)?;
    let listed = rows
        .into_iter()
        .map(|row| listed(context, journal, row))
        .collect::<Result<Vec<_>, _>>()?;
    if as_json {
        let list: Vec<ExperimentSummary> = listed.into_iter().map(Listed::into_summary).collect();
        return output::print_json(&list);
    }
    if listed.is_empty() {
        return output::print(match since {
            Some(_) => "no experiment started in that time\n",
            None => "no experiments yet; `mcpmark run` starts one\n",
        });
    }
    output::print(&table(&listed).render())
}

fn listed(
    context: &Context,
    journal: &Journal,
    row: ExperimentRow,
) -> Result<Listed, CommandError> {
    let totals = journal.totals(&row.id).map_err(journal_error)?;
    let spec: Option<Spec> = serde_json::from_str(&row.spec).ok();
    let planned = spec
        .as_ref()
        .map_or(row.attempts as usize, |spec| spec.planned());
    let actors = spec.as_ref().map_or(Vec::new(), |spec| {
        let participants = spec.participants.iter();
        participants.map(actor).collect()
    });
    let state = if context.home().is_running(&row.id) {
        ExperimentState::Running
    } else if totals.finished as usize >= planned {
        ExperimentState::Finished
    } else {
        ExperimentState::Stopped
    };
    Ok(Listed {
        tasks: spec.map(|spec| spec.tasks.len()),
        row,
        totals,
        actors,
        planned,
        state,
    })
}

/// Returns the model of a participant, or its agent with its program.
fn actor(participant: &Participant) -> String {
    let settings = serde_json::to_string(&participant.agent_settings).unwrap_or_default();
    let program = program(&settings).filter(|_| participant.model.is_none());
    with_program(participant.name(), program.as_deref())
}

impl Listed {
    fn into_summary(self) -> ExperimentSummary {
        ExperimentSummary {
            experiment: self.row.name,
            id: self.row.id,
            created: instant(self.row.created_ms),
            actors: self.actors,
            tasks: self.tasks,
            attempts: self.planned,
            graded: self.row.graded,
            passed: self.row.passed,
            state: self.state,
            cost_usd: self.totals.cost.map(|cost| cost.usd()),
            some_cost_unknown: self.totals.some_cost_unknown,
            agent_seconds: self.totals.agent_us as f64 / 1e6,
        }
    }

    /// Formats the first participant and the number of further ones.
    fn actor(&self) -> String {
        match &*self.actors {
            [] => String::new(),
            [one] => one.clone(),
            [first, others @ ..] => format!("{first} +{}", others.len()),
        }
    }
}

fn table(listed: &[Listed]) -> Table {
    let costs = |one: &Listed| one.totals.cost.is_some() || one.totals.some_cost_unknown;
    let costs = listed.iter().any(costs);
    let mut header = vec![
        "experiment",
        "started (UTC)",
        "agent or model",
        ">tasks",
        ">attempts",
        ">graded",
        ">passed",
        "state",
    ];
    if costs {
        header.push(">USD");
    }
    header.push(">time");
    let mut table = Table::new(&header);
    for one in listed {
        let plain = Style::new();
        let style = match one.state {
            ExperimentState::Finished => output::DIM,
            _ => output::WARN,
        };
        let mut cells = vec![
            (sanitise::line(&one.row.name).into_owned(), plain),
            (
                instant(one.row.created_ms)
                    .replace('T', " ")
                    .replace('Z', ""),
                output::DIM,
            ),
            (sanitise::line(&one.actor()).into_owned(), plain),
            (
                one.tasks.map_or(String::new(), |tasks| tasks.to_string()),
                plain,
            ),
            (one.planned.to_string(), plain),
            (one.row.graded.to_string(), plain),
            (one.row.passed.to_string(), plain),
            (one.state.as_str().to_owned(), style),
        ];
        if costs {
            let cost = dollars(one.totals.cost, one.totals.some_cost_unknown);
            cells.push((cost, plain));
        }
        cells.push((seconds(one.totals.agent_us), plain));
        table.row(cells);
    }
    table
}
