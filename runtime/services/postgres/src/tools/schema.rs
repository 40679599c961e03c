//! Listings of schemas and objects, and details of objects.

use super::arguments::Arguments;
use super::database::{Database, literal};
use super::failure::Failure;
use super::python;
use super::rows::Printed;

type Row = Vec<Option<String>>;

/// Lists the schemas.
pub(super) async fn list_schemas(database: &mut Database) -> Result<String, Failure> {
    print(
        database,
        "select schema_name, schema_owner,
            case when schema_name like 'pg_%' then 'System Schema'
                 when schema_name = 'information_schema' then 'System Information Schema'
                 else 'User Schema' end as schema_type
         from information_schema.schemata
         order by schema_type, schema_name",
    )
    .await
}

/// Runs a query of this module and prints its rows as they are.
async fn print(database: &mut Database, sql: &str) -> Result<String, Failure> {
    let mut printed = Printed::new(database.limits().max_result_bytes);
    database.execute(sql, &mut printed).await?;
    Ok(printed.finish().map_or_else(String::new, |(text, _)| text))
}

/// Lists the objects of a kind in a schema.
pub(super) async fn list_objects(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let schema = arguments.text("schema_name");
    let kind = arguments.text("object_type");
    let sql = match kind {
        "table" | "view" => {
            let table_type = if kind == "table" {
                "BASE TABLE"
            } else {
                "VIEW"
            };
            format!(
                "select table_schema as schema, table_name as name, table_type as type
                 from information_schema.tables
                 where table_schema = {} and table_type = '{table_type}'
                 order by table_name",
                literal(schema)?
            )
        }
        "sequence" => format!(
            "select sequence_schema as schema, sequence_name as name, data_type
             from information_schema.sequences where sequence_schema = {}
             order by sequence_name",
            literal(schema)?
        ),
        "extension" => format!("{EXTENSIONS} order by extname"),
        other => return Err(unsupported(other)),
    };
    print(database, &sql).await
}

const EXTENSIONS: &str = "select extname as name, extversion as version,
    extrelocatable as relocatable from pg_extension";

fn unsupported(kind: &str) -> Failure {
    Failure::Error(format!("Unsupported object type: {kind}"))
}

/// Describes one object.
pub(super) async fn object_details(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let schema = arguments.text("schema_name");
    let name = arguments.text("object_name");
    match arguments.text("object_type") {
        kind @ ("table" | "view") => relation(database, schema, name, kind).await,
        "sequence" => {
            let sql = format!(
                "select sequence_schema as schema, sequence_name as name, data_type,
                        start_value, increment
                 from information_schema.sequences
                 where sequence_schema = {} and sequence_name = {}",
                literal(schema)?,
                literal(name)?
            );
            first(database, &sql).await
        }
        "extension" => {
            let sql = format!("{EXTENSIONS} where extname = {}", literal(name)?);
            first(database, &sql).await
        }
        other => Err(unsupported(other)),
    }
}

/// Prints the first row of a query, or an empty dictionary.
async fn first(database: &mut Database, sql: &str) -> Result<String, Failure> {
    let list = print(database, &format!("{sql} limit 1")).await?;
    let row = list.trim_start_matches('[').trim_end_matches(']');
    Ok(if row.is_empty() { "{}" } else { row }.to_owned())
}

async fn relation(
    database: &mut Database,
    schema: &str,
    name: &str,
    kind: &str,
) -> Result<String, Failure> {
    let (schema_literal, name_literal) = (literal(schema)?, literal(name)?);
    let columns = print(
        database,
        &format!(
            "select column_name as column, data_type, is_nullable, column_default as default
             from information_schema.columns
             where table_schema = {schema_literal} and table_name = {name_literal}
             order by ordinal_position"
        ),
    )
    .await?;
    // The order of the rows is that of the plan, which depends on the form of this query.
    let constraints = database
        .query(&format!(
            "SELECT tc.constraint_name, tc.constraint_type, kcu.column_name
             FROM information_schema.table_constraints AS tc
             LEFT JOIN information_schema.key_column_usage AS kcu
               ON tc.constraint_name = kcu.constraint_name
              AND tc.table_schema = kcu.table_schema
             WHERE tc.table_schema = {schema_literal} AND tc.table_name = {name_literal}"
        ))
        .await?;
    let constraints = grouped(constraints.rows());
    let indexes = print(
        database,
        &format!(
            "select indexname as name, indexdef as definition from pg_indexes
             where schemaname = {schema_literal} and tablename = {name_literal}"
        ),
    )
    .await?;
    let mut basic = String::new();
    for (key, value) in [("schema", schema), ("name", name), ("type", kind)] {
        if !basic.is_empty() {
            basic.push_str(", ");
        }
        python::string(key, &mut basic);
        basic.push_str(": ");
        python::string(value, &mut basic);
    }
    Ok(format!(
        "{{'basic': {{{basic}}}, 'columns': {columns}, 'constraints': {constraints}, 'indexes': {indexes}}}"
    ))
}

/// Prints constraints with their columns, in the order in which their names first occur.
fn grouped(rows: &[Row]) -> String {
    let mut places = std::collections::HashMap::new();
    let mut constraints: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for row in rows {
        let cell = |index: usize| row.get(index).and_then(Option::as_deref);
        let name = cell(0).unwrap_or_default();
        let place = *places.entry(name).or_insert_with(|| {
            constraints.push((name, cell(1).unwrap_or_default(), Vec::new()));
            constraints.len() - 1
        });
        if let Some(column) = cell(2).filter(|column| !column.is_empty()) {
            constraints[place].2.push(column);
        }
    }
    let mut text = "[".to_owned();
    for (index, (name, kind, columns)) in constraints.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str("{'name': ");
        python::string(name, &mut text);
        text.push_str(", 'type': ");
        python::string(kind, &mut text);
        text.push_str(", 'columns': [");
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            python::string(column, &mut text);
        }
        text.push_str("]}");
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_grouped_by_name() {
        let row = |cells: [&str; 3]| -> Row {
            let cell = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            cells.into_iter().map(cell).collect()
        };
        let rows = [
            row(["t_pkey", "PRIMARY KEY", "a"]),
            row(["t_check", "CHECK", ""]),
            row(["t_pkey", "PRIMARY KEY", "b"]),
        ];
        assert_eq!(
            grouped(&rows),
            "[{'name': 't_pkey', 'type': 'PRIMARY KEY', 'columns': ['a', 'b']}, {'name': 't_check', 'type': 'CHECK', 'columns': []}]"
        );
        assert_eq!(grouped(&[]), "[]");
    }
}
