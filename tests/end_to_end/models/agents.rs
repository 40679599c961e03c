//! Faulty replies of models, tool calls in text, and replays.

use mcpmark_model_server::{Conduct, Reaction, Solutions};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{TASK, calls, run, serve, solutions};
use crate::environment::{Environment, Output};

#[test]
fn errors_of_a_model_are_reported_to_it() {
    let environment = Environment::new();
    let server = serve(|request| match request.model.as_str() {
        "mumble" => Conduct::Mumble.react(request, &Solutions::default()),
        _ => Conduct::Invent.react(request, &Solutions::default()),
    });
    let args = [
        "--model",
        "openai/mumble",
        "--model",
        "openai/invent",
        "--experiment",
        "w",
        TASK,
    ];
    let report = run(&environment, &server, &args).exits(1).json();
    for attempt in report["attempts"].as_array().unwrap() {
        let shown = environment
            .run(["show", attempt["id"].as_str().unwrap(), "--json"])
            .exits(0)
            .json();
        let error = shown["calls"][0]["error"].as_str().unwrap();
        let expected = match attempt["model"].as_str().unwrap() {
            "openai/mumble" => "; call the tool again; you sent: {\"path\": ",
            _ => "there is no tool named \"save_everything\"; there are ",
        };
        assert!(error.contains(expected), "{error}");
        assert_eq!(attempt["ended"], "completed");
    }
    let malformed = calls(
        &environment,
        "SELECT model || ' ' || malformed_calls FROM attempts WHERE model IS NOT NULL ORDER BY 1",
    );
    assert_eq!(malformed, ["openai/invent 0", "openai/mumble 4"]);
    let told = server.requests().last().unwrap().body.to_string();
    assert!(
        told.contains("there is no tool named") || told.contains("cannot be read"),
        "{told}"
    );
}

#[test]
fn sent_arguments_are_shown_and_unreadable_replies_are_no_calls() {
    let environment = Environment::new();
    let server = serve(|request| match (request.tools.is_empty(), request.turns) {
        _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
        (true, 0) => Reaction::say("I would rather talk."),
        (true, 1) => Reaction::say("{\"thought\": \"t\", \"answer\": \"Done.\"}"),
        (false, 0) => Conduct::Mumble.react(request, &Solutions::default()),
        _ => Reaction::say("Done."),
    });
    let attempt = |agent: &str| {
        let args = [
            "--agent",
            agent,
            "--model",
            "openai/m",
            "--experiment",
            agent,
            TASK,
        ];
        let report = run(&environment, &server, &args).exits(1).json();
        report["attempts"][0]["id"].as_str().unwrap().to_owned()
    };
    let shown = |id: &str| {
        let json = environment.run(["show", id, "--json"]).exits(0).json();
        (json, environment.run(["show", id]).exits(0).stdout)
    };
    let page = |experiment: &str| {
        let args = ["report", experiment, "--format", "html"];
        environment.run(args).exits(0).stdout
    };
    let exported = |experiment: &str| {
        let dir = environment.path(&format!("atif-{experiment}"));
        let mut command = environment.command(["export", experiment, "--format", "atif", "-o"]);
        Output::of(command.arg(&dir)).exits(0);
        let file = std::fs::read_dir(dir).unwrap().next().unwrap().unwrap();
        std::fs::read_to_string(file.path()).unwrap()
    };

    let (json, text) = shown(&attempt("mcpmark"));
    let sent = json["calls"][0]["arguments"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(sent).is_err(), "{sent}");
    assert_eq!(json["tool_calls"], 1);
    assert!(text.contains(sent), "{text}");
    let error = json["calls"][0]["error"].as_str().unwrap();
    assert!(error.ends_with(&format!("you sent: {sent}")), "{error}");
    let escaped = sent.replace('"', "&quot;");
    let page_of_calls = page("mcpmark");
    assert!(page_of_calls.contains(&escaped) || page_of_calls.contains(sent));
    assert!(exported("mcpmark").contains(&Value::from(sent).to_string()));

    let (json, text) = shown(&attempt("react"));
    assert_eq!(
        (&json["tool_calls"], &json["turns"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(json["failure"]["class"], "malformed-calls");
    for words in [
        "I would rather talk.",
        "user message\n",
        "That reply cannot be used: ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for text in [page("react"), exported("react")] {
        assert!(text.contains("I would rather talk."), "{text}");
        assert!(text.contains("That reply cannot be used: "), "{text}");
    }
    let counted = "SELECT tool_calls || ' ' || malformed_calls FROM attempts WHERE agent = 'react'";
    assert_eq!(calls(&environment, counted), ["0 1"]);
}

#[test]
fn a_model_may_write_its_calls_in_text() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let server = serve(move |request| {
        assert!(request.tools.is_empty());
        let known = solutions.calls_of_any(&request.instruction);
        let Some((instruction, calls)) = known else {
            return Reaction::say("ok");
        };
        assert!(request.instruction.starts_with(instruction));
        match (request.turns, calls.get(request.turns.saturating_sub(1))) {
            (0, _) => Reaction::say("I would like to look around first."),
            (_, Some((tool, arguments))) => Reaction::say(
                json!({"thought": "next", "action": {"tool": tool, "arguments": arguments}})
                    .to_string(),
            ),
            (_, None) => {
                Reaction::say("```json\n{\"thought\": \"done\", \"answer\": \"All done.\"}\n```")
            }
        }
    });
    let args = ["--agent", "react", "--model", "openai/m", TASK];
    let report = run(&environment, &server, &args).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["agent"], &attempt["passed"]),
        (&json!("react"), &json!(true))
    );
    let shown = environment
        .run(["show", attempt["id"].as_str().unwrap(), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["answer"], "All done.");
    assert_eq!(
        calls(
            &environment,
            "SELECT malformed_calls || '' FROM attempts WHERE agent = 'react'"
        ),
        ["1"]
    );
}

#[test]
fn an_attempt_is_played_again() {
    let environment = Environment::new();
    solutions(&environment, &[TASK]);
    let oracle = environment
        .run(["runs", "oracle", "--json"])
        .exits(0)
        .json();
    let id = oracle["attempts"][0]["id"].as_str().unwrap();
    let args = ["run", "--agent", "replay", "--from", id, "--json"];
    let played = environment.run(args).exits(0);
    let report = played.json();
    insta::assert_snapshot!(played.message(), @r"
    1/1 pass filesystem/village-festival/stall-balances  [id]  7 calls
           agent: completed: 0 of 7 results differ
    ");
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["agent"], &attempt["task"]),
        (&json!("replay"), &json!(TASK))
    );
    assert_eq!(attempt["state"], oracle["attempts"][0]["state"]);
    let shown = environment
        .run(["show", attempt["id"].as_str().unwrap(), "--json"])
        .exits(0)
        .json();
    let detail = shown["ended_detail"].as_str().unwrap();
    assert!(detail.starts_with("0 of 7 results differ"), "{detail}");
}

#[test]
fn a_replay_says_what_has_changed_errors_among_it() {
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("read_text_file", &json!({"path": "nothing.txt"})),
        1 => Reaction::call("list_directory", &json!({"path": "."})),
        2 => Reaction::call("invented", &json!({})),
        3 => Reaction::call("read_text_file", &json!({})),
        _ => Reaction::say("Done."),
    });
    let report = run(&environment, &server, &["--model", "openai/m", TASK]).exits(1);
    let report = report.json();
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let replayed = || {
        let args = ["run", "--agent", "replay", "--from", id, "--json"];
        let report = environment.run(args).json();
        let again = report["attempts"][0]["id"].as_str().unwrap();
        environment.run(["show", again, "--json"]).exits(0).json()
    };
    let same = replayed();
    assert_eq!(
        same["ended_detail"], "0 of 4 results differ",
        "{}",
        same["messages"]
    );
    // Changes the recorded errors and results, as if the world or a server had behaved differently.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let changed = journal.execute(
        "UPDATE tool_calls SET error = 'there are no tools today'
         WHERE attempt = ?1 AND result IS NULL AND error IS NOT NULL",
        [id],
    );
    let errors = changed.unwrap();
    assert!(errors >= 1);
    let changed = journal.execute(
        "UPDATE tool_calls SET result = replace(result, 'nothing.txt', 'something.txt')
         WHERE attempt = ?1 AND name = 'read_text_file' AND result LIKE '%nothing.txt%'",
        [id],
    );
    let differ = errors + changed.unwrap();
    environment.sum_rows();
    let other = replayed();
    let detail = format!("{differ} of 4 results differ");
    assert_eq!(other["ended_detail"], detail, "{}", other["messages"]);
    let messages = other["messages"].to_string();
    assert!(messages.contains("there are no tools today"), "{messages}");
}
