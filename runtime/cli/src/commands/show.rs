//! `mcpmark show`: trajectory, changes and checks of one attempt.

mod document;
mod usage;

use std::path::Path;

use mcpmark_experiment::decimals;
use mcpmark_experiment::failure::Failure;
use mcpmark_experiment::journal::{
    AttemptRow, CallRow, CallStatus, MessageRole, ModelCallRow, OutcomeKind, Purpose, Trajectory,
};
use mcpmark_metadata::ExitCode;
use mcpmark_snapshot::{Change, DigestOf, Store, TreeDigest, diff};
use serde_json::Value;

use self::document::{Details, document};
use self::usage::ByTurn;
use crate::args::ShowArgs;
use crate::commands::world::changes_text;
use crate::commands::{directory, explain, grade, runs};
use crate::context::Context;
use crate::error::{CommandError, error_chain, journal_error};
use crate::output::{self, sanitise};

/// Maximum number of lines of a text, and of characters of a line, that are shown without `--full`. On a terminal, its
/// width limits the characters.
const LINES: usize = 8;
const CHARACTERS: usize = 160;

/// Shows an attempt.
pub(crate) fn show(context: &Context, args: ShowArgs) -> Result<ExitCode, CommandError> {
    let journal = context.journal()?;
    let named = args.attempt.as_deref().unwrap_or(runs::LATEST);
    let id = if args.filter.is_empty() {
        runs::named_attempt(&journal, named)?
    } else if named == runs::LATEST {
        runs::latest_attempt(context, &journal, &args.filter)?
    } else {
        return Err(CommandError::usage(
            "filters select among the attempts of the latest experiment, but an attempt is named",
        )
        .hint("omit the attempt or the filters; `mcpmark runs EXPERIMENT` also takes filters"));
    };
    let mut attempt = journal.attempt(&id).map_err(journal_error)?;
    let trajectory = journal.trajectory(&attempt.id).map_err(journal_error)?;
    let requests = journal.model_calls(&attempt.id).map_err(journal_error)?;
    let store = context.store()?;
    let failure = journal
        .survey_attempt(&attempt.id)
        .map_err(journal_error)?
        .failure;
    if let Some(dir) = &args.export {
        export(&attempt, &store, dir)?;
    }
    let changes = changes(&attempt, &store);
    let explained = if args.explain {
        Some(explain::explain(context, &journal, &attempt)?)
    } else {
        None
    };
    if args.json {
        let changes = changes.ok().flatten();
        let details = Details {
            trajectory: &trajectory,
            requests: &requests,
            changes: changes.as_deref(),
            failure,
            explained,
        };
        output::print_json(&document(attempt, details))?;
        return Ok(ExitCode::Passed);
    }
    let experiment = journal
        .experiment(&attempt.experiment)
        .map_err(journal_error)?;
    let cut_off = runs::is_cut_off(context, &experiment.id, &mut attempt);
    let mut text = header(&attempt);
    if let Some(failure) = &failure {
        text.push_str(&why(failure));
    }
    text.push_str(&heading("trajectory"));
    text.push_str(&render(&trajectory, &requests, args.full));
    text.push_str(&heading("changes to the world"));
    match changes {
        Ok(Some(changes)) if changes.is_empty() => text.push_str("none\n"),
        Ok(Some(changes)) => {
            text.push_str(&changes_text(&changes, &store, args.full));
        }
        Ok(None) => text.push_str("no final state was captured\n"),
        Err(message) => text.push_str(&format!("{}\n", sanitise::line(&message))),
    }
    if let Some(grade) = &attempt.grade {
        text.push_str(&heading("checks"));
        for line in grade.log.lines() {
            let line = format!("log: {}", sanitise::line(line));
            text.push_str(&format!("{}\n", output::paint(output::DIM, line)));
        }
        text.push_str(&grade::checks(grade.result.checks()));
        if let Some(fault) = grade.result.fault() {
            let kind = format!("{} ({})", grade.result.outcome(), fault.kind);
            text.push_str(&format!(
                "{}: {}\n",
                output::paint(output::WARN, kind),
                sanitise::line(&fault.message)
            ));
        }
    }
    if let Some(explained) = explained.filter(|explained| !explained.is_empty()) {
        text.push_str(&heading("explanation"));
        text.push_str(&explain::text(&explained, args.full));
    }
    output::print(&text)?;
    runs::say_cut_off(&experiment.name, usize::from(cut_off));
    Ok(ExitCode::Passed)
}

/// Exports the final state to a directory.
fn export(attempt: &AttemptRow, store: &Store, dir: &Path) -> Result<(), CommandError> {
    let tree = explain::ending(store, attempt)?.tree;
    // Grades of earlier versions have no terms, so their clock is unknown.
    let clock = explain::terms(store, attempt)?.map_or(0, |terms| terms.clock);
    directory::check("--export", dir)?;
    directory::write("--export", dir, &tree, store, clock)?;
    output::note(&format!("wrote the final state to {}", dir.display()));
    Ok(())
}

fn heading(text: &str) -> String {
    format!("\n{}\n", output::paint(output::BOLD, text))
}

fn header(attempt: &AttemptRow) -> String {
    let (result, style) = runs::result(attempt);
    let ended = attempt.end.as_ref().map(ToString::to_string);
    let seconds = attempt
        .ended_ms
        .map(|ended| format!("{:.1} s", (ended - attempt.started_ms) as f64 / 1000.0));
    let mut rows = vec![
        ("attempt", attempt.id.clone()),
        ("task", attempt.task.clone()),
        ("experiment", attempt.experiment.clone()),
        (
            "agent",
            with_settings(&attempt.agent, &attempt.agent_settings),
        ),
        (
            "model",
            attempt.model.as_ref().map_or_else(String::new, |model| {
                with_settings(model, &attempt.model_settings)
            }),
        ),
        ("repetition", attempt.k.to_string()),
        ("started", runs::instant(attempt.started_ms)),
        ("duration", seconds.unwrap_or_default()),
        ("agent ended", ended.unwrap_or_else(|| "-".to_owned())),
        (
            "turns",
            format!("{}, {} tool calls", attempt.turns, attempt.tool_calls),
        ),
        ("tokens", tokens(attempt)),
        ("cost", cost(attempt)),
        ("start", text_of(attempt.world)),
        ("state", text_of(attempt.state)),
        ("bundle", text_of(attempt.task_digest)),
    ];
    if let Some(grade) = &attempt.grade {
        rows.push(("verifier", grade.verifier.to_string()));
        rows.push(("answered", grade.interfaces.to_string()));
    }
    if let Some(error) = &attempt.error {
        let key = match attempt.outcome {
            // A held-back verifier is not an error.
            Some(OutcomeKind::HeldBack) => "not graded",
            _ => "error",
        };
        rows.push((key, error.clone()));
    }
    let mut text = String::new();
    for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!(
            "{}{}\n",
            output::paint(output::BOLD, format!("{key:<12}")),
            sanitise::line(value)
        ));
    }
    text.push_str(&format!(
        "{}{}\n",
        output::paint(output::BOLD, format!("{:<12}", "result")),
        output::paint(style, result)
    ));
    text
}

/// Formats a name with its settings, which are canonical JSON.
fn with_settings(name: &str, settings: &str) -> String {
    /// Maximum number of characters shown of a setting; `--json` prints all.
    const SHOWN: usize = 60;
    if settings == "{}" {
        return name.to_owned();
    }
    let Ok(Value::Object(mut values)) = serde_json::from_str(settings) else {
        return format!("{name} {settings}");
    };
    for value in values.values_mut() {
        if let Some((end, _)) = value
            .as_str()
            .and_then(|text| text.char_indices().nth(SHOWN))
        {
            let text = value.as_str().unwrap_or_default();
            *value = format!("{}… ({} bytes)", &text[..end], text.len()).into();
        }
    }
    format!("{name} {}", Value::Object(values))
}

/// Formats the token usage of an attempt, if a model was used.
fn tokens(attempt: &AttemptRow) -> String {
    match (&attempt.model, attempt.usage) {
        (None, _) => String::new(),
        (Some(_), None) => "unknown".to_owned(),
        (Some(_), Some(usage)) => format!(
            "{} input ({} of them cached), {} output ({} of them reasoning)",
            usage.input, usage.cached, usage.output, usage.reasoning
        ),
    }
}

fn cost(attempt: &AttemptRow) -> String {
    match (&attempt.model, attempt.cost) {
        (None, _) => String::new(),
        (Some(_), None) => "unknown".to_owned(),
        (Some(_), Some(cost)) => format!("{} USD", decimals(cost.usd())),
    }
}

/// Formats the failure class with its evidence.
fn why(failure: &Failure) -> String {
    let evidence = &failure.evidence;
    let mut text = format!(
        "{}{}: {} (turn {})\n",
        output::paint(output::BOLD, format!("{:<12}", "failure")),
        output::paint(output::BAD, failure.class),
        evidence.rule,
        evidence.turn
    );
    if !evidence.quote.is_empty() {
        let quote = sanitise::line(&evidence.quote);
        text.push_str(&format!("{:<12}“{quote}”\n", ""));
    }
    text
}

fn changes(attempt: &AttemptRow, store: &Store) -> Result<Option<Vec<Change>>, String> {
    let (Some(start), Some(state)) = (attempt.world, attempt.state) else {
        return Ok(None);
    };
    let load = |digest: TreeDigest| {
        store
            .load_tree(&digest.untyped())
            .map_err(|error| error_chain(&error))
    };
    Ok(Some(diff(&load(start)?, &load(state)?)))
}

/// Returns the text of a digest; empty if there is none.
fn text_of<T: ?Sized>(digest: Option<DigestOf<T>>) -> String {
    digest.map(|digest| digest.to_string()).unwrap_or_default()
}

fn render(trajectory: &Trajectory, requests: &[ModelCallRow], full: bool) -> String {
    let mut text = String::new();
    let by_turn = ByTurn::of(trajectory, requests);
    let mut requests = requests.iter().peekable();
    let mut calls = trajectory.calls.iter().peekable();
    for message in &trajectory.messages {
        let led_to = match message.role {
            MessageRole::Assistant => Some(Purpose::Turn),
            MessageRole::Compaction => Some(Purpose::Compaction),
            MessageRole::System | MessageRole::User | MessageRole::Note => None,
        };
        // Requests are in chronological order. The failed ones before the request of this message are printed with it.
        while let Some(purpose) = led_to
            && let Some(request) = requests.next_if(|request| request.turn <= message.turn)
        {
            text.push_str(&tried(request, full));
            let led = request.status == CallStatus::Ok && request.purpose == purpose;
            if led && request.turn == message.turn {
                break;
            }
        }
        let said = &message.content["text"];
        // A compaction has a summary, with which the model continues, instead of a text.
        let said = said
            .as_str()
            .or(message.content["summary"].as_str())
            .unwrap_or_default();
        match message.role {
            MessageRole::Assistant => {
                text.push_str(&output::paint(
                    output::DIM,
                    format!(
                        "turn {}{}",
                        message.turn,
                        by_turn.words(Purpose::Turn, message.turn)
                    ),
                ));
                text.push('\n');
                if !said.is_empty() {
                    text.push_str(&indent(&clip(said, full)));
                }
            }
            role => {
                let title = match (role, message.turn) {
                    (MessageRole::User, 0) => "instruction",
                    (MessageRole::User, _) => "user message",
                    (MessageRole::System, _) => "system prompt",
                    (role, _) => role.as_str(),
                };
                let used = match role {
                    MessageRole::Compaction => by_turn.words(Purpose::Compaction, message.turn),
                    _ => String::new(),
                };
                text.push_str(&output::paint(output::DIM, format!("{title}{used}")));
                text.push('\n');
                text.push_str(&indent(&clip(said, full)));
            }
        }
        // A compaction has the number of the next turn, whose calls are not listed here.
        let made =
            |call: &&CallRow| message.role == MessageRole::Assistant && call.turn == message.turn;
        while let Some(call) = calls.next_if(made) {
            // Arguments that are not a JSON object are stored as the text that was sent.
            let arguments = match &call.arguments {
                Value::String(sent) => sent.clone(),
                arguments => arguments.to_string(),
            };
            let line = clip(&format!("{} {arguments}", call.name), full);
            let (name, arguments) = line.split_once(' ').unwrap_or((&line, ""));
            text.push_str(&format!(
                "  {} {}\n",
                output::paint(output::BOLD, sanitise::line(name)),
                sanitise::line(arguments)
            ));
            let (result, style) = match (&call.result, &call.error) {
                (Some(result), _) => (
                    plain(result),
                    if call.is_error {
                        output::BAD
                    } else {
                        output::DIM
                    },
                ),
                (None, Some(error)) => (error.clone(), output::BAD),
                (None, None) => ("no result".to_owned(), output::WARN),
            };
            for line in clip(&result, full).lines() {
                text.push_str(&format!(
                    "    {}\n",
                    output::paint(style, sanitise::block(line))
                ));
            }
        }
    }
    for request in requests {
        text.push_str(&tried(request, full));
    }
    text
}

/// Formats a failed request. Returns an empty text for a successful one.
fn tried(request: &ModelCallRow, full: bool) -> String {
    let Some(error) = &request.error else {
        return String::new();
    };
    let line = format!(
        "try {} of the request for {} {}: {}: {error}",
        request.try_number,
        match request.purpose {
            Purpose::Turn => "turn",
            Purpose::Compaction => "the compaction before turn",
        },
        request.turn,
        request.error_kind.as_deref().unwrap_or("error"),
    );
    let line = sanitise::block(&clip(&line, full)).into_owned();
    format!("{}\n", output::paint(output::WARN, line))
}

/// Returns the text of a tool result. Other blocks are represented by their type.
fn plain(result: &Value) -> String {
    let blocks = result["content"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let texts: Vec<String> = blocks
        .iter()
        .map(|block| match block["text"].as_str() {
            Some(text) => text.to_owned(),
            None => format!("[{}]", block["type"].as_str().unwrap_or("block")),
        })
        .collect();
    texts.join("\n")
}

/// Truncates a text to its first lines, each to a maximum length, and appends the number of omitted lines.
fn clip(text: &str, full: bool) -> String {
    if full {
        return text.to_owned();
    }
    let characters = output::columns().map_or(CHARACTERS, |columns| columns - 6);
    let mut lines: Vec<String> = text
        .lines()
        .take(LINES)
        .map(|line| match line.char_indices().nth(characters) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        })
        .collect();
    let more = text.lines().count().saturating_sub(LINES);
    if more > 0 {
        lines.push(format!("… {} more", output::count(more, "line")));
    }
    lines.join("\n")
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {}\n", sanitise::line(line)))
        .collect()
}
