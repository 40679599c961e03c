//! Replacement of the parameters of a query, such as `$1`, for plans.
//!
//! Statistics of queries have parameters in place of their constants. PostgreSQL 16 plans such queries itself. For
//! earlier versions, and for patterns, sample values are put in their places.

use super::database::Database;
use super::failure::Failure;

/// First version of PostgreSQL with generic plans.
const GENERIC_PLANS: u32 = 16;

/// Returns a query without parameters, or the query itself and true if the server can plan it with parameters.
pub(super) async fn replaced(
    database: &mut Database,
    sql: &str,
) -> Result<(String, bool), Failure> {
    if !has_parameter(sql) {
        return Ok((sql.to_owned(), false));
    }
    let has_pattern = words(sql).any(|word| word.eq_ignore_ascii_case("like"));
    if database.version().await? >= GENERIC_PLANS && !has_pattern {
        return Ok((sql.to_owned(), true));
    }
    Ok((with_samples(sql), false))
}

fn has_parameter(sql: &str) -> bool {
    let bytes = sql.as_bytes();
    bytes
        .windows(2)
        .any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit())
}

fn words(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// Replaces each parameter by a sample that fits the words before it.
fn with_samples(sql: &str) -> String {
    let mut replaced = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        replaced.push_str(before);
        let end = after[1..]
            .find(|character: char| !character.is_ascii_digit())
            .map_or(after.len(), |digits| digits + 1);
        if end == 1 {
            replaced.push('$');
        } else {
            let sample = sample(&replaced);
            replaced.push_str(sample);
        }
        rest = &after[end..];
    }
    replaced.push_str(rest);
    replaced
}

/// Returns a value for a parameter after a text.
fn sample(before: &str) -> &'static str {
    let before = before.trim_end().to_lowercase();
    let last_word = |text: &str| words(text).last().unwrap_or_default().to_owned();
    if !before.ends_with(['=', '<', '>', '(', ',']) {
        match last_word(&before).as_str() {
            "limit" => return "100",
            "offset" => return "0",
            "interval" => return "'2 days'",
            "like" | "ilike" => return "'%'",
            _ => {}
        }
    }
    let column = last_word(&before);
    let has = |parts: &[&str]| parts.iter().any(|part| column.contains(part));
    if column.ends_with("id") {
        "46"
    } else if has(&["date", "time", "created", "updated"]) {
        "'2023-01-01'"
    } else if has(&["amount", "price", "cost", "count", "num", "qty"]) {
        "46.5"
    } else if has(&["status", "type", "state"]) {
        "'active'"
    } else {
        "'sample_value'"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_fit_their_places() {
        assert_eq!(
            with_samples("select * from t where user_id = $1 and price > $2 limit $3 offset $4"),
            "select * from t where user_id = 46 and price > 46.5 limit 100 offset 0"
        );
        assert_eq!(
            with_samples("select $1, '$' like $2"),
            "select 'sample_value', '$' like '%'"
        );
        assert!(has_parameter("x=$12") && !has_parameter("cost $"));
    }
}
