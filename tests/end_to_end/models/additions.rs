//! Headers and body fields that the user adds to requests.

use mcpmark_model_server::{Api, Reaction};
use serde_json::{Value, json};

use super::{TASK, calls, is_shown_nowhere, serve};
use crate::environment::{Environment, Output};

const CANARY: &str = "team-canary-77d25f1e9a";

#[test]
fn headers_have_their_values_from_the_environment_and_are_kept_nowhere() {
    let environment = Environment::new();
    let server = serve(|request| {
        let team = request.headers.get("x-team").cloned().unwrap_or_default();
        match request.turns {
            _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
            0 => Reaction::call("list_directory", &json!({"path": format!("./{team}")})),
            _ => Reaction::say(format!("You are of {team}.")),
        }
    });
    let file = format!(
        "tasks = [\"{TASK}\"]\n[[models]]\nname = \"openai/m\"\nbase-url = \"{}\"\n\
         headers = {{ X-Team = \"TEAM\" }}\n",
        server.base_url()
    );
    let config = environment.directory("config", &[("e.toml", &file)]);
    let config = config.join("e.toml");
    let run = |args: &[&str]| {
        let mut command = environment.command(["run"].iter().chain(args));
        command.env("TEAM", CANARY).env("GATE", "Basic b3Blbg==");
        Output::of(&mut command)
    };
    let url = server.base_url();
    let flags = ["--header", "X-Team=TEAM", "--header", "Authorization=GATE"];
    let args = [
        &[TASK, "--model", "openai/m", "--base-url", &url][..],
        &flags,
    ]
    .concat();
    for output in [run(&args), run(&["--config", config.to_str().unwrap()])] {
        let output = output.exits(1);
        assert!(!format!("{output:?}").contains(CANARY), "{output:?}");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    assert!(
        requests
            .iter()
            .all(|request| request.headers["x-team"] == CANARY)
    );
    assert_eq!(requests[0].headers["authorization"], "Basic b3Blbg==");
    assert!(!requests[3].headers.contains_key("authorization"));
    let settings = "SELECT DISTINCT model_settings ->> '$.headers.X-Team' FROM attempts";
    assert_eq!(calls(&environment, settings), ["TEAM"]);
    is_shown_nowhere(&environment, CANARY, &["TEAM"]);
}

#[test]
fn fields_are_added_to_the_body_at_every_interface() {
    for (model, flags, api) in [
        ("openai/m", &["--api", "chat"][..], Api::Chat),
        ("openai/m", &["--api", "responses"], Api::Responses),
        ("mistral/m", &[], Api::Chat),
        (
            "anthropic/m",
            &["--max-output-tokens", "4000"],
            Api::Messages,
        ),
    ] {
        let environment = Environment::new();
        let server = serve(|_| Reaction::say("Done."));
        let added = r#"{"parallel_tool_calls": false, "metadata": {"user_id": "u"}}"#;
        let own = [
            TASK,
            "--model",
            model,
            "--extra-body",
            added,
            "--no-preflight",
        ];
        let args: Vec<_> = own.iter().chain(flags).copied().collect();
        super::run(&environment, &server, &args).exits(1);
        let requests = server.requests();
        let request = requests.last().unwrap();
        assert_eq!(request.api, api);
        assert_eq!(request.body["parallel_tool_calls"], false, "{model}");
        assert_eq!(request.body["metadata"], json!({"user_id": "u"}), "{model}");
        assert!(request.body["model"] == "m" && !request.tools.is_empty());
        let settings = "SELECT model_settings ->> '$.extra-body' FROM attempts";
        let kept: Value = serde_json::from_str(&calls(&environment, settings)[0]).unwrap();
        assert_eq!(kept, serde_json::from_str::<Value>(added).unwrap());
    }
}

#[test]
fn additions_that_cannot_be_made_are_refused() {
    let environment = Environment::new();
    let refused = |args: &[&str]| {
        let own = ["run", TASK, "--dry-run", "--model", "openai/m"];
        let url = ["--base-url", "http://127.0.0.1:9/v1"];
        let mut command = environment.command(own.iter().chain(&url).chain(args));
        let output = Output::of(command.env_remove("NO_SUCH_TEAM")).exits(2);
        for text in [&output.stdout, &output.stderr] {
            assert!(!text.contains("hunter2"), "{text}");
        }
        output.transcript()
    };
    let mut transcript = String::new();
    for args in [
        &["--header", "X-Team=NO_SUCH_TEAM"][..],
        &["--header", "X-Team=hunter2 hunter2"],
        &["--header", "Content-Length=PATH"],
        &["--extra-body", "[1]"],
        &["--extra-body", r#"{"messages": []}"#],
        &[
            "--extra-body",
            r#"{"temperature": 1}"#,
            "--temperature",
            "0.5",
        ],
    ] {
        transcript += &refused(args);
    }
    insta::assert_snapshot!("additions_that_cannot_be_made_are_refused", transcript);
    let refused = environment
        .run([
            "run",
            TASK,
            "--agent",
            "nop",
            "--header",
            "A=B",
            "--extra-body",
            "{}",
        ])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: --agent nop uses no model; omit --header, --extra-body");
}
