//! `mcpmark task check`: certification of tasks, and comparison with their certificates.

use std::collections::HashMap;
use std::sync::Arc;

use anstyle::Style;
use mcpmark_certify::{
    Certificate, Certifier, CertifyError, Comparison, Identity, Mutants, PLAYED_AT_ONCE, Point,
    PointStatus, Report, tree_view,
};
use mcpmark_experiment::unavailable;
use mcpmark_metadata::{Certification, CertifiedTask, ExitCode, MutantResults, Skeleton, Survivor};
use mcpmark_task::Task;
use serde_json::json;

use crate::args::{CheckArgs, EngineArgs, EngineName};
use crate::commands::certified;
use crate::commands::check_published::{self, condition, findings};
use crate::commands::task_selection::warn_of_left_out;
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain};
use crate::output::build::BuildDisplay;
use crate::output::table::Table;
use crate::output::{self, sanitise};
use crate::settings;

/// Parts of a task that its certificate is compared with.
#[derive(Clone, Copy)]
enum Bound {
    /// Sources of the task.
    Sources,
    /// Built verifier, because bundles have no sources.
    Built,
}

impl Bound {
    /// Returns the reason why a certificate does not hold for a task, or `None` if it holds.
    fn differs(self, certificate: &Certificate, task: &Identity) -> Option<String> {
        match self {
            Self::Sources => certificate.differs(task),
            Self::Built => certificate.differs_as_built(task),
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Sources => "its sources, their code and its world",
            Self::Built => "its verifier and its world",
        }
    }

    /// Returns a hint to renew the certificate. It is empty for bundles, which are never written to.
    fn renewed(self, word: &str) -> String {
        match self {
            Self::Sources => format!("; --write {word}"),
            Self::Built => String::new(),
        }
    }
}

/// Runs `mcpmark task check`, the certification of tasks.
pub(crate) fn check(context: &Context, args: &CheckArgs) -> Result<ExitCode, CommandError> {
    if args.published.tasks.is_some() {
        return check_published::check(context, args);
    }
    if args.solved.is_some() || args.against_python {
        return Err(CommandError::usage(
            "--solved and --against-python require --tasks, the directory of tasks in a published layout",
        ));
    }
    let library = context.library()?;
    let bound = if !context.is_bundle()? {
        Bound::Sources
    } else if args.write {
        return Err(
            CommandError::usage("--write: certificates cannot be written into a bundle")
                .hint("omit --write, or name the sources with --root"),
        );
    } else {
        Bound::Built
    };
    let mut tasks = context::select(&library, &args.select.selection)?;
    let engine = |engine| EngineArgs {
        engine,
        cross_check: false,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let busy = cores.max(PLAYED_AT_ONCE);
    let slots = u32::try_from(busy).unwrap_or(u32::MAX).saturating_add(1);
    let sandbox = context.sandbox(slots, engine(EngineName::Cranelift))?;
    let other = context.sandbox(slots, engine(EngineName::Pulley))?;
    let store = Arc::new(context.store()?);
    let scratch = context.scratch()?;
    let mut builder = context.builder(&library);
    let runtime = tokio::runtime::Runtime::new().map_err(CommandError::infrastructure)?;

    // The guests of all tasks are built together, so that cargo starts only once. Cheats are built only for tasks to
    // certify, when it is known which certificates hold.
    context.prepare(&library, &tasks, &sandbox, &store)?;
    let ceiling = settings::world_ceiling()?;
    let mut certifier = Certifier {
        services: context.services(),
        library: &library,
        builder: &mut builder,
        sandbox: &sandbox,
        other: &other,
        store: &store,
        scratch: &scratch,
        ceiling: &ceiling,
        // The guests that it needs are already built.
        report: &mut |_| {},
    };
    // Tasks that are named must be examined.
    let may_leave_out = args.select.selection.selectors.is_empty();
    if !args.stale {
        if may_leave_out {
            leave_out_unavailable(context, &mut tasks, &mut Vec::new());
        }
        build(&mut certifier, tasks.iter())?;
    }
    let mut held = Vec::new();
    for task in &mut tasks {
        if args.write {
            write_view(context, &library, task, &sandbox, &store)?;
        }
        held.push(if args.stale {
            certified(&mut certifier, task, bound)?
        } else {
            None
        });
    }
    if args.stale {
        if may_leave_out {
            leave_out_unavailable(context, &mut tasks, &mut held);
        }
        let to_certify = tasks.iter().zip(&held).filter(|(_, held)| held.is_none());
        build(&mut certifier, to_certify.map(|(task, _)| task))?;
    }
    settings::bound_memory()?;
    let mut comparison = Comparison::read(&library).map_err(|error| context::invalid(&error))?;
    for report in held.iter().flatten() {
        comparison.record(report);
    }
    let mut reports = Vec::new();
    let mut previous = HashMap::new();
    // A bundle has no sources with which the certificates of other tasks could be compared. The results in a
    // certificate that holds were obtained where there were sources.
    let is_compared = |report: &Report| report.examined || matches!(bound, Bound::Sources);
    for (task, held) in tasks.iter().zip(held) {
        let mut report = match held {
            Some(report) => report,
            None => runtime
                .block_on(certifier.certify(task))
                .map_err(|error| certify_error(&error))?,
        };
        comparison.record(&report);
        if is_compared(&report) {
            comparison.apply(&mut report);
        }
        if args.write
            && report.examined
            && let Some(certificate) = Certificate::of(&report)
        {
            let bytes = Certificate::bytes(task).map_err(CommandError::infrastructure)?;
            certificate
                .write(task)
                .map_err(CommandError::infrastructure)?;
            previous.insert(task.id.clone(), bytes);
        }
        compare(task, &mut report, args, bound)?;
        if !args.select.json {
            output::note(&progress(&report));
        }
        reports.push(report);
    }
    for (task, report) in tasks.iter().zip(&mut reports) {
        // Tasks that were examined later are compared too.
        if is_compared(report) {
            comparison.apply(report);
        }
        if args.write {
            rewrite(task, report, previous.get(&task.id))?;
        }
    }
    let passed = reports.iter().all(Report::passed);
    if args.select.json {
        let tasks = reports.iter().map(document).collect();
        output::print_json(&Certification { passed, tasks })?;
    } else {
        output::print(&render(&reports, args.survivors))?;
    }
    Ok(if passed {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// Builds all guests of tasks, with their cheats.
fn build<'a>(
    certifier: &mut Certifier<'_>,
    tasks: impl Iterator<Item = &'a Task>,
) -> Result<(), CommandError> {
    let guests: Vec<_> = tasks.flat_map(Task::guests).cloned().collect();
    let mut display = BuildDisplay::default();
    certifier
        .builder
        .build(&guests, &mut |event| display.show(event))
        .map_err(|error| context::prepare_error(&error.into()))?;
    Ok(())
}

/// Removes the tasks to examine whose service cannot run on this machine, with a warning for each service. A task whose
/// certificate is in `held` needs no service, so it stays. If no task is left, none is removed, so that the
/// certification fails with the reason.
fn leave_out_unavailable(context: &Context, tasks: &mut Vec<Task>, held: &mut Vec<Option<Report>>) {
    held.resize_with(tasks.len(), || None);
    let to_examine = tasks.iter().zip(&*held).filter(|(_, held)| held.is_none());
    let left_out = unavailable(to_examine.map(|(task, _)| &task.id), context.services());
    let count: usize = left_out.values().map(|left_out| left_out.count).sum();
    if count == tasks.len() {
        return;
    }
    let (kept, kept_held) = tasks
        .drain(..)
        .zip(held.drain(..))
        .filter(|(task, held)| held.is_some() || !left_out.contains_key(task.id.service()))
        .unzip();
    (*tasks, *held) = (kept, kept_held);
    warn_of_left_out(&left_out);
}

fn certify_error(error: &CertifyError) -> CommandError {
    if let CertifyError::Prepare(error) = error {
        return context::prepare_error(error);
    }
    let message = error_chain(error);
    let message = sanitise::block(&message);
    if error.is_infrastructure() {
        CommandError::infrastructure(message)
    } else {
        CommandError::invalid(message)
    }
}

/// Returns a report from the certificate of a task, if the certificate holds.
fn certified(
    certifier: &mut Certifier<'_>,
    task: &Task,
    bound: Bound,
) -> Result<Option<Report>, CommandError> {
    let Some(certificate) = Certificate::read(task).map_err(|error| context::invalid(&error))?
    else {
        return Ok(None);
    };
    let identity = certifier
        .identify(task)
        .map_err(|error| certify_error(&error))?;
    let holds = bound.differs(&certificate, &identity).is_none();
    Ok(holds.then(|| Report::certified(identity, &certificate)))
}

/// Compares a report with the certificate in the task's directory, unless a new one is written.
fn compare(
    task: &Task,
    report: &mut Report,
    args: &CheckArgs,
    bound: Bound,
) -> Result<(), CommandError> {
    if args.write {
        return Ok(());
    }
    let certificate = Certificate::read(task).map_err(|error| context::invalid(&error))?;
    let check = |passed, detail: String| mcpmark_certify::Check {
        name: "the certificate holds".to_owned(),
        passed,
        detail,
    };
    match certificate.map(|certificate| bound.differs(&certificate, &report.identity)) {
        None if args.shipped => report.checks.push(check(
            false,
            format!("there is no certificate{}", bound.renewed("creates one")),
        )),
        None => report.remarks.push(format!(
            "there is no certificate{}",
            bound.renewed("creates one")
        )),
        Some(None) => report
            .checks
            .push(check(true, bound.description().to_owned())),
        Some(Some(difference)) => report.checks.push(check(
            false,
            format!("{difference}{}", bound.renewed("renews it")),
        )),
    }
    Ok(())
}

/// Writes a certificate again if a comparison with other tasks changed its conditions. A certificate names only
/// conditions that hold, so if one of them does not hold any more, a certificate that is new in this run is replaced by
/// the `previous` one. Of two tasks that are alike, the one that was examined first then ends like the other.
fn rewrite(
    task: &Task,
    report: &Report,
    previous: Option<&Option<Vec<u8>>>,
) -> Result<(), CommandError> {
    let certificate = Certificate::of(report);
    let written = if report.examined {
        match (certificate, previous) {
            (Some(certificate), _) => certificate.write(task),
            (None, Some(previous)) => Certificate::restore(task, previous.as_deref()),
            (None, None) => Ok(()),
        }
    } else {
        // The report was derived from the certificate, so it can be read.
        let stored = Certificate::read(task).map_err(|error| context::invalid(&error))?;
        match (certificate, stored) {
            (Some(certificate), Some(stored))
                if report.skeleton.is_some() && certificate.checks != stored.checks =>
            {
                certificate.write(task)
            }
            _ => Ok(()),
        }
    };
    written.map_err(CommandError::infrastructure)
}

/// Updates the tree view of the world in `meta.json`.
fn write_view(
    context: &Context,
    library: &mcpmark_task::Library,
    task: &mut Task,
    sandbox: &mcpmark_sandbox::Sandbox,
    store: &mcpmark_snapshot::Store,
) -> Result<(), CommandError> {
    let prepared = context.prepare(library, std::slice::from_ref(task), sandbox, store)?;
    let Some(prepared) = prepared.first() else {
        return Ok(());
    };
    let view = tree_view(&prepared.start.tree);
    let mut document = task.meta.document.clone();
    let data = document
        .entry("meta_data")
        .or_insert_with(|| json!({ "stateType": "text" }));
    if data.is_null() {
        *data = json!({ "stateType": "text" });
    }
    if data["stateContent"] == view.as_str() {
        return Ok(());
    }
    data["stateContent"] = view.into();
    let file = task.dir.join("meta.json");
    let text = serde_json::to_string_pretty(&document).map_err(CommandError::infrastructure)?;
    std::fs::write(&file, text + "\n")
        .map_err(|error| CommandError::infrastructure(format!("{}: {error}", file.display())))?;
    *task = library
        .task(&task.id)
        .map_err(|error| context::invalid(&error))?;
    Ok(())
}

fn progress(report: &Report) -> String {
    let task = &report.identity.task;
    let how = if report.examined {
        ""
    } else {
        ": the certificate holds"
    };
    format!("{} {task}{how}", output::mark(report.passed()))
}

fn document(report: &Report) -> CertifiedTask {
    let Report {
        identity,
        examined,
        checks,
        remarks,
        shared,
        mutants,
        held_at_start,
        scores,
        variants,
        skeleton,
        style,
    } = report;
    let skeleton = skeleton.as_ref();
    CertifiedTask {
        task: identity.task.clone(),
        sources: identity.sources.to_string(),
        code: identity.code.to_string(),
        world: identity.world.to_string(),
        verifier: identity.verifier.to_string(),
        examined: *examined,
        checks: checks.iter().map(condition).collect(),
        remarks: remarks.clone(),
        shared: shared.clone(),
        mutants: mutant_results(mutants),
        held_at_start: held_at_start.clone(),
        scores: scores.clone(),
        variants: variants.clone(),
        skeleton: skeleton.map(|skeleton| Skeleton {
            calls: skeleton.calls.to_string(),
            rules: skeleton.rules.to_string(),
        }),
        style: style.clone(),
        passed: report.passed(),
        points: report.points().into_iter().map(certified::point).collect(),
    }
}

fn mutant_results(mutants: &Mutants) -> MutantResults {
    let survivors = mutants.survivors.iter().map(|survivor| Survivor {
        mutation: survivor.mutation.to_owned(),
        path: survivor.path.clone(),
        what: survivor.what.clone(),
        verdict: survivor.verdict.clone(),
        diff: survivor.diff.clone(),
    });
    MutantResults {
        made: mutants.made,
        rejected: mutants.rejected,
        free: mutants.free,
        accepted: mutants.accepted,
        mutations: mutants.mutations.clone(),
        survivors: survivors.collect(),
        score: mutants.score(),
    }
}

/// Returns the number of points that passed, as in `2/11`.
fn points(report: &Report) -> String {
    let points = report.points();
    let passed = points.iter().filter(|it| it.status == PointStatus::Passed);
    format!("{}/{}", passed.count(), Point::ALL.len())
}

fn render(reports: &[Report], survivors: bool) -> String {
    let mut table = Table::new(&[
        "<task",
        ">checks",
        ">points",
        ">mutants",
        ">rejected",
        ">score",
    ]);
    for report in reports {
        let style = if report.passed() {
            Style::new()
        } else {
            output::BAD
        };
        let held = report.checks.iter().filter(|check| check.passed).count();
        let mutants = &report.mutants;
        table.row(vec![
            (report.identity.task.clone(), style),
            (format!("{held}/{}", report.checks.len()), style),
            (points(report), Style::new()),
            (mutants.made.to_string(), Style::new()),
            (mutants.rejected.to_string(), Style::new()),
            (
                mutants
                    .score()
                    .map_or("-".to_owned(), |score| format!("{:.1} %", score * 100.0)),
                style,
            ),
        ]);
    }
    let mut text = table.render();
    for report in reports {
        let has_failed = report.failed().next().is_some();
        let shown = if survivors || has_failed {
            &report.mutants.survivors[..]
        } else {
            &[]
        };
        let unseen = report.mutants.survivors.len() - shown.len();
        if !has_failed && shown.is_empty() && report.remarks.is_empty() && unseen == 0 {
            continue;
        }
        text.push_str(&findings(
            &report.identity.task,
            &report.checks,
            &report.remarks,
        ));
        if unseen > 0 {
            text.push_str(&format!(
                "  {} {}; --survivors shows them\n",
                output::paint(output::WARN, "!"),
                match unseen {
                    1 => "1 near miss has the wrong verdict".to_owned(),
                    unseen => format!("{unseen} near misses have the wrong verdict"),
                }
            ));
        }
        for survivor in shown {
            text.push_str(&format!(
                "  {}\n",
                output::paint(
                    output::WARN,
                    sanitise::line(&format!(
                        "{} {}: {}: {}",
                        survivor.verdict, survivor.mutation, survivor.path, survivor.what
                    ))
                )
            ));
            for line in survivor.diff.lines().skip(1).take(12) {
                let style = match line.as_bytes().first() {
                    Some(b'+') => output::GOOD,
                    Some(b'-') => output::BAD,
                    _ => output::DIM,
                };
                text.push_str(&format!(
                    "    {}\n",
                    output::paint(style, sanitise::line(line))
                ));
            }
        }
    }
    let alike = reports.iter().filter(|report| !report.shared.is_empty());
    let alike = alike.count();
    if alike > 0 {
        let whose = match reports.len() {
            1 => "The solution shares".to_owned(),
            all => format!("In {alike} of {all} tasks the solution shares"),
        };
        let note = format!(
            "{whose} sources with the verifier, so an error in them affects both. --json lists \
             them."
        );
        text.push_str(&format!("\n{}\n", output::paint(output::DIM, note)));
    }
    text.push_str(&style(reports));
    text
}

/// Formats the warnings about the style of instructions: those of a single task, or the number of tasks with warnings.
fn style(reports: &[Report]) -> String {
    if let [report] = reports {
        let warnings = report.style.iter().map(|warning| {
            let mark = output::paint(output::WARN, "!");
            format!("  {mark} {}\n", sanitise::line(warning))
        });
        let warnings: String = warnings.collect();
        return if warnings.is_empty() {
            warnings
        } else {
            format!("\nThe instruction reads like a specification:\n{warnings}")
        };
    }
    let with_warnings = reports.iter().filter(|report| !report.style.is_empty());
    match with_warnings.count() {
        0 => String::new(),
        count => {
            // The instructions of tasks whose certificates hold were not read.
            let examined = reports.iter().filter(|report| report.examined).count();
            let note = format!(
                "In {count} of {examined} tasks the instruction reads like a specification. --json lists the warnings."
            );
            format!("\n{}\n", output::paint(output::DIM, note))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_is_counted_among_the_examined_tasks() {
        let digest = format!("sha256:{}", "0".repeat(64));
        let certificate = json!({
            "format": 4, "task": "filesystem/office/letters",
            "sources": digest, "code": digest, "world": digest, "verifier": digest,
            "checks": [], "mutants": [0, 0], "free": 0, "mutations": {},
        });
        let certificate: Certificate = serde_json::from_value(certificate).unwrap();
        let identity = Identity {
            task: certificate.task.clone(),
            sources: certificate.sources,
            code: certificate.code,
            world: certificate.world,
            verifier: certificate.verifier,
        };
        let held = Report::certified(identity.clone(), &certificate);
        let examined = |style: &[&str]| Report {
            examined: true,
            style: style.iter().map(|it| (*it).to_owned()).collect(),
            ..Report::certified(identity.clone(), &certificate)
        };
        let plain = |reports: &[Report]| anstream::adapter::strip_str(&style(reports)).to_string();
        assert_eq!(
            plain(&[held, examined(&["dictates a text"]), examined(&[])]),
            "\nIn 1 of 2 tasks the instruction reads like a specification. --json lists the warnings.\n"
        );
        assert_eq!(
            plain(&[examined(&["dictates a text"])]),
            "\nThe instruction reads like a specification:\n  ! dictates a text\n"
        );
        assert_eq!(plain(&[examined(&[]), examined(&[])]), "");
    }
}
