//! `grade --verifier verify.py`: a Python script judges.

use std::path::{Path, PathBuf};

use mcpmark_experiment::{GivenToScript, Outcome, Script};
use mcpmark_sandbox::{Check, Limits, ScriptRun};
use mcpmark_snapshot::Digest;
use serde::Serialize;

use crate::args::GradeArgs;
use crate::commands::grade;
use crate::commands::judge;
use crate::commands::published;
use crate::context::Context;
use crate::error::{CommandError, chain};
use crate::output::{self, sanitise};

/// The instant of a state that belongs to no world: 2026-01-01T00:00:00Z.
const CLOCK: i64 = 1_767_225_600;

/// The script that judges, where it is one and not a component.
pub(crate) fn of(args: &GradeArgs) -> Result<Option<PathBuf>, CommandError> {
    match (&args.tasks, &args.task, &args.verifier) {
        (Some(dir), Some(task), _) => published::script(dir, task).map(Some),
        (_, _, Some(file)) if is_script(file) => Ok(Some(file.clone())),
        _ => Ok(None),
    }
}

/// Whether a verifier is a script and not a component.
pub(crate) fn is_script(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "py")
}

/// What `grade --json` prints where a script judged.
#[derive(Serialize)]
struct Report<'a> {
    outcome: &'a str,
    passed: Option<bool>,
    score: Option<f64>,
    checks: &'a [Check],
    fault: Option<mcpmark_experiment::FaultReport>,
    state: Digest,
    verifier: Digest,
    interpreter: Digest,
    output: Printed,
}

/// All that a script printed. Bytes that are no UTF-8 are replaced.
#[derive(Serialize)]
struct Printed {
    stdout: String,
    stderr: String,
    exit_code: Option<u8>,
}

impl Printed {
    fn of(run: &ScriptRun) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            stdout: text(&run.written.stdout),
            stderr: text(&run.written.stderr),
            exit_code: run.exit_code,
        }
    }
}

/// Has the script judge one state.
pub(crate) fn grade(
    context: &Context,
    file: &Path,
    state: &Path,
    args: &GradeArgs,
) -> Result<u8, CommandError> {
    if args.engine.cross_check {
        return Err(CommandError::usage(
            "--cross-check is for components; a script is judged by one engine",
        ));
    }
    judge::check_place(state)?;
    let script = Script::read(file).map_err(|error| CommandError::usage(chain(&error)))?;
    let store = context.store()?;
    let sandbox = context.sandbox(1, args.engine)?;
    let state = judge::state_of(state, &store)?;
    let interpreter = context.interpreter(&sandbox)?;
    let digest = state.digest();
    let input = script.input(GivenToScript {
        state,
        answer: grade::read_answer(args)?,
        arguments: args.arguments.clone(),
        environment: args.environment.clone(),
        clock: CLOCK,
    });
    let (outcome, run) =
        mcpmark_experiment::grade_script(&sandbox, &interpreter, &input, &Limits::SCRIPT);
    let printed = Printed::of(&run);
    if args.json {
        output::print_json(&Report {
            outcome: outcome.as_str(),
            passed: outcome.passed(),
            score: outcome.score(),
            checks: outcome.checks(),
            fault: outcome.fault(),
            state: digest,
            verifier: script.digest(),
            interpreter: interpreter.digest(),
            output: printed,
        })?;
    } else {
        output::print(&text(&outcome, &printed))?;
    }
    Ok(judge::exit_code(&outcome))
}

fn text(outcome: &Outcome, printed: &Printed) -> String {
    let lines = printed.stdout.lines().chain(printed.stderr.lines());
    let lines = lines.map(|line| {
        let line = format!("| {}", sanitise::line(line));
        format!("{}\n", output::paint(output::DIM, line))
    });
    lines.collect::<String>() + &grade::result(outcome)
}

/// One variable of a script's environment, `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("must be of the form NAME=VALUE".to_owned()),
    }
}
