//! Quotas of a session and limits of a result.

use mcpmark_service::{ServiceError, SessionLimits};
use serde_json::json;

use crate::support::{self, Entry, World};

fn limits() -> SessionLimits {
    SessionLimits {
        max_bytes: 100,
        max_files: 4,
        max_result_bytes: 1000,
    }
}

#[tokio::test]
async fn size_of_the_world() {
    let sixty = "x".repeat(60);
    let world = World::with(&[("a", Entry::Text(&sixty))], limits()).await;
    let write = |path: &str, size: usize| json!({"path": path, "content": "y".repeat(size)});
    assert_eq!(
        world.fails("write_file", write("b", 41)).await,
        "ENOSPC: the quota of 100 bytes for the world (raised by \"limits.world_bytes\" in meta.json) would be exceeded, write '/workspace/b'"
    );
    world.ok("write_file", write("b", 40)).await;
    world.fails("write_file", write("c", 1)).await;
    world.ok("write_file", write("c", 0)).await;
    // Overwriting a file, or moving onto it, frees its bytes.
    world.ok("write_file", write("a", 50)).await;
    world.ok("write_file", write("c", 10)).await;
    world.fails("write_file", write("c", 11)).await;
    world
        .ok("move_file", json!({"source": "c", "destination": "a"}))
        .await;
    world.ok("write_file", write("b", 90)).await;
    let edit = json!({"path": "a", "edits": [{"oldText": "y", "newText": "yy"}]});
    assert_eq!(
        world.fails("edit_file", edit).await,
        "ENOSPC: the quota of 100 bytes for the world (raised by \"limits.world_bytes\" in meta.json) would be exceeded, write '/workspace/a'"
    );
}

#[tokio::test]
async fn number_of_entries() {
    let world = World::with(&[("d/a", Entry::Text("a"))], limits()).await;
    world.ok("create_directory", json!({"path": "e"})).await;
    world
        .ok("write_file", json!({"path": "f", "content": ""}))
        .await;
    assert_eq!(
        world.fails("create_directory", json!({"path": "g"})).await,
        "ENOSPC: the quota of 4 files and directories for the world (raised by \"limits.world_files\" in meta.json) would be exceeded, mkdir '/workspace/g'"
    );
    assert_eq!(
        world
            .fails("write_file", json!({"path": "g", "content": ""}))
            .await,
        "ENOSPC: the quota of 4 files and directories for the world (raised by \"limits.world_files\" in meta.json) would be exceeded, write '/workspace/g'"
    );
    // Overwriting needs no new entry, and a move onto an entry frees one.
    world
        .ok("write_file", json!({"path": "f", "content": "x"}))
        .await;
    world
        .ok("move_file", json!({"source": "d", "destination": "e"}))
        .await;
    world.ok("create_directory", json!({"path": "g"})).await;
}

#[tokio::test]
async fn size_of_a_result() {
    let (within, beyond) = ("x".repeat(1000), "x".repeat(1001));
    let limits = SessionLimits {
        max_result_bytes: 1000,
        ..SessionLimits::default()
    };
    let world = World::with(
        &[
            ("within", Entry::Text(&within)),
            ("beyond", Entry::Text(&beyond)),
            ("sound.ogg", Entry::Text(&within)),
        ],
        limits,
    )
    .await;
    assert_eq!(
        world.ok("read_text_file", json!({"path": "within"})).await,
        within
    );
    for (tool, arguments) in [
        ("read_text_file", json!({"path": "beyond"})),
        ("read_text_file", json!({"path": "beyond", "head": 1})),
        ("read_text_file", json!({"path": "beyond", "tail": 1})),
        ("read_media_file", json!({"path": "sound.ogg"})),
        (
            "read_multiple_files",
            json!({"paths": ["within", "within"]}),
        ),
    ] {
        let text = world.fails(tool, arguments).await;
        assert!(
            text.contains("the limit of 1000 bytes for one tool result"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_world_beyond_the_limits_is_not_opened() {
    let world = World::new().await;
    let open = |limits| support::open(&world.start, &world.store, world.home.path(), limits);
    let few = SessionLimits {
        max_files: 3,
        ..SessionLimits::default()
    };
    for (limits, expected) in [
        (
            SessionLimits {
                max_bytes: 10,
                ..SessionLimits::default()
            },
            "which exceeds the quota of 10 bytes for the world (raised by \"limits.world_bytes\" in meta.json)",
        ),
        (
            few,
            "which exceeds the quota of 3 files and directories for the world (raised by \"limits.world_files\" in meta.json)",
        ),
    ] {
        let Err(ServiceError::SetUp { source, .. }) = open(limits).await else {
            panic!("the world was opened");
        };
        assert!(source.to_string().ends_with(expected), "{source}");
    }
}
