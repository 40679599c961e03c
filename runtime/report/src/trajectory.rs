//! Details of single attempts in an HTML report.

use std::collections::HashMap;

use mcpmark_journal::{AttemptRow, GradeRow, Journal, JournalError, Trajectory};
use mcpmark_snapshot::{Store, TreeDigest};
use serde_json::Value;

use crate::data::Report;
use crate::diff::{self, Changed};

/// Maximum number of characters of one text in the page.
pub(crate) const MAX_CHARACTERS: usize = 6000;

/// Maximum number of lines of one diff in the page.
pub(crate) const MAX_DIFF_LINES: usize = 200;

/// Limits on the trajectories in a page: number of attempts, and size of their text. Larger pages are slow to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageBudget {
    /// Maximum number of attempts.
    pub attempts: usize,
    /// Maximum size of the text in the page, in bytes, after truncation and before escaping. The last attempt may
    /// exceed it.
    pub bytes: usize,
}

impl Default for PageBudget {
    fn default() -> Self {
        Self {
            attempts: 2000,
            bytes: 24 << 20,
        }
    }
}

/// Attempt with its trajectory and its changes to the world.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptDetail {
    /// Row of the attempt, with its last grade.
    pub row: AttemptRow,
    /// Messages and tool calls.
    pub trajectory: Trajectory,
    /// Changes to the world. `None` if no final state was captured or no store is available; an error message if a
    /// state cannot be read.
    pub changes: Result<Option<Vec<Changed>>, String>,
}

/// Details of attempts, by id.
#[derive(Debug, Clone, Default)]
pub struct Details {
    /// Attempts whose trajectories are shown.
    pub attempts: HashMap<String, AttemptDetail>,
    /// Number of attempts that have begun and whose trajectories are not shown.
    pub left_out: usize,
}

impl Details {
    /// Reads the trajectories of a report's attempts, limited by the default [`PageBudget`].
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn read(
        report: &Report,
        journal: &Journal,
        store: Option<&Store>,
    ) -> Result<Self, JournalError> {
        Self::read_within(PageBudget::default(), report, journal, store)
    }

    /// Reads the trajectories of a report's attempts, limited by a budget. Failures have priority over passed attempts,
    /// and the first attempt of each model and task over further ones.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn read_within(
        budget: PageBudget,
        report: &Report,
        journal: &Journal,
        store: Option<&Store>,
    ) -> Result<Self, JournalError> {
        let mut details = Self::default();
        let mut bytes = 0;
        for id in by_priority(report) {
            if details.attempts.len() >= budget.attempts || bytes >= budget.bytes {
                details.left_out += 1;
                continue;
            }
            let row = journal.attempt(id)?;
            let trajectory = journal.trajectory(id)?;
            let changes = store.map_or(Ok(None), |store| changes(&row, store));
            bytes += row_size(&row) + trajectory_size(&trajectory) + changes_size(&changes);
            let detail = AttemptDetail {
                row,
                trajectory,
                changes,
            };
            details.attempts.insert(id.to_owned(), detail);
        }
        Ok(details)
    }
}

/// Returns the ids of all attempts that have begun, by priority: the first failure of each cell, the other failures,
/// the first attempt of each cell without failures, the rest.
fn by_priority(report: &Report) -> Vec<&str> {
    let [mut first_failures, mut failures, mut firsts, mut rest] = [const { Vec::new() }; 4];
    for task in 0..report.tasks.len() {
        for model in &report.models {
            let mut passed = Vec::new();
            let mut failed = Vec::new();
            for attempt in &model.matrix[task].attempts {
                match &attempt.id {
                    Some(id) if attempt.result == "pass" => passed.push(id.as_str()),
                    Some(id) => failed.push(id.as_str()),
                    None => {}
                }
            }
            match failed.split_first() {
                Some((first, others)) => {
                    first_failures.push(*first);
                    failures.extend_from_slice(others);
                    rest.extend_from_slice(&passed);
                }
                None => {
                    if let Some((first, others)) = passed.split_first() {
                        firsts.push(*first);
                        rest.extend_from_slice(others);
                    }
                }
            }
        }
    }
    [first_failures, failures, firsts, rest].concat()
}

/// Returns the size of the texts of an attempt's row and of its grade, as the page shows them, in bytes.
fn row_size(row: &AttemptRow) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let end = row.end.as_ref().map_or(0, |end| length(&end.detail));
    end + length(&row.error) + row.grade.as_ref().map_or(0, grade_size)
}

/// Returns the size of a grade's texts after truncation, in bytes. Names of checks and the message of a fault are not
/// truncated.
fn grade_size(grade: &GradeRow) -> usize {
    let checks = grade.result.checks().iter();
    let checks = checks.map(|check| check.name.len() + truncated(&check.detail));
    let fault = grade.result.fault().map_or(0, |fault| fault.message.len());
    checks.sum::<usize>() + fault + truncated(&grade.log)
}

/// Returns the size of a trajectory's texts after truncation, in bytes. Names of tools are not truncated.
fn trajectory_size(trajectory: &Trajectory) -> usize {
    let messages = trajectory.messages.iter().map(|m| texts(&m.content));
    let calls = trajectory.calls.iter().map(|call| {
        let result = call.result.as_ref().map_or(0, texts);
        let error = call.error.as_deref().map_or(0, truncated);
        call.name.len() + texts(&call.arguments) + result + error
    });
    messages.chain(calls).sum()
}

fn texts(value: &Value) -> usize {
    match value {
        Value::String(text) => truncated(text),
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(map) => map.values().map(texts).sum(),
        _ => 8,
    }
}

/// Returns the size of a text after truncation, in bytes.
fn truncated(text: &str) -> usize {
    // A text can only exceed the limit in characters if it exceeds it in bytes.
    if text.len() > MAX_CHARACTERS {
        text.char_indices()
            .nth(MAX_CHARACTERS)
            .map_or(text.len(), |(end, _)| end)
    } else {
        text.len()
    }
}

fn changes_size(changes: &Result<Option<Vec<Changed>>, String>) -> usize {
    let Ok(Some(changes)) = changes else {
        return 0;
    };
    let diffs = changes.iter().map(|change| {
        let lines = change.lines.as_deref().unwrap_or_default();
        let shown = lines.iter().take(MAX_DIFF_LINES);
        change.path.len() + shown.map(|line| truncated(&line.text)).sum::<usize>()
    });
    diffs.sum()
}

fn changes(row: &AttemptRow, store: &Store) -> Result<Option<Vec<Changed>>, String> {
    let (Some(start), Some(end)) = (row.world, row.state) else {
        return Ok(None);
    };
    let load = |digest: TreeDigest| {
        store
            .load_tree(&digest.untyped())
            .map_err(|error| format!("cannot read the state {digest}: {error}"))
    };
    Ok(Some(diff::changes(&load(start)?, &load(end)?, store)))
}

/// Returns the text of a tool result. Other content blocks are represented by their type.
pub(crate) fn result_text(result: &Value) -> String {
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

#[cfg(test)]
mod tests {
    use mcpmark_journal::{CallRow, Fault, FaultKind, GradeResult, Scoring};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_counts_as_much_as_the_page_shows_of_it() {
        let long = "x".repeat(40 << 20);
        let result = json!({"content": [{"type": "text", "text": long}]});
        assert_eq!(texts(&result), MAX_CHARACTERS + "text".len());
        // Truncation counts characters, and the size counts bytes.
        assert_eq!(truncated(&"é".repeat(7000)), 2 * MAX_CHARACTERS);
        assert_eq!(truncated(&"é".repeat(4000)), 8000);
        assert_eq!(truncated("short"), 5);
    }

    #[test]
    fn checks_log_and_fault_of_a_grade_count() {
        let long = "x".repeat(2 * MAX_CHARACTERS);
        let grade = |result| GradeRow {
            verifier: mcpmark_snapshot::Digest::of(b"").into(),
            engine: String::new(),
            terms: None,
            task_digest: None,
            log: long.clone(),
            interfaces: mcpmark_journal::InterfaceVersions::default(),
            result,
        };
        let checks = json!([
            {"name": "first", "passed": true, "detail": long},
            {"name": "second", "passed": false, "detail": "short"},
        ]);
        let verdict = grade(GradeResult::Verdict {
            passed: false,
            score: 0.5,
            scoring: Scoring::default(),
            checks: serde_json::from_value(checks).unwrap(),
        });
        let whole = ["first", "second", "short"].map(str::len);
        let expected = whole.iter().sum::<usize>() + 2 * MAX_CHARACTERS;
        assert_eq!(grade_size(&verdict), expected);
        let fault = Fault::new(FaultKind::Trap, "unreachable");
        let fault = grade(GradeResult::VerifierFault(fault));
        assert_eq!(grade_size(&fault), "unreachable".len() + MAX_CHARACTERS);
    }

    #[test]
    fn names_and_errors_of_calls_count() {
        let call = CallRow {
            turn: 1,
            call_id: "1".to_owned(),
            name: "read_file".to_owned(),
            arguments: json!({}),
            started_ms: 0,
            elapsed_us: None,
            result: None,
            is_error: false,
            error: Some("x".repeat(2 * MAX_CHARACTERS)),
        };
        let trajectory = Trajectory {
            calls: vec![call],
            ..Trajectory::default()
        };
        let expected = "read_file".len() + MAX_CHARACTERS;
        assert_eq!(trajectory_size(&trajectory), expected);
    }
}
