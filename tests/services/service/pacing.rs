//! Third-party servers that send more requests than they read answers, or answers that are too large to parse.

use std::collections::BTreeSet;
use std::time::Duration;

use mcpmark_service::{CallError, JsonObject, ServiceError, ToolClient};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

type Lines = tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>;

const PINGS: usize = 50_000;
/// Maximum number of pings that a client reads while their answers are not read: 64 in its queue, and those whose bytes
/// fit into the buffers of both directions. Each has at least 30 bytes.
const MAX_TAKEN: usize = 64 + 4 * (64 << 10) / 30;
const MINUTE: Duration = Duration::from_secs(60);

/// Answers requests of the client until the first tool call and returns the id of the call.
async fn serve(lines: &mut Lines, write: &mut WriteHalf<DuplexStream>) -> Value {
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        let request: Value = serde_json::from_str(&line).unwrap();
        let result = match request["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "asks", "version": "1"},
            }),
            "tools/list" => json!({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}),
            "tools/call" => return request["id"].clone(),
            "notifications/initialized" => continue,
            _ => json!({}),
        };
        say(write, &request["id"], &result).await;
    }
}

async fn say(write: &mut WriteHalf<DuplexStream>, id: &Value, result: &Value) {
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let line = format!("{message}\n");
    write.write_all(line.as_bytes()).await.unwrap();
}

/// Returns a client that is connecting, and the two directions of its server.
fn connect() -> (
    JoinHandle<Result<ToolClient, ServiceError>>,
    Lines,
    WriteHalf<DuplexStream>,
) {
    let (near, far) = duplex(64 << 10);
    let connecting = tokio::spawn(ToolClient::over(Box::new(near)));
    let (read, write) = split(far);
    (connecting, BufReader::new(read).lines(), write)
}

/// Returns the result of a call of `add`.
fn sum() -> Value {
    json!({"content": [{"type": "text", "text": "3"}]})
}

#[tokio::test]
async fn a_client_takes_no_more_requests_than_it_can_answer() {
    let (connecting, mut lines, mut write) = connect();
    let calling = tokio::spawn(async move {
        let client = connecting.await.unwrap().unwrap();
        let called = client.call("add", JsonObject::new(), MINUTE).await;
        Ok::<_, CallError>((client, called?))
    });
    let id = serve(&mut lines, &mut write).await;

    // Sends requests and reads nothing.
    let (taken, mut takes) = tokio::sync::watch::channel(0);
    let asking = tokio::spawn(async move {
        for number in 1..=PINGS {
            let ping = json!({"jsonrpc": "2.0", "id": format!("p{number}"), "method": "ping"});
            let line = format!("{ping}\n");
            write.write_all(line.as_bytes()).await.unwrap();
            taken.send_replace(number);
        }
        write
    });
    // Waits until the client reads no more for a while, or has read all.
    while let Ok(Ok(())) = tokio::time::timeout(Duration::from_millis(500), takes.changed()).await {
    }
    let most = *takes.borrow();
    assert!(most <= MAX_TAKEN, "{most} requests taken of {PINGS}");

    // Once the server reads, all pings are answered, and the call gets its result.
    let mut answered = BTreeSet::new();
    for _ in 0..PINGS {
        let line = tokio::time::timeout(MINUTE, lines.next_line()).await;
        let line = line.expect("an answer").unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["result"], json!({}));
        answered.insert(answer["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(answered.len(), PINGS);
    let mut write = asking.await.unwrap();
    say(&mut write, &id, &sum()).await;
    let (client, output) = calling.await.unwrap().unwrap();
    assert_eq!(output.text(), "3");
    drop(client);
}

/// The response to a ping repeats its id, and the response to an unknown request its method.
#[tokio::test]
async fn requests_whose_response_would_be_long_are_ignored() {
    let (near, far) = duplex(64 << 10);
    let connecting = tokio::spawn(ToolClient::over(Box::new(near)));
    let (read, mut write) = split(far);
    let mut lines = BufReader::new(read).lines();
    let calling = tokio::spawn(async move {
        let client = connecting.await.unwrap().unwrap();
        client.call("add", JsonObject::new(), MINUTE).await
    });
    serve(&mut lines, &mut write).await;
    let (longest, longer) = ("x".repeat(1024), "x".repeat(1025));
    for (id, method) in [
        (longer.as_str(), "ping"),
        ("method", &longer),
        (&longest, "ping"),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method});
        let line = format!("{request}\n");
        write.write_all(line.as_bytes()).await.unwrap();
    }
    let line = tokio::time::timeout(MINUTE, lines.next_line()).await;
    let answer: Value = serde_json::from_str(&line.unwrap().unwrap().unwrap()).unwrap();
    assert_eq!(answer["id"], longest);
    calling.abort();
}

#[tokio::test]
async fn a_response_of_too_many_values_fails_its_call_alone() {
    let (connecting, mut lines, mut write) = connect();
    let calling = tokio::spawn(async move {
        let client = connecting.await.unwrap().unwrap();
        let mut called = Vec::new();
        for _ in 0..2 {
            called.push(client.call("add", JsonObject::new(), MINUTE).await);
        }
        called
    });
    let id = serve(&mut lines, &mut write).await;
    let many = vec![0; 1_000_001];
    say(
        &mut write,
        &id,
        &json!({"content": [], "structuredContent": {"x": many}}),
    )
    .await;
    let id = serve(&mut lines, &mut write).await;
    say(&mut write, &id, &sum()).await;
    let called = calling.await.unwrap();
    let error = called[0].as_ref().unwrap_err().to_string();
    assert!(
        error.contains("JSON values, and may have 1000000"),
        "{error}"
    );
    assert_eq!(called[1].as_ref().unwrap().text(), "3");
}
