//! Comparison of the protocol answers other than those of tools.

use serde_json::{Value, json};

use crate::calls::Call;
use crate::differences::Exchange;
use crate::peers::{Peer, handshake};
use crate::play::{Difference, PROTOCOL, Stage, Summary};

/// Compares handshakes, lists of tools, and requests that no client should send.
pub(crate) fn compare(stage: &Stage, summary: &mut Summary) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut judge = |about: String, real: &Value, ours: &Value| {
        let call = Call {
            tool: about,
            arguments: Value::Null,
        };
        let exchange = Exchange {
            profile: stage.profile,
            call: &call,
            real,
            ours,
        };
        differences.extend(summary.judge(&exchange).err());
    };
    for version in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2030-01-01",
    ] {
        let (mut real, mut ours) = stage.strangers(version);
        let params = handshake(version);
        judge(
            format!("initialize {version}"),
            &real.request("initialize", &params),
            &ours.request("initialize", &params),
        );
        ours.close();
    }
    let (mut real, mut ours) = stage.strangers("requests");
    for peer in [&mut real as &mut dyn Peer, &mut ours] {
        peer.request("initialize", &handshake(PROTOCOL));
    }
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/templates/list", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("no/such/method", json!({})),
        ("tools/call", json!({"name": "list_allowed_directorie"})),
        ("tools/call", json!({"name": "read_file"})),
        ("tools/call", json!({"name": 1})),
        ("tools/call", json!({"name": "read_file", "arguments": [1]})),
        (
            "tools/call",
            json!({"name": "read_file", "arguments": null}),
        ),
        ("tools/call", json!({})),
    ] {
        judge(
            format!("{method} {params}"),
            &real.request(method, &params),
            &ours.request(method, &params),
        );
    }
    // Lone surrogates, which a `Value` cannot represent. The answer of the real server about a path with one is not
    // valid JSON for this test, because it contains the surrogate too.
    for (tool, arguments) in [
        (
            "write_file",
            r#"{"path":"half.txt","content":"a\ud800b\udc00\ud83d\ude00\\ud800"}"#,
        ),
        ("read_text_file", r#"{"path":"half.txt"}"#),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        );
        judge(line.clone(), &real.exchange(&line), &ours.exchange(&line));
    }
    ours.close();
    differences
}
