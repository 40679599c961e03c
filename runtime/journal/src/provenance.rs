//! Provenance of an experiment's attempts: engines and task digests that produced and graded them.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_task::TaskDigest;

use super::columns::Columns;
use super::read::LAST_TRY;
use super::{Journal, JournalError};

/// Provenance of the graded attempts of an experiment, by the last try and the last grade of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Profiles of the engines that ran verifiers.
    pub engines: BTreeSet<String>,
    /// Digests of each task: the attempted version and the version whose verifier graded.
    pub tasks: BTreeMap<String, BTreeSet<TaskDigest>>,
}

impl Journal {
    /// Returns the provenance of an experiment, by its name.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn provenance(&self, experiment: &str) -> Result<Provenance, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&format!(
            "SELECT DISTINCT a.task, a.bundle, g.bundle, g.engine
             FROM experiments e JOIN attempts a ON a.experiment = e.id
             JOIN grades g ON g.id = a.grade WHERE e.name = ?1 AND {LAST_TRY}"
        ))?;
        let mut rows = query.query([experiment])?;
        let mut provenance = Provenance::default();
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let task: String = columns.next()?;
            let attempted =
                columns.optional_digest(|| format!("an attempt at the task {task}"), "bundle")?;
            let graded =
                columns.optional_digest(|| format!("a grade of the task {task}"), "bundle")?;
            provenance.engines.extend(columns.next::<Option<String>>()?);
            let digests = provenance.tasks.entry(task).or_default();
            digests.extend(attempted.into_iter().chain(graded));
        }
        provenance.tasks.retain(|_, digests| !digests.is_empty());
        Ok(provenance)
    }
}
