//! Calls that are sent without waiting for answers take effect in the order in which they came.

use std::sync::mpsc::{Receiver, Sender, channel};

use mcpmark_service::{JsonObject, SessionLimits, ToolHandler, ToolServer, ToolSurface};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

/// Answers with the number of the call; `wait` lasts until the test says so.
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

struct Peer {
    stream: BufReader<DuplexStream>,
    began: Receiver<()>,
    go_on: Sender<()>,
}

impl Peer {
    /// A client that has shaken hands, and takes no care of what it sends next.
    async fn connected() -> Self {
        let (near, far) = duplex(64 << 10);
        let (begins, began) = channel();
        let (go_on, goes_on) = channel();
        let handler = Counter {
            calls: 0,
            began: begins,
            go_on: goes_on,
        };
        let tools = r#"[{"name": "count", "inputSchema": {"type": "object"}}]"#;
        let surface = ToolSurface::parse("counter", "1", tools).unwrap();
        let server = ToolServer::new(surface, handler, &SessionLimits::default());
        // It ends with the stream.
        let _ = server.serve(Box::new(far));
        let mut peer = Self {
            stream: BufReader::new(near),
            began,
            go_on,
        };
        peer.say(&[json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        })])
        .await;
        assert_eq!(peer.hear().await["id"], "hello");
        peer.say(&[json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })])
            .await;
        peer
    }

    async fn say(&mut self, messages: &[Value]) {
        let lines: String = messages
            .iter()
            .map(|message| format!("{message}\n"))
            .collect();
        self.stream.write_all(lines.as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn call(id: usize, tool: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": {} },
    })
}

fn number(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_are_made_in_the_order_of_arrival() {
    for _ in 0..20 {
        let mut peer = Peer::connected().await;
        let calls: Vec<Value> = (1..=100).map(|id| call(id, "count")).collect();
        peer.say(&calls).await;
        for _ in 1..=100 {
            let answer = peer.hear().await;
            assert_eq!(answer["id"].to_string(), number(&answer));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_waiting_call_can_be_given_up() {
    let mut peer = Peer::connected().await;
    peer.say(&[call(1, "wait"), call(2, "count"), call(3, "count")])
        .await;
    peer.began.recv().unwrap();
    peer.say(&[
        json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 },
        }),
        // What needs no handler is answered at once: by then the notice has been read as well.
        json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" }),
    ])
    .await;
    assert_eq!(peer.hear().await["id"], "ping");
    peer.go_on.send(()).unwrap();
    // The order of answers is free.
    let mut made = Vec::new();
    for _ in 0..2 {
        let answer = peer.hear().await;
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
    let mut peer = Peer::connected().await;
    let malformed = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": 7 },
    });
    peer.say(&[malformed]).await;
    assert_eq!(peer.hear().await["error"]["code"], -32602);
    peer.say(&[call(2, "count")]).await;
    assert_eq!(number(&peer.hear().await), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_id_is_of_one_request_until_it_is_answered() {
    let mut peer = Peer::connected().await;
    peer.say(&[call(1, "wait")]).await;
    peer.began.recv().unwrap();
    peer.say(&[call(1, "count")]).await;
    let refused = peer.hear().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["message"]),
        (
            &json!(1),
            &json!("Invalid Request: a request with the same id has no answer yet")
        )
    );
    peer.go_on.send(()).unwrap();
    assert_eq!(number(&peer.hear().await), "1");
    // Answered, it can be used again, and so it can when its request was given up.
    for made in ["2", "3"] {
        peer.say(&[call(1, "count")]).await;
        assert_eq!(number(&peer.hear().await), made);
    }
    peer.say(&[call(7, "wait"), call(2, "count")]).await;
    peer.began.recv().unwrap();
    let given_up = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 },
    });
    peer.say(&[given_up, call(2, "count")]).await;
    peer.go_on.send(()).unwrap();
    let mut answered = [peer.hear().await, peer.hear().await].map(|it| it["id"].to_string());
    answered.sort();
    assert_eq!(answered, ["2", "7"]);
}

#[tokio::test]
async fn a_long_id_is_refused() {
    let mut peer = Peer::connected().await;
    for (length, code) in [(1024, Value::Null), (1025, json!(-32600))] {
        let id = "x".repeat(length);
        peer.say(&[json!({"jsonrpc": "2.0", "id": id, "method": "ping"})])
            .await;
        let answer = peer.hear().await;
        assert_eq!(answer["error"]["code"], code);
        assert_eq!(answer["id"].is_null(), !code.is_null());
    }
}
