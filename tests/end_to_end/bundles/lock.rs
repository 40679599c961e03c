//! Lock files: a locked suite stays the same until it is updated.

use std::fs;

use serde_json::{Value, json};

use super::registry::Registry;
use super::{pack, receipts_of_one, there};
use crate::environment::{Environment, text};
use crate::guests;
use crate::library::Library;

#[test]
fn a_lock_holds_until_somebody_has_seen_what_is_new() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    library.easy_task("gone");
    let machine = Environment::bare();
    let tar = machine.path("suite.tar");
    let packed = pack(&library, &tar, &[]);
    let lock = machine.path("mcpmark.lock");
    let locked = there(&machine, &["bundle", "lock", "suite.tar", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        serde_json::from_str::<Value>(&fs::read_to_string(&lock).unwrap()).unwrap(),
        locked
    );
    assert_eq!(
        (&locked["digest"], &locked["source"]),
        (&packed["digest"], &json!("suite.tar"))
    );
    assert!(locked["tasks"]["filesystem/office/easy"]["bundle"].is_string());
    assert!(locked["worlds"]["filesystem/office"]["snapshot"].is_string());
    assert!(locked["surfaces"]["filesystem/office 2025.12.18"].is_string());
    // An existing lock is updated, not created again.
    let refused = there(&machine, &["bundle", "lock", "suite.tar"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: mcpmark.lock: file already exists
    hint: `mcpmark bundle update` shows the changes, and asks whether to accept them
    ");

    // The lock file as `--tasks`, and found in the working directory. Receipts name the locked engine.
    let args = ["filesystem/office/easy", "--tasks", "mcpmark.lock"];
    let receipt = receipts_of_one(|more| match more[0] {
        "run" => there(&machine, &[more, &args].concat()),
        _ => there(&machine, more),
    });
    assert!(receipt.contains(&text(&locked["engine"])), "{receipt}");
    let listed = there(&machine, &["task", "list", "--json"]).exits(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let verify = || there(&machine, &["bundle", "verify", "mcpmark.lock"]);
    verify().exits(0);
    let update = |more: &[&str]| there(&machine, &[&["bundle", "update"], more].concat());
    assert!(update(&[]).exits(0).stdout.contains("no changes"));

    // Another suite replaces the locked one at its path.
    fs::remove_dir_all(library.task_dir("gone")).unwrap();
    library.easy_task("new");
    fs::write(task.join("verifier.wasm"), guests::verdict(true, "mended")).unwrap();
    fs::write(task.join("description.md"), "Leave nothing as it is.\n").unwrap();
    let meta = json!({"difficulty": "L1", "profile": "2026.8.31", "limits": {"fuel": 1_000_000}});
    fs::write(task.join("meta.json"), meta.to_string()).unwrap();
    let packed = pack(&library, &tar, &["--force"]);
    let mut transcript = String::new();
    for (args, code) in [
        (&["run", "--agent", "nop"][..], 4),
        (&["bundle", "verify", "mcpmark.lock"], 4),
        (&["resume", "none"], 2),
    ] {
        transcript += &there(&machine, args).exits(code).transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run --agent nop
    error: mcpmark.lock: the suite is sha256:[digest], but the lock requires sha256:[digest]
    hint: `mcpmark bundle update` shows the changes, and asks whether to accept them

    $ mcpmark bundle verify mcpmark.lock
    error: mcpmark.lock: the suite is sha256:[digest], but the lock requires sha256:[digest]
    hint: `mcpmark bundle update` shows the changes, and asks whether to accept them

    $ mcpmark resume none
    error: experiment "none" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);

    // Without a terminal an update is not accepted.
    let before = fs::read(&lock).unwrap();
    let told = update(&[]).exits(1).stdout;
    for word in [
        "+ task filesystem/office/new",
        "- task filesystem/office/gone",
        "~ task filesystem/office/easy",
        "verifier: ",
        "Leave nothing as it is.",
        "fuel",
        "tools of filesystem/office 2026.8.31: none → ",
        "--yes accepts",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let told = update(&["--json"]).exits(1).json();
    assert_eq!(
        (&told["accepted"], &told["after"]),
        (&json!(false), &packed["digest"])
    );
    assert_eq!(
        told["changes"]["removed"],
        json!(["filesystem/office/gone"])
    );
    assert_eq!(fs::read(&lock).unwrap(), before);
    let told = update(&["--yes", "--json"]).exits(0).json();
    assert_eq!(told["accepted"], true);
    there(&machine, &["run", "--agent", "nop"]).exits(0);
    verify().exits(0);

    // If the locked suite is in no cache, the changes are shown by digests only.
    fs::write(&lock, &before).unwrap();
    fs::remove_dir_all(machine.path("cache/mcpmark/bundles/blobs")).unwrap();
    let told = update(&["--json"]).exits(1).json();
    assert_eq!(told["changes"], Value::Null);
    assert_eq!(told["tasks"].as_object().unwrap().len(), 3);
    assert!(
        update(&[])
            .exits(1)
            .stdout
            .contains("only digests are compared")
    );
}

#[test]
fn a_lock_that_is_broken_or_foreign_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let machine = Environment::bare();
    pack(&library, &machine.path("suite.tar"), &[]);
    there(&machine, &["bundle", "lock", "suite.tar"]).exits(0);
    let lock = machine.path("mcpmark.lock");
    let sound = fs::read_to_string(&lock).unwrap();
    let document: Value = serde_json::from_str(&sound).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document = document.clone();
        change(&mut document);
        document.to_string()
    };
    let other = document["worlds"]["filesystem/office"]["snapshot"].clone();
    let by_hand = changed(&|it| it["tasks"]["filesystem/office/easy"]["bundle"] = other.clone());
    let no_task = changed(&|it| it["tasks"] = json!({}));
    let surface = changed(&|it| {
        it["surfaces"]["filesystem/office 2025.12.18"] = other.clone();
    });
    let mut transcript = String::new();
    for (text, word) in [
        (String::new(), "not a lock of a suite"),
        ("version = 4\n".to_owned(), "not a lock of a suite"),
        ("{}".to_owned(), "key \"schema\" is required"),
        (
            changed(&|it| it["schema"] = json!(2)),
            "the lock has schema 2",
        ),
        (changed(&|it| it["more"] = json!(1)), "unknown field"),
        (
            changed(&|it| it["digest"] = json!("sha256:1")),
            "not a lock of a suite",
        ),
        (
            changed(&|it| it["digest"] = other.clone()),
            "the lock requires",
        ),
        (by_hand, "task filesystem/office/easy"),
        (no_task, "task filesystem/office/easy"),
        (surface, "the tools of filesystem/office 2025.12.18"),
        (
            changed(&|it| it["source"] = json!("oci://host")),
            "invalid bundle reference",
        ),
        (
            changed(&|it| it["source"] = json!("mcpmark.lock")),
            "found a lock file",
        ),
        (sound[..sound.len() / 2].to_owned(), "not a lock of a suite"),
    ] {
        fs::write(&lock, text).unwrap();
        for args in [
            &["run", "--agent", "nop"][..],
            &["bundle", "verify", "mcpmark.lock"],
        ] {
            let told = there(&machine, args).exits(4);
            transcript += &told.transcript();
            assert_eq!(told.stdout, "", "{word}");
        }
    }
    insta::assert_snapshot!("a_lock_that_is_broken_or_foreign_is_named", transcript);
    // Another engine may grade, with a warning; only `bundle verify` refuses it.
    fs::write(&lock, changed(&|it| it["engine"] = json!("pulley-vax-0"))).unwrap();
    let output = there(&machine, &["run", "--agent", "nop"]).exits(0);
    insta::assert_snapshot!(output.message(), @r"
    warning: the engine is cranelift-[version], but the lock has pulley-[version]; receipts will name the former
    1/1 pass filesystem/office/easy  [id]  0 calls
    ");
    let refused = there(&machine, &["bundle", "verify", "mcpmark.lock"]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: the engine is cranelift-[version], but the lock has pulley-[version]
    hint: `mcpmark bundle update` shows the changes, and asks whether to accept them
    ");
    fs::write(&lock, changed(&|it| it["source"] = json!("gone.tar"))).unwrap();
    let refused = there(&machine, &["run", "--agent", "nop"]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: cannot read gone.tar: No such file or directory (os error 2)");
    for args in [
        &["bundle", "lock", "mcpmark.lock", "-o", "b.lock"][..],
        &["bundle", "lock", "suite.tar", "-o", "lock.json"],
        &["bundle", "update", "--to", "mcpmark.lock"],
        &["bundle", "update", "none.lock"],
    ] {
        there(&machine, args).exits(2);
    }
}

#[test]
fn a_tag_that_moves_is_followed_when_somebody_accepts() {
    let environment = Environment::new();
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let library = Library::new(&environment);
    library.easy_task("easy");
    let reference = format!("oci://{}/suites/office:v1", registry.host);
    let tar = environment.path("suite.tar");
    let path = tar.to_str().unwrap();
    let first = pack(&library, &tar, &[]);
    environment
        .run(["bundle", "push", path, &reference])
        .exits(0);
    let machine = Environment::bare();
    let locked = there(&machine, &["bundle", "lock", &reference, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&locked["source"], &locked["digest"]),
        (&json!(reference), &first["digest"])
    );
    let exact = format!("oci://{}/a@{}", registry.host, text(&first["digest"]));
    let refused = there(&machine, &["bundle", "lock", &exact, "-o", "b.lock"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/a@sha256:[digest]: expected a tag, found a digest
    hint: name the bundle by a tag, so that an update can follow it
    ");

    library.easy_task("second");
    let second = pack(&library, &tar, &["--force"]);
    environment
        .run(["bundle", "push", path, &reference])
        .exits(0);
    // With the earlier cache and with the lock alone: still the first suite.
    let fresh = Environment::bare();
    fs::copy(machine.path("mcpmark.lock"), fresh.path("mcpmark.lock")).unwrap();
    for machine in [&machine, &fresh] {
        let run = there(machine, &["run", "--agent", "nop", "--json"]);
        assert_eq!(run.exits(0).json()["summary"]["attempts"], 1);
    }
    let told = there(&machine, &["bundle", "update", "--yes", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&told["after"], &told["changes"]["added"]),
        (&second["digest"], &json!(["filesystem/office/second"]))
    );
    let run = there(&machine, &["run", "--agent", "nop", "--json"]);
    assert_eq!(run.exits(0).json()["summary"]["attempts"], 2);
}

#[test]
fn a_lock_has_no_say_about_tasks_that_lie_elsewhere() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let machine = Environment::bare();
    pack(&library, &machine.path("suite.tar"), &[]);
    there(&machine, &["bundle", "lock", "suite.tar"]).exits(0);
    library.easy_task("another");
    let tools = json!({"difficulty": "L1", "profile": "2026.8.31"});
    library.task_with("tools", &guests::verdict(true, "fine"), &tools);
    pack(&library, &machine.path("other.tar"), &[]);
    let run = ["run", "--agent", "nop", "--json"];
    let attempts = |more: &[&str]| {
        let report = there(&machine, &[&run, more].concat()).exits(0).json();
        report["attempts"].as_array().unwrap().len()
    };
    assert_eq!(attempts(&[]), 1);
    assert_eq!(attempts(&["--tasks", "other.tar"]), 3);
    assert_eq!(attempts(&["--root", "other.tar"]), 3);

    // Tasks under the lock: a refusal names the lock file.
    let lock = machine.path("mcpmark.lock");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(&lock).unwrap()).unwrap();
    document["surfaces"] = json!({});
    fs::write(&lock, document.to_string()).unwrap();
    let refused = there(&machine, &run).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: mcpmark.lock: the tools of filesystem/office 2025.12.18 have the digest sha256:[digest], but the lock has no tools of that name
    hint: `mcpmark bundle update` shows the changes, and asks whether to accept them
    ");
    assert_eq!(attempts(&["--tasks", "other.tar"]), 3);
}
