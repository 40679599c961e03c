//! The file `certificate.json`: format, reading, writing and validation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

use mcpmark_snapshot::Digest;
use mcpmark_task::Task;
use serde::{Deserialize, Serialize};

use crate::points::{TIGHTENED, points};
use crate::sources::{SourcesError, sources_digest};
use crate::{Identity, PointResult, Report, Skeleton};

/// Name of the certificate file in the directory of a task.
pub const FILE_NAME: &str = "certificate.json";

/// Current version of the format.
const FORMAT: u32 = 5;

/// Version since which the conditions in [`TIGHTENED`] require what their points require.
const TIGHTENED_SINCE: u32 = 5;

/// Oldest version that can be read. It does not have `held_at_start`.
const OLDEST: u32 = 2;

/// Result of a successful certification, bound to the digests of what was certified.
///
/// A certificate is valid only for the sources, the code and the world with these digests. The digest of the built
/// verifier also depends on the compiler, and serves only for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Version of the format: 5, 4 without `skeleton`, 3 also without `scores` and `variants`, or 2 also without
    /// `held_at_start`.
    pub format: u32,
    /// Id of the task.
    pub task: String,
    /// Tree digest of the task's directory without the certificate.
    pub sources: Digest,
    /// Digest of the other code that verifier, solution and the guests of the world are compiled from: sources next to
    /// the task, sources of the SDK, and the versions of packages from registries.
    pub code: Digest,
    /// Digest of the starting state.
    pub world: Digest,
    /// Digest of the verifier as it was built when the certificate was written.
    pub verifier: Digest,
    /// Names of the conditions that hold.
    pub checks: Vec<String>,
    /// Number of mutants, and number of them that the verifier rejected.
    pub mutants: (usize, usize),
    /// Number of mutants of declared freedoms, all of which the verifier accepted.
    pub free: usize,
    /// Numbers of mutants made and rejected, for each mutation.
    pub mutations: BTreeMap<String, (usize, usize)>,
    /// Names of the checks that pass on the starting state, which do not earn score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at_start: Option<Vec<String>>,
    /// Scores of agents, from 0 to 1: `nop`, `random`, `greedy` for the best cheat, and `oracle-25` to `oracle-75` for
    /// the oracle after a part of its calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// Number of additional tool calls in each harmless variant of the oracle, all of which the verifier accepted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, u32>,
    /// Skeleton of the task, with which other tasks are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<Skeleton>,
}

/// Error of reading or writing a certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file cannot be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// Path of the certificate.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The file is not a certificate.
    #[error("{}: {source}; create a new certificate with `mcpmark task check --write`", file.display())]
    Form {
        /// Path of the certificate.
        file: PathBuf,
        /// Error of the parser.
        source: serde_json::Error,
    },
    /// The file is a certificate of a newer format, with keys that this program does not know.
    #[error(
        "{}: it has format {format}, but this program supports {} to {}; use a newer version of mcpmark, or \
         create a new certificate with `mcpmark task check --write`",
        file.display(), OLDEST, FORMAT
    )]
    Newer {
        /// Path of the certificate.
        file: PathBuf,
        /// Version of its format.
        format: u64,
    },
}

/// Version of a certificate, whatever its other keys are.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Certificate {
    /// Creates a certificate from a report. Returns `None` if the report contains failed checks.
    pub fn of(report: &Report) -> Option<Self> {
        let identity = &report.identity;
        report.passed().then(|| Self {
            format: FORMAT,
            task: identity.task.clone(),
            sources: identity.sources,
            code: identity.code,
            world: identity.world,
            verifier: identity.verifier,
            checks: report
                .checks
                .iter()
                .map(|check| check.name.clone())
                .collect(),
            mutants: (report.mutants.made, report.mutants.rejected),
            free: report.mutants.free,
            mutations: report.mutants.mutations.clone(),
            held_at_start: report.held_at_start.clone(),
            scores: report.scores.clone(),
            variants: report.variants.clone(),
            skeleton: report.skeleton,
        })
    }

    /// Returns the status of each point, as far as the certificate certifies it. Points that were introduced after the
    /// certificate was written are not examined.
    pub fn points(&self) -> Vec<PointResult> {
        let conditions = self.conditions().map(|name| (name, true));
        points(conditions, self.free)
    }

    /// Returns the names of the conditions that hold. Conditions that required less when the certificate was written are
    /// left out.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &str> {
        let names = self.checks.iter().map(String::as_str);
        names.filter(|name| self.format >= TIGHTENED_SINCE || !TIGHTENED.contains(name))
    }

    /// Returns the bytes of the certificate file of a task. Returns `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn bytes(task: &Task) -> Result<Option<Vec<u8>>, CertificateError> {
        let file = task.dir.join(FILE_NAME);
        match fs::read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(CertificateError::Io { file, source }),
        }
    }

    /// Reads the certificate in the directory of a task. Returns `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a certificate.
    pub fn read(task: &Task) -> Result<Option<Self>, CertificateError> {
        let file = task.dir.join(FILE_NAME);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CertificateError::Io { file, source }),
        };
        Self::parse(file, &text).map(Some)
    }

    /// Parses the content of a certificate file.
    fn parse(file: PathBuf, text: &str) -> Result<Self, CertificateError> {
        serde_json::from_str(text).map_err(|source| {
            let version: Option<Version> = serde_json::from_str(text).ok();
            match version.filter(|version| version.format > u64::from(FORMAT)) {
                Some(Version { format }) => CertificateError::Newer { file, format },
                None => CertificateError::Form { file, source },
            }
        })
    }

    /// Writes the certificate into the directory of its task.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write(&self, task: &Task) -> Result<(), CertificateError> {
        // Serialisation of plain data cannot fail.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        Self::restore(task, Some(text.as_bytes()))
    }

    /// Replaces the certificate file of a task by one with these [`bytes`](Self::bytes), or removes it if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written or removed.
    pub fn restore(task: &Task, bytes: Option<&[u8]>) -> Result<(), CertificateError> {
        let file = task.dir.join(FILE_NAME);
        if let Some(bytes) = bytes {
            let new = task.dir.join(format!(".{FILE_NAME}.new"));
            return fs::write(&new, bytes)
                .and_then(|()| fs::rename(&new, &file))
                .map_err(|source| CertificateError::Io { file, source });
        }
        match fs::remove_file(&file) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(CertificateError::Io { file, source })
            }
            _ => Ok(()),
        }
    }

    /// Returns the reason why the certificate is not valid for a task, or `None` if it is valid.
    pub fn differs(&self, task: &Identity) -> Option<String> {
        if let Some(foreign) = self.is_foreign(task) {
            return Some(foreign);
        }
        let what = if self.sources != task.sources {
            "sources"
        } else if self.code != task.code {
            "code next to the task or in the SDK"
        } else if self.world != task.world {
            "world"
        } else {
            return None;
        };
        Some(format!("the {what} changed since it was written"))
    }

    /// Returns the reason why the certificate is not valid for a task without sources, as in bundles. The digest of the
    /// built verifier is compared instead.
    pub fn differs_as_built(&self, task: &Identity) -> Option<String> {
        if let Some(foreign) = self.is_foreign(task) {
            return Some(foreign);
        }
        let what = if self.verifier != task.verifier {
            "verifier"
        } else if self.world != task.world {
            "world"
        } else {
            return None;
        };
        Some(format!("it was written for another {what}"))
    }

    /// Returns the reason why the certificate is not valid for the present directory of a task, or `None`. In contrast to
    /// [`differs`](Self::differs) the task is not built, so other code and the world are not compared.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be read.
    pub fn differs_in_sources(&self, task: &Task) -> Result<Option<String>, SourcesError> {
        let now = Identity {
            task: task.id.to_string(),
            sources: sources_digest(task)?,
            code: self.code,
            world: self.world,
            verifier: self.verifier,
        };
        Ok(self.differs(&now))
    }

    fn is_foreign(&self, task: &Identity) -> Option<String> {
        if !(OLDEST..=FORMAT).contains(&self.format) {
            return Some(format!(
                "it has format {}, but this program supports {OLDEST} to {FORMAT}",
                self.format
            ));
        }
        (self.task != task.task).then(|| format!("it is for the task {}", self.task))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Point, PointStatus};

    fn identity() -> Identity {
        let digest = Digest::of(b"");
        Identity {
            task: "filesystem/office/letters".to_owned(),
            sources: digest,
            code: digest,
            world: digest,
            verifier: digest,
        }
    }

    fn document(format: u32) -> serde_json::Value {
        let digest = format!("sha256:{}", "0".repeat(64));
        json!({
            "format": format, "task": "filesystem/office/letters",
            "sources": digest, "code": digest, "world": digest, "verifier": digest,
            "checks": ["the oracle passes", "doing nothing fails"],
            "mutants": [3, 3], "free": 0, "mutations": {"number": [3, 3]},
        })
    }

    #[test]
    fn certificates_of_older_formats_are_read_without_the_newer_points() {
        for format in [2, 3, 4] {
            let mut document = document(format);
            if format >= 3 {
                document["held_at_start"] = json!(["nothing else changed"]);
            }
            let old: Certificate = serde_json::from_value(document.clone()).unwrap();
            assert!(old.scores.is_empty() && old.variants.is_empty() && old.skeleton.is_none());
            assert_eq!(old.is_foreign(&identity()), None);
            // A key that is absent stays absent, so that old certificates keep their form.
            assert_eq!(serde_json::to_value(&old).unwrap(), document);
            let points = old.points();
            assert_eq!(points.len(), Point::ALL.len());
            assert_eq!(points[1].status, PointStatus::InPart);
            assert_eq!(points[2].status, PointStatus::InPart);
            let others = points
                .iter()
                .filter(|it| it.status == PointStatus::NotExamined);
            assert_eq!(others.count(), 9);
        }
    }

    #[test]
    fn conditions_that_required_less_do_not_count() {
        let statuses = |format: u32| {
            let mut document = document(format);
            document["checks"] = json!(TIGHTENED);
            let certificate: Certificate = serde_json::from_value(document).unwrap();
            let report = Report::certified(identity(), &certificate);
            let points = certificate.points();
            assert_eq!(points, report.points());
            points.iter().map(|it| it.status).collect::<Vec<_>>()
        };
        assert_eq!(statuses(4), [PointStatus::NotExamined; 11]);
        let tightened = statuses(5);
        let difficulty = Point::ALL.iter().position(|it| *it == Point::Difficulty);
        assert_eq!(tightened[difficulty.unwrap()], PointStatus::Passed);
        let in_part = tightened.iter().filter(|it| **it == PointStatus::InPart);
        assert_eq!(in_part.count(), 2);
    }

    #[test]
    fn a_newer_format_is_refused_with_both_versions() {
        let error = |document: serde_json::Value| {
            let file = PathBuf::from("certificate.json");
            let error = Certificate::parse(file, &document.to_string()).unwrap_err();
            error.to_string()
        };
        let mut newer = document(FORMAT + 1);
        newer["ladder"] = json!(true);
        assert!(
            error(newer).starts_with(
                "certificate.json: it has format 6, but this program supports 2 to 5; use a newer version"
            )
        );
        let mut unknown = document(FORMAT);
        unknown["ladder"] = json!(true);
        assert!(error(unknown).contains("unknown field `ladder`"));
    }

    #[test]
    fn scores_variants_and_the_skeleton_are_read_back() {
        let mut document = document(FORMAT);
        document["scores"] = json!({"nop": 0.0, "random": 0.125});
        document["variants"] = json!({"extra-reads": 12});
        let (calls, rules) = (Digest::of(b"calls"), Digest::of(b"rules"));
        document["skeleton"] = json!({ "calls": calls, "rules": rules });
        let certificate: Certificate = serde_json::from_value(document.clone()).unwrap();
        assert_eq!(certificate.scores["random"], 0.125);
        assert_eq!(certificate.variants["extra-reads"], 12);
        assert_eq!(certificate.skeleton, Some(Skeleton { calls, rules }));
        assert_eq!(serde_json::to_value(&certificate).unwrap(), document);
    }
}
