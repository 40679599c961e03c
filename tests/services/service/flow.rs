//! Flow control: a client that sends requests without reading answers uses memory for a bounded number of answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcpmark_service::{JsonObject, ToolHandler, ToolServer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::peer::{Peer, call, given_up};

const RESULT_BYTES: usize = 1 << 20;
const CALLS: usize = 200;
/// Maximum number of calls that run: answers that wait to be written, one that is being written, and one running call.
const MAX_MADE: usize = 6;

/// Handler that returns a long text and counts its calls.
struct Long(Arc<AtomicUsize>);

impl ToolHandler for Long {
    fn call(&mut self, _: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let text = ContentBlock::text("x".repeat(RESULT_BYTES));
        Ok(CallToolResult::success(vec![text]))
    }
}

/// Client that has sent calls and reads no answers yet.
struct Silent {
    peer: Peer,
    made: Arc<AtomicUsize>,
    server: ToolServer<Long>,
}

impl Silent {
    async fn with_calls() -> Self {
        let made = Arc::new(AtomicUsize::new(0));
        let (mut peer, server) = Peer::connected("long", Long(Arc::clone(&made))).await;
        for id in 0..CALLS {
            peer.say(&call(id, "long")).await;
        }
        Self { peer, made, server }
    }

    /// Returns the number of calls that run while the client does not read.
    async fn made_unread(&self) -> usize {
        let mut made = 0;
        // Waits until the number is stable. If it is not, it is too low, and the bound holds anyway.
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            made = self.made.load(Ordering::SeqCst);
        }
        made
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_wait_for_a_client_that_does_not_read_and_all_are_answered() {
    let mut silent = Silent::with_calls().await;
    let made = silent.made_unread().await;
    assert!((1..=MAX_MADE).contains(&made), "{made} calls were made");
    let mut answered: Vec<u64> = Vec::new();
    for _ in 0..CALLS {
        let answer = silent.peer.hear().await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.len(), RESULT_BYTES);
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..CALLS as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_given_up_make_room() {
    let mut silent = Silent::with_calls().await;
    silent.made_unread().await;
    for id in 0..CALLS - 1 {
        silent.peer.say(&given_up(id)).await;
    }
    // Calls that ran before are answered, and so is the last one.
    loop {
        if silent.peer.hear().await["id"] == CALLS - 1 {
            break;
        }
    }
    let made = silent.made.load(Ordering::SeqCst);
    assert!(made < CALLS, "the calls that were given up were made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_while_its_client_does_not_read() {
    let silent = Silent::with_calls().await;
    silent.made_unread().await;
    let ended = tokio::time::timeout(Duration::from_secs(60), silent.server.close()).await;
    assert!(ended.unwrap().is_ok());
}
