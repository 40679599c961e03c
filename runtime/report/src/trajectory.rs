//! What an HTML report shows of single attempts.

use std::collections::HashMap;

use mcpmark_experiment::journal::{AttemptRow, Trajectory};
use mcpmark_experiment::{Journal, JournalError};
use mcpmark_snapshot::{Digest, Store};
use serde_json::Value;

use crate::data::Report;
use crate::diff::{self, Changed};

/// The most characters of one text that a page shows.
pub(crate) const MAX_CHARACTERS: usize = 6000;

/// The most lines of one diff that a page shows.
pub(crate) const MAX_DIFF_LINES: usize = 200;

/// The most attempts of which a page shows the trajectory, and the most bytes of text in them. A larger page is slow
/// to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageBudget {
    /// Attempts.
    pub attempts: usize,
    /// Bytes of text as the page has them: after truncation, before escaping.
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

/// One attempt with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptDetail {
    /// Its row, with its last grade.
    pub row: AttemptRow,
    /// What was said and done.
    pub trajectory: Trajectory,
    /// What it changed; none where no final state was captured, and why it cannot be shown
    /// where that is so.
    pub changes: Result<Option<Vec<Changed>>, String>,
}

/// Attempts by their ids.
#[derive(Debug, Clone, Default)]
pub struct Details {
    /// The attempts whose trajectory is shown.
    pub attempts: HashMap<String, AttemptDetail>,
    /// The number of attempts that have begun and whose trajectory is not shown.
    pub left_out: usize,
}

impl Details {
    /// Reads the trajectories of a report's attempts within the default [`PageBudget`].
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn read(
        report: &Report,
        journal: &Journal,
        store: Option<&Store>,
    ) -> Result<Self, JournalError> {
        Self::read_within(PageBudget::default(), report, journal, store)
    }

    /// Reads the trajectories of a report's attempts within a budget: failures before passes, and one attempt of each
    /// model and task before further ones.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
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
            bytes += trajectory_size(&trajectory) + changes_size(&changes);
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

/// The ids of all attempts that have begun: the first failure of each cell, the other failures, the first attempt of
/// cells without a failure, the rest.
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

/// The bytes of a trajectory's texts after truncation.
fn trajectory_size(trajectory: &Trajectory) -> usize {
    let messages = trajectory.messages.iter().map(|m| texts(&m.content));
    let calls = trajectory
        .calls
        .iter()
        .map(|call| texts(&call.arguments) + call.result.as_ref().map_or(0, texts));
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

/// The bytes of a text after truncation.
fn truncated(text: &str) -> usize {
    // Only a text with more bytes than characters shown can have more characters.
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
    let (Some(start), Some(end)) = (&row.world, &row.state) else {
        return Ok(None);
    };
    let load = |text: &str| {
        let digest: Digest = text.parse().map_err(|error| format!("{text}: {error}"))?;
        store
            .load_tree(&digest)
            .map_err(|error| format!("the state {digest} cannot be read: {error}"))
    };
    Ok(Some(diff::changes(&load(start)?, &load(end)?, store)))
}

/// The text of a tool's result, other blocks by their type.
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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_counts_as_much_as_the_page_shows_of_it() {
        let long = "x".repeat(40 << 20);
        let result = json!({"content": [{"type": "text", "text": long}]});
        assert_eq!(texts(&result), MAX_CHARACTERS + "text".len());
        // Characters of several bytes are cut by characters and counted by bytes.
        assert_eq!(truncated(&"é".repeat(7000)), 2 * MAX_CHARACTERS);
        assert_eq!(truncated(&"é".repeat(4000)), 8000);
        assert_eq!(truncated("short"), 5);
    }
}
