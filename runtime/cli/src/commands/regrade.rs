//! `regrade`: grades the final states of attempts with the current verifiers of their tasks.

mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcpmark_experiment::{Journal, Spec};
use mcpmark_grading::regrade::{
    BegunRegrade, RegradePlan, RegradeSelectError, RegradeSelection, Regrader, UngradedReason,
};
use mcpmark_metadata::ExitCode;
use tokio_util::sync::CancellationToken;

use self::report::{Left, Report};
use crate::args::RegradeArgs;
use crate::commands::experiment_run::jobs;
use crate::commands::task_selection::{self, TaskSelection};
use crate::commands::{bundle, imported_plan, runs};
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, error_chain, journal_error};
use crate::interruption;
use crate::output::{self, sanitise};

const WAY_OUT: &str = "`--bundle PLACE` uses a bundle that has the tasks";

/// Grades attempts again.
pub(crate) fn regrade(context: &Context, args: RegradeArgs) -> Result<ExitCode, CommandError> {
    let context = &match &args.bundle {
        Some(bundle) => {
            bundle::check_exists(bundle)?;
            context.at_bundle(bundle)
        }
        None => context.clone(),
    };
    let journal = context.journal_to_write()?;
    let selection = select(&journal, &args.what)?;
    interruption::say("interrupted; repeat the command to continue");
    interruption::watch();
    let jobs = jobs(args.jobs);
    let sandbox = context.sandbox(jobs, args.engine)?;
    let store = context.store()?;
    let (mut plan, mut locks) = (RegradePlan::default(), Vec::new());
    for (name, attempts) in selection.into_experiments() {
        let row = journal.experiment(&name).map_err(journal_error)?;
        let spec: Spec = serde_json::from_str(&row.spec).map_err(|error| {
            CommandError::infrastructure(format!("experiment {name:?}: {error}"))
        })?;
        let lock = context.home().lock_experiment(&row.id, &name);
        locks.push(lock.map_err(|error| home_error(&error))?);
        let tasks: BTreeSet<String> = attempts.iter().map(|row| row.task.clone()).collect();
        let tasks: Vec<String> = tasks.into_iter().collect();
        let place = match args.bundle {
            Some(_) => None,
            None => imported_plan::place(&row, &spec, "`--bundle PLACE` uses your own bundle")?,
        };
        let chosen = TaskSelection::known(context, place, &tasks, &mut |_, _| Ok(()));
        let chosen = chosen.map_err(|error| match args.bundle {
            Some(_) => error,
            None => task_selection::with_location_hint(&spec, WAY_OUT, error),
        })?;
        let prepared = match chosen.ids().next() {
            Some(_) => chosen.to_judge(&sandbox, &store)?,
            None => Vec::new(),
        };
        let prepared: BTreeMap<String, Arc<_>> = prepared
            .into_iter()
            .map(|task| (task.id.to_string(), Arc::new(task.into_regrade_task())))
            .collect();
        for attempt in attempts {
            let task = prepared.get(&attempt.task);
            plan.add(attempt, task);
        }
    }
    let RegradePlan { rows, items, left } = &plan;
    let left: Vec<Left> = left
        .iter()
        .map(|left| Left {
            id: left.attempt.clone(),
            task: left.task.clone(),
            reason: match (&left.reason, &args.bundle) {
                (UngradedReason::NoTask, Some(bundle)) => {
                    format!("{} does not have the task", bundle.display())
                }
                (reason, _) => reason.to_string(),
            },
            code: ExitCode::Passed,
        })
        .collect();
    if items.is_empty() {
        // There may be very many, usually for the same reason, so only the first is shown.
        let first = left.first().map_or_else(String::new, |left| {
            let Left {
                id, task, reason, ..
            } = left;
            format!("; the first is {id} at {task}: {reason}")
        });
        let message = format!("none of these attempts can be graded again{first}");
        return Err(CommandError::usage(sanitise::line(&message)));
    }
    let BegunRegrade {
        id,
        done,
        remaining,
    } = plan.begin(&journal, &sandbox).map_err(journal_error)?;
    if done > 0 {
        let done = output::count(done, "attempt");
        output::note(&format!(
            "{done} graded before the interruption: not graded again"
        ));
    }
    let cancel = CancellationToken::new();
    let mut broken = Vec::new();
    let regrader = Regrader {
        journal: &journal,
        store: &store,
        sandbox: &sandbox,
        jobs: jobs as usize,
    };
    while_listening(&cancel, || {
        regrader.run(id, &remaining, &cancel, |regraded| {
            if !regraded.outcome.is_grade() {
                broken.push(regraded);
            }
        })
    })?
    .map_err(|error| {
        CommandError::infrastructure(error_chain(&error))
            .hint("completed grades are stored; repeat the command to continue")
    })?;
    if cancel.is_cancelled() {
        output::note("interrupted; repeat the command to continue");
        return Ok(ExitCode::Interrupted);
    }
    // Attempts that could not be graded are tried again by the same command.
    if broken.is_empty() {
        journal.end_regrade(id).map_err(journal_error)?;
    }
    let report = Report::new(&journal, id, rows, items, left, broken)?;
    if args.json {
        output::print_json(&report.document())?;
    } else {
        output::print(&report.text())?;
    }
    Ok(report.exit_code())
}

/// Selects the named attempts and the last tries of the named experiments.
fn select(journal: &Journal, what: &[String]) -> Result<RegradeSelection, CommandError> {
    let mut selection = RegradeSelection::default();
    for name in what {
        let name = runs::named(journal, name)?;
        selection.add(journal, &name).map_err(|error| match error {
            RegradeSelectError::Unknown(_) => {
                CommandError::usage(error).hint("`mcpmark runs` lists experiments")
            }
            RegradeSelectError::Journal(error) => journal_error(error),
        })?;
    }
    Ok(selection)
}

/// Runs a function, and cancels the token on an interrupt.
fn while_listening<T>(
    cancel: &CancellationToken,
    act: impl FnOnce() -> T,
) -> Result<T, CommandError> {
    let runtime = super::runtime(1)?;
    let mut listening = {
        let _within = runtime.enter();
        interruption::listen()
    };
    let cancel = cancel.clone();
    let signal = runtime.spawn(async move {
        listening.asked_to_stop().await;
        cancel.cancel();
    });
    let done = act();
    signal.abort();
    Ok(done)
}
