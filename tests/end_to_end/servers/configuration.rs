//! Configurations of servers: their tools, versions and variables, in a file of their own or in that of an experiment.

use mcpmark_model_server::Reaction;
use serde_json::{Value, json};

use super::{NOTES, TASK, notes, peer, show_first};
use crate::environment::{Environment, Output};
use crate::models::{calls, is_shown_nowhere, serve};

#[test]
fn tools_of_other_servers_stand_beside_those_of_the_world() {
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("remember", &json!({})),
        1 => Reaction::call("forget", &json!({})),
        _ => Reaction::say("Done."),
    });
    let config = |version: &str| {
        format!(
            "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\nenv = [\"NOTES_TOKEN\"]\n\
             tools = [\"remember\"]\nversion = \"{version}\"\n",
            environment.path("notes/server.sh").display()
        )
    };
    let (right, wrong) = (config("1.2.3"), config("2.0.0"));
    let clash = right
        .replace("server.sh", "clash.sh")
        .replace("tools = [\"remember\"]\n", "");
    let dir = environment.directory(
        "notes",
        &[
            ("server.sh", NOTES),
            ("right.toml", &right),
            ("wrong.toml", &wrong),
            ("clash.sh", &NOTES.replace("forget", "write_file")),
            ("clash.toml", &clash),
            (
                "false.toml",
                "[servers.notes]\ncommand = [\"/bin/false\"]\n",
            ),
        ],
    );
    let url = server.base_url();
    let run = |file: &str, token: &str, more: &[&str]| {
        let file = dir.join(file);
        let file = file.to_str().unwrap();
        let args = [
            "run",
            TASK,
            "--model",
            "openai/m",
            "--base-url",
            &url,
            "--mcp-config",
            file,
            "--json",
        ];
        let mut command = environment.command(args.iter().chain(more));
        command.env_remove("NOTES_TOKEN");
        if !token.is_empty() {
            command.env("NOTES_TOKEN", token);
        }
        Output::of(&mut command)
    };
    let canary = "tk-canary-55d0";
    let report = run("right.toml", canary, &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    assert_eq!(
        shown["calls"][0]["result"]["content"][0]["text"],
        "token=[redacted] home="
    );
    is_shown_nowhere(&environment, canary, &["NOTES_TOKEN"]);
    let error = shown["calls"][1]["error"].as_str().unwrap();
    assert!(
        error.contains("there is no tool named \"forget\""),
        "{error}"
    );
    let messages = shown["messages"].to_string();
    assert!(
        messages.contains("server notes: notes 1.2.3, with remember"),
        "{messages}"
    );
    let offered = &server.requests().last().unwrap().tools.clone();
    assert!(offered.contains(&"remember".to_owned()) && offered.contains(&"write_file".to_owned()));
    assert!(
        shown["messages"]
            .to_string()
            .contains("remember: an empty `properties` was added")
    );

    let output = run("clash.toml", "t", &[]).exits(2);
    insta::assert_snapshot!(output.message(), @r#"
    error: server notes: tool "write_file" already exists in the world or in another server; select the tools of this server with `tools = […]`
    hint: nothing was run
    "#);
    let output = run("clash.toml", "t", &["--no-preflight"]).exits(5);
    insta::assert_snapshot!(output.message(), @r#"
    warning: model openai/m: its price is unknown, so its cost is not computed; set prices with --prices FILE
    1/1 infra-error filesystem/village-festival/stall-balances  openai/m  [id]  0 calls
           infra: server notes: tool "write_file" already exists in the world or in another server; select the tools of this server with `tools = […]`
    1 attempt ended with infra-error; `mcpmark resume [name]` repeats them
    "#);
    let late = output.json()["attempts"][0]["fault"]["message"].to_string();
    assert!(late.contains("write_file"), "{late}");
    let refused = run("false.toml", "t", &[]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: server notes: /bin/false exited before it responded (exit status 1)
    hint: nothing was run
    ");

    let message = "server notes has version \"1.2.3\", but the configuration requires \"2.0.0\"";
    let refused = run("wrong.toml", "t", &[]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: server notes has version "1.2.3", but the configuration requires "2.0.0"
    hint: nothing was run
    "#);
    let report = run("wrong.toml", "t", &["--no-preflight"]).exits(5).json();
    let fault = report["attempts"][0]["fault"]["message"].as_str().unwrap();
    assert!(fault.contains(message), "{fault}");
    let mut transcript = String::new();
    for more in [&[][..], &["--no-preflight"]] {
        let refused = run("right.toml", "", more).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --mcp-config [dir]/notes/right.toml --json
    error: server notes: the environment variable NOTES_TOKEN is not set
    hint: nothing was run

    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --mcp-config [dir]/notes/right.toml --json --no-preflight
    error: server notes: the environment variable NOTES_TOKEN is not set
    hint: nothing was run
    ");
}

#[test]
fn tools_that_only_some_worlds_of_a_kind_have_clash_before_anything_is_run() {
    let environment = Environment::new();
    let server = serve(|request| {
        if request.tools == ["ping"] {
            Reaction::call("ping", &json!({}))
        } else {
            Reaction::say("Done.")
        }
    });
    let script = environment.path("notes/server.sh");
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let dir = environment.directory(
        "notes",
        &[
            ("server.sh", &NOTES.replace("forget", "list_workflows")),
            ("servers.toml", &config),
        ],
    );
    let (file, url) = (dir.join("servers.toml"), server.base_url());
    let run = |task: &str| {
        environment.run([
            "run",
            task,
            "--model",
            "openai/m",
            "--base-url",
            &url,
            "--mcp-config",
            file.to_str().unwrap(),
            "--json",
        ])
    };
    let refused = run("github/fallow/outages").exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: server notes: tool "list_workflows" already exists in the world or in another server; select the tools of this server with `tools = […]`
    hint: nothing was run
    "#);
    assert_eq!(
        environment.run(["runs", "--json"]).exits(0).json(),
        json!([])
    );
    // Where no workflow runs, no tool tells of any.
    run("github/quay/left-branches").exits(1);
}

/// An experiment's file has the servers too: it keeps them as they are written, with variables for
/// secrets, and is read as strictly as a file of servers alone.
#[test]
fn the_file_of_an_experiment_names_servers() {
    const CANARY: &str = "tk-canary-93e7";
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("remember", &json!({})),
        _ => Reaction::say("Done."),
    });
    let notes = peer(|post| notes(post, "2025-06-18"));
    let file = format!(
        "experiment = \"with-notes\"\ntasks = [\"{TASK}\"]\n\n\
         [[models]]\nname = \"openai/m\"\nbase-url = \"{}\"\n\n\
         [servers.notes]\nurl = \"{notes}\"\nbearer = \"NOTES_TOKEN\"\ntools = [\"remember\"]\n",
        server.base_url()
    );
    let elsewhere = "[servers.notes]\ncommand = [\"/nowhere/notes\"]\n";
    let dir = environment.directory(
        "config",
        &[
            ("experiment.toml", &file),
            ("servers.toml", elsewhere),
            ("token.toml", &format!("{file}token = \"{CANARY}\"\n")),
            (
                "value.toml",
                &file.replace("\"NOTES_TOKEN\"", "\"tk-canary.1\""),
            ),
        ],
    );
    let run = |file: &str, more: &[&str]| {
        let file = dir.join(file);
        let args = ["run", "--json", "--config", file.to_str().unwrap()];
        let mut command = environment.command(args.iter().chain(more));
        Output::of(command.env("NOTES_TOKEN", CANARY))
    };
    let mut transcript = String::new();
    for (file, more) in [
        ("token.toml", vec![]),
        ("value.toml", vec![]),
        (
            "experiment.toml",
            vec!["--mcp-config", dir.join("servers.toml").to_str().unwrap()],
        ),
    ] {
        let output = run(file, &more).exits(2);
        transcript += &output.transcript();
        assert!(!format!("{output:?}").contains("tk-canary.1"), "{output:?}");
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run --json --config [dir]/config/token.toml
    error: [dir]/config/token.toml: line 12: unknown field `token`, expected one of `command`, `env`, `url`, `bearer`, `headers`, `plain-http`, `tools`, `version`

    $ mcpmark run --json --config [dir]/config/value.toml
    error: [dir]/config/value.toml: line 8: `bearer` is not the name of an environment variable; write the name of a variable, not its value

    $ mcpmark run --json --config [dir]/config/experiment.toml --mcp-config [dir]/config/servers.toml
    error: server notes: cannot start /nowhere/notes: No such file or directory (os error 2)
    hint: nothing was run
    ");
    let report = run("experiment.toml", &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    let said = shown["calls"][0]["result"]["content"][0]["text"].to_string();
    assert!(said.contains("authorization: [redacted]"), "{said}");
    let specs = calls(&environment, "SELECT spec FROM experiments");
    let spec: Value = serde_json::from_str(specs.last().unwrap()).unwrap();
    assert_eq!(
        spec["participants"][0]["agent_settings"]["servers"]["notes"],
        json!({"url": notes, "bearer": "NOTES_TOKEN", "tools": ["remember"], "version": null})
    );
    is_shown_nowhere(&environment, CANARY, &["NOTES_TOKEN"]);
}
