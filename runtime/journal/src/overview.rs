//! Totals of an experiment for lists of experiments.

use mcpmark_model::Cost;

use super::{Journal, JournalError};

/// Resources that an experiment has used so far, including abandoned tries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ExperimentTotals {
    /// Sum of the known costs; none if the cost of every try is unknown.
    pub cost: Option<Cost>,
    /// True if the cost of a try is unknown.
    pub some_cost_unknown: bool,
    /// Wall time of the agents, in microseconds.
    pub agent_us: u64,
    /// Number of tries with the status `running`.
    pub running: u32,
    /// Number of attempts whose last try has the status `finished` and was not cancelled, plus attempts that were given
    /// up because their process died too often.
    pub finished: u32,
}

impl Journal {
    /// Returns the totals of an experiment, by its id. Sums above 2⁵³ are approximate.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn totals(&self, experiment: &str) -> Result<ExperimentTotals, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(
            "SELECT count(CASE WHEN model IS NOT NULL THEN cost_nano_usd END), CAST(total(cost_nano_usd) AS INTEGER),
                    coalesce(max(model IS NOT NULL AND cost_nano_usd IS NULL AND turns > 0), 0),
                    CAST(total(agent_us) AS INTEGER), coalesce(sum(status = 'running'), 0),
                    (SELECT coalesce(sum(status = 'finished' AND outcome <> 'cancelled'
                                         OR status = 'abandoned' AND outcome = 'infra-error'), 0)
                     FROM (SELECT max(try), status, outcome FROM attempts WHERE experiment = ?1 GROUP BY position))
             FROM attempts WHERE experiment = ?1",
        )?;
        let totals = query.query_row([experiment], |row| {
            let with_known_cost: i64 = row.get(0)?;
            let nano: i64 = row.get(1)?;
            Ok(ExperimentTotals {
                cost: (with_known_cost > 0).then(|| Cost::from_nano_usd(nano.unsigned_abs())),
                some_cost_unknown: row.get(2)?,
                agent_us: row.get::<_, i64>(3)?.unsigned_abs(),
                running: row.get(4)?,
                finished: row.get(5)?,
            })
        })?;
        Ok(totals)
    }
}
