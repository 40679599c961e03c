//! Lifecycle of sessions: surface, capture, determinism, clients.

use std::time::Duration;

use mcpmark_service::{CallError, Service, SessionLimits, ToolClient};
use mcpmark_snapshot::{Node, TreePath};
use serde_json::{Value, json};

use crate::support::{self, CLOCK, World};

#[tokio::test]
async fn the_surface_is_the_published_one() {
    let world = World::new().await;
    let names: Vec<&str> = world.client.tools().iter().map(|it| &*it.name).collect();
    assert_eq!(
        names,
        [
            "read_file",
            "read_text_file",
            "read_media_file",
            "read_multiple_files",
            "write_file",
            "edit_file",
            "create_directory",
            "list_directory",
            "list_directory_with_sizes",
            "directory_tree",
            "move_file",
            "search_files",
            "get_file_info",
            "list_allowed_directories"
        ]
    );
    // The client gets the file unchanged.
    let published: Value = serde_json::from_str(include_str!(
        "../../../runtime/services/filesystem/surface/2025.12.18.json"
    ))
    .unwrap();
    let served = serde_json::to_value(world.client.tools()).unwrap();
    assert_eq!(served, published);
    assert_eq!(mcpmark_filesystem::Filesystem.name(), "filesystem");
}

#[tokio::test]
async fn an_untouched_world_is_captured_as_it_was() {
    let world = World::new().await;
    assert_eq!(world.capture().await.digest(), world.start.digest());
    // Writing the existing content changes nothing either.
    let same = json!({"path": "B.txt", "content": "B"});
    world.ok("write_file", same).await;
    assert_eq!(world.capture().await.digest(), world.start.digest());
}

#[tokio::test]
async fn the_same_calls_give_the_same_bytes() {
    let calls = [
        ("write_file", json!({"path": "old.txt", "content": "new"})),
        ("write_file", json!({"path": "sub", "content": "x"})),
        ("create_directory", json!({"path": "made"})),
        (
            "move_file",
            json!({"source": "a.txt", "destination": "made/a"}),
        ),
        (
            "edit_file",
            json!({"path": "made/a", "edits": [{"oldText": "beta", "newText": "b"}]}),
        ),
        ("get_file_info", json!({"path": "made/a"})),
        ("list_directory_with_sizes", json!({"path": "."})),
        ("directory_tree", json!({"path": "."})),
    ];
    let mut runs = Vec::new();
    for _ in 0..2 {
        let world = World::new().await;
        let mut texts = Vec::new();
        for (tool, arguments) in &calls {
            texts.push(world.call(tool, arguments.clone()).await.text());
        }
        runs.push((texts, world.capture().await.digest()));
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn a_changed_file_has_the_time_of_the_world() {
    let world = World::new().await;
    let modified = |tree: &mcpmark_snapshot::Tree, path: &str| match tree
        .get(&TreePath::parse(path).unwrap())
    {
        Some(Node::File(file)) => file.modified,
        other => panic!("{path}: {other:?}"),
    };
    assert_eq!(modified(&world.start, "old.txt"), Some(946_684_800));
    let change = json!({"path": "old.txt", "content": "changed"});
    world.ok("write_file", change).await;
    let moved = json!({"source": "B.txt", "destination": "C.txt"});
    world.ok("move_file", moved).await;
    let after = world.capture().await;
    assert_eq!(modified(&after, "old.txt"), None, "the clock is {CLOCK}");
    assert_eq!(modified(&after, "C.txt"), None);
}

#[tokio::test]
async fn a_session_leaves_nothing_behind() {
    let world = World::new().await;
    let scratch = |home: &std::path::Path| {
        let entries = std::fs::read_dir(home).unwrap();
        entries
            .filter(|it| it.as_ref().unwrap().file_name() != "store")
            .count()
    };
    assert_eq!(scratch(world.home.path()), 1);
    let arguments = json!({"path": "x", "content": "x"});
    world.ok("write_file", arguments.clone()).await;
    world.session.close().await.unwrap();
    assert_eq!(scratch(world.home.path()), 0);
    let late = world
        .client
        .call(
            "write_file",
            arguments.as_object().cloned().unwrap(),
            Duration::from_secs(60),
        )
        .await;
    assert!(matches!(late, Err(CallError::Protocol { .. })), "{late:?}");
}

#[tokio::test]
async fn sessions_do_not_see_each_other() {
    let world = World::new().await;
    let limits = SessionLimits::default();
    let other = support::open(&world.start, &world.store, world.home.path(), limits)
        .await
        .unwrap();
    world
        .ok("write_file", json!({"path": "mine", "content": "x"}))
        .await;
    assert_eq!(
        other.capture().await.unwrap().digest(),
        world.start.digest()
    );
}

#[tokio::test]
async fn two_clients_share_one_world() {
    let world = World::new().await;
    let second = ToolClient::connect(&*world.session).await.unwrap();
    let arguments = json!({"path": "shared", "content": "x"});
    second
        .call(
            "write_file",
            arguments.as_object().cloned().unwrap(),
            Duration::from_secs(60),
        )
        .await
        .unwrap();
    assert_eq!(world.ok("read_file", json!({"path": "shared"})).await, "x");
    // One client can disconnect without an effect on the other.
    second.close().await.unwrap();
    assert_eq!(world.ok("read_file", json!({"path": "shared"})).await, "x");
}
