//! What an agent can do to its cluster: nothing voids the grade, and nothing reaches the machine.

use mcpmark_postgres::{CAPTURE_ERROR, Isolation};
use mcpmark_service::SessionLimits;
use mcpmark_test_support::{Need, skip};

use crate::support::{WORLD, World, of_superuser};

const CHANGED: &str = "id,name\n1,anchor\n2,buoy\n3,chart\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backend_ends_one_call() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    world
        .fails("SELECT pg_terminate_backend(pg_backend_pid())")
        .await;
    world.ok("SELECT 1").await;
    let items = world.file("data/public/items.csv").await;
    assert_eq!(items.as_deref(), Some(CHANGED));
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_is_captured() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    world.ok("CHECKPOINT").await;
    world
        .sql("COPY (SELECT 1) TO PROGRAM 'kill -9 $(head -1 /tmp/data/postmaster.pid); kill -9 -1'")
        .await;
    world.fails("SELECT 1").await;
    let items = world.file("data/public/items.csv").await;
    assert_eq!(items.as_deref(), Some(CHANGED));
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_superuser_cannot_lock_the_harness_out() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    world.ok("ALTER ROLE postgres RENAME TO landlord").await;
    world.ok("ALTER ROLE landlord NOLOGIN PASSWORD NULL").await;
    // `ALTER SYSTEM` is not possible in the transactions of the tool.
    world
        .ok(
            "COPY (SELECT 'shared_preload_libraries = none_such') TO PROGRAM \
             'cat > /tmp/data/postgresql.auto.conf'",
        )
        .await;
    world
        .ok("COPY (SELECT 'local all all reject') TO PROGRAM 'cat > /tmp/data/pg_hba.conf'")
        .await;
    world.ok("SELECT pg_reload_conf()").await;
    let items = world.file("data/public/items.csv").await;
    assert_eq!(items.as_deref(), Some(CHANGED));
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_an_error_of_the_statement() {
    let limits = SessionLimits {
        max_bytes: 1 << 20,
        ..SessionLimits::default()
    };
    let Some(world) = World::with(WORLD, limits).await else {
        return;
    };
    if Isolation::of_machine() == Isolation::Process {
        return skip(
            Need::Unshare,
            "without namespaces only each file is limited",
        );
    }
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    // Stored without compression.
    world
        .ok("CREATE TABLE big (text text); ALTER TABLE big ALTER text SET STORAGE EXTERNAL")
        .await;
    let fill = "INSERT INTO big SELECT repeat('x', 1000000) FROM generate_series(1, 1000)";
    let text = world.fails(fill).await;
    assert!(
        text.contains("No space left") || text.contains("closed"),
        "{text}"
    );
    let items = world.file("data/public/items.csv").await;
    assert_eq!(items.as_deref(), Some(CHANGED));
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_above_the_limits_is_captured_as_an_error() {
    let limits = SessionLimits {
        max_bytes: 1 << 20,
        ..SessionLimits::default()
    };
    let Some(world) = World::with(WORLD, limits).await else {
        return;
    };
    world
        .ok("INSERT INTO items VALUES (3, repeat('x', 2000000))")
        .await;
    let tree = world.capture().await;
    assert_eq!(tree.len(), 1);
    let reason = world.text(&tree, CAPTURE_ERROR).unwrap();
    assert!(reason.contains("larger than 1048576 bytes"), "{reason}");
    world.ok("DELETE FROM items WHERE id = 3").await;
    assert!(world.capture().await.len() > 1);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_a_superuser_do_not_reach_the_machine() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    if Isolation::of_machine() == Isolation::Process {
        return skip(Need::Unshare, "this machine has no namespaces");
    }
    world.ok("CREATE TABLE seen (line text)").await;
    let secret = world.home.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let run = async |command: &str| {
        let command = command.replace('\'', "''");
        world
            .ok(&format!(
                "TRUNCATE seen; COPY seen FROM PROGRAM '{command}'"
            ))
            .await;
        world.ok("SELECT line FROM seen").await
    };
    let listing = run("id -u; ls -a /root /home; true").await;
    assert!(!listing.contains("'0'"), "{listing}");
    let processes = run("ls /proc | grep -c '^[0-9]' || true").await;
    assert!(!processes.is_empty());
    let devices = run("cat /proc/net/dev | tail -n +3 | grep -v ' lo:' | grep ':' ; true").await;
    assert!(!devices.contains("eth"), "{devices}");
    let read = run(&format!("cat {} 2>&1; true", secret.display())).await;
    assert!(!read.contains("'secret'"), "{read}");
    let written = world.home.path().join("written");
    run(&format!("touch {} 2>&1; true", written.display())).await;
    assert!(!written.exists());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_connections_does_not_keep_the_harness_out() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    // Each holds a connection until it is cancelled.
    let flood = "for i in $(seq 40); do (/usr/bin/env psql -h /tmp/run -U clerk world -c 'SELECT pg_sleep(60)' \
                 >/dev/null 2>&1 &) ; done; sleep 1";
    let flood = flood.replace('\'', "''");
    world
        .sql(&format!("COPY (SELECT 1) TO PROGRAM '{flood}'"))
        .await;
    assert!(world.capture().await.len() > 1);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runaway_query_ends_when_its_call_does() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let arguments =
        serde_json::json!({ "sql": "SELECT count(*) FROM generate_series(1, 100000000000)" });
    let call = world.client.call(
        "execute_sql",
        arguments.as_object().cloned().unwrap(),
        std::time::Duration::from_millis(500),
    );
    assert!(call.await.is_err());
    world.ok("SELECT 1").await;
    world.close().await;
}
