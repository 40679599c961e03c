//! What experiments have cost so far.

use mcpmark_agent::{Cost, Spent};

use super::{Journal, JournalError};

/// What all tries of a participant with a model have cost so far, tries that were abandoned among them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpending {
    /// The agent's name.
    pub agent: String,
    /// The agent's settings, as JSON.
    pub agent_settings: String,
    /// `provider/name`.
    pub model: String,
    /// Its settings, as JSON.
    pub model_settings: String,
    /// What is known of it.
    pub known: Cost,
    /// Tries of which some of the cost is not known.
    pub unknown: usize,
}

impl Journal {
    /// What an experiment's attempts have used so far, tries that were abandoned among them. What
    /// is not known is not in it. Sums beyond 2⁵³ are near, and those beyond 2⁶³ are that.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn spent(&self, experiment: &str) -> Result<Spent, JournalError> {
        let spent = self.lock().query_row(
            "SELECT CAST(total(c.cost_nano_usd) AS INTEGER),
                    CAST(total(c.input_tokens) + total(c.output_tokens) AS INTEGER)
             FROM attempts a JOIN model_calls c ON c.attempt = a.id WHERE a.experiment = ?1",
            [experiment],
            |row| {
                let (nano, tokens): (i64, i64) = (row.get(0)?, row.get(1)?);
                Ok(Spent {
                    cost: Cost::from_nano_usd(nano.unsigned_abs()),
                    tokens: tokens.unsigned_abs(),
                })
            },
        )?;
        Ok(spent)
    }

    /// The same for each participant with a model of an experiment, in dollars alone.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn spending(&self, experiment: &str) -> Result<Vec<ModelSpending>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(
            "SELECT a.model, a.model_settings,
                    CAST(total((SELECT total(c.cost_nano_usd) FROM model_calls c
                                WHERE c.attempt = a.id)) AS INTEGER),
                    sum(a.cost_nano_usd IS NULL AND a.turns > 0),
                    a.agent, a.agent_settings
             FROM attempts a WHERE a.experiment = ?1 AND a.model IS NOT NULL
             GROUP BY a.model, a.model_settings, a.agent, a.agent_settings",
        )?;
        let rows = query.query_map([experiment], |row| {
            Ok(ModelSpending {
                agent: row.get(4)?,
                agent_settings: row.get(5)?,
                model: row.get(0)?,
                model_settings: row.get(1)?,
                known: Cost::from_nano_usd(row.get::<_, i64>(2)?.unsigned_abs()),
                unknown: row.get::<_, i64>(3)? as usize,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
