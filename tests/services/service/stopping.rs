//! Calls that are stopped: by their client, by the end of their connection, or by the end of their session.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, CallError, Calls, Interrupted, JsonObject, ServeHandle, ServiceError, Session,
    SessionLimits, ToolClient, ToolHandler, ToolServer, ToolSurface, checkpoint,
};
use mcpmark_snapshot::Tree;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

const TOOLS: &str = r#"[
    {"name": "loop", "inputSchema": {"type": "object"}},
    {"name": "deaf", "inputSchema": {"type": "object"}},
    {"name": "count", "inputSchema": {"type": "object"}}
]"#;

/// Timeout that no call reaches on a working machine.
const MINUTE: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_millis(20);

/// Handler whose tool `loop` runs until a checkpoint stops it, and `deaf` until the test sends a signal.
struct Handler {
    calls: usize,
    began: Sender<()>,
    stopped: Sender<Interrupted>,
    go_on: Receiver<()>,
}

impl ToolHandler for Handler {
    fn call(&mut self, tool: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        self.calls += 1;
        let _ = self.began.send(());
        match tool {
            "loop" => loop {
                if let Err(reason) = checkpoint() {
                    let _ = self.stopped.send(reason);
                    return Err(ErrorData::internal_error(reason.to_string(), None));
                }
                std::thread::yield_now();
            },
            "deaf" => {
                let _ = self.go_on.recv();
            }
            _ => {}
        }
        let text = ContentBlock::text(self.calls.to_string());
        Ok(CallToolResult::success(vec![text]))
    }
}

struct World(ToolServer<Handler>);

#[async_trait]
impl Session for World {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.0.serve(io)
    }

    fn calls(&self) -> Option<&Calls> {
        Some(self.0.calls())
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        self.0.with(|_| Tree::empty()).await
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        self.0.close().await.map(drop)
    }
}

/// Session with the test's ends of the channels.
struct Setting {
    session: Box<dyn Session>,
    began: Receiver<()>,
    stopped: Receiver<Interrupted>,
    go_on: Sender<()>,
}

fn setting() -> Setting {
    let ((begins, began), (stops, stopped)) = (channel(), channel());
    let (go_on, goes_on) = channel();
    let handler = Handler {
        calls: 0,
        began: begins,
        stopped: stops,
        go_on: goes_on,
    };
    let surface = ToolSurface::parse("stopping", "1", TOOLS).unwrap();
    let server = ToolServer::new(surface, handler, &SessionLimits::default());
    Setting {
        session: Box::new(World(server)),
        began,
        stopped,
        go_on,
    }
}

async fn call(client: &ToolClient, tool: &str, timeout: Duration) -> Result<String, CallError> {
    let output = client.call(tool, JsonObject::new(), timeout).await?;
    Ok(output.text())
}

fn is_cancelled(stopped: &Receiver<Interrupted>) {
    assert_eq!(stopped.recv_timeout(MINUTE), Ok(Interrupted::Cancelled));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_limit_stops_the_call_itself() {
    let Setting {
        session, stopped, ..
    } = setting();
    let client = ToolClient::connect(&*session).await.unwrap();
    let late = call(&client, "loop", SOON).await;
    assert_eq!(late, Err(CallError::Timeout { after: SOON }));
    is_cancelled(&stopped);
    assert_eq!(call(&client, "count", MINUTE).await.unwrap(), "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_waits_for_is_stopped() {
    let Setting {
        session,
        stopped,
        began,
        ..
    } = setting();
    let client = ToolClient::connect(&*session).await.unwrap();
    let (sent, is_sent) = tokio::sync::oneshot::channel();
    let began = std::thread::spawn(move || {
        let began = began.recv_timeout(MINUTE);
        let _ = sent.send(());
        began
    });
    tokio::select! {
        answer = call(&client, "loop", MINUTE) => panic!("{answer:?}"),
        _ = is_sent => {}
    }
    began.join().unwrap().unwrap();
    is_cancelled(&stopped);
    assert_eq!(call(&client, "count", MINUTE).await.unwrap(), "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_connection_stops_its_calls() {
    for abort in [true, false] {
        let Setting {
            session,
            stopped,
            began,
            ..
        } = setting();
        let (near, far) = tokio::io::duplex(1024);
        let served = session.serve(Box::new(far));
        let client = ToolClient::over(Box::new(near)).await.unwrap();
        let waiting = tokio::spawn(async move { call(&client, "loop", MINUTE).await });
        began.recv_timeout(MINUTE).unwrap();
        if abort {
            served.abort();
        } else {
            // The client and its end of the stream are dropped.
            waiting.abort();
            served.join().await.unwrap();
        }
        is_cancelled(&stopped);
        assert_eq!(session.capture().await.unwrap(), Tree::empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_stops_calls_that_run_and_those_that_wait() {
    let Setting {
        session,
        stopped,
        began,
        ..
    } = setting();
    let client = ToolClient::connect(&*session).await.unwrap();
    let client = std::sync::Arc::new(client);
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let client = std::sync::Arc::clone(&client);
            tokio::spawn(async move { call(&client, "loop", MINUTE).await })
        })
        .collect();
    began.recv_timeout(MINUTE).unwrap();
    assert_eq!(session.finish(MINUTE).await.unwrap(), Tree::empty());
    is_cancelled(&stopped);
    for call in calls {
        let Err(CallError::Protocol { message, .. }) = call.await.unwrap() else {
            panic!("a call was made after the end");
        };
        let expected = ["the call was cancelled", "the session is closed"];
        assert!(expected.contains(&&*message), "{message}");
    }
    assert!(
        stopped.try_recv().is_err(),
        "one call ran, the others waited"
    );
    session.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_stop_holds_nobody_up() {
    let Setting {
        session,
        began,
        go_on,
        ..
    } = setting();
    let client = ToolClient::connect(&*session).await.unwrap();
    let late = call(&client, "deaf", SOON).await;
    assert_eq!(late, Err(CallError::Timeout { after: SOON }));
    began.recv_timeout(MINUTE).unwrap();
    let stuck = session.finish(SOON).await.unwrap_err();
    assert!(matches!(stuck, ServiceError::Stuck(_)), "{stuck}");
    assert!(stuck.to_string().contains("the tool `deaf` still ran"));
    client.close().await.unwrap();
    // The thread of the call keeps running.
    let left = session.close().await.unwrap_err();
    assert!(matches!(left, ServiceError::Stuck(_)), "{left}");
    go_on.send(()).unwrap();
}
