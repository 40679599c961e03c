//! Tools that list and search.

use serde_json::{Value, json};

use crate::support::{Entry, World};

#[tokio::test]
async fn plain() {
    let world = World::new().await;
    assert_eq!(
        world.ok("list_directory", json!({"path": "."})).await,
        "[FILE] .hidden\n[FILE] B.txt\n[FILE] a.txt\n[FILE] bad.bin\n[FILE] crlf.txt\n\
         [FILE] dangling\n[FILE] dir_in\n[DIR] empty\n[FILE] link_in\n[FILE] loop1\n\
         [FILE] loop2\n[FILE] nonl.txt\n[FILE] old.txt\n[FILE] photo.PNG\n[FILE] run.sh\n\
         [FILE] sound.wav\n[DIR] sub"
    );
    assert_eq!(
        world.ok("list_directory", json!({"path": "dir_in"})).await,
        "[FILE] b.md\n[DIR] deep"
    );
    assert_eq!(
        world.ok("list_directory", json!({"path": "empty"})).await,
        ""
    );
}

#[tokio::test]
async fn sizes() {
    let (large, medium) = ("x".repeat(3000), "x".repeat(1152));
    let world = World::of(&[
        ("B", Entry::Text("")),
        ("a", Entry::Text(&large)),
        ("_c", Entry::Text(&medium)),
        ("dir/x", Entry::Text("x")),
        ("link", Entry::Link("a")),
        (
            "a name that is longer than thirty characters.txt",
            Entry::Text("x"),
        ),
    ])
    .await;
    let by_name = "[FILE] _c                                1.13 KB\n\
         [FILE] a                                 2.93 KB\n\
         [FILE] a name that is longer than thirty characters.txt        1 B\n\
         [FILE] B                                     0 B\n\
         [DIR] dir                            \n\
         [FILE] link                              2.93 KB\n\n\
         Total: 5 files, 1 directories\nCombined size: 6.99 KB";
    for arguments in [json!({"path": ""}), json!({"path": "", "sortBy": "name"})] {
        assert_eq!(
            world.ok("list_directory_with_sizes", arguments).await,
            by_name
        );
    }
    let by_size = world
        .ok(
            "list_directory_with_sizes",
            json!({"path": "", "sortBy": "size"}),
        )
        .await;
    let names: Vec<&str> = by_size
        .lines()
        .take(6)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(names, ["dir", "a", "link", "_c", "a", "B"]);
}

#[tokio::test]
async fn trees() {
    let world = World::new().await;
    assert_eq!(
        world.ok("directory_tree", json!({"path": "sub"})).await,
        "[\n  {\n    \"name\": \"b.md\",\n    \"type\": \"file\"\n  },\n  {\n    \"name\": \"deep\",\n    \
         \"type\": \"directory\",\n    \"children\": [\n      {\n        \"name\": \"c.txt\",\n        \
         \"type\": \"file\"\n      }\n    ]\n  }\n]"
    );
    assert_eq!(
        world.ok("directory_tree", json!({"path": "empty"})).await,
        "[]"
    );
    for (excluded, left) in [
        (json!(["deep"]), vec!["b.md"]),
        (json!(["*.md"]), vec!["deep"]),
        (json!(["b.md", "deep"]), vec![]),
        (json!(["c.txt"]), vec!["b.md", "deep"]),
        (json!(["*.txt"]), vec!["b.md", "deep"]),
    ] {
        let arguments = json!({"path": "sub", "excludePatterns": excluded});
        let text = world.ok("directory_tree", arguments).await;
        let tree: Vec<Value> = serde_json::from_str(&text).unwrap();
        let names: Vec<&str> = tree.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, left, "{excluded}");
    }
}

#[tokio::test]
async fn search() {
    let world = World::new().await;
    for (path, pattern, excluded, found) in [
        (
            "",
            "*.txt",
            json!([]),
            "a.txt B.txt crlf.txt nonl.txt old.txt",
        ),
        (
            "",
            "**/*.{md,txt}",
            json!(["*.txt"]),
            "sub/b.md sub/deep/c.txt",
        ),
        ("", "**", json!(["**/*.*", "[!s]*"]), "sub sub/deep"),
        ("sub", "**", json!(["deep"]), "sub/b.md"),
        ("dir_in", "*.md", json!([]), "sub/b.md"),
        ("", "sub", json!([]), "sub"),
        ("", "b.md", json!([]), ""),
        ("", "dangling", json!([]), "dangling"),
        ("", "loop1", json!([]), ""),
        ("empty", "**", json!([]), ""),
    ] {
        let arguments = json!({"path": path, "pattern": pattern, "excludePatterns": excluded});
        let text = world.ok("search_files", arguments).await;
        let mut expected: Vec<String> = found
            .split_whitespace()
            .map(|path| format!("/workspace/{path}"))
            .collect();
        expected.sort();
        let expected = if expected.is_empty() {
            "No matches found".to_owned()
        } else {
            expected.join("\n")
        };
        assert_eq!(text, expected, "{pattern} in {path}");
    }
    let long = json!({"path": "", "pattern": "x".repeat(70_000)});
    assert_eq!(world.ok("search_files", long).await, "No matches found");
}

#[tokio::test]
async fn allowed_directories() {
    let world = World::new().await;
    assert_eq!(
        world.ok("list_allowed_directories", json!({})).await,
        "Allowed directories:\n/workspace"
    );
}

#[tokio::test]
async fn unlistable_paths_are_refused() {
    let world = World::new().await;
    for (path, expected) in [
        (
            "a.txt",
            "ENOTDIR: not a directory, scandir '/workspace/a.txt'",
        ),
        (
            "missing",
            "ENOENT: no such file or directory, scandir '/workspace/missing'",
        ),
        ("no/such", "Parent directory does not exist: /workspace/no"),
        (
            "..",
            "Access denied - path outside allowed directories: / not in /workspace",
        ),
    ] {
        for tool in [
            "list_directory",
            "list_directory_with_sizes",
            "directory_tree",
            "search_files",
        ] {
            let arguments = json!({"path": path, "pattern": "*"});
            assert_eq!(world.fails(tool, arguments).await, expected, "{tool}");
        }
    }
}
