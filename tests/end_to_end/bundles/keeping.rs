//! Repair of stores from bundles, and transfer of experiments to other machines.

use std::fs;
use std::path::Path;

use mcpmark_snapshot::{Blobs, Store};
use rusqlite::Connection;
use serde_json::json;

use super::{copy_tree_with_links, pack, there};
use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;

#[test]
fn a_store_is_mended_from_a_bundle() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bundle = environment.path("suite.tar");
    pack(&library, &bundle, &[]);
    let args = ["run", "--agent", "nop", "--experiment", "e"];
    library.run(args).exits(0);
    let exported = environment.path("e1.exp");
    let exported = exported.to_str().unwrap();
    library
        .run(["store", "export", "e", "-o", exported])
        .exits(0);
    let check = |more: &[&str]| {
        let args = ["store", "check", "--json"];
        library.run(args.iter().chain(more))
    };
    check(&[]).exits(0);
    let spoil = || spoil(&environment.home().join("store/blobs"));
    spoil();
    let faults = check(&[]).exits(5).json()["faults"]
        .as_array()
        .unwrap()
        .len();
    assert!(faults >= 2, "{faults}");
    let bundle = bundle.to_str().unwrap();
    let mended = check(&["--repair", bundle]).exits(0).json();
    assert_eq!(mended["faults"], json!([]));
    assert_eq!(mended["repaired"][0]["from"], bundle);
    assert!(mended["repaired"][0]["blobs"].as_array().unwrap().len() >= faults);
    check(&[]).exits(0);
    // A missing source of repair changes nothing.
    spoil();
    let refused = library
        .run(["store", "check", "--repair", "nowhere.tar"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: nowhere.tar: No such file or directory (os error 2)
    hint: --repair expects a bundle, or a file of `mcpmark store export`
    ");
    assert_eq!(
        check(&[]).exits(5).json()["faults"]
            .as_array()
            .unwrap()
            .len(),
        faults
    );

    // An exported experiment contains every object that its attempts need.
    let args = ["store", "check", "--repair", exported, "--repair", bundle];
    let told = library.run(args).exits(0).stdout;
    let last = told.lines().last().unwrap();
    assert!(
        last.starts_with("repaired: ")
            && last.contains(&format!(
                " from {exported}, 0 blobs from {bundle}; nothing left"
            )),
        "{told}"
    );
    let told = library.run(args).exits(0).stdout;
    assert!(told.ends_with("nothing to repair\n"), "{told}");
    // A source without the missing objects reports what is left to repair.
    let other = Environment::new();
    let theirs = Library::new(&other);
    theirs.task("other", &guests::verdict(true, "another"));
    let args = ["run", "--agent", "nop", "--experiment", "o"];
    theirs.run(args).exits(0);
    let foreign = environment.path("o.exp");
    let foreign = foreign.to_str().unwrap();
    other.run(["store", "export", "o", "-o", foreign]).exits(0);
    spoil();
    let told = library
        .run(["store", "check", "--repair", foreign])
        .exits(5);
    assert!(
        told.stdout.contains(" left; another bundle"),
        "{}",
        told.stdout
    );
}

#[test]
fn one_bad_directory_takes_no_state_with_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bundle = environment.path("suite.tar");
    pack(&library, &bundle, &[]);
    let args = ["run", "--agent", "nop", "-k", "2", "--experiment", "e"];
    library.run(args).exits(0);
    // Two final states of their own, which share a directory with the world.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let (states, shared) = {
        let store = Store::open(environment.home().join("store")).unwrap();
        let state = |name: &str| {
            let files = [("mine.txt", name), ("letters/one.txt", "Dear all\n")];
            let dir = environment.directory(name, &files);
            let tree = mcpmark_experiment::capture_directory(&dir, &store).unwrap();
            store.put_tree(&tree).unwrap();
            let shared = tree.root().get("letters").unwrap().as_directory().unwrap();
            (tree.digest(), shared.digest())
        };
        let [(first, shared), (second, also)] = ["first", "second"].map(state);
        assert_eq!(shared, also);
        let path = store.blob_path(&shared);
        (
            [first, second].map(|root| (root, store.blob_path(&root))),
            (shared, path),
        )
    };
    for (position, (root, _)) in states.iter().enumerate() {
        let set = "UPDATE attempts SET state = ?1 WHERE position = ?2";
        let set = journal.execute(set, (root.to_string(), position as i64));
        assert_eq!(set.unwrap(), 1);
    }
    environment.sum_rows();
    let check = |more: &[&str]| {
        let args = ["store", "check", "--json"];
        library.run(args.iter().chain(more))
    };
    check(&[]).exits(0);
    let (shared, file) = shared;
    let sound = fs::read(&file).unwrap();
    let bundle = bundle.to_str().unwrap();
    let are_there = || {
        let texts = ["first", "second"].map(|text| mcpmark_snapshot::Digest::of(text.as_bytes()));
        let store = Store::open(environment.home().join("store")).unwrap();
        states.iter().all(|(root, _)| store.read(root).is_ok())
            && texts.iter().all(|text| store.read(text).is_ok())
    };
    let mut transcript = String::new();
    for damaged in [true, false] {
        fs::remove_file(&file).unwrap();
        if damaged {
            fs::write(&file, &sound[1..]).unwrap();
        }
        let told = check(&[]).exits(5).json();
        let attempts = told["faults"][0]["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 2, "{told}");
        let fault = json!([{
            "digest": shared.to_string(), "damaged": damaged, "unfit": false, "attempts": attempts,
        }]);
        assert_eq!(
            (&told["faults"], &told["unneeded_damaged"]),
            (&fault, &json!([]))
        );
        let refused = library.run(["store", "gc"]).exits(5);
        let refused = refused.says(&[&shared.to_string()]);
        transcript += &refused.transcript();
        library.run(["store", "gc", "--despite-loss"]).exits(0);
        assert!(are_there(), "{damaged}");
        check(&["--remove-damaged"]).exits(5);
        assert!(are_there() && !file.exists(), "{damaged}");
        let told = check(&["--repair", bundle]).exits(0).json();
        assert!(are_there(), "{told}");
        assert_eq!(told["repaired"][0]["blobs"], json!([shared.to_string()]));
        assert_eq!(fs::read(&file).unwrap(), sound);
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark store gc
    error: attempt [id] of experiment "e" needs sha256:[digest], which is missing or damaged
    hint: `mcpmark store check` lists everything that is not intact; if it is lost for good, `--despite-loss` removes what nothing else refers to

    $ mcpmark store gc
    error: attempt [id] of experiment "e" needs sha256:[digest], which is missing or damaged
    hint: `mcpmark store check` lists everything that is not intact; if it is lost for good, `--despite-loss` removes what nothing else refers to
    "#);
    let regraded = library.run(["regrade", "e", "--json"]).exits(0).json();
    assert_eq!(regraded["summary"]["same"], 2);

    // A sound blob that is not a tree, named as a state, is not damaged: it is neither repaired nor removed.
    let text = mcpmark_snapshot::Digest::of(b"first");
    let set = "UPDATE attempts SET state = ?1 WHERE position = 0";
    journal.execute(set, [text.to_string()]).unwrap();
    environment.sum_rows();
    for more in [&["--remove-damaged"][..], &["--repair", bundle]] {
        let told = check(more).exits(5).json();
        assert_eq!(told["faults"][0]["digest"], text.to_string());
        assert_eq!(
            (&told["faults"][0]["damaged"], &told["faults"][0]["unfit"]),
            (&json!(false), &json!(true))
        );
        assert!(are_there());
    }
    let refused = library.run(["store", "gc"]).exits(5);
    let refused = refused.says(&[&text.to_string()]);
    insta::assert_snapshot!(refused.message(), @r#"
    error: attempt [id] of experiment "e" needs sha256:[digest], which is not a directory
    hint: `mcpmark store check` lists everything that is not intact; if it is lost for good, `--despite-loss` removes what nothing else refers to
    "#);
}

/// Removes half of the blobs and damages the others.
fn spoil(store: &Path) {
    for (index, shard) in fs::read_dir(store).unwrap().enumerate() {
        for entry in fs::read_dir(shard.unwrap().path()).unwrap() {
            let file = entry.unwrap().path();
            if index % 2 == 0 {
                fs::remove_file(file).unwrap();
            } else {
                let mut bytes = fs::read(&file).unwrap();
                bytes[0] ^= 1;
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
                fs::set_permissions(&file, mode).unwrap();
                fs::write(&file, bytes).unwrap();
            }
        }
    }
}

#[test]
fn an_experiment_goes_on_at_another_machine() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let args = ["run", "--agent", "nop", "-k", "3", "--experiment", "e"];
    library.run(args).exits(0);
    library.run(["regrade", "e"]).exits(0);
    // Simulates an interruption in the last attempt.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let stopped = "UPDATE attempts SET status = 'running', outcome = NULL, state = NULL
                   WHERE position = 2";
    assert_eq!(journal.execute(stopped, []).unwrap(), 1);
    environment.sum_rows();
    let file = environment.path("e.mcpmark");
    let path = file.to_str().unwrap();
    library.run(["store", "export", "e", "-o", path]).exits(0);
    let refused = library
        .run(["store", "export", "none", "-o", "none.mcpmark"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "none" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);
    let refused = library.run(["store", "import", path]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: [dir]/e.mcpmark: experiment "e" already exists; continue it with `mcpmark resume e`"#);

    let other = Environment::new();
    let root = other.path("library");
    copy_tree_with_links(&library.root, &root);
    let there = |args: &[&str]| {
        let mut command = other.command(args);
        Output::of(command.env("MCPMARK_ROOT", &root))
    };
    // An experiment exists there already, so that row ids differ.
    there(&["run", "--agent", "nop", "--experiment", "own"]).exits(0);
    there(&["store", "import", path]).exits(0);
    there(&["store", "check"]).exits(0);
    let here = library.run(["runs", "e", "--json"]).exits(0).json();
    let mut taken = there(&["runs", "e", "--json"]).exits(0).json();
    assert_eq!(taken, here);
    let id = text(&taken["attempts"][0]["id"]);
    assert_eq!(
        there(&["receipt", "show", &id]).exits(0).stdout,
        library.run(["receipt", "show", &id]).exits(0).stdout
    );
    let tasks = ["resume", "e", "--tasks", "PLACE"];
    let mut without = other.command(&tasks[..2]);
    let refused = Output::of(without.env_remove("MCPMARK_ROOT")).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: no library found: neither . nor a directory above it contains tasks/ and worlds/
    hint: change into a directory with tasks/ and worlds/, or name one with --root; or `mcpmark resume e --tasks PLACE` continues with the new location of the same tasks
    ");
    let resumed = there(&["resume", "e", "--json"]).exits(0);
    assert!(resumed.stderr.contains("repeated"), "{}", resumed.stderr);
    assert_eq!(resumed.json()["summary"]["passed"], 3);
    taken = there(&["regrade", "e", "--json"]).exits(0).json();
    assert_eq!(taken["summary"]["same"], 3);

    // A truncated or changed export is refused and leaves no experiment.
    let sound = fs::read(&file).unwrap();
    let mut fresh = Environment::new();
    let bad = environment.path("bad");
    for at in (0..sound.len()).step_by(sound.len() / 60) {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x10;
        for bytes in [&flipped[..], &sound[..at]] {
            fs::write(&bad, bytes).unwrap();
            let told = fresh.run(["store", "import", bad.to_str().unwrap()]);
            if told.code == Some(0) {
                // Some bits of a compressed stream have no effect.
                let runs = fresh.run(["runs", "e", "--json"]).exits(0).json();
                assert_eq!(runs, here, "byte {at}");
                fresh = Environment::new();
            } else {
                assert_eq!(told.code, Some(4), "byte {at}: {told:?}");
                fresh.run(["runs", "e"]).exits(2);
            }
        }
    }
}

#[test]
fn an_experiment_goes_on_where_its_bundle_lies_now() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    let machine = Environment::bare();
    let tar = machine.path("suite.tar");
    let digest = text(&pack(&library, &tar, &[])["digest"]);
    let run = ["run", "--agent", "nop", "--tasks", tar.to_str().unwrap()];
    let twice = [&run[..], &["-k", "2", "--experiment", "e"]].concat();
    there(&machine, &twice).exits(0);
    // Simulates an interruption in the last attempt.
    let cut = |machine: &Environment| {
        let journal = Connection::open(machine.home().join("journal.db")).unwrap();
        let stopped = "UPDATE attempts SET status = 'running', outcome = NULL, state = NULL
                       WHERE position = 1";
        assert!(journal.execute(stopped, []).unwrap() > 0);
        machine.sum_rows();
    };
    cut(&machine);
    let file = environment.path("e.mcpmark");
    let path = file.to_str().unwrap();
    there(&machine, &["store", "export", "e", "-o", path]).exits(0);
    let moved = environment.path("moved.tar");
    fs::rename(&tar, &moved).unwrap();
    let goes_on = |machine: &Environment, more: &[&str]| {
        let resumed = there(machine, &[&["resume", "e", "--json"], more].concat());
        let resumed = resumed.exits(0);
        assert!(resumed.stderr.contains("repeated"), "{}", resumed.stderr);
        assert_eq!(resumed.json()["summary"]["passed"], 2);
        resumed
    };
    // The machine that used the bundle has kept it.
    let output = goes_on(&machine, &[]);
    insta::assert_snapshot!(output.message(), @r"
    warning: [dir]/suite.tar: file or directory does not exist; using the same bundle from the cache
    1 attempt cut off: repeated
    2/2 pass filesystem/office/easy #2  [id]  0 calls
    ");

    // Other machines need its path, and check that it is the same bundle.
    let other = Environment::bare();
    there(&other, &["store", "import", path]).exits(0);
    let refused = there(&other, &["resume", "e"]).exits(2).says(&[&digest]);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/suite.tar: file or directory does not exist
    hint: `mcpmark resume e --tasks PLACE` continues with the new location of the same tasks; the tasks were from bundle sha256:[digest]
    ");
    let changed = other.path("changed.tar");
    fs::write(task.join("verifier.wasm"), guests::verdict(true, "another")).unwrap();
    pack(&library, &changed, &[]);
    let refused = there(&other, &["resume", "e", "--tasks", "changed.tar"]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"
    error: 1 of 1 tasks differ from those that experiment "e" was started with:
      filesystem/office/easy: expected sha256:[digest], found sha256:[digest]
    hint: name the location of the original tasks; `mcpmark run` starts another experiment with these
    "#);
    fs::remove_dir_all(&task).unwrap();
    library.easy_task("another");
    pack(&library, &other.path("foreign.tar"), &[]);
    let refused = there(&other, &["resume", "e", "--tasks", "foreign.tar"]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: unknown task "filesystem/office/easy"; available: filesystem/office/another"#);
    let refused = there(&other, &["resume", "e", "--tasks", "nothere.tar"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/nothere.tar: file or directory does not exist
    hint: `mcpmark resume e --tasks PLACE` continues with the new location of the same tasks
    ");
    goes_on(&other, &["--tasks", moved.to_str().unwrap()]);
    // The new path of the tasks is recorded.
    cut(&other);
    goes_on(&other, &[]);

    // If another experiment used the same bundle, it is found by its digest.
    let third = Environment::bare();
    let again = ["run", "--agent", "nop", "--tasks", moved.to_str().unwrap()];
    there(&third, &again).exits(0);
    there(&third, &["store", "import", path]).exits(0);
    goes_on(&third, &[]);
}

#[test]
fn unpacked_bundles_are_counted_and_collected_but_those_of_experiments() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let machine = Environment::bare();
    let [needed, other] = ["needed.tar", "other.tar"].map(|name| machine.path(name));
    pack(&library, &needed, &[]);
    library.easy_task("another");
    pack(&library, &other, &[]);
    let run = ["run", "--agent", "nop", "--experiment", "e"];
    there(&machine, &[&run[..], &["--tasks", "needed.tar"]].concat()).exits(0);
    let list = || there(&machine, &["task", "list", "other.tar"]).exits(0);
    list();
    let json = |args: &[&str]| {
        let all = [&["store"], args, &["--json"]].concat();
        there(&machine, &all).exits(0).json()
    };
    let count = |told: &serde_json::Value, keys: [&str; 2]| {
        let amount = &told[keys[0]][keys[1]];
        amount.as_u64().unwrap_or_else(|| panic!("{told}"))
    };
    let stats = json(&["stats"])["libraries"].clone();
    for of in ["needed", "unneeded"] {
        assert_eq!(count(&stats, [of, "libraries"]), 1);
        assert!(count(&stats, [of, "bytes"]) > 0);
    }
    let shown = there(&machine, &["store", "stats"]).exits(0).stdout;
    assert!(shown.contains("unpacked bundles not needed"), "{shown}");
    let dry = json(&["gc", "--dry-run"]);
    let removed = json(&["gc"]);
    for told in [&dry, &removed] {
        assert_eq!(told["libraries"], stats["unneeded"]);
        assert_eq!(count(told, ["libraries_in_use", "libraries"]), 0);
    }
    let left = json(&["stats"])["libraries"].clone();
    assert_eq!(left["needed"], stats["needed"]);
    assert_eq!(count(&left, ["unneeded", "libraries"]), 0);
    // A collected library is unpacked again. A kept library works although its bundle is gone.
    list();
    fs::remove_file(needed).unwrap();
    there(&machine, &["resume", "e"]).exits(0);
}
