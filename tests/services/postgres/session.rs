//! Sessions: private copies, captured states, roles and the clock.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_postgres::{Isolation, PostgresService, clock_library};
use mcpmark_service::{Service, ServiceError, SessionLimits, ToolClient};
use mcpmark_snapshot::Store;
use mcpmark_test_support::{Need, skip};
use serde_json::json;

use crate::support::{WORLD, World, cache, installation, open, state, tree};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_captured_and_other_sessions_do_not_see_it() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let other = World::of(WORLD).await.unwrap();
    let start = world.capture().await;
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    assert_eq!(
        world.file("data/public/items.csv").await.as_deref(),
        Some("id,name\n1,anchor\n2,buoy\n3,chart\n")
    );
    assert_eq!(other.capture().await, start);
    world.close().await;
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_captured_state_is_a_world_with_the_same_state() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    world
        .ok("CREATE VIEW names AS SELECT name FROM items")
        .await;
    let captured = world.capture().await;
    let home = world.home.path();
    let again = open(&captured, &world.store, home, SessionLimits::default());
    let again = again.await.unwrap();
    assert_eq!(again.capture().await.unwrap(), captured);
    again.close().await.unwrap();
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_transaction_is_not_a_part_of_the_state() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let start = world.capture().await;
    let second = ToolClient::connect(&*world.session).await.unwrap();
    world
        .ok("COMMIT; BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE; SAVEPOINT s")
        .await;
    assert_eq!(world.capture().await, start);
    second.close().await.unwrap();
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_owns_the_database_and_is_no_superuser() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let role = world
        .ok("SELECT current_user, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user")
        .await;
    assert!(role.contains("'clerk'"), "{role}");
    assert_eq!(role.matches("False").count(), 2, "{role}");
    for refused in [
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')",
        "SELECT pg_reload_conf()",
        "SET ROLE postgres",
        "ALTER ROLE postgres PASSWORD 'guess'",
        "CREATE ROLE helper LOGIN",
        "SELECT lo_import('/etc/passwd')",
    ] {
        let text = world.fails(refused).await;
        assert!(
            text.contains("permission denied") || text.contains("must be"),
            "{refused}: {text}"
        );
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_starts_at_that_of_the_world() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    if clock_library().is_none() {
        return skip(Need::Faketime, "the clock of a server cannot be set");
    }
    if Isolation::of_machine() == Isolation::Process {
        return skip(Need::Unshare, "the clock of a server cannot be set");
    }
    let now = world
        .ok("SELECT now() >= '2026-02-01 09:00:00+00' AND now() < '2026-02-01 10:00:00+00' AS near")
        .await;
    assert!(now.contains("True"), "{now}");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_closed_session_remains() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let scratch = |world: &World| {
        let entries = std::fs::read_dir(world.home.path()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != "store")
            .count()
    };
    assert_eq!(scratch(&world), 1);
    world.client.close().await.unwrap();
    world.session.close().await.unwrap();
    let left: Vec<_> = std::fs::read_dir(world.home.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_restricted_profile_only_reads() {
    if installation().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let start = tree(&store, WORLD);
    let service = PostgresService::new(cache());
    let with_profile = |profile: &str| {
        let mut world = state(&start, &store, home.path(), SessionLimits::default());
        world.profile = Some(profile.to_owned());
        service.open(world)
    };
    assert!(matches!(
        with_profile("0.3.0-none").await.err(),
        Some(ServiceError::UnknownProfile { .. })
    ));
    let session = with_profile("0.3.0-restricted").await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    let call = async |sql: &str| {
        let arguments = json!({ "sql": sql }).as_object().cloned().unwrap();
        let output = client.call("execute_sql", arguments, Duration::from_secs(90));
        output.await.unwrap().text()
    };
    let rows = call("SELECT name FROM items ORDER BY id").await;
    assert_eq!(rows, "[{'name': 'anchor'}, {'name': 'buoy'}]");
    for refused in [
        "INSERT INTO items VALUES (3, 'chart')",
        "DROP TABLE items",
        "COMMIT; DELETE FROM items",
        "SELECT pg_terminate_backend(pg_backend_pid())",
    ] {
        let text = call(refused).await;
        assert_eq!(text, format!("Error: Error validating query: {refused}"));
    }
    client.close().await.unwrap();
    let end = session.capture().await.unwrap();
    session.close().await.unwrap();

    let session = with_profile("0.3.0").await.unwrap();
    assert_eq!(session.capture().await.unwrap(), end);
    session.close().await.unwrap();
}
