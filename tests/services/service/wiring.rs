//! Server and client of a small service over an in-process pipe.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, CallError, JsonObject, ServeHandle, ServiceError, Session, SessionLimits,
    ToolClient, ToolHandler, ToolServer, ToolSurface,
};
use mcpmark_snapshot::Tree;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

const TOOLS: &str = r#"[
    {"name": "zeta", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    {"name": "alpha", "title": "Alpha", "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}
]"#;

const MINUTE: Duration = Duration::from_secs(60);

/// Handler that counts its calls. `wait` blocks until the test sends a signal.
struct Handler {
    calls: usize,
    go_on: Receiver<()>,
}

impl ToolHandler for Handler {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        self.calls += 1;
        let text = match tool {
            "wait" => {
                let _ = self.go_on.recv();
                "waited".to_owned()
            }
            "count" => self.calls.to_string(),
            "echo" => serde_json::Value::Object(arguments).to_string(),
            "long" => "x".repeat(101),
            "panic" => panic!("a handler that panics"),
            "refuse" => return Err(ErrorData::invalid_params("refused", None)),
            _ => return Ok(CallToolResult::error(vec![ContentBlock::text("unknown")])),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

struct Echo(ToolServer<Handler>);

#[async_trait]
impl Session for Echo {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.0.serve(io)
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        self.0.with(|_| Tree::empty()).await
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        self.0.close().await.map(drop)
    }
}

fn session() -> (Box<dyn Session>, Sender<()>) {
    let (sender, go_on) = channel();
    let surface = ToolSurface::parse("echo-server", "1.2.3", TOOLS).unwrap();
    let limits = SessionLimits {
        max_result_bytes: 100,
        ..SessionLimits::default()
    };
    let handler = Handler { calls: 0, go_on };
    (
        Box::new(Echo(ToolServer::new(surface, handler, &limits))),
        sender,
    )
}

async fn text(client: &ToolClient, tool: &str) -> String {
    let output = client.call(tool, JsonObject::new(), MINUTE).await.unwrap();
    output.text()
}

#[tokio::test]
async fn tools_are_listed_whole_and_in_order() {
    let (session, _) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    let expected: serde_json::Value = serde_json::from_str(TOOLS).unwrap();
    assert_eq!(serde_json::to_value(client.tools()).unwrap(), expected);
    client.close().await.unwrap();
}

#[tokio::test]
async fn calls_and_their_failures() {
    let (session, _) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    let arguments = json!({"z": 1, "a": [null, "é"]});
    let output = client
        .call("echo", arguments.as_object().cloned().unwrap(), MINUTE)
        .await
        .unwrap();
    assert_eq!(output.text(), r#"{"z":1,"a":[null,"é"]}"#);
    assert!(!output.is_error);

    let output = client
        .call("nothing", JsonObject::new(), MINUTE)
        .await
        .unwrap();
    assert!(output.is_error);
    assert_eq!(output.text(), "unknown");

    let refused = client.call("refuse", JsonObject::new(), MINUTE).await;
    let expected = CallError::Protocol {
        code: -32602,
        message: "refused".to_owned(),
    };
    assert_eq!(refused, Err(expected));
}

#[tokio::test]
async fn a_result_beyond_the_limit_is_an_error() {
    let (session, _) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    let output = client
        .call("long", JsonObject::new(), MINUTE)
        .await
        .unwrap();
    assert!(output.is_error);
    assert_eq!(
        output.text(),
        "result of 101 bytes exceeds the limit of 100 bytes for one tool result"
    );
}

#[tokio::test]
async fn a_call_that_timed_out_does_not_harm_later_ones() {
    let (session, go_on) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    let timeout = Duration::from_millis(20);
    let late = client.call("wait", JsonObject::new(), timeout).await;
    assert_eq!(late, Err(CallError::Timeout { after: timeout }));
    assert_eq!(late.unwrap_err().to_string(), "no result after 0.02 s");
    go_on.send(()).unwrap();
    // The late answer is discarded and not taken for that of another call.
    assert_eq!(text(&client, "count").await, "2");
    assert_eq!(text(&client, "count").await, "3");
    session.capture().await.unwrap();
}

#[tokio::test]
async fn a_call_that_panics_does_not_harm_later_ones() {
    let (session, _) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    let failed = client.call("panic", JsonObject::new(), MINUTE).await;
    assert!(
        matches!(failed, Err(CallError::Protocol { code: -32603, .. })),
        "{failed:?}"
    );
    assert_eq!(text(&client, "count").await, "2");
}

#[tokio::test]
async fn a_server_that_goes_away() {
    let (near, far) = tokio::io::duplex(1024);
    let (session, _) = session();
    let served = session.serve(Box::new(far));
    let client = ToolClient::over(Box::new(near)).await.unwrap();
    served.abort();
    assert!(served.join().await.is_err());
    let failed = client.call("count", JsonObject::new(), MINUTE).await;
    assert_eq!(failed, Err(CallError::Closed));
}

#[tokio::test]
async fn a_client_that_goes_away() {
    let (near, far) = tokio::io::duplex(1024);
    let (session, _) = session();
    let served = session.serve(Box::new(far));
    ToolClient::over(Box::new(near))
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    served.join().await.unwrap();

    let (near, far) = tokio::io::duplex(1024);
    let served = session.serve(Box::new(far));
    drop(near);
    served.join().await.unwrap();
}

#[tokio::test]
async fn a_peer_that_speaks_no_mcp() {
    use tokio::io::AsyncWriteExt;
    let (mut near, far) = tokio::io::duplex(1024);
    let (session, _) = session();
    let served = session.serve(Box::new(far));
    near.write_all(b"GET / HTTP/1.1\r\n\r\n{\"jsonrpc\":\"2.0\"}\n\xff\xff\n")
        .await
        .unwrap();
    drop(near);
    // Serving ends, but the session must not.
    let _ = served.join().await;
    let client = ToolClient::connect(&*session).await.unwrap();
    assert_eq!(text(&client, "count").await, "1");
}

#[tokio::test]
async fn a_closed_session_answers_so() {
    let (session, _) = session();
    let client = ToolClient::connect(&*session).await.unwrap();
    session.close().await.unwrap();
    let failed = client.call("count", JsonObject::new(), MINUTE).await;
    let Err(CallError::Protocol { message, .. }) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(message, "the session is closed");
}

/// Server whose list of tools has endless pages, each of which contains `page`.
async fn list_forever(stream: DuplexStream, page: Value) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let request: Value = serde_json::from_str(&line).unwrap();
        let result = match request["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "endless", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": page, "nextCursor": "more"}),
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        let line = format!("{answer}\n");
        if stream.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn a_list_of_tools_that_does_not_end_is_given_up() {
    let (near, far) = duplex(64 << 10);
    let server = tokio::spawn(list_forever(far, json!([])));
    let connected = ToolClient::over(Box::new(near)).await;
    let error = connected.err().unwrap().to_string();
    assert!(error.contains("exceeds the limit of 2000 tools"), "{error}");
    server.abort();
}

#[tokio::test]
async fn a_list_of_long_tools_is_given_up() {
    let (near, far) = duplex(64 << 10);
    let description = "x".repeat(1 << 20);
    let tool =
        json!({"name": "long", "description": description, "inputSchema": {"type": "object"}});
    let server = tokio::spawn(list_forever(far, json!([tool])));
    let connected = ToolClient::over(Box::new(near)).await;
    let error = connected.err().unwrap().to_string();
    assert!(error.contains("has more than 16777216 bytes"), "{error}");
    server.abort();
}
