//! Minimal client that writes lines of the protocol.

use mcpmark_service::{SessionLimits, ToolHandler, ToolServer, ToolSurface};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

pub(crate) struct Peer {
    stream: BufReader<DuplexStream>,
}

impl Peer {
    /// Connects a client to a server with one tool and completes the handshake.
    pub(crate) async fn connected<H: ToolHandler>(tool: &str, handler: H) -> (Self, ToolServer<H>) {
        let (near, far) = duplex(64 << 10);
        let tools = json!([{"name": tool, "inputSchema": {"type": "object"}}]);
        let surface = ToolSurface::parse("peer", "1", &tools.to_string()).unwrap();
        let server = ToolServer::new(surface, handler, &SessionLimits::default());
        // The serving task ends with the stream.
        let _ = server.serve(Box::new(far));
        let mut peer = Self {
            stream: BufReader::new(near),
        };
        let hello = json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        });
        assert_eq!(peer.ask(&hello.to_string()).await["id"], "hello");
        peer.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        (peer, server)
    }

    /// Sends bytes of a line.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends a line.
    pub(crate) async fn say_line(&mut self, line: &[u8]) {
        self.write(line).await;
        self.write(b"\n").await;
    }

    /// Sends a message.
    pub(crate) async fn say(&mut self, message: &Value) {
        self.say_line(message.to_string().as_bytes()).await;
    }

    /// Sends messages without waiting for answers.
    pub(crate) async fn say_all(&mut self, messages: &[Value]) {
        let lines: String = messages
            .iter()
            .map(|message| format!("{message}\n"))
            .collect();
        self.write(lines.as_bytes()).await;
    }

    /// Returns the next message of the server.
    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a line and returns the next message of the server.
    pub(crate) async fn ask(&mut self, line: &str) -> Value {
        self.say_line(line.as_bytes()).await;
        self.hear().await
    }
}

/// Returns a tool call without arguments.
pub(crate) fn call(id: usize, tool: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": {} },
    })
}

/// Returns the notification that cancels a call.
pub(crate) fn given_up(id: usize) -> Value {
    json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    })
}
