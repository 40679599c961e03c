//! Comparison of the corpus scripts between the guest and the Python of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, iter, thread};

use mcpmark_sandbox::{Limits, ScriptInput};
use mcpmark_snapshot::TreePath;
use mcpmark_test_support::{Need, skip};

use crate::guest::{Given, directory, guest, input};
use crate::states::{State, states};

/// Result of a run, limited to the parts in which two Python versions agree.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    exit_code: Option<i32>,
    stdout: String,
}

/// Returns true if `python3` is at least 3.11, the oldest version whose messages equal those of the guest.
fn native_python() -> bool {
    let asked = Command::new("python3")
        .args([
            "-I",
            "-c",
            "import sys; sys.exit(sys.version_info < (3, 11))",
        ])
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Runs a script on the Python of this machine with the inputs of `input`. Writes the file `messages`.
fn natively(script: &Path, state: &State, input: &ScriptInput, messages: &Path) -> Said {
    let own = |(name, _): &&(String, String)| {
        let is_place = name.starts_with("MCP_") || name.starts_with("PLAYWRIGHT_");
        !is_place && name != "FILESYSTEM_TEST_DIR"
    };
    let told = input.mounts.iter().find(|mount| mount.name == "messages");
    let path = TreePath::parse("messages.json").unwrap();
    fs::write(messages, told.unwrap().snapshot.read(&path).unwrap()).unwrap();
    let ran = Command::new("python3")
        .args(["-I", "-B", "-X", "utf8"])
        .arg(script)
        .args(&input.arguments)
        .current_dir("/")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TZ", "UTC")
        .envs(input.environment.iter().filter(own).cloned())
        .env("FILESYSTEM_TEST_DIR", &state.dir)
        .env("MCP_MESSAGES", messages)
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&ran.stdout);
    Said {
        exit_code: ran.status.code(),
        stdout: stdout.replace(state.dir.to_str().unwrap(), "/state"),
    }
}

#[test]
fn verdicts_and_output_are_those_of_native_python() {
    let Some(guest) = guest() else { return };
    if !native_python() {
        return skip(
            Need::Python,
            "there is no python3 of version 3.11 or later to compare with",
        );
    }
    let work = tempfile::tempdir().unwrap();
    let mut cases: Vec<_> = fs::read_dir(directory("corpus"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(cases.len() >= 30, "{}", cases.len());

    let compare = |case: &PathBuf| {
        let (mut pairs, mut passed, mut different) = (0, 0, Vec::new());
        let name = case.file_name().unwrap().to_str().unwrap();
        let script = case.join("verify.py");
        let given = match fs::read_to_string(case.join("given.json")) {
            Ok(text) => serde_json::from_str(&text).unwrap(),
            Err(_) => Given::default(),
        };
        let into = work.path().join(name);
        fs::create_dir(&into).unwrap();
        let messages = work.path().join(format!("{name}.json"));
        let mut failed = 0;
        for state in states(&case.join("state"), &into) {
            let input = input(&script, &state.dir, &given);
            let native = natively(&script, &state, &input, &messages);
            let (outcome, run) = guest.judge(&input, &Limits::SCRIPT);
            let here = Said {
                exit_code: run.exit_code.map(i32::from),
                stdout: String::from_utf8_lossy(&run.written.stdout).into_owned(),
            };
            pairs += 1;
            match native.exit_code {
                Some(0) => passed += 1,
                _ => failed += 1,
            }
            if here != native || outcome.passed() != Some(native.exit_code == Some(0)) {
                different.push(format!(
                    "{name}, {}: {outcome:?}\n  here {here:?}\n  natively {native:?}",
                    state.name
                ));
            }
            if state.name == "as it should be" {
                assert_eq!(native.exit_code, Some(0), "{name} passes natively");
            }
        }
        assert!(failed > 0, "{name} fails in some state");
        (pairs, passed, different)
    };
    let (mut pairs, mut passed, mut different) = (0, 0, Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            let cases = iter::from_fn(|| cases.get(next.fetch_add(1, Ordering::Relaxed)));
            cases.map(compare).collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for found in workers.into_iter().flat_map(|it| it.join().unwrap()) {
            pairs += found.0;
            passed += found.1;
            different.extend(found.2);
        }
    });
    different.sort();
    println!(
        "{} scripts, {pairs} states, {passed} passes, {} differences",
        cases.len(),
        different.len()
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}
