//! Calls that are never answered or take long.

use mcpmark_model_server::Reaction;
use serde_json::{Value, json};

use super::NOTES;
use crate::environment::Environment;
use crate::library::Library;
use crate::models::serve;

/// Runs a task with the models `stuck` and `works` at the same time, and returns their attempts.
fn run_stuck_and_works(library: &Library, url: &str, more: &[&str]) -> [Value; 2] {
    let models = ["openai/stuck", "openai/works"];
    let args = [
        "run",
        "filesystem/office/easy",
        "--model",
        models[0],
        "--model",
        models[1],
        "-j",
        "2",
        "--base-url",
        url,
        "--json",
    ];
    let report = library.run(args.iter().chain(more)).exits(0).json();
    models.map(|model| {
        let mut attempts = report["attempts"].as_array().unwrap().iter();
        attempts.find(|it| it["model"] == model).unwrap().clone()
    })
}

/// A tool of a server that is never answered holds up its own attempt alone, by whichever limit.
#[test]
fn a_call_that_is_never_answered_ends_by_its_limit_and_other_attempts_go_on() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let silent = NOTES.replace(
        r#"*'"tools/call"'*)"#,
        r#"*'"name":"forget"'*) continue;; *'"tools/call"'*)"#,
    );
    let script = environment.path("notes/server.sh");
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let dir = environment.directory(
        "notes",
        &[("server.sh", &silent), ("servers.toml", &config)],
    );
    let server = serve(|request| match (request.model.as_str(), request.turns) {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        ("stuck", 0) => Reaction::call("forget", &json!({})),
        ("works", 0) => Reaction::call("remember", &json!({})),
        _ => Reaction::say("Done."),
    });
    let (file, url) = (dir.join("servers.toml"), server.base_url());
    for (limit, ended, told) in [
        ("--limit-time", "time-limit", "5 s were used"),
        ("--limit-tool-time", "completed", "no result after 5 s"),
    ] {
        let file = file.to_str().unwrap();
        let more = ["--mcp-config", file, limit, "5"];
        let [stuck, works] = run_stuck_and_works(&library, &url, &more);
        assert_eq!(
            (&stuck["ended"], &works["ended"]),
            (&json!(ended), &json!("completed"))
        );
        // The final state is graded all the same.
        assert_eq!(
            (&stuck["passed"], &works["passed"]),
            (&json!(true), &json!(true))
        );
        let show = |attempt: &Value| {
            let id = attempt["id"].as_str().unwrap();
            library.run(["show", id, "--json"]).exits(0).json()
        };
        let error = show(&stuck)["calls"][0]["error"].to_string();
        assert!(error.contains(told), "{error}");
        assert_eq!(show(&works)["calls"][0]["is_error"], false);
    }
}

#[test]
fn a_long_call_of_a_world_ends_by_its_limit_and_other_attempts_go_on() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let search = library.long_search();
    let server = serve(
        move |request| match (request.model.as_str(), request.turns) {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            ("stuck", 0) => Reaction::call("search_files", &search),
            ("works", 0) => Reaction::call("list_directory", &json!({"path": "letters"})),
            _ => Reaction::say("Done."),
        },
    );
    let url = server.base_url();
    for (limit, ended, told) in [
        ("--limit-time", "time-limit", "3 s were used"),
        ("--limit-tool-time", "completed", "no result after 3 s"),
    ] {
        let [stuck, works] = run_stuck_and_works(&library, &url, &[limit, "3"]);
        assert_eq!(stuck["ended"], ended);
        assert_eq!(
            stuck["passed"], true,
            "the final state is graded all the same"
        );
        assert_eq!(
            (&works["ended"], &works["passed"]),
            (&json!("completed"), &json!(true))
        );
        let id = stuck["id"].as_str().unwrap();
        let shown = library.run(["show", id, "--json"]).exits(0).json();
        let error = shown["calls"][0]["error"].to_string();
        assert!(error.contains(told), "{error}");
    }
}
