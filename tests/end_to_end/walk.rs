//! The commands of the README for a local model: from the first request to an explained failure.

use std::fs;
use std::time::Duration;

use mcpmark_model_server::{Reaction, Server};

use crate::environment::{Environment, repository};

/// Returns the commands in the block of the README that starts a model server.
fn commands() -> Vec<Vec<String>> {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let (_, block) = readme.split_once("\nllama-server ").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let lines = block
        .lines()
        .filter_map(|line| line.strip_prefix("mcpmark "));
    lines
        .map(|line| {
            let command = line.split('#').next().unwrap_or_default();
            command.split_whitespace().map(str::to_owned).collect()
        })
        .collect()
}

#[test]
fn a_failure_of_a_local_model_is_found_and_explained() {
    let environment = Environment::new();
    let slow = |_: &mcpmark_model_server::Request| {
        let reply = Reaction::say("I have done it.");
        Reaction::After(Duration::from_secs(3), Box::new(reply))
    };
    let server = Server::start(slow).unwrap();
    let commands = commands();
    let names: Vec<&str> = commands.iter().map(|words| words[0].as_str()).collect();
    assert_eq!(names, ["run", "runs", "show", "report"]);
    let run = |number: usize| {
        let words = commands[number].iter().map(|word| match word.as_str() {
            "http://127.0.0.1:8080/v1" => server.base_url(),
            "report.html" => environment.path("report.html").display().to_string(),
            word => word.to_owned(),
        });
        environment.run(words)
    };
    // Without a terminal, the first progress message comes after a second, and names what is waited for.
    run(0).exits(1).says(&[
        "waiting for the first reply of model openai/local",
        "longest: ",
        "waiting for the model",
    ]);
    let failed = run(1).exits(0).stdout;
    assert!(failed.contains("filesystem/food-bank/"), "{failed}");
    let explained = run(2).exits(0).stdout;
    assert!(explained.contains("I have done it."), "{explained}");
    assert!(explained.contains("missing"), "{explained}");
    run(3).exits(0);
    let page = fs::read_to_string(environment.path("report.html")).unwrap();
    assert!(page.contains("filesystem/food-bank/"));
}
