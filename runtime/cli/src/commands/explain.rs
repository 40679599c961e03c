//! `show --explain`: the differences to a passing state that explain failed checks.

use std::sync::Arc;

use mcpmark_certify::{Difference, DifferenceKind, Ending, Explained, Explainer, solved};
use mcpmark_experiment::journal::AttemptRow;
use mcpmark_experiment::{Journal, Prepared, Spec};
use mcpmark_grading::Terms;
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::Store;

use crate::args::EngineArgs;
use crate::commands::imported_plan;
use crate::commands::task_selection::{self, LoadVerifierError, TaskSelection};
use crate::context::Context;
use crate::error::{CommandError, error_chain, journal_error};
use crate::interruption;
use crate::output::{self, sanitise};

/// Maximum number of grades for the explanation of one attempt.
const MAX_GRADES: usize = 20_000;
/// Maximum number of lines shown of a difference without `--full`.
const LINES: usize = 6;

/// Explains the failed checks of an attempt. The result is empty if all checks passed.
pub(crate) fn explain(
    context: &Context,
    journal: &Journal,
    attempt: &AttemptRow,
) -> Result<Vec<Explained>, CommandError> {
    let checks = attempt.checks();
    if checks.iter().all(|check| check.passed) {
        return Ok(Vec::new());
    }
    interruption::say("interrupted");
    interruption::watch();
    let store = Arc::new(context.store()?);
    let failed = ending(&store, attempt)?;
    let experiment = journal
        .experiment(&attempt.experiment)
        .map_err(journal_error)?;
    let spec: Spec =
        serde_json::from_str(&experiment.spec).map_err(CommandError::infrastructure)?;
    let way_out = format!(
        "`mcpmark resume {} --tasks PLACE` sets the new location of the same tasks",
        sanitise::line(&attempt.experiment)
    );
    let task = std::slice::from_ref(&attempt.task);
    let place = imported_plan::place(&experiment, &spec, &way_out)?;
    let chosen = TaskSelection::by_id(context, place, task)
        .map_err(|error| task_selection::with_location_hint(&spec, &way_out, error))?;
    // Two slots: the oracle occupies one while it plays.
    let sandbox = context.sandbox(2, EngineArgs::default())?;
    let task = match terms(&store, attempt)? {
        Some(terms) => chosen.as_judged(&terms, &sandbox, &store)?,
        None => chosen.prepare(&sandbox, &store)?.remove(0),
    };
    if attempt.world != Some(task.start.digest.into()) {
        return Err(CommandError::invalid(format!(
            "the world of task {} has changed since the attempt, so the attempt cannot be compared with a passing state",
            attempt.task
        )));
    }
    let passing = passing(context, journal, attempt, &task, &sandbox, &store)?;
    let explainer = Explainer {
        task: &task,
        sandbox: &sandbox,
        store: &store,
        most: MAX_GRADES,
    };
    Ok(explainer.explain(&failed, &passing, checks))
}

/// Returns the terms of the last grade, or `None` in journals of earlier versions.
pub(super) fn terms(store: &Store, attempt: &AttemptRow) -> Result<Option<Terms>, CommandError> {
    let Some(digest) = attempt.grade.as_ref().and_then(|grade| grade.terms) else {
        return Ok(None);
    };
    let terms = Terms::read(store, &digest.untyped()).map_err(LoadVerifierError::from)?;
    Ok(Some(terms))
}

/// Returns the final state of the oracle, or of another attempt that passed if the task has no solution.
fn passing(
    context: &Context,
    journal: &Journal,
    attempt: &AttemptRow,
    task: &Prepared,
    sandbox: &Sandbox,
    store: &Arc<Store>,
) -> Result<Ending, CommandError> {
    if task.solution.is_some() {
        let scratch = context.scratch()?;
        let runtime = super::runtime(1)?;
        let played = runtime.block_on(solved(task, sandbox, store, &scratch));
        return played.map_err(|message| {
            CommandError::invalid(format!("the solution of task {}: {message}", attempt.task))
        });
    }
    let other = journal
        .passing_attempt(&attempt.task, &task.start.digest)
        .map_err(journal_error)?;
    match other {
        Some(other) => ending(store, &other),
        None => Err(CommandError::usage(format!(
            "task {} has neither a solution nor a passing attempt to compare with",
            attempt.task
        ))),
    }
}

/// Returns the final state and the answer of an attempt.
pub(super) fn ending(store: &Store, attempt: &AttemptRow) -> Result<Ending, CommandError> {
    let digest = attempt
        .state
        .ok_or_else(|| CommandError::usage(format!("attempt {} has no final state", attempt.id)))?;
    let tree = store
        .load_tree(&digest.untyped())
        .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    Ok(Ending {
        tree,
        answer: attempt.answer.clone(),
    })
}

pub(crate) fn text(explained: &[Explained], full: bool) -> String {
    let mut text = String::new();
    // Consecutive checks with the same differences, such as one missing file, are grouped.
    for alike in explained.chunk_by(|one, other| one.differences == other.differences) {
        for one in alike {
            text.push_str(&format!(
                "{} {}\n",
                output::mark(false),
                sanitise::line(&one.check)
            ));
        }
        let Some(differences) = alike.first().and_then(|one| one.differences.as_ref()) else {
            text.push_str("  no difference to a passing state explains it\n");
            continue;
        };
        for difference in differences {
            text.push_str(&told(difference, full));
        }
    }
    text
}

fn told(difference: &Difference, full: bool) -> String {
    let what = match difference.kind {
        DifferenceKind::Missing => "missing",
        DifferenceKind::Stray => "stray",
        DifferenceKind::Other => "other",
    };
    let line = difference
        .line
        .map_or_else(String::new, |line| format!(", line {line}"));
    let mut text = format!(
        "  {}{line} {}\n",
        sanitise::line(&difference.place),
        output::paint(output::DIM, format!("({what})"))
    );
    for (sign, side, style) in [
        ('-', &difference.found, output::BAD),
        ('+', &difference.wanted, output::GOOD),
    ] {
        let lines = side.lines().count();
        let shown = if full { lines } else { LINES };
        for line in side.lines().take(shown) {
            let line = format!("{sign} {}", sanitise::line(line));
            text.push_str(&format!("    {}\n", output::paint(style, line)));
        }
        if lines > shown {
            let more = format!("… {} more", output::count(lines - shown, "line"));
            text.push_str(&format!("    {}\n", output::paint(output::DIM, more)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_with_the_same_differences_share_them() {
        let explained = |check: &str, place: &str| Explained {
            check: check.to_owned(),
            detail: String::new(),
            differences: Some(vec![Difference {
                place: place.to_owned(),
                kind: DifferenceKind::Missing,
                found: String::new(),
                wanted: "total,12\n".to_owned(),
                line: None,
            }]),
        };
        let all = [
            explained("has a header", "report.csv"),
            explained("has a total", "report.csv"),
            explained("is dated", "notes.md"),
        ];
        let text = text(&all, false);
        assert_eq!(text.matches("report.csv").count(), 1, "{text}");
        assert_eq!(text.matches("notes.md").count(), 1, "{text}");
        let place = |words: &str| text.find(words).unwrap();
        assert!(place("has a total") < place("report.csv"));
        assert!(place("report.csv") < place("is dated"));
    }
}
