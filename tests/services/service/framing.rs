//! Invalid lines are answered, and the lines after them are read.

use mcpmark_service::{
    JsonObject, MAX_JSON_VALUES, MAX_REQUEST_BYTES, ToolHandler, bounded_message,
};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::peer::Peer;

struct Echo;

impl ToolHandler for Echo {
    fn call(&mut self, _: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let text = Value::Object(arguments).to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

async fn connected() -> Peer {
    Peer::connected("echo", Echo).await.0
}

/// Checks that nothing before was answered: the next answer is that of a request that is sent now.
async fn is_silent(peer: &mut Peer) {
    let answer = peer
        .ask(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#)
        .await;
    assert_eq!(
        answer,
        json!({"jsonrpc": "2.0", "id": "next", "result": {}})
    );
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[tokio::test]
async fn unreadable_messages_are_answered_with_their_id() {
    let mut peer = connected().await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{}}}}}}}"#,
        nested(1000)
    );
    let large = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1e999}}}"#;
    for (line, code, id) in [
        (deep.as_bytes(), -32700, json!(1)),
        (large.as_bytes(), -32700, json!(2)),
        (b"GET / HTTP/1.1", -32700, Value::Null),
        (b"\xff\xfe", -32700, Value::Null),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}",
            -32700,
            json!(3),
        ),
        (
            br#"{"jsonrpc":"2.0","id":"four","method""#,
            -32700,
            json!("four"),
        ),
        (
            br#"{"jsonrpc":"2.0","id":35,"method":"ping","params":[1]}"#,
            -32600,
            json!(35),
        ),
        (
            br#"{"jsonrpc":"1.0","id":36,"method":"ping"}"#,
            -32600,
            json!(36),
        ),
        (
            br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            -32600,
            Value::Null,
        ),
        (b"[]", -32600, Value::Null),
        (b"7", -32600, Value::Null),
    ] {
        peer.say_line(line).await;
        let answer = peer.hear().await;
        let said = String::from_utf8_lossy(line);
        assert_eq!(answer["error"]["code"], code, "{said}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{said}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    is_silent(&mut peer).await;
}

#[tokio::test]
async fn json_of_the_greatest_depth_that_is_read_reaches_the_tool() {
    let mut peer = connected().await;
    let answer = peer
        .ask(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{}}}}}}}"#,
            nested(100)
        ))
        .await;
    let text = answer["result"]["content"][0]["text"].as_str();
    assert_eq!(text, Some(&*format!(r#"{{"a":{}}}"#, nested(100))));
}

#[tokio::test]
async fn messages_that_need_no_reply_are_not_answered() {
    let mut peer = connected().await;
    for line in [
        "",
        "  \r",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/no/such","params":{"a":1e999}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":7,"error":8}"#,
        "\u{feff}",
    ] {
        peer.say_line(line.as_bytes()).await;
        is_silent(&mut peer).await;
    }
}

#[tokio::test]
async fn a_line_past_the_limit_is_answered_and_skipped() {
    let mut peer = connected().await;
    let begin =
        br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"a":""#;
    peer.write(begin).await;
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..MAX_REQUEST_BYTES / piece.len() {
        peer.write(&piece).await;
    }
    // The id comes last.
    let answer = peer.ask(r#""}},"id":9}"#).await;
    assert_eq!(answer["id"], 9);
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(
        answer["error"]["message"],
        "Parse error: the message has more than 268435456 bytes"
    );
    is_silent(&mut peer).await;
}

#[tokio::test]
async fn a_message_with_too_many_values_is_refused_before_it_is_parsed() {
    let mut peer = connected().await;
    let zeros = |count: usize| format!("[{}]", vec!["0"; count].join(","));
    let most = MAX_JSON_VALUES as usize;
    for (message, id) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":@}}}"#,
            1,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"a":@},"name":"echo"}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"no/such","params":{"a":@}}"#,
            3,
        ),
    ] {
        let answer = peer.ask(&message.replace('@', &zeros(most))).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(id), &json!(-32600)),
            "{answer}"
        );
        let said = answer["error"]["message"].as_str().unwrap();
        let said = said
            .strip_prefix("Invalid Request: the message has ")
            .unwrap();
        assert!(
            said.ends_with(" JSON values, and may have 1000000"),
            "{said}"
        );
    }
    for silent in [
        r#"{"jsonrpc":"2.0","id":4,"result":{"a":@}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":@}}"#,
    ] {
        peer.say_line(silent.replace('@', &zeros(most)).as_bytes())
            .await;
        is_silent(&mut peer).await;
    }
    // Commas in strings do not count as values, and slightly fewer values are accepted.
    let text = format!(r#""{}""#, ",".repeat(most));
    for arguments in [text, zeros(most - 100)] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{arguments}}}}}}}"#
        );
        let answer = peer.ask(&line).await;
        let echoed = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(echoed, format!(r#"{{"a":{arguments}}}"#));
    }
}

#[tokio::test]
async fn unknown_methods_and_params_of_the_wrong_kind_are_errors() {
    let mut peer = connected().await;
    for (method, params, code) in [
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "b", "value": "c"}}),
            -32601,
        ),
        ("completion/complete", json!({}), -32601),
        ("prompts/list", json!({}), -32601),
        ("prompts/get", json!({"name": "a"}), -32601),
        ("resources/list", json!({}), -32601),
        ("resources/read", json!({"uri": "a:b"}), -32601),
        ("resources/subscribe", json!({"uri": "a:b"}), -32601),
        ("resources/templates/list", json!({}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        ("no/such", json!({}), -32601),
        ("tools/list", json!({"cursor": 7}), -32602),
        ("tools/list", json!({"cursor": ["a"]}), -32602),
        ("tools/call", json!({"name": 7}), -32602),
        (
            "tools/call",
            json!({"name": "echo", "arguments": []}),
            -32602,
        ),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = peer.ask(&request.to_string()).await;
        assert_eq!(answer["error"]["code"], code, "{request}: {answer}");
        assert_eq!(answer["id"], 1);
    }
}

#[test]
fn a_message_of_a_server_with_too_many_values_becomes_an_error() {
    let many = format!("[{}0]", "0,".repeat(1_000_000));
    let response = |id: &str| format!(r#"{{"jsonrpc":"2.0","result":{many},"id":{id}}}"#);
    for id in ["7", r#""seven""#] {
        let error = bounded_message(response(id)).unwrap();
        let error: Value = serde_json::from_str(&error).unwrap();
        assert_eq!(error["id"].to_string(), id);
        assert_eq!(error["error"]["code"], -32603);
        let told = error["error"]["message"].as_str().unwrap();
        assert!(told.contains("JSON values, and may have 1000000"), "{told}");
    }
    let notice = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{many}}}"#);
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{many}}}"#);
    let broken = format!("{many},");
    for message in [notice, request, broken] {
        assert_eq!(bounded_message(message), None);
    }
    let short = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
    assert_eq!(bounded_message(short.clone()), Some(short));
}
