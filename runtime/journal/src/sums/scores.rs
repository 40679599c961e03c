//! Scores that contradict the checks of their grade.

use mcpmark_verdict::Check;
use rusqlite::{Connection, Row};

use crate::grades::document;
use crate::{JournalError, Scoring};

/// Grade whose score differs from the one that its checks give.
pub(crate) struct Misscored {
    /// Id of the grade.
    pub(crate) grade: i64,
    /// Id of its attempt.
    pub(crate) attempt: String,
}

/// Query of the verdicts of the experiment `?1`, or of all experiments, with a row for each check. A verdict without
/// checks has one row.
const VERDICTS: &str = "SELECT g.id, g.attempt, g.score, g.scoring, c.name, c.passed
    FROM grades g JOIN attempts a ON a.id = g.attempt LEFT JOIN checks c ON c.grade = g.id
    WHERE g.outcome = 'graded' AND (?1 IS NULL OR a.experiment = ?1)
    ORDER BY g.id, c.seq";

/// Tolerance of the comparison of two scores, which may have been computed in a different order.
const TOLERANCE: f64 = 1e-9;

/// Verdict whose checks are being read.
struct Verdict {
    row: Misscored,
    score: Option<f64>,
    /// Parsed scoring; none if the document cannot be parsed.
    scoring: Option<Scoring>,
    checks: Vec<Check>,
}

impl Verdict {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            row: Misscored {
                grade: row.get(0)?,
                attempt: text(row, 1)?.unwrap_or_default(),
            },
            score: row.get(2)?,
            scoring: document(text(row, 3)?).ok().map(Option::unwrap_or_default),
            checks: Vec::new(),
        })
    }

    fn misscored(self) -> Option<Misscored> {
        let made = self.scoring.map(|scoring| scoring.score(&self.checks));
        let is_right = match (made, self.score) {
            (Some(made), Some(score)) => (made - score).abs() <= TOLERANCE,
            _ => false,
        };
        (!is_right).then_some(self.row)
    }
}

/// Returns the grades of one experiment, or of all, whose score differs from the one that their checks give.
pub(crate) fn misscored(
    connection: &Connection,
    experiment: Option<&str>,
) -> Result<Vec<Misscored>, JournalError> {
    let mut query = connection.prepare(VERDICTS)?;
    let mut rows = query.query([experiment])?;
    let mut found = Vec::new();
    let mut verdict: Option<Verdict> = None;
    while let Some(row) = rows.next()? {
        let grade: i64 = row.get(0)?;
        if verdict.as_ref().is_none_or(|it| it.row.grade != grade) {
            let next = Verdict::read(row)?;
            found.extend(verdict.replace(next).and_then(Verdict::misscored));
        }
        if let (Some(verdict), Some(name)) = (&mut verdict, text(row, 4)?) {
            verdict.checks.push(Check {
                name,
                passed: row.get::<_, i64>(5)? != 0,
                detail: String::new(),
            });
        }
    }
    found.extend(verdict.and_then(Verdict::misscored));
    Ok(found)
}

/// Returns a text column, which may be damaged.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let bytes = row.get_ref(column)?.as_bytes_or_null();
    let bytes = bytes.map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}
