//! Tests of the client of a served world: its session ends when it leaves, even during a call.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcpmark_agent::{
    Agent, Attempt, AttemptLimits, Client, ClientTransport, EndKind, Event, RecordError, Recorder,
};
use mcpmark_service::{
    Introduction, JsonObject, SessionLimits, ToolClient, ToolHandler, ToolServer, ToolSurface,
    checkpoint,
};
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use tokio_util::sync::CancellationToken;

/// Timeout of each step, longer than any step takes on a working machine.
const MINUTE: Duration = Duration::from_secs(60);

/// Handler with the tool `wait`, which runs until it is cancelled.
struct Handler {
    began: Sender<()>,
    cancelled: Sender<()>,
}

impl ToolHandler for Handler {
    fn call(&mut self, _: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        let _ = self.began.send(());
        while checkpoint().is_ok() {
            std::thread::yield_now();
        }
        let _ = self.cancelled.send(());
        Err(ErrorData::internal_error("cancelled", None))
    }
}

/// Recorder that keeps the errors of calls and the number of turns.
#[derive(Default)]
struct Log {
    errors: Vec<String>,
    turns: u32,
}

impl Recorder for Log {
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError> {
        match event {
            Event::CallEnded { result, .. } => {
                self.errors.extend(result.err().map(str::to_owned));
            }
            Event::Reply { turn, .. } => self.turns = turn,
            _ => {}
        }
        Ok(())
    }
}

/// Cause of the end of the client's part while its call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    /// The client closes its end of the stream.
    Closes,
    /// The operator interrupts the server with Ctrl-C.
    Interrupted,
    /// The attempt is cancelled.
    Cancelled,
}

async fn leaves(how: Leave) {
    let (begins, began): (_, Receiver<()>) = channel();
    let (cancels, cancelled): (_, Receiver<()>) = channel();
    let surface = ToolSurface::parse(
        "waiting",
        "1",
        r#"[{"name": "wait", "inputSchema": {"type": "object"}}]"#,
    )
    .unwrap();
    let handler = Handler {
        began: begins,
        cancelled: cancels,
    };
    let world = ToolServer::new(surface, handler, &SessionLimits::default());
    let (near, far) = tokio::io::duplex(4096);
    let _world = world.serve(Box::new(far));
    let tools = ToolClient::over(Box::new(near)).await.unwrap();

    let (theirs, ours) = tokio::io::duplex(4096);
    let (left, cancel) = (CancellationToken::new(), CancellationToken::new());
    let introduction = Introduction {
        name: "task".to_owned(),
        title: "Wait".to_owned(),
        instruction: "Wait.".to_owned(),
    };
    let agent = Arc::new(Client::new(
        ClientTransport::Stream(Box::new(ours)),
        introduction,
        left.clone(),
    ));
    let log = Arc::new(Mutex::new(Log::default()));
    let acting = {
        let (log, cancel) = (Arc::clone(&log), cancel.clone());
        tokio::spawn(async move {
            let mut own = Log::default();
            let limits = AttemptLimits::default();
            let mut attempt = Attempt::start("Wait.", &tools, limits, &mut own, cancel).unwrap();
            let end = agent.run(&mut attempt).await;
            drop(attempt);
            *log.lock().unwrap() = own;
            end
        })
    };
    let client = ToolClient::over(Box::new(theirs)).await.unwrap();
    assert_eq!(client.server().unwrap().0, "waiting");
    let waiting = tokio::spawn(async move {
        let _ = client.call("wait", JsonObject::new(), MINUTE).await;
    });
    began.recv_timeout(MINUTE).unwrap();
    match how {
        Leave::Closes => waiting.abort(),
        Leave::Interrupted => left.cancel(),
        Leave::Cancelled => cancel.cancel(),
    }
    let end = tokio::time::timeout(MINUTE, acting).await.unwrap().unwrap();
    match how {
        Leave::Cancelled => assert!(end.is_err(), "{how:?}: {end:?}"),
        _ => assert_eq!(end.unwrap().kind, EndKind::Completed, "{how:?}"),
    }
    // The caller ends the session after the attempt.
    world.close().await.unwrap();
    cancelled.recv_timeout(MINUTE).unwrap();
    let log = log.lock().unwrap();
    assert_eq!(log.errors.len(), 1, "{how:?}: {:?}", log.errors);
    assert!(log.errors[0].contains("cancelled"), "{:?}", log.errors);
    // One turn is the call. A session that ended by itself has another one for its end.
    let turns = 1 + u32::from(how != Leave::Cancelled);
    assert_eq!(log.turns, turns, "{how:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_its_session_whatever_a_call_is_doing() {
    for how in [Leave::Closes, Leave::Interrupted, Leave::Cancelled] {
        leaves(how).await;
    }
}
