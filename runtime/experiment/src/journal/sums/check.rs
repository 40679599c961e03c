//! What the check sums of a journal tell of it.

use mcpmark_snapshot::Digest;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde::Serialize;

use super::{
    ATTEMPT, EXPERIMENT, GRADES, PARTS, RowSums, compare_row, grade_sum, ids, misscored, shown,
    sum_all,
};
use crate::journal::durable::surely;
use crate::journal::texts;
use crate::journal::{Journal, JournalError};

/// A row that is not as it was written, or that says something else than those it follows from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadRow {
    /// Which row it is.
    pub row: String,
    /// The problem.
    pub problem: &'static str,
}

impl BadRow {
    /// Whether it has another sum than it had when it was written.
    pub(in crate::journal) fn is_damaged(&self) -> bool {
        self.problem == CHANGED
    }
}

const CHANGED: &str = "is not as it was written";
pub(super) const UNSUMMED: &str = "has no check sum";
pub(super) const CONTRADICTS: &str = "says something else than what it follows from";

/// Attempts whose own row repeats another grade than their last one has.
const REPEATED: &str = "SELECT a.id FROM attempts a LEFT JOIN grades g
        ON g.id = (SELECT max(id) FROM grades WHERE attempt = a.id)
    WHERE a.status = 'finished' AND (?1 IS NULL OR a.experiment = ?1)
      AND (a.grade IS NOT g.id OR a.passed IS NOT g.passed OR a.score IS NOT g.score
        OR g.id IS NOT NULL AND a.outcome IS NOT g.outcome)";

/// Grades that say something else than their checks.
const MISJUDGED: &str = "SELECT g.id FROM grades g JOIN attempts a ON a.id = g.attempt
    WHERE (?1 IS NULL OR a.experiment = ?1) AND g.outcome = 'graded'
      AND g.passed IS NOT (SELECT min(passed) FROM checks WHERE grade = g.id)";

/// Digests of tool sets that messages name and the table lacks. Invalid JSON is found by its row's sum.
const TOOLS_GONE: &str =
    "SELECT DISTINCT iif(json_valid(content), content ->> '$.tools', NULL) AS named
    FROM messages WHERE role = 'system'
      AND (?1 IS NULL OR attempt IN (SELECT id FROM attempts WHERE experiment = ?1))
      AND named IS NOT NULL AND named NOT IN (SELECT digest FROM tool_sets)";

impl Journal {
    /// Compares every row with its sum, and columns that repeat what other rows say with those. Gives the rows that
    /// are not as they should be.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn check_rows(&self) -> Result<Vec<BadRow>, JournalError> {
        let connection = self.lock();
        let mut bad = bad_rows(&connection, None)?;
        for digest in texts::damaged(&connection)? {
            bad.push(BadRow {
                row: format!("the text {digest}"),
                problem: CHANGED,
            });
        }
        // What the file itself is made of: pages, and indexes beside their tables.
        let mut query = connection.prepare("PRAGMA integrity_check(100)")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if line != "ok" {
                bad.push(BadRow {
                    row: line,
                    problem: "is what SQLite finds wrong with the file",
                });
            }
        }
        Ok(bad)
    }

    /// Sums all rows up as they are now, after somebody wrote some by other means than those of this journal.
    ///
    /// # Errors
    ///
    /// When they cannot be read or written.
    pub fn sum_rows(&self) -> Result<(), JournalError> {
        surely(&mut self.lock(), |transaction| sum_all(transaction, None))
    }
}

/// The rows of an experiment, or of all, that are not as they should be.
pub(in crate::journal) fn bad_rows(
    connection: &Connection,
    experiment: Option<&str>,
) -> Result<Vec<BadRow>, JournalError> {
    let mut bad = Vec::new();
    // What is found is kept, and looking goes on; what cannot be read ends it.
    let mut note = |compared: Result<(), JournalError>| match compared {
        Ok(()) => Ok(()),
        Err(JournalError::Damaged(row)) => {
            bad.push(BadRow {
                row,
                problem: CHANGED,
            });
            Ok(())
        }
        Err(other) => Err(other),
    };
    let count = EXPERIMENT.split(',').count();
    let mut query = connection.prepare(&format!(
        "SELECT {EXPERIMENT}, sum FROM experiments WHERE ?1 IS NULL OR id = ?1"
    ))?;
    let mut rows = query.query([experiment])?;
    let mut unsummed = Vec::new();
    while let Some(row) = rows.next()? {
        let what = format!("experiment {}", shown(row, 0));
        if row.get_ref(count)? == ValueRef::Null {
            unsummed.push(what.clone());
        }
        note(compare_row(row, count, || what))?;
    }
    let mut query = connection.prepare(&format!(
        "SELECT {}, sum FROM attempts WHERE ?1 IS NULL OR experiment = ?1",
        ATTEMPT.join(", ")
    ))?;
    let mut rows = query.query([experiment])?;
    while let Some(row) = rows.next()? {
        let attempt = shown(row, 0);
        if row.get_ref(12)? == ValueRef::Text(b"running") {
            continue;
        }
        if row.get_ref(ATTEMPT.len())? == ValueRef::Null {
            unsummed.push(format!("attempt {attempt}"));
        }
        note(compare_row(row, ATTEMPT.len(), || {
            format!("attempt {attempt}")
        }))?;
        for part in PARTS {
            let mut sums = RowSums::of(connection, &part, &attempt)?;
            if sums.kept.is_none() {
                unsummed.push(format!("{} of attempt {attempt}", part.table));
            }
            let mut query = connection.prepare_cached(&format!(
                "SELECT {} FROM {} WHERE attempt = ?1 ORDER BY seq",
                part.columns, part.table
            ))?;
            let mut rows = query.query([&attempt])?;
            while let Some(row) = rows.next()? {
                note(sums.compare(row))?;
            }
            note(sums.end())?;
        }
    }
    for grade in ids::<i64>(connection, GRADES, experiment)? {
        let sum = grade_sum(connection, grade)?;
        if sum.kept.is_none() {
            unsummed.push(format!("grade {grade}"));
        }
        note(sum.end())?;
    }
    let mut query = connection.prepare("SELECT digest, tools FROM tool_sets")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (ValueRef::Text(digest), ValueRef::Text(tools)) = (row.get_ref(0)?, row.get_ref(1)?)
        else {
            continue;
        };
        if digest != Digest::of(tools).hex().as_bytes() {
            note(Err(JournalError::Damaged(format!(
                "the tools {}",
                shown(row, 0)
            ))))?;
        }
    }
    let mut query = connection.prepare(TOOLS_GONE)?;
    let mut rows = query.query([experiment])?;
    while let Some(row) = rows.next()? {
        let digest = shown(row, 0);
        note(Err(JournalError::Damaged(format!("the tools {digest}"))))?;
    }
    bad.extend(unsummed.into_iter().map(|row| BadRow {
        row,
        problem: UNSUMMED,
    }));
    for attempt in ids::<String>(connection, REPEATED, experiment)? {
        bad.push(BadRow {
            row: format!("attempt {attempt}"),
            problem: CONTRADICTS,
        });
    }
    let mut contradicting = ids::<i64>(connection, MISJUDGED, experiment)?;
    contradicting.extend(misscored(connection, experiment)?.iter().map(|it| it.grade));
    contradicting.sort_unstable();
    contradicting.dedup();
    for grade in contradicting {
        bad.push(BadRow {
            row: format!("grade {grade}"),
            problem: CONTRADICTS,
        });
    }
    Ok(bad)
}
