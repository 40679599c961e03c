//! Tests of the oracle: a solution that is stopped before one of its calls.

use std::path::Path;
use std::sync::{Arc, Mutex};

use mcpmark_agent::{Agent, Attempt, AttemptLimits, EndKind, Event, RecordError, Recorder};
use mcpmark_experiment::Oracle;
use mcpmark_sandbox::{Sandbox, SandboxConfig};
use mcpmark_service::{
    JsonObject, SessionLimits, ToolClient, ToolHandler, ToolServer, ToolSurface,
};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Paths that the calls of a server named.
type Paths = Arc<Mutex<Vec<String>>>;

/// Handler that notes the path of each call.
struct Handler(Paths);

impl ToolHandler for Handler {
    fn call(&mut self, _: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let path = arguments.get("path").and_then(Value::as_str);
        self.0
            .lock()
            .unwrap()
            .push(path.unwrap_or_default().to_owned());
        Ok(CallToolResult::success(vec![ContentBlock::text("fine")]))
    }
}

/// Recorder that discards all events.
struct Discards;

impl Recorder for Discards {
    fn record(&mut self, _: Event<'_>) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Returns a solution that writes files at these paths, one after the other.
fn solution(paths: &[&str]) -> Vec<u8> {
    const BEGIN: usize = 1024;
    let (mut texts, mut calls) = ("write".to_owned(), String::new());
    for path in paths {
        let arguments = json!({ "path": path }).to_string();
        let (at, length) = (BEGIN + texts.len(), arguments.len());
        calls.push_str(&format!(
            "(call $call (i32.const {BEGIN}) (i32.const 5) (i32.const {at}) (i32.const {length}) (i32.const 512))\n"
        ));
        texts.push_str(&arguments);
    }
    let texts: String = texts.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/end_to_end/guests/calls.wat");
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("\"TEXTS\"", &format!("\"{texts}\""));
    wat::parse_str(text.replace("CALLS\n", &calls)).unwrap()
}

/// Plays a solution with three calls up to a number of them. Returns its answer and the paths of its calls.
async fn play(most: u32) -> (Option<String>, Vec<String>) {
    let surface = ToolSurface::parse(
        "office",
        "1",
        r#"[{"name": "write", "inputSchema": {
            "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]
        }}]"#,
    )
    .unwrap();
    let paths = Paths::default();
    let world = ToolServer::new(
        surface,
        Handler(Arc::clone(&paths)),
        &SessionLimits::default(),
    );
    let (near, far) = tokio::io::duplex(4096);
    let _world = world.serve(Box::new(far));
    let tools = ToolClient::over(Box::new(near)).await.unwrap();
    let mut discards = Discards;
    let mut attempt = Attempt::start(
        "Write the letters.",
        &tools,
        AttemptLimits::default(),
        &mut discards,
        CancellationToken::new(),
    )
    .unwrap();
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
    let solution = sandbox.solution(&solution(&["a", "b", "c"])).unwrap();
    let oracle = Oracle::new(sandbox, solution, "{}".to_owned()).with_most_calls(most);
    let end = oracle.run(&mut attempt).await.unwrap();
    assert_eq!(end.kind, EndKind::Completed);
    let answer = attempt.answer().map(str::to_owned);
    let paths = paths.lock().unwrap().clone();
    (answer, paths)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_solution_is_stopped_before_the_call_that_is_too_many() {
    assert_eq!(play(0).await, (None, Vec::new()));
    let (answer, paths) = play(2).await;
    assert_eq!(paths, ["a", "b"]);
    assert_eq!(answer.as_deref(), Some(""), "it does not reach its answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_solution_with_enough_calls_answers() {
    for most in [3, 4] {
        let (answer, paths) = play(most).await;
        assert_eq!(paths, ["a", "b", "c"]);
        assert_eq!(answer.as_deref(), Some("done"));
    }
}
