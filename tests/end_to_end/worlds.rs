//! `world show`, `world diff` and `world import`, and entries that are refused in worlds.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use mcpmark_github::builder::{Builder, Signature, Step};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::environment::{Environment, text};
use crate::library::{Library, count_files};

#[test]
fn a_seeded_world_is_made_alike_each_time() {
    let shown = |environment: &Environment| {
        let args = ["world", "show", "filesystem/food-bank", "--json"];
        environment.run(args).exits(0).json()
    };
    let one = shown(&Environment::new());
    let environment = Environment::new();
    let two = shown(&environment);
    assert_eq!(one, two);
    assert!(one["entries"].as_array().unwrap().len() > 100);
    // A state in the store can be named by its digest.
    let digest = text(&one["digest"]);
    let args = ["world", "diff", "filesystem/food-bank", &digest];
    let same = environment.run(args).exits(0);
    assert_eq!(same.stdout, "no difference\n");
    let args = args.iter().chain(&["--exit-code"]);
    environment.run(args).exits(0);
}

#[test]
fn a_repository_is_shown_with_its_branches_history_and_what_is_open() {
    let environment = Environment::bare();
    let dir = environment.path("world");
    let mut builder = Builder::new(&environment.directory("scratch", &[])).unwrap();
    let mut commit = |parents: &[&str], path: &str, title: &str, hours: i64| {
        let who = Signature {
            name: "Ann Lee".to_owned(),
            email: "ann@example.org".to_owned(),
            time: 1_767_225_600 + 3_600 * hours,
            offset: 0,
        };
        let step = Step::Write {
            path: path.to_owned(),
            content: format!("{title}\n").into_bytes(),
            executable: false,
        };
        let parents: Vec<String> = parents.iter().map(|&id| id.to_owned()).collect();
        builder
            .commit(&parents, vec![step], &who, &who, title, &mut |_| true)
            .unwrap()
    };
    let begin = commit(&[], "README.md", "Begin", 0);
    let fix = commit(&[&begin], "fix.txt", "Fix \u{1b}[31mit", 1);
    let more = commit(&[&begin], "more.txt", "Write more", 2);
    let merge = commit(&[&more, &fix], "merged.txt", "Merge the fix", 3);
    let idea = commit(&[&begin], "idea.txt", "Try an idea", 4);
    builder
        .set_reference("refs/heads/main", &merge, &mut |_| true)
        .unwrap();
    builder
        .set_reference("refs/heads/idea", &idea, &mut |_| true)
        .unwrap();
    write_repository(builder, &dir);
    for (name, text) in [
        (
            "issues.json",
            r#"[{"number": 1, "title": "Old", "user": "ann", "state": "closed"},
                {"number": 2, "title": "Ideas are missing", "user": "ann"}]"#,
        ),
        (
            "pulls.json",
            r#"[{"number": 3, "title": "An idea", "user": "ann", "head": "idea", "base": "main"}]"#,
        ),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    let shown = environment.run(["world", "show", path(&dir)]).exits(0);
    let (tree, repository) = shown.stdout.split_once("mcpmark/repo\n").unwrap();
    assert!(tree.contains(".git/\n") && !tree.contains("objects"));
    let mut repository = repository.to_owned();
    for (id, name) in [
        (&begin, "=begin="),
        (&fix, "==fix=="),
        (&more, "=more=="),
        (&merge, "=merge="),
        (&idea, "=idea=="),
    ] {
        repository = repository.replace(&id[..7], name);
    }
    insta::assert_snapshot!(
        "a_repository_is_shown_with_its_branches_history_and_what_is_open",
        repository
    );
    let shown = environment.run(["world", "show", path(&dir), "--json"]);
    let repository = &shown.exits(0).json()["repository"];
    assert_eq!(
        *repository,
        serde_json::json!({
            "name": "mcpmark/repo",
            "default_branch": "main",
            "commits": 4,
            "branches": [
                {"name": "idea", "sha": idea, "title": "Try an idea"},
                {"name": "main", "sha": merge, "title": "Merge the fix"},
            ],
            "issues": [{"number": 2, "title": "Ideas are missing", "user": "ann", "labels": []}],
            "pulls": [
                {"number": 3, "title": "An idea", "user": "ann", "labels": [], "head": "idea", "base": "main"},
            ],
        })
    );

    // A broken world can be neither served nor shown, and both errors name the cause.
    fs::write(dir.join("issues.json"), "[\n{").unwrap();
    let served = ["mcp", "serve", "--world", path(&dir), "--service", "github"];
    let served = environment.run(served).exits(4).stderr;
    assert!(served.contains("issues.json:2:1: "), "{served}");
    for more in [&[][..], &["--json"]] {
        let shown = environment.run([&["world", "show", path(&dir)], more].concat());
        let shown = shown.exits(4);
        assert_eq!(
            (shown.stdout, shown.stderr),
            (String::new(), served.clone())
        );
    }
}

fn write_repository(builder: Builder, dir: &Path) {
    for file in builder.finish(&mut |_| true).unwrap() {
        let path = dir.join(file.path);
        let Some(bytes) = file.content else {
            fs::create_dir_all(path).unwrap();
            continue;
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn a_published_template_becomes_a_world() {
    let environment = Environment::bare();
    let dir = environment.path("template");
    let mut builder = Builder::new(&environment.directory("scratch", &[])).unwrap();
    let who = Signature {
        name: "Ann Lee".to_owned(),
        email: "ann@example.org".to_owned(),
        time: 1_767_000_000,
        offset: 0,
    };
    let step = Step::Write {
        path: "README.md".to_owned(),
        content: b"# Demo\n".to_vec(),
        executable: false,
    };
    let begin = builder
        .commit(&[], vec![step], &who, &who, "Begin", &mut |_| true)
        .unwrap();
    for branch in ["refs/heads/main", "refs/heads/idle"] {
        builder
            .set_reference(branch, &begin, &mut |_| true)
            .unwrap();
    }
    write_repository(builder, &dir);
    let documents = [
        (
            "meta.json",
            r#"{"owner": "acme", "repo": "demo", "default_branch": "main"}"#,
        ),
        (
            "issues.json",
            r#"[{"title": "Late", "body": "b", "number": 9, "comments": [{"user": "dan", "body": "d"}]}]"#,
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "Idle", "body": "b", "head": "idle", "base": "main"}]"#,
        ),
    ];
    for (name, text) in documents {
        fs::write(dir.join(name), text).unwrap();
    }
    let (template, out) = (path(&dir), environment.path("out"));
    let args = [
        "world",
        "import",
        template,
        "-o",
        path(&out),
        "--viewer",
        "eve",
    ];
    let imported = environment.run(args).exits(0);
    assert_eq!(imported.stdout, "mcpmark/demo, 1 issue, 0 pull requests\n");
    insta::assert_snapshot!(imported.message(), @r#"skipped: pulls.json: #7 "Idle": POST https://api.github.com/repos/mcpmark/demo/pulls: 422 Validation Failed [{Resource:PullRequest Field: Code:custom Message:No commits between main and idle}]"#);
    let issues: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("issues.json")).unwrap()).unwrap();
    assert_eq!(
        (&issues[0]["number"], &issues[0]["user"]),
        (&1.into(), &"eve".into())
    );
    let shown = environment.run(["world", "show", path(&out)]).exits(0);
    assert!(shown.stdout.contains("1 issue open, 0 closed"));

    // Existing files are not overwritten, and errors in a template are located.
    let mut transcript = environment.run(args).exits(2).transcript();
    fs::write(dir.join("issues.json"), "[\n{}]").unwrap();
    let other = environment.path("other");
    let args = ["world", "import", template, "-o", path(&other)];
    transcript += &environment.run(args).exits(4).transcript();
    for (flag, login) in [("--owner", "a/b c"), ("--viewer", "")] {
        let refused = environment.run([&args[..], &[flag, login]].concat());
        transcript += &refused.exits(2).transcript();
    }
    let none = environment.run(["world", "import", "nowhere", "-o", path(&other)]);
    transcript += &none.exits(2).transcript();
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark world import [dir]/template -o [dir]/out --viewer eve
    error: --output [dir]/out is not empty
    hint: name a new or empty directory

    $ mcpmark world import [dir]/template -o [dir]/other
    error: [dir]/template: issues.json:2: [0]: missing field `title`

    $ mcpmark world import [dir]/template -o [dir]/other --owner "a/b c"
    error: --owner: invalid login "a/b c"
    hint: use at most 39 letters, digits, hyphens and underscores

    $ mcpmark world import [dir]/template -o [dir]/other --viewer ""
    error: --viewer: invalid login ""
    hint: use at most 39 letters, digits, hyphens and underscores

    $ mcpmark world import nowhere -o [dir]/other
    error: nowhere: not a directory
    hint: name the directory with repo/, issues.json, pulls.json and meta.json
    "#);
}

#[test]
fn documents_have_schemas() {
    let environment = Environment::bare();
    let names = environment.run(["world", "schema"]).exits(0);
    for name in names.stdout.lines() {
        let schema = environment.run(["world", "schema", name]).exits(0).json();
        assert_eq!(schema["title"], name);
    }
    assert!(names.stdout.lines().count() > 5);
    let unknown = environment.run(["world", "schema", "pull.json"]).exits(2);
    insta::assert_snapshot!(unknown.message(), @r#"
    error: unknown document "pull.json"
    hint: expected one of repository.json, users.json, labels.json, milestones.json, issues.json, pulls.json, releases.json, gists.json, runs.json, commits.json
    "#);
}

#[test]
fn a_world_is_a_tree_with_sizes() {
    let environment = Environment::new();
    let dir = environment.directory(
        "world",
        &[
            ("letters/2024/one.txt", "Dear all\n"),
            ("letters/two.txt", &"Dear all\n".repeat(300)),
            ("run.sh", "#!/bin/sh\n"),
            ("größe/日本.txt", "wide\n"),
        ],
    );
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(dir.join("run.sh"), mode).unwrap();
    symlink("letters", dir.join("newest")).unwrap();
    let shown = environment.run(["world", "show", path(&dir)]).exits(0);
    insta::assert_snapshot!(shown.stdout, @r"
    ├── größe/
    │   └── 日本.txt           5 B
    ├── letters/
    │   ├── 2024/
    │   │   └── one.txt        9 B
    │   └── two.txt        2.6 KiB
    ├── newest -> letters
    └── run.sh*               10 B
    4 files, 2.7 KiB, sha256:ba811d3ca0b09566eb5e4a917c81a37454af81c0de0b68e34bacd8b4b183085c
    ");
}

#[test]
fn differences_are_a_tree_and_the_lines_of_texts() {
    let environment = Environment::new();
    let table: String = (1..=40).map(|n| format!("{n},name {n}\n")).collect();
    let before = environment.directory(
        "before",
        &[
            ("a.txt", "1\n"),
            ("d/table.csv", &table),
            ("d/gone.md", "# Gone\n\nfor good\n"),
            ("d/moved.txt", "the same text\n"),
            ("kind", "a file\n"),
        ],
    );
    let after = environment.directory(
        "after",
        &[
            ("a.txt", "1\n"),
            (
                "d/table.csv",
                &table
                    .replace("20,name 20", "20,Name 20")
                    .replace("1,name 1\n", ""),
            ),
            ("e/moved.txt", "the same text\n"),
            ("e/new.txt", "no newline"),
            ("kind/inner.bin", "a\0b"),
        ],
    );
    let args = ["world", "diff", path(&before), path(&after)];
    environment
        .run(args.iter().chain(&["--exit-code"]))
        .exits(1);
    insta::assert_snapshot!(
        "differences_are_a_tree_and_the_lines_of_texts",
        environment.run(args).exits(0).stdout
    );
}

#[test]
fn long_differences_are_cut_unless_all_are_asked_for() {
    let environment = Environment::new();
    let before = environment.directory("before", &[]);
    let long: String = (1..=50).map(|n| format!("line {n}\n")).collect();
    let names: Vec<String> = (0..14).map(|n| format!("f{n:02}.txt")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "x\n")).collect();
    files[0].1 = &long;
    let after = environment.directory("after", &files);
    let args = ["world", "diff", path(&before), path(&after)];
    let cut = environment.run(args).exits(0).stdout;
    assert!(
        cut.contains("… 27 lines more; --full shows them\n"),
        "{cut}"
    );
    assert!(
        cut.ends_with("… 2 files more; --full shows them\n"),
        "{cut}"
    );
    assert!(!cut.contains("line 50"), "{cut}");
    let args = ["world", "diff", path(&before), path(&after), "--full"];
    let full = environment.run(args).exits(0).stdout;
    assert!(
        !full.contains("--full") && full.contains("+line 50\n"),
        "{full}"
    );
    assert_eq!(full.matches("+x\n").count(), 13);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Puts a forbidden entry into a world and into a state, and asserts that commands refuse them and store nothing.
/// Returns what they say.
fn refused(spoil: impl Fn(&Path)) -> String {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let files = library.world("office").join("files");
    spoil(&files);
    let state = environment.directory("state", &[]);
    spoil(&state);

    let run = library.run(["run", "--agent", "nop", "--json"]).exits(4);
    assert_eq!(run.stdout, "");
    let mut transcript = run.transcript();
    for args in [
        vec!["grade", "filesystem/office/easy", "--state", path(&state)],
        vec!["world", "show", path(&state)],
        vec!["mcp", "serve", "--world", path(&state)],
    ] {
        let output = library.run(&args).exits(4);
        assert_eq!(output.stdout, "", "{args:?}");
        transcript += &output.transcript();
    }
    let store = environment.home().join("store");
    assert_eq!(count_files(&store.join("blobs")), 0, "something was stored");
    let runs = library.run(["runs", "--json"]).exits(0);
    assert_eq!(runs.json(), serde_json::json!([]));
    transcript
}

#[test]
fn a_pipe_is_refused() {
    let spoil = |dir: &Path| {
        mknodat(CWD, dir.join("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    };
    insta::assert_snapshot!("a_pipe_is_refused", refused(spoil));
}

#[test]
fn a_socket_is_refused() {
    let spoil = |dir: &Path| drop(UnixListener::bind(dir.join("socket")).unwrap());
    insta::assert_snapshot!("a_socket_is_refused", refused(spoil));
}

#[test]
fn a_name_that_is_not_utf_8_is_refused() {
    let spoil = |dir: &Path| fs::write(dir.join(OsStr::from_bytes(b"caf\xe9.txt")), "x").unwrap();
    insta::assert_snapshot!("a_name_that_is_not_utf_8_is_refused", refused(spoil));
}

#[test]
fn a_symlink_that_points_outside_is_refused() {
    let spoil = |dir: &Path| symlink("../../../etc/passwd", dir.join("secrets")).unwrap();
    insta::assert_snapshot!("a_symlink_that_points_outside_is_refused", refused(spoil));
    let spoil = |dir: &Path| symlink("/etc/passwd", dir.join("secrets")).unwrap();
    insta::assert_snapshot!("a_symlink_that_points_outside_is_refused_2", refused(spoil));
}

#[test]
fn a_symlink_that_stays_inside_is_kept_and_not_followed() {
    let environment = Environment::new();
    let dir = environment.directory("world", &[("letters/one.txt", "Dear all\n")]);
    symlink("letters/one.txt", dir.join("newest")).unwrap();
    let args = ["world", "show", path(&dir), "--json"];
    let shown = environment.run(args).exits(0).json();
    let link = &shown["entries"][2];
    assert_eq!(link["kind"], "symlink");
    assert_eq!(link["target"], "letters/one.txt");
}
