//! `mcp serve` to a client that we did not write: the TypeScript SDK, from npm.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::{Value, json};

use crate::environment::{Environment, Output, repository, text};
use crate::npm;

const VERSION: &str = "1.32.2";
const TASK: &str = "filesystem/food-bank/active-agencies";

/// The client's program, beside the packages that it imports; or why it cannot be had.
fn client() -> Result<std::path::PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join(format!("sdk-{VERSION}"));
    let manifest = json!({
        "private": true,
        "dependencies": {"@modelcontextprotocol/sdk": VERSION},
        "overrides": {"zod": "4.6.7"},
    });
    npm::install(&home, &manifest, "@modelcontextprotocol/sdk/package.json")?;
    let program = home.join("client.mjs");
    let source = repository().join("tests/end_to_end/client.mjs");
    fs::copy(source, &program).map_err(|error| error.to_string())?;
    Ok(program)
}

#[test]
fn the_typescript_sdk_solves_a_task_by_hand() {
    let program = match client() {
        Ok(program) => program,
        Err(reason) => {
            // Past the capture of the test harness, so that it is seen.
            let _ = writeln!(
                std::io::stderr(),
                "TypeScript SDK {VERSION}: skipped: {reason}"
            );
            return;
        }
    };
    let environment = Environment::new();
    let out = environment.path("out");
    let serve = environment.command([
        "mcp",
        "serve",
        "--task",
        TASK,
        "--export",
        out.to_str().unwrap(),
    ]);
    let set: serde_json::Map<String, Value> = serve
        .get_envs()
        .filter_map(|(name, value)| {
            let value = value?.to_str().unwrap().to_owned();
            Some((name.to_str().unwrap().to_owned(), value.into()))
        })
        .chain(env::var("PATH").map(|path| ("PATH".to_owned(), path.into())))
        .collect();
    let server = json!({
        "command": serve.get_program().to_str().unwrap(),
        "args": serve.get_args().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>(),
        "env": set,
    });
    let mut node = Command::new("node");
    let played = Output::of(node.arg(program).arg(server.to_string())).exits(0);
    let report = played.json();
    assert_eq!(report["server"], "secure-filesystem-server");
    let tools = report["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 14, "{tools:?}");
    assert!(
        text(&report["refused"]).contains("Access denied"),
        "{report}"
    );

    let grade = ["grade", TASK, "--json", "--state", out.to_str().unwrap()];
    let graded = environment.run(grade).exits(0).json();
    assert_eq!(graded["passed"], true, "{graded}");
}
