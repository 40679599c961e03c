//! What is packed: the same bytes everywhere, verifiers that are held back, what differs.

use std::fs;

use serde_json::{Value, json};

use super::{copy_tree_with_links, pack, receipts, receipts_of_one, sample, there};
use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;

#[test]
fn the_same_tasks_give_the_same_bundle_and_the_same_receipts_elsewhere() {
    let environment = Environment::new();
    let library = sample(&environment);
    let (tar, dir) = (environment.path("suite.tar"), environment.path("suite"));
    let packed = pack(&library, &tar, &["--name", "office"]);
    assert_eq!(
        (&packed["tasks"], &packed["worlds"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(pack(&library, &dir, &["--name", "office"]), packed);

    let other = Environment::new();
    let copy = other.path("another/root");
    copy_tree_with_links(&library.root, &copy);
    let again = other.path("again.tar");
    let mut command = other.command(["bundle", "pack", "--name", "office", "--json", "-o"]);
    command.arg(&again).env("MCPMARK_ROOT", &copy);
    assert_eq!(Output::of(&mut command).exits(0).json(), packed);
    assert_eq!(fs::read(&again).unwrap(), fs::read(&tar).unwrap());

    // No sources, no toolchain, another home, another path: by the root, and by the tasks.
    let own = receipts(|args| library.run(args));
    for (name, place) in [("--root", &tar), ("--root", &dir)] {
        let machine = Environment::bare();
        let place = place.to_str().unwrap();
        let run = |args: &[&str]| there(&machine, &[args, &[name, place]].concat());
        assert_eq!(receipts(run), own);
    }
    let machine = Environment::bare();
    let place = tar.to_str().unwrap();
    let at = |args: &[&str]| there(&machine, &[args, &["--tasks", place]].concat());
    let listed = at(&["task", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["id"], "filesystem/office/easy");
    let args = [
        "run",
        "--agent",
        "nop",
        "filesystem/office/easy",
        "--experiment",
        "e",
    ];
    at(&args).exits(0);
    // An experiment knows its bundle.
    there(&machine, &["resume", "e"]).exits(0);
    let graded = ["grade", "filesystem/office/hard", "--state"];
    let state = machine.directory("state", &[("note.txt", "other\n")]);
    at(&[&graded[..], &[state.to_str().unwrap()]].concat()).exits(1);

    let told = there(&machine, &["bundle", "verify", place, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&told["digest"], &told["tasks"]),
        (&packed["digest"], &json!(2))
    );
    let told = there(&machine, &["bundle", "inspect", place, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&told["name"], &told["digest"]),
        (&json!("office"), &packed["digest"])
    );
    assert_eq!(told["worlds"][0]["license"], "CC0-1.0");
    let guest = &told["tasks"][0]["guests"][0];
    assert_eq!(
        (&guest["role"], &guest["held_back"]),
        (&json!("verifier"), &json!(false))
    );
    assert_eq!(guest["can"], "can compute; nothing else");
}

#[test]
fn a_verifier_that_is_held_back_grades_where_it_is_held() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    let own = receipts_of_one(|args| library.run(args));
    let tar = environment.path("public.tar");
    pack(&library, &tar, &["--without-verifier"]);
    let verifier = task.join("verifier.wasm");
    let bytes = fs::read(&verifier).unwrap();
    let all = fs::read(&tar).unwrap();
    assert!(!all.windows(bytes.len()).any(|window| window == bytes));

    let machine = Environment::bare();
    let (tar, verifier) = (tar.to_str().unwrap(), verifier.to_str().unwrap());
    let told = there(&machine, &["bundle", "inspect", tar, "--json"])
        .exits(0)
        .json();
    let guest = &told["tasks"][0]["guests"][0];
    assert_eq!(guest["held_back"], true);
    let statement: Value = serde_json::from_str(&own).unwrap();
    assert!(
        own.contains(guest["digest"].as_str().unwrap()),
        "{statement}"
    );

    there(&machine, &["run", "--agent", "nop", "--root", tar])
        .exits(4)
        .says(&["verifiers of 1 task are held back", "--held-back FILE"]);
    let with = |args: &[&str]| {
        there(
            &machine,
            &[args, &["--root", tar, "--held-back", verifier]].concat(),
        )
    };
    assert_eq!(receipts_of_one(with), own);
    let other = machine.path("other.wasm");
    fs::write(&other, guests::verdict(true, "another")).unwrap();
    let args = [
        "task",
        "list",
        "--root",
        tar,
        "--held-back",
        other.to_str().unwrap(),
    ];
    there(&machine, &args)
        .exits(2)
        .says(&["which no task of the bundle holds back"]);
}

#[test]
fn bundles_are_compared_and_grade_what_was_kept() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    library.easy_task("gone");
    let (before, after) = (
        environment.path("before.tar"),
        environment.path("after.tar"),
    );
    pack(&library, &before, &[]);
    library
        .run(["run", "--agent", "nop", "--experiment", "e"])
        .exits(0);

    fs::remove_dir_all(library.task_dir("gone")).unwrap();
    library.easy_task("new");
    fs::write(task.join("verifier.wasm"), guests::verdict(false, "mended")).unwrap();
    fs::write(task.join("description.md"), "Leave nothing as it is.\n").unwrap();
    let meta = json!({"difficulty": "L1", "limits": {"fuel": 1_000_000}});
    fs::write(task.join("meta.json"), meta.to_string()).unwrap();
    pack(&library, &after, &[]);

    let paths = [before.to_str().unwrap(), after.to_str().unwrap()];
    let machine = Environment::bare();
    let told = there(&machine, &["bundle", "diff", paths[0], paths[1], "--json"])
        .exits(1)
        .json();
    assert_eq!(told["added"], json!(["filesystem/office/new"]));
    assert_eq!(told["removed"], json!(["filesystem/office/gone"]));
    let changed = &told["changed"][0];
    assert_eq!(changed["task"], "filesystem/office/easy");
    let lines = text(&changed["instruction"]);
    assert!(
        lines.contains("-Leave everything") && lines.contains("+Leave nothing"),
        "{lines}"
    );
    assert_eq!(
        changed["meta"]["limits"]["after"],
        json!({"fuel": 1_000_000})
    );
    let verifier = &changed["guests"][0];
    assert_eq!(verifier["role"], "verifier");
    assert_ne!(verifier["before"], verifier["after"]);
    there(&machine, &["bundle", "diff", paths[0], paths[0]]).exits(0);

    // The old library is as it is; the bundle judges.
    fs::write(task.join("verifier.wasm"), guests::verdict(true, "fine")).unwrap();
    library.easy_task("gone");
    let runs = library.run(["runs", "e", "--json"]).exits(0).json();
    let id = text(&runs["attempts"][0]["id"]);
    let receipt = |name: &str| {
        let file = environment.path(name);
        let args = ["receipt", "show", &id, "-o", file.to_str().unwrap()];
        library.run(args).exits(0);
        let statement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let bundle = text(&statement["predicate"]["mcpmark"]["bundle"]);
        (file, bundle)
    };
    let of_task = |bundle: &str| {
        let args = ["bundle", "inspect", bundle, "--json"];
        text(&there(&machine, &args).exits(0).json()["tasks"][0]["bundle"])
    };
    let old = receipt("old.json");
    assert_eq!(old.1, of_task(paths[0]));
    let args = ["regrade", &id, "--bundle", paths[1], "--json"];
    let report = library.run(args).exits(1).json();
    assert_eq!(report["summary"]["flipped"], 1, "{report}");
    // A receipt names the task whose verifier judged; the attempt is still one at the old task.
    let new = receipt("new.json");
    assert_eq!(new.1, of_task(paths[1]));
    let runs = library.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(runs["attempts"][0]["bundle"], old.1.as_str());
    for (file, _) in [old, new] {
        let file = file.to_str().unwrap();
        library.run(["receipt", "verify", file]).exits(0);
    }
    // It has only one of the two tasks, and so those attempts are graded again.
    let report = library
        .run(["regrade", "e", "--bundle", paths[1], "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&report["summary"]["attempts"], &report["summary"]["same"]),
        (&json!(1), &json!(1))
    );
    let left = &report["not_regraded"];
    assert_eq!(
        (left.as_array().unwrap().len(), &left[0]["task"]),
        (1, &json!("filesystem/office/gone"))
    );
    assert!(text(&left[0]["reason"]).contains("after.tar does not have its task"));
    let told = library.run(["regrade", "e", "--bundle", paths[1]]).exits(0);
    let told = told.stdout;
    assert!(
        told.contains("filesystem/office/gone") && told.contains("1 not regraded"),
        "{told}"
    );
    let id = text(&left[0]["id"]);
    library
        .run(["regrade", &id, "--bundle", paths[1]])
        .exits(2)
        .says(&["after.tar does not have its task"]);
    library
        .run(["regrade", "e", "--bundle", "nothere.tar"])
        .exits(2)
        .says(&["nothere.tar: there is no such file or directory"]);
}
