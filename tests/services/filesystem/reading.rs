//! Tools that read files.

use mcpmark_service::Content;
use serde_json::json;

use crate::support::{Entry, World};

#[tokio::test]
async fn whole_files() {
    let world = World::new().await;
    for (path, expected) in [
        ("a.txt", "alpha\nbeta\ngamma\ndelta\nepsilon\n"),
        ("/workspace/a.txt", "alpha\nbeta\ngamma\ndelta\nepsilon\n"),
        ("sub/../nonl.txt", "one\ntwo"),
        ("link_in", "alpha\nbeta\ngamma\ndelta\nepsilon\n"),
        ("dir_in/b.md", "# b\n"),
        ("crlf.txt", "l1\r\nl2\r\nl3\r\n"),
        ("bad.bin", "\u{fffd}\u{fffd}A\u{fffd}"),
    ] {
        let arguments = json!({"path": path, "unknown": 1});
        assert_eq!(
            world.ok("read_text_file", arguments.clone()).await,
            expected
        );
        assert_eq!(world.ok("read_file", arguments).await, expected);
    }
}

#[tokio::test]
async fn first_and_last_lines() {
    let world = World::new().await;
    for (path, key, lines, expected) in [
        ("a.txt", "head", 2.0, "alpha\nbeta"),
        ("a.txt", "head", 1.5, "alpha\nbeta"),
        ("a.txt", "head", 5.0, "alpha\nbeta\ngamma\ndelta\nepsilon"),
        ("a.txt", "head", 99.0, "alpha\nbeta\ngamma\ndelta\nepsilon"),
        ("a.txt", "head", -1.0, ""),
        ("a.txt", "head", 0.0, "alpha\nbeta\ngamma\ndelta\nepsilon\n"),
        ("crlf.txt", "head", 1.0, "l1\r"),
        ("nonl.txt", "head", 99.0, "one\ntwo"),
        ("a.txt", "tail", 1.0, ""),
        ("a.txt", "tail", 2.0, "epsilon\n"),
        (
            "a.txt",
            "tail",
            99.0,
            "alpha\nbeta\ngamma\ndelta\nepsilon\n",
        ),
        ("a.txt", "tail", -1.0, ""),
        ("a.txt", "tail", 0.0, "alpha\nbeta\ngamma\ndelta\nepsilon\n"),
        ("nonl.txt", "tail", 1.0, "two"),
        ("crlf.txt", "tail", 2.0, "l3\n"),
    ] {
        let text = world
            .ok("read_text_file", json!({"path": path, key: lines}))
            .await;
        assert_eq!(text, expected, "{path} {key} {lines}");
    }
    let both = json!({"path": "a.txt", "head": 1, "tail": 1});
    assert_eq!(
        world.fails("read_text_file", both).await,
        "Cannot specify both head and tail parameters simultaneously"
    );
}

#[tokio::test]
async fn long_files_are_read_in_pieces() {
    let long = "0123456789\n".repeat(1000);
    let split = format!("{}é\nend", "x".repeat(1023));
    let world = World::of(&[("long", Entry::Text(&long)), ("split", Entry::Text(&split))]).await;
    let head = world
        .ok("read_text_file", json!({"path": "long", "head": 300}))
        .await;
    assert_eq!(head, "0123456789\n".repeat(300).trim_end());
    let tail = world
        .ok("read_text_file", json!({"path": "long", "tail": 300}))
        .await;
    assert_eq!(tail, "0123456789\n".repeat(299));
    // The real server decodes 1,024 bytes at a time.
    let cut = world
        .ok("read_text_file", json!({"path": "split", "head": 1}))
        .await;
    assert_eq!(cut, format!("{}\u{fffd}\u{fffd}", "x".repeat(1023)));
}

#[tokio::test]
async fn many_files() {
    let world = World::new().await;
    let paths = json!({"paths": ["nonl.txt", "missing.txt", "/etc/passwd", "sub", "B.txt"]});
    assert_eq!(
        world.ok("read_multiple_files", paths).await,
        "nonl.txt:\none\ntwo\n\n---\n\
         missing.txt: Error - ENOENT: no such file or directory, open '/workspace/missing.txt'\n---\n\
         /etc/passwd: Error - Access denied - path outside allowed directories: /etc/passwd not in /workspace\n---\n\
         sub: Error - EISDIR: illegal operation on a directory, read\n---\n\
         B.txt:\nB\n"
    );
}

#[tokio::test]
async fn media() {
    let world = World::new().await;
    let image = world
        .call("read_media_file", json!({"path": "photo.PNG"}))
        .await;
    let expected = Content::Image {
        data: "iVBORw==".to_owned(),
        mime_type: "image/png".to_owned(),
    };
    assert_eq!(image.content[0], expected);
    let structured = image.structured.unwrap();
    assert_eq!(
        structured,
        json!({"content": [serde_json::Value::from(expected)]})
    );

    let sound = world
        .call("read_media_file", json!({"path": "sound.wav"}))
        .await;
    let expected = Content::Audio {
        data: "UklGRg==".to_owned(),
        mime_type: "audio/wav".to_owned(),
    };
    assert_eq!(sound.content, [expected]);

    let other = json!({"path": "a.txt"}).as_object().cloned().unwrap();
    let timeout = std::time::Duration::from_secs(60);
    let refused = world.client.call("read_media_file", other, timeout).await;
    assert!(
        matches!(
            refused,
            Err(mcpmark_service::CallError::Protocol { code: -32602, .. })
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn info() {
    let world = World::new().await;
    let now = "Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)";
    let then = "Sat Jan 01 2000 00:00:00 GMT+0000 (Coordinated Universal Time)";
    for (path, size, modified, directory, permissions) in [
        ("a.txt", 31, now, false, 644),
        ("link_in", 31, now, false, 644),
        ("run.sh", 10, now, false, 755),
        ("old.txt", 1, then, false, 644),
        ("sub", 4096, now, true, 755),
        (".", 4096, now, true, 755),
    ] {
        assert_eq!(
            world.ok("get_file_info", json!({"path": path})).await,
            format!(
                "size: {size}\ncreated: {now}\nmodified: {modified}\naccessed: {now}\n\
                 isDirectory: {directory}\nisFile: {}\npermissions: {permissions}",
                !directory
            )
        );
    }
    // A file that a tool wrote has the time of the world's clock.
    world
        .ok("write_file", json!({"path": "old.txt", "content": "y"}))
        .await;
    let info = world.ok("get_file_info", json!({"path": "old.txt"})).await;
    assert!(info.contains(&format!("modified: {now}")), "{info}");
}

#[tokio::test]
async fn unreadable_paths_are_refused() {
    let world = World::new().await;
    let read = [
        (
            "missing.txt",
            "ENOENT: no such file or directory, open '/workspace/missing.txt'",
        ),
        (
            "dangling",
            "ENOENT: no such file or directory, open '/workspace/dangling'",
        ),
        ("sub", "EISDIR: illegal operation on a directory, read"),
        ("no/such", "Parent directory does not exist: /workspace/no"),
        (
            "a.txt/x",
            "ENOTDIR: not a directory, realpath '/workspace/a.txt/x'",
        ),
        (
            "loop1",
            "ELOOP: too many symbolic links encountered, realpath '/workspace/loop1'",
        ),
    ];
    for (path, expected) in read {
        for tool in ["read_file", "read_text_file", "read_media_file"] {
            assert_eq!(world.fails(tool, json!({"path": path})).await, expected);
        }
    }
    assert_eq!(
        world
            .fails("get_file_info", json!({"path": "missing"}))
            .await,
        "ENOENT: no such file or directory, stat '/workspace/missing'"
    );
    assert_eq!(
        world
            .fails("read_file", json!({"path": "missing", "tail": 1}))
            .await,
        "ENOENT: no such file or directory, stat '/workspace/missing'"
    );
}
