//! `mcp serve` with third-party clients from npm: the TypeScript SDK, and the MCP inspector in its command-line mode.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, repository, text};
use crate::npm;

const VERSION: &str = "1.32.2";
const INSPECTOR: &str = "0.15.0";
const TASK: &str = "filesystem/food-bank/active-agencies";

/// Returns the client program in a directory with its npm packages, or the reason why they cannot be installed.
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
        Err(reason) => return skip(Need::Npm, format!("TypeScript SDK {VERSION}: {reason}")),
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

#[test]
fn the_typescript_sdk_solves_a_task_over_http() {
    let program = match client() {
        Ok(program) => program,
        Err(reason) => return skip(Need::Npm, format!("TypeScript SDK {VERSION}: {reason}")),
    };
    let environment = Environment::new();
    let args = [
        "mcp",
        "serve",
        "--task",
        TASK,
        "--http",
        "127.0.0.1:0",
        "--grade",
    ];
    let mut server = environment.command(args);
    let mut server = server.stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(server.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("http://") {
        assert!(notes.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let url = said.trim_end().split("http://").nth(1).unwrap();
    let place = json!({"url": format!("http://{url}")}).to_string();
    let mut node = Command::new("node");
    let report = Output::of(node.arg(program).arg(place)).exits(0).json();
    assert_eq!(report["server"], "secure-filesystem-server");
    assert_eq!(report["tools"].as_array().unwrap().len(), 14, "{report}");
    // The server ends with the session of its client.
    assert_eq!(server.wait().unwrap().code(), Some(0));
    notes.read_to_string(&mut said).unwrap();
    assert!(said.contains("verdict: pass"), "{said}");
}

#[test]
fn the_inspector_lists_and_calls_tools() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join(format!("inspector-{INSPECTOR}"));
    let manifest = json!({
        "private": true,
        "dependencies": {"@modelcontextprotocol/inspector": INSPECTOR},
    });
    let program = "@modelcontextprotocol/inspector/cli/build/cli.js";
    let program = match npm::install(&home, &manifest, program) {
        Ok(program) => program,
        Err(reason) => return skip(Need::Npm, format!("MCP inspector {INSPECTOR}: {reason}")),
    };
    let environment = Environment::new();
    let world = environment.directory("world", &[("note.txt", "as it was\n")]);
    let inspect = |serving: &[&str], words: &[&str]| {
        let serve = environment.command(["mcp", "serve", "--world"]);
        let mut node = Command::new("node");
        node.args([program.as_os_str(), "--cli".as_ref(), serve.get_program()])
            .args(serve.get_args())
            .arg(&world)
            .args(serving)
            .args(words)
            .env("PATH", env::var_os("PATH").unwrap_or_default());
        // The inspector passes its environment to the server.
        for (name, value) in serve.get_envs() {
            match value {
                Some(value) => node.env(name, value),
                None => node.env_remove(name),
            };
        }
        Output::of(&mut node).exits(0).json()
    };
    let listed = inspect(&[], &["--method", "tools/list"]);
    assert_eq!(listed["tools"].as_array().unwrap().len(), 14, "{listed}");
    let out = environment.path("out");
    let write = ["--method", "tools/call", "--tool-name", "write_file"];
    let arguments = ["path=/workspace/new.txt", "content=by hand"];
    let arguments = arguments.map(|argument| ["--tool-arg", argument]).concat();
    let called = inspect(
        &["--export", out.to_str().unwrap()],
        &[&write[..], &arguments[..]].concat(),
    );
    let said = text(&called["content"][0]["text"]);
    assert!(said.contains("new.txt"), "{called}");
    // The inspector may end before the server has written every file.
    let files = ["new.txt", "note.txt"].map(|name| out.join(name));
    let exported = || {
        files
            .each_ref()
            .map(|file| fs::read_to_string(file).unwrap_or_default())
    };
    for _ in 0..500 {
        if exported().iter().all(|content| !content.is_empty()) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(exported(), ["by hand", "as it was\n"]);
}
