//! MCP over streamable HTTP, with handwritten requests and with the client of the protocol library.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcpmark_service::{
    Activity, JsonObject, ServeHandle, SessionLimits, ToolHandler, ToolServer, ToolSurface,
    checkpoint, random_path, serve_mcp,
};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const TOOLS: &str = r#"[
    {"name": "append", "inputSchema": {"type": "object"}},
    {"name": "wait", "inputSchema": {"type": "object"}}
]"#;

/// Handler that stores the appended values. `wait` blocks until it is cancelled.
struct Handler {
    appended: Vec<String>,
    began: Arc<Notify>,
    cancelled: Arc<Notify>,
}

impl ToolHandler for Handler {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        if tool == "wait" {
            self.began.notify_one();
            while checkpoint().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.cancelled.notify_one();
            return Err(ErrorData::internal_error("cancelled", None));
        }
        self.appended.push(Value::Object(arguments).to_string());
        let text = self.appended.join(" ");
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

struct Served {
    address: SocketAddr,
    handle: ServeHandle,
    activity: Activity,
    began: Arc<Notify>,
    cancelled: Arc<Notify>,
    end: Mutex<Option<tokio::sync::oneshot::Sender<()>>>,
}

async fn serve() -> Served {
    let (began, cancelled) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = Handler {
        appended: Vec::new(),
        began: Arc::clone(&began),
        cancelled: Arc::clone(&cancelled),
    };
    let surface = ToolSurface::parse("notes", "1.2.3", TOOLS).unwrap();
    let server = ToolServer::new(surface, handler, &SessionLimits::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let until = async move {
        let _ = ended.await;
    };
    let (handle, activity) = serve_mcp(listener, "/mcp", until, move |io| server.serve(io));
    Served {
        address,
        handle,
        activity,
        began,
        cancelled,
        end: Mutex::new(Some(end)),
    }
}

/// HTTP response: status, headers in lower case, body.
#[derive(Debug)]
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn request(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text += &format!("Host: {address}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "Content-Type") {
        text += "Content-Type: application/json\r\n";
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + &format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

async fn send(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = request(address, method, headers, body);
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Response {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

fn initialize(version: &str) -> String {
    json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    }})
    .to_string()
}

fn call(id: u64, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

async fn open(address: SocketAddr) -> String {
    let answer = send(address, "POST", &[], &initialize("2025-11-25")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("mcp-session-id").unwrap().to_owned()
}

#[tokio::test]
async fn a_session_is_opened_used_and_ended() {
    let served = serve().await;
    let address = served.address;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = send(address, "POST", &[], &initialize(version)).await;
        let hello = answer.json();
        assert_eq!(hello["id"], "first");
        assert_eq!(hello["result"]["protocolVersion"], version);
        assert_eq!(hello["result"]["serverInfo"]["name"], "notes");
        let id = answer.header("mcp-session-id").unwrap();
        let headers = [("Mcp-Session-Id", id), ("MCP-Protocol-Version", version)];
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let answer = send(address, "POST", &headers, ready).await;
        assert_eq!((answer.status, answer.body.as_str()), (202, ""));
        let body = call(7, "append", &json!({"version": version}));
        let answer = send(address, "POST", &headers, &body).await.json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(version) && answer["id"] == 7, "{answer}");
        assert_eq!(send(address, "GET", &headers, "").await.status, 405);
        assert_eq!(send(address, "DELETE", &headers, "").await.status, 204);
        let after = send(address, "POST", &headers, &body).await;
        assert_eq!(after.status, 404, "{after:?}");
        assert_eq!(after.json()["id"], 7);
    }
    // Waits until all sessions have ended.
    served.activity.until_gone(None).await;
}

#[tokio::test]
async fn requests_without_sessions_stand_alone() {
    let served = serve().await;
    let address = served.address;
    let ask = |id: u64, method: &str, params: Value| {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let discover = [version, ("Mcp-Method", "server/discover")];
    let body = ask(1, "server/discover", json!({}));
    let found = send(address, "POST", &discover, &body).await;
    assert_eq!(found.status, 200, "{found:?}");
    assert!(found.header("mcp-session-id").is_none());
    let versions = found.json()["result"]["supportedVersions"].clone();
    assert!(
        versions.as_array().unwrap().contains(&json!("2026-07-28")),
        "{versions}"
    );

    let calling = [
        version,
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "append"),
    ];
    for number in [1, 2] {
        // Requests without a session may have equal ids.
        let body = ask(
            1,
            "tools/call",
            json!({"name": "append", "arguments": {"n": number}}),
        );
        let answer = send(address, "POST", &calling, &body).await.json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with(&format!(r#"{{"n":{number}}}"#)), "{answer}");
    }
    let body = ask(3, "tools/call", json!({"name": "append", "arguments": {}}));
    for headers in [
        &[
            version,
            ("Mcp-Method", "tools/list"),
            ("Mcp-Name", "append"),
        ][..],
        &[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "wait")],
        &[version, ("Mcp-Method", "tools/call")],
        &[version, ("Mcp-Name", "append")],
        &[
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "append"),
        ],
    ] {
        let refused = send(address, "POST", headers, &body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["error"]["code"], -32020);
        assert_eq!(refused.json()["id"], 3);
    }
    let encoded = [
        version,
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "=?base64?YXBwZW5k?="),
    ];
    assert_eq!(send(address, "POST", &encoded, &body).await.status, 200);
    let unknown = [version, ("Mcp-Method", "no/such")];
    let body = ask(4, "no/such", json!({}));
    assert_eq!(send(address, "POST", &unknown, &body).await.status, 404);
    let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list"}).to_string();
    let bare = [version, ("Mcp-Method", "tools/list")];
    let refused = send(address, "POST", &bare, &body).await;
    assert_eq!((refused.status, &refused.json()["id"]), (400, &json!(5)));
}

/// Maximum number of connections, and of sessions, as stated in `SECURITY.md`.
const MAX_SESSIONS: usize = 64;

#[tokio::test]
async fn sessions_are_bounded_and_an_ended_one_makes_room() {
    let served = serve().await;
    let address = served.address;
    let mut ids = Vec::new();
    for _ in 0..MAX_SESSIONS {
        ids.push(open(address).await);
    }
    let hello = initialize("2025-11-25");
    let refused = send(address, "POST", &[], &hello).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.body.contains("end one with DELETE"), "{refused:?}");
    let ended = send(address, "DELETE", &[("Mcp-Session-Id", &*ids[0])], "").await;
    assert!(ended.status < 300, "{ended:?}");
    let opened = send(address, "POST", &[], &hello).await;
    assert_eq!(opened.status, 200, "{opened:?}");
}

#[tokio::test]
async fn connections_are_bounded_and_the_next_one_waits() {
    let served = serve().await;
    let address = served.address;
    // The connections send nothing and stay open.
    let mut idle = Vec::new();
    for _ in 0..MAX_SESSIONS {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    let hello = initialize("2025-11-25");
    let waiting = tokio::spawn(async move { send(address, "POST", &[], &hello).await.status });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(
        !waiting.is_finished(),
        "a connection above the bound is served"
    );
    drop(idle.pop());
    let status = tokio::time::timeout(Duration::from_secs(20), waiting).await;
    assert_eq!(status.unwrap().unwrap(), 200);
}

#[tokio::test]
async fn there_is_nothing_at_another_path() {
    let served = serve().await;
    let hello = initialize("2025-11-25");
    for (path, status) in [("/mcp", 200), ("/", 404), ("/mcp/", 404), ("/mcp2", 404)] {
        let text = request(served.address, "POST", &[], &hello);
        let text = text.replacen("/mcp", path, 1);
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let head = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&head), "{path}: {answer}");
    }
    // 128 bits in hexadecimal digits.
    let paths = [(); 2].map(|()| random_path().unwrap());
    assert_ne!(paths[0], paths[1]);
    for path in paths {
        let digits = path.chars().filter(char::is_ascii_hexdigit).count();
        assert!(digits >= 32, "{path}");
    }
}

#[tokio::test]
async fn invalid_requests_of_clients_are_refused() {
    let served = serve().await;
    let address = served.address;
    let hello = initialize("2025-11-25");
    for (headers, status) in [
        (("Host", "example.org"), 421),
        (("Origin", "https://example.org"), 403),
        (("Origin", "null"), 403),
        (("Sec-Fetch-Site", "cross-site"), 403),
        (("Content-Type", "text/plain"), 415),
        (("Accept", "text/html"), 406),
    ] {
        let refused = send(address, "POST", &[headers], &hello).await;
        assert_eq!(refused.status, status, "{headers:?}: {refused:?}");
    }
    for (body, code) in [
        ("nonsense", -32700),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
            -32600,
        ),
    ] {
        let refused = send(address, "POST", &[], body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert_eq!(refused.json()["error"]["code"], code, "{body}");
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let none = send(address, "POST", &[], ping).await;
    assert_eq!(none.status, 400);
    assert!(none.body.contains("Mcp-Session-Id"), "{none:?}");
    let other = send(address, "POST", &[("Mcp-Session-Id", "0")], ping).await;
    assert_eq!(other.status, 404);
    let id = open(address).await;
    let headers = [
        ("Mcp-Session-Id", &*id),
        ("MCP-Protocol-Version", "1999-01-01"),
    ];
    assert_eq!(send(address, "POST", &headers, ping).await.status, 400);
    assert_eq!(send(address, "PUT", &headers, ping).await.status, 405);
    assert_eq!(send(address, "DELETE", &[], "").await.status, 400);

    // Lone surrogates are replaced, as on a stream.
    let headers = [("Mcp-Session-Id", &*id)];
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"append","arguments":{"a":"\ud800"}}}"#;
    let answer = send(address, "POST", &headers, body).await.json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains('\u{fffd}'), "{answer}");
}

#[tokio::test]
async fn calls_of_a_session_run_in_the_order_of_arrival() {
    let served = serve().await;
    let address = served.address;
    let id = open(address).await;
    let headers = [("Mcp-Session-Id", &*id)];
    // The first call blocks the others until it is cancelled.
    let mut first = TcpStream::connect(address).await.unwrap();
    let text = request(address, "POST", &headers, &call(1, "wait", &json!({})));
    first.write_all(text.as_bytes()).await.unwrap();
    served.began.notified().await;
    let mut streams = Vec::new();
    for number in 2..6 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let body = call(number, "append", &json!({"n": number}));
        let text = request(address, "POST", &headers, &body);
        stream.write_all(text.as_bytes()).await.unwrap();
        // The notification is sent after the call, so its answer shows that the call is queued.
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
        assert_eq!(send(address, "POST", &headers, notice).await.status, 202);
        streams.push(stream);
    }
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let told = send(address, "POST", &headers, &cancel.to_string()).await;
    assert_eq!(told.status, 202);
    let mut last = String::new();
    for mut stream in streams {
        last.clear();
        stream.read_to_string(&mut last).await.unwrap();
    }
    let order: Vec<usize> = (2..6)
        .map(|n| last.find(&format!(r#"\"n\":{n}"#)).unwrap())
        .collect();
    assert!(order.is_sorted(), "{last}");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_what_stands_alone_and_ends_its_session() {
    let served = serve().await;
    let address = served.address;
    let params = json!({"name": "wait", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "wait"),
    ];
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = request(address, "POST", &headers, &body.to_string());
    stream.write_all(text.as_bytes()).await.unwrap();
    served.began.notified().await;
    drop(stream);
    served.cancelled.notified().await;

    // When a session is deleted, its open requests are answered and their calls cancelled.
    let id = open(address).await;
    let headers = [("Mcp-Session-Id", &*id)];
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = request(address, "POST", &headers, &call(1, "wait", &json!({})));
    stream.write_all(text.as_bytes()).await.unwrap();
    served.began.notified().await;
    assert_eq!(send(address, "DELETE", &headers, "").await.status, 204);
    served.activity.until_gone(None).await;
    // The server ends regardless of running calls, and closes its connections.
    drop(served.end.lock().unwrap().take());
    served.handle.join().await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(TcpStream::connect(address).await.is_err());
    served.cancelled.notified().await;
}

#[tokio::test]
async fn an_address_is_idle_when_nothing_is_asked() {
    let served = serve().await;
    let address = served.address;
    let id = open(address).await;
    let headers = [("Mcp-Session-Id", &*id)];
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = request(address, "POST", &headers, &call(1, "wait", &json!({})));
    stream.write_all(text.as_bytes()).await.unwrap();
    served.began.notified().await;
    tokio::select! {
        biased;
        () = served.activity.until_gone(Some(Duration::ZERO)) => panic!("a call runs"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(send(address, "DELETE", &headers, "").await.status, 204);
    drop(stream);
    served
        .activity
        .until_gone(Some(Duration::from_millis(1)))
        .await;
}

#[tokio::test]
async fn the_client_of_the_protocol_library_speaks_both_eras() {
    for lifecycle in [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    ] {
        let has_sessions = matches!(lifecycle, ClientLifecycleMode::Initialize);
        let served = serve().await;
        let url = format!("http://{}/mcp", served.address);
        let transport = StreamableHttpClientTransport::with_client(
            mcpmark_http::client(false).unwrap(),
            StreamableHttpClientTransportConfig::with_uri(url),
        );
        let identity = Implementation::new("tests", "1");
        let client = ClientConfig::new(ClientCapabilities::default(), identity)
            .serve_with_lifecycle(transport, lifecycle)
            .await
            .unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
        let arguments = json!({"a": 1}).as_object().cloned().unwrap();
        let params = CallToolRequestParams::new("append").with_arguments(arguments);
        let result = client.call_tool(params).await.unwrap();
        assert_eq!(result.content[0].as_text().unwrap().text, r#"{"a":1}"#);
        client.cancel().await.unwrap();
        if has_sessions {
            served.activity.until_gone(None).await;
        }
    }
}
