//! Bundles of published corpora, with Python verifiers and their interpreter.

use std::fs;

use serde_json::{Value, json};

use super::there;
use crate::environment::{Environment, Output, text};
use crate::published::copied;
use crate::scripts::with_guest;

const BOATS: &str = "filesystem/standard/harbour/count_boats";

fn pack(environment: &Environment, place: &[String], to: &str, more: &[&str]) -> Value {
    let args = ["bundle", "pack", "--json", "-o", to];
    let place = place.iter().map(String::as_str);
    let args = args.into_iter().chain(place).chain(more.iter().copied());
    environment.run(args).exits(0).json()
}

/// Runs `nop` on all tasks and returns the receipts.
fn receipts(run: impl Fn(&[&str]) -> Output) -> Vec<String> {
    let args = ["run", "--agent", "nop", "--json", "--experiment", "e"];
    let report = run(&args).exits(1).json();
    let attempts = report["attempts"].as_array().unwrap();
    let receipt = |attempt: &Value| {
        let args = ["receipt", "show", attempt["id"].as_str().unwrap()];
        run(&args).exits(0).stdout
    };
    attempts.iter().map(receipt).collect()
}

#[test]
fn a_published_corpus_gives_the_same_receipts_where_there_is_no_python() {
    let Some(environment) = with_guest() else {
        return;
    };
    // One machine for both corpora, because compiling the interpreter takes long and its cache is kept.
    let machine = Environment::bare();
    for (name, tasks) in [("suites", 2), ("offline", 1)] {
        let (copy, place) = copied(&environment, name);
        let tar = environment.path(&format!("{name}.tar"));
        let tar = tar.to_str().unwrap();
        let packed = pack(&environment, &place, tar, &["--name", name]);
        assert_eq!(
            (&packed["tasks"], &packed["worlds"]),
            (&json!(tasks), &json!(1))
        );
        // Packing the unpacked bundle gives the same bundle.
        let place_of_tar = ["--tasks".to_owned(), tar.to_owned()];
        let again = environment.path(&format!("{name}-again"));
        let more = ["--name", name];
        let repacked = pack(&environment, &place_of_tar, again.to_str().unwrap(), &more);
        assert_eq!(repacked, packed);

        let own = receipts(|args| match args[0] {
            "run" => {
                let fresh = format!("{name}-e");
                let args = [&args[..args.len() - 1], &[&fresh]].concat();
                let place = place.iter().map(String::as_str);
                environment.run(args.into_iter().chain(place))
            }
            _ => environment.run(args),
        });
        assert_eq!(own.len(), tasks);
        // The sources are gone.
        fs::remove_dir_all(copy).unwrap();
        let theirs = receipts(|args| match args[0] {
            "run" => {
                let args = [&args[..args.len() - 1], &[name, "--tasks", tar]].concat();
                there(&machine, &args)
            }
            _ => there(&machine, args),
        });
        assert_eq!(theirs, own);
        there(&machine, &["resume", name, "--json"]).exits(1);
        let listed = there(&machine, &["task", "list", "--json", "--root", tar]);
        assert_eq!(listed.exits(0).json().as_array().unwrap().len(), tasks);
        there(&machine, &["bundle", "verify", tar]).exits(0);
        let told = there(&machine, &["bundle", "inspect", tar, "--json"])
            .exits(0)
            .json();
        let roles: Vec<&Value> = told["tasks"][0]["guests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|guest| &guest["role"])
            .collect();
        assert_eq!(roles, ["verifier", "interpreter"]);

        // The receipt is verified with the bundle and an empty home, given the final state.
        let file = machine.path("receipt.json");
        fs::write(&file, &own[0]).unwrap();
        let statement: Value = serde_json::from_str(&own[0]).unwrap();
        assert!(statement["predicate"].is_object());
        let home = machine.path("another-home");
        let args = [
            "receipt",
            "verify",
            file.to_str().unwrap(),
            "--root",
            tar,
            "--home",
            home.to_str().unwrap(),
        ];
        // The agent did nothing, so the final state is the starting state.
        there(&machine, &args).exits(0);
    }
}

#[test]
fn a_script_is_held_back_mended_and_locked() {
    let Some(environment) = with_guest() else {
        return;
    };
    let (copy, place) = copied(&environment, "suites");
    let path = |name: &str| environment.path(name).display().to_string();
    let [public, before, after] = ["public.tar", "before.tar", "after.tar"].map(path);
    pack(&environment, &place, &public, &["--without-verifier"]);
    pack(&environment, &place, &before, &[]);
    let run = |more: &[&str]| {
        let args = ["run", "--agent", "nop", "--json", BOATS];
        environment.run(args.iter().chain(more))
    };
    let first = run(&["--tasks", &before, "--experiment", "e"])
        .exits(1)
        .json();
    let receipt = |report: &Value| {
        let id = text(&report["attempts"][0]["id"]);
        environment.run(["receipt", "show", &id]).exits(0).stdout
    };
    let refused = run(&["--tasks", &public, "--experiment", "later"]).exits(3);
    insta::assert_snapshot!(refused.message(), @r"
    warning: verifiers of 2 tasks are held back; pass them with --held-back FILE
    warning: filesystem/standard/harbour/count_boats: its task_id is also used by filesystem/easy/harbour/simple__count_boats
    1/1 held-back filesystem/standard/harbour/count_boats  [id]  0 calls
           held-back: the verifier sha256:[digest] is held back
    1 attempt not graded (held-back); to grade with the verifier, run `mcpmark regrade later --held-back FILE`
    ");
    let args = ["runs", "later", "--class", "held-back", "--json"];
    let listed = environment.run(args).exits(0).json();
    assert_eq!(listed["attempts"].as_array().unwrap().len(), 1, "{listed}");
    let listed = environment.run(["task", "list", "--json", "--tasks", &public]);
    let listed = listed.exits(0).json();
    let held = |listed: &Value| listed["held_back"].is_string() && listed["verifier"].is_null();
    assert!(listed.as_array().unwrap().iter().all(held), "{listed}");
    let refused = environment
        .run(["task", "check", "--tasks", &public, BOATS])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    warning: verifiers of 2 tasks are held back; pass them with --held-back FILE
    warning: filesystem/standard/harbour/count_boats: its task_id is also used by filesystem/easy/harbour/simple__count_boats
    error: task filesystem/standard/harbour/count_boats: verifier sha256:[digest] is held back
    hint: pass the verifier with --held-back FILE
    ");
    let script = copy.join("tasks").join(BOATS).join("verify.py");
    let held = script.to_str().unwrap();
    let with = run(&["--tasks", &public, "--held-back", held])
        .exits(1)
        .json();
    assert_eq!(receipt(&with), receipt(&first));
    let args = ["regrade", "later", "--held-back", &before, "--json"];
    let regraded = environment.run(args).exits(1).json();
    let id = text(&regraded["attempts"][0]["id"]);
    let later = environment.run(["receipt", "show", &id]).exits(0).stdout;
    assert_eq!(later, receipt(&first));

    environment
        .run(["bundle", "lock", &before, "-o", "suite.lock"])
        .exits(0);
    run(&["--tasks", "suite.lock"]).exits(1);
    fs::write(&script, "print('✅ all is well')\n").unwrap();
    pack(&environment, &place, &after, &[]);
    environment
        .run(["bundle", "verify", &public, "--held-back", held])
        .exits(0);
    let refused = run(&["--tasks", &public, "--held-back", held]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/suites/tasks/filesystem/standard/harbour/count_boats/verify.py: the digest is sha256:[digest], but no task of the bundle holds back a verifier with it
    hint: `mcpmark bundle inspect` prints the digests of verifiers
    ");
    let told = environment
        .run(["bundle", "diff", &before, &after, "--json"])
        .exits(1)
        .json();
    let changed = &told["changed"][0];
    assert_eq!(changed["task"], BOATS);
    assert_eq!(changed["guests"][0]["role"], "verifier");
    assert_eq!(changed["guests"].as_array().unwrap().len(), 1);
    let told = environment
        .run(["bundle", "update", "suite.lock", "--to", &after, "--json"])
        .exits(1)
        .json();
    assert_eq!(told["changes"]["changed"][0]["task"], BOATS);
    let args = ["regrade", "e", "--bundle", &after, "--json"];
    let regraded = environment.run(args).exits(1).json();
    assert_eq!(regraded["summary"]["flipped"], 1, "{regraded}");
}
