//! Canonical form of the database of a site: definitions in SQL, and one file of sorted rows for each table.

use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, params_from_iter};
use serde_json::{Number, Value, json};

use super::sql::{Access, Database, SqlError, is_internal};

/// Table of the last values of `AUTOINCREMENT` columns, which SQLite creates itself.
const SEQUENCES: &str = "sqlite_sequence";

/// Canonical form of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseState {
    /// Statements that create the tables.
    pub tables: String,
    /// Statements that create indexes, views and triggers.
    pub objects: String,
    /// Rows of each table, with the name of the table. The first line has the names of the columns, and each further
    /// line the values of one row, as JSON arrays.
    pub rows: Vec<(String, String)>,
}

/// Errors of reading a state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Statement that fails or is not allowed.
    #[error("{file}: {source}")]
    Statement {
        /// File with the statement.
        file: &'static str,
        /// Cause.
        source: SqlError,
    },
    /// Rows that cannot be read or inserted.
    #[error("rows of {table}, line {line}: {problem}")]
    Row {
        /// Table.
        table: String,
        /// Number of the line, from 1.
        line: usize,
        /// Problem.
        problem: String,
    },
    /// Row that refers to a missing row of another table.
    #[error("a row of {table} refers to a missing row of {parent}")]
    ForeignKey {
        /// Table of the row.
        table: String,
        /// Table without the row.
        parent: String,
    },
    /// Table whose name cannot be the name of a file.
    #[error("table {0:?}: expected a name of letters, digits and underscores")]
    TableName(String),
    /// Error of the database.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

impl From<rusqlite::Error> for StateError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error.into())
    }
}

impl DatabaseState {
    /// Creates a database with this content.
    pub(crate) fn load(&self, max_bytes: u64) -> Result<Database, StateError> {
        let mut database = Database::new(max_bytes)?;
        database.connection().execute_batch("BEGIN")?;
        database.restrict(Access::Definitions)?;
        let define = |database: &Database, file, statements: &str| {
            let defined = database.connection().execute_batch(statements);
            defined.map_err(|source| StateError::Statement {
                file,
                source: source.into(),
            })
        };
        define(&database, "tables.sql", &self.tables)?;
        // Inserting rows changes the sequences, so they come last.
        let (last, first): (Vec<_>, Vec<_>) =
            self.rows.iter().partition(|(table, _)| table == SEQUENCES);
        for (table, text) in first.into_iter().chain(last) {
            insert(database.connection(), table, text)?;
        }
        define(&database, "objects.sql", &self.objects)?;
        database.release()?;
        database.connection().execute_batch("COMMIT")?;
        check_foreign_keys(database.connection())?;
        database
            .connection()
            .pragma_update(None, "foreign_keys", true)?;
        Ok(database)
    }

    /// Reads the content of a database.
    pub(crate) fn dump(database: &Database) -> Result<Self, StateError> {
        let connection = database.connection();
        let mut state = Self::default();
        let mut statement = connection.prepare(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL \
             ORDER BY type <> 'view', type, name",
        )?;
        let mut objects = statement.query([])?;
        let mut tables = Vec::new();
        while let Some(row) = objects.next()? {
            let (kind, name, sql): (String, String, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            if kind != "table" {
                state.objects.push_str(&format!("{sql};\n"));
                continue;
            }
            tables.push(name.clone());
            if !is_internal(&name) {
                state.tables.push_str(&format!("{sql};\n"));
            }
        }
        for table in tables {
            check_name(&table)?;
            let rows = rows(connection, &table)?;
            // Without values, the table is as SQLite creates it.
            if !(table == SEQUENCES && rows.lines().count() == 1) {
                state.rows.push((table, rows));
            }
        }
        Ok(state)
    }
}

fn check_name(table: &str) -> Result<(), StateError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !table.is_empty() && table.bytes().all(is_plain) {
        return Ok(());
    }
    Err(StateError::TableName(table.to_owned()))
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the names of the columns of a table whose values are stored as given.
fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, StateError> {
    let sql = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// Returns the rows of a table in the order of all their values.
fn rows(connection: &Connection, table: &str) -> Result<String, StateError> {
    let columns = columns(connection, table)?;
    let mut text = json!(columns).to_string() + "\n";
    let quoted: Vec<String> = columns.iter().map(|name| quote(name)).collect();
    // The type decides between values that are equal, such as 1 and 1.0.
    let order: Vec<String> = quoted
        .iter()
        .map(|name| format!("{name} COLLATE BINARY, typeof({name})"))
        .collect();
    let sql = format!(
        "SELECT {} FROM {} ORDER BY {}",
        quoted.join(", "),
        quote(table),
        order.join(", ")
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = (0..columns.len()).map(|index| Ok(to_json(row.get_ref(index)?)));
        let cells: Vec<Value> = cells.collect::<Result<_, rusqlite::Error>>()?;
        text.push_str(&Value::Array(cells).to_string());
        text.push('\n');
    }
    Ok(text)
}

/// Returns a value as JSON. Values that JSON cannot represent are objects: bytes, infinite numbers, and text that is not UTF-8.
fn to_json(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => match Number::from_f64(number) {
            Some(number) => Value::Number(number),
            None => json!({ "real": number.to_string() }),
        },
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => json!(text),
            Err(_) => json!({ "text": hex::encode(text) }),
        },
        ValueRef::Blob(bytes) => json!({ "blob": hex::encode(bytes) }),
    }
}

fn from_json(value: &Value) -> Option<Cell> {
    Some(match value {
        Value::Null => Cell::Null,
        Value::Number(number) => match number.as_i64() {
            Some(number) => Cell::Integer(number),
            None => Cell::Real(number.as_f64()?),
        },
        Value::String(text) => Cell::Text(text.clone()),
        Value::Object(object) => {
            let (kind, content) = object.iter().next().filter(|_| object.len() == 1)?;
            let content = content.as_str()?;
            match kind.as_str() {
                "real" => Cell::Real(content.parse().ok()?),
                "blob" => Cell::Blob(hex::decode(content).ok()?),
                _ => return None,
            }
        }
        Value::Bool(_) | Value::Array(_) => return None,
    })
}

fn insert(connection: &Connection, table: &str, text: &str) -> Result<(), StateError> {
    check_name(table)?;
    let error = |line: usize, problem: String| StateError::Row {
        table: table.to_owned(),
        line,
        problem,
    };
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let columns: Vec<String> = serde_json::from_str(header).map_err(|_| {
        error(
            1,
            "expected a JSON array of the names of columns".to_owned(),
        )
    })?;
    let quoted: Vec<String> = columns.iter().map(|name| quote(name)).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({marks})",
        quote(table),
        quoted.join(", ")
    );
    if table == SEQUENCES {
        // Inserting rows has set values already.
        connection.execute("DELETE FROM sqlite_sequence", [])?;
    }
    let mut statement = connection
        .prepare(&sql)
        .map_err(|source| error(1, source.to_string()))?;
    for (index, line) in lines {
        let line_number = index + 1;
        let values: Vec<Value> = serde_json::from_str(line)
            .map_err(|source| error(line_number, format!("expected a JSON array: {source}")))?;
        let cells: Option<Vec<Cell>> = values.iter().map(from_json).collect();
        let cells = cells.filter(|cells| cells.len() == columns.len());
        let Some(cells) = cells else {
            let expected = columns.len();
            let problem = format!(
                "expected {expected} values: null, numbers, strings, {{\"blob\":…}} or {{\"real\":…}}"
            );
            return Err(error(line_number, problem));
        };
        statement
            .execute(params_from_iter(cells))
            .map_err(|source| error(line_number, source.to_string()))?;
    }
    Ok(())
}

fn check_foreign_keys(connection: &Connection) -> Result<(), StateError> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    match rows.next()? {
        Some(row) => Err(StateError::ForeignKey {
            table: row.get(0)?,
            parent: row.get(2)?,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BYTES: u64 = 16 << 20;

    fn state(tables: &str, rows: &[(&str, &str)]) -> DatabaseState {
        DatabaseState {
            tables: tables.to_owned(),
            objects: String::new(),
            rows: rows
                .iter()
                .map(|(table, text)| ((*table).to_owned(), (*text).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn content_is_canonical_whatever_its_order() {
        let tables =
            "CREATE TABLE t (a, b);\nCREATE TABLE u (n INTEGER PRIMARY KEY AUTOINCREMENT);\n";
        let given = state(
            tables,
            &[
                (
                    "t",
                    "[\"b\",\"a\"]\n[1,\"x\"]\n[2,null]\n[{\"blob\":\"00ff\"},1.5]\n[3,1]\n[3,1.0]\n",
                ),
                ("u", "[\"n\"]\n[7]\n"),
            ],
        );
        let dumped = DatabaseState::dump(&given.load(BYTES).unwrap()).unwrap();
        assert_eq!(
            dumped.rows,
            [
                ("sqlite_sequence".to_owned(), "[\"name\",\"seq\"]\n[\"u\",7]\n".to_owned()),
                (
                    "t".to_owned(),
                    "[\"a\",\"b\"]\n[null,2]\n[1,3]\n[1.0,3]\n[1.5,{\"blob\":\"00ff\"}]\n[\"x\",1]\n".to_owned()
                ),
                ("u".to_owned(), "[\"n\"]\n[7]\n".to_owned()),
            ]
        );
        let again = DatabaseState::dump(&dumped.load(BYTES).unwrap()).unwrap();
        assert_eq!(again, dumped);
    }

    #[test]
    fn objects_are_created_after_the_rows() {
        let mut given = state("CREATE TABLE t (a);\n", &[("t", "[\"a\"]\n[1]\n")]);
        given.objects = "CREATE INDEX i ON t (a);\n\
                         CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END;\n"
            .to_owned();
        let dumped = DatabaseState::dump(&given.load(BYTES).unwrap()).unwrap();
        assert_eq!(dumped, given);
    }

    #[test]
    fn problems_are_named() {
        let problem = |state: DatabaseState| state.load(BYTES).unwrap_err().to_string();
        let rows = |text| state("CREATE TABLE t (a NOT NULL);", &[("t", text)]);
        assert_eq!(
            problem(rows("[\"a\"]\n[1]\n[null]\n")),
            "rows of t, line 3: NOT NULL constraint failed: t.a"
        );
        assert!(problem(rows("[\"a\"]\n[true]\n")).contains("line 2: expected 1 values"));
        assert!(problem(rows("a\n")).contains("line 1: expected a JSON array"));
        assert!(problem(rows("[\"z\"]\n")).contains("no column named z"));
        let attached = state("ATTACH '/tmp/x' AS x;", &[]);
        assert!(problem(attached).starts_with("tables.sql: sql: "));
        let missing =
            "CREATE TABLE p (n INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p (n));";
        assert_eq!(
            problem(state(missing, &[("c", "[\"p\"]\n[1]\n")])),
            "a row of c refers to a missing row of p"
        );
        let name = state("CREATE TABLE \"a/b\" (x);", &[]).load(BYTES).unwrap();
        let error = DatabaseState::dump(&name).unwrap_err();
        assert!(error.to_string().contains("\"a/b\""));
    }

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![
            Just(Cell::Null),
            any::<i64>().prop_map(Cell::Integer),
            any::<f64>()
                .prop_filter("SQLite stores NaN as NULL", |number| !number.is_nan())
                .prop_map(Cell::Real),
            any::<String>().prop_map(Cell::Text),
            any::<Vec<u8>>().prop_map(Cell::Blob),
        ]
    }

    proptest! {
        #[test]
        fn every_value_survives(cells in proptest::collection::vec(cell(), 0..20)) {
            let empty = state("CREATE TABLE t (a);", &[]).load(BYTES).unwrap();
            for cell in &cells {
                empty.connection().execute("INSERT INTO t VALUES (?1)", [cell]).unwrap();
            }
            let dumped = DatabaseState::dump(&empty).unwrap();
            let again = DatabaseState::dump(&dumped.load(BYTES).unwrap()).unwrap();
            prop_assert_eq!(again, dumped);
        }
    }
}
