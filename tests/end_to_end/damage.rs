//! Damaged homes, and homes on read-only file systems.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcpmark_test_support::{Need, skip};
use rusqlite::Connection;
use serde_json::Value;

use crate::environment::{Environment, Output, text};
use crate::library::Library;

/// Runs an experiment with one attempt, and returns the attempt's id.
fn experiment(library: &Library<'_>) -> String {
    library.easy_task("easy");
    let args = ["run", "--agent", "nop", "--experiment", "e", "--json"];
    let report = library.run(args).exits(0).json();
    text(&report["attempts"][0]["id"])
}

fn change(environment: &Environment, change: &str) {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    assert!(journal.execute(change, []).unwrap() > 0, "{change}");
}

#[test]
fn a_row_that_was_changed_is_named_and_nothing_is_made_of_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let id = experiment(&library);
    let out = environment.path("out");
    let out = out.to_str().unwrap();
    let check = || library.run(["store", "check", "--json"]);
    assert_eq!(check().exits(0).json()["rows"], serde_json::json!([]));
    let whole = library.run(["store", "check"]).exits(0);
    insta::assert_snapshot!(whole.text(), @r"
    6 blobs read, 1.1 KiB: all intact
    journal read: all rows intact
    ");
    let (report, show) = (["report", "e"], ["show", &id]);
    let (receipt, runs) = (["receipt", "show", &id], ["runs", "e"]);
    let atif = ["export", "e", "--format", "atif", "-o", out];
    let export = ["store", "export", "e", "-o", out];
    let readers: [&[&str]; 6] = [&report, &show, &receipt, &runs, &atif, &export];
    let changes: [(&str, &str, &str, &[&[&str]]); 4] = [
        (
            "UPDATE attempts SET passed = 0",
            "UPDATE attempts SET passed = 1",
            "attempt ",
            &readers[..],
        ),
        (
            "UPDATE grades SET passed = 0",
            "UPDATE grades SET passed = 1",
            "grade ",
            &[&show, &receipt, &export],
        ),
        (
            "UPDATE checks SET detail = detail || '.' WHERE seq = 0",
            "UPDATE checks SET detail = substr(detail, 1, length(detail) - 1) WHERE seq = 0",
            "grade ",
            &[&show, &receipt, &export],
        ),
        (
            "UPDATE messages SET content = content || ' ' WHERE seq = 1",
            "UPDATE messages SET content = substr(content, 1, length(content) - 1) WHERE seq = 1",
            "row 1 of messages of attempt ",
            &[&show, &atif, &export],
        ),
    ];
    let mut transcript = String::new();
    for (changed, back, row, told) in changes {
        change(&environment, changed);
        let found = check().exits(5).json();
        let rows = found["rows"].as_array().unwrap();
        let named = |bad: &Value| text(&bad["row"]).starts_with(row);
        assert!(rows.iter().any(named), "{changed}: {found}");
        library.run(["store", "check"]).exits(5);
        for args in told {
            let refused = library.run(*args).exits(5);
            transcript += &refused.transcript();
            assert!(
                refused.stderr.contains("mcpmark store check"),
                "{refused:?}"
            );
            assert!(!Path::new(out).is_file(), "{args:?}");
            let _ = fs::remove_dir_all(out);
        }
        change(&environment, back);
        check().exits(0);
        library.run(report).exits(0);
    }
    insta::assert_snapshot!(
        "a_row_that_was_changed_is_named_and_nothing_is_made_of_it",
        transcript
    );
    for args in readers {
        library.run(args).exits(0);
        let _ = fs::remove_file(out);
        let _ = fs::remove_dir_all(out);
    }
}

/// Runs a command with a read-only bind mount of `dir`, in its own mount namespace. Returns `None` if namespaces are
/// not available.
fn read_only(dir: &Path, command: &Command) -> Option<Output> {
    let can = |args: &[&str]| {
        let tried = Command::new("unshare")
            .args(args)
            .stderr(Stdio::null())
            .status();
        tried.is_ok_and(|status| status.success())
    };
    let options: &[&str] = if can(&["-m", "true"]) {
        &["-m"]
    } else {
        &["-m", "-r"]
    };
    if !can(&[options, &["true"]].concat()) {
        return None;
    }
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
    let mut within = Command::new("unshare");
    within.args(options).args(["sh", "-c", script]).arg(dir);
    within.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => within.env(name, value),
            None => within.env_remove(name),
        };
    }
    Some(Output::of(&mut within))
}

#[test]
fn a_home_that_cannot_be_written_to_is_read() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let id = experiment(&library);
    let home = environment.home();
    let out = environment.path("out");
    let out = out.to_str().unwrap();
    // The second time in the state that a killed process leaves: rows in the write-ahead log, and no shared-memory
    // file.
    for killed in [false, true] {
        if killed {
            let journal = Connection::open(home.join("journal.db")).unwrap();
            let change = "UPDATE experiments SET created_ms = created_ms";
            journal.execute(change, []).unwrap();
            for end in ["", "-wal"] {
                let file = format!("journal.db{end}");
                fs::copy(home.join(&file), environment.path(&file)).unwrap();
            }
            drop(journal);
            for end in ["", "-wal"] {
                let file = format!("journal.db{end}");
                fs::copy(environment.path(&file), home.join(&file)).unwrap();
            }
            let _ = fs::remove_file(home.join("journal.db-shm"));
        }
        let commands: [(i32, &[&str]); 13] = [
            (0, &["runs"]),
            (0, &["runs", "e", "--json"]),
            (0, &["show", &id, "--full"]),
            (0, &["report", "e"]),
            (0, &["report", "e", "--format", "html", "-o", out]),
            (0, &["export", "e", "--format", "atif", "-o", out]),
            (0, &["receipt", "show", &id]),
            (0, &["store", "check"]),
            (0, &["store", "stats"]),
            (0, &["store", "export", "e", "-o", out]),
            (5, &["store", "remove", "e"]),
            (5, &["regrade", "e"]),
            (5, &["run", "--agent", "nop"]),
        ];
        for (exit, args) in commands {
            let Some(output) = read_only(&home, &library.command(args)) else {
                skip(Need::Unshare, "homes on read-only file systems");
                return;
            };
            let output = output.exits(exit);
            if args[0] == "store" && exit == 5 {
                // Whether the journal could be opened depends on what SQLite finds of its shared memory.
                let message = output.message();
                let causes = [
                    "cannot create [dir]/home/locks/",
                    "the journal is read-only",
                ];
                let is_named = causes
                    .iter()
                    .any(|cause| message.starts_with(&format!("error: {cause}")));
                let has_hint = message.contains("--home (or MCPMARK_HOME)");
                assert!(is_named && has_hint, "{message}");
            }
            let _ = fs::remove_file(out);
            let _ = fs::remove_dir_all(out);
        }
    }
    library.run(["store", "remove", "e"]).exits(0);
}

#[test]
fn a_file_that_does_not_end_is_refused() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bundle = environment.path("bundle");
    let bundle = bundle.to_str().unwrap();
    library.run(["bundle", "pack", "-o", bundle]).exits(0);
    let mut transcript = String::new();
    for args in [
        &["bundle", "verify", bundle, "--key", "/dev/zero"][..],
        &["bundle", "sign", bundle, "--key", "/dev/zero"],
        &["run", "--config", "/dev/zero"],
        &["run", "--model", "openai/m", "--mcp-config", "/dev/zero"],
        &["run", "--model", "openai/m", "--prices", "/dev/zero"],
    ] {
        let mut command = library.command(args);
        let refused = Output::of(command.env("OPENAI_API_KEY", "sk-nothing")).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("a_file_that_does_not_end_is_refused", transcript);
    let mut command = library.command(["bundle", "verify", bundle]);
    let refused = Output::of(command.env("MCPMARK_TRUST", "/dev/zero")).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: /dev/zero: the file exceeds the limit of 16 MiB");
}

#[test]
fn a_process_killed_while_writing_a_file_leaves_none() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    experiment(&library);
    let dir = environment.directory("out", &[]);
    let commands: [(&[&str], &str); 2] = [
        (&["bundle", "pack", "-o"], "suite.tar"),
        (&["store", "export", "e", "-o"], "e.mcpmark"),
    ];
    for (args, file) in commands {
        let file = dir.join(file);
        let args = [args, &[file.to_str().unwrap()]].concat();
        // Some of these kills hit the command while it writes. A partial file must never be visible.
        for wait in 0..20 {
            let mut command = library.command(&args);
            let mut child = command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(wait * 5));
            child.kill().unwrap();
            child.wait().unwrap();
            let names = fs::read_dir(&dir)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let names: Vec<_> = names.filter(|name| *name != file).collect();
            assert!(names.is_empty(), "{names:?}");
            let _ = fs::remove_file(&file);
        }
        library.run(&args).exits(0);
        fs::remove_file(file).unwrap();
    }
}
