//! Experiments that nobody wants any more.

use rusqlite::{Transaction, params};

use super::durable::surely;
use super::{Journal, JournalError, now_ms};

/// The rows that belong to an experiment `?1` alone, and to its attempts; what names a row goes before it.
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

/// The same for what several experiments may share: the tools that models saw, once none has them any more.
const TOOLS: &str = "DELETE FROM tool_sets WHERE digest NOT IN
    (SELECT content ->> '$.tools' FROM messages WHERE role = 'system' AND content ->> '$.tools' IS NOT NULL)";

/// Regrades, too. One that was only begun has no grades yet: it may be going on, and stays.
const REGRADES: &str = "SELECT DISTINCT regrade FROM grades WHERE regrade IS NOT NULL
    AND attempt IN (SELECT id FROM attempts WHERE experiment = ?1)";

impl Journal {
    /// Removes experiments, by their ids, with their attempts: all or none. What they need stays in the store,
    /// until that is collected. Nobody may run them.
    ///
    /// # Errors
    ///
    /// When one of them is not there, or the rows cannot be written: then nothing is removed.
    pub fn remove(&self, experiments: &[&str]) -> Result<(), JournalError> {
        surely(&mut self.lock(), |transaction| {
            for experiment in experiments {
                remove(transaction, experiment)?;
            }
            transaction.execute(TOOLS, [])?;
            Ok(())
        })
    }

    /// Whether it knows of an experiment, be it one that was removed.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
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
