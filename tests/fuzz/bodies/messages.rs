//! Fuzz target of the messages that a client sends to a tool server. Each answer must be a JSON-RPC message, and the
//! request after the input must be answered.

use std::time::Duration;

use mcpmark_service::{JsonObject, SessionLimits, ToolHandler, ToolServer, ToolSurface};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

struct Echo;

impl ToolHandler for Echo {
    fn call(&mut self, _: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let text = Value::Object(arguments).to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LAST: &str = r#"{"jsonrpc":"2.0","id":"the last request","method":"ping"}"#;

/// Timeout of the exchange, far longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let answered = tokio::time::timeout(PATIENCE, exchange(bytes));
        answered.await.expect("the last request is answered");
    });
}

async fn exchange(bytes: &[u8]) {
    let tools = r#"[{"name": "echo", "inputSchema": {"type": "object"}}]"#;
    let surface = ToolSurface::parse("fuzz", "1", tools).unwrap();
    let server = ToolServer::new(surface, Echo, &SessionLimits::default());
    let (near, far) = duplex(64 << 10);
    let served = server.serve(Box::new(far));
    let (read, mut write) = split(near);
    let mut read = BufReader::new(read);
    let mut sent = format!("{HELLO}\n{READY}\n").into_bytes();
    sent.extend_from_slice(bytes);
    sent.extend_from_slice(format!("\n{LAST}\n").as_bytes());
    let writing = tokio::spawn(async move {
        let written = write.write_all(&sent).await;
        // Returns the stream, so that it stays open until everything is answered.
        written.map(|()| write)
    });
    loop {
        let mut line = String::new();
        let count = read.read_line(&mut line).await.unwrap();
        assert!(count > 0, "the server hung up");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0", "{line}");
        // An error has a null id if the id of the request is unknown, but the key is present.
        if let Some(error) = answer.get("error") {
            assert!(
                error["code"].is_i64() && answer.get("id").is_some(),
                "{line}"
            );
        }
        if answer["id"] == json!("the last request") {
            break;
        }
    }
    drop(writing.await.unwrap().unwrap());
    drop(read);
    served.join().await.unwrap();
}
