//! Experiments with several participants, and experiments that grow.

mod growth;
mod participants;
mod several;
mod standing;

use mcpmark_model_server::{Reaction, Server};
use serde_json::Value;

use crate::environment::{Environment, Output};
use crate::library::Library;
use crate::models::serve;

/// Starts a server whose models only reply "Done.", and call `ping` when the preflight offers it.
fn idle() -> Server {
    serve(|request| {
        if request.tools == ["ping"] {
            Reaction::call("ping", &serde_json::json!({}))
        } else {
            Reaction::say("Done.")
        }
    })
}

/// Runs the tasks of a library with models of a server.
fn run(library: &Library<'_>, server: &Server, args: &[&str]) -> Output {
    let url = server.base_url();
    let own = ["run", "--base-url", &url, "--json"];
    library.run(own.iter().chain(args))
}

/// Returns the attempts in the order of the plan: task, model or agent, repetition.
fn plan(report: &Value) -> Vec<String> {
    let attempts = report["attempts"].as_array().unwrap().iter();
    attempts
        .map(|attempt| {
            let actor = attempt["model"].as_str().or(attempt["agent"].as_str());
            let task = attempt["task"].as_str().unwrap();
            let task = task.rsplit('/').next().unwrap();
            format!("{task} {} {}", actor.unwrap(), attempt["k"])
        })
        .collect()
}

/// Returns an experiment with its attempts, from `runs NAME --json`.
fn listed(library: &Library<'_>, name: &str) -> Value {
    library.run(["runs", name, "--json"]).exits(0).json()
}

/// Creates a library with tasks that always pass.
fn library<'a>(environment: &'a Environment, tasks: &[&str]) -> Library<'a> {
    let library = Library::new(environment);
    for task in tasks {
        library.easy_task(task);
    }
    library
}
