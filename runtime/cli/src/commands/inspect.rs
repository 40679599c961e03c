//! `mcpmark inspect`: imports, exports and limits of a component.

use mcpmark_metadata::{ComponentDetail, ComponentExport, ComponentImport, ExitCode, GuestLimits};
use mcpmark_sandbox::{GuestKind, Inspection, Limits, LoadError, Profile, Sandbox};

use crate::args::{EngineArgs, InspectArgs};
use crate::context::Context;
use crate::engine;
use crate::error::CommandError;
use crate::output::{self, sanitise};

/// Maximum number of imports or exports shown; the rest are counted.
const SHOWN: usize = 50;

/// Data of the command.
struct Report<'a> {
    inspection: &'a Inspection,
    can: String,
    limits: Option<Limits>,
    problem: Option<&'a str>,
}

/// Prints the properties of a component.
pub(crate) fn inspect(context: &Context, args: InspectArgs) -> Result<ExitCode, CommandError> {
    let bytes = engine::read_guest(&args.file)?;
    let file = args.file.display();
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    let inspection = sandbox
        .inspect(&bytes)
        .map_err(|error| CommandError::invalid(format!("{file}: {error}")))?;
    let problem = match inspection.kind {
        Some(kind) => match load(&sandbox, kind, &bytes) {
            Ok(()) => None,
            Err(error) if error.is_infrastructure() => {
                return Err(engine::load_error(format!("{file}: {error}"), &error));
            }
            Err(error) => Some(engine::load_error(error.to_string(), &error)),
        },
        None => Some(CommandError::invalid(
            "not a guest: exports none of the functions `verify`, `setup`, `solve` and `answer`, and is no command (`wasi:cli/run` of WASI 0.2)",
        )),
    };
    let report = Report {
        inspection: &inspection,
        can: inspection.summary(),
        limits: inspection.kind.map(|kind| sandbox.limits(kind)),
        problem: problem.as_ref().map(|problem| problem.message.as_str()),
    };
    if args.json {
        output::print_json(&document(&report))?;
    } else {
        output::print(&text(&report))?;
    }
    let Some(problem) = problem else {
        return Ok(ExitCode::Passed);
    };
    if let Some(hint) = problem.hint {
        output::note(&format!("{} {hint}", output::paint(output::BOLD, "hint:")));
    }
    Ok(problem.code)
}

fn load(sandbox: &Sandbox, kind: GuestKind, bytes: &[u8]) -> Result<(), LoadError> {
    match kind {
        GuestKind::Verifier => sandbox.verifier(bytes).map(drop),
        GuestKind::Setup => sandbox.setup(bytes).map(drop),
        GuestKind::Solution => sandbox.solution(bytes).map(drop),
        GuestKind::Interpreter => sandbox.interpreter(bytes).map(drop),
        GuestKind::Site => sandbox.site(bytes).map(drop),
    }
}

fn document(report: &Report<'_>) -> ComponentDetail {
    let Inspection {
        digest,
        bytes,
        kind,
        command,
        profile,
        imports,
        exports,
    } = report.inspection;
    let imports = imports.iter().map(|capability| ComponentImport {
        import: capability.import.clone(),
        allows: capability.allows.clone(),
    });
    let exports = exports.iter().map(|export| ComponentExport {
        name: export.name.clone(),
        sort: export.sort.to_owned(),
    });
    let kind = kind.map(|kind| match kind {
        GuestKind::Verifier => "verifier",
        GuestKind::Setup => "setup",
        GuestKind::Solution => "solution",
        GuestKind::Interpreter => "interpreter",
        GuestKind::Site => "site",
    });
    ComponentDetail {
        digest: digest.to_string(),
        bytes: *bytes,
        kind: kind.map(str::to_owned),
        command: command.clone(),
        profile: profile.to_string(),
        imports: imports.collect(),
        exports: exports.collect(),
        can: report.can.clone(),
        limits: report.limits.map(limits),
        problem: report.problem.map(str::to_owned),
    }
}

fn limits(limits: Limits) -> GuestLimits {
    let Limits {
        fuel,
        memory_bytes,
        table_elements,
        time_ms,
        copy_bytes,
        log_bytes,
        output_bytes,
        checks,
    } = limits;
    GuestLimits {
        fuel,
        memory_bytes,
        table_elements,
        time_ms,
        copy_bytes,
        log_bytes,
        output_bytes,
        checks,
    }
}

fn text(report: &Report<'_>) -> String {
    let Inspection {
        digest,
        bytes,
        kind,
        command,
        profile,
        imports,
        exports,
    } = report.inspection;
    let kind = kind.map_or_else(|| "unknown".to_owned(), |kind| kind.to_string());
    let kind = match command {
        Some(_) => format!("{kind}: a command of WASI 0.2, whose exit code is the verdict"),
        None => kind,
    };
    let profile = match profile {
        Profile::Pure => profile.to_string(),
        Profile::Wasi => format!("{profile}: {}", sanitise::line(&report.inspection.wasi())),
    };
    let mut lines = vec![
        ("digest", digest.to_string()),
        ("size", output::bytes(*bytes)),
        ("kind", kind),
        ("profile", profile),
    ];
    let imports = imports.iter().map(|capability| match &capability.allows {
        Some(words) => format!("{}: can {words}", sanitise::line(&capability.import)),
        None => {
            let refused = output::paint(output::BAD, "not available to guests of this kind");
            format!("{}: {refused}", sanitise::line(&capability.import))
        }
    });
    list(&mut lines, "imports", imports);
    let exports = exports
        .iter()
        .map(|export| format!("{} ({})", sanitise::line(&export.name), export.sort));
    list(&mut lines, "exports", exports);
    if let Some(limits) = report.limits {
        let parts = [
            format!("{} units of fuel", limits.fuel),
            format!("{} of memory", output::bytes(limits.memory_bytes)),
            format!("{} s", limits.time_ms / 1000),
            format!("{} copied by the host", output::bytes(limits.copy_bytes)),
        ];
        lines.push(("limits", parts.join(", ")));
        let parts = [
            format!("{} table elements", limits.table_elements),
            format!("{} checks", limits.checks),
            format!("{} of output", output::bytes(limits.output_bytes)),
            format!("{} of log", output::bytes(limits.log_bytes)),
        ];
        lines.push(("", parts.join(", ")));
    }
    lines.push(("summary", output::paint(output::BOLD, &report.can)));
    let loads = match report.problem {
        None => output::paint(output::GOOD, "yes"),
        Some(problem) => format!(
            "{}: {}",
            output::paint(output::BAD, "no"),
            sanitise::block(problem)
        ),
    };
    lines.push(("loads", loads));
    let mut text = String::new();
    for (name, value) in lines {
        text.push_str(&format!("{name:<8}  {value}\n"));
    }
    text
}

/// Appends one line per value. Only the first line has the name.
fn list(
    lines: &mut Vec<(&'static str, String)>,
    name: &'static str,
    values: impl ExactSizeIterator<Item = String>,
) {
    let more = values.len().saturating_sub(SHOWN);
    let shown = lines.len();
    for value in values.take(SHOWN) {
        let name = if lines.len() == shown { name } else { "" };
        lines.push((name, value));
    }
    match more {
        0 if lines.len() == shown => lines.push((name, "none".to_owned())),
        0 => {}
        more => lines.push(("", format!("and {more} more"))),
    }
}
