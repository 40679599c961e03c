//! A client that sends and does not read takes no more memory than a bounded number of answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcpmark_service::{JsonObject, SessionLimits, ToolHandler, ToolServer, ToolSurface};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

const RESULT_BYTES: usize = 1 << 20;
const CALLS: usize = 200;
/// Those that wait to be written, one that is being written, and one that runs.
const MOST_MADE: usize = 6;

/// Answers with a long text, and counts the calls.
struct Long(Arc<AtomicUsize>);

impl ToolHandler for Long {
    fn call(&mut self, _: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let text = ContentBlock::text("x".repeat(RESULT_BYTES));
        Ok(CallToolResult::success(vec![text]))
    }
}

struct Peer {
    stream: BufReader<DuplexStream>,
    made: Arc<AtomicUsize>,
    server: ToolServer<Long>,
}

impl Peer {
    async fn connected() -> Self {
        let (near, far) = duplex(64 << 10);
        let made = Arc::new(AtomicUsize::new(0));
        let tools = r#"[{"name": "long", "inputSchema": {"type": "object"}}]"#;
        let surface = ToolSurface::parse("flow", "1", tools).unwrap();
        let handler = Long(Arc::clone(&made));
        let server = ToolServer::new(surface, handler, &SessionLimits::default());
        // It ends with the stream.
        let _ = server.serve(Box::new(far));
        let mut peer = Self {
            stream: BufReader::new(near),
            made,
            server,
        };
        let hello = json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        });
        peer.say(&hello).await;
        assert_eq!(peer.hear().await["id"], "hello");
        peer.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        peer
    }

    async fn say(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stream.write_all(line.as_bytes()).await.unwrap();
    }

    async fn call_all(&mut self) {
        for id in 0..CALLS {
            self.say(&json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": "long", "arguments": {} },
            }))
            .await;
        }
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The calls that are made while nobody reads.
    async fn made_unread(&self) -> usize {
        let mut made = 0;
        // It stands still when nothing was made for a while; if it had not, the bound would hold all the more.
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            made = self.made.load(Ordering::SeqCst);
        }
        made
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_wait_for_a_client_that_does_not_read_and_all_are_answered() {
    let mut peer = Peer::connected().await;
    peer.call_all().await;
    let made = peer.made_unread().await;
    assert!((1..=MOST_MADE).contains(&made), "{made} calls were made");
    let mut answered: Vec<u64> = Vec::new();
    for _ in 0..CALLS {
        let answer = peer.hear().await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.len(), RESULT_BYTES);
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..CALLS as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_given_up_make_room() {
    let mut peer = Peer::connected().await;
    peer.call_all().await;
    peer.made_unread().await;
    for id in 0..CALLS - 1 {
        peer.say(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        }))
        .await;
    }
    // What had been made by then is answered, and so is the last one.
    loop {
        if peer.hear().await["id"] == CALLS - 1 {
            break;
        }
    }
    let made = peer.made.load(Ordering::SeqCst);
    assert!(made < CALLS, "the calls that were given up were made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_while_its_client_does_not_read() {
    let mut peer = Peer::connected().await;
    peer.call_all().await;
    peer.made_unread().await;
    let ended = tokio::time::timeout(Duration::from_secs(60), peer.server.close()).await;
    assert!(ended.unwrap().is_ok());
}
