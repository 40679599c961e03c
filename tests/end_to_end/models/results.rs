//! Tool results that are truncated for the model.

use mcpmark_model_server::{Reaction, Request, Server};
use serde_json::{Value, json};

use super::{TASK, calls, run, serve};
use crate::environment::Environment;

/// Returns the content of the file that is read: 300,005 bytes.
fn long() -> String {
    format!("FIRST{}LAST", "é".repeat(149_998))
}

/// Starts a model that writes a long file, reads it and ends, with function calls or in text.
fn reader() -> Server {
    serve(|request| {
        let (name, arguments) = match request.turns {
            0 => ("write_file", json!({"path": "long.txt", "content": long()})),
            1 => ("read_text_file", json!({"path": "long.txt"})),
            _ if request.tools.is_empty() => {
                return Reaction::say(r#"{"thought": "t", "answer": "Done."}"#);
            }
            _ => return Reaction::say("Done."),
        };
        if request.tools.is_empty() {
            let action = json!({"tool": name, "arguments": arguments});
            return Reaction::say(json!({"thought": "t", "action": action}).to_string());
        }
        Reaction::call(name, &arguments)
    })
}

/// Returns the last message to the model.
fn last(server: &Server) -> String {
    let requests = server.requests();
    let last = |request: &Request| {
        let messages = request.body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    last(requests.last().unwrap())
}

#[test]
fn a_long_result_is_cut_for_the_model_and_kept_whole() {
    let environment = Environment::new();
    let server = reader();
    let args = ["--model", "openai/m", "--experiment", "cut", TASK];
    let report = run(&environment, &server, &args).exits(1).json();
    let shown = last(&server);
    let marker = "\n[234470 of the 300005 bytes of this result are left out here";
    assert!(shown.contains(marker), "{shown:.200}");
    assert!(shown.contains("make calls that return less at a time"));
    assert!(shown.starts_with("FIRSTé") && shown.ends_with("éLAST"));
    assert!((65_536..66_000).contains(&shown.len()), "{}", shown.len());
    // The limit is a setting of the agent, so it is recorded with the attempt.
    let settings = calls(
        &environment,
        "SELECT agent_settings FROM attempts ORDER BY position",
    );
    assert_eq!(settings, ["{\"max-result-bytes\":65536}"]);

    let id = report["attempts"][0]["id"].as_str().unwrap();
    let kept = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(kept["calls"][1]["result"]["content"][0]["text"], long());
    let dir = environment.path("atif");
    let export = ["export", "cut", "--format", "atif", "-o"];
    let export = export.map(std::ffi::OsString::from);
    let export = export.into_iter().chain([dir.clone().into()]);
    environment.run(export).exits(0);
    let file = std::fs::read_dir(dir).unwrap().next().unwrap().unwrap();
    let exported: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
    let results: Vec<&Value> = exported["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step.pointer("/observation/results/0/content"))
        .collect();
    assert_eq!(
        results[1],
        &json!(shown),
        "the export is what the model saw"
    );
}

#[test]
fn the_bound_on_results_can_be_set_and_left_out() {
    let environment = Environment::new();
    let asked = |args: &[&str]| {
        let server = reader();
        let args: Vec<_> = ["--model", "openai/m", TASK]
            .iter()
            .chain(args)
            .copied()
            .collect();
        run(&environment, &server, &args).exits(1);
        last(&server)
    };
    let whole = asked(&["--max-result-bytes", "none"]);
    assert_eq!(whole, long());
    let text = asked(&["--max-result-bytes", "100", "--agent", "react"]);
    assert!(text.contains("FIRSTé") && text.ends_with("éLAST"), "{text}");
    assert!(
        text.contains("of the 300005 bytes of this result"),
        "{text}"
    );
    assert!(text.len() < 600, "{text}");
    let config = |value: &str| {
        let text = format!(
            "tasks = [\"{TASK}\"]\nmax-result-bytes = {value}\n[[models]]\nname = \"openai/m\"\n"
        );
        let file = environment.directory("config", &[("e.toml", &text)]);
        file.join("e.toml").to_str().unwrap().to_owned()
    };
    let dry = |args: &[&str]| {
        let all = ["run", "--dry-run", "--base-url", "http://127.0.0.1:9/v1"];
        environment.run(all.iter().chain(args))
    };
    for (value, said) in [
        ("1000", "agent: mcpmark, results cut to 1000 bytes\n"),
        ("\"none\"", "agent: mcpmark, results not cut\n"),
        ("65536", "agent: mcpmark\n"),
    ] {
        let stdout = dry(&["--config", &config(value)]).exits(0).stdout;
        assert!(stdout.contains(said), "{stdout}");
    }
    let mut transcript = String::new();
    for value in ["0", "-5", "\"all\"", "1.5"] {
        let refused = dry(&["--config", &config(value)]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run --dry-run --base-url http://127.0.0.1:[port]/v1 --config [dir]/config/e.toml
    error: [dir]/config/e.toml: line 2: expected a number of bytes from 1, or `none` for no limit

    $ mcpmark run --dry-run --base-url http://127.0.0.1:[port]/v1 --config [dir]/config/e.toml
    error: [dir]/config/e.toml: line 2: expected a number of bytes from 1, or `none` for no limit

    $ mcpmark run --dry-run --base-url http://127.0.0.1:[port]/v1 --config [dir]/config/e.toml
    error: [dir]/config/e.toml: line 2: expected a number of bytes from 1, or `none` for no limit

    $ mcpmark run --dry-run --base-url http://127.0.0.1:[port]/v1 --config [dir]/config/e.toml
    error: [dir]/config/e.toml: line 2: expected a number of bytes, or "none"
    "#);
    let refused = dry(&[TASK, "--model", "openai/m", "--max-result-bytes", "0"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: invalid value '0' for '--max-result-bytes <N|none>': expected a number of bytes from 1, or `none` for no limit

    For more information, try '--help'.
    ");
    let refused = environment
        .run(["run", TASK, "--agent", "nop", "--max-result-bytes", "9"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: --agent nop uses no model; omit --max-result-bytes");
}
