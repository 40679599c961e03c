//! Definitions of views, with the text of their queries as all major versions write it.

use tokio_postgres::Client;

use super::{Definitions, add};
use crate::state::error::DumpError;
use crate::state::sql;

const UNDO: &str = "ROLLBACK TO view; RELEASE view";
const VIEWS: &str = include_str!("../queries/views.sql");

/// Adds the definitions of all views and materialised views.
pub(super) async fn collect(
    client: &Client,
    definitions: &mut Definitions,
) -> Result<(), DumpError> {
    let rows = client
        .query(VIEWS, &[])
        .await
        .map_err(DumpError::server("read the definitions of views"))?;
    for row in rows {
        let (schema, kind, name): (String, String, String) = (row.get(1), row.get(2), row.get(3));
        let (head, query): (String, String) = (row.get(4), row.get(5));
        let materialised: bool = row.get(6);
        let further: Vec<String> = row.get(7);
        let query = reparsed(client, &query).await?.unwrap_or(query);
        let end = if materialised { "\nWITH NO DATA;" } else { ";" };
        let query = query.trim_end().trim_end_matches(';');
        let parts = ["schemas".to_owned(), schema, kind, name];
        add(definitions, &parts, Some(format!("{head}{query}{end}")))?;
        for statement in further {
            add(definitions, &parts, Some(statement))?;
        }
    }
    Ok(())
}

/// Returns the text of a query after it was parsed and written as the body of a function.
///
/// Version 16 stopped to qualify the columns of a view with only one relation. In the body of a function, all versions
/// qualify them. Returns `None` if the server does not parse the query in this place.
async fn reparsed(client: &Client, query: &str) -> Result<Option<String>, DumpError> {
    let doing = || DumpError::server("read the definition of a view");
    let create = format!(
        "CREATE FUNCTION pg_temp.view() RETURNS SETOF record LANGUAGE sql BEGIN ATOMIC\n{query}\nEND"
    );
    // In a message of its own: the server executes nothing of a message with a syntax error.
    client
        .batch_execute("SAVEPOINT view")
        .await
        .map_err(doing())?;
    if let Err(error) = client.batch_execute(&create).await {
        if error.as_db_error().is_none() {
            return Err(doing()(error));
        }
        let undo = client.batch_execute(UNDO).await;
        return undo.map(|()| None).map_err(doing());
    }
    let row = client
        .query_one(
            "SELECT pg_catalog.pg_get_function_sqlbody('pg_temp.view'::pg_catalog.regproc)",
            &[],
        )
        .await
        .map_err(doing())?;
    client.batch_execute(UNDO).await.map_err(doing())?;
    let body: String = row.get(0);
    let body = body
        .strip_prefix("BEGIN ATOMIC\n")
        .and_then(|body| body.trim_end().strip_suffix("END"));
    // The body is indented by one space more than the query of a view.
    Ok(body.map(|body| sql::outdent(body.trim_end())))
}
