//! Requests in a form that strict servers accept: one string wherever the API allows one, and nothing that the
//! published schemas refuse.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcpmark_model_server::{Api, Reaction, Request, Saying, Server};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use super::{TASK, serve};
use crate::environment::Environment;
use crate::npm;

/// Providers with the Chat Completions API.
const CHAT: [&str; 9] = [
    "deepseek",
    "groq",
    "llamacpp",
    "mistral",
    "moonshot",
    "ollama",
    "openai",
    "openrouter",
    "qwen",
];

/// Starts a model that causes requests of every kind: results, errors and refused calls, an image, returned reasoning,
/// a summary, and replies without text.
fn busy() -> Server {
    serve(|request| match request.tools.as_slice() {
        [ping] if ping == "ping" => Reaction::call("ping", &json!({})),
        [] => in_text(request),
        _ => by_functions(request),
    })
}

fn by_functions(request: &Request) -> Reaction {
    if request
        .body
        .to_string()
        .contains("The work so far was summed up")
    {
        return Reaction::say("Done.");
    }
    let call = |name: &str, arguments: Value| (name.to_owned(), arguments.to_string());
    let (text, calls) = match request.turns {
        0 => (
            "",
            vec![
                call(
                    "write_file",
                    json!({"path": "dot.png", "content": "no image"}),
                ),
                ("write_file".to_owned(), "{\"path\": ".to_owned()),
                call("save_everything", json!({})),
            ],
        ),
        1 => (
            "A look.",
            vec![call("read_media_file", json!({"path": "dot.png"}))],
        ),
        _ => (
            "",
            vec![call("read_text_file", json!({"path": "none.txt"}))],
        ),
    };
    Reaction::Say(Saying {
        text: text.to_owned(),
        reasoning: Some("A thought.".to_owned()),
        calls,
        usage: Some([if request.turns == 2 { 50_000 } else { 10 }, 0, 10, 5]),
        ..Saying::default()
    })
}

fn in_text(request: &Request) -> Reaction {
    let system = request.body.to_string();
    if system.contains("You take over the notes of an agent") {
        return Reaction::say("A file was written.");
    }
    match request.turns {
        _ if system.contains("Reply with: ok") => Reaction::say("ok"),
        0 => Reaction::say("Let me see."),
        1 => Reaction::say(
            r#"{"thought": "t", "action": {"tool": "list_directory", "arguments": {"path": "."}}}"#,
        ),
        _ => Reaction::say(r#"{"thought": "t", "answer": "Done."}"#),
    }
}

/// Runs both agents with models of every provider. Returns the requests, each with the name of its model.
fn requests(environment: &Environment) -> Vec<(String, Request)> {
    let server = busy();
    let url = server.base_url();
    let model = |provider: &str, name: &str, more: &str| {
        format!(
            "[[models]]\nname = \"{provider}/{name}\"\nbase-url = \"{url}\"\nimages = true\n{more}"
        )
    };
    let mut file = format!("tasks = [\"{TASK}\"]\ncompact-at = 40000\n");
    for provider in CHAT {
        file.push_str(&model(provider, provider, ""));
    }
    file.push_str(&model("openai", "responses", "api = \"responses\"\n"));
    file.push_str(&model(
        "anthropic",
        "anthropic",
        "max-output-tokens = 4000\n",
    ));
    let config = environment
        .directory("config", &[("e.toml", &file)])
        .join("e.toml");
    let config = config.to_str().unwrap();
    for agent in ["mcpmark", "react"] {
        environment
            .run(["run", "--config", config, "--agent", agent])
            .exits(1);
    }
    let requests = server.requests();
    requests
        .into_iter()
        .map(|request| (request.model.clone(), request))
        .collect()
}

/// Returns the messages of a Chat Completions request whose content is not a string although it could be one.
fn not_plain(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let wrong = messages.iter().filter(|message| match &message["content"] {
        Value::String(_) => false,
        // A message that calls tools needs no text.
        Value::Null => message.get("tool_calls").is_none() || message.get("content").is_some(),
        Value::Array(parts) => {
            message["role"] != "user" || parts.iter().all(|part| part["type"] == "text")
        }
        _ => true,
    });
    wrong.map(ToString::to_string).collect()
}

/// Returns the directory of the schemas, which are downloaded once, or the reason why they cannot be downloaded.
fn schemas() -> Result<PathBuf, String> {
    let script = script();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strict-schemas-1");
    if home.join("installed").exists() {
        return Ok(home);
    }
    std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    let mut python = Command::new("python3");
    npm::run(python.arg(script).arg("install").arg(&home), "pip")?;
    Ok(home)
}

fn script() -> PathBuf {
    crate::environment::repository().join("tests/end_to_end/models/strict.py")
}

/// Returns the violations of published schemas in these requests.
fn refused(home: &Path, requests: &[Value]) -> Vec<String> {
    let mut python = Command::new("python3")
        .arg(script())
        .arg("check")
        .arg(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = serde_json::to_vec(requests).unwrap();
    python.stdin.take().unwrap().write_all(&input).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn strict_servers_take_every_request() {
    let environment = Environment::new();
    let requests = requests(&environment);
    // Some request has an image. APIs and models that accept only text get none.
    let has_image = |request: &Value| request.to_string().contains("image_url");
    assert!(requests.iter().any(|(_, request)| has_image(&request.body)));
    for provider in CHAT {
        let own = requests.iter().filter(|(name, _)| name == provider);
        let bodies: Vec<&Value> = own.map(|(_, request)| &request.body).collect();
        let text = json!(bodies).to_string();
        // Five requests with functions, two of them around a summary; three in text; and the preflight requests.
        assert!(bodies.len() >= 9, "{provider}: {}", bodies.len());
        for kind in [
            "cannot be read",
            "there is no tool named",
            "You take over the notes",
        ] {
            assert!(text.contains(kind), "{provider}: no request has {kind:?}");
        }
        // Mistral has its own form of reasoning, as a part of the content.
        if provider != "mistral" {
            let wrong: Vec<String> = bodies.iter().flat_map(|body| not_plain(body)).collect();
            assert!(wrong.is_empty(), "{provider}: {wrong:#?}");
        }
    }

    let home = match schemas() {
        Ok(home) => home,
        Err(reason) => {
            return skip(
                Need::Python,
                format!("the schemas of strict servers: {reason}"),
            );
        }
    };
    let api = |request: &Request| match request.api {
        Api::Chat => "chat",
        Api::Responses => "responses",
        Api::Messages => "messages",
    };
    let told: Vec<Value> = requests
        .iter()
        .map(|(provider, request)| json!({"api": api(request), "provider": provider, "body": request.body}))
        .collect();
    assert_eq!(refused(&home, &told), Vec::<String>::new());
    // The schemas are strict: each refuses an invalid request.
    let message = |content: Value| json!({"model": "m", "messages": [{"role": "system", "content": content}]});
    let wrong = [
        json!({"api": "chat", "provider": "groq", "body": message(json!([{"type": "text", "text": "t"}]))}),
        json!({"api": "chat", "provider": "openai", "body": message(json!(7))}),
        json!({"api": "responses", "provider": "openai", "body": {"model": "m", "input": 7}}),
        json!({"api": "messages", "provider": "anthropic", "body": {"model": "m", "messages": []}}),
    ];
    let found = refused(&home, &wrong);
    for (number, schema) in [
        (0, "llama-cpp-python"),
        (1, "OpenAI Chat Completions"),
        (2, "OpenAI Responses"),
        (3, "Anthropic Messages"),
    ] {
        let start = format!("request {number} of ");
        let by = format!(", by {schema}: ");
        assert!(
            found
                .iter()
                .any(|it| it.starts_with(&start) && it.contains(&by)),
            "{found:#?}"
        );
    }
}
