//! Reads grades: a row of the table `grades` and its checks become a [`GradeRow`].

use mcpmark_snapshot::BlobDigest;
use mcpmark_task::TaskDigest;
use mcpmark_verdict::{Check, Fault, InterfaceVersions};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::columns::{Columns, word};
use crate::sums::GradeSum;
use crate::{GradeResult, GradeRow, JournalError, Scoring};

/// Outcome of a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum GradeKind {
    /// [`GradeResult::Verdict`].
    Graded,
    /// [`GradeResult::StateFault`].
    StateFault,
    /// [`GradeResult::VerifierFault`].
    VerifierFault,
}

/// SQL condition for a grade `g` whose columns and checks exclude each other. With a verdict, the checks determine
/// `passed`. A state fault is a failure with the score 0. A verifier fault has neither a result nor a score.
macro_rules! contradicts {
    () => {
        "CASE g.outcome
    WHEN 'graded' THEN g.passed IS NULL OR g.score IS NULL
        OR g.fault_kind IS NOT NULL OR g.fault_message IS NOT NULL
        OR g.passed IS NOT (SELECT min(passed) FROM checks WHERE grade = g.id)
    WHEN 'state-fault' THEN g.passed IS NOT 0 OR g.score IS NOT 0.0
        OR g.fault_kind IS NULL OR g.fault_message IS NULL OR g.scoring IS NOT NULL
        OR EXISTS (SELECT 1 FROM checks WHERE grade = g.id)
    WHEN 'verifier-fault' THEN g.passed IS NOT NULL OR g.score IS NOT NULL
        OR g.fault_kind IS NULL OR g.fault_message IS NULL OR g.scoring IS NOT NULL
        OR EXISTS (SELECT 1 FROM checks WHERE grade = g.id)
    ELSE 1 END"
    };
}
pub(super) use contradicts;

/// Grade as it is stored, to which its checks are added in order. It is only interpreted after the comparison of its
/// check sum, so that damage is reported as such.
pub(super) struct StoredGrade {
    sum: GradeSum,
    columns: GradeColumns,
}

/// Columns of a grade, with its checks.
struct GradeColumns {
    attempt: String,
    verifier: BlobDigest,
    engine: String,
    terms: Option<BlobDigest>,
    task_digest: Option<TaskDigest>,
    outcome: String,
    passed: Option<bool>,
    score: Option<f64>,
    fault_kind: Option<String>,
    fault_message: Option<String>,
    log: String,
    scoring: Option<Scoring>,
    interfaces: InterfaceVersions,
    checks: Vec<Check>,
}

impl StoredGrade {
    /// Reads the columns of [`GRADE`](super::sums::GRADE), which start at the index `first`.
    pub(super) fn of(row: &Row<'_>, first: usize) -> Result<Self, JournalError> {
        let sum = GradeSum::of(row, first)?;
        let id = sum.id;
        let place = || format!("grade {id}");
        let mut columns = Columns::of(row);
        // Skips the id and the check sum.
        columns.skip(first + 2);
        let attempt = columns.next()?;
        // Skips the time.
        columns.skip(1);
        let columns = GradeColumns {
            attempt,
            verifier: columns.digest(place, "verifier")?,
            engine: columns.next()?,
            terms: columns.optional_digest(place, "terms")?,
            task_digest: columns.optional_digest(place, "bundle")?,
            outcome: columns.next()?,
            passed: columns.next()?,
            score: columns.next()?,
            fault_kind: columns.next()?,
            fault_message: columns.next()?,
            log: columns.next()?,
            scoring: document(columns.next()?)?,
            interfaces: document(columns.next()?)?.unwrap_or_default(),
            checks: Vec::new(),
        };
        Ok(Self { sum, columns })
    }

    /// Returns the id of the grade.
    pub(super) fn id(&self) -> i64 {
        self.sum.id
    }

    /// Adds a check, whose columns `seq`, `name`, `passed` and `detail` start at the index `first`.
    pub(super) fn add_check(&mut self, row: &Row<'_>, first: usize) -> rusqlite::Result<()> {
        self.sum.add(row, first)?;
        self.columns.checks.push(Check {
            name: row.get(first + 1)?,
            passed: row.get(first + 2)?,
            detail: row.get(first + 3)?,
        });
        Ok(())
    }

    /// Adds all checks, and returns the grade.
    pub(super) fn with_checks(mut self, connection: &Connection) -> Result<GradeRow, JournalError> {
        let mut query = connection.prepare_cached(
            "SELECT seq, name, passed, detail FROM checks WHERE grade = ?1 ORDER BY seq",
        )?;
        let mut rows = query.query([self.id()])?;
        while let Some(row) = rows.next()? {
            self.add_check(row, 0)?;
        }
        self.end()
    }

    /// Compares the check sum after the last check, and returns the grade.
    pub(super) fn end(self) -> Result<GradeRow, JournalError> {
        let id = self.id();
        self.sum.end()?;
        self.columns.interpret(id)
    }
}

impl GradeColumns {
    /// Returns the grade with this id, or an error if its columns exclude each other. Whether `passed` and `score` match
    /// the checks is compared by [`Journal::check_rows`](crate::Journal::check_rows) only.
    fn interpret(self, id: i64) -> Result<GradeRow, JournalError> {
        let place = || format!("grade {id} of attempt {}", self.attempt);
        let kind = word(&self.outcome, place, "outcome")?;
        let fault_kind = self.fault_kind.as_deref();
        let fault_kind = fault_kind.map(|text| word(text, place, "fault_kind"));
        let fault = match (fault_kind.transpose()?, &self.fault_message) {
            (Some(kind), Some(message)) => Some(Fault::new(kind, message)),
            (None, None) => None,
            _ => return Err(self.contradiction(place())),
        };
        let has_parts = self.scoring.is_some() || !self.checks.is_empty();
        let result = match (kind, self.passed, self.score, fault) {
            (GradeKind::Graded, Some(passed), Some(score), None) => GradeResult::Verdict {
                passed,
                score,
                scoring: self.scoring.unwrap_or_default(),
                checks: self.checks,
            },
            (GradeKind::StateFault, Some(false), Some(0.0), Some(fault)) if !has_parts => {
                GradeResult::StateFault(fault)
            }
            (GradeKind::VerifierFault, None, None, Some(fault)) if !has_parts => {
                GradeResult::VerifierFault(fault)
            }
            _ => return Err(self.contradiction(place())),
        };
        Ok(GradeRow {
            verifier: self.verifier,
            engine: self.engine,
            terms: self.terms,
            task_digest: self.task_digest,
            log: self.log,
            interfaces: self.interfaces,
            result,
        })
    }

    /// Returns the error for columns that no [`GradeResult`] has together.
    fn contradiction(&self, row: String) -> JournalError {
        // Messages and documents may be long.
        let present = |is_present: bool| is_present.then(|| "present".to_owned());
        let kind = self.fault_kind.as_ref();
        let passed = self.passed.map(|passed| i32::from(passed).to_string());
        let columns = [
            ("outcome", Some(format!("{:?}", self.outcome))),
            ("passed", passed),
            ("score", self.score.map(|score| score.to_string())),
            ("fault_kind", kind.map(|kind| format!("{kind:?}"))),
            ("fault_message", present(self.fault_message.is_some())),
            ("scoring", present(self.scoring.is_some())),
            ("number of checks", Some(self.checks.len().to_string())),
        ];
        let columns = columns.map(|(column, value)| {
            let value = value.unwrap_or_else(|| "null".to_owned());
            format!("{column} is {value}")
        });
        JournalError::Contradiction {
            row,
            columns: columns.join(", "),
        }
    }
}

/// Parses a JSON document in a column; none if the column is null.
pub(super) fn document<T: DeserializeOwned>(text: Option<String>) -> rusqlite::Result<Option<T>> {
    let parsed = text.map(|text| serde_json::from_str(&text)).transpose();
    parsed
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}
