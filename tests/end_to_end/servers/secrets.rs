//! Secrets that a server sends back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{JSON, notes, peer, peer_of_remember, run_with, show_first};
use crate::environment::Environment;
use crate::models::is_shown_nowhere;

#[test]
fn a_secret_that_a_server_recodes_is_seen_nowhere() {
    const CANARY: &str = "tk-canary/5f1e9a77d2";
    let environment = Environment::new();
    let escaped = CANARY.replace('/', "\\/");
    let nested = json!({"inner": json!({"token": CANARY}).to_string()}).to_string();
    let percent = CANARY.replace('/', "%2F");
    let base64 = STANDARD.encode(CANARY);
    let forms = [escaped, nested, percent, base64];
    let said = forms.join(" or ");
    let url = peer(move |post| match post.body["method"].as_str() {
        Some("tools/call") => {
            let result = json!({"content": [{"type": "text", "text": said}]});
            let answer = json!({"jsonrpc": "2.0", "id": post.body["id"], "result": result});
            (200, JSON, answer.to_string())
        }
        _ => notes(post, "2025-06-18"),
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
    let output = run_with(&environment, &config, &[("NOTES_TOKEN", CANARY)], &[]).exits(1);
    let report = output.json();
    let shown = show_first(&environment, &report);
    let result = shown["calls"][0]["result"]["content"][0]["text"].to_string();
    assert_eq!(
        result.matches("[redacted]").count(),
        forms.len(),
        "{result}"
    );
    for form in forms {
        is_shown_nowhere(&environment, &form, &["NOTES_TOKEN"]);
    }
    is_shown_nowhere(&environment, "5f1e9a77d2", &["NOTES_TOKEN"]);
}

/// A secret is redacted before a response is cut for an error message, so that no part of it is left at the cut.
#[test]
fn no_part_of_a_secret_is_quoted_from_a_response() {
    const SECRET: &str = "canary-0123456789-abcdefghij";
    let environment = Environment::new();
    let url = peer_of_remember(500, "text/plain", |_| {
        format!("{}{SECRET}", "x".repeat(290))
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
    let report = run_with(&environment, &config, &[("NOTES_TOKEN", SECRET)], &[]).json();
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains("HTTP 500"), "{error}");
    assert!(!error.contains("canary"), "{error}");
}
