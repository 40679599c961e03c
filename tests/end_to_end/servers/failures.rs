//! Calls that a server fails, and servers that are lost during an attempt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{EVENTS, JSON, NOTES, Post, notes, peer, peer_of_remember, run_with, show_first};
use crate::environment::Environment;

/// Checks that the first call to a server fails with this message, and that the next call and the attempt go on.
fn assert_fails_alone(url: &str, message: &str, case: &str) {
    let environment = Environment::new();
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let report = run_with(&environment, &config, &[], &[]).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{case}: {attempt}");
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains(message), "{case}: {error}");
    assert_eq!(shown["calls"][1]["is_error"], false, "{case}: {shown}");
}

#[test]
fn a_server_that_goes_away_in_mid_run_is_no_failure_of_the_model() {
    let environment = Environment::new();
    let is_gone = AtomicBool::new(false);
    let url = peer(move |post| {
        if post.body["method"] == "tools/call" {
            is_gone.store(true, Ordering::Relaxed);
        }
        if is_gone.load(Ordering::Relaxed) {
            return (502, "text/plain", "gone".to_owned());
        }
        notes(post, "2025-06-18")
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let report = run_with(&environment, &config, &[], &[]).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["outcome"], "infra-error");
    let fault = attempt["fault"]["message"].as_str().unwrap();
    assert!(
        fault.contains("cannot send the call to the mcp server: HTTP 502")
            && fault.contains("server notes cannot be started again"),
        "{fault}"
    );
}

/// A server that accepts connections and is silent after it was lost is gone, however long a call may take.
#[test]
fn a_lost_server_that_stays_silent_gives_no_grade() {
    let environment = Environment::new();
    let is_gone = AtomicBool::new(false);
    let url = peer(move |post| {
        if is_gone.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if post.body["method"] == "tools/call" {
            is_gone.store(true, Ordering::Relaxed);
            return (502, "text/plain", "gone".to_owned());
        }
        notes(post, "2025-06-18")
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let more = ["--limit-tool-time", "5"];
    let report = run_with(&environment, &config, &[], &more).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["outcome"], "infra-error");
    let fault = attempt["fault"]["message"].as_str().unwrap();
    for words in ["HTTP 502", "server notes cannot be started again", "30 s"] {
        assert!(fault.contains(words), "{fault}");
    }
}

/// An agent chooses the arguments of a call, so what they make a server respond must not void its grade.
#[test]
fn a_call_whose_response_cannot_be_used_fails_alone() {
    let deep = |post: &Post| {
        let (open, close) = ("[".repeat(200), "]".repeat(200));
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"structuredContent":{{"x":{open}{close}}}}}}}"#,
            post.body["id"]
        )
    };
    let parse_error =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let other_id = r#"{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}"#;
    let responds = "; the server still responds";
    let cases: [(u16, &str, &str, &str); 15] = [
        (401, "text/plain", "who are you", responds),
        (403, "text/html", "blocked by a rule", responds),
        (404, "text/plain", "no such session", responds),
        (502, "text/plain", "the worker died", responds),
        (504, "text/plain", "too slow", responds),
        (200, "text/html", "an error page", "content type text/html"),
        (200, JSON, other_id, "not the response to this call"),
        (200, EVENTS, "", responds),
        (200, EVENTS, "no message", responds),
        (413, "text/html", "too large", "HTTP 413"),
        (429, "text/plain", "slow down", "HTTP 429"),
        (500, "text/plain", "a bug", "HTTP 500"),
        (400, JSON, parse_error, "Parse error"),
        (200, JSON, "deep", "is not a valid message"),
        (200, EVENTS, "deep", "is not a valid message"),
    ];
    for (status, kind, body, message) in cases {
        let url = peer_of_remember(status, kind, move |post| {
            if body == "deep" {
                deep(post)
            } else {
                body.to_owned()
            }
        });
        assert_fails_alone(&url, message, &format!("{status} {kind}"));
    }
}

/// A parsed value takes many times the memory of its text, so a response of more values than a message may have is not
/// parsed, whether it is an event or a plain body.
#[test]
fn a_response_of_too_many_values_is_never_parsed() {
    for kind in [EVENTS, JSON] {
        let url = peer_of_remember(200, kind, |post| {
            let values = "[0],".repeat(3_000_000);
            format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"structuredContent":{{"x":[{values}0]}}}}}}"#,
                post.body["id"]
            )
        });
        assert_fails_alone(&url, "JSON values, and may have 1000000", kind);
    }
}

/// A program that exits during a call was perhaps made to exit by the arguments, so it is started again.
#[test]
fn a_program_that_a_call_ends_is_started_again() {
    let environment = Environment::new();
    let ends = NOTES.replace(
        r#"*'"tools/call"'*)"#,
        r#"*'"name":"remember"'*) exit 3;; *'"tools/call"'*)"#,
    );
    let script = environment.path("notes/server.sh");
    environment.directory("notes", &[("server.sh", &ends)]);
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let report = run_with(&environment, &config, &[], &[]).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{attempt}");
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains("the server was started again"), "{error}");
    assert_eq!(shown["calls"][1]["is_error"], false, "{shown}");
}
