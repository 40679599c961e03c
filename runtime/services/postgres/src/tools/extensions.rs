//! Presence of extensions, and the texts about those that are missing.

use super::database::{Database, literal};
use super::failure::Failure;

/// Reports whether an extension is installed in the database.
pub(super) async fn is_installed(database: &mut Database, name: &str) -> Result<bool, Failure> {
    let sql = format!(
        "select 1 from pg_extension where extname = {}",
        literal(name)?
    );
    Ok(!database.query(&sql).await?.rows().is_empty())
}

async fn is_available(database: &mut Database, name: &str) -> Result<bool, Failure> {
    let name = literal(name)?;
    let sql = format!("select 1 from pg_available_extensions where name = {name}");
    Ok(!database.query(&sql).await?.rows().is_empty())
}

/// Returns the text about a missing `hypopg`, or `None` if it is installed.
pub(super) async fn missing_hypopg(database: &mut Database) -> Result<Option<String>, Failure> {
    if is_installed(database, "hypopg").await? {
        return Ok(None);
    }
    if is_available(database, "hypopg").await? {
        return Ok(Some(include_str!("texts/hypopg-available.md").to_owned()));
    }
    let major = match database.version().await? {
        0 => "XX".to_owned(),
        major => major.to_string(),
    };
    let text = include_str!("texts/hypopg-unavailable.md");
    Ok(Some(text.replace("{major}", &major)))
}
