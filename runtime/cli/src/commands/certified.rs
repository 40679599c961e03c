//! The stored certificate of a task in `mcpmark task show`.

use mcpmark_certify::{Certificate, PointResult, PointStatus};
use mcpmark_metadata::{self as metadata, CertificatePoint, MutantCounts, TaskCertificate};
use mcpmark_report::PointFacts;
use mcpmark_task::Task;

use crate::error::error_chain;
use crate::output::{self, sanitise};

/// Reads the certificate of a task. An unreadable certificate results in a warning, because the task itself can still
/// be shown.
pub(crate) fn read(task: &Task) -> Option<Certificate> {
    Certificate::read(task).unwrap_or_else(|error| {
        output::warn(&sanitise::line(&error_chain(&error)));
        None
    })
}

/// Returns a certificate for the JSON output.
pub(crate) fn describe(certificate: &Certificate) -> TaskCertificate {
    let (made, rejected) = certificate.mutants;
    TaskCertificate {
        format: certificate.format,
        points: certificate.points().into_iter().map(point).collect(),
        mutants: MutantCounts { made, rejected },
        scores: certificate.scores.clone(),
        variants: certificate.variants.clone(),
    }
}

/// Returns the points of a certificate for a report.
pub(crate) fn points(certificate: &Certificate) -> Vec<PointFacts> {
    let points = certificate.points().into_iter();
    points
        .map(|result| PointFacts {
            point: result.point.as_str().to_owned(),
            status: match result.status {
                PointStatus::Passed => "passed",
                PointStatus::InPart => "in-part",
                PointStatus::Failed => "failed",
                PointStatus::NotExamined => "not-examined",
            }
            .to_owned(),
        })
        .collect()
}

/// Returns the document of a point.
pub(crate) fn point(result: PointResult) -> CertificatePoint {
    let owned =
        |names: Vec<&str>| -> Vec<String> { names.into_iter().map(str::to_owned).collect() };
    CertificatePoint {
        point: result.point.as_str().to_owned(),
        status: match result.status {
            PointStatus::Passed => metadata::PointStatus::Passed,
            PointStatus::InPart => metadata::PointStatus::InPart,
            PointStatus::Failed => metadata::PointStatus::Failed,
            PointStatus::NotExamined => metadata::PointStatus::NotExamined,
        },
        failed: owned(result.failed),
        not_examined: owned(result.not_examined),
    }
}

/// Formats a certificate: a summary, and a line for each point.
pub(crate) fn render(certificate: &Certificate) -> String {
    let points = certificate.points();
    let (made, rejected) = certificate.mutants;
    let mut text = row(
        "certified",
        &format!(
            "{} points, {rejected} of {made} near misses rejected; `mcpmark task check --stale` tests whether it \
             still holds",
            passed(&points)
        ),
    );
    for point in &points {
        let mark = match point.status {
            PointStatus::Passed => output::mark(true),
            PointStatus::InPart => output::paint(output::WARN, "!"),
            PointStatus::Failed => output::mark(false),
            PointStatus::NotExamined => output::paint(output::DIM, "-"),
        };
        text.push_str(&format!(
            "  {mark} {}: {}\n",
            point.point.as_str(),
            status(point)
        ));
    }
    let scores: Vec<String> = certificate
        .scores
        .iter()
        .map(|(agent, score)| format!("{agent} {score:.2}"))
        .collect();
    if !scores.is_empty() {
        text.push_str(&row("scores", &scores.join(", ")));
    }
    text
}

/// Returns the number of passed points, as in `2 of 11`.
fn passed(points: &[PointResult]) -> String {
    let passed = points.iter().filter(|it| it.status == PointStatus::Passed);
    format!("{} of {}", passed.count(), points.len())
}

/// Returns the status of a point in words, with the requirements that are missing for it.
fn status(point: &PointResult) -> String {
    let status = point.status.as_str();
    match point.status {
        PointStatus::InPart => format!(
            "{status}; conditions not examined: {}",
            quoted(&point.not_examined)
        ),
        PointStatus::Failed => format!("{status}: {}", point.failed.join("; ")),
        PointStatus::Passed | PointStatus::NotExamined => status.to_owned(),
    }
}

/// Formats the names of conditions in quotes, because they are sentences.
fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}

fn row(key: &str, value: &str) -> String {
    let key = output::paint(output::BOLD, format!("{key:<11}"));
    format!("{key}{}\n", sanitise::line(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn certificate(checks: &[&str]) -> Certificate {
        let digest = format!("sha256:{}", "0".repeat(64));
        serde_json::from_value(json!({
            "format": 3, "task": "filesystem/office/letters",
            "sources": digest, "code": digest, "world": digest, "verifier": digest,
            "checks": checks, "mutants": [4, 4], "free": 0, "mutations": {},
        }))
        .unwrap()
    }

    #[test]
    fn an_old_certificate_shows_what_it_does_not_examine() {
        let shown = render(&certificate(&["the oracle passes"]));
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(
            lines[0].starts_with("certified  0 of 11 points, 4 of 4 near misses rejected; "),
            "{shown}"
        );
        assert_eq!(lines[1], "  - determinism: not examined");
        assert_eq!(
            lines[2],
            "  ! oracle: passed in part; conditions not examined: \"a second oracle in another order passes\""
        );
        // Eleven points, and no scores.
        assert_eq!(lines.len(), 12);
    }

    #[test]
    fn scores_are_shown_if_they_are_stored() {
        let mut certificate = certificate(&[]);
        certificate.scores = [("nop".to_owned(), 0.0), ("random".to_owned(), 0.25)].into();
        let shown = render(&certificate);
        let shown = anstream::adapter::strip_str(&shown).to_string();
        assert!(
            shown.ends_with("scores     nop 0.00, random 0.25\n"),
            "{shown}"
        );
        let document = describe(&certificate);
        assert_eq!(document.scores["random"], 0.25);
        // The names in the JSON output are those of `task check --json`.
        for (point, result) in document.points.iter().zip(certificate.points()) {
            assert_eq!(json!(point), json!(result));
        }
        for (point, result) in points(&certificate).iter().zip(certificate.points()) {
            assert_eq!(json!(point.status), json!(result.status));
        }
    }
}
