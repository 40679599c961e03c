//! Data of an earlier version: journal, store, receipts, bundle, lock and exported experiment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::environment::{Environment, repository};

fn fixture(name: &str) -> PathBuf {
    repository().join("tests/fixtures/earlier").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a directory of the fixture with the stems of their names.
fn files(dir: &str) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(fixture(dir)).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    files.sort();
    files
}

/// Unpacks the journal and the store.
fn earlier() -> Environment {
    let environment = Environment::bare();
    fs::create_dir_all(environment.home()).unwrap();
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(fixture("home.tar.gz"))
        .arg("-C")
        .arg(environment.home())
        .arg("--no-same-owner")
        .status()
        .unwrap();
    assert!(unpacked.success());
    environment
}

/// Compares the receipts that are shown with the stored ones. Returns their number. The receipts of new grades name the
/// engine of this machine; all others are equal byte for byte.
fn same_receipts(environment: &Environment, attempts: &[String], are_new: bool) -> usize {
    let stored = files("receipts");
    let shown = stored.iter().filter(|(id, _)| attempts.contains(id));
    shown
        .map(|(id, path)| {
            let receipt = environment.run(["receipt", "show", id]).exits(0).stdout;
            if are_new {
                assert_eq!(
                    without_engine(&receipt),
                    without_engine(&read(path)),
                    "{id}"
                );
            } else {
                assert_eq!(receipt, read(path), "{id}");
            }
        })
        .count()
}

fn without_engine(receipt: &str) -> Value {
    let mut receipt: Value = serde_json::from_str(receipt).unwrap();
    let grade = receipt["predicate"]["mcpmark"].as_object_mut().unwrap();
    assert!(grade.remove("engine").is_some(), "{receipt}");
    receipt
}

fn verify_receipts(environment: &Environment) {
    for (id, path) in files("receipts") {
        let verified = environment.run(["receipt", "verify", path.to_str().unwrap()]);
        let verified = verified.exits(0);
        assert!(
            verified.stdout.contains("the same verdict"),
            "{id}: {verified:?}"
        );
    }
}

fn ids(report: &Value) -> Vec<String> {
    let attempts = report["attempts"].as_array().unwrap().iter();
    attempts
        .map(|attempt| attempt["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Regrades experiments with the bundle, and expects that every verdict stays.
fn regrade(environment: &Environment, experiments: &[&str], attempts: usize) {
    let bundle = fixture("suite.tar");
    let mut arguments = vec!["regrade", "--bundle", bundle.to_str().unwrap()];
    arguments.extend(experiments);
    let regraded = environment.run(arguments).exits(0);
    let expected = format!("{attempts} attempts regraded, {attempts} unchanged\n");
    assert!(regraded.stdout.ends_with(&expected), "{regraded:?}");
}

#[test]
fn a_journal_of_an_earlier_version_is_listed_regraded_and_verified() {
    let environment = earlier();
    let mut graded = Vec::new();
    for (experiment, path) in files("runs") {
        let listed = environment.run(["runs", &experiment, "--json"]).exits(0);
        let listed = listed.json();
        let stored: Value = serde_json::from_str(&read(&path)).unwrap();
        assert_eq!(listed, stored, "{experiment}");
        if experiment != "faulty" {
            graded.extend(ids(&listed));
        }
    }
    environment.run(["store", "check"]).exits(0);
    assert_eq!(same_receipts(&environment, &graded, false), 4);
    verify_receipts(&environment);
    regrade(&environment, &["solved", "untouched"], 4);
    assert_eq!(same_receipts(&environment, &graded, true), 4);
    // Nothing that these grades need is garbage.
    environment.run(["store", "gc"]).exits(0);
    verify_receipts(&environment);
}

#[test]
fn an_experiment_that_an_earlier_version_exported_is_imported_and_regraded() {
    let environment = Environment::bare();
    let file = fixture("untouched.mcpmark");
    environment
        .run(["store", "import", file.to_str().unwrap()])
        .exits(0);
    let listed = environment.run(["runs", "untouched", "--json"]).exits(0);
    let attempts = ids(&listed.json());
    assert_eq!(same_receipts(&environment, &attempts, false), 2);
    regrade(&environment, &["untouched"], 2);
    // No attempt is left to run.
    let suite = fixture("suite.tar");
    let resume = ["resume", "untouched", "--tasks", suite.to_str().unwrap()];
    environment.run(resume).exits(1);
    let listed = environment.run(["runs", "untouched", "--json"]).exits(0);
    assert_eq!(ids(&listed.json()), attempts);
    assert_eq!(same_receipts(&environment, &attempts, true), 2);
}

#[test]
fn a_signed_and_locked_bundle_of_an_earlier_version_is_verified_and_runs() {
    let environment = Environment::bare();
    let dir = environment.directory("suite", &[]);
    for name in ["suite.tar", "mcpmark.lock"] {
        fs::copy(fixture(name), dir.join(name)).unwrap();
    }
    let (suite, lock) = (dir.join("suite.tar"), dir.join("mcpmark.lock"));
    let (suite, lock) = (suite.to_str().unwrap(), lock.to_str().unwrap());
    let key = fixture("signer.pub");
    let verify = ["bundle", "verify", suite, "--key", key.to_str().unwrap()];
    let verified = environment.run(verify).exits(0);
    assert!(verified.stdout.contains("signed by"), "{verified:?}");
    let updated = environment.run(["bundle", "update", lock]).exits(0);
    assert!(updated.stdout.starts_with("no changes: "), "{updated:?}");
    let run = ["run", "--json", "--agent", "oracle", "--root", lock];
    let report = environment.run(run).exits(0).json();
    assert_eq!(report["summary"]["passed"], 2);
}
