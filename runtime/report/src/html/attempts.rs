//! Section of the page with single attempts: trajectory, checks of the verifier, and changes to the world.

use std::collections::BTreeSet;
use std::fmt::Write;

use mcpmark_journal::{CallRow, MessageRole, MessageRow};
use mcpmark_snapshot::ChangeKind;
use serde_json::Value;

use super::escape::{block, text};
use super::matrix::cell_id;
use crate::data::{AttemptRef, ModelReport, Report};
use crate::diff::{Changed, Mark};
use crate::format::instant;
use crate::numbers::count;
use crate::render::Options;
use crate::trajectory::{AttemptDetail, MAX_CHARACTERS, MAX_DIFF_LINES, result_text};

pub(super) fn attempts(out: &mut String, report: &Report, options: &Options) {
    let details = &options.details;
    if !any(report) {
        return;
    }
    out.push_str("<section id=\"attempts\">\n<h2>Attempts</h2>\n");
    if details.left_out > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">The page has no trajectory of {}, because it would be too large with \
             them. Failures come first. <code>mcpmark show ATTEMPT</code> shows any attempt.</p>",
            count(details.left_out, "attempt")
        );
    }
    filters(out, report);
    for (index, task) in report.tasks.iter().enumerate() {
        let _ = writeln!(
            out,
            "<details class=\"task\"><summary><h3>{}</h3></summary>",
            text(&task.id)
        );
        for (place, model) in report.models.iter().enumerate() {
            cell(
                out,
                &cell_id(index, place),
                (place, model),
                &model.matrix[index].attempts,
                options,
            );
        }
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

/// Reports whether any attempt is planned.
pub(super) fn any(report: &Report) -> bool {
    let mut cells = report.models.iter().flat_map(|model| &model.matrix);
    cells.any(|cell| !cell.attempts.is_empty())
}

/// Writes the filter controls. The script of the page uses them to hide attempts.
fn filters(out: &mut String, report: &Report) {
    let attempts = || {
        let cells = report.models.iter().flat_map(|model| &model.matrix);
        cells.flat_map(|cell| &cell.attempts)
    };
    let classes: BTreeSet<String> = attempts()
        .filter_map(|attempt| attempt.failure.as_ref())
        .map(|failure| failure.class.to_string())
        .collect();
    let results: BTreeSet<&str> = attempts().map(|attempt| attempt.result).collect();
    let models = report.models.iter().enumerate();
    out.push_str(
        "<form id=\"filters\" class=\"filters\" role=\"search\" hidden>\
         <label>Text <input type=\"search\" name=\"text\" placeholder=\"tool, path, message…\"></label>",
    );
    let mut select = |name: &str, label: &str, options: Vec<(String, String)>| {
        let _ = write!(
            out,
            "<label>{label} <select name=\"{name}\"><option value=\"\">all</option>"
        );
        for (value, shown) in options {
            let _ = write!(out, "<option value=\"{value}\">{shown}</option>");
        }
        out.push_str("</select></label>");
    };
    let same = |value: &str| (text(value), text(value));
    select("result", "Result", results.into_iter().map(same).collect());
    select(
        "class",
        "Class",
        classes.iter().map(|class| same(class)).collect(),
    );
    select(
        "model",
        "Model",
        models
            .map(|(place, model)| (place.to_string(), text(&model.name)))
            .collect(),
    );
    out.push_str("<button type=\"reset\">Clear</button> <output></output></form>\n");
}

/// Returns the HTML id of an attempt.
fn attempt_id(id: &str) -> String {
    format!("a-{}", text(id))
}

fn cell(
    out: &mut String,
    id: &str,
    (place, model): (usize, &ModelReport),
    attempts: &[AttemptRef],
    options: &Options,
) {
    let _ = writeln!(
        out,
        "<section class=\"cell\" id=\"{id}\" data-model=\"{place}\"><h4>{}</h4>",
        text(&model.name)
    );
    for attempt in attempts {
        let detail = attempt
            .id
            .as_ref()
            .and_then(|id| options.details.attempts.get(id));
        let class = match attempt.result {
            "pass" => "pass",
            "fail" => "fail",
            _ => "other",
        };
        let data = format!(
            "data-result=\"{}\" data-class=\"{}\"",
            text(attempt.result),
            attempt
                .failure
                .as_ref()
                .map_or(String::new(), |failure| text(&failure.class.to_string())),
        );
        let failure = attempt
            .failure
            .as_ref()
            .map(|failure| format!(" <span class=\"class\">{}</span>", failure.class))
            .unwrap_or_default();
        let summary = format!(
            "<b class=\"{class}\">{}</b> <span>#{}</span>{failure} <small>{}, {}</small>",
            text(attempt.result),
            attempt.k,
            count(attempt.turns as usize, "turn"),
            count(attempt.tool_calls as usize, "call"),
        );
        match detail {
            None => {
                let id = attempt.id.as_deref().map_or(String::new(), |id| {
                    format!(" <code>mcpmark show {}</code>", text(id))
                });
                let _ = writeln!(out, "<p class=\"attempt\" {data}>{summary}{id}</p>");
            }
            Some(detail) => {
                let _ = writeln!(
                    out,
                    "<details class=\"attempt\" {data} id=\"{}\"><summary>{summary} <code>{}</code></summary>",
                    attempt_id(&detail.row.id),
                    text(&detail.row.id)
                );
                body(out, attempt, detail);
                out.push_str("</details>\n");
            }
        }
    }
    out.push_str("</section>\n");
}

fn body(out: &mut String, attempt: &AttemptRef, detail: &AttemptDetail) {
    facts(out, detail);
    if let Some(failure) = &attempt.failure {
        let _ = write!(
            out,
            "<h5>Why it failed</h5><p><b>{}</b>: {} (turn {})</p>",
            failure.class, failure.evidence.rule, failure.evidence.turn
        );
        if !failure.evidence.quote.is_empty() {
            let _ = write!(
                out,
                "<blockquote><pre>{}</pre></blockquote>",
                block(&failure.evidence.quote)
            );
        }
        out.push('\n');
    }
    checks(out, detail);
    out.push_str("<h5>Trajectory</h5><ol class=\"turns\">\n");
    let mut calls = detail.trajectory.calls.iter().peekable();
    for message in &detail.trajectory.messages {
        self::message(out, message);
        if message.role == MessageRole::Assistant {
            while let Some(call) = calls.next_if(|call| call.turn == message.turn) {
                self::call(out, call);
            }
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n");
    changes(out, detail);
}

fn facts(out: &mut String, detail: &AttemptDetail) {
    let row = &detail.row;
    let ended = row.end.as_ref().map(ToString::to_string);
    let tokens = row.usage.map_or(String::new(), |usage| {
        format!(
            "{} in ({} cached), {} out ({} reasoning)",
            usage.input, usage.cached, usage.output, usage.reasoning
        )
    });
    let cost = match (row.cost, &row.model) {
        (Some(cost), _) => cost.to_string(),
        (None, Some(_)) => "unknown".to_owned(),
        (None, None) => String::new(),
    };
    let seconds = row
        .agent_us
        .map_or(String::new(), |us| format!("{:.1} s", us as f64 / 1e6));
    out.push_str("<dl class=\"facts\">");
    for (name, value) in [
        ("ended", ended.unwrap_or_default()),
        ("begun", instant(row.started_ms)),
        ("took", seconds),
        ("tokens", tokens),
        ("cost", cost),
        ("error", row.error.clone().unwrap_or_default()),
        (
            "final state",
            row.state.map(|it| it.to_string()).unwrap_or_default(),
        ),
        (
            "task",
            row.task_digest.map(|it| it.to_string()).unwrap_or_default(),
        ),
    ] {
        if !value.is_empty() {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", text(&value));
        }
    }
    out.push_str("</dl>\n");
}

fn checks(out: &mut String, detail: &AttemptDetail) {
    let Some(grade) = &detail.row.grade else {
        return;
    };
    out.push_str("<h5>Checks</h5>");
    if let Some(fault) = grade.result.fault() {
        let _ = write!(
            out,
            "<p><b class=\"other\">{} ({})</b> {}</p>",
            grade.result.outcome(),
            fault.kind,
            text(&fault.message)
        );
    }
    out.push_str("<ul class=\"checks\">");
    for check in grade.result.checks() {
        let (class, mark) = if check.passed {
            ("pass", "✓")
        } else {
            ("fail", "✗")
        };
        let _ = write!(
            out,
            "<li><b class=\"{class}\">{mark}</b> {}",
            text(&check.name)
        );
        if !check.detail.is_empty() {
            let _ = write!(out, ": <span>{}</span>", clipped(&check.detail));
        }
        out.push_str("</li>");
    }
    out.push_str("</ul>\n");
    if !grade.log.is_empty() {
        let _ = writeln!(
            out,
            "<details><summary>The verifier's log</summary><pre>{}</pre></details>",
            clipped(&grade.log)
        );
    }
}

/// Writes a message as an open list item, which the caller closes.
fn message(out: &mut String, message: &MessageRow) {
    let said = &message.content["text"];
    // A compaction has a summary instead of a text: the model continues from it.
    let said = said
        .as_str()
        .or(message.content["summary"].as_str())
        .unwrap_or_default();
    let title = match (message.role, message.turn) {
        (MessageRole::Assistant, turn) => format!("turn {turn}"),
        (MessageRole::User, 0) => "instruction".to_owned(),
        (MessageRole::User, _) => "told".to_owned(),
        (role, _) => role.to_string(),
    };
    let class = if message.role == MessageRole::Assistant {
        "turn"
    } else {
        "told"
    };
    let _ = write!(out, "<li class=\"{class}\"><h6>{}</h6>", text(&title));
    if let Some(reasoning) = message.content["reasoning"].as_str() {
        let _ = write!(
            out,
            "<details><summary>reasoning</summary><pre>{}</pre></details>",
            clipped(reasoning)
        );
    }
    match message.role {
        MessageRole::Compaction => {
            let summary = message.content["summary"].as_str().unwrap_or_default();
            let _ = write!(out, "<pre>{}</pre>", clipped(summary));
        }
        MessageRole::System => {
            let _ = write!(
                out,
                "<details><summary>prompt</summary><pre>{}</pre></details>",
                clipped(said)
            );
        }
        _ if !said.is_empty() => {
            let _ = write!(out, "<pre>{}</pre>", clipped(said));
        }
        _ => {}
    }
    if message.content["unreadable"] == true {
        out.push_str("<p class=\"malformed\">a reply that cannot be read</p>");
    }
}

fn call(out: &mut String, call: &CallRow) {
    let (result, class) = match (&call.result, &call.error) {
        (Some(result), _) => (result_text(result), if call.is_error { "fail" } else { "" }),
        (None, Some(error)) => (error.clone(), "fail"),
        (None, None) => ("no result".to_owned(), "other"),
    };
    let arguments = match &call.arguments {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match value {
                Value::String(text) => format!("{key}: {text}"),
                value => format!("{key}: {value}"),
            })
            .collect::<Vec<_>>()
            .join("\n"),
        // Arguments that are not a JSON object are shown as they were sent.
        Value::String(sent) => sent.clone(),
        other => other.to_string(),
    };
    let malformed = match &call.arguments {
        Value::String(_) => "<p class=\"malformed\">arguments that cannot be read</p>",
        _ => "",
    };
    let first = arguments.lines().next().unwrap_or_default();
    let first: String = first.chars().take(80).collect();
    let _ = write!(
        out,
        "<details class=\"call\"><summary><code>{}</code> <span>{}</span></summary>\
         {malformed}<pre>{}</pre><pre class=\"result {class}\">{}</pre></details>",
        text(&call.name),
        text(&first),
        clipped(&arguments),
        clipped(&result)
    );
}

fn changes(out: &mut String, detail: &AttemptDetail) {
    let changes = match &detail.changes {
        Ok(None) => return,
        Ok(Some(changes)) => changes,
        Err(message) => {
            let _ = writeln!(out, "<h5>Changes to the world</h5><p>{}</p>", text(message));
            return;
        }
    };
    out.push_str("<h5>Changes to the world</h5>");
    if changes.is_empty() {
        out.push_str("<p>none</p>\n");
        return;
    }
    out.push_str("<ul class=\"changes\">\n");
    for change in changes {
        let (class, word) = match change.kind {
            ChangeKind::Added => ("pass", "added"),
            ChangeKind::Removed => ("fail", "removed"),
            ChangeKind::Modified => ("other", "modified"),
        };
        let head = format!("<b class=\"{class}\">{word}</b> {}", text(&change.path));
        let _ = match &change.lines {
            Err(why) => writeln!(out, "<li>{head} <small>{}</small></li>", text(why)),
            Ok(lines) if lines.is_empty() => writeln!(out, "<li>{head}</li>"),
            Ok(_) => writeln!(
                out,
                "<li><details><summary>{head}</summary><pre class=\"diff\">{}</pre></details></li>",
                diff(change)
            ),
        };
    }
    out.push_str("</ul>\n");
}

fn diff(change: &Changed) -> String {
    let lines = change.lines.as_deref().unwrap_or_default();
    let mut out = String::new();
    for line in lines.iter().take(MAX_DIFF_LINES) {
        let (class, mark) = match line.mark {
            Mark::Place => ("place", ""),
            Mark::Same => ("same", " "),
            Mark::Added => ("added", "+"),
            Mark::Removed => ("removed", "-"),
        };
        let _ = writeln!(
            out,
            "<span class=\"{class}\">{mark}{}</span>",
            clipped_line(&line.text)
        );
    }
    if lines.len() > MAX_DIFF_LINES {
        let _ = writeln!(
            out,
            "… {} more",
            count(lines.len() - MAX_DIFF_LINES, "line")
        );
    }
    out
}

fn clipped_line(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text(&line[..end])),
        None => text(line),
    }
}

/// Escapes a text for `pre`, and truncates it to [`MAX_CHARACTERS`].
fn clipped(long: &str) -> String {
    match long.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!(
            "{}\n… {} more",
            block(&long[..end]),
            count(long[end..].chars().count(), "character")
        ),
        None => block(long),
    }
}
