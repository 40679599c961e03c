//! Tests of the body fields that each provider is sent for an effort.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mcpmark_model::{
    Conversation, Effort, Model, ModelSettings, ModelSpec, Pace, RequestErrorKind,
};
use serde_json::{Value, json};

/// Starts a server that rejects all requests with status 401. Returns its URL and the bodies that it receives.
fn server() -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (bodies, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
                    break;
                }
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let _ = bodies.send(serde_json::from_slice(&body).unwrap());
            let refusal = "HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            (&stream).write_all(refusal.as_bytes()).unwrap();
        }
    });
    (url, received)
}

/// Body fields for thinking and sampling of all providers.
const PLACES: [&str; 9] = [
    "enable_thinking",
    "thinking_budget",
    "thinking",
    "output_config",
    "reasoning",
    "reasoning_effort",
    "top_p",
    "seed",
    "generationConfig",
];

/// Returns the fields for thinking and sampling of a body, or the reason for which nothing was sent.
fn told(model: &str, settings: ModelSettings) -> Result<Value, String> {
    let (url, received) = server();
    let spec = ModelSpec {
        name: model.to_owned(),
        settings: ModelSettings {
            base_url: Some(url),
            ..settings
        },
        pace: Pace::default(),
    };
    let model = Model::open(&spec, |_| None).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let conversation = Conversation::new("system", "user");
    let seed = model.sampling_seed(0);
    let checked = runtime.block_on(model.check(&conversation, &[], seed));
    assert!(received.try_recv().is_err(), "a check sends nothing");
    let asking = model.ask(&conversation, &[], seed, Duration::from_secs(60));
    let error = runtime.block_on(asking).result.unwrap_err();
    match error.kind {
        RequestErrorKind::Auth => {
            checked.unwrap();
            let body = received.try_recv().unwrap();
            let said = PLACES
                .iter()
                .filter_map(|place| Some(((*place).to_owned(), body.get(*place)?.clone())));
            Ok(Value::Object(said.collect()))
        }
        RequestErrorKind::Unsupported => {
            assert!(received.try_recv().is_err(), "nothing is sent");
            assert_eq!(checked.unwrap_err().message, error.message);
            Err(error.message)
        }
        kind => panic!("{kind:?}: {}", error.message),
    }
}

fn effort(model: &str, effort: Effort) -> Result<Value, String> {
    let settings = ModelSettings {
        reasoning_effort: Some(effort),
        ..ModelSettings::default()
    };
    told(model, settings)
}

#[test]
fn efforts_reach_each_provider_in_its_own_form() {
    let adaptive = |effort: &str| json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}});
    let budget = |tokens: u32| json!({"thinking": {"type": "enabled", "budget_tokens": tokens}});
    let gemini =
        |key: &str, value: Value| json!({"generationConfig": {"thinkingConfig": {key: value}}});
    let word = |effort: &str| json!({"reasoning_effort": effort});
    let object = |effort: &str| json!({"reasoning": {"effort": effort}});
    let qwen = |tokens: u32| json!({"enable_thinking": true, "thinking_budget": tokens});
    let deepseek =
        |effort: &str| json!({"thinking": {"type": "enabled"}, "reasoning_effort": effort});
    let off = || json!({"thinking": {"type": "disabled"}});
    let no = |reason: &str| Value::from(reason);
    // Expected results for none, minimal, low, medium and high: fields that are sent, or a part of the error message.
    let table: [(&str, [Value; 5]); 16] = [
        (
            "anthropic/claude-sonnet-4-6",
            [
                off(),
                budget(1024),
                adaptive("low"),
                adaptive("medium"),
                adaptive("high"),
            ],
        ),
        (
            "anthropic/claude-sonnet-4-5",
            [
                off(),
                budget(1024),
                budget(1024),
                budget(4096),
                budget(16384),
            ],
        ),
        (
            "gemini/gemini-2.5-flash",
            [
                gemini("thinkingBudget", 0.into()),
                gemini("thinkingBudget", 1024.into()),
                gemini("thinkingBudget", 1024.into()),
                gemini("thinkingBudget", 4096.into()),
                gemini("thinkingBudget", 16384.into()),
            ],
        ),
        (
            "gemini/gemini-2.5-pro",
            [
                no("cannot turn thinking off"),
                gemini("thinkingBudget", 1024.into()),
                gemini("thinkingBudget", 1024.into()),
                gemini("thinkingBudget", 4096.into()),
                gemini("thinkingBudget", 16384.into()),
            ],
        ),
        (
            "gemini/gemini-3-pro-preview",
            [
                no("cannot turn thinking off"),
                no("no `minimal` thinking level"),
                gemini("thinkingLevel", "low".into()),
                no("no `medium` thinking level"),
                gemini("thinkingLevel", "high".into()),
            ],
        ),
        (
            "openai/local",
            ["none", "minimal", "low", "medium", "high"].map(word),
        ),
        (
            "llamacpp/local",
            ["none", "minimal", "low", "medium", "high"].map(word),
        ),
        (
            "ollama/local",
            ["none", "minimal", "low", "medium", "high"].map(word),
        ),
        (
            "groq/local",
            ["none", "minimal", "low", "medium", "high"].map(word),
        ),
        (
            "openrouter/some/model",
            ["none", "minimal", "low", "medium", "high"].map(object),
        ),
        (
            "xai/grok-4-fast-reasoning",
            [
                no("cannot turn reasoning off"),
                no("no `minimal`"),
                object("low"),
                object("medium"),
                object("high"),
            ],
        ),
        (
            "deepseek/deepseek-chat",
            [
                off(),
                no("not `minimal`"),
                deepseek("low"),
                no("not `medium`"),
                deepseek("high"),
            ],
        ),
        (
            "moonshot/kimi-k2.6",
            [
                off(),
                no("no such effort level"),
                no("no such effort level"),
                no("no such effort level"),
                no("no such effort level"),
            ],
        ),
        (
            "moonshot/kimi-k3",
            [
                no("cannot turn thinking off"),
                no("no such effort level"),
                word("low"),
                no("no such effort level"),
                word("high"),
            ],
        ),
        (
            "mistral/local",
            ["none", "minimal", "low", "medium", "high"].map(word),
        ),
        (
            "qwen/qwen3-max",
            [
                json!({"enable_thinking": false}),
                qwen(1024),
                qwen(1024),
                qwen(4096),
                qwen(16384),
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (model, row) in table {
        for (level, expected) in Effort::ALL.into_iter().zip(row) {
            let told = effort(model, level);
            let fits = match (&told, &expected) {
                (Err(message), Value::String(reason)) => message.contains(reason),
                (Ok(body), expected) => body == expected,
                _ => false,
            };
            if !fits {
                wrong.push(format!("{model} {level}: {told:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn qwen_takes_the_other_settings_too() {
    let settings = ModelSettings {
        top_p: Some(0.5),
        sampling_seed: Some(7),
        ..ModelSettings::default()
    };
    let told = told("qwen/qwen3-max", settings).unwrap();
    assert_eq!(told, json!({"top_p": 0.5, "seed": 7}));
}
