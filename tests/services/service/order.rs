//! Order of calls: calls that are sent without waiting for answers run in the order of arrival.

use std::sync::mpsc::{Receiver, Sender, channel};

use mcpmark_service::{JsonObject, ToolHandler};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::peer::{Peer, call, given_up};

/// Handler that returns the number of the call. `wait` blocks until the test sends a signal.
struct Counter {
    calls: usize,
    began: Sender<()>,
    go_on: Receiver<()>,
}

impl ToolHandler for Counter {
    fn call(&mut self, tool: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        self.calls += 1;
        if tool == "wait" {
            let _ = self.began.send(());
            let _ = self.go_on.recv();
        }
        let text = ContentBlock::text(self.calls.to_string());
        Ok(CallToolResult::success(vec![text]))
    }
}

/// Client with the test's ends of the channels.
struct Setting {
    peer: Peer,
    began: Receiver<()>,
    go_on: Sender<()>,
}

async fn setting() -> Setting {
    let (begins, began) = channel();
    let (go_on, goes_on) = channel();
    let handler = Counter {
        calls: 0,
        began: begins,
        go_on: goes_on,
    };
    let (peer, _) = Peer::connected("count", handler).await;
    Setting { peer, began, go_on }
}

fn number(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_are_made_in_the_order_of_arrival() {
    for _ in 0..20 {
        let mut it = setting().await;
        let calls: Vec<Value> = (1..=100).map(|id| call(id, "count")).collect();
        it.peer.say_all(&calls).await;
        for _ in 1..=100 {
            let answer = it.peer.hear().await;
            assert_eq!(answer["id"].to_string(), number(&answer));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_waiting_call_can_be_given_up() {
    let mut it = setting().await;
    it.peer
        .say_all(&[call(1, "wait"), call(2, "count"), call(3, "count")])
        .await;
    it.began.recv().unwrap();
    it.peer
        .say_all(&[
            given_up(2),
            // A ping needs no handler and is answered at once, so its answer shows that the cancellation was read.
            json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" }),
        ])
        .await;
    assert_eq!(it.peer.hear().await["id"], "ping");
    it.go_on.send(()).unwrap();
    // Answers may arrive in any order.
    let mut made = Vec::new();
    for _ in 0..2 {
        let answer = it.peer.hear().await;
        made.push((answer["id"].to_string(), number(&answer).to_owned()));
    }
    made.sort();
    assert_eq!(
        made,
        [("1", "1"), ("3", "2")].map(|(id, made)| (id.into(), made.into()))
    );
}

#[tokio::test]
async fn a_malformed_call_holds_nobody_up() {
    let mut it = setting().await;
    let malformed = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": 7 },
    });
    it.peer.say(&malformed).await;
    assert_eq!(it.peer.hear().await["error"]["code"], -32602);
    it.peer.say(&call(2, "count")).await;
    assert_eq!(number(&it.peer.hear().await), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_id_is_of_one_request_until_it_is_answered() {
    let mut it = setting().await;
    it.peer.say(&call(1, "wait")).await;
    it.began.recv().unwrap();
    it.peer.say(&call(1, "count")).await;
    let refused = it.peer.hear().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["message"]),
        (
            &json!(1),
            &json!("Invalid Request: a request with the same id has no answer yet")
        )
    );
    it.go_on.send(()).unwrap();
    assert_eq!(number(&it.peer.hear().await), "1");
    // An id can be used again after its request was answered or cancelled.
    for made in ["2", "3"] {
        it.peer.say(&call(1, "count")).await;
        assert_eq!(number(&it.peer.hear().await), made);
    }
    it.peer.say_all(&[call(7, "wait"), call(2, "count")]).await;
    it.began.recv().unwrap();
    it.peer.say_all(&[given_up(2), call(2, "count")]).await;
    it.go_on.send(()).unwrap();
    let mut answered =
        [it.peer.hear().await, it.peer.hear().await].map(|answer| answer["id"].to_string());
    answered.sort();
    assert_eq!(answered, ["2", "7"]);
}

#[tokio::test]
async fn a_long_id_is_refused() {
    let mut it = setting().await;
    for (length, code) in [(1024, Value::Null), (1025, json!(-32600))] {
        let id = "x".repeat(length);
        it.peer
            .say(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
            .await;
        let answer = it.peer.hear().await;
        assert_eq!(answer["error"]["code"], code);
        assert_eq!(answer["id"].is_null(), !code.is_null());
    }
}
