//! What a superuser does to its cluster against the capture: the state is that of the database, or says why there is none.

use mcpmark_postgres::{CAPTURE_ERROR, Installation, Isolation};
use mcpmark_service::SessionLimits;
use mcpmark_test_support::{Need, skip};

use crate::support::{World, of_superuser};

const CHANGED: &str = "id,name\n1,anchor\n2,buoy\n3,chart\n";
/// Kills the server as after a crash, with everything that it runs.
const KILL: &str = "kill -9 $(head -1 /tmp/data/postmaster.pid)";

/// Opens a world whose agent is a superuser and has changed a table. Its files are at known places in namespaces only.
async fn changed() -> Option<World> {
    if Isolation::of_machine() == Isolation::Process {
        skip(Need::Unshare, "this machine has no namespaces");
        return None;
    }
    let world = World::of(&of_superuser()).await?;
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    world.ok("CHECKPOINT").await;
    Some(world)
}

/// Runs a program in the server, which may kill it.
async fn run(world: &World, command: &str) {
    let command = command.replace('\'', "''");
    world
        .sql(&format!("COPY (SELECT 1) TO PROGRAM '{command}'"))
        .await;
}

/// Checks that the captured state has the changed table.
async fn expect_changed(world: World, subject: &str) {
    let tree = world.capture().await;
    let reason = world.text(&tree, CAPTURE_ERROR);
    assert_eq!(reason, None, "{subject}");
    let items = world.text(&tree, "data/public/items.csv");
    assert_eq!(items.as_deref(), Some(CHANGED), "{subject}");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn event_triggers_do_not_run_in_a_capture() {
    let Some(world) = changed().await else {
        return;
    };
    world
        .ok(
            "CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
             UPDATE public.items SET name = 'forged'; RAISE EXCEPTION 'refused'; END $$",
        )
        .await;
    world
        .ok("CREATE EVENT TRIGGER guard ON ddl_command_start EXECUTE FUNCTION public.refuse()")
        .await;
    world.ok("ALTER EVENT TRIGGER guard ENABLE ALWAYS").await;
    world.fails("CREATE TABLE public.other (n integer)").await;
    let triggers = world.file("event-triggers.sql").await.unwrap();
    assert!(
        triggers.contains("ALTER EVENT TRIGGER guard ENABLE ALWAYS;"),
        "{triggers}"
    );
    // Afterwards it is as it was.
    world.fails("CREATE TABLE public.other (n integer)").await;
    expect_changed(world, "event triggers").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_trigger_does_not_keep_the_harness_out() {
    let mut installed = Installation::all().into_iter();
    let Some(installation) = installed.find(|it| it.version().major >= 17) else {
        return skip(Need::PostgresMajors, "login triggers need version 17");
    };
    if Isolation::of_machine() == Isolation::Process {
        return skip(Need::Unshare, "this machine has no namespaces");
    }
    let world = World::on(installation, &of_superuser(), SessionLimits::default()).await;
    world
        .ok("INSERT INTO items VALUES (3, 'chart'); \
             CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'refused'; END $$; \
             CREATE EVENT TRIGGER gate ON login EXECUTE FUNCTION public.refuse(); \
             ALTER EVENT TRIGGER gate ENABLE ALWAYS")
        .await;
    let triggers = world.file("event-triggers.sql").await.unwrap();
    assert!(triggers.contains("ON login"), "{triggers}");
    assert!(triggers.contains("ENABLE ALWAYS"), "{triggers}");
    expect_changed(world, "login trigger").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_connections_is_captured() {
    for change in ["datallowconn = false", "datconnlimit = -2"] {
        let Some(world) = changed().await else {
            return;
        };
        world
            .ok(&format!(
                "UPDATE pg_database SET {change} WHERE datname = 'world'"
            ))
            .await;
        expect_changed(world, change).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_files_of_a_data_directory_do_not_prevent_a_start() {
    for change in [
        "touch standby.signal",
        "touch recovery.signal",
        "echo x > backup_label",
        "echo 14 > PG_VERSION",
        "chmod 0777 .",
        "rm postmaster.pid; mkdir -p postmaster.pid/x",
        "rm postgresql.conf; mkdir -p postgresql.conf/x; mkdir -p postgresql.auto.conf.d; \
         rm pg_hba.conf; mkdir -p pg_hba.conf/x",
        "rm -r pg_notify pg_stat_tmp pg_logical/snapshots; ln -s / pg_notify",
        "mkdir -p pg_replslot/x; echo x > pg_replslot/x/state",
        "rm -f /tmp/run/.s.PGSQL.5432.lock; mkdir -p /tmp/run/.s.PGSQL.5432.lock/x",
    ] {
        let Some(world) = changed().await else {
            return;
        };
        let pid = "pid=$(head -1 postmaster.pid)";
        run(
            &world,
            &format!("cd /tmp/data; {pid}; {change}; kill -9 $pid"),
        )
        .await;
        expect_changed(world, change).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destroyed_database_is_a_state() {
    for change in [
        "rm -r /tmp/data/global",
        "for file in /tmp/data/base/*/*; do echo x > $file; done",
    ] {
        let Some(world) = changed().await else {
            return;
        };
        run(&world, &format!("{change}; {KILL}")).await;
        let tree = world.capture().await;
        assert_eq!(tree.len(), 1, "{change}");
        let reason = world.text(&tree, CAPTURE_ERROR);
        assert!(
            reason.is_some_and(|reason| !reason.trim().is_empty()),
            "{change}"
        );
        world.close().await;
    }
}
