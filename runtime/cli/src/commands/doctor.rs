//! `mcpmark doctor`: installed programs, available services, locations of data and limits.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use mcpmark_build::BuildError;
use mcpmark_build::python::{TOOL, VERSION};
use mcpmark_kinds::{Availability, NO_SUCH_SERVICE, WorldGuests};
use mcpmark_metadata::{ExitCode, FindingState as State};
use mcpmark_sandbox::{Sandbox, SandboxConfig};

use crate::args::{DoctorArgs, EngineArgs};
use crate::context::Context;
use crate::error::{CommandError, error_chain};
use crate::output::{self, sanitise};
use crate::settings::{self, Settings};

/// Minimum width of a detail, in columns.
const LEAST: usize = 20;

/// Explanation of the marks, after the findings.
const LEGEND: &str = "`✓` ready, `!` limited, `-` optional and missing, `✗` broken";

/// Result of one check.
struct Finding {
    what: String,
    state: State,
    detail: String,
}

/// Checks the cache of compiled guests. It contains machine code, so a directory that other users can access is not
/// used.
fn compiled(dir: &Path) -> Finding {
    const WHAT: &str = "compiled guests";
    let problem = std::fs::symlink_metadata(dir).ok().and_then(|metadata| {
        if !metadata.is_dir() {
            Some("is not a directory".to_owned())
        } else if metadata.uid() != rustix::process::geteuid().as_raw() {
            Some("belongs to another user".to_owned())
        } else if metadata.mode() & 0o077 != 0 {
            let mode = metadata.mode() & 0o777;
            Some(format!(
                "has mode {mode:03o}, which gives access to others; `chmod 700` corrects it"
            ))
        } else {
            None
        }
    });
    match problem {
        None => Finding::ok(WHAT, dir.display()),
        Some(problem) => Finding {
            what: WHAT.to_owned(),
            state: State::Limited,
            detail: format!(
                "{} is not used, and guests are compiled each time: it {problem}",
                dir.display()
            ),
        },
    }
}

/// Prints the installed programs, the available services, and the locations of data.
pub(crate) fn doctor(context: &Context, args: DoctorArgs) -> Result<ExitCode, CommandError> {
    let mut findings = vec![
        Finding::ok("mcpmark", env!("CARGO_PKG_VERSION")),
        engine(),
        rust(),
        guest_compiler(context),
        c_compiler(),
        node(),
        python(context),
        library(context),
        journal(context),
        store(context),
        compiled(&context.cache().join("compiled")),
        copies(context),
    ];
    findings.extend(services(context));
    findings.push(Finding::of(settings::CEILING, settings::describe_ceiling()));
    findings.push(Finding::of(settings::MEMORY, settings::describe_memory()));
    let settings = Settings::new().all();
    findings.extend(settings.map(|setting| Finding::of(setting.variable, setting.describe())));
    if args.json {
        let findings: Vec<_> = findings.iter().map(Finding::document).collect();
        output::print_json(&findings)?;
    } else {
        let width = findings
            .iter()
            .map(|finding| finding.what.len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for Finding {
            what,
            state,
            detail,
        } in &findings
        {
            let mark = match state {
                State::Ok => output::paint(output::GOOD, "✓"),
                State::Limited => output::paint(output::WARN, "!"),
                State::Absent => output::paint(output::WARN, "-"),
                State::Broken => output::paint(output::BAD, "✗"),
            };
            let detail = sanitise::line(detail);
            let columns = output::columns().map_or(usize::MAX, |all| all.saturating_sub(width + 4));
            let lines = output::wrap(&detail, columns.max(LEAST));
            let indent = format!("\n{:1$}", "", width + 4);
            text.push_str(&format!("{mark} {what:<width$}  {}\n", lines.join(&indent)));
        }
        text.push_str(&format!("\n{}\n", output::paint(output::DIM, LEGEND)));
        output::print(&text)?;
    }
    let broken = findings
        .iter()
        .any(|finding| finding.state == State::Broken);
    Ok(if broken {
        ExitCode::Infrastructure
    } else {
        ExitCode::Passed
    })
}

impl Finding {
    fn new(what: &str, state: State, detail: impl std::fmt::Display) -> Self {
        Self {
            what: what.to_owned(),
            state,
            detail: detail.to_string(),
        }
    }

    fn ok(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::new(what, State::Ok, detail)
    }

    fn absent(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::new(what, State::Absent, detail)
    }

    fn limited(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::new(what, State::Limited, detail)
    }

    fn broken(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::new(what, State::Broken, detail)
    }

    fn document(&self) -> mcpmark_metadata::Finding {
        mcpmark_metadata::Finding {
            what: self.what.clone(),
            state: self.state,
            detail: self.detail.clone(),
        }
    }

    /// Returns a finding with a value, or with the error of reading it.
    fn of(what: &str, read: Result<String, CommandError>) -> Self {
        match read {
            Ok(detail) => Self::ok(what, detail),
            Err(CommandError { message, hint, .. }) => {
                let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
                Self::broken(what, format!("{message}{hint}"))
            }
        }
    }
}

fn engine() -> Finding {
    match Sandbox::new(&SandboxConfig {
        slots: 1,
        ..SandboxConfig::default()
    }) {
        Ok(sandbox) => Finding::ok("sandbox", format!("engine profile {}", sandbox.profile())),
        Err(error) => Finding::broken("sandbox", error),
    }
}

/// Runs a program and returns the first line of its output.
fn ask(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

fn rust() -> Finding {
    match (ask("cargo", &["--version"]), ask("rustc", &["--version"])) {
        (Some(cargo), Some(rustc)) => Finding::ok("rust", format!("{rustc}; {cargo}")),
        _ => Finding::absent(
            "rust",
            "cargo is not on the PATH; only compiled .wasm guests can be used",
        ),
    }
}

fn guest_compiler(context: &Context) -> Finding {
    let what = "guest compiler";
    let dir = context
        .library()
        .map_or_else(|_| ".".into(), |library| library.tasks_dir);
    match context.find_compiler(&dir) {
        Ok(found) => Finding::ok(what, found),
        Err(BuildError::NoCompiler { commands, .. }) => {
            let commands: Vec<_> = commands.iter().map(|typed| format!("`{typed}`")).collect();
            let commands = commands.join(" or ");
            let next = if context.allow_install() {
                "not installed; the next build runs"
            } else {
                "not installed, and --no-install forbids the installation; run"
            };
            Finding::absent(what, format!("{next} {commands}"))
        }
        Err(error) => Finding::broken(what, error_chain(&error)),
    }
}

fn c_compiler() -> Finding {
    let what = "C compiler";
    match ask("cc", &["--version"]) {
        Some(version) => Finding::ok(what, version),
        None => Finding::absent(
            what,
            "cc is not on the PATH; cargo requires it to build SQLite for mcpmark",
        ),
    }
}

fn node() -> Finding {
    let what = "node and npm";
    match (ask("node", &["--version"]), ask("npm", &["--version"])) {
        (Some(node), Some(npm)) => Finding::ok(what, format!("node {node}, npm {npm}")),
        _ => Finding::absent(
            what,
            "not both on the PATH; `cargo test` skips the tests that use published packages",
        ),
    }
}

/// Checks the known services, and those of the library's tasks and worlds.
fn services(context: &Context) -> Vec<Finding> {
    let known = context.services();
    let mut names: BTreeSet<String> = known
        .iter()
        .filter(|kind| kind.service(&WorldGuests::default()).is_some())
        .map(|kind| kind.name().to_owned())
        .collect();
    if let Ok(library) = context.library() {
        let worlds = library.world_ids().unwrap_or_default();
        names.extend(worlds.iter().map(|id| id.service().to_owned()));
        let tasks = library.tasks().map(|tasks| tasks.tasks).unwrap_or_default();
        names.extend(tasks.iter().map(|task| task.id.service().to_owned()));
    }
    let finding = |name: String| {
        let what = format!("service {name}");
        let Some(kind) = known.kind(&name) else {
            return Finding::broken(&what, format!("not available: {NO_SUCH_SERVICE}"));
        };
        match kind.availability() {
            Availability::InProcess => Finding::ok(&what, "available, runs in this process"),
            Availability::Programs(how) => Finding::ok(&what, format!("available: {how}")),
            Availability::Weakened(how) => Finding::limited(&what, format!("available: {how}")),
            // The tasks of other services work without its programs.
            Availability::Missing(why) => Finding::absent(&what, format!("not available: {why}")),
        }
    };
    names.into_iter().map(finding).collect()
}

fn copies(context: &Context) -> Finding {
    let what = "private copies of worlds";
    let space = match context.scratch() {
        Ok(space) => space,
        Err(error) => return Finding::broken(what, error.message),
    };
    let parent = space.parent().display();
    match space.has_overlay() {
        Ok(()) => Finding::ok(what, format!("overlay mounts in {parent}")),
        Err(reason) => Finding::ok(
            what,
            format!("copied file by file in {parent}, no overlay mounts: {reason}"),
        ),
    }
}

/// Checks the interpreter of Python scripts.
fn python(context: &Context) -> Finding {
    let what = "python scripts";
    let ready = context.python().and_then(|source| {
        let ready = source.ready();
        ready.map_err(|error| CommandError::infrastructure(error_chain(&error)))
    });
    match ready {
        Err(error) => Finding::broken(what, error.message),
        Ok(None) => Finding::absent(
            what,
            format!("not built yet; the first script builds the guest with {TOOL} from PyPI"),
        ),
        Ok(Some(guest)) => {
            let compiled = context
                .sandbox(1, EngineArgs::default())
                .is_ok_and(|sandbox| sandbox.has_interpreter(&guest.digest));
            let state = if compiled {
                "compiled"
            } else {
                "not compiled yet"
            };
            Finding::ok(
                what,
                format!("{}, {state}; {}", VERSION, guest.file.display()),
            )
        }
    }
}

fn library(context: &Context) -> Finding {
    let what = "tasks and worlds";
    let library = match context.library() {
        Ok(library) => library,
        Err(error) => return Finding::absent(what, error.message),
    };
    match (library.tasks(), library.world_ids()) {
        (Ok(tasks), Ok(worlds)) => {
            let mut detail = format!(
                "{} and {} in {}",
                output::count(tasks.tasks.len(), "task"),
                output::count(worlds.len(), "world"),
                library.root.display()
            );
            match tasks.broken.first() {
                None => Finding::ok(what, detail),
                Some(broken) => {
                    detail.push_str(&format!("; {}", error_chain(&broken.error)));
                    Finding::broken(what, detail)
                }
            }
        }
        (Err(error), _) | (_, Err(error)) => Finding::broken(what, error_chain(&error)),
    }
}

fn journal(context: &Context) -> Finding {
    match context.journal() {
        Ok(_) => Finding::ok("journal", context.home().journal_file().display()),
        Err(error) => Finding::broken("journal", error.message),
    }
}

fn store(context: &Context) -> Finding {
    match context.store() {
        Ok(store) => Finding::ok("store", store.path().display()),
        Err(error) => Finding::broken("store", error.message),
    }
}
