use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

use mcpmark_snapshot::{
    CaptureError, CaptureOptions, Digest, Store, TreeBuilder, TreePath, capture,
};
use mcpmark_task::Task;
use serde::{Deserialize, Serialize};

use crate::{Identity, Report};

/// The file of a certificate, in the directory of its task.
pub const FILE_NAME: &str = "certificate.json";

/// The version of the form below.
const FORMAT: u32 = 3;

/// The oldest version that is read: it has no `held_at_start`.
const OLDEST: u32 = 2;

/// That a task was examined and found good, bound to what was examined.
///
/// It holds for the sources, the code and the world of these digests and for nothing else. The digest of the
/// built verifier depends on the compiler as well, and is there to compare with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Version of this form: 3, or 2 without `held_at_start`.
    pub format: u32,
    /// The task.
    pub task: String,
    /// The task's directory without the certificate, as a tree.
    pub sources: Digest,
    /// What its guests are compiled of beyond that: sources beside the task, those of the SDK, and
    /// the versions of what registries gave.
    pub code: Digest,
    /// The starting state.
    pub world: Digest,
    /// The verifier as it was built when this was written.
    pub verifier: Digest,
    /// What was found to hold.
    pub checks: Vec<String>,
    /// Worlds that were almost solved, and how many of them the verifier rejected.
    pub mutants: (usize, usize),
    /// Worlds of declared freedoms; the verifier accepted all of them.
    pub free: usize,
    /// For each mutation: how many mutants, and how many rejected.
    pub mutations: BTreeMap<String, (usize, usize)>,
    /// The checks of the verifier that hold before anything is done, which earn no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at_start: Option<Vec<String>>,
}

/// A certificate cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file system refused.
    #[error("{}: {source}", file.display())]
    Io {
        /// The certificate.
        file: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The file is no certificate.
    #[error("{}: {source}; make a new one with `mcpmark task check --write`", file.display())]
    Form {
        /// The certificate.
        file: PathBuf,
        /// The problem.
        source: serde_json::Error,
    },
}

impl Certificate {
    /// What a report that passed is worth; none for one that did not.
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
        })
    }

    /// The certificate beside a task, if there is one.
    ///
    /// # Errors
    ///
    /// When there is something else in its place.
    pub fn read(task: &Task) -> Result<Option<Self>, CertificateError> {
        let file = task.dir.join(FILE_NAME);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CertificateError::Io { file, source }),
        };
        match serde_json::from_str(&text) {
            Ok(certificate) => Ok(Some(certificate)),
            Err(source) => Err(CertificateError::Form { file, source }),
        }
    }

    /// Puts the certificate beside its task.
    ///
    /// # Errors
    ///
    /// When the file system refuses.
    pub fn write(&self, task: &Task) -> Result<(), CertificateError> {
        let file = task.dir.join(FILE_NAME);
        // Serialising plain data cannot fail.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        let new = task.dir.join(format!(".{FILE_NAME}.new"));
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &file))
            .map_err(|source| CertificateError::Io { file, source })
    }

    /// Why the certificate does not hold for a task as it is; none if it does.
    pub fn differs(&self, task: &Identity) -> Option<String> {
        if let Some(foreign) = self.is_foreign(task) {
            return Some(foreign);
        }
        let what = if self.sources != task.sources {
            "sources"
        } else if self.code != task.code {
            "code beside the task or in the SDK"
        } else if self.world != task.world {
            "world"
        } else {
            return None;
        };
        Some(format!("the {what} changed since it was written"))
    }

    /// The same for a task without its sources, as bundles have them: the verifier is to be the one
    /// that was built when this was written.
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

    fn is_foreign(&self, task: &Identity) -> Option<String> {
        if !(OLDEST..=FORMAT).contains(&self.format) {
            return Some(format!(
                "it has format {}, and this program reads {OLDEST} to {FORMAT}",
                self.format
            ));
        }
        (self.task != task.task).then(|| format!("it is for {}", self.task))
    }
}

/// The digest of a task's directory without its certificate.
///
/// # Errors
///
/// When the directory cannot be captured.
pub fn sources_digest(task: &Task, store: &Store) -> Result<Digest, CaptureError> {
    let tree = capture(&task.dir, store, &CaptureOptions::default())?;
    let mut builder = TreeBuilder::from(tree);
    if let Ok(path) = TreePath::parse(FILE_NAME) {
        builder.remove(&path);
    }
    Ok(builder.finish().digest())
}
