//! Tests of the agents that only seem to work: their calls, and their answers.

use std::sync::{Arc, Mutex};

use mcpmark_agent::{
    Agent, AnswerOnly, Attempt, AttemptLimits, Echo, EndKind, ErrorOnly, Event, RecordError,
    Recorder,
};
use mcpmark_service::{
    JsonObject, SessionLimits, ToolClient, ToolHandler, ToolServer, ToolSurface,
};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Calls of a server: the name of the tool, and the arguments.
type Calls = Arc<Mutex<Vec<(String, Value)>>>;

/// Handler that notes each call. The tool `write` fails.
struct Handler(Calls);

impl ToolHandler for Handler {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let call = (tool.to_owned(), Value::Object(arguments));
        self.0.lock().unwrap().push(call);
        Ok(if tool == "write" {
            CallToolResult::error(vec![ContentBlock::text("path must be a string")])
        } else {
            CallToolResult::success(vec![ContentBlock::text("fine")])
        })
    }
}

/// Recorder that discards all events.
struct Discards;

impl Recorder for Discards {
    fn record(&mut self, _: Event<'_>) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Runs an agent, and returns its answer and its calls.
async fn run(agent: &dyn Agent) -> (String, Vec<(String, Value)>) {
    let surface = ToolSurface::parse(
        "office",
        "1",
        r#"[
            {"name": "write", "inputSchema": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "lines": {"type": "array"}},
                "required": ["path", "lines"]
            }},
            {"name": "list", "inputSchema": {"type": "object"}}
        ]"#,
    )
    .unwrap();
    let calls = Calls::default();
    let world = ToolServer::new(
        surface,
        Handler(Arc::clone(&calls)),
        &SessionLimits::default(),
    );
    let (near, far) = tokio::io::duplex(4096);
    let _world = world.serve(Box::new(far));
    let tools = ToolClient::over(Box::new(near)).await.unwrap();
    let mut discards = Discards;
    let mut attempt = Attempt::start(
        "Write the letter.",
        &tools,
        AttemptLimits::default(),
        &mut discards,
        CancellationToken::new(),
    )
    .unwrap();
    let end = agent.run(&mut attempt).await.unwrap();
    assert_eq!(end.kind, EndKind::Completed);
    let answer = attempt.answer().unwrap().to_owned();
    let calls = calls.lock().unwrap().clone();
    (answer, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_only_answer_call_no_tool() {
    let (answer, calls) = run(&Echo).await;
    assert_eq!(answer, "Write the letter.");
    assert!(calls.is_empty(), "{calls:?}");
    let (answer, calls) = run(&AnswerOnly::new("42".to_owned())).await;
    assert_eq!(answer, "42");
    assert!(calls.is_empty(), "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn error_only_calls_every_tool_once_with_arguments_of_wrong_types() {
    let (answer, calls) = run(&ErrorOnly).await;
    let write = json!({"path": [[]], "lines": "?"});
    assert_eq!(
        calls,
        [("write".to_owned(), write), ("list".to_owned(), json!({}))]
    );
    assert_eq!(answer, "path must be a string");
}
