//! States of written databases.

use mcpmark_postgres::Installation;
use mcpmark_postgres::state::{DumpError, RestoreError, dump_tree, restore};
use mcpmark_snapshot::{Store, TreePath};

use crate::support::{
    Server, assert_anonymous, assert_same, differences, edit, fixture, runtime, text,
};

#[test]
fn every_kind_of_object_survives() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let written = server.database().await;
        written.run(&fixture("everything.sql")).await;
        let state = written.dump().await;
        assert_anonymous(&state);
        assert_same(&state, &server.restored(&state).await.dump().await);
        // In a cluster without the roles.
        drop(written);
        let Some(other) = Server::start() else { return };
        assert_same(&state, &other.restored(&state).await.dump().await);
    });
}

#[test]
fn all_installed_versions_agree() {
    let installations = Installation::all();
    let mut majors = std::collections::BTreeMap::new();
    for installation in installations {
        majors
            .entry(installation.version().major)
            .or_insert(installation);
    }
    if majors.len() < 2 {
        eprintln!(
            "SKIPPED: found {} version(s) of PostgreSQL, expected 2",
            majors.len()
        );
        return;
    }
    runtime().block_on(async {
        let mut first = None;
        for installation in majors.values() {
            let server = Server::of(installation);
            let database = server.database().await;
            database.run(&fixture("everything.sql")).await;
            let state = database.dump().await;
            match &first {
                None => first = Some(state),
                Some(first) => {
                    assert_same(first, &state);
                    assert_same(first, &server.restored(first).await.dump().await);
                }
            }
        }
    });
}

#[test]
fn the_physical_order_does_not_matter() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database
            .run(
                "CREATE TABLE keyed (id integer PRIMARY KEY, name text);
                CREATE TABLE plain (a numeric, b text, c jsonb);
                INSERT INTO keyed SELECT n, 'name ' || n FROM generate_series(1, 500) n;
                INSERT INTO plain SELECT n % 7, chr(64 + n % 50), to_jsonb(n % 3) FROM generate_series(1, 500) n;
                INSERT INTO plain VALUES (1.0, 'x', NULL), (1.00, 'x', NULL), (1, 'x', NULL), (NULL, NULL, NULL);",
            )
            .await;
        let state = database.dump().await;
        database
            .run(
                "UPDATE keyed SET name = name WHERE id % 3 = 0;
                CREATE TABLE copy AS SELECT * FROM plain ORDER BY random();
                DELETE FROM plain; INSERT INTO plain SELECT * FROM copy; DROP TABLE copy;
                CLUSTER keyed USING keyed_pkey; ALTER TABLE keyed SET WITHOUT CLUSTER;",
            )
            .await;
        database.run("VACUUM FULL keyed").await;
        assert_same(&state, &database.dump().await);
        database.run("UPDATE keyed SET name = 'other' WHERE id = 77").await;
        let changed = differences(&state, &database.dump().await);
        assert_eq!(changed, "data/public/keyed.csv\n- 77,name 77\n+ 77,other\n");
    });
}

#[test]
fn files_are_readable() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database.run(&fixture("everything.sql")).await;
        let state = database.dump().await;
        assert_eq!(
            text(&state, "schemas/sales/tables/line.sql"),
            "\
CREATE TABLE sales.line (
    order_id bigint NOT NULL,
    article sales.code NOT NULL,
    amount integer
);
"
        );
        assert_eq!(
            text(&state, "schemas/sales/foreign-keys/line.sql"),
            "\
ALTER TABLE sales.line ADD CONSTRAINT line_article_fkey FOREIGN KEY (article) REFERENCES sales.article(code) ON UPDATE CASCADE;
ALTER TABLE sales.line ADD CONSTRAINT line_order_id_fkey FOREIGN KEY (order_id) REFERENCES sales.orders(id);
"
        );
        assert_eq!(
            text(&state, "data/sales/line.csv"),
            "order_id,article,amount\n1,ABC1,7\n1,ABC10,3\n2,ABC1,3\n"
        );
        // The materialised view was not refreshed after the last change.
        assert_eq!(
            text(&state, "data/sales/totals.csv"),
            "order_id,total\n1,9\n2,3\n"
        );
        // NULL has no quotes, and the empty string has.
        assert_eq!(
            text(&state, "data/public/one_column.csv"),
            "value\n\"\"\n\"\"\"\"\n\"\\.\"\n\n"
        );
        assert!(text(&state, "schemas/odd%2Fna%25me./tables/select.sql").starts_with("CREATE TABLE \"odd/na%me.\".\"select\" ("));
        assert!(text(&state, "schemas/sales/sequence-values.csv").contains("\nticket,75,true\n"));
        assert!(!text(&state, "roles.sql").contains("secret"));
        assert!(!state.contains_key(&TreePath::parse("data/public/reading.csv").unwrap()));
    });
}

#[test]
fn invalid_indexes_stay_invalid() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database
            .run("CREATE TABLE t (a integer); INSERT INTO t VALUES (1), (1);")
            .await;
        let failed = database
            .client
            .batch_execute("CREATE UNIQUE INDEX CONCURRENTLY broken ON t (a)")
            .await;
        assert!(failed.is_err());
        let state = database.dump().await;
        let file = text(&state, "schemas/public/invalid-indexes/t.sql");
        assert!(
            file.starts_with("CREATE UNIQUE INDEX broken ON public.t USING btree (a);\n"),
            "{file}"
        );
        assert_same(&state, &server.restored(&state).await.dump().await);
    });
}

#[test]
fn a_state_in_the_store_is_the_same() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("store")).unwrap();
    runtime().block_on(async {
        let database = server.database().await;
        // More than is kept in memory.
        database
            .run("CREATE TABLE big AS SELECT n AS id, repeat(md5(n::text), 8) AS text FROM generate_series(1, 40000) n")
            .await;
        let tree = dump_tree(&database.client, &store).await.unwrap();
        let state = database.dump().await;
        let snapshot = store.snapshot(&tree.digest()).unwrap();
        let paths: Vec<_> = snapshot.tree.files().map(|(path, _)| path).collect();
        assert!(paths.iter().eq(state.keys()));
        for path in &paths {
            assert_eq!(Some(&snapshot.read(path).unwrap()), state.get(path));
        }
        let other = server.database().await;
        restore(&other.client, &snapshot).await.unwrap();
        assert_same(&state, &other.dump().await);
    });
}

#[test]
fn objects_that_cannot_be_represented_are_named() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database
            .run(
                "CREATE FUNCTION public.c_function(text) RETURNS text LANGUAGE internal AS 'upper';
                CREATE FOREIGN DATA WRAPPER elsewhere;",
            )
            .await;
        let error = mcpmark_postgres::state::dump_files(&database.client)
            .await
            .unwrap_err();
        assert!(matches!(error, DumpError::Unsupported { .. }) && !error.is_infrastructure());
        assert_eq!(
            error.to_string(),
            "the database contains objects that a state cannot represent: \
            foreign-data wrapper elsewhere (its data is outside of the database), \
            function public.c_function(text) (it is written in internal)"
        );
    });
}

#[test]
fn errors_name_the_file_and_the_line() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database
            .run("CREATE TABLE t (id integer PRIMARY KEY, name text); INSERT INTO t VALUES (1, E'a\\nb'), (2, 'c');")
            .await;
        let state = database.dump().await;
        let cases: [(&str, &str, &str, &str); 5] = [
            ("data/public/t.csv", "2,c", "two,c", "data/public/t.csv:4: invalid input syntax for type integer: \"two\" (22P02)"),
            ("schemas/public/tables/t.sql", "name text", "name tex", "schemas/public/tables/t.sql:3: type \"tex\" does not exist (42704)"),
            ("schemas/public/constraints/t.sql", "(id)", "(ident)", "schemas/public/constraints/t.sql:1: column \"ident\" of relation \"t\" does not exist"),
            ("schemas.sql", "CREATE SCHEMA", "\nCREATE SCHEME", "schemas.sql:2: syntax error at or near \"SCHEME\" (42601)"),
            ("format", "1", "9", "expected a state of format \"mcpmark postgres state 1\" in the file \"format\""),
        ];
        for (path, from, to, message) in cases {
            let mut broken = state.clone();
            edit(&mut broken, path, |text| text.replacen(from, to, 1));
            let target = server.database().await;
            let error = restore(&target.client, &broken).await.unwrap_err();
            assert!(!error.is_infrastructure(), "{error}");
            let shown = error.to_string();
            assert!(shown.starts_with(message), "{shown}");
            // Nothing has changed, so that a correct state can be restored.
            restore(&target.client, &state).await.unwrap();
        }
        let mut broken = state.clone();
        edit(&mut broken, "schemas/public/gadgets/t.sql", |_| "SELECT 1;".to_owned());
        let target = server.database().await;
        let error = restore(&target.client, &broken).await.unwrap_err();
        assert!(matches!(error, RestoreError::UnknownFile { .. }), "{error}");
    });
}

#[test]
fn sessions_do_not_influence_the_state() {
    let Some(server) = Server::start() else {
        return;
    };
    runtime().block_on(async {
        let database = server.database().await;
        database.run(&fixture("everything.sql")).await;
        let state = database.dump().await;
        database
            .run(
                "SET DateStyle = 'German, DMY'; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'Asia/Tokyo';
                SET search_path = sales, public; SET extra_float_digits = -3; SET bytea_output = 'escape';
                SET quote_all_identifiers = on; SET default_transaction_read_only = on; SET row_security = off;",
            )
            .await;
        assert_same(&state, &database.dump().await);
    });
}
