//! Agent that connects to the program: the MCP client of a served world.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_service::{BoxedStream, Introduction, serve_mcp};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::relay::Relay;
use crate::{Agent, Attempt, End, EndKind, Halt};

/// Transport through which the client of one attempt connects.
pub enum ClientTransport {
    /// Byte stream, until the client closes it.
    Stream(BoxedStream),
    /// Streamable HTTP, until the client ends its last session.
    Http {
        /// Bound socket.
        listener: TcpListener,
        /// Path of the URL.
        path: String,
        /// Idle timeout: time without a request after which the client counts as disconnected.
        idle: Option<Duration>,
    },
}

/// Agent that is an MCP client of a served world. It serves one attempt.
pub struct Client {
    door: Mutex<Option<ClientTransport>>,
    introduction: Introduction,
    left: CancellationToken,
}

impl Client {
    /// Creates an agent that connects through `door`. Its part also ends when `left` is cancelled.
    pub fn new(door: ClientTransport, introduction: Introduction, left: CancellationToken) -> Self {
        Self {
            door: Mutex::new(Some(door)),
            introduction,
            left,
        }
    }
}

#[async_trait]
impl Agent for std::sync::Arc<Client> {
    fn name(&self) -> &'static str {
        "client"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let door = self
            .door
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let door = door.ok_or_else(|| {
            Halt::Host(
                "the connection of the client has already been used by another attempt".to_owned(),
            )
        })?;
        let mut relay = Relay::new(attempt, Some(self.introduction.clone()));
        let server = relay.server().clone();
        let left = self.left.clone();
        let over = CancellationToken::new();
        let _ends_serving = over.clone().drop_guard();
        match door {
            ClientTransport::Stream(stream) => {
                let served = server.serve(stream);
                tokio::spawn(async move {
                    let _ = served.join().await;
                    left.cancel();
                });
            }
            ClientTransport::Http {
                listener,
                path,
                idle,
            } => {
                let (_served, activity) =
                    serve_mcp(listener, &path, over.clone().cancelled_owned(), move |io| {
                        server.serve(io)
                    });
                tokio::spawn(async move {
                    tokio::select! {
                        () = activity.until_gone(idle) => left.cancel(),
                        () = over.cancelled() => {}
                    }
                });
            }
        }
        let time = attempt.over();
        tokio::pin!(time);
        loop {
            tokio::select! {
                biased;
                end = &mut time => return Err(Halt::End(end)),
                () = self.left.cancelled() => break,
                call = relay.next() => call.make(attempt, self.left.cancelled()).await?,
            }
        }
        attempt.conclude(String::new())?;
        Ok(End::new(EndKind::Completed))
    }
}
