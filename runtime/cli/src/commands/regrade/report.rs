//! Results of a regrade: old and new verdicts.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use mcpmark_experiment::journal::{AttemptRow, GradeRow};
use mcpmark_experiment::{Journal, Outcome, STATE_FAULT};
use mcpmark_grading::regrade::{
    ChangedCheck, ChangedServer, GradeComparison, RegradeItem, Regraded,
};
use mcpmark_metadata::{
    ExitCode, NotRegraded, RegradeCounts, RegradeNumbers, RegradeReport, RegradeSide,
    RegradedAttempt, RegradedModel,
};
use mcpmark_metrics::{Sample, Score};

use crate::commands::runs;
use crate::error::{CommandError, journal_error};
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Maximum number of flips, and of attempts that were not regraded, in the text output.
const SHOWN: usize = 50;

/// Result of a regrade.
pub(super) struct Report {
    attempts: Vec<RegradedAttempt>,
    /// Attempts without a readable final state, without their task, or without a new grade.
    not_regraded: Vec<Left>,
    models: Vec<RegradedModel>,
    summary: RegradeCounts,
}

/// Attempt that was not graded again.
pub(super) struct Left {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) reason: String,
    /// Exit code that this attempt causes.
    pub(super) code: ExitCode,
}

impl Report {
    pub(super) fn new(
        journal: &Journal,
        regrade: i64,
        rows: &[AttemptRow],
        work: &[RegradeItem],
        mut not_regraded: Vec<Left>,
        broken: Vec<Regraded>,
    ) -> Result<Self, CommandError> {
        let mut attempts = Vec::new();
        // An earlier run of this regrade may have graded an attempt that now cannot be graded.
        let ungraded: BTreeSet<&str> = broken.iter().map(|it| it.attempt.as_str()).collect();
        let graded = rows.iter().zip(work);
        for (row, one) in graded.filter(|(row, _)| !ungraded.contains(row.id.as_str())) {
            let (before, after) = journal.regraded(&row.id, regrade).map_err(journal_error)?;
            if let Some(after) = after {
                let other_start = one.start != one.task.start;
                attempts.push(regraded(row, other_start, before.as_ref(), &after));
            }
        }
        let tasks: BTreeMap<&str, &str> = rows
            .iter()
            .map(|row| (row.id.as_str(), row.task.as_str()))
            .collect();
        not_regraded.extend(broken.into_iter().map(|broken| {
            let code = match broken.outcome {
                Outcome::InfraError(_) => ExitCode::Infrastructure,
                Outcome::HeldBack(_) => ExitCode::NotGraded,
                _ => ExitCode::Passed,
            };
            let fault = broken.outcome.fault().map(|fault| fault.message);
            let task = tasks.get(broken.attempt.as_str()).copied();
            Left {
                task: task.unwrap_or_default().to_owned(),
                id: broken.attempt,
                reason: fault.unwrap_or_else(|| broken.outcome.as_str().to_owned()),
                code,
            }
        }));
        let count = |is: fn(&RegradedAttempt) -> bool| attempts.iter().filter(|it| is(it)).count();
        let summary = RegradeCounts {
            attempts: attempts.len(),
            same: count(|it| it.same),
            flipped: count(|it| it.flipped),
            faults: count(|it| it.after.passed.is_none()),
            not_regraded: not_regraded.len(),
            other_start: count(|it| it.other_start),
            other_server: count(|it| !it.servers.is_empty()),
        };
        Ok(Self {
            models: models(&attempts, rows),
            attempts,
            not_regraded,
            summary,
        })
    }

    /// Returns the document of `--json`.
    pub(super) fn document(&self) -> RegradeReport {
        let not_regraded = self.not_regraded.iter().map(|left| NotRegraded {
            id: left.id.clone(),
            task: left.task.clone(),
            reason: left.reason.clone(),
        });
        RegradeReport {
            attempts: self.attempts.clone(),
            not_regraded: not_regraded.collect(),
            models: self.models.clone(),
            summary: self.summary,
        }
    }

    /// Returns the exit code: 5 if a host error prevented a grade, 3 if a verifier failed or is held back, 1 if a
    /// verdict flipped, and 0 otherwise.
    pub(super) fn exit_code(&self) -> ExitCode {
        let left = |code: ExitCode| self.not_regraded.iter().any(|left| left.code == code);
        if left(ExitCode::Infrastructure) {
            ExitCode::Infrastructure
        } else if self.summary.faults > 0 || left(ExitCode::NotGraded) {
            ExitCode::NotGraded
        } else if self.summary.flipped > 0 {
            ExitCode::Failed
        } else {
            ExitCode::Passed
        }
    }

    pub(super) fn text(&self) -> String {
        let plain = Style::new();
        let mut text = String::new();
        let mut table = Table::new(&[
            "experiment",
            "~model",
            ">attempts",
            ">passed before",
            ">now",
            ">pass@1 before",
            ">now",
        ]);
        for model in &self.models {
            let percent = |numbers: &RegradeNumbers| {
                numbers
                    .pass_1
                    .map_or("-".to_owned(), |rate| format!("{:.1} %", rate * 100.0))
            };
            table.row(vec![
                (sanitise::line(&model.experiment).into_owned(), plain),
                (sanitise::line(&model.name).into_owned(), plain),
                (model.after.attempts.to_string(), plain),
                (model.before.passed.to_string(), plain),
                (model.after.passed.to_string(), plain),
                (percent(&model.before), plain),
                (percent(&model.after), plain),
            ]);
        }
        text.push_str(&table.render());
        let changed: Vec<&RegradedAttempt> = self.attempts.iter().filter(|it| it.flipped).collect();
        for attempt in changed.iter().take(SHOWN) {
            text.push_str(&attempt_text(attempt));
        }
        if changed.len() > SHOWN {
            let more = changed.len() - SHOWN;
            text.push_str(&format!(
                "\n… {} more; --json lists them\n",
                output::count(more, "flip")
            ));
        }
        for left in self.not_regraded.iter().take(SHOWN) {
            text.push_str(&format!(
                "{} {}  {}: {}\n",
                output::paint(output::WARN, "not regraded:"),
                output::paint(output::DIM, &left.id),
                sanitise::line(&left.task),
                sanitise::line(&left.reason)
            ));
        }
        if self.not_regraded.len() > SHOWN {
            let more = self.not_regraded.len() - SHOWN;
            text.push_str(&format!("… {more} more; --json lists them\n"));
        }
        let RegradeCounts {
            attempts,
            same,
            flipped,
            faults,
            not_regraded,
            other_start,
            other_server: _,
        } = &self.summary;
        let mut parts = vec![
            format!("{} regraded", output::count(*attempts, "attempt")),
            output::paint(output::GOOD, format!("{same} unchanged")),
        ];
        for (number, word, style) in [
            (attempts - same - flipped, "with different details", plain),
            (*flipped, "flipped", output::BAD),
            (*faults, "without a verdict", output::WARN),
            (*not_regraded, "not regraded", output::WARN),
            (
                *other_start,
                "from a starting state other than the task's",
                output::WARN,
            ),
        ] {
            if number > 0 {
                parts.push(output::paint(style, format!("{number} {word}")));
            }
        }
        text.push_str(&format!("{}\n", parts.join(", ")));
        text.push_str(&self.servers_text());
        text
    }

    /// Returns a line for each pair of servers that answered the same interface in the previous grade and in the new one,
    /// with the comparison of their verdicts.
    fn servers_text(&self) -> String {
        let mut pairs: BTreeMap<(&str, &str, &str), [usize; 3]> = BTreeMap::new();
        for attempt in &self.attempts {
            for it in &attempt.servers {
                let key = (&*it.interface, &*it.before, &*it.after);
                let [attempts, same, flipped] = pairs.entry(key).or_default();
                *attempts += 1;
                *same += usize::from(attempt.same);
                *flipped += usize::from(attempt.flipped);
            }
        }
        let mut text = String::new();
        for ((interface, before, after), [attempts, same, flipped]) in pairs {
            let line = format!(
                "{interface}: {after} (previous grade: {before}): {}, {same} unchanged, {flipped} flipped",
                output::count(attempts, "attempt")
            );
            text.push_str(&format!("{}\n", sanitise::line(&line)));
        }
        text
    }
}

fn regraded(
    row: &AttemptRow,
    other_start: bool,
    before: Option<&GradeRow>,
    after: &GradeRow,
) -> RegradedAttempt {
    let side = |grade: &GradeRow| RegradeSide {
        outcome: grade.result.outcome().to_string(),
        passed: grade.result.passed(),
        score: grade.result.score(),
        score_rule: grade.result.score_rule().map(Into::into),
        verifier: grade.verifier.to_string(),
        engine: grade.engine.clone(),
        interfaces: grade.interfaces.clone().into(),
        fault: grade.result.fault().map(|fault| fault.message.clone()),
    };
    let changes = GradeComparison::new(before, after);
    RegradedAttempt {
        id: row.id.clone(),
        experiment: row.experiment.clone(),
        task: row.task.clone(),
        model: row.model.clone(),
        k: row.k,
        other_start,
        same: changes.is_same,
        flipped: changes.is_flipped,
        servers: changes.servers.into_iter().map(changed_server).collect(),
        checks: changes.checks.into_iter().map(changed_check).collect(),
        before: before.map(side),
        after: side(after),
    }
}

fn changed_server(server: ChangedServer) -> mcpmark_metadata::ChangedServer {
    mcpmark_metadata::ChangedServer {
        interface: server.interface,
        before: server.before,
        after: server.after,
    }
}

fn changed_check(check: ChangedCheck) -> mcpmark_metadata::ChangedCheck {
    mcpmark_metadata::ChangedCheck {
        name: check.name,
        before: check.before,
        after: check.after,
        detail: check.detail,
    }
}

fn attempt_text(attempt: &RegradedAttempt) -> String {
    let word =
        |side: Option<&RegradeSide>| match side.map(|side| (side.passed, side.outcome.as_str())) {
            Some((Some(true), _)) => output::paint(output::GOOD, "pass"),
            Some((Some(false), STATE_FAULT)) => output::paint(output::BAD, "fail (state-fault)"),
            Some((Some(false), _)) => output::paint(output::BAD, "fail"),
            Some((None, outcome)) => output::paint(output::WARN, sanitise::line(outcome)),
            None => output::paint(output::WARN, "no grade"),
        };
    let mut text = format!(
        "\n{} → {}  {}  {}\n",
        word(attempt.before.as_ref()),
        word(Some(&attempt.after)),
        output::progress::label(&attempt.task, attempt.model.as_deref(), attempt.k),
        output::paint(output::DIM, &attempt.id)
    );
    for server in &attempt.servers {
        let line = format!("{}: {} → {}", server.interface, server.before, server.after);
        text.push_str(&format!("  {}\n", sanitise::line(&line)));
    }
    if let Some(fault) = &attempt.after.fault {
        text.push_str(&format!("  {}\n", sanitise::line(fault)));
    }
    for check in &attempt.checks {
        let mark = |passed: Option<bool>| passed.map_or("·".to_owned(), output::mark);
        text.push_str(&format!(
            "  {} → {} {}\n",
            mark(check.before),
            mark(check.after),
            sanitise::line(&check.name)
        ));
        if check.after == Some(false) && !check.detail.is_empty() {
            let detail = sanitise::block(&check.detail).replace('\n', "\n      ");
            text.push_str(&format!("      {detail}\n"));
        }
    }
    text
}

/// Returns the metrics of each participant before and after, over the regraded attempts.
fn models(attempts: &[RegradedAttempt], rows: &[AttemptRow]) -> Vec<RegradedModel> {
    let names: BTreeMap<&str, &AttemptRow> =
        rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let mut groups: BTreeMap<(&str, String), Vec<&RegradedAttempt>> = BTreeMap::new();
    for attempt in attempts {
        if let Some(row) = names.get(attempt.id.as_str()) {
            let name = runs::actor(row);
            groups
                .entry((&attempt.experiment, name))
                .or_default()
                .push(attempt);
        }
    }
    let numbers = |group: &[&RegradedAttempt], passed: fn(&RegradedAttempt) -> Option<bool>| {
        let samples: Vec<Sample<'_>> = group
            .iter()
            .map(|attempt| Sample {
                task: &attempt.task,
                world: attempt.task.rsplit_once('/').map_or("", |(world, _)| world),
                k: attempt.k,
                passed: passed(attempt),
            })
            .collect();
        let score = Score::brief(&samples);
        RegradeNumbers {
            attempts: score.attempts,
            graded: score.graded,
            passed: score.passed,
            pass_1: score.pass_1().value(),
        }
    };
    groups
        .into_iter()
        .map(|((experiment, name), group)| RegradedModel {
            experiment: experiment.to_owned(),
            name,
            before: numbers(&group, |it| it.before.as_ref().and_then(|side| side.passed)),
            after: numbers(&group, |it| it.after.passed),
        })
        .collect()
}
