//! What an agent can do to its cluster: nothing voids the grade, and nothing reaches the machine.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use mcpmark_postgres::{CAPTURE_ERROR, Isolation};
use mcpmark_service::SessionLimits;
use mcpmark_test_support::{Need, skip};
use tokio_postgres::{Client, Config, NoTls};

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
    // Stored without compression, and without the write-ahead log, for which the server needs space to go on.
    world
        .ok("CREATE UNLOGGED TABLE big (text text); ALTER TABLE big ALTER text SET STORAGE EXTERNAL")
        .await;
    let fill = "INSERT INTO big SELECT repeat('x', 1000000) FROM generate_series(1, 1000)";
    let text = world.fails(fill).await;
    assert!(text.contains("Check free disk space"), "{text}");
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
    // In a directory that the server does not see, although everybody may read and write there.
    let parent = ["/home", "/root"].map(Path::new);
    let open = parent
        .iter()
        .find_map(|parent| tempfile::tempdir_in(parent).ok());
    let open = open.unwrap_or_else(|| tempfile::tempdir().unwrap());
    std::fs::set_permissions(open.path(), Permissions::from_mode(0o777)).unwrap();
    let secret = open.path().join("secret");
    std::fs::write(&secret, "a secret line").unwrap();
    std::fs::set_permissions(&secret, Permissions::from_mode(0o644)).unwrap();

    let user = program(&world, "id -u").await;
    assert!(user.contains("'65534'"), "{user}");
    let empty = program(&world, "ls -A /root /home | grep -v : | grep -c . || true").await;
    assert!(empty.contains("'0'"), "{empty}");
    // The first line has the names of columns.
    let routes = program(&world, "tail -n +2 /proc/net/route | wc -l").await;
    assert!(routes.contains("'0'"), "{routes}");
    // The name of this process starts with that of its test.
    let processes = program(&world, "cat /proc/[0-9]*/comm").await;
    assert!(processes.contains("'postgres'"), "{processes}");
    assert!(!processes.contains("'postgres-"), "{processes}");
    let read = program(&world, &format!("cat {} 2>&1; true", secret.display())).await;
    assert!(read.contains("No such file"), "{read}");
    let written = open.path().join("written");
    let touch = program(&world, &format!("touch {} 2>&1; true", written.display())).await;
    assert!(touch.contains("touch: "), "{touch}");
    assert!(!written.exists());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_sees_only_its_programs_and_its_data() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    if Isolation::of_machine() == Isolation::Process {
        return skip(Need::Unshare, "this machine has no namespaces");
    }
    world.ok("CREATE TABLE seen (line text)").await;
    let root = world.ok("SELECT pg_ls_dir('/') AS name").await;
    let known = [
        "bin", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc",
        "sbin", "tmp", "usr", "var",
    ];
    for name in root.split("'name': '").skip(1) {
        let name = name.split('\'').next().unwrap();
        assert!(known.contains(&name), "{name} in {root}");
    }
    let listed = program(&world, "ls /").await;
    for name in ["home", "root", "run", "srv", "sys", "mnt"] {
        assert!(!listed.contains(&format!("'{name}'")), "{listed}");
    }
    // Users, hosts and secrets of the machine.
    let users = world.ok("SELECT pg_read_file('/etc/passwd')").await;
    assert!(!users.contains("daemon"), "{users}");
    for file in ["/etc/hostname", "/etc/shadow", "/etc/fstab", "/etc/hosts"] {
        let text = world.fails(&format!("SELECT pg_read_file('{file}')")).await;
        assert!(text.contains("No such file"), "{text}");
    }
    let devices = program(&world, "ls /dev").await;
    for name in ["mem", "kmsg", "vda", "sda", "tty"] {
        assert!(!devices.contains(&format!("'{name}'")), "{devices}");
    }

    // A file that everybody may read, and a directory that everybody may write, at a place that is no secret.
    let open = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(open.path(), Permissions::from_mode(0o777)).unwrap();
    let file = open.path().join("file");
    std::fs::write(&file, "a line of the machine").unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let path = file.display();
    for sql in [
        format!("SELECT pg_read_file('{path}')"),
        format!("COPY seen FROM '{path}'"),
        format!("COPY seen TO '{path}'"),
        format!("SELECT lo_import('{path}')"),
    ] {
        let text = world.fails(&sql).await;
        assert!(text.contains("No such file"), "{sql}: {text}");
    }
    // The parents of a server are outside of its namespaces, and it may not look into its supervisor.
    let command = format!("cat /proc/1/root{path} /proc/self/cwd/../../..{path} 2>&1; true");
    let text = program(&world, &command).await;
    assert!(!text.contains("a line of the machine"), "{text}");

    let writes = "for dir in / /usr /usr/bin /usr/lib /etc /dev /var/tmp; do touch $dir/mcpmark-test; done 2>&1; true";
    let text = program(&world, writes).await;
    assert!(text.contains("mcpmark-test"), "{text}");
    for dir in [
        "/", "/usr", "/usr/bin", "/usr/lib", "/etc", "/dev", "/var/tmp",
    ] {
        assert!(!Path::new(dir).join("mcpmark-test").exists(), "{dir}");
    }
    let mounts = program(&world, "cat /proc/self/mountinfo").await;
    for mount in mounts.split("'line': '").skip(1) {
        let mut fields = mount.split_whitespace().skip(4);
        let (point, options) = (fields.next().unwrap(), fields.next().unwrap());
        let is_own = ["/tmp", "/dev", "/proc"]
            .iter()
            .any(|own| Path::new(point).starts_with(own));
        assert!(is_own || options.starts_with("ro"), "{mount}");
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_and_long_errors_are_bounded() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    let raise = |level: &str, length: u32, count: u32| {
        format!(
            "INSERT INTO items VALUES (4, 'lost'); DO $$ BEGIN FOR n IN 1..{count} LOOP \
             RAISE {level} '%', repeat('x', {length}); END LOOP; END $$"
        )
    };
    let text = world.fails(&raise("NOTICE", 10_000_000, 10)).await;
    assert!(text.contains("notices of more than"), "{text}");
    let text = world.fails(&raise("EXCEPTION", 20_000_000, 1)).await;
    assert!(
        text.contains("which is not shown") && text.len() < 1000,
        "{text}"
    );
    // Notices within the limit are ignored, and the next call gets no answer of another one.
    world
        .ok("DO $$ BEGIN RAISE NOTICE '%', repeat('x', 10000000); END $$")
        .await;
    assert_eq!(world.ok("SELECT 7 AS n").await, "[{'n': 7}]");
    let items = world.file("data/public/items.csv").await;
    assert_eq!(items.as_deref(), Some(CHANGED));
    world.close().await;
}

/// Runs a program in the server of a superuser, and returns its lines.
async fn program(world: &World, command: &str) -> String {
    let command = command.replace('\'', "''");
    world
        .ok(&format!(
            "TRUNCATE seen; COPY seen FROM PROGRAM '{command}'"
        ))
        .await;
    world.ok("SELECT line FROM seen").await
}

/// Connects to the server of a world as its agent.
async fn connect(world: &World) -> Result<Client, tokio_postgres::Error> {
    let entries = std::fs::read_dir(world.home.path()).unwrap().flatten();
    let mut sockets = entries
        .map(|entry| entry.path().join("run"))
        .filter(|run| run.is_dir());
    let mut config = Config::new();
    config
        .host_path(sockets.next().unwrap())
        .user("clerk")
        .dbname("world");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_connections_does_not_keep_the_harness_out() {
    let Some(world) = World::of(&of_superuser()).await else {
        return;
    };
    let mut open = Vec::new();
    let mut refused = Vec::new();
    for _ in 0..25 {
        match connect(&world).await {
            Ok(client) => open.push(client),
            Err(error) => refused.push(error),
        }
    }
    assert!(!open.is_empty());
    let reasons: Vec<&str> = refused
        .iter()
        .filter_map(|error| Some(error.as_db_error()?.message()))
        .collect();
    assert!(
        !reasons.is_empty() && reasons.len() == refused.len(),
        "{refused:?}"
    );
    for reason in reasons {
        assert!(reason.contains("too many clients"), "{reason}");
    }
    assert!(world.capture().await.len() > 1);
    drop(open);
    world.close().await;
}

/// Waits until there are `count` running statements that contain a text.
async fn wait_for(client: &Client, text: &str, count: i64) {
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND \
                   strpos(query, $1) > 0";
    let until = async {
        while client
            .query_one(running, &[&text])
            .await
            .unwrap()
            .get::<_, i64>(0)
            != count
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), until).await;
    assert!(waited.is_ok(), "there are not {count} statements {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runaway_query_ends_when_its_call_does() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    let observer = connect(&world).await.unwrap();
    let series = "generate_series(1, 100000000000)";
    let arguments = serde_json::json!({ "sql": format!("SELECT count(*) FROM {series}") });
    let call = world.client.call(
        "execute_sql",
        arguments.as_object().cloned().unwrap(),
        Duration::from_secs(5),
    );
    let (answer, ()) = tokio::join!(call, wait_for(&observer, series, 1));
    assert!(answer.is_err());
    wait_for(&observer, series, 0).await;
    world.ok("SELECT 1").await;
    drop(observer);
    world.close().await;
}
