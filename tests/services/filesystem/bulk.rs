//! Large files, long names, deep directories and symlink cycles.

use mcpmark_filesystem::PROFILES;
use mcpmark_service::SessionLimits;
use serde_json::json;

use crate::support::{Entry, World};

#[tokio::test]
async fn a_hundred_megabytes_are_written_and_too_much_to_read() {
    let size = 100_000_000;
    let world = World::of(&[]).await;
    let content = "0123456789".repeat(size / 10);
    let write = json!({"path": "large.txt", "content": content});
    world.ok("write_file", write).await;
    let info = world
        .ok("get_file_info", json!({"path": "large.txt"}))
        .await;
    assert!(info.starts_with("size: 100000000\n"), "{info}");
    let text = world
        .fails("read_text_file", json!({"path": "large.txt"}))
        .await;
    assert!(
        text.contains("exceeds the limit of 8388608 bytes"),
        "{text}"
    );
    let head = json!({"path": "large.txt", "head": 1});
    let text = world.fails("read_text_file", head).await;
    assert!(
        text.contains("exceeds the limit of 8388608 bytes"),
        "{text}"
    );
}

#[tokio::test]
async fn a_quota_stops_what_is_larger() {
    let limits = SessionLimits {
        max_bytes: 1_000_000,
        ..SessionLimits::default()
    };
    let world = World::with(&[], limits).await;
    let write = json!({"path": "large.txt", "content": "x".repeat(1_000_001)});
    assert_eq!(
        world.fails("write_file", write).await,
        "ENOSPC: the quota of 1000000 bytes for the world (raised by \"limits.world_bytes\" in \
         meta.json) would be exceeded, write '/workspace/large.txt'"
    );
}

#[tokio::test]
async fn a_directory_of_very_many_entries() {
    let names: Vec<String> = (0..99_999)
        .map(|n| format!("many/entry-{n:05}.txt"))
        .collect();
    let entries: Vec<(&str, Entry<'_>)> = names
        .iter()
        .map(|name| (name.as_str(), Entry::Text("")))
        .collect();
    let world = World::of(&entries).await;
    let many = json!({"path": "many"});
    for (tool, arguments) in [
        ("list_directory", many.clone()),
        ("list_directory_with_sizes", many.clone()),
        ("directory_tree", many),
        ("search_files", json!({"path": "", "pattern": "**/*.txt"})),
    ] {
        let text = world.ok(tool, arguments).await;
        assert!(text.contains("entry-00000.txt"), "{tool}");
        assert!(text.contains("entry-99998.txt"), "{tool}");
    }
    let text = world
        .ok(
            "search_files",
            json!({"path": "", "pattern": "**/entry-?0000*"}),
        )
        .await;
    assert_eq!(text.lines().count(), 10);
}

#[tokio::test]
async fn names_of_255_bytes() {
    for profile in PROFILES {
        let name = "é".repeat(127) + "x";
        let world = World::as_of(Some(profile), &[], SessionLimits::default()).await;
        let write = json!({"path": name, "content": "long"});
        world.ok("write_file", write.clone()).await;
        assert_eq!(
            world.ok("read_text_file", json!({"path": name})).await,
            "long"
        );
        // The real server replaces a file through a temporary file with a longer name.
        let text = world.fails("write_file", write).await;
        assert!(
            text.starts_with("ENAMETOOLONG: name too long, open '/workspace/éé"),
            "{text}"
        );
        let text = world
            .fails(
                "write_file",
                json!({"path": format!("{name}x"), "content": ""}),
            )
            .await;
        assert!(
            text.starts_with("ENAMETOOLONG: name too long, realpath '/workspace/éé"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn binary_files_are_texts_with_replacements() {
    let bytes: Vec<u8> = (0..=255).collect();
    let world = World::of(&[("all.bin", Entry::Bytes(&bytes))]).await;
    let text = world.ok("read_text_file", json!({"path": "all.bin"})).await;
    assert_eq!(text, String::from_utf8_lossy(&bytes));
    let edits = json!([{"oldText": "A", "newText": "Z"}]);
    world
        .ok("edit_file", json!({"path": "all.bin", "edits": edits}))
        .await;
    assert!(world.file("all.bin").await.unwrap().contains("@ZBC"));
}

#[tokio::test]
async fn circles_of_symlinks_are_not_walked() {
    for profile in PROFILES {
        let entries = [
            ("d/up", Entry::Link("..")),
            ("d/here", Entry::Link(".")),
            ("d/a.txt", Entry::Text("a")),
            ("one", Entry::Link("two")),
            ("two", Entry::Link("one")),
        ];
        let world = World::as_of(Some(profile), &entries, SessionLimits::default()).await;
        let tree = world.ok("directory_tree", json!({"path": ""})).await;
        assert_eq!(tree.matches("a.txt").count(), 1);
        let found = world
            .ok(
                "search_files",
                json!({"path": "d/up/d/here/up", "pattern": "**/*.txt"}),
            )
            .await;
        assert_eq!(found, "/workspace/d/a.txt");
        for tool in ["read_text_file", "list_directory", "get_file_info"] {
            assert_eq!(
                world.fails(tool, json!({"path": "one"})).await,
                "ELOOP: too many symbolic links encountered, realpath '/workspace/one'"
            );
        }
        let far = "d/up/".repeat(41) + "d/a.txt";
        assert_eq!(
            world.fails("read_text_file", json!({"path": far})).await,
            format!("ELOOP: too many symbolic links encountered, realpath '/workspace/{far}'")
        );
    }
}
