//! Redaction of API keys that a provider echoes in any encoding, and selection of the key for a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpmark_model_server::Reaction;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value, json};

use super::{TASK, calls, is_shown_nowhere, serve};
use crate::environment::{Environment, Output};

const CANARY: &str = "sk-canary/5f1e9a77d2";
/// Halves of the key. The second must not be revealed either.
const HALVES: (&str, &str) = ("sk-canary/", "5f1e9a77d2");

type Form = fn(&str) -> String;

/// Encodings of a text that a provider might use within a JSON string, by name.
const FORMS: [(&str, Form); 9] = [
    ("plain", |text| text.to_owned()),
    ("escaped", |text| {
        text.chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect()
    }),
    ("first", |text| {
        format!("\\u{:04X}{}", u32::from(text.as_bytes()[0]), &text[1..])
    }),
    ("slash", |text| text.replace('/', "\\/")),
    ("percent", |text| text.replace('/', "%2F")),
    ("percents", |text| {
        text.bytes().map(|byte| format!("%{byte:02x}")).collect()
    }),
    ("hex", |text| {
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }),
    ("base64", |text| STANDARD.encode(format!("k{text}"))),
    ("base64-2", |text| STANDARD.encode(format!("ke{text}"))),
];

/// A reply with the key in every field. `TWICE` stands for the key within JSON that is itself in a JSON string.
fn reply() -> String {
    let call = |id: &str, arguments: &str| {
        format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"KEY","arguments":"{arguments}"}}}}"#
        )
    };
    let calls = [
        call("KEY", r#"{\"path\": \"TWICE\", \"TWICE\": [\"KEY\"]}"#),
        call("call_2", r#"{\"path\": KEY TWICE"#),
    ];
    format!(
        r#"{{"id":"KEY","object":"chat.completion","created":0,"model":"KEY","choices":[{{"index":0,
        "message":{{"role":"assistant","content":"it is KEY, or TWICE","reasoning_content":"KEY",
        "tool_calls":[{}]}},"finish_reason":"tool_calls"}}],
        "usage":{{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}}}"#,
        calls.join(",")
    )
}

/// A reply whose text has two parts, each with a half of the key.
fn in_parts() -> Value {
    let part = |text: &str| json!({"type": "text", "text": text});
    json!({"id": "1", "type": "message", "role": "assistant", "model": "m",
        "content": [part(HALVES.0), part(HALVES.1)], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}})
}

/// Chunks of a stream, although no stream was requested.
fn stream() -> String {
    let chunk = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!(
        "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
        chunk(HALVES.0),
        chunk(HALVES.1)
    )
}

/// A refusal instead of a text.
fn refusal() -> Value {
    let message = json!({"role": "assistant", "content": null, "refusal": format!("No {CANARY}")});
    json!({"id": "1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
}

#[test]
fn a_key_that_is_echoed_in_any_form_is_kept_nowhere() {
    let environment = Environment::new();
    let server = serve(|request| {
        assert_eq!(request.key.as_deref(), Some(CANARY));
        let answer = |status: u16, body: String| Reaction::Status {
            status,
            headers: vec![("x-request-id".to_owned(), CANARY.to_owned())],
            body,
        };
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        let form = FORMS.iter().find(|(name, _)| *name == request.model);
        match (form, request.model.as_str(), request.turns) {
            (Some((_, form)), _, 0) => {
                let key = form(CANARY);
                let twice = key.replace('\\', "\\\\");
                answer(200, reply().replace("TWICE", &twice).replace("KEY", &key))
            }
            (Some((_, form)), ..) => {
                let message = form(&format!("{CANARY} is bad"));
                answer(400, format!("{{\"error\":{{\"message\":\"{message}\"}}}}"))
            }
            (None, "parts", _) => answer(200, in_parts().to_string()),
            (None, "stream", _) => answer(200, stream()),
            (None, "refusal", _) => answer(200, refusal().to_string()),
            (None, "page", _) => answer(500, format!("<p>Your key {CANARY}</p>")),
            (None, other, _) => panic!("nobody asks {other}"),
        }
    });
    let url = server.base_url();
    let run = |model: &str| {
        let args = [
            "run",
            TASK,
            "--model",
            model,
            "--base-url",
            &url,
            "--json",
            "--retries",
            "0",
            "--api-key-env",
            "MY_KEY",
        ];
        let mut command = environment.command(args.iter().chain(&["--max-output-tokens", "999"]));
        command.env("MY_KEY", CANARY);
        let output = Output::of(&mut command);
        reveals_nothing(&format!("{model} {}", output.stdout));
        reveals_nothing(&format!("{model} {}", output.stderr));
        output.json()
    };
    for (form, _) in FORMS {
        let report = run(&format!("openai/{form}"));
        assert_eq!(
            report["attempts"][0]["ended"], "context-overflow",
            "{form} {report}"
        );
    }
    let counts = "SELECT turns || ' ' || tool_calls || ' ' || malformed_calls FROM attempts";
    let counts = calls(&environment, counts);
    assert!(counts.iter().all(|it| it == "1 2 1"), "{counts:?}");
    run("anthropic/parts");
    let answer = "SELECT answer FROM attempts WHERE model = 'anthropic/parts'";
    assert_eq!(calls(&environment, answer), ["[redacted][redacted]"]);
    run("openai/stream");
    run("openai/refusal");
    run("openai/page");
    assert_eq!(
        calls(&environment, "SELECT id FROM attempts").len(),
        FORMS.len() + 4
    );
    // Database pages may split a text, so each text is checked separately, too.
    for text in texts(&environment) {
        reveals_nothing(&text);
        for (name, form) in &FORMS[4..] {
            // The first digits of these base64 forms encode the bytes before the key, so other texts may have them,
            // too.
            let form = form(CANARY);
            let begin = if name.starts_with("base64") { 4 } else { 0 };
            assert!(
                !text.contains(&form[begin..form.len() - 4]),
                "{name}: {text}"
            );
        }
    }
    is_shown_nowhere(&environment, CANARY, &["OPENAI_API_KEY"]);
    is_shown_nowhere(&environment, HALVES.1, &["OPENAI_API_KEY"]);
}

#[test]
fn a_key_goes_elsewhere_only_where_it_is_named() {
    let environment = Environment::new();
    let server = serve(|request| match (&request.key, request.model.as_str()) {
        (None, "locked") => Reaction::error(401, "invalid_api_key", "no key"),
        _ => Reaction::say("ok"),
    });
    let url = server.base_url();
    let run = |model: &str, more: &[&str]| {
        let args = ["run", TASK, "--model", model, "--base-url", &url];
        let mut command = environment.command(args.iter().chain(more));
        command
            .env("OPENAI_API_KEY", "sk-of-openai")
            .env("LLAMACPP_API_KEY", "sk-of-llamacpp");
        Output::of(command.env("MY_KEY", "sk-of-mine").env_remove("NO_KEY"))
    };
    let last = || server.requests().last().unwrap().key.clone();
    run("openai/open", &[]).exits(1);
    assert_eq!(last(), None);
    let locked = run("openai/locked", &[]).exits(2);
    assert_eq!(last(), None);
    insta::assert_snapshot!(locked.message(), @r"
    error: model openai/locked at http://127.0.0.1:[port]/v1: the provider sent an error (401): no key
    hint: no key was sent; set --api-key-env to the variable that contains the key for this address
    ");
    run("openai/locked", &["--api-key-env", "MY_KEY"]).exits(1);
    assert_eq!(last().as_deref(), Some("sk-of-mine"));
    // The variable of llama.cpp's own key applies to any address.
    run("llamacpp/locked", &[]).exits(1);
    assert_eq!(last().as_deref(), Some("sk-of-llamacpp"));
    let asked = server.requests().len();
    let refused = run("openai/m", &["--api-key-env", "NO_KEY"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: openai/m: the environment variable NO_KEY is not set, but openai requires a key
    hint: export NO_KEY=…
    ");
    let typed = run("openai/m", &["--api-key-env", "sk-typed-by-hand"]).exits(2);
    assert!(!typed.stderr.contains("by-hand"), "{}", typed.stderr);
    insta::assert_snapshot!(typed.message(), @"error: api-key-env is not the name of a variable; expected letters, digits and `_`; give the name of the variable, not the key");
    assert_eq!(server.requests().len(), asked);
    // Only the name of the variable is recorded.
    let settings = calls(&environment, "SELECT DISTINCT model_settings FROM attempts");
    assert!(
        settings
            .iter()
            .any(|settings| settings.contains("\"api-key-env\":\"MY_KEY\"")),
        "{settings:?}"
    );
}

#[test]
fn a_server_that_takes_strings_alone_is_asked_in_strings() {
    let environment = Environment::new();
    let server = serve(|request| {
        let odd = strict(&request.body);
        match odd {
            Some(odd) => Reaction::error(500, "validation", &odd),
            None if request.tools == ["ping"] => Reaction::say("ok"),
            None if request.turns == 0 => Reaction::call("list_directory", &json!({"path": "."})),
            None => Reaction::say("Done."),
        }
    });
    let models = [
        "openai",
        "llamacpp",
        "ollama",
        "openrouter",
        "deepseek",
        "groq",
        "moonshot",
        "qwen",
    ];
    for provider in models {
        for agent in ["mcpmark", "react"] {
            let model = format!("{provider}/m");
            let args = ["--model", &model, "--agent", agent, TASK];
            let report = super::run(&environment, &server, &args).exits(1).json();
            assert_eq!(
                report["attempts"][0]["outcome"], "graded",
                "{model} {report}"
            );
        }
    }
    let asked = server.requests();
    assert!(
        asked
            .iter()
            .all(|request| request.body["messages"][0]["content"].is_string())
    );
}

/// Returns the first violation of the oldest published schema of Chat Completions, as a strict server reports it:
/// system, assistant and tool messages have strings for content, and a message has only keys of its role.
fn strict(body: &Value) -> Option<String> {
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        let keys: &[&str] = match role {
            "system" | "user" => &["role", "content", "name"],
            "assistant" => &[
                "role",
                "content",
                "name",
                "tool_calls",
                "refusal",
                "reasoning_content",
            ],
            "tool" => &["role", "content", "tool_call_id", "name"],
            _ => return Some(format!("there is no role {role}")),
        };
        let content = &message["content"];
        if !(content.is_string() || role == "assistant" && content.is_null()) {
            return Some(format!("{role}: content: input should be a valid string"));
        }
        let mut names = message.as_object().unwrap().keys();
        if let Some(other) = names.find(|name| !keys.contains(&name.as_str())) {
            return Some(format!("{role}: {other}: extra inputs are not permitted"));
        }
    }
    None
}

/// Returns every text in the journal.
fn texts(environment: &Environment) -> Vec<String> {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let mut found = Vec::new();
    for table in calls(
        environment,
        "SELECT name FROM sqlite_master WHERE type = 'table'",
    ) {
        let mut query = journal.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = query.column_count();
        let mut rows = query.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                if let ValueRef::Text(text) = row.get_ref(column).unwrap() {
                    found.push(String::from_utf8(text.to_vec()).unwrap());
                }
            }
        }
    }
    found
}

/// Asserts that a text contains neither the key nor its second half, in hex or with the escapes of JSON and URLs.
fn reveals_nothing(text: &str) {
    let mut plain = text.replace('\\', "").replace("%25", "%").to_lowercase();
    for character in CANARY.chars() {
        let code = u32::from(character);
        plain = plain
            .replace(&format!("u{code:04x}"), &character.to_string())
            .replace(&format!("%{code:02x}"), &character.to_string());
    }
    for secret in [CANARY, HALVES.1] {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(!plain.contains(secret) && !plain.contains(&hex), "{text}");
    }
}
