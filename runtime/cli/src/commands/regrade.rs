//! `regrade`: grades the final states of attempts with the current verifiers of their tasks.

mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcpmark_experiment::journal::AttemptRow;
use mcpmark_experiment::{Journal, JournalError, Spec};
use mcpmark_grading::{RegradeItem, Regrader};
use mcpmark_snapshot::Digest;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::report::{Left, Report};
use crate::args::RegradeArgs;
use crate::commands::run::jobs;
use crate::commands::task_selection::{self, Chosen};
use crate::commands::{bundle, imported_plan, runs};
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, chain, journal_error};
use crate::output::{self, sanitise};
use crate::{exit, interruption};

const WAY_OUT: &str = "`--bundle PLACE` uses a bundle that has the tasks";

/// Grades attempts again.
pub(crate) fn regrade(context: &Context, args: RegradeArgs) -> Result<u8, CommandError> {
    let context = &match &args.bundle {
        Some(bundle) => {
            bundle::must_be_there(bundle)?;
            context.at_bundle(bundle)
        }
        None => context.clone(),
    };
    let lack = match &args.bundle {
        Some(bundle) => format!("{} does not have the task", bundle.display()),
        None => "the task no longer exists".to_owned(),
    };
    let journal = context.journal_to_write()?;
    let experiments = find(&journal, &args.what)?;
    interruption::say("interrupted; repeat the command to continue");
    interruption::watch();
    let jobs = jobs(args.jobs);
    let sandbox = context.sandbox(jobs, args.engine)?;
    let store = context.store()?;
    let (mut work, mut left, mut rows, mut locks) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (name, attempts) in experiments {
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
        let chosen = Chosen::known(context, place, &tasks, &mut |_, _| Ok(()));
        let chosen = chosen.map_err(|error| match args.bundle {
            Some(_) => error,
            None => task_selection::or_elsewhere(&spec, WAY_OUT, error),
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
            let digest = |text: &Option<String>| text.as_ref()?.parse::<Digest>().ok();
            let states = digest(&attempt.world).zip(digest(&attempt.state));
            match (states, prepared.get(&attempt.task)) {
                (Some((start, state)), Some(task)) if attempt.status == "finished" => {
                    work.push(RegradeItem {
                        attempt: attempt.id.clone(),
                        start,
                        state,
                        answer: attempt.answer.clone(),
                        task: Arc::clone(task),
                    });
                    rows.push(attempt);
                }
                _ => {
                    let reason = match attempt.status.as_str() {
                        "finished" if states.is_none() => "it has no final state".to_owned(),
                        "finished" => lack.clone(),
                        // The experiment is locked, so no process is running the attempt.
                        "running" => "it did not end".to_owned(),
                        status => format!("it is {status}"),
                    };
                    left.push(Left {
                        id: attempt.id,
                        task: attempt.task,
                        reason,
                        code: exit::PASSED,
                    });
                }
            }
        }
    }
    if work.is_empty() {
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
    let begun = journal
        .begin_regrade(&plan(&work, &sandbox.profile()))
        .map_err(journal_error)?;
    let remaining: Vec<RegradeItem> = work
        .iter()
        .filter(|one| !begun.done.contains(&one.attempt))
        .cloned()
        .collect();
    if !begun.done.is_empty() {
        let done = output::count(begun.done.len(), "attempt");
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
        regrader.run(begun.id, &remaining, &cancel, |regraded| {
            if !regraded.outcome.is_grade() {
                broken.push(regraded);
            }
        })
    })?
    .map_err(|error| {
        CommandError::infrastructure(chain(&error))
            .hint("completed grades are stored; repeat the command to continue")
    })?;
    if cancel.is_cancelled() {
        output::note("interrupted; repeat the command to continue");
        return Ok(exit::INTERRUPTED);
    }
    // Attempts that could not be graded are tried again by the same command.
    if broken.is_empty() {
        journal.end_regrade(begun.id).map_err(journal_error)?;
    }
    let report = Report::new(&journal, begun.id, &rows, &work, left, broken)?;
    if args.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.text())?;
    }
    Ok(report.exit_code())
}

/// Finds the named attempts and the last tries of the named experiments, grouped by experiment.
fn find(
    journal: &Journal,
    what: &[String],
) -> Result<BTreeMap<String, Vec<AttemptRow>>, CommandError> {
    let mut found: BTreeMap<String, BTreeMap<String, AttemptRow>> = BTreeMap::new();
    for name in what {
        let name = &*runs::named(journal, name)?;
        let rows = match journal.experiment(name) {
            Ok(experiment) => journal.attempts(&experiment.name).map_err(journal_error)?,
            Err(JournalError::Unknown { .. }) => {
                let attempt = journal.attempt(name).map_err(|error| match error {
                    JournalError::Unknown { .. } => {
                        CommandError::usage(format!("no experiment or attempt is named {name:?}"))
                            .hint("`mcpmark runs` lists experiments")
                    }
                    other => journal_error(other),
                })?;
                vec![attempt]
            }
            Err(error) => return Err(journal_error(error)),
        };
        for row in rows {
            let attempts = found.entry(row.experiment.clone()).or_default();
            attempts.insert(row.id.clone(), row);
        }
    }
    let sorted = |attempts: BTreeMap<String, AttemptRow>| {
        let mut attempts: Vec<_> = attempts.into_values().collect();
        attempts.sort_by_key(|row| (row.position, row.try_number));
        attempts
    };
    Ok(found
        .into_iter()
        .map(|(name, attempts)| (name, sorted(attempts)))
        .collect())
}

/// Returns a digest of the attempts and terms of a regrade, by which an interrupted one is recognised and continued.
fn plan(work: &[RegradeItem], engine: &str) -> String {
    let mut attempts: Vec<_> = work
        .iter()
        .map(|one| json!([one.attempt, one.task.terms, one.task.bundle]))
        .collect();
    attempts.sort_by_key(ToString::to_string);
    // Part of the digest, so that a regrade that was started under another rule for faults is not continued.
    let document = json!({"attempts": attempts, "engine": engine, "faults": "by-baseline"});
    Digest::of(mcpmark_json::canonical(&document).as_bytes()).to_string()
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
