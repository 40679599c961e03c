//! The straight line of a branch, from first parent to first parent.

#![allow(dead_code, reason = "each verifier takes what it needs of it")]

use std::collections::BTreeMap;

use mcpmark_guest::github::{Commit, Repository};
use mcpmark_guest::jiff::Timestamp;

/// Its commits, the oldest first.
pub fn straight(repository: &Repository, branch: &str) -> Vec<Commit> {
    let log = repository.log(branch).required();
    let by_id: BTreeMap<&str, &Commit> = log.iter().map(|it| (it.id(), it)).collect();
    let mut line = Vec::new();
    let mut next = log.first();
    while let Some(commit) = next {
        line.push(commit.clone());
        next = commit
            .parents()
            .first()
            .and_then(|id| by_id.get(id.as_str()).copied());
    }
    line.reverse();
    line
}

/// The day of a time in UTC: `2025-03-07`.
pub fn day(time: i64) -> String {
    let time = Timestamp::from_second(time).expect("a time");
    time.strftime("%Y-%m-%d").to_string()
}
