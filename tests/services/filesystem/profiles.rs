//! Differences between the versions of the published server.

use mcpmark_filesystem::{Filesystem, PROFILES};
use mcpmark_service::{Service, ServiceError, SessionLimits};
use serde_json::{Value, json};

use crate::support::{self, Entry, WORLD, World};

const LATER: &str = "2026.8.31";

async fn later(entries: &[(&str, Entry<'_>)]) -> World {
    World::as_of(Some(LATER), entries, SessionLimits::default()).await
}

#[tokio::test]
async fn each_serves_its_own_surface() {
    for (profile, surface) in [
        (
            "2025.12.18",
            include_str!("../../../runtime/services/filesystem/surface/2025.12.18.json"),
        ),
        (
            LATER,
            include_str!("../../../runtime/services/filesystem/surface/2026.8.31.json"),
        ),
    ] {
        assert!(PROFILES.contains(&profile));
        let world = World::as_of(Some(profile), WORLD, SessionLimits::default()).await;
        let published: Value = serde_json::from_str(surface).unwrap();
        let served = serde_json::to_value(world.client.tools()).unwrap();
        assert_eq!(served, published);
    }
}

#[tokio::test]
async fn an_unknown_one_is_refused_with_those_that_there_are() {
    let world = World::new().await;
    let mut state = support::state(
        &world.start,
        &world.store,
        world.home.path(),
        SessionLimits::default(),
    );
    state.profile = Some("2024.1.1".to_owned());
    let Err(error @ ServiceError::UnknownProfile { .. }) = Filesystem.open(state).await else {
        panic!("the world was opened");
    };
    assert_eq!(
        error.to_string(),
        "unknown profile \"2024.1.1\" of the filesystem service; expected one of 2025.12.18, 2026.8.31"
    );
}

#[tokio::test]
async fn the_later_one_makes_missing_directories() {
    let world = later(WORLD).await;
    let path = json!({"path": "new/a/b"});
    world.ok("create_directory", path).await;
    world
        .ok(
            "move_file",
            json!({"source": "new/a/b", "destination": "new/c"}),
        )
        .await;
    let write = json!({"path": "missing/x.txt", "content": "x"});
    assert_eq!(
        world.fails("write_file", write).await,
        "ENOENT: no such file or directory, open '/workspace/missing/x.txt'"
    );
    assert_eq!(
        world
            .fails("create_directory", json!({"path": "a.txt/b"}))
            .await,
        "ENOTDIR: not a directory, realpath '/workspace/a.txt/b'"
    );
    let long = format!("fresh/{}", "x".repeat(256));
    assert_eq!(
        world.fails("create_directory", json!({"path": long})).await,
        format!("ENAMETOOLONG: name too long, mkdir '/workspace/{long}'")
    );
}

#[tokio::test]
async fn the_later_one_moves_onto_nothing() {
    let world = later(WORLD).await;
    for destination in ["B.txt", "sub", "link_in"] {
        let real = match destination {
            "link_in" => "a.txt",
            other => other,
        };
        let arguments = json!({"source": "nonl.txt", "destination": destination});
        assert_eq!(
            world.fails("move_file", arguments).await,
            format!("Destination already exists: /workspace/{real}")
        );
    }
}

#[tokio::test]
async fn the_later_one_finds_names_in_another_form() {
    let world = later(&[
        ("cafe\u{301}/menu.txt", Entry::Text("soup")),
        ("na\u{ef}ve", Entry::Text("1")),
        ("nai\u{308}ve", Entry::Text("2")),
        ("pin\u{303}a", Entry::Link("nowhere")),
    ])
    .await;
    let read = |path: &str| json!({"path": path});
    assert_eq!(
        world.ok("read_text_file", read("caf\u{e9}/menu.txt")).await,
        "soup"
    );
    let write = json!({"path": "caf\u{e9}/new.txt", "content": "x"});
    world.ok("write_file", write).await;
    assert_eq!(
        world.file("cafe\u{301}/new.txt").await.as_deref(),
        Some("x")
    );
    assert_eq!(world.ok("read_text_file", read("na\u{ef}ve")).await, "1");
    assert_eq!(
        world.fails("read_text_file", read("pi\u{f1}a")).await,
        "Parent directory does not exist: /workspace"
    );
    let world = later(&[
        ("\u{1e69}", Entry::Text("1")),
        ("s\u{323}\u{307}", Entry::Text("2")),
    ])
    .await;
    assert_eq!(
        world.fails("read_text_file", read("s\u{307}\u{323}")).await,
        "Ambiguous Unicode path component: s\u{307}\u{323}"
    );
}

#[tokio::test]
async fn the_later_one_refuses_drives() {
    let world = later(WORLD).await;
    for path in ["C:\\x", "c:/x", "Z:"] {
        assert_eq!(
            world.fails("read_text_file", json!({"path": path})).await,
            format!("Access denied - Windows-style path received on a POSIX host: {path}")
        );
    }
    // Paths that only resemble a path in the world.
    for path in ["/workspace ", "/workspace'"] {
        assert_eq!(
            world
                .fails("write_file", json!({"path": path, "content": ""}))
                .await,
            format!("Access denied - path outside allowed directories: {path} not in /workspace")
        );
    }
}

#[tokio::test]
async fn the_later_one_takes_new_text_as_it_is_and_keeps_permissions() {
    let world = later(WORLD).await;
    let edits = json!([{"oldText": "#!/bin/sh", "newText": "$& $$"}]);
    let edit = json!({"path": "run.sh", "edits": edits});
    world.ok("edit_file", edit).await;
    assert_eq!(world.file("run.sh").await.as_deref(), Some("$& $$\n"));
    let info = world.ok("get_file_info", json!({"path": "run.sh"})).await;
    assert!(info.ends_with("permissions: 755"), "{info}");

    let world = World::new().await;
    let write = json!({"path": "run.sh", "content": "x"});
    world.ok("write_file", write).await;
    let info = world.ok("get_file_info", json!({"path": "run.sh"})).await;
    assert!(info.ends_with("permissions: 644"), "{info}");
}

#[tokio::test]
async fn the_later_one_embeds_other_files() {
    let world = later(&[("a b.bin", Entry::Bytes(b"\xff\0"))]).await;
    let output = world
        .call("read_media_file", json!({"path": "a b.bin"}))
        .await;
    let expected = json!({
        "type": "resource",
        "resource": {
            "uri": "file:///workspace/a%20b.bin",
            "mimeType": "application/octet-stream",
            "blob": "/wA=",
        },
    });
    assert_eq!(
        serde_json::to_value(&output.content).unwrap(),
        json!([expected])
    );
    assert_eq!(output.structured, Some(json!({"content": [expected]})));
}

#[tokio::test]
async fn the_later_one_loses_no_character() {
    let text = format!("x{}\nend", "é".repeat(1500));
    let world = later(&[("long.txt", Entry::Text(&text))]).await;
    let read = |name: &str, lines: f64| json!({"path": "long.txt", name: lines});
    let (first, _) = text.split_once('\n').unwrap();
    assert_eq!(world.ok("read_file", read("head", 1.0)).await, first);
    assert_eq!(world.ok("read_file", read("tail", 2.0)).await, text);
    assert_eq!(world.ok("read_file", read("tail", 1.0)).await, "end");
    assert_eq!(world.ok("read_file", read("tail", -2.0)).await, "");
}
