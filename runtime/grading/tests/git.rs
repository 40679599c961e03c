//! Repositories of the git engine: the real git accepts what the builder writes, and the reader returns it.

#[path = "../../../tests/hostile/cases.rs"]
mod cases;
#[path = "git/hostile.rs"]
mod hostile;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mcpmark_github::archive::{Archive, Cost, Meter, ReadError};
use mcpmark_github::builder::{BuildError, Builder, NewFile, Signature, Step};
use mcpmark_github::git::{EntryKind, Status};
use mcpmark_snapshot::Snapshot;
use mcpmark_test_support::{Need, skip};

/// Meter that accepts every cost.
fn free(_: Cost) -> bool {
    true
}

fn signature(name: &str, time: i64) -> Signature {
    Signature {
        name: name.to_owned(),
        email: format!("{}@example.org", name.to_lowercase()),
        time,
        offset: 60,
    }
}

fn write(path: &str, content: impl Into<Vec<u8>>) -> Step {
    Step::Write {
        path: path.to_owned(),
        content: content.into(),
        executable: path.ends_with(".sh"),
    }
}

/// Files of the built repository, and the ids of its commits.
struct Made {
    files: Vec<NewFile>,
    first: String,
    second: String,
    topic: String,
    merge: String,
}

fn make(scratch: &Path) -> Made {
    let mut builder = Builder::new(scratch).unwrap();
    let text: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let ada = |time| signature("Ada", time);
    let mut commit = |parents: &[&String], steps: Vec<Step>, time: i64, message: &str| {
        let parents: Vec<String> = parents.iter().map(|&id| id.clone()).collect();
        builder
            .commit(
                &parents,
                steps,
                &ada(time),
                &signature("Bob", time + 5),
                message,
                &mut free,
            )
            .unwrap()
    };
    let steps = vec![
        write("README.md", "# Ferry\n"),
        write("src/deep/long.txt", text.clone()),
        write("run.sh", "#!/bin/sh\n"),
        write("empty", ""),
    ];
    let first = commit(&[], steps, 1_700_000_000, "Begin\n\nWith a body.\n");
    let second = commit(
        &[&first],
        vec![
            write("README.md", "# Ferries\n"),
            Step::Remove("src".to_owned()),
            write("lib/long.txt", text),
        ],
        1_700_000_100,
        "Move\n",
    );
    let topic = commit(
        &[&first],
        vec![write("notes/a.md", "a\n")],
        1_700_000_050,
        "Note\n",
    );
    let merge = commit(
        &[&second, &topic],
        vec![write("notes/a.md", "a\n")],
        1_700_000_200,
        "Merge topic\n",
    );
    builder
        .set_reference("refs/heads/main", &merge, &mut free)
        .unwrap();
    builder
        .set_reference("refs/heads/topic/a", &topic, &mut free)
        .unwrap();
    builder
        .set_reference("refs/tags/v0.1", &first, &mut free)
        .unwrap();
    builder
        .annotate(
            "v1.0",
            &merge,
            &ada(1_700_000_300),
            "The first.\n",
            &mut free,
        )
        .unwrap();
    Made {
        files: builder.finish(&mut free).unwrap(),
        first,
        second,
        topic,
        merge,
    }
}

fn lay_out(files: &[NewFile], place: &Path) {
    for file in files {
        let path = place.join(&file.path);
        let Some(content) = &file.content else {
            fs::create_dir_all(path).unwrap();
            continue;
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let mode = if file.executable { 0o755 } else { 0o644 };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
}

fn git(place: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(place.join("repo/.git"))
        .arg("--work-tree")
        .arg(place.join("repo"))
        .args(arguments)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("TZ", "UTC")
        .output();
    let Ok(output) = output else {
        skip(Need::Git, "git cannot be started");
        return None;
    };
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {told}");
    Some(String::from_utf8(output.stdout).unwrap() + &told)
}

#[test]
fn equal_calls_make_equal_files_that_git_finds_nothing_wrong_with() {
    let scratch = tempfile::tempdir().unwrap();
    let made = make(scratch.path());
    assert_eq!(made.files, make(scratch.path()).files);
    let place = tempfile::tempdir().unwrap();
    lay_out(&made.files, place.path());
    let Some(checked) = git(place.path(), &["fsck", "--strict", "--full"]) else {
        return;
    };
    assert_eq!(checked, "");
    let of = |arguments: &[&str]| git(place.path(), arguments).unwrap();
    assert_eq!(
        of(&["log", "--topo-order", "--format=%H %an %cn %ai %s", "main"]),
        format!(
            "{} Ada Bob 2023-11-14 23:16:40 +0100 Merge topic\n\
             {} Ada Bob 2023-11-14 23:14:10 +0100 Note\n\
             {} Ada Bob 2023-11-14 23:15:00 +0100 Move\n\
             {} Ada Bob 2023-11-14 23:13:20 +0100 Begin\n",
            made.merge, made.topic, made.second, made.first
        )
    );
    assert_eq!(
        of(&["ls-tree", "-r", "--format=%(objectmode) %(path)", "main"]),
        "100644 README.md\n100644 empty\n100644 lib/long.txt\n100644 notes/a.md\n100755 run.sh\n"
    );
    assert_eq!(
        of(&["show", "-s", "--format=%B", "v0.1"]),
        "Begin\n\nWith a body.\n\n"
    );
    assert_eq!(
        of(&["cat-file", "tag", "v1.0"]).lines().last(),
        Some("The first.")
    );
    of(&["read-tree", "main"]);
    let differs = of(&["status", "--short"]);
    assert_eq!(differs, "", "the work tree is that of main");
}

#[test]
fn a_verifier_reads_what_was_written() {
    let scratch = tempfile::tempdir().unwrap();
    let made = make(scratch.path());
    let place = tempfile::tempdir().unwrap();
    lay_out(&made.files, place.path());
    let world = Snapshot::of_directory(place.path()).unwrap();
    let dir = Archive::find(&world.tree).unwrap();
    let archive = Archive::open(dir, &*world.blobs, scratch.path()).unwrap();
    let free: Meter<'_> = &mut free;

    assert_eq!(archive.head(), "main");
    let references: Vec<(String, Option<String>)> = archive
        .references(free)
        .unwrap()
        .into_iter()
        .map(|it| (it.name, it.commit.map(|id| id.to_string())))
        .collect();
    let expected = [
        ("refs/heads/main", &made.merge),
        ("refs/heads/topic/a", &made.topic),
        ("refs/tags/v0.1", &made.first),
        ("refs/tags/v1.0", &made.merge),
    ];
    assert_eq!(
        references,
        expected.map(|(name, id)| (name.to_owned(), Some(id.clone())))
    );
    for (revision, id) in [
        ("main", &made.merge),
        ("HEAD~1", &made.second),
        ("v1.0^2", &made.topic),
        ("main~2", &made.first),
        ("main^2~1", &made.first),
        (&made.topic[..9], &made.topic),
    ] {
        let found = archive.resolve(revision, free).unwrap();
        assert_eq!(&found.to_string(), id, "{revision}");
    }
    let short = &made.topic[..6];
    for revision in [
        "none",
        "main~9",
        "main^3",
        "main^x",
        "main^4294967295",
        short,
    ] {
        assert!(archive.resolve(revision, free).is_err(), "{revision}");
    }
    let ids = |start: &str, stop, path| -> Vec<String> {
        let log = archive.log(start, stop, path, 99, &mut |_| true).unwrap();
        log.into_iter()
            .map(|commit| commit.id.to_string())
            .collect()
    };
    let Made {
        first,
        second,
        topic,
        merge,
        ..
    } = &made;
    assert_eq!(
        ids(merge, None, None),
        [merge, second, topic, first].map(Clone::clone)
    );
    assert_eq!(
        ids(merge, Some(topic), None),
        [merge, second].map(Clone::clone)
    );
    assert_eq!(
        ids(merge, None, Some("README.md")),
        [second, first].map(Clone::clone)
    );
    assert_eq!(
        archive.merge_base(second, topic, free).unwrap(),
        archive.resolve(first, free).ok()
    );

    let (entry, size) = archive.stat(first, "src/deep/long.txt", free).unwrap();
    assert_eq!((entry.kind, size), (EntryKind::File, 3490));
    let blob = entry.id.to_string();
    assert_eq!(archive.blob(&blob, free).unwrap().len(), 3490);
    for below in ["src/deep/long.txt/x", "src//deep", "run.sh/"] {
        let found = archive.stat(first, below, free);
        assert!(matches!(found, Err(ReadError::NotFound)), "{below}");
    }
    assert!(matches!(
        archive.stat(second, "src", free),
        Err(ReadError::NotFound)
    ));
    assert!(matches!(
        archive.commit(&blob, free),
        Err(ReadError::OtherKind("blob"))
    ));
    let walked = archive.walk(merge, "", free).unwrap();
    let paths: Vec<&str> = walked
        .iter()
        .map(|(entry, _)| entry.path.as_str())
        .collect();
    assert_eq!(
        paths,
        ["README.md", "empty", "lib/long.txt", "notes/a.md", "run.sh"]
    );
    let changes: Vec<(Status, String, Option<String>)> = archive
        .changes(Some(first), second, free)
        .unwrap()
        .into_iter()
        .map(|change| (change.status, change.path, change.previous))
        .collect();
    let renamed = Some("src/deep/long.txt".to_owned());
    assert_eq!(
        changes,
        [
            (Status::Modified, "README.md".to_owned(), None),
            (Status::Renamed, "lib/long.txt".to_owned(), renamed),
        ]
    );
}

/// Reads are charged, also if the answer is short.
#[test]
fn nothing_is_read_that_is_not_paid_for() {
    let scratch = tempfile::tempdir().unwrap();
    let Made {
        files,
        first,
        second,
        merge,
        ..
    } = make(scratch.path());
    let place = tempfile::tempdir().unwrap();
    lay_out(&files, place.path());
    let world = Snapshot::of_directory(place.path()).unwrap();
    let dir = Archive::find(&world.tree).unwrap();
    let archive = Archive::open(dir, &*world.blobs, scratch.path()).unwrap();
    let cost = |ask: &dyn Fn(Meter<'_>) -> Result<(), ReadError>| {
        let mut paid = 0;
        ask(&mut |cost| {
            if let Cost::Objects(objects) = cost {
                paid += objects;
            }
            true
        })
        .unwrap();
        // With less than this cost there is no answer.
        let mut left = paid - 1;
        let asked = ask(&mut |cost| {
            let Cost::Objects(objects) = cost else {
                return true;
            };
            let enough = objects <= left;
            left = left.saturating_sub(objects);
            enough
        });
        assert!(matches!(asked, Err(ReadError::OverBudget)));
        paid
    };
    let main = "main";
    assert_eq!(cost(&|pay| archive.resolve("main~2", pay).map(drop)), 4);
    assert_eq!(cost(&|pay| archive.commit(&merge, pay).map(drop)), 1);
    assert_eq!(
        cost(&|pay| archive.stat(&first, "src/deep/long.txt", pay).map(drop)),
        5
    );
    assert_eq!(cost(&|pay| archive.walk(&merge, "", pay).map(drop)), 9);
    assert_eq!(cost(&|pay| archive.references(pay).map(drop)), 9);
    // Each visited commit is charged.
    let base = |pay: Meter<'_>| archive.merge_base(&first, &merge, pay).map(drop);
    assert_eq!(cost(&base), 6);
    // The result is empty, but the history is walked and charged.
    let tip = archive.resolve(main, &mut |_| true).unwrap().to_string();
    assert_eq!(
        cost(&|pay| archive.log(&tip, Some(&tip), None, 0, pay).map(drop)),
        6
    );
    assert_eq!(
        cost(&|pay| archive.changes(Some(&first), &second, pay).map(drop)),
        23
    );
}

#[test]
fn objects_that_git_rejects_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let mut builder = Builder::new(scratch.path()).unwrap();
    let ada = signature("Ada", 1);
    let mut commit = |parents: &[&str], steps| {
        let parents: Vec<String> = parents.iter().map(|&id| id.to_owned()).collect();
        builder.commit(&parents, steps, &ada, &ada, "x\n", &mut free)
    };
    let first = commit(&[], vec![write("a", "a")]).unwrap();
    for path in [
        &format!("{}x", "d/".repeat(200)),
        "",
        "/a",
        "../a",
        "a/./b",
        ".git/config",
        "x/.GIT/y",
        "a//b",
        "nul\0",
    ] {
        let refused = commit(&[&first], vec![write(path, "")]);
        assert!(matches!(refused, Err(BuildError::Invalid(_))), "{path:?}");
    }
    let remove = |path: &str| Step::Remove(path.to_owned());
    for steps in [
        vec![remove("b")],
        vec![remove("a"), remove("a")],
        vec![write("b/c", ""), remove("b"), remove("b/c")],
        vec![write("a/c", ""), write("a", ""), remove("a/c")],
    ] {
        let told = format!("{steps:?}");
        let gone = commit(&[&first], steps);
        assert!(matches!(gone, Err(BuildError::NotFound(_))), "{told}");
    }
    for steps in [
        vec![write("b/c", ""), remove("b")],
        vec![write("b/c", ""), remove("b/c"), remove("a")],
        vec![remove("a"), write("a/b", ""), remove("a")],
        vec![write("b", ""), write("b/c", ""), remove("b/c")],
    ] {
        commit(&[&first], steps).unwrap();
    }
    let parent = "0".repeat(40);
    assert!(matches!(
        commit(&[&parent], vec![]),
        Err(BuildError::NotFound(_))
    ));
    for bad in [
        signature("", 1),
        signature("A<b", 1),
        signature("A\nb", 1),
        signature("A", -1),
    ] {
        let refused = builder.commit(&[], vec![], &bad, &ada, "x\n", &mut free);
        assert!(matches!(refused, Err(BuildError::Invalid(_))), "{bad:?}");
    }
    for name in [
        "main",
        "refs/heads/a..b",
        "refs/heads/",
        "refs/notes/x",
        "refs/heads/a b",
    ] {
        let refused = builder.set_reference(name, &first, &mut free);
        assert!(matches!(refused, Err(BuildError::Invalid(_))), "{name:?}");
    }
    builder
        .set_reference("refs/heads/a/b", &first, &mut free)
        .unwrap();
    assert!(
        builder
            .set_reference("refs/heads/a", &first, &mut free)
            .is_err()
    );
    let unmade = builder.finish(&mut free).unwrap_err();
    assert_eq!(
        unmade.to_string(),
        "the default branch \"main\" does not exist"
    );
}

/// Components may import `git` only if the sandbox offers the interface.
#[test]
fn the_engine_is_one_for_the_sandbox() {
    use mcpmark_kinds::Services;
    use mcpmark_sandbox::{Sandbox, SandboxConfig};

    let component = r#"(component
        (import "mcpmark:guest/git@0.1.0" (instance (export "head" (func))))
    )"#;
    let bytes = wat::parse_str(component).unwrap();
    let message = |config| {
        let sandbox = Sandbox::new(&config).unwrap();
        sandbox
            .trusting()
            .verifier(&bytes)
            .err()
            .unwrap()
            .to_string()
    };
    let without = message(SandboxConfig::default());
    assert!(
        without.contains("imports `mcpmark:guest/git@0.1.0`"),
        "{without}"
    );
    assert!(
        without.contains(
            "it may import state, answer, parameters and log of mcpmark:guest@0.1.0, and cli,"
        ),
        "{without}"
    );
    let with = message(Services::builtin().offer(SandboxConfig::default(), &std::env::temp_dir()));
    assert!(
        with.starts_with("does not fit the contract of a verifier"),
        "{with}"
    );
}
