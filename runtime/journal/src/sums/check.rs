//! Integrity check of the journal: check sums, contradictions between rows, and damage of the file.

use mcpmark_snapshot::Digest;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde::Serialize;

use super::{
    ATTEMPT, EXPERIMENT, GRADES, PARTS, RowSums, compare_row, grade_sum, ids, misscored, shown,
    sum_all,
};
use crate::durable::write_durable;
use crate::grades::contradicts;
use crate::{Journal, JournalError, texts};

/// Row that is not as it was written, lacks a check sum, or contradicts the rows that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadRow {
    /// Name of the row.
    pub row: String,
    /// Description of the problem.
    pub problem: &'static str,
}

impl BadRow {
    /// Returns true if the row does not match its check sum.
    pub(crate) fn is_damaged(&self) -> bool {
        self.problem == CHANGED
    }
}

const CHANGED: &str = "does not match its checksum or is missing";
pub(super) const NO_DIGEST: &str = "has an invalid digest";
pub(super) const UNSUMMED: &str = "has no checksum";
pub(super) const CONTRADICTS: &str = "contradicts the rows that it is derived from";

/// Query of finished attempts whose copy of the last grade differs from that grade.
const REPEATED: &str = "SELECT a.id FROM attempts a LEFT JOIN grades g
        ON g.id = (SELECT max(id) FROM grades WHERE attempt = a.id)
    WHERE a.status = 'finished' AND (?1 IS NULL OR a.experiment = ?1)
      AND (a.grade IS NOT g.id OR a.passed IS NOT g.passed OR a.score IS NOT g.score
        OR g.id IS NOT NULL AND a.outcome IS NOT g.outcome)";

/// Query of contradictory grades.
const MISJUDGED: &str = concat!(
    "SELECT g.id FROM grades g JOIN attempts a ON a.id = g.attempt
    WHERE (?1 IS NULL OR a.experiment = ?1) AND ",
    contradicts!()
);

/// Columns that contain digests with the name of the algorithm, by table.
const DIGESTS: [(&str, &[&str]); 2] = [
    ("attempts", &["bundle", "world", "state"]),
    ("grades", &["verifier", "terms", "bundle"]),
];

/// Query of digests of tool sets that messages refer to and that the table lacks. The check sum of a row finds invalid
/// JSON.
const TOOLS_GONE: &str =
    "SELECT DISTINCT iif(json_valid(content), content ->> '$.tools', NULL) AS named
    FROM messages WHERE role = 'system'
      AND (?1 IS NULL OR attempt IN (SELECT id FROM attempts WHERE experiment = ?1))
      AND named IS NOT NULL AND named NOT IN (SELECT digest FROM tool_sets)";

impl Journal {
    /// Compares every row with its check sum, and redundant columns with their sources. Returns the bad rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn check_rows(&self) -> Result<Vec<BadRow>, JournalError> {
        let connection = self.lock();
        let mut bad = bad_rows(&connection, None)?;
        for digest in texts::damaged(&connection)? {
            bad.push(BadRow {
                row: format!("text {digest}"),
                problem: CHANGED,
            });
        }
        // Integrity of the file itself: its pages, and the agreement of indexes with their tables.
        let mut query = connection.prepare("PRAGMA integrity_check(100)")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if line != "ok" {
                bad.push(BadRow {
                    row: line,
                    problem: "is reported by the integrity check of SQLite",
                });
            }
        }
        Ok(bad)
    }

    /// Updates the check sums of all rows to their current content, after rows were written by other means than this
    /// journal's methods.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be read or written.
    pub fn sum_rows(&self) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| sum_all(transaction, None))
    }
}

/// Returns the bad rows of one experiment, or of all if `experiment` is none.
pub(crate) fn bad_rows(
    connection: &Connection,
    experiment: Option<&str>,
) -> Result<Vec<BadRow>, JournalError> {
    let mut bad = Vec::new();
    // Records a damaged row and continues; any other error ends the check.
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
                "tool set {}",
                shown(row, 0)
            ))))?;
        }
    }
    let mut query = connection.prepare(TOOLS_GONE)?;
    let mut rows = query.query([experiment])?;
    while let Some(row) = rows.next()? {
        let digest = shown(row, 0);
        note(Err(JournalError::Damaged(format!("tool set {digest}"))))?;
    }
    bad.extend(unsummed.into_iter().map(|row| BadRow {
        row,
        problem: UNSUMMED,
    }));
    bad.extend(invalid_digests(connection, experiment)?);
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

/// Returns the rows of attempts, grades and model calls whose digests have another form.
fn invalid_digests(
    connection: &Connection,
    experiment: Option<&str>,
) -> Result<Vec<BadRow>, JournalError> {
    let no_hex = |text: &str| format!("length({text}) != 64 OR {text} GLOB '*[^0-9a-f]*'");
    let mut queries = vec![format!(
        "SELECT 'model call of attempt ' || r.attempt FROM model_calls r
         JOIN attempts a ON a.id = r.attempt
         WHERE (?1 IS NULL OR a.experiment = ?1) AND ({})",
        no_hex("r.request_digest")
    )];
    for (table, columns) in DIGESTS {
        let columns = columns.iter().map(|column| {
            let digits = no_hex(&format!("substr(r.{column}, 8)"));
            format!("r.{column} NOT GLOB 'sha256:*' OR {digits}")
        });
        let invalid = columns.collect::<Vec<_>>().join(" OR ");
        let (name, attempt) = match table {
            "attempts" => ("attempt", "id"),
            _ => ("grade", "attempt"),
        };
        queries.push(format!(
            "SELECT '{name} ' || r.id FROM {table} r JOIN attempts a ON a.id = r.{attempt}
             WHERE (?1 IS NULL OR a.experiment = ?1) AND ({invalid})"
        ));
    }
    let mut bad = Vec::new();
    for query in queries {
        let rows = ids::<String>(connection, &query, experiment)?;
        bad.extend(rows.into_iter().map(|row| BadRow {
            row,
            problem: NO_DIGEST,
        }));
    }
    Ok(bad)
}
