//! Programs that start the server as another process.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{NOTES, TASK, run_with, show_first};
use crate::environment::Environment;
use crate::programs::has_gone;

/// Writes a wrapper that starts a helper and then the server, as `npx` does. The helper does not end with its input.
/// Returns the configuration, and the file to which each start adds the id of the helper.
fn wrapper(environment: &Environment, server: &str) -> (String, PathBuf) {
    let (dir, helpers) = (environment.path("notes"), environment.path("helpers"));
    let script = format!(
        "sleep 1000 &\necho $! >> '{}'\n/bin/sh '{}'\nexit\n",
        helpers.display(),
        dir.join("server.sh").display()
    );
    let files = [("wrapper.sh", script.as_str()), ("server.sh", server)];
    environment.directory("notes", &files);
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        dir.join("wrapper.sh").display()
    );
    (config, helpers)
}

#[test]
fn a_wrapper_ends_with_all_that_it_has_started() {
    let environment = Environment::new();
    let (config, helpers) = wrapper(&environment, NOTES);
    let report = run_with(&environment, &config, &[], &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    assert_eq!(shown["calls"][0]["is_error"], false, "{shown}");
    let helpers = fs::read_to_string(helpers).unwrap();
    assert_eq!(helpers.lines().count(), 2, "preflight and attempt");
    for helper in helpers.lines() {
        has_gone(helper.parse().unwrap());
    }
}

#[test]
fn ctrl_c_during_a_preflight_ends_a_wrapper_with_all_that_it_has_started() {
    let environment = Environment::new();
    let (config, helpers) = wrapper(&environment, "sleep 1000\n");
    let dir = environment.directory("config", &[("servers.toml", &config)]);
    let file = dir.join("servers.toml");
    let args = ["run", TASK, "--model", "openai/m", "--mcp-config"];
    let mut command = environment.command(args.iter().chain(&[file.to_str().unwrap()]));
    command.args(["--base-url", "http://127.0.0.1:9/v1"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let helper = loop {
        match fs::read_to_string(&helpers) {
            Ok(text) if text.ends_with('\n') => break text.trim().parse().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
        assert!(child.try_wait().unwrap().is_none(), "the run has ended");
    };
    // Only to this process, whereas a terminal signals the process group.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    has_gone(helper);
}
