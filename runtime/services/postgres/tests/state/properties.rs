//! States of random databases.

use mcpmark_postgres::state::Files;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{Database, Server, assert_same, runtime};

/// Names that need care in SQL, in CSV or in paths.
const NAMES: [&str; 14] = [
    "plain",
    "select",
    "Odd Name",
    "a\"b",
    "é",
    "x/y",
    ".",
    "..",
    "100%",
    "json",
    "a,b",
    "line\nbreak",
    "$1",
    "'",
];

/// Types of columns, with literals of each.
const TYPES: [(&str, &[&str]); 22] = [
    ("integer", &["0", "-1", "2147483647"]),
    // A cast binds more tightly than the sign.
    ("bigint", &["9223372036854775807", "'-9223372036854775808'"]),
    ("numeric", &["1.0", "1.00", "1", "'NaN'", "-0.5", "1e20"]),
    ("numeric(8,3)", &["1.5", "-99999.999"]),
    ("real", &["0.1", "'-0'", "'NaN'", "'Infinity'", "1e-30"]),
    (
        "double precision",
        &["0.1", "1e300", "'-Infinity'", "123456789.123456789"],
    ),
    (
        "text",
        &[
            "''",
            "'NULL'",
            "'\\N'",
            "'\\.'",
            "E'a\\r\\nb'",
            "'\"'",
            "','",
            "' x '",
            "'é'",
            "E'\\t'",
        ],
    ),
    ("varchar(7)", &["'abc'", "''"]),
    ("char(4)", &["'ab'", "''"]),
    ("boolean", &["true", "false"]),
    ("date", &["'2024-02-29'", "'-infinity'", "'0044-03-15 BC'"]),
    ("timestamp", &["'2024-01-01 00:00:00.000001'", "'infinity'"]),
    (
        "timestamptz",
        &["'2024-07-01 12:00:00+05:30'", "'1900-01-01 00:00:00+00'"],
    ),
    ("time", &["'23:59:59.999'", "'24:00:00'"]),
    ("interval", &["'1 year -2 days 03:00'", "'0'", "'-1 mon'"]),
    ("uuid", &["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"]),
    (
        "jsonb",
        &[
            "'null'",
            "'{\"b\": [1, 2.50], \"a\": \"\\u0001\"}'",
            "'\"\"'",
        ],
    ),
    ("json", &["'{\"a\":1,  \"a\":2}'", "'[]'"]),
    ("bytea", &["'\\x'", "'\\x00ff5c'"]),
    (
        "text[]",
        &[
            "'{}'",
            "ARRAY['a,b', NULL, '', 'NULL', E'\\\\']",
            "ARRAY[ARRAY['x'], ARRAY['y']]",
        ],
    ),
    ("int4range", &["'[1,5)'", "'empty'", "'(,)'"]),
    ("inet", &["'10.1.2.3/8'", "'::1'"]),
];

#[derive(Debug, Clone)]
struct Column {
    kind: usize,
    not_null: bool,
    default: bool,
    generated: bool,
}

#[derive(Debug, Clone)]
struct Table {
    columns: Vec<Column>,
    /// Literals by column; a number beyond the literals of the type is NULL.
    rows: Vec<Vec<usize>>,
    primary_key: bool,
    unlogged: bool,
    /// What else the table has.
    extras: Vec<usize>,
}

#[derive(Debug, Clone)]
struct Model {
    /// Index of the first name, so that cases use different ones.
    first_name: usize,
    tables: Vec<Table>,
}

fn model() -> impl Strategy<Value = Model> {
    let column = (
        0..TYPES.len(),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(kind, not_null, default, generated)| Column {
            kind,
            not_null,
            default,
            generated,
        });
    let table = (
        prop::collection::vec(column, 0..5),
        prop::collection::vec(prop::collection::vec(0_usize..12, 5), 0..7),
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::collection::vec(0..EXTRAS.len(), 0..7),
    )
        .prop_map(|(columns, rows, primary_key, unlogged, extras)| Table {
            columns,
            rows,
            primary_key,
            unlogged,
            extras,
        });
    (0..NAMES.len(), prop::collection::vec(table, 1..4))
        .prop_map(|(first_name, tables)| Model { first_name, tables })
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(kind: usize, value: usize) -> String {
    let (name, literals) = TYPES[kind];
    match literals.get(value % (literals.len() + 1)) {
        Some(literal) => format!("{literal}::{name}"),
        None => "NULL".to_owned(),
    }
}

/// Statements about a table `{t}` in the schema `{s}`, with names that are made of `{n}`.
const EXTRAS: [&str; 22] = [
    "CREATE INDEX ON {t} (key DESC)",
    "CREATE INDEX \"{n} index\" ON {t} ((key + 1)) WHERE key > 0",
    "ALTER TABLE {t} ADD CHECK (key >= 0) NOT VALID",
    "ALTER TABLE {t} ADD CONSTRAINT \"{n} check\" CHECK (key < 1000000)",
    "ALTER TABLE {t} ADD UNIQUE (key) DEFERRABLE",
    "CREATE VIEW {s}.\"{n} view\" AS SELECT * FROM {t}",
    "CREATE VIEW {s}.\"a {n} view\" AS SELECT key, row_number() OVER (ORDER BY key) AS \"select\" FROM {t} x WHERE key = ANY (ARRAY[1, 2])",
    "CREATE MATERIALIZED VIEW {s}.\"{n} totals\" AS SELECT count(*) AS total, max(key) AS \"a,b\" FROM {t}",
    "CREATE FUNCTION {s}.\"{n} function\"({t}) RETURNS integer LANGUAGE sql STABLE AS 'SELECT $1.key'",
    "CREATE FUNCTION {s}.\"{n} body\"(n integer) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM {t} WHERE key > n; END",
    "ALTER TABLE {t} ENABLE ROW LEVEL SECURITY; CREATE POLICY \"{n} policy\" ON {t} TO random_staff USING (key > 1)",
    "GRANT SELECT, UPDATE ON {t} TO random_staff WITH GRANT OPTION; GRANT INSERT (key) ON {t} TO random_guest",
    "SET ROLE random_staff; RESET ROLE; ALTER TABLE {t} OWNER TO random_staff",
    "COMMENT ON TABLE {t} IS E'\\\\ ''{n}''\\n;'; COMMENT ON COLUMN {t}.key IS 'key'",
    "CREATE FUNCTION {s}.\"{n} trigger\"() RETURNS trigger LANGUAGE plpgsql AS $x$ BEGIN RETURN NEW; -- ;\nEND $x$; CREATE TRIGGER \"{n}\" BEFORE INSERT ON {t} FOR EACH ROW EXECUTE FUNCTION {s}.\"{n} trigger\"('a', ''); ALTER TABLE {t} DISABLE TRIGGER \"{n}\"",
    "CREATE RULE \"{n} rule\" AS ON INSERT TO {t} DO ALSO NOTHING",
    "CREATE TABLE {s}.\"{n} child\" (more text DEFAULT 'x') INHERITS ({t})",
    "CREATE TYPE {s}.\"{n} enum\" AS ENUM ('b', '', 'a'); ALTER TABLE {t} ADD COLUMN mood {s}.\"{n} enum\" DEFAULT ''",
    "CREATE DOMAIN {s}.\"{n} domain\" AS integer DEFAULT 4 CHECK (VALUE > 2); ALTER TABLE {t} ADD COLUMN size {s}.\"{n} domain\"",
    "CREATE SEQUENCE {s}.\"{n} sequence\" START 7; ALTER TABLE {t} ALTER COLUMN key SET DEFAULT nextval('{s}.\"{n} sequence\"')",
    "CREATE STATISTICS {s}.\"{n} statistics\" (mcv) ON key, (key * 2) FROM {t}",
    "ALTER TABLE {t} ADD COLUMN id integer GENERATED BY DEFAULT AS IDENTITY (START 5 INCREMENT 3); ALTER TABLE {t} SET (fillfactor = 50)",
];

/// Builds the database of a model. Every statement is correct, so a failure is an error of the test.
async fn build(database: &Database, model: &Model) {
    for (at, table) in model.tables.iter().enumerate() {
        let name = NAMES[(model.first_name + at) % NAMES.len()];
        let schema = quoted(NAMES[(model.first_name + 2 * at + 1) % NAMES.len()]);
        database
            .run(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"))
            .await;
        let target = format!("{schema}.{}", quoted(name));
        let mut columns = vec!["key integer NOT NULL DEFAULT 3".to_owned()];
        for (number, column) in table.columns.iter().enumerate() {
            let mut text = format!("{} {}", quoted(&column_name(number)), TYPES[column.kind].0);
            if column.generated {
                text.push_str(&format!(
                    " GENERATED ALWAYS AS ({}) STORED",
                    literal(column.kind, 0)
                ));
            } else if column.default {
                text.push_str(&format!(" DEFAULT {}", literal(column.kind, 0)));
            }
            if column.not_null {
                text.push_str(" NOT NULL");
            }
            columns.push(text);
        }
        let unlogged = if table.unlogged { "UNLOGGED " } else { "" };
        database
            .run(&format!(
                "CREATE {unlogged}TABLE {target} ({})",
                columns.join(", ")
            ))
            .await;
        insert(database, table, &target).await;
        if table.primary_key {
            database
                .run(&format!("ALTER TABLE {target} ADD PRIMARY KEY (key)"))
                .await;
        }
        let mut extras = table.extras.clone();
        extras.sort_unstable();
        extras.dedup();
        // A view or a function of all columns must follow the statements that add columns.
        extras.sort_by_key(|extra| !EXTRAS[*extra].contains("ADD COLUMN"));
        for extra in extras {
            let statement = EXTRAS[extra]
                .replace("{t}", &target)
                .replace("{s}", &schema)
                .replace("'{s}", &format!("'{schema}"))
                .replace("{n}", &format!("n{at}"));
            // The name of the schema occurs in a string as well.
            let statement = if schema.contains('\'') && statement.contains("nextval('") {
                continue;
            } else {
                statement
            };
            database.run(&statement).await;
        }
    }
    if let [first, second, ..] = model.tables.as_slice()
        && first.primary_key
        && second.primary_key
        && !(first.unlogged || second.unlogged)
    {
        // A circle of foreign keys.
        let target = |at: usize| {
            let schema = quoted(NAMES[(model.first_name + 2 * at + 1) % NAMES.len()]);
            format!(
                "{schema}.{}",
                quoted(NAMES[(model.first_name + at) % NAMES.len()])
            )
        };
        for (from, to) in [(0, 1), (1, 0)] {
            let (from, to) = (target(from), target(to));
            database
                .run(&format!(
                    "ALTER TABLE {from} ADD FOREIGN KEY (key) REFERENCES {to} (key) NOT VALID"
                ))
                .await;
        }
    }
}

fn column_name(number: usize) -> String {
    format!("{} {number}", NAMES[number % NAMES.len()])
}

async fn insert(database: &Database, table: &Table, target: &str) {
    for (number, row) in table.rows.iter().enumerate() {
        let (mut names, mut values) = (vec!["key".to_owned()], vec![number.to_string()]);
        for (at, column) in table.columns.iter().enumerate() {
            if column.generated {
                continue;
            }
            let value = literal(column.kind, row[at]);
            let required = column.not_null && value == "NULL";
            names.push(quoted(&column_name(at)));
            values.push(if required {
                literal(column.kind, 0)
            } else {
                value
            });
        }
        database
            .run(&format!(
                "INSERT INTO {target} ({}) VALUES ({})",
                names.join(", "),
                values.join(", ")
            ))
            .await;
    }
}

/// Rewrites all tables, so that rows are in another physical order.
async fn rewrite(database: &Database) {
    database
        .run(
            "DO $$ DECLARE t regclass; BEGIN
                SET LOCAL session_replication_role = replica;
                FOR t IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
                    WHERE relkind = 'r' AND nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
                    EXECUTE format('UPDATE ONLY %s SET key = key WHERE ctid IN (SELECT ctid FROM ONLY %s ORDER BY random() LIMIT 3)', t, t);
                END LOOP;
            END $$",
        )
        .await;
    database.run("VACUUM FULL").await;
}

#[test]
fn restored_states_dump_equal() {
    let Some(server) = Server::start() else {
        return;
    };
    let runtime = runtime();
    runtime.block_on(async {
        let database = server.connect("postgres").await;
        database
            .run("CREATE ROLE random_staff; CREATE ROLE random_guest")
            .await;
    });
    let config = Config {
        cases: 10,
        max_shrink_iters: 20,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let result = runner.run(&model(), |model| {
        runtime.block_on(async {
            let database = server.database().await;
            build(&database, &model).await;
            let state: Files = database.dump().await;
            let restored = server.restored(&state).await;
            assert_same(&state, &restored.dump().await);
            rewrite(&database).await;
            assert_same(&state, &database.dump().await);
        });
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
