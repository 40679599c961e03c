//! `service install`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_test_support::{Need, skip};

use crate::environment::{Environment, Output};

/// Creates a directory with links to all programs of `PATH` but package managers of the system and browsers, which a
/// test must not use, and with a program that has the name of a browser.
fn programs(environment: &Environment) -> PathBuf {
    let dir = environment.directory("bin", &[]);
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).filter_map(|dir| fs::read_dir(dir).ok());
    for entry in found.flatten().flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if !text.starts_with("apt") && !text.starts_with("chrom") {
            // The first directory of `PATH` with a program wins.
            let _ = symlink(entry.path(), dir.join(&name));
        }
    }
    let browser = dir.join("chromium");
    fs::write(&browser, "#!/bin/sh\necho Chromium 1.2.3\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn install(environment: &Environment, path: &Path, args: &[&str]) -> Command {
    let mut command = environment.command(["service", "install"].iter().chain(args));
    command
        .env("PATH", path)
        .env("XDG_CACHE_HOME", environment.path("cache"))
        .env_remove("MCPMARK_PLAYWRIGHT")
        .env_remove("MCPMARK_NO_INSTALL");
    command
}

#[test]
fn programs_that_are_missing_are_named_with_the_commands() {
    let environment = Environment::bare();
    let path = environment.directory("empty", &[]);
    let run = |args: &[&str]| Output::of(&mut install(&environment, &path, args));
    let transcript = [
        run(&["filesystem"]).exits(0),
        run(&["playwright"]).exits(5),
        run(&["playwright", "--dry-run"]).exits(5),
        run(&["nothing"]).exits(2),
    ]
    .map(|output| output.transcript())
    .concat();
    insta::assert_snapshot!(transcript);
}

#[test]
fn packages_of_npm_are_installed_by_their_digests() {
    let npm = Command::new("npm")
        .args(["view", "@playwright/mcp@0.0.68", "version"])
        .output();
    if !npm.is_ok_and(|output| output.status.success()) {
        return skip(Need::Npm, "npm cannot reach its registry");
    }
    let environment = Environment::bare();
    let path = programs(&environment);
    let run = |args: &[&str]| Output::of(&mut install(&environment, &path, args));
    let dir = environment.path("cache/mcpmark/playwright");
    let command = format!(
        "· npm ci --ignore-scripts, for @playwright/mcp@0.0.68 in {}\n",
        dir.display()
    );

    let planned = run(&["playwright", "--dry-run"]).exits(0);
    assert_eq!(planned.stderr, command);
    assert!(!dir.exists());
    let mut forbidden = install(&environment, &path, &["playwright", "--no-install"]);
    let forbidden = Output::of(&mut forbidden).exits(2);
    assert!(forbidden.stderr.contains("is not allowed"), "{forbidden:?}");
    assert!(!dir.exists());

    // Without namespaces, the service is not available although its programs are.
    let installed = run(&["playwright"]);
    assert!(installed.stderr.starts_with(&command), "{installed:?}");
    let package = dir.join("node_modules/@playwright/mcp/package.json");
    assert!(fs::read_to_string(package).unwrap().contains("\"0.0.68\""));
    let again = run(&["playwright"]);
    assert!(!again.stderr.contains("npm ci"), "{again:?}");
}
