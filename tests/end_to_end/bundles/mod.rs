//! Bundles: the same sources give the same digests, and the same grades on other machines.

mod busy;
mod keeping;
mod lies;
mod lock;
mod login;
mod packing;
mod places;
mod published;
mod registry;
mod tampering;
mod trust;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_metadata::ReceiptStatement;
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text, write_files};
use crate::guests;
use crate::library::Library;

/// Returns a command without a library and without a toolchain, with its own cache.
fn elsewhere(environment: &Environment, args: &[&str]) -> Command {
    let mut command = environment.command(args);
    command
        .env_remove("MCPMARK_ROOT")
        .env("XDG_CACHE_HOME", environment.path("cache"))
        .env("PATH", environment.path("no-toolchain"));
    command
}

fn there(environment: &Environment, args: &[&str]) -> Output {
    Output::of(&mut elsewhere(environment, args))
}

/// Creates a library with two tasks, one of which fails, and a world with every kind of entry.
fn sample(environment: &Environment) -> Library<'_> {
    let library = Library::new(environment);
    library.easy_task("easy");
    library.task("hard", &guests::verdict(false, "never"));
    let world = library.world("office");
    write_files(&world, &[("files/empty/", ""), ("files/run.sh", "echo\n")]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(world.join("files/run.sh"), mode).unwrap();
    std::os::unix::fs::symlink("../note.txt", world.join("files/letters/link")).unwrap();
    library
}

fn pack(library: &Library<'_>, to: &Path, more: &[&str]) -> Value {
    let args = ["bundle", "pack", "--json", "-o", to.to_str().unwrap()];
    library.run(args.iter().chain(more)).exits(0).json()
}

/// Runs `nop` on all tasks, of which one fails, and returns the receipts.
fn receipts(run: impl Fn(&[&str]) -> Output) -> Vec<String> {
    let report = run(&["run", "--agent", "nop", "--json"]).exits(1).json();
    let attempts = report["attempts"].as_array().unwrap();
    let receipt = |attempt: &Value| {
        let args = ["receipt", "show", attempt["id"].as_str().unwrap()];
        let shown = run(&args).exits(0).stdout;
        let statement: ReceiptStatement = serde_json::from_str(&shown).unwrap();
        assert_eq!(json!(statement), shown.parse::<Value>().unwrap());
        shown
    };
    attempts.iter().map(receipt).collect()
}

fn copy_tree_with_links(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let copied = Command::new("cp")
        .arg("-a")
        .args([from, to])
        .status()
        .unwrap();
    assert!(copied.success());
}

fn receipts_of_one(run: impl Fn(&[&str]) -> Output) -> String {
    let report = run(&["run", "--agent", "nop", "--json"]).exits(0).json();
    let id = text(&report["attempts"][0]["id"]);
    run(&["receipt", "show", &id]).exits(0).stdout
}

/// Returns the paths of the files of an OCI layout.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir.join("blobs/sha256"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.extend([dir.join("index.json"), dir.join("oci-layout")]);
    found.sort();
    found
}
