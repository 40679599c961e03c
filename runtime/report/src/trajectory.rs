//! What an HTML report shows of single attempts.

use std::collections::HashMap;

use mcpmark_experiment::journal::{AttemptRow, Trajectory};
use mcpmark_experiment::{Journal, JournalError};
use mcpmark_snapshot::{Digest, Store};
use serde_json::Value;

use crate::data::Report;
use crate::diff::{self, Changed};

/// Attempts that are shown whole; a page with more is slow to open.
const ATTEMPTS: usize = 400;

/// Bytes of messages and tool results that a page carries.
const BYTES: usize = 24 << 20;

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
    /// Those that are shown whole.
    pub attempts: HashMap<String, AttemptDetail>,
    /// How many are not, for the page would be too large.
    pub left_out: usize,
}

impl Details {
    /// Reads the attempts of a report, task by task, until there is enough for one page.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn read(
        report: &Report,
        journal: &Journal,
        store: Option<&Store>,
    ) -> Result<Self, JournalError> {
        let mut details = Self::default();
        let mut bytes = 0;
        for task in 0..report.tasks.len() {
            let cells = report.models.iter().map(|model| &model.matrix[task]);
            for attempt in cells.flat_map(|cell| &cell.attempts) {
                let Some(id) = &attempt.id else {
                    continue;
                };
                if details.attempts.len() >= ATTEMPTS || bytes >= BYTES {
                    details.left_out += 1;
                    continue;
                }
                let row = journal.attempt(id)?;
                let trajectory = journal.trajectory(id)?;
                bytes += size(&trajectory);
                let changes = store.map_or(Ok(None), |store| changes(&row, store));
                let detail = AttemptDetail {
                    row,
                    trajectory,
                    changes,
                };
                details.attempts.insert(id.clone(), detail);
            }
        }
        Ok(details)
    }
}

fn size(trajectory: &Trajectory) -> usize {
    let messages = trajectory.messages.iter().map(|m| texts(&m.content));
    let calls = trajectory
        .calls
        .iter()
        .map(|call| texts(&call.arguments) + call.result.as_ref().map_or(0, texts));
    messages.chain(calls).sum()
}

fn texts(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(map) => map.values().map(texts).sum(),
        _ => 8,
    }
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
