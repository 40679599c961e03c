//! Certificates of tasks in a report: how far the verifiers behind its grades were tested.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::Report;
use crate::numbers::NONE;
use crate::sanitise::line;
use crate::table::{Table, label, left, right};

/// Status of a point that is passed.
const PASSED: &str = "passed";

/// Certificate of a task, as it was when the report was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum CertificateFacts {
    /// The certificate was written for the present sources of the task.
    Valid {
        /// Points of the certificate, in a fixed order.
        points: Vec<PointFacts>,
    },
    /// There is no valid certificate.
    Invalid {
        /// Reason, as in `the sources changed since it was written`.
        reason: String,
    },
}

/// Status of one point of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PointFacts {
    /// Name of the point, such as `near-misses`.
    pub point: String,
    /// `passed`, `in-part`, `failed` or `not-examined`.
    pub status: String,
}

impl CertificateFacts {
    /// Returns the number of passed points, as in `4/11 points`, or `no certificate`.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::Valid { points } => format!("{} points", passed(points)),
            Self::Invalid { .. } => "no certificate".to_owned(),
        }
    }
}

/// Formats the number of passed points, as in `4/11`.
fn passed(points: &[PointFacts]) -> String {
    let passed = points.iter().filter(|point| point.status == PASSED);
    format!("{}/{}", passed.count(), points.len())
}

/// Returns the table of the tasks whose certificates were looked for.
pub(crate) fn table(report: &Report) -> Table {
    let mut table = Table::new(
        "Certificates",
        vec![label("task"), right("points"), left("not passed")],
    );
    for task in &report.tasks {
        let Some(certificate) = &task.certificate else {
            continue;
        };
        let (points, rest) = match certificate {
            CertificateFacts::Valid { points } => (passed(points), not_passed(points)),
            CertificateFacts::Invalid { reason } => {
                (NONE.to_owned(), format!("no valid certificate: {reason}"))
            }
        };
        table.row(vec![
            line(&task.id).into_owned(),
            points,
            line(&rest).into_owned(),
        ]);
    }
    table.note = "passed points of the certificates of the present tasks; attempts may be on earlier versions"
        .to_owned();
    table
}

/// Lists the points that are not passed by status, the most serious first.
fn not_passed(points: &[PointFacts]) -> String {
    const ORDER: [&str; 2] = ["failed", "in-part"];
    let mut by_status: BTreeMap<(usize, &str), Vec<&str>> = BTreeMap::new();
    for point in points.iter().filter(|point| point.status != PASSED) {
        let status = point.status.as_str();
        let rank = ORDER.iter().position(|it| *it == status);
        let rank = rank.unwrap_or(ORDER.len());
        by_status
            .entry((rank, status))
            .or_default()
            .push(&point.point);
    }
    let lists: Vec<String> = by_status
        .into_iter()
        .map(|((_, status), points)| format!("{}: {}", status.replace('-', " "), points.join(", ")))
        .collect();
    lists.join("; ")
}
