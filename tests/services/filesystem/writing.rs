//! Tools that write, edit and move.

use mcpmark_snapshot::{Node, TreePath, diff};
use serde_json::{Value, json};

use crate::support::{Entry, World};

fn edit(path: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = edits
        .iter()
        .map(|(old, new)| json!({"oldText": old, "newText": new}))
        .collect();
    json!({"path": path, "edits": edits})
}

#[tokio::test]
async fn write() {
    let world = World::new().await;
    for (path, on_disk) in [
        ("new.txt", "new.txt"),
        ("a.txt", "a.txt"),
        ("/workspace/sub/new/", "sub/new"),
        ("dir_in/through", "sub/through"),
        ("dangling", "dangling"),
        ("é \"quoted\"\n", "é \"quoted\"\n"),
    ] {
        let content = format!("content of {path}\r\n");
        assert_eq!(
            world
                .ok("write_file", json!({"path": path, "content": content}))
                .await,
            format!("Successfully wrote to {path}")
        );
        assert_eq!(world.file(on_disk).await.unwrap(), content);
    }
    // Writes through the link to its target. The link stays.
    world
        .ok("write_file", json!({"path": "link_in", "content": "L"}))
        .await;
    assert_eq!(world.file("a.txt").await.unwrap(), "L");
    let tree = world.capture().await;
    let link = tree.get(&TreePath::parse("link_in").unwrap()).unwrap();
    assert!(matches!(link, Node::Symlink(_)));
}

#[tokio::test]
async fn unwritable_paths_are_refused() {
    let world = World::new().await;
    for (path, expected) in [
        ("no/such", "Parent directory does not exist: /workspace/no"),
        (
            "a.txt/x",
            "ENOTDIR: not a directory, realpath '/workspace/a.txt/x'",
        ),
        (
            "loop1",
            "ELOOP: too many symbolic links encountered, realpath '/workspace/loop1'",
        ),
    ] {
        let arguments = json!({"path": path, "content": "x"});
        assert_eq!(world.fails("write_file", arguments).await, expected);
    }
    for path in ["sub", ".", "empty"] {
        let text = world
            .fails("write_file", json!({"path": path, "content": "x"}))
            .await;
        let target = format!("/workspace/{path}").replace("/.", "");
        let (start, end) = (
            format!("EISDIR: illegal operation on a directory, rename '{target}."),
            format!(".tmp' -> '{target}'"),
        );
        assert!(text.starts_with(&start) && text.ends_with(&end), "{text}");
        assert_eq!(text.len(), start.len() + 32 + end.len());
    }
}

#[tokio::test]
async fn edits() {
    let world = World::new().await;
    let patch = "```diff\nIndex: /workspace/a.txt\n\
         ===================================================================\n\
         --- /workspace/a.txt\toriginal\n+++ /workspace/a.txt\tmodified\n\
         @@ -1,5 +1,6 @@\n alpha\n-beta\n+BETA\n gamma\n delta\n+extra\n epsilon\n```\n\n";
    let mut arguments = edit("a.txt", &[("beta", "BETA"), ("delta\n", "delta\nextra\n")]);
    arguments["dryRun"] = json!(true);
    assert_eq!(world.ok("edit_file", arguments.clone()).await, patch);
    assert_eq!(world.capture().await, world.start);
    arguments["dryRun"] = json!(false);
    assert_eq!(world.ok("edit_file", arguments).await, patch);
    assert_eq!(
        world.file("a.txt").await.unwrap(),
        "alpha\nBETA\ngamma\ndelta\nextra\nepsilon\n"
    );
}

#[tokio::test]
async fn edits_of_odd_texts() {
    for (before, edits, after) in [
        // Replaces only the first occurrence.
        ("a a", vec![("a", "b")], "b a"),
        // An empty old text matches at the start.
        ("x", vec![("", "pre")], "prex"),
        // Line endings become line feeds.
        ("a\r\nb\r\n", vec![("a\nb", "c\r\nd")], "c\nd\n"),
        // Edits are applied in sequence.
        ("a", vec![("a", "b"), ("b", "c")], "c"),
        // Replacement patterns of JavaScript.
        (
            "cost",
            vec![("os", "[$$|$&|$`|$'|$1|$]")],
            "c[$|os|c|t|$1|$]t",
        ),
        // Ignores white space around lines and keeps the indentation.
        (
            "  if x:\n      foo()\n  end\n",
            vec![("if x:\n    foo()", "if y:\n      bar()\n")],
            "  if y:\n    bar()\n\n  end\n",
        ),
        ("\tone\t\n", vec![("  one", "two")], "\ttwo\n"),
    ] {
        let world = World::of(&[("f", Entry::Text(before))]).await;
        world.ok("edit_file", edit("f", &edits)).await;
        assert_eq!(
            world.file("f").await.unwrap(),
            after,
            "{before:?} {edits:?}"
        );
    }
}

#[tokio::test]
async fn patches_without_a_last_line_feed() {
    let world = World::of(&[("f", Entry::Text("one\ntwo")), ("g", Entry::Text("```"))]).await;
    let body = |text: &str| text.lines().skip(5).collect::<Vec<_>>().join("\n");
    let text = world.ok("edit_file", edit("f", &[("two", "2")])).await;
    assert_eq!(
        body(&text),
        "@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n\
         \\ No newline at end of file\n```\n"
    );
    let text = world.ok("edit_file", edit("f", &[])).await;
    assert_eq!(body(&text), "```\n");
    let text = world.ok("edit_file", edit("g", &[("```", "````")])).await;
    assert!(
        text.starts_with("`````diff\n") && text.ends_with("\n`````\n\n"),
        "{text}"
    );
}

#[tokio::test]
async fn an_edit_that_does_not_fit_changes_nothing() {
    let world = World::new().await;
    let text = world
        .fails(
            "edit_file",
            edit("a.txt", &[("alpha", "A"), ("no\r\nsuch", "x")]),
        )
        .await;
    assert_eq!(text, "Could not find exact match for edit:\nno\r\nsuch");
    let text = world.fails("edit_file", edit("missing", &[])).await;
    assert_eq!(
        text,
        "ENOENT: no such file or directory, open '/workspace/missing'"
    );
    let text = world.fails("edit_file", edit("sub", &[("a", "b")])).await;
    assert_eq!(text, "EISDIR: illegal operation on a directory, read");
}

#[tokio::test]
async fn directories() {
    let world = World::new().await;
    for path in ["new", "sub", "new/below", "", "dir_in/also"] {
        assert_eq!(
            world.ok("create_directory", json!({"path": path})).await,
            format!("Successfully created directory {path}")
        );
    }
    let tree = world.capture().await;
    for path in ["new/below", "sub/also"] {
        let node = tree.get(&TreePath::parse(path).unwrap());
        assert!(matches!(node, Some(Node::Directory(_))), "{path}");
    }
    for (path, expected) in [
        ("x/y", "Parent directory does not exist: /workspace/x"),
        (
            "a.txt",
            "EEXIST: file already exists, mkdir '/workspace/a.txt'",
        ),
        (
            "link_in",
            "EEXIST: file already exists, mkdir '/workspace/a.txt'",
        ),
        (
            "dangling",
            "ENOENT: no such file or directory, mkdir '/workspace/dangling'",
        ),
    ] {
        let text = world.fails("create_directory", json!({"path": path})).await;
        assert_eq!(text, expected);
    }
}

#[tokio::test]
async fn moves() {
    let world = World::new().await;
    for (from, to) in [
        ("a.txt", "moved.txt"),
        // Replaces an existing file.
        ("moved.txt", "B.txt"),
        ("empty", "sub/empty"),
        // Replaces an empty directory.
        ("sub/deep", "sub/empty"),
        ("B.txt", "B.txt"),
        ("run.sh", "sub/run.sh"),
    ] {
        assert_eq!(
            world
                .ok("move_file", json!({"source": from, "destination": to}))
                .await,
            format!("Successfully moved {from} to {to}")
        );
    }
    assert_eq!(
        world.file("B.txt").await.unwrap(),
        "alpha\nbeta\ngamma\ndelta\nepsilon\n"
    );
    let after = world.capture().await;
    let changes: Vec<String> = diff(&world.start, &after)
        .iter()
        .map(|change| change.path.to_string())
        .collect();
    assert_eq!(
        changes,
        [
            "B.txt",
            "a.txt",
            "empty",
            "run.sh",
            "sub/deep",
            "sub/deep/c.txt",
            "sub/empty",
            "sub/empty/c.txt",
            "sub/run.sh"
        ]
    );
    let Some(Node::File(script)) = after.get(&TreePath::parse("sub/run.sh").unwrap()) else {
        panic!("the script was not moved");
    };
    assert!(script.executable);
}

#[tokio::test]
async fn impossible_moves_are_refused() {
    let world = World::new().await;
    for (from, to, expected) in [
        (
            "missing",
            "x",
            "ENOENT: no such file or directory, rename '/workspace/missing' -> '/workspace/x'",
        ),
        (
            "sub",
            "sub/deep/in",
            "EINVAL: invalid argument, rename '/workspace/sub' -> '/workspace/sub/deep/in'",
        ),
        (
            "sub",
            "nonl.txt",
            "ENOTDIR: not a directory, rename '/workspace/sub' -> '/workspace/nonl.txt'",
        ),
        (
            "nonl.txt",
            "sub",
            "EISDIR: illegal operation on a directory, rename '/workspace/nonl.txt' -> '/workspace/sub'",
        ),
        (
            "empty",
            "sub",
            "ENOTEMPTY: directory not empty, rename '/workspace/empty' -> '/workspace/sub'",
        ),
        (
            "sub/b.md",
            "sub",
            "ENOTEMPTY: directory not empty, rename '/workspace/sub/b.md' -> '/workspace/sub'",
        ),
        (
            "nonl.txt",
            "no/such",
            "Parent directory does not exist: /workspace/no",
        ),
        (
            "",
            "x",
            "EINVAL: invalid argument, rename '/workspace' -> '/workspace/x'",
        ),
        (
            "nonl.txt",
            "/etc/x",
            "Access denied - path outside allowed directories: /etc/x not in /workspace",
        ),
    ] {
        let arguments = json!({"source": from, "destination": to});
        assert_eq!(world.fails("move_file", arguments).await, expected);
    }
}

#[tokio::test]
async fn a_move_cannot_make_a_symlink_lead_outside() {
    let world = World::of(&[
        ("f.txt", Entry::Text("f")),
        ("a/b/link", Entry::Link("../../f.txt")),
        ("a/gone", Entry::Link("../missing")),
    ])
    .await;
    for (from, to) in [("a/b", "b"), ("a/gone", "gone")] {
        let text = world
            .fails("move_file", json!({"source": from, "destination": to}))
            .await;
        assert!(text.starts_with("Access denied - symlink"), "{text}");
    }
    let deeper = json!({"source": "f.txt", "destination": "a/f.txt"});
    world.ok("move_file", deeper).await;
    world.capture().await;
}
