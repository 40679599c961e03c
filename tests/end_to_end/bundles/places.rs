//! Paths and references of bundles among the selectors, and use of cached bundles without their registry.

use std::fs;

use super::registry::Registry;
use super::{pack, sample, there};
use crate::environment::{Environment, text, write_files};
use crate::library::Library;

#[test]
fn a_place_stands_among_the_selectors() {
    let environment = Environment::new();
    let library = sample(&environment);
    let machine = Environment::bare();
    pack(&library, &machine.path("suite.tar"), &[]);
    pack(&library, &machine.path("suite"), &[]);
    let easy = "filesystem/office/easy";
    let whole = machine.path("suite").display().to_string();
    let root = library.root.display().to_string();
    for place in ["suite.tar", "./suite", &whole, &root] {
        let listed = there(&machine, &["task", "list", "--json", place]);
        assert_eq!(listed.exits(0).json().as_array().unwrap().len(), 2);
        let listed = there(&machine, &["task", "list", "--json", easy, place]);
        assert_eq!(listed.exits(0).json()[0]["id"], easy);
        let shown = there(&machine, &["task", "show", place, easy, "--json"]);
        assert_eq!(shown.exits(0).json()["id"], easy);
        let run = ["run", place, easy, "--agent", "nop", "--json"];
        let report = there(&machine, &run).exits(0).json();
        assert_eq!(report["summary"]["attempts"], 1);
        let checked = there(&machine, &["task", "check", place, easy, "--json"]);
        assert!(checked.stdout.contains(easy), "{checked:?}");
    }
    // Relative paths in a configuration file are resolved from its directory.
    let plan = "tasks = [\"../suite.tar\", \"filesystem/office/easy\"]\nagent = \"nop\"\n";
    write_files(&machine.path("plans"), &[("plan.toml", plan)]);
    there(&machine, &["run", "--config", "plans/plan.toml"]).exits(0);
    // The command line overrides the configuration file, and a bare name without the form of a path is a selector.
    let refused = there(
        &machine,
        &["run", "--config", "plans/plan.toml", "none.tar"],
    )
    .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/none.tar: file or directory does not exist
    hint: expected a directory of tasks, a bundle (a directory, `suite.tar` or `oci://HOST/REPOSITORY:TAG`) or a lock file (`mcpmark.lock`)
    ");
    let refused = there(&machine, &["run", "suite", "--tasks", "suite.tar"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: selector "suite" matches no task
    hint: write a directory as "./suite"
    "#);
    let mut transcript = String::new();
    for args in [
        &["run", "suite.tar", "./suite"][..],
        &["run", "suite.tar", "--tasks", "suite"],
        &["task", "show", "suite.tar"],
        &["task", "show", easy, easy, "--tasks", "suite"],
        &["run", easy, "--states", "suite"],
        &["task", "check", "suite.tar", "--solved", "suite"],
    ] {
        let refused = there(&machine, args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("a_place_stands_among_the_selectors", transcript);
}

#[test]
fn missing_bundles_are_named_with_a_hint() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library
        .run(["run", "--agent", "nop", "--experiment", "e"])
        .exits(0);
    let state = environment.directory("state", &[("note.txt", "other\n")]);
    let state = state.to_str().unwrap();
    let mut transcript = String::new();
    for args in [
        &["run", "--tasks", "nothere.tar"][..],
        &["run", "nothere.tar"],
        &["run", "--root", "nothere.tar"],
        &["task", "list", "--tasks", "nothere.tar"],
        &["task", "check", "nothere.tar"],
        &["task", "build", "nothere.tar"],
        &["grade", "a/b/c", "--tasks", "nothere.tar", "--state", state],
        &["regrade", "e", "--bundle", "nothere.tar"],
        &["bundle", "pack", "--tasks", "nothere.tar", "-o", "x.tar"],
    ] {
        let refused = library.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("missing_bundles_are_named_with_a_hint", transcript);
    // Nothing listens on port 9 (discard).
    let nobody = "oci://127.0.0.1:9/suites/office:v1";
    let mut transcript = String::new();
    for args in [
        &["run", "--tasks", nobody][..],
        &["run", nobody],
        &["task", "list", nobody],
        &["regrade", "e", "--bundle", nobody],
        &["bundle", "inspect", nobody],
    ] {
        let refused = library.run(args).exits(5);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("missing_bundles_are_named_with_a_hint_2", transcript);
}

#[test]
fn locked_bundles_in_the_cache_need_no_registry() {
    let environment = Environment::new();
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let library = Library::new(&environment);
    library.easy_task("easy");
    let machine = Environment::bare();
    // The policy accepts only signed bundles, so signatures must be cached, too.
    let configuration = machine.path("config/mcpmark");
    let policy = "[[trust]]\nnames = [\"*\"]\nkeys = [\"ours.pub\"]\n";
    write_files(&configuration, &[("trust.toml", policy)]);
    let key = configuration.join("ours.pem").display().to_string();
    there(&machine, &["bundle", "keygen", "-o", &key]).exits(0);
    let tar = machine.path("suite.tar");
    let digest = text(&pack(&library, &tar, &[])["digest"]);
    let reference = format!("oci://{}/suites/office:v1", registry.host);
    there(&machine, &["bundle", "sign", "suite.tar", "--key", &key]).exits(0);
    there(&machine, &["bundle", "push", "suite.tar", &reference]).exits(0);
    fs::remove_file(&tar).unwrap();
    there(&machine, &["bundle", "lock", &reference]).exits(0);
    let run = ["run", &reference, "--agent", "nop", "--experiment", "e"];
    there(&machine, &run).exits(0);
    drop(registry);

    let output = there(&machine, &["run", "--agent", "nop"]).exits(0);
    insta::assert_snapshot!(output.message(), @r"
    warning: 127.0.0.1:[port] cannot be reached; using the bundle with this digest that was fetched before
    1/1 pass filesystem/office/easy  [id]  0 calls
    ");
    let listed = there(&machine, &["task", "list", "--json"]).exits(0);
    assert_eq!(listed.json().as_array().unwrap().len(), 1);
    there(&machine, &["bundle", "verify", "mcpmark.lock"]).exits(0);
    // A reference with a digest works without the registry. A tag may have moved, so it works only for an experiment
    // that began with it.
    let exact = format!("{}@{digest}", reference.strip_suffix(":v1").unwrap());
    there(&machine, &["run", &exact, "--agent", "nop"]).exits(0);
    let refused = there(&machine, &["run", &reference, "--agent", "nop"]).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suites/office:v1: manifest v1: cannot reach the registry: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)
    hint: check its name, and whether it is running; without it, only a locked bundle (`mcpmark bundle lock`) that was fetched before can be used
    ");
    let output = there(&machine, &["resume", "e"]).exits(0);
    insta::assert_snapshot!(output.message(), @"warning: oci://127.0.0.1:[port]/suites/office:v1: manifest v1: cannot reach the registry: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111); using the same bundle from the cache");

    // If blobs are missing in the cache, the registry is needed.
    fs::remove_dir_all(machine.path("cache/mcpmark/bundles")).unwrap();
    let refused = there(&machine, &["run", "--agent", "nop"]).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suites/office:v1@sha256:[digest]: manifest sha256:[digest]: cannot reach the registry: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)
    hint: check its name, and whether it is running; without it, only a locked bundle (`mcpmark bundle lock`) that was fetched before can be used
    ");
    let refused = there(&machine, &["resume", "e"]).exits(5).says(&[&digest]);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suites/office:v1: manifest v1: cannot reach the registry: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)
    hint: `mcpmark resume e --tasks PLACE` continues with the new location of the same tasks; the tasks were from bundle sha256:[digest]
    ");
}
