//! Limits of the interface, and the cost of its calls.

use std::time::Duration;

use super::{Error, Rows, Value};

/// Maximum size of one answer, in bytes.
pub const MAX_ANSWER_BYTES: u64 = 16 << 20;
/// Maximum number of sessions that are open at once in a copy.
pub const MAX_SESSIONS: usize = 8;
/// Time of all statements of one grade together. It is less than the default time of a verifier, so that endless
/// statements are the fault of a state, and not a timeout that voids the grade.
pub const STATEMENT_TIME: Duration = Duration::from_secs(20);
/// Time of one statement in a copy. A statement that exceeds it has an error with the SQLSTATE `57014`.
pub const SCRATCH_STATEMENT_TIME: Duration = Duration::from_secs(5);

/// Fuel for a statement: the exchange with a server takes about a tenth of a millisecond even if it does nothing.
pub(super) const STATEMENT_FUEL: u64 = 200_000;
/// Fuel for a session, which takes some milliseconds.
pub(super) const SESSION_FUEL: u64 = 5_000_000;
/// Charged bytes of a value or a name, in addition to its text.
const VALUE_COST: u64 = 16;

fn length(text: &str) -> u64 {
    text.len() as u64
}

fn value_cost(value: Option<&String>) -> u64 {
    VALUE_COST + value.map_or(0, |text| length(text))
}

/// Returns the charged bytes of a statement with its parameters.
pub(super) fn request_cost(text: &str, parameters: &[Value]) -> u64 {
    let parameters = parameters.iter().map(|value| value_cost(value.as_ref()));
    length(text) + parameters.sum::<u64>()
}

/// Returns the charged bytes of a result.
pub(super) fn answer_cost(answer: &Result<Rows, Error>) -> u64 {
    match answer {
        Ok(rows) => {
            let columns = rows.columns.iter();
            let columns =
                columns.map(|it| 2 * VALUE_COST + length(&it.name) + length(&it.type_name));
            let values = rows.rows.iter().flatten();
            let values = values.map(|value| value_cost(value.as_ref()));
            columns.sum::<u64>() + values.sum::<u64>() + VALUE_COST * rows.rows.len() as u64
        }
        Err(error) => {
            let parts = [
                &error.detail,
                &error.hint,
                &error.schema,
                &error.table,
                &error.column,
                &error.constraint,
            ];
            let parts = parts.into_iter().map(|part| value_cost(part.as_ref()));
            length(&error.code) + length(&error.message) + parts.sum::<u64>()
        }
    }
}
