//! Removal of experiments from the journal.

use rusqlite::{Transaction, params};

use super::durable::write_durable;
use super::{Journal, JournalError, now_ms};

/// SQL statements that delete the rows of the experiment `?1` and of its attempts. Referring rows are deleted before
/// the rows that they refer to.
const ROWS: [&str; 8] = [
    "UPDATE attempts SET grade = NULL WHERE experiment = ?1",
    "DELETE FROM checks WHERE grade IN (SELECT id FROM grades WHERE attempt IN
        (SELECT id FROM attempts WHERE experiment = ?1))",
    "DELETE FROM grades WHERE attempt IN (SELECT id FROM attempts WHERE experiment = ?1)",
    "DELETE FROM messages WHERE attempt IN (SELECT id FROM attempts WHERE experiment = ?1)",
    "DELETE FROM tool_calls WHERE attempt IN (SELECT id FROM attempts WHERE experiment = ?1)",
    "DELETE FROM model_calls WHERE attempt IN (SELECT id FROM attempts WHERE experiment = ?1)",
    "DELETE FROM attempts WHERE experiment = ?1",
    "DELETE FROM experiments WHERE id = ?1",
];

/// SQL statement that deletes the tool sets, which several experiments may share, that no message refers to any more.
/// If the JSON of a message is damaged, it may refer to any of them: its digest is null, so that `NOT IN` is never true
/// and all tool sets are kept.
const TOOLS: &str = "DELETE FROM tool_sets WHERE digest NOT IN
    (SELECT iif(json_valid(content), coalesce(content ->> '$.tools', ''), NULL)
     FROM messages WHERE role = 'system')";

/// Regrades that graded attempts of the experiment `?1`. A regrade without grades may still be running, so it is kept.
const REGRADES: &str = "SELECT DISTINCT regrade FROM grades WHERE regrade IS NOT NULL
    AND attempt IN (SELECT id FROM attempts WHERE experiment = ?1)";

impl Journal {
    /// Removes experiments and their attempts, by the ids of the experiments, in one transaction. The objects that they
    /// need stay in the store until garbage collection. No process may be running the experiments.
    ///
    /// # Errors
    ///
    /// Returns an error if an experiment does not exist, or the rows cannot be written. Then nothing is removed.
    pub fn remove(&self, experiments: &[&str]) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            for experiment in experiments {
                remove(transaction, experiment)?;
            }
            transaction.execute(TOOLS, [])?;
            Ok(())
        })
    }

    /// Returns true if the journal has, or has had, an experiment.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn was_used(&self) -> Result<bool, JournalError> {
        let query = "SELECT EXISTS (SELECT 1 FROM experiments) OR EXISTS (SELECT 1 FROM removed)";
        Ok(self.lock().query_row(query, [], |row| row.get(0))?)
    }
}

fn remove(transaction: &Transaction<'_>, experiment: &str) -> Result<(), JournalError> {
    let noted = transaction.execute(
        "INSERT OR REPLACE INTO removed (id, name, removed_ms)
         SELECT id, name, ?2 FROM experiments WHERE id = ?1",
        params![experiment, now_ms()],
    )?;
    if noted == 0 {
        return Err(JournalError::Unknown {
            what: "experiment",
            name: experiment.to_owned(),
        });
    }
    let regrades: Vec<i64> = transaction
        .prepare(REGRADES)?
        .query_map([experiment], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for rows in ROWS {
        transaction.execute(rows, [experiment])?;
    }
    for regrade in regrades {
        transaction.execute(
            "DELETE FROM regrades WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM grades WHERE regrade = ?1)",
            [regrade],
        )?;
    }
    Ok(())
}
