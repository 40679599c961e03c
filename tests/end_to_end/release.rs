//! Releases: the archive runs in an empty root without a network, and the wheel installs the same program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use serde_json::Value;

use crate::environment::{Environment, Output, repository};
use crate::running::{repeated, shipped};

/// Writes a release with the program under test.
fn release(environment: &Environment, tasks: &Path, output: &str) -> xtask::Release {
    let options = xtask::Options {
        root: repository(),
        output: environment.path(output),
        binary: Some(env!("CARGO_BIN_EXE_mcpmark").into()),
        tasks: Some(tasks.to_owned()),
        target: xtask::host_target().unwrap(),
        // The best compression takes most of the time.
        compression: 1,
    };
    xtask::dist(&options).unwrap()
}

fn pack(environment: &Environment) -> PathBuf {
    let tasks = environment.path("tasks");
    let pack = ["bundle", "pack", "-o", tasks.to_str().unwrap()];
    environment.run(pack).exits(0);
    tasks
}

/// Returns the shared libraries of a program, with its loader.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text.split_whitespace();
    words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .collect()
}

#[test]
fn the_archive_runs_in_an_empty_root_without_a_network() {
    let environment = Environment::new();
    let is_isolated = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--net", "true"])
        .status()
        .is_ok_and(|status| status.success());
    if !is_isolated {
        skip(Need::Unshare, "namespaces are not available");
        return;
    }
    let release = release(&environment, &pack(&environment), "release");

    let root = environment.path("root");
    for dir in ["opt", "proc", "dev", "tmp", "root"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(&release.archive)
        .args(["-C", root.join("opt").to_str().unwrap()])
        .args(["--strip-components", "1", "--no-same-owner"])
        .status()
        .unwrap();
    assert!(unpacked.success());
    // A machine without a compiler still has the C library.
    for library in libraries(&root.join("opt/bin/mcpmark")) {
        let copy = root.join(library.strip_prefix("/").unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&library, copy).unwrap();
    }
    let in_root = |args: &[&str]| {
        let script = r#"mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" &&
            root=$0 && exec chroot "$root" /opt/bin/mcpmark "$@""#;
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "--net"])
            .args(["sh", "-c", script])
            .arg(&root)
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", "/root")
            .current_dir("/");
        Output::of(&mut command)
    };

    // The services that need other programs are named, and left out.
    let shipped: Vec<_> = shipped(&environment)
        .into_iter()
        .filter(|id| !id.starts_with("playwright/") && !id.starts_with("postgres/"))
        .collect();
    let mut arguments = vec!["run", "--json"];
    let selected = repeated(&shipped);
    arguments.extend(&selected);
    let report = in_root(&arguments).exits(0).json();
    let attempts = report["attempts"].as_array().unwrap();
    let passed: BTreeSet<_> = attempts
        .iter()
        .filter(|attempt| attempt["passed"] == true)
        .map(|attempt| attempt["task"].as_str().unwrap())
        .collect();
    assert_eq!(passed, selected.into_iter().collect());

    let refused = in_root(&["task", "new", "filesystem/food-bank/mine"]).exits(2);
    assert!(refused.stderr.contains("cannot be added to a bundle"));
    let listed = in_root(&["task", "list", "--json"]).exits(0).json();
    let listed_here = environment.run(["task", "list", "--json"]).exits(0).json();
    let ids = |tasks: &Value| -> Vec<String> {
        let tasks = tasks.as_array().unwrap().iter();
        tasks.map(|task| task["id"].to_string()).collect()
    };
    assert_eq!(ids(&listed), ids(&listed_here));
}

#[test]
fn releases_are_reproducible_and_the_wheel_installs_the_program() {
    let environment = Environment::new();
    let tasks = pack(&environment);
    let (first, second) = (
        release(&environment, &tasks, "first"),
        release(&environment, &tasks, "second"),
    );
    for (one, two) in [
        (&first.archive, &second.archive),
        (&first.wheel, &second.wheel),
        (&first.checksums, &second.checksums),
    ] {
        assert_eq!(one.file_name(), two.file_name());
        assert!(fs::read(one).unwrap() == fs::read(two).unwrap(), "{one:?}");
    }
    let checked = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(first.checksums.parent().unwrap())
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}");

    let venv = environment.path("venv");
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&venv)
        .output();
    match made {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let reason = String::from_utf8_lossy(&output.stderr).into_owned();
            return skip(Need::Python, reason);
        }
        Err(error) => return skip(Need::Python, error),
    }
    let installed = Command::new(venv.join("bin/pip"))
        .args(["install", "--quiet", "--no-index", "--no-deps"])
        .arg(&first.wheel)
        .output()
        .unwrap();
    assert!(installed.status.success(), "{installed:?}");
    let mut command = environment.command(["task", "list", "--json"]);
    let program = venv.join("bin/mcpmark");
    let mut installed = Command::new(&program);
    installed
        .args(command.get_args())
        .current_dir(&venv)
        .env_remove("MCPMARK_ROOT")
        .env("MCPMARK_HOME", environment.home())
        .env("XDG_CACHE_HOME", environment.path("cache"));
    let listed = Output::of(&mut installed).exits(0).json();
    let expected = Output::of(&mut command).exits(0).json();
    assert_eq!(
        listed.as_array().unwrap().len(),
        expected.as_array().unwrap().len()
    );
    let share = venv.join("share/doc/mcpmark");
    let bill: Value =
        serde_json::from_slice(&fs::read(share.join("sbom.cdx.json")).unwrap()).unwrap();
    let names: BTreeSet<_> = bill["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["name"].as_str().unwrap())
        .collect();
    // Of the program, of the guests, and none of the tests.
    assert!(names.contains("wasmtime") && names.contains("wit-bindgen"));
    assert!(!names.contains("proptest"));
    let licences = fs::read_to_string(share.join("THIRD-PARTY-LICENSES.txt")).unwrap();
    for name in [
        "jiff ",
        "rusqlite ",
        "wasmtime ",
        "wit-bindgen ",
        "Chart.js: MIT [",
    ] {
        assert!(licences.contains(&format!("\n{name}")), "{name}");
    }
    assert!(licences.contains("Apache License"));
}
