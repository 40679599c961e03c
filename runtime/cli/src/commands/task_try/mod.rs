//! `mcpmark task try`: a person or a program solves a task from a shell, one tool call at a time.
//!
//! `start` leaves a process in the background that holds the attempt. The other commands send it requests over a
//! socket in the home.

mod background;
mod open;
mod protocol;
mod tools;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, PipeReader};
use std::process::{Child, Command, Stdio};

use anstyle::Style;
use mcpmark_bundle::files;
use mcpmark_experiment::journal::{AttemptRow, AttemptStatus, EndKind, OutcomeKind};
use mcpmark_experiment::report::experiment_report;
use mcpmark_metadata::{self as metadata, AbandonedAttempt, ExitCode, ToolResult};
use mcpmark_service::{Content, ToolOutput};
use serde_json::{Map, Value};

use self::open::OpenAttempt;
use self::protocol::{Request, Response};
use crate::args::{OpenArgs, StartArgs, TryCommand};
use crate::commands::experiment_result::exit_code;
use crate::commands::{grade, runs};
use crate::context::Context;
use crate::error::{CommandError, journal_error};
use crate::operands;
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Operand that stands for standard input.
const STDIN: &str = "-";

/// Runs `mcpmark task try`.
pub(crate) fn task_try(context: &Context, command: TryCommand) -> Result<ExitCode, CommandError> {
    match command {
        TryCommand::Start(args) => start(context, args),
        TryCommand::Tools { tool, open } => tools::tools(context, tool.as_deref(), &open),
        TryCommand::Call {
            tool,
            arguments,
            open,
        } => call(context, tool, arguments.as_deref(), &open),
        TryCommand::Finish { answer, open } => finish(context, answer, &open),
        TryCommand::Abandon { open } => abandon(context, &open),
        TryCommand::Status { json } => status(context, json),
        TryCommand::Hold(mut args) => {
            let task = settle(&mut args)?;
            background::hold(context, task, &args)
        }
    }
}

/// Moves the place of the tasks from the operands to `--tasks`, and returns the id of the task.
fn settle(args: &mut StartArgs) -> Result<String, CommandError> {
    let place = operands::take_place(&mut args.words)?;
    operands::name(&mut args.published.tasks, place)?;
    args.published.check()?;
    let [task] = &args.words[..] else {
        return Err(CommandError::usage("name one task")
            .hint("`mcpmark task list` lists the tasks of the same location"));
    };
    Ok(task.clone())
}

/// Starts the process that holds an attempt, and prints the instruction when the attempt is open.
fn start(context: &Context, mut args: StartArgs) -> Result<ExitCode, CommandError> {
    let task = settle(&mut args)?;
    let (mut child, messages) = spawn(context, &task, &args)?;
    for line in BufReader::new(messages).split(b'\n') {
        let line = line.map_err(CommandError::infrastructure)?;
        match line.strip_prefix(background::READY) {
            Some(status) => {
                let status: metadata::OpenAttempt =
                    serde_json::from_slice(status).map_err(CommandError::infrastructure)?;
                return opened(context, &status, args.json);
            }
            None => output::note(&String::from_utf8_lossy(&line)),
        }
    }
    // The process has printed its error.
    let ended = child.wait().map_err(CommandError::infrastructure)?;
    match ended.code().and_then(ExitCode::from_number) {
        Some(ExitCode::Passed) | None => Err(CommandError::infrastructure(format!(
            "the process of the attempt ended before the attempt was open: {ended}"
        ))),
        Some(code) => Ok(code),
    }
}

/// Starts the process that holds an attempt. Returns it with its messages, which end with the announcement of the
/// attempt or with the process.
fn spawn(
    context: &Context,
    task: &str,
    args: &StartArgs,
) -> Result<(Child, PipeReader), CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::infrastructure(format!("cannot start a process for the attempt: {error}"))
    };
    let mut options: Vec<OsString> = Vec::new();
    for (option, value) in [
        ("--tasks", &args.published.tasks),
        ("--states", &args.published.states),
    ] {
        if let Some(value) = value {
            options.push(option.into());
            options.push(value.into());
        }
    }
    if let Some(name) = &args.experiment {
        options.push(format!("--experiment={name}").into());
    }
    if args.no_time_limit {
        options.push("--no-time-limit".into());
    }
    options.push(format!("--idle-timeout={}", args.idle_timeout).into());
    // One pipe for both streams, so that no message comes after the announcement. The streams of this command are not
    // inherited, because a program that reads them would wait for the end of the attempt.
    let (messages, writer) = std::io::pipe().map_err(failed)?;
    let child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(context.global_options())
        .args(["task", "try", "hold"])
        .args(options)
        .arg(task)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().map_err(failed)?)
        .stderr(writer)
        .spawn()
        .map_err(failed)?;
    Ok((child, messages))
}

/// Prints the instruction of an open attempt and the commands with which to continue.
fn opened(
    context: &Context,
    status: &metadata::OpenAttempt,
    json: bool,
) -> Result<ExitCode, CommandError> {
    if json {
        output::print_json(status)?;
        return Ok(ExitCode::Passed);
    }
    let time = status
        .seconds_left
        .map_or("no time limit".to_owned(), time_left);
    let rows = [
        ("attempt", status.attempt.clone()),
        ("task", status.task.clone()),
        ("experiment", status.experiment.clone()),
        ("limits", format!("{} calls, {time}", status.call_limit)),
    ];
    let mut text = String::new();
    for (key, value) in &rows {
        text.push_str(&format!(
            "{}{}\n",
            output::paint(output::BOLD, format!("{key:<12}")),
            sanitise::line(value)
        ));
    }
    let others = OpenAttempt::all(context, "").map_or(0, |open| open.len());
    let choice = if others > 1 {
        format!(" --attempt {}", status.attempt)
    } else {
        String::new()
    };
    text.push_str(&format!(
        "\n{}\n\nContinue with:\n  \
         mcpmark task try tools{choice}\n  \
         mcpmark task try call{choice} TOOL '{{\"NAME\": \"VALUE\"}}'\n  \
         mcpmark task try finish{choice} [ANSWER]\n",
        sanitise::block(status.instruction.trim_end())
    ));
    output::print(&text)?;
    Ok(ExitCode::Passed)
}

fn time_left(seconds: u64) -> String {
    runs::seconds(seconds.saturating_mul(1_000_000))
}

/// Calls a tool and prints its result.
fn call(
    context: &Context,
    tool: String,
    arguments: Option<&str>,
    open: &OpenArgs,
) -> Result<ExitCode, CommandError> {
    let arguments = read_arguments(arguments)?;
    let attempt = OpenAttempt::one(context, open.attempt.as_deref())?;
    let request = Request::Call {
        tool: tool.clone(),
        arguments,
    };
    let failed = |reason: &str| CommandError {
        code: ExitCode::Failed,
        message: sanitise::line(reason).into_owned(),
        hint: None,
        brief: None,
    };
    match attempt.ask(&request)? {
        Some(Response::Output(result)) => {
            if open.json {
                output::print_document::<ToolResult>(&result)?;
            } else {
                output::print(&shown(&result))?;
            }
            Ok(if result.is_error {
                ExitCode::Failed
            } else {
                ExitCode::Passed
            })
        }
        Some(Response::UnknownTool) => {
            Err(CommandError::usage(tools::unknown(&tool)).hint(tools::HINT))
        }
        Some(Response::NoResult(reason)) => Err(failed(&format!("no result: {reason}"))),
        Some(Response::Ended(reason)) => {
            let message = format!("attempt {} has ended: {reason}", attempt.id);
            Err(CommandError::usage(sanitise::line(&message)).hint(format!(
                "`mcpmark task try finish --attempt {0}` or `mcpmark show {0}` shows its grade",
                attempt.id
            )))
        }
        Some(_) => Err(unexpected(&attempt)),
        None => Err(open::not_open(context, &attempt.id)),
    }
}

/// Returns the error for a response that does not belong to the request.
fn unexpected(attempt: &OpenAttempt) -> CommandError {
    CommandError::infrastructure(format!(
        "unexpected response from the process of attempt {}",
        attempt.id
    ))
}

fn read_arguments(arguments: Option<&str>) -> Result<Map<String, Value>, CommandError> {
    let text = match arguments {
        None => return Ok(Map::new()),
        Some(STDIN) => read_stdin()?,
        Some(text) => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        CommandError::usage(format!("the arguments are not a JSON object: {error}"))
            .hint("write them as '{\"path\": \"a.txt\"}', or `-` to read them from standard input")
    })
}

fn read_stdin() -> Result<String, CommandError> {
    files::read_text_from(io::stdin().lock())
        .map_err(|error| CommandError::usage(format!("cannot read standard input: {error}")))
}

/// Formats a result as text. Other content than text is named.
fn shown(result: &ToolOutput) -> String {
    let mut text = String::new();
    for content in &result.content {
        match content {
            Content::Text { text: block } => text.push_str(&sanitise::block(block)),
            Content::Image { mime_type, .. } | Content::Audio { mime_type, .. } => {
                let kind = sanitise::line(mime_type);
                text.push_str(&format!("[{kind}; --json prints its content]"));
            }
            Content::Other(block) => text.push_str(&sanitise::json(&block.to_string())),
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    match &result.structured {
        Some(value) if text.is_empty() => format!("{}\n", sanitise::json(&value.to_string())),
        _ => text,
    }
}

/// Ends the attempt, waits for its grade and prints it.
fn finish(
    context: &Context,
    answer: Option<String>,
    open: &OpenArgs,
) -> Result<ExitCode, CommandError> {
    let answer = match answer.as_deref() {
        None => String::new(),
        Some(STDIN) => read_stdin()?.trim().to_owned(),
        Some(answer) => answer.to_owned(),
    };
    let row = match OpenAttempt::one(context, open.attempt.as_deref()) {
        Ok(attempt) => ended(context, &attempt, &Request::Finish { answer })?,
        // Whether the process of an attempt that reached a limit is still grading must make no difference.
        Err(error) => {
            let limited = open.attempt.as_deref();
            let limited = limited.and_then(|prefix| open::at_limit(context, prefix));
            limited.ok_or(error)?
        }
    };
    if let Some(end) = row.end.as_ref()
        && end.kind != EndKind::Completed
    {
        let end = end.to_string();
        let end = sanitise::line(&end);
        output::note(&format!("the attempt had already ended: {end}"));
    }
    let journal = context.journal()?;
    let experiment = journal.experiment(&row.experiment).map_err(journal_error)?;
    let spending = journal.spending(&experiment.id).map_err(journal_error)?;
    let code = exit_code(std::slice::from_ref(&row), 1, false, false);
    let mut text = String::new();
    if let Some(grade) = &row.grade {
        text.push_str(&grade::checks(grade.result.checks()));
        if let Some(fault) = grade.result.fault() {
            let kind = output::paint(output::WARN, fault.kind);
            let message = sanitise::line(&fault.message);
            text.push_str(&format!("{kind}: {message}\n"));
        }
    } else if let Some(error) = &row.error {
        text.push_str(&format!("{}\n", sanitise::line(error)));
    }
    let id = row.id.clone();
    let spec = serde_json::from_str(&experiment.spec).unwrap_or_default();
    let report = experiment_report(&experiment.name, spec, 1, vec![row], &spending);
    if open.json {
        output::print_json(&report)?;
        return Ok(code);
    }
    text.push_str(&runs::lines(&report.attempts));
    let pointer = format!("`mcpmark show {id}` shows the attempt");
    text.push_str(&format!("{}\n", output::paint(output::DIM, pointer)));
    output::print(&text)?;
    Ok(code)
}

/// Ends the attempt without a grade.
fn abandon(context: &Context, open: &OpenArgs) -> Result<ExitCode, CommandError> {
    let attempt = OpenAttempt::one(context, open.attempt.as_deref())?;
    let row = ended(context, &attempt, &Request::Abandon)?;
    if row.outcome != Some(OutcomeKind::Cancelled) {
        let message = format!("attempt {} had already ended: {}", row.id, row.standing());
        return Err(
            CommandError::usage(message).hint(format!("`mcpmark show {}` shows it", row.id))
        );
    }
    if open.json {
        output::print_json(&AbandonedAttempt {
            outcome: row.standing().to_owned(),
            attempt: row.id,
        })?;
    } else {
        output::print(&format!("attempt {} is abandoned\n", row.id))?;
    }
    Ok(ExitCode::Passed)
}

/// Sends a request that ends an attempt, and returns its row when the outcome is in the journal.
fn ended(
    context: &Context,
    attempt: &OpenAttempt,
    request: &Request,
) -> Result<AttemptRow, CommandError> {
    match attempt.ask(request)? {
        // Without a response, the attempt may have ended at the same time by itself.
        Some(Response::Over) | None => {}
        Some(_) => return Err(unexpected(attempt)),
    }
    let journal = context.journal()?;
    let row = journal.attempt(&attempt.id).map_err(journal_error)?;
    if row.status == AttemptStatus::Running {
        Err(open::died(&row))
    } else {
        Ok(row)
    }
}

/// Lists the open attempts.
fn status(context: &Context, json: bool) -> Result<ExitCode, CommandError> {
    let mut open: Vec<metadata::OpenAttempt> = Vec::new();
    for attempt in OpenAttempt::all(context, "")? {
        match attempt.ask(&Request::Status)? {
            Some(Response::Status(status)) => open.push(status),
            Some(_) => return Err(unexpected(&attempt)),
            // It has just ended.
            None => {}
        }
    }
    if json {
        output::print_json(&open)?;
        return Ok(ExitCode::Passed);
    }
    if open.is_empty() {
        output::note("no attempt is open");
    }
    let mut table = Table::new(&["attempt", "task", "experiment", ">calls", ">time left"]);
    for status in &open {
        table.row(vec![
            (status.attempt.clone(), output::DIM),
            (sanitise::line(&status.task).into_owned(), Style::new()),
            (
                sanitise::line(&status.experiment).into_owned(),
                Style::new(),
            ),
            (
                format!("{}/{}", status.calls, status.call_limit),
                Style::new(),
            ),
            (
                status.seconds_left.map_or("no limit".to_owned(), time_left),
                Style::new(),
            ),
        ]);
    }
    output::print(&table.render())?;
    Ok(ExitCode::Passed)
}
