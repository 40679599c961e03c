use std::path::Path;
use std::process::Command;

use mcpmark_sandbox::{Sandbox, SandboxConfig};
use mcpmark_task::build::TARGET;
use mcpmark_task::python::{TOOL, VERSION};
use serde::Serialize;

use crate::args::{DoctorArgs, EngineArgs};
use crate::context::Context;
use crate::error::{CommandError, chain};
use crate::exit;
use crate::output::{self, sanitise};

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is there and works.
    Ok,
    /// It is not there, and something else serves.
    Absent,
    /// Something cannot work.
    Broken,
}

/// Says what is installed, which services can run, and where things lie.
pub(crate) fn doctor(context: &Context, args: DoctorArgs) -> Result<u8, CommandError> {
    let findings = vec![
        Finding::ok("mcpmark", env!("CARGO_PKG_VERSION")),
        engine(),
        compiler(),
        target(),
        python(context),
        library(context),
        journal(context),
        store(context),
        Finding::ok(
            "compiled guests",
            context.cache().join("compiled").display(),
        ),
        Finding::ok("private copies of worlds", context.scratch().display()),
        Finding::ok(
            "service filesystem",
            "runs in this process; nothing to install",
        ),
    ];
    if args.json {
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
                State::Absent => output::paint(output::WARN, "-"),
                State::Broken => output::paint(output::BAD, "✗"),
            };
            text.push_str(&format!(
                "{mark} {what:<width$}  {}\n",
                sanitise::line(detail)
            ));
        }
        output::print(&text)?;
    }
    let broken = findings
        .iter()
        .any(|finding| finding.state == State::Broken);
    Ok(if broken {
        exit::INFRASTRUCTURE
    } else {
        exit::PASSED
    })
}

impl Finding {
    fn ok(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self {
            what,
            state: State::Ok,
            detail: detail.to_string(),
        }
    }

    fn absent(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self {
            what,
            state: State::Absent,
            detail: detail.to_string(),
        }
    }

    fn broken(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self {
            what,
            state: State::Broken,
            detail: detail.to_string(),
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

/// The first line of what a program prints.
fn ask(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

fn compiler() -> Finding {
    match (ask("cargo", &["--version"]), ask("rustc", &["--version"])) {
        (Some(cargo), Some(rustc)) => Finding::ok("rust", format!("{rustc}; {cargo}")),
        _ => Finding::absent(
            "rust",
            "no cargo on the PATH; only ready .wasm guests can be used",
        ),
    }
}

fn target() -> Finding {
    let what = "guest compiler";
    let libraries = ask("rustc", &["--print", "target-libdir", "--target", TARGET]);
    if libraries.is_some_and(|dir| Path::new(&dir).is_dir()) {
        Finding::ok(what, format!("the active toolchain has {TARGET}"))
    } else if ask("rustup", &["--version"]).is_some() {
        Finding::absent(
            what,
            format!("the next build runs `rustup target add {TARGET}`"),
        )
    } else {
        Finding::absent(
            what,
            "the next build looks for Debian's rustc-web and rust-web-src",
        )
    }
}

/// The guest for Python scripts.
fn python(context: &Context) -> Finding {
    let what = "python scripts";
    let ready = context.python().and_then(|source| {
        let ready = source.ready();
        ready.map_err(|error| CommandError::infrastructure(chain(&error)))
    });
    match ready {
        Err(error) => Finding::broken(what, error.message),
        Ok(None) => Finding::absent(
            what,
            format!("the first script makes their guest, with {TOOL} from Python's package index"),
        ),
        Ok(Some(guest)) => {
            let compiled = context
                .sandbox(1, EngineArgs::default())
                .is_ok_and(|sandbox| sandbox.has_interpreter(&guest.digest));
            let state = if compiled {
                "compiled"
            } else {
                "to be compiled once"
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
                    detail.push_str(&format!("; {}", chain(&broken.error)));
                    Finding::broken(what, detail)
                }
            }
        }
        (Err(error), _) | (_, Err(error)) => Finding::broken(what, chain(&error)),
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
