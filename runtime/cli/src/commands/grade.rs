//! `mcpmark grade`: grades a state with the verifier of a task or with another one.

use mcpmark_bundle::files;
use mcpmark_experiment::Outcome;
use mcpmark_grading::Graded;
use mcpmark_kinds::ScriptInvocation;
use mcpmark_metadata::ExitCode;

use crate::args::GradeArgs;
use crate::commands::batch;
use crate::commands::judge::{self, Judge, grade_report};
use crate::commands::script::{self, Scripts};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{self, sanitise};
use crate::settings;

/// Grades a state, or the states of a batch.
pub(crate) fn grade(context: &Context, mut args: GradeArgs) -> Result<ExitCode, CommandError> {
    let context = &match args.verifier {
        // `--verifier` needs no tasks.
        Some(_) => context.clone(),
        None => {
            let (context, corpus) = context.at_tasks(&mut args.tasks)?;
            if let Some(corpus) = corpus {
                args.states = Some(corpus.states);
            }
            context
        }
    };
    let scripts = Scripts::new(args.tasks.clone(), args.states.clone());
    if let Some(file) = &args.batch {
        return batch::grade(context, file, scripts, args.jobs, args.engine);
    }
    let Some(state) = &args.state else {
        return Err(CommandError::usage("--state is required"));
    };
    let more = ScriptInvocation {
        arguments: args.arguments.clone(),
        environment: args.environment.clone(),
    };
    let store = context.store()?;
    let sandbox = context.sandbox_for_one(args.engine)?;
    // Checked before the build, because a wrong path is the likeliest mistake.
    judge::check_place(state)?;
    let judge = match (&args.task, &args.verifier) {
        (Some(task), _) => match scripts.of_task(context, task, &sandbox, &store)? {
            Some(judge) => judge,
            None => Judge::of_task(context, task, &sandbox, &store)?,
        },
        (None, Some(file)) => scripts.of_file(context, file, args.service.as_deref(), &sandbox)?,
        (None, None) => return Err(CommandError::usage("a task or --verifier is required")),
    };
    if !judge.takes_invocation() && more != ScriptInvocation::default() {
        return Err(CommandError::usage(
            "--env and arguments after `--` require a verifier that reads them: a Python script, or a component that imports WASI",
        ));
    }
    let limits = judge.limits_of(&args.limits.join(",")).map_err(|error| {
        CommandError::usage(format!("--limits: {error}"))
            .hint("write it as `--limits fuel=2000000000,memory_bytes=134217728`")
    })?;
    let lowered = judge::lowered(&sandbox, &limits);
    for (name, granted) in &lowered {
        output::note(&format!(
            "{} limit `{name}` is lowered to {granted}, the ceiling of this host ({})",
            output::paint(output::WARN, "warning:"),
            settings::CEILING
        ));
    }
    let input = judge.input(
        judge.start(args.start.as_deref(), &store)?,
        judge.state(state, &store)?,
        read_answer(&args)?,
        read_parameters(&args)?,
    );
    judge.check_environment(&input.end, &more, context.services())?;
    let state = input.end.digest();
    let graded = judge.grade(&sandbox, input, &more, &limits, args.start.is_some());
    if args.json {
        output::print_json(&grade_report(&graded, state, &judge, lowered))?;
    } else {
        output::print(&text(&graded))?;
    }
    Ok(judge::exit_code(&graded.outcome))
}

fn read_answer(args: &GradeArgs) -> Result<Option<String>, CommandError> {
    args.answer
        .as_ref()
        .map(|file| {
            files::read_text(file)
                .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))
        })
        .transpose()
}

fn read_parameters(args: &GradeArgs) -> Result<Option<String>, CommandError> {
    let Some(text) = &args.parameters else {
        return Ok(None);
    };
    let value: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| {
            CommandError::usage(format!("--parameters is not a JSON object: {error}"))
        })?;
    Ok(Some(mcpmark_json::canonical(&value.into())))
}

fn text(graded: &Graded) -> String {
    let log = &graded.log;
    let mut text = graded
        .printed
        .as_ref()
        .map_or_else(String::new, script::text);
    for line in log.lines() {
        text.push_str(&output::paint(
            output::DIM,
            format!("log: {}", sanitise::line(line)),
        ));
        text.push('\n');
    }
    if log.dropped > 0 {
        let more = format!(
            "log: … {} over the limit",
            output::count(log.dropped as usize, "message")
        );
        text.push_str(&output::paint(output::DIM, more));
        text.push('\n');
    }
    text.push_str(&result(&graded.outcome));
    if !graded.interfaces.is_empty() {
        let answered = format!("answered: {}", graded.interfaces);
        text.push_str(&output::paint(output::DIM, answered));
        text.push('\n');
    }
    text
}

/// Formats the checks and the result of a grade.
fn result(outcome: &Outcome) -> String {
    let mut text = checks(outcome.checks());
    match (outcome.fault(), outcome.score()) {
        (Some(fault), _) => {
            let kind = output::paint(
                output::WARN,
                format!("{} ({})", outcome.as_str(), fault.kind),
            );
            text.push_str(&format!("{kind}: {}\n", sanitise::line(&fault.message)));
            if let Outcome::StateFault(_) = outcome {
                let failed = output::paint(output::BAD, "failed");
                text.push_str(&format!(
                    "{failed}: this state stops the verifier, which judges the starting state; score 0.000\n"
                ));
            }
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
                "{word}: {passed} of {total} checks passed, score {score:.3}{}\n",
                explained(outcome)
            ));
        }
        (None, None) => text.push_str(&format!("{outcome}\n")),
    }
    text
}

/// Explains the score of a failed grade if it differs from the share of passed checks.
fn explained(outcome: &Outcome) -> String {
    let (Some(scoring), Some(false)) = (outcome.scoring(), outcome.passed()) else {
        return String::new();
    };
    if let Some(check) = scoring.forfeits(outcome.checks()).next() {
        let why = if scoring.held(&check.name) {
            "passed on the starting state and fails now"
        } else {
            "is required for any score"
        };
        return format!(" ({:?} {why})", sanitise::line(&check.name));
    }
    let checks = outcome.checks().iter();
    match checks
        .filter(|it| it.passed && scoring.held(&it.name))
        .count()
    {
        0 => String::new(),
        1 => " (1 of them passed on the starting state and earns nothing)".to_owned(),
        held => format!(" ({held} of them passed on the starting state and earn nothing)"),
    }
}

/// Formats the checks of a verdict, with the details of failed ones.
pub(crate) fn checks(checks: &[mcpmark_sandbox::Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = output::mark(check.passed);
        text.push_str(&format!("{mark} {}\n", sanitise::line(&check.name)));
        if !check.passed && !check.detail.is_empty() {
            text.push_str(&format!(
                "  {}\n",
                sanitise::block(output::progress::detail(check)).replace('\n', "\n  ")
            ));
        }
    }
    text
}
