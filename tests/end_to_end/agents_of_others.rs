//! Third-party agents from npm and PyPI, run with `--agent command:…` against the scripted model server. They find the
//! MCP server of the world under the URL that they are given.

use std::fs;
use std::path::Path;

use mcpmark_model_server::{Reaction, Request, Server};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text};
use crate::models::{serve, solutions};
use crate::npm;
use crate::pypi::Packages;

const TASK: &str = "filesystem/village-festival/stall-balances";
const CODEX: &str = "0.169.0";
const OPENAI_AGENTS: Packages = Packages {
    dir: "openai-agents",
    module: "agents",
    installs: &[&["openai-agents==0.24.0"]],
};

/// Starts a model that makes the calls of the oracle one by one, with tool names mapped by `named`, and then ends.
/// Returns the server and the number of calls.
fn model(environment: &Environment, named: fn(&str) -> String) -> (Server, usize) {
    let solutions = solutions(environment, &[TASK]);
    let shown = environment
        .run(["show", "latest", "--json"])
        .exits(0)
        .json();
    let messages = shown["messages"].as_array().unwrap();
    let instruction = messages.iter().find(|message| message["role"] == "user");
    let instruction = text(&instruction.unwrap()["content"]["text"]);
    let calls = solutions.calls(&instruction).unwrap().to_vec();
    let count = calls.len();
    let server = serve(move |request: &Request| {
        assert!(
            request
                .body
                .to_string()
                .contains(&json!(instruction).to_string()[1..60])
        );
        let (list, made) = match request.body["input"].as_array() {
            Some(input) => (input, ("type", "function_call_output")),
            None => (
                request.body["messages"].as_array().unwrap(),
                ("role", "tool"),
            ),
        };
        let results = list.iter().filter(|item| item[made.0] == made.1).count();
        match calls.get(results) {
            Some((name, arguments)) => Reaction::call(named(name), arguments),
            None => Reaction::say("All is done."),
        }
    });
    (server, count)
}

/// Runs the task with an agent, and asserts that the attempt passes with this number of calls.
fn solves(environment: &Environment, agent: &str, variables: &[(&str, &str)], calls: usize) {
    let mut args = vec![
        "run",
        TASK,
        "--json",
        "--experiment",
        "theirs",
        "--agent",
        agent,
    ];
    for (name, _) in variables {
        args.extend(["--agent-env", name]);
    }
    let mut command = environment.command(args);
    command.envs(variables.iter().copied());
    let output = Output::of(&mut command);
    let shown = environment
        .run(["show", "latest", "--json"])
        .exits(0)
        .json();
    assert_eq!(output.code, Some(0), "{}\n{shown:#}", output.stderr);
    let report = output.json();
    let attempt: &Value = &report["attempts"][0];
    assert_eq!(
        (&attempt["ended"], &attempt["passed"]),
        (&json!("completed"), &json!(true))
    );
    assert_eq!(attempt["tool_calls"], json!(calls));
    assert_eq!(text(&shown["answer"]).trim(), "All is done.");
}

#[test]
fn codex_solves_a_task() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join(format!("codex-{CODEX}"));
    let manifest = json!({"private": true, "dependencies": {"@openai/codex": CODEX}});
    let program = match npm::install(&home, &manifest, "@openai/codex/bin/codex.js") {
        Ok(program) => program,
        Err(reason) => return skip(Need::Npm, &reason),
    };
    let environment = Environment::new();
    let (server, calls) = model(&environment, |tool| format!("mcp__world/{tool}"));
    let agent = format!(
        r#"command:node {} exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox
            -m scripted -c model_provider=local
            -c 'model_providers.local={{name="local",base_url="{}",wire_api="responses"}}'
            -c 'mcp_servers.world={{url="{{mcp_url}}",required=true}}' -"#,
        program.display(),
        server.base_url()
    );
    solves(&environment, &agent, &[], calls);
}

#[test]
fn an_agent_of_the_openai_agents_sdk_solves_a_task() {
    let packages = match OPENAI_AGENTS.install() {
        Ok(packages) => packages,
        Err(reason) => return skip(Need::Python, &reason),
    };
    let environment = Environment::new();
    let source = crate::environment::repository().join("tests/end_to_end/openai_agent.py");
    fs::copy(source, environment.path("openai_agent.py")).unwrap();
    let (server, calls) = model(&environment, str::to_owned);
    let variables = [
        ("PYTHONPATH", packages.to_str().unwrap()),
        ("OPENAI_BASE_URL", &*server.base_url()),
        ("OPENAI_API_KEY", "none-123456"),
    ];
    let agent = "command:python3 ./openai_agent.py";
    solves(&environment, agent, &variables, calls);
}
