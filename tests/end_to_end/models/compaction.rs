//! Compaction of conversations.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcpmark_model_server::{Reaction, Saying, Server};
use serde_json::json;

use super::{TASK, calls, run, serve, solutions};
use crate::environment::Environment;

#[test]
fn a_conversation_that_grows_long_is_summed_up_and_kept_whole() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    let server = serve(move |request| {
        if request.tools.is_empty() {
            return Reaction::say("Three calls were made.");
        }
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        let step = count.fetch_add(1, Ordering::SeqCst);
        let ahead = step - request.turns;
        let tokens = if step == 2 { 50_000 } else { 10 };
        match solutions.step(request, ahead) {
            Reaction::Say(saying) => Reaction::Say(Saying {
                usage: Some([tokens, 0, 10, 0]),
                ..saying
            }),
            other => other,
        }
    });
    let args = ["--model", "openai/m", "--compact-at", "40000", TASK];
    let report = run(&environment, &server, &args).exits(0).json();
    assert_eq!(report["summary"]["passed"], 1);
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    let text = environment.run(["show", id]).exits(0).stdout;
    // The compaction shows the summary, and not the calls of the turn after it.
    assert!(
        text.contains("\n  Three calls were made.\nturn 4  ") && text.contains("\ncompaction  "),
        "{text}"
    );
    let messages = shown["messages"].as_array().unwrap();
    let compaction = messages.iter().find(|m| m["role"] == "compaction").unwrap();
    let content = &compaction["content"];
    assert_eq!(content["summary"], "Three calls were made.");
    // Before: the system prompt, the instruction, and three replies with their results. After: three messages.
    assert_eq!(content["history"].as_array().unwrap().len(), 8);
    let asked = content["request"]["text"].as_str().unwrap();
    assert!(asked.starts_with("## user\n"), "{asked}");
    assert!(asked.contains("## result of "), "{asked}");
    assert_eq!(content["kept"].as_array().unwrap().len(), 3);
    assert_eq!(
        messages.iter().filter(|m| m["role"] == "assistant").count(),
        8
    );
    let purposes = calls(
        &environment,
        "SELECT DISTINCT purpose FROM model_calls ORDER BY 1",
    );
    assert_eq!(purposes, ["compaction", "turn"]);
}

/// Starts a server whose model accepts requests up to a size in bytes, and lists directories until it was asked for a
/// summary. `then` answers the requests after the summary.
fn narrow(
    bytes: usize,
    summary: impl Fn() -> Reaction + Send + Sync + 'static,
    then: impl Fn() -> Reaction + Send + Sync + 'static,
) -> Server {
    let summed_up = AtomicUsize::new(0);
    serve(move |request| {
        let too_long = || {
            Reaction::error(
                400,
                "context_length_exceeded",
                "This model's maximum context length is exceeded.",
            )
        };
        // A request without tools asks for a summary.
        if request.tools == ["ping"] {
            Reaction::say("ok")
        } else if request.body["messages"].to_string().len() > bytes {
            too_long()
        } else if request.tools.is_empty() {
            summed_up.fetch_add(1, Ordering::SeqCst);
            summary()
        } else if summed_up.load(Ordering::SeqCst) > 0 {
            then()
        } else {
            Reaction::call("directory_tree", &json!({"path": "."}))
        }
    })
}

#[test]
fn a_conversation_that_overflows_is_cut_until_its_summary_fits() {
    let environment = Environment::new();
    let server = narrow(
        12_000,
        || Reaction::say("I have looked around."),
        || Reaction::say("All done."),
    );
    // The threshold is out of reach, so the error of the server triggers the compaction.
    let args = ["--model", "openai/m", "--compact-at", "900000000", TASK];
    let report = run(&environment, &server, &args).exits(1).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{attempt}");
    let id = attempt["id"].as_str().unwrap();
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(shown["answer"], "All done.");
    let messages = shown["messages"].as_array().unwrap();
    let compaction = messages.iter().find(|m| m["role"] == "compaction").unwrap();
    let content = &compaction["content"];
    let asked = content["request"]["text"].as_str().unwrap();
    assert!(asked.contains("bytes left out]"), "{asked}");
    assert!(content["history"].to_string().len() > 12_000);
    let instruction = messages[0]["content"]["text"].as_str().unwrap();
    assert!(asked.contains(instruction), "what is asked for stays whole");
}

#[test]
fn errors_of_a_compaction_are_told_apart() {
    let fine = || Reaction::say("I have looked around.");
    let refused = || {
        Reaction::Say(Saying {
            text: "I cannot.".to_owned(),
            refused: true,
            ..Saying::default()
        })
    };
    let overflow = || Reaction::error(400, "context_length_exceeded", "still too long");
    let locked = || Reaction::error(401, "invalid_api_key", "the key was revoked");
    type Act = fn() -> Reaction;
    let table: [(Act, Act, &str, &str); 4] = [
        (fine, locked, "model-error", "auth: "),
        (fine, overflow, "context-overflow", "still too long"),
        (|| Reaction::say(" "), fine, "context-overflow", "is empty"),
        (refused, fine, "context-overflow", "was refused"),
    ];
    for (summary, then, ended, detail) in table {
        let environment = Environment::new();
        let server = narrow(12_000, summary, then);
        let args = ["--model", "openai/m", "--compact-at", "900000000", TASK];
        let report = run(&environment, &server, &args).json();
        let attempt = &report["attempts"][0];
        assert_eq!(attempt["ended"], ended, "{attempt}");
        let id = attempt["id"].as_str().unwrap();
        let shown = environment.run(["show", id, "--json"]).exits(0).json();
        let said = shown["ended_detail"].as_str().unwrap();
        assert!(said.contains(detail), "{said}");
        let graded = ended == "context-overflow";
        assert_eq!(attempt["outcome"] == "graded", graded, "{attempt}");
    }
}
