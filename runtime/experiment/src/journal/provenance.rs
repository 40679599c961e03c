//! What the attempts of an experiment were made and graded with.

use std::collections::{BTreeMap, BTreeSet};

use super::read::LAST_TRY;
use super::{Journal, JournalError};

/// What the graded attempts of an experiment, the last try of each, were made and graded with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The profiles of the engines that ran verifiers.
    pub engines: BTreeSet<String>,
    /// The digests of each task: those that were attempted, and those whose verifiers graded.
    pub tasks: BTreeMap<String, BTreeSet<String>>,
}

impl Journal {
    /// Reads what the attempts of an experiment were made and graded with, by its name.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
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
            let task: String = row.get(0)?;
            let digests = provenance.tasks.entry(task).or_default();
            for column in [1, 2] {
                digests.extend(row.get::<_, Option<String>>(column)?);
            }
            provenance.engines.extend(row.get::<_, Option<String>>(3)?);
        }
        provenance.tasks.retain(|_, digests| !digests.is_empty());
        Ok(provenance)
    }
}
