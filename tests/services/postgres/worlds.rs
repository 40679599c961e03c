//! Worlds: errors of invalid ones, and golden clusters.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_postgres::{ClusterError, Goldens, Installation, Isolation, Settings};
use mcpmark_service::{ServiceError, SessionLimits};
use mcpmark_snapshot::{Snapshot, Store};

use crate::support::{WORLD, installation, open, tree, with};

/// Time within which a golden cluster is built.
const LIMIT: Duration = Duration::from_secs(120);

/// Opens a world that must be invalid, and returns the reason.
async fn refused(entries: &[(&str, &str)]) -> String {
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let tree = tree(&store, entries);
    match open(&tree, &store, home.path(), SessionLimits::default()).await {
        Err(ServiceError::InvalidWorld { source, .. }) => source.to_string(),
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
        Ok(_) => panic!("the world is valid"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_worlds_name_file_and_line() {
    if installation().is_none() {
        return;
    }
    let table = "schemas/public/tables/items.sql";
    let broken = with(
        table,
        "CREATE TABLE public.items (\n    id integer,\n    name txt\n);\n",
    );
    let reason = refused(&broken).await;
    assert!(
        reason.starts_with(&format!("{table}:")) && reason.contains("txt"),
        "{reason}"
    );

    let rows = "data/public/items.csv";
    let reason = refused(&with(rows, "id,name\n1,anchor\nx,buoy\n")).await;
    assert!(reason.starts_with(&format!("{rows}:3: ")), "{reason}");

    let reason = refused(&with("format", "")).await;
    assert!(reason.contains("mcpmark postgres state 1"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_neither_run_programs_nor_end_their_transaction() {
    if installation().is_none() {
        return;
    }
    let table = "schemas/public/tables/items.sql";
    let definition = "CREATE TABLE public.items (\n    id integer NOT NULL,\n    name text\n);\n";
    for statement in [
        "COPY public.items FROM PROGRAM 'id';",
        "copy (SELECT 1) TO '/tmp/file';",
        "COPY public.items FROM STDIN;",
        "COMMIT;",
        "ROLLBACK TO unit;",
        "PREPARE TRANSACTION 'x';",
        "LOAD 'auto_explain';",
    ] {
        let reason = refused(&with(table, &format!("{definition}{statement}\n"))).await;
        assert!(
            reason.starts_with(&format!("{table}:5: ")) && reason.contains("is not a definition"),
            "{statement}: {reason}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_needs_an_owner_that_can_log_in() {
    if installation().is_none() {
        return;
    }
    let without = WORLD
        .iter()
        .copied()
        .filter(|(path, _)| *path != "database.sql");
    let reason = refused(&without.collect::<Vec<_>>()).await;
    assert!(
        reason.contains("database.sql gives the database no owner"),
        "{reason}"
    );
    let reason = refused(&with("roles.sql", "CREATE ROLE clerk;\n")).await;
    assert!(
        reason.contains("\"clerk\"") && reason.contains("LOGIN"),
        "{reason}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_golden_cluster_is_built_once_and_again_if_it_is_incomplete() {
    let Some(installation) = installation() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let world = Snapshot::new(tree(&store, WORLD), Arc::clone(&store) as _);
    let dir = home.path().join("goldens");
    let goldens = Goldens::new(&dir);
    let get = |goldens: Goldens, installation: Installation, world: Snapshot| {
        tokio::task::spawn_blocking(move || {
            goldens
                .get(&world, &installation, &Settings::default())
                .unwrap()
        })
    };
    let both = [(); 2].map(|()| get(goldens.clone(), installation.clone(), world.clone()));
    let mut held = Vec::new();
    for golden in both {
        // While the first one is in use.
        let Ok(golden) = tokio::time::timeout(LIMIT, golden).await else {
            held.clear();
            panic!("a session waits for another one");
        };
        held.push(golden.unwrap());
    }
    for golden in held {
        let facts = golden.facts();
        assert_eq!(facts.role, "clerk");
        assert!(!facts.is_superuser && !facts.is_powerful);
    }
    let directories = || {
        let entries = std::fs::read_dir(&dir).unwrap().flatten();
        let mut found: Vec<_> = entries
            .map(|entry| entry.path())
            .filter(|it| it.is_dir())
            .collect();
        found.sort();
        found
    };
    let [built] = &directories()[..] else {
        panic!("{:?}", directories());
    };
    let facts = built.join("facts.json");
    std::fs::remove_file(&facts).unwrap();
    get(goldens, installation, world).await.unwrap();
    assert!(facts.exists());
    assert_eq!(directories().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_can_run_programs_need_isolation() {
    let Some(installation) = installation() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let goldens = Goldens::new(home.path().join("goldens"));
    for (roles, is_powerful) in [
        ("CREATE ROLE clerk WITH LOGIN;\n", false),
        ("CREATE ROLE clerk WITH LOGIN SUPERUSER;\n", true),
        ("CREATE ROLE clerk WITH LOGIN CREATEROLE;\n", true),
        (
            "CREATE ROLE clerk WITH LOGIN;\nCREATE ROLE staff;\nGRANT pg_execute_server_program TO staff;\n\
             GRANT staff TO clerk;\n",
            true,
        ),
    ] {
        let world = tree(&store, &with("roles.sql", roles));
        let world = Snapshot::new(world, Arc::clone(&store) as _);
        let (goldens, installation) = (goldens.clone(), installation.clone());
        let task = tokio::task::spawn_blocking(move || {
            let settings = Settings {
                isolation: Isolation::Process,
                ..Settings::default()
            };
            let golden = goldens.get(&world, &installation, &settings).unwrap();
            assert_eq!(golden.facts().is_powerful, is_powerful, "{roles}");
            golden.copy(&installation, &settings).err()
        });
        match (task.await.unwrap(), is_powerful) {
            (None, false) => {}
            (Some(error @ ClusterError::NotIsolated { .. }), true) => {
                let text = error.to_string();
                assert!(
                    text.contains("\"clerk\"") && text.contains("namespaces"),
                    "{text}"
                );
            }
            (refused, _) => panic!("{roles}: {refused:?}"),
        }
    }
}
