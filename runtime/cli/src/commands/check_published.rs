//! `mcpmark task check --tasks`: examination of published tasks and their scripts.

use std::sync::Arc;

use anstyle::Style;
use mcpmark_certify::{Check, PublishedExaminer, PublishedReport};
use mcpmark_metadata::{Condition, ExaminedPublishedTask, ExitCode, PublishedCertification};

use crate::args::{CheckArgs, EngineArgs};
use crate::commands::task_selection::{self, TaskSelection};
use crate::context::Context;
use crate::error::{CommandError, held_back};
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Examines the selected tasks of a corpus.
pub(crate) fn check(context: &Context, args: &CheckArgs) -> Result<ExitCode, CommandError> {
    if args.write || args.survivors || args.stale || args.shipped {
        return Err(CommandError::usage(
            "--write, --survivors, --stale and --shipped require tasks with certificates; omit them with --tasks",
        ));
    }
    let place = task_selection::place(&args.published)?;
    let chosen = TaskSelection::select(context, place.as_ref(), &args.select.selection)?;
    // Two slots: a solution occupies one while its tools run.
    let sandbox = context.sandbox(2, EngineArgs::default())?;
    let store = Arc::new(context.store()?);
    let scratch = context.scratch()?;
    let examiner = PublishedExaminer {
        sandbox: &sandbox,
        store: &store,
        scratch: &scratch,
        solved: args.solved.as_deref(),
        against_python: args.against_python,
    };
    examiner
        .check_python()
        .map_err(|reason| CommandError::usage(format!("--against-python: {reason}")))?;
    let prepared = chosen.prepare(&sandbox, &store)?;
    let runtime = super::runtime(1)?;
    let mut reports = Vec::new();
    for task in &prepared {
        let report = runtime.block_on(examiner.examine(task));
        let report = report.ok_or_else(|| held_back(&task.id, &task.judge.digest()))?;
        if !args.select.json {
            let task = sanitise::line(&report.task);
            output::note(&format!("{} {task}", output::mark(report.passed())));
        }
        reports.push(report);
    }
    let passed = reports.iter().all(PublishedReport::passed);
    if args.select.json {
        let tasks = reports.iter().map(document).collect();
        output::print_json(&PublishedCertification { passed, tasks })?;
    } else {
        output::print(&render(&reports, args.against_python))?;
    }
    Ok(if passed {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

fn document(report: &PublishedReport) -> ExaminedPublishedTask {
    ExaminedPublishedTask {
        task: report.task.clone(),
        verifier: report.verifier.to_string(),
        world: report.world.to_string(),
        checks: report.checks.iter().map(condition).collect(),
        remarks: report.remarks.clone(),
        mutants: report.mutants,
        rejected: report.rejected,
        compared: report.compared,
        passed: report.passed(),
    }
}

/// Returns the document of a condition.
pub(crate) fn condition(check: &Check) -> Condition {
    Condition {
        name: check.name.clone(),
        passed: check.passed,
        detail: check.detail.clone(),
    }
}

fn render(reports: &[PublishedReport], against_python: bool) -> String {
    let mut table = Table::new(&["<task", ">checks", ">near misses", ">rejected", ">native"]);
    for report in reports {
        let style = if report.passed() {
            Style::new()
        } else {
            output::BAD
        };
        let held = report.checks.iter().filter(|check| check.passed).count();
        let native = if against_python {
            report.compared.to_string()
        } else {
            "-".to_owned()
        };
        table.row(vec![
            (sanitise::line(&report.task).into_owned(), style),
            (format!("{held}/{}", report.checks.len()), style),
            (report.mutants.to_string(), Style::new()),
            (report.rejected.to_string(), Style::new()),
            (native, Style::new()),
        ]);
    }
    let mut text = table.render();
    for report in reports {
        let has_failed = report.checks.iter().any(|check| !check.passed);
        if has_failed || !report.remarks.is_empty() {
            text.push_str(&findings(&report.task, &report.checks, &report.remarks));
        }
    }
    text
}

/// Formats the name of a task, its failed checks, and the remarks on it.
pub(crate) fn findings(task: &str, checks: &[Check], remarks: &[String]) -> String {
    let mut text = format!("\n{}\n", output::paint(output::BOLD, sanitise::line(task)));
    for check in checks.iter().filter(|check| !check.passed) {
        let detail = sanitise::line(&check.detail);
        text.push_str(&format!(
            "  {} {}: {detail}\n",
            output::mark(false),
            check.name
        ));
    }
    for remark in remarks {
        let mark = output::paint(output::WARN, "!");
        text.push_str(&format!("  {mark} {}\n", sanitise::line(remark)));
    }
    text
}
