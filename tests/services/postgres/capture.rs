//! Settings and functions of the agent that run, or could run, in the connection that captures its database.

use mcpmark_postgres::CAPTURE_ERROR;
use mcpmark_service::SessionLimits;

use crate::support::{WORLD, World, with};

const CHANGED: &str = "id,name\n1,anchor\n2,buoy\n3,chart\n";
const UNCHANGED: &str = "id,name\n1,anchor\n2,buoy\n";

/// World with a table that the agent cannot write.
fn with_protected() -> Vec<(&'static str, &'static str)> {
    let mut entries = with(
        "schemas.sql",
        "CREATE SCHEMA public;\nALTER SCHEMA public OWNER TO clerk;\nCREATE SCHEMA vault;\n\
         GRANT USAGE ON SCHEMA vault TO clerk;\n",
    );
    entries.push((
        "schemas/vault/tables/zeal.sql",
        "CREATE TABLE vault.zeal (n integer);\n",
    ));
    entries.push(("data/vault/zeal.csv", "n\n1\n"));
    entries
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_of_the_agent_are_not_called() {
    let Some(world) = World::of(&with_protected()).await else {
        return;
    };
    world
        .ok(
            "CREATE FUNCTION public.seize() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN \
             IF current_user <> 'clerk' THEN ALTER ROLE clerk SUPERUSER; UPDATE vault.zeal SET n = 666; \
             INSERT INTO public.items VALUES (4, 'seized'); END IF; RETURN true; END $$",
        )
        .await;
    for (operator, kind) in [("<>", "int4"), ("=", "text")] {
        world
            .ok(&format!(
                "CREATE FUNCTION public.seize({kind}, {kind}) RETURNS boolean LANGUAGE sql AS \
                 'SELECT public.seize()'; \
                 CREATE OPERATOR public.{operator} (FUNCTION = public.seize, LEFTARG = {kind}, RIGHTARG = {kind})"
            ))
            .await;
    }
    world
        .ok("ALTER DATABASE world SET search_path = public, pg_catalog")
        .await;
    world.ok("INSERT INTO items VALUES (3, 'chart')").await;
    let tree = world.capture().await;
    let file = |path| world.text(&tree, path);
    assert_eq!(file("data/public/items.csv").as_deref(), Some(CHANGED));
    assert_eq!(file("data/vault/zeal.csv").as_deref(), Some("n\n1\n"));
    let roles = file("roles.sql").unwrap();
    assert!(
        roles.contains("CREATE ROLE clerk WITH NOSUPERUSER"),
        "{roles}"
    );
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_database_do_not_keep_the_harness_out() {
    let settings = [
        "role = 'clerk'",
        "local_preload_libraries = 'x'",
        "default_transaction_read_only = on",
        "statement_timeout = 1",
    ];
    for setting in settings {
        let Some(world) = World::of(WORLD).await else {
            return;
        };
        world.ok("INSERT INTO items VALUES (3, 'chart')").await;
        world
            .ok(&format!("ALTER DATABASE world SET {setting}"))
            .await;
        let tree = world.capture().await;
        let items = world.text(&tree, "data/public/items.csv");
        assert_eq!(items.as_deref(), Some(CHANGED), "{setting}");
        let database = world.text(&tree, "database.sql").unwrap();
        let name = setting.split(' ').next().unwrap();
        assert!(database.contains(name), "{database}");
        world.close().await;
    }
}

/// An index whose expression is evaluated when a query on the table is planned.
fn index(body: &str) -> String {
    format!(
        "CREATE FUNCTION public.act() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN {body} RETURN 1; END $$; \
         CREATE FUNCTION public.folded(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS \
         $$ BEGIN IF current_user <> 'clerk' THEN RETURN public.act(); END IF; RETURN 1; END $$; \
         CREATE TABLE public.bait (n integer); \
         CREATE INDEX ON public.bait ((public.folded(1)))"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_in_indexes_change_nothing() {
    let Some(world) = World::of(&with_protected()).await else {
        return;
    };
    // Each is tried on its own, and what is refused is ignored.
    let tries = [
        "UPDATE public.items SET name = 'forged'",
        "UPDATE vault.zeal SET n = 666",
        "SET LOCAL transaction_read_only = off; UPDATE public.items SET name = 'forged'",
        "RESET ROLE; UPDATE public.items SET name = 'forged'",
        "SET LOCAL SESSION AUTHORIZATION DEFAULT; UPDATE vault.zeal SET n = 666",
        "COPY (SELECT 1) TO PROGRAM 'touch /tmp/reached'",
        "SET LOCAL DateStyle = 'SQL, DMY'",
    ];
    let body: String = tries
        .iter()
        .map(|sql| {
            let sql = sql.replace('\'', "''");
            format!("BEGIN EXECUTE '{sql}'; EXCEPTION WHEN OTHERS THEN NULL; END; ")
        })
        .collect();
    world.ok(&index(&body)).await;
    world
        .ok("CREATE TABLE public.dates (d date); INSERT INTO public.dates VALUES ('2026-02-01')")
        .await;
    let tree = world.capture().await;
    let file = |path| world.text(&tree, path);
    assert_eq!(file("data/public/items.csv").as_deref(), Some(UNCHANGED));
    assert_eq!(file("data/vault/zeal.csv").as_deref(), Some("n\n1\n"));
    assert_eq!(
        file("data/public/dates.csv").as_deref(),
        Some("d\n2026-02-01\n")
    );
    let roles = file("roles.sql").unwrap();
    assert!(!roles.contains("mcpmark"), "{roles}");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_not_read_as_a_superuser() {
    let Some(world) = World::of(WORLD).await else {
        return;
    };
    world
        .ok(&index(
            "RAISE EXCEPTION 'superuser: %', current_setting('is_superuser') || ' ' || \
             (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user);",
        ))
        .await;
    // The failure is that of the agent: a copy of its world can be captured.
    let tree = world.capture().await;
    assert_eq!(tree.len(), 1);
    let reason = world.text(&tree, CAPTURE_ERROR).unwrap();
    assert!(reason.contains("data/public/bait.csv"), "{reason}");
    assert!(reason.contains("false"), "{reason}");
    world.ok("DROP TABLE public.bait").await;
    assert!(world.capture().await.len() > 1);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sparse_large_object_ends_at_the_limit() {
    let limits = SessionLimits {
        max_bytes: 1 << 20,
        ..SessionLimits::default()
    };
    let Some(world) = World::with(WORLD, limits).await else {
        return;
    };
    world
        .ok("SELECT lo_put(lo_create(0), 1000000000, 'x')")
        .await;
    let tree = world.capture().await;
    assert_eq!(tree.len(), 1);
    let reason = world.text(&tree, CAPTURE_ERROR).unwrap();
    assert!(reason.contains("larger than 1048576 bytes"), "{reason}");
    world.close().await;
}
