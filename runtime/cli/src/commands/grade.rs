use std::fs;
use std::path::Path;

use mcpmark_experiment::{GradeInput, Outcome};
use mcpmark_sandbox::{Limits, Log, Verifier};
use mcpmark_snapshot::{Digest, Store, Tree};
use serde::Serialize;

use crate::args::GradeArgs;
use crate::context::{self, Context};
use crate::engine;
use crate::error::CommandError;
use crate::exit;
use crate::output::{self, sanitise};

/// What `grade --json` prints.
#[derive(Serialize)]
struct GradeReport<'a> {
    outcome: &'a str,
    passed: Option<bool>,
    score: Option<f64>,
    checks: &'a [mcpmark_sandbox::Check],
    fault: Option<mcpmark_experiment::FaultReport>,
    state: Digest,
    verifier: Digest,
}

/// What is judged by what.
struct Case {
    verifier: Verifier,
    input: GradeInput,
    limits: Limits,
}

/// Grades a directory.
pub(crate) fn grade(context: &Context, args: GradeArgs) -> Result<u8, CommandError> {
    let store = context.store()?;
    let sandbox = context.sandbox(1, args.engine)?;
    let case = match (&args.task, &args.verifier) {
        (Some(task), _) => by_task(context, &args, task, &sandbox, &store)?,
        (None, Some(file)) => by_verifier(context, &args, file, &sandbox, &store)?,
        (None, None) => return Err(CommandError::usage("name a task, or a --verifier")),
    };
    let (verifier, state) = (case.verifier.digest(), case.input.state);
    let (outcome, log) =
        mcpmark_experiment::grade(&sandbox, &store, &case.verifier, case.input, &case.limits);
    if args.json {
        output::print_json(&GradeReport {
            outcome: outcome.as_str(),
            passed: outcome.passed(),
            score: outcome.score(),
            checks: outcome.checks(),
            fault: outcome.fault(),
            state,
            verifier,
        })?;
    } else {
        output::print(&text(&outcome, &log))?;
    }
    Ok(match &outcome {
        Outcome::Graded(verdict) if verdict.passed() => exit::PASSED,
        Outcome::Graded(_) => exit::FAILED,
        Outcome::VerifierFault(_) => exit::NOT_GRADED,
        Outcome::InvalidTask(_) => exit::INVALID,
        Outcome::InfraError(_) | Outcome::Cancelled => exit::INFRASTRUCTURE,
    })
}

fn by_task(
    context: &Context,
    args: &GradeArgs,
    task: &str,
    sandbox: &mcpmark_sandbox::Sandbox,
    store: &Store,
) -> Result<Case, CommandError> {
    let library = context.library()?;
    let task = context::one_task(&library, task)?;
    // Before anything is built: the likeliest mistake is a wrong path.
    check_directory(&args.state)?;
    let prepared = context
        .prepare(&library, &[task], sandbox, store)?
        .remove(0);
    let start = match &args.start {
        Some(dir) => capture(context, dir, store)?,
        None => prepared.start.digest,
    };
    let state = mcpmark_experiment::capture_state(&args.state, &prepared.start, store)
        .map_err(|error| context::capture_error(&args.state, &error))?
        .digest();
    let answer = read_answer(args)?;
    if answer.is_some() && !prepared.judged_on.answer {
        output::note(&format!(
            "{} {} is not judged on the answer; --answer changes nothing",
            output::paint(output::WARN, "warning:"),
            prepared.id
        ));
    }
    Ok(Case {
        input: GradeInput {
            start,
            state,
            answer: answer.filter(|_| prepared.judged_on.answer),
            parameters: prepared.parameters,
        },
        verifier: prepared.verifier,
        limits: prepared.verifier_limits,
    })
}

fn by_verifier(
    context: &Context,
    args: &GradeArgs,
    file: &Path,
    sandbox: &mcpmark_sandbox::Sandbox,
    store: &Store,
) -> Result<Case, CommandError> {
    let bytes = engine::read_component(file)?;
    let state = capture(context, &args.state, store)?;
    let start = match &args.start {
        Some(dir) => capture(context, dir, store)?,
        None => {
            let empty = Tree::empty();
            store
                .put_tree(&empty)
                .map_err(CommandError::infrastructure)?
        }
    };
    let verifier = sandbox.verifier(&bytes).map_err(|error| {
        engine::load_error(
            sanitise::block(&format!("{}: {error}", file.display())),
            &error,
        )
    })?;
    let parameters = match &args.parameters {
        Some(text) => {
            let value: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)
                .map_err(|error| {
                    CommandError::usage(format!("--parameters is not a JSON object: {error}"))
                })?;
            mcpmark_task::canonical_json(&value.into())
        }
        None => "{}".to_owned(),
    };
    let input = GradeInput {
        start,
        state,
        answer: read_answer(args)?,
        parameters,
    };
    Ok(Case {
        verifier,
        input,
        limits: Limits::VERIFIER,
    })
}

fn capture(context: &Context, dir: &Path, store: &Store) -> Result<Digest, CommandError> {
    check_directory(dir)?;
    Ok(context.directory(dir, store)?.digest())
}

fn check_directory(dir: &Path) -> Result<(), CommandError> {
    let problem = match dir.metadata() {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => "is no directory".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(CommandError::usage(format!("{}: {problem}", dir.display())))
}

fn read_answer(args: &GradeArgs) -> Result<Option<String>, CommandError> {
    args.answer
        .as_ref()
        .map(|file| {
            fs::read_to_string(file)
                .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))
        })
        .transpose()
}

fn text(outcome: &Outcome, log: &Log) -> String {
    let mut text = String::new();
    for line in &log.lines {
        text.push_str(&output::paint(
            output::DIM,
            format!("log: {}", sanitise::line(line)),
        ));
        text.push('\n');
    }
    if log.dropped > 0 {
        let more = format!(
            "log: … {} past the limit",
            output::count(log.dropped as usize, "line")
        );
        text.push_str(&output::paint(output::DIM, more));
        text.push('\n');
    }
    text.push_str(&checks(outcome.checks()));
    match (outcome.fault(), outcome.score()) {
        (Some(fault), _) => {
            let kind = output::paint(
                output::WARN,
                format!("{} ({})", outcome.as_str(), fault.kind),
            );
            text.push_str(&format!("{kind}: {}\n", sanitise::line(&fault.message)));
        }
        (None, Some(score)) => {
            let word = if outcome.passed() == Some(true) {
                output::paint(output::GOOD, "passed")
            } else {
                output::paint(output::BAD, "failed")
            };
            let total = outcome.checks().len();
            let passed = outcome.checks().iter().filter(|check| check.passed).count();
            text.push_str(&format!(
                "{word}: {passed} of {total} checks passed, score {score:.3}\n"
            ));
        }
        (None, None) => text.push_str(&format!("{outcome}\n")),
    }
    text
}

/// The checks of a verdict, one or two lines each.
pub(crate) fn checks(checks: &[mcpmark_sandbox::Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = if check.passed {
            output::paint(output::GOOD, "✓")
        } else {
            output::paint(output::BAD, "✗")
        };
        text.push_str(&format!("{mark} {}\n", sanitise::line(&check.name)));
        if !check.passed && !check.detail.is_empty() {
            text.push_str(&format!(
                "  {}\n",
                sanitise::block(&check.detail).replace('\n', "\n  ")
            ));
        }
    }
    text
}
