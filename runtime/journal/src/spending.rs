//! Token usage and cost of experiments so far.

use mcpmark_agent::Spent;
use mcpmark_model::Cost;

use super::{Journal, JournalError};

/// Cost of all tries of a participant with a model so far, including abandoned tries.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpending {
    /// Name of the agent.
    pub agent: String,
    /// Settings of the agent, as JSON.
    pub agent_settings: String,
    /// Name of the model: `provider/name`.
    pub model: String,
    /// Settings of the model, as JSON.
    pub model_settings: String,
    /// Sum of the known costs.
    pub known: Cost,
    /// Number of tries whose cost is partly or completely unknown.
    pub unknown: usize,
}

impl Journal {
    /// Returns the cost and tokens of all attempts of an experiment so far, including abandoned tries. Unknown values
    /// are left out. Sums above 2⁵³ are approximate, and sums above 2⁶³ − 1 are returned as 2⁶³ − 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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

    /// Returns the cost of each participant of an experiment that uses a model.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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
