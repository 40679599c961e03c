//! The client side: how agents call tools.

use std::pin::Pin;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
    ClientRequest, Implementation, JsonObject, PaginatedRequestParams, ProtocolVersion,
    ServerResult, Tool,
};
use rmcp::service::{ClientInitializeError, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;

use crate::paced::Paced;
use crate::{BoundedLines, BoxedStream, MAX_MESSAGE_BYTES, ServiceError, Session, ToolOutput};

/// Bytes that each direction of the in-process pipe buffers.
const PIPE_BYTES: usize = 64 * 1024;

/// The most tools of one server.
const MAX_TOOLS: usize = 2000;

/// How long the end of a connection is waited for.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// An MCP client that lists and calls tools.
pub struct ToolClient {
    connection: Connection,
    tools: Vec<Tool>,
    /// Servers of others by their names.
    beside: Vec<(String, Self)>,
}

/// Two servers offer a tool of the same name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it has {0:?}, as the world or another server does; name the tools that you want with \
     `tools = […]`"
)]
pub struct ToolClash(pub String);

impl ToolClient {
    /// Connects to a session within this process.
    pub async fn connect(session: &dyn Session) -> Result<Self, ServiceError> {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let served = session.serve(Box::new(far));
        match Self::over(Box::new(near)).await {
            Ok(client) => Ok(client),
            Err(error) => {
                served.abort();
                Err(error)
            }
        }
    }

    /// Connects to a server at the other end of a byte stream.
    pub async fn over(io: BoxedStream) -> Result<Self, ServiceError> {
        let (read, write) = tokio::io::split(io);
        let transport = AsyncRwTransport::new(BoundedLines::new(read), write)
            .with_max_line_length(MAX_MESSAGE_BYTES);
        Self::through(transport).await
    }

    /// Connects to a server through any transport of MCP.
    ///
    /// # Errors
    ///
    /// When there is no handshake in a version of the protocol that both know.
    pub async fn through<T, E, A>(transport: T) -> Result<Self, ServiceError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let identity = Implementation::new("mcpmark", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(ClientCapabilities::default(), identity);
        // Boxed, for the compiler cannot tell of the nested transports that they are `Send` for all lifetimes.
        let connecting: Connecting = Box::pin(config.serve(Paced::new(transport.into_transport())));
        let connection = connecting
            .await
            .map_err(|error| ServiceError::Handshake(error.to_string()))?;
        if let Some(info) = connection.peer_info()
            && !ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version)
        {
            let version = &info.protocol_version;
            return Err(ServiceError::Handshake(format!(
                "it speaks version {version:?} of the protocol, which is not known here",
                version = version.as_str()
            )));
        }
        let tools = list_tools(&connection).await?;
        Ok(Self {
            connection,
            tools,
            beside: Vec::new(),
        })
    }

    /// The tools of the server in its order, and then those of servers beside it.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// What the server says it is: its name and version.
    pub fn server(&self) -> Option<(String, String)> {
        let info = self.connection.peer_info()?.server_info.clone()?;
        Some((info.name, info.version))
    }

    /// Forgets the tools that are not kept.
    pub fn keep_tools(&mut self, keep: impl Fn(&str) -> bool) {
        self.tools.retain(|tool| keep(&tool.name));
    }

    /// Puts the tools of another server beside those of this one.
    ///
    /// # Errors
    ///
    /// When both have a tool of the same name.
    pub fn put_beside(&mut self, name: &str, other: Self) -> Result<(), ToolClash> {
        let has = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        if let Some(tool) = other.tools.iter().find(|tool| has(&tool.name)) {
            return Err(ToolClash(tool.name.to_string()));
        }
        self.tools.extend(other.tools.iter().cloned());
        self.beside.push((name.to_owned(), other));
        Ok(())
    }

    /// The server of others that offers a tool, by the name under which it was put beside.
    pub fn server_of(&self, tool: &str) -> Option<&str> {
        self.beside(tool).map(|(name, _)| name.as_str())
    }

    fn beside(&self, tool: &str) -> Option<&(String, Self)> {
        let offers = |client: &Self| client.tools.iter().any(|offered| offered.name == tool);
        self.beside.iter().find(|(_, client)| offers(client))
    }

    /// Calls a tool and waits for its result at most as long as `timeout`.
    ///
    /// After a timeout, and where the future is dropped, the server is told to cancel the call, and the client works
    /// on. The tool may have had its effect.
    pub async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let deadline = tokio::time::Instant::now() + timeout;
        let timed_out = || CallError::Timeout { after: timeout };

        let server = self.beside(name).map_or(self, |(_, client)| client);
        let sending = server
            .connection
            .send_request_with_option(request, PeerRequestOptions::no_options());
        let sent = tokio::time::timeout_at(deadline, sending)
            .await
            .map_err(|_| timed_out())??;
        let mut sent = Sent(Some(sent));
        let answer = tokio::time::timeout_at(deadline, sent.answer())
            .await
            .map_err(|_| timed_out())?;
        sent.0 = None;
        match answer {
            Some(response) => output(response?),
            None => Err(CallError::Closed),
        }
    }

    /// Closes the connections.
    pub async fn close(mut self) -> Result<(), ServiceError> {
        for (_, mut other) in self.beside.drain(..) {
            // What becomes of a server of others is no concern of the world's. One that no longer reads cannot hold
            // up the end of an attempt.
            let _ = other.connection.close_with_timeout(CLOSE_TIMEOUT).await;
        }
        self.connection
            .close_with_timeout(CLOSE_TIMEOUT)
            .await
            .map(drop)
            .map_err(|error| ServiceError::Stopped(error.to_string()))
    }
}

type Connection = RunningService<RoleClient, ClientConfig>;
type Connecting = Pin<Box<dyn Future<Output = Result<Connection, ClientInitializeError>> + Send>>;

/// The tools of a server, page by page.
async fn list_tools(connection: &Connection) -> Result<Vec<Tool>, ServiceError> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_TOOLS {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = connection
            .list_tools(Some(params))
            .await
            .map_err(|error| ServiceError::Handshake(error.to_string()))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if tools.len() > MAX_TOOLS {
            break;
        }
        if cursor.is_none() {
            return Ok(tools);
        }
    }
    Err(ServiceError::Handshake(format!(
        "it lists more than {MAX_TOOLS} tools, or as many pages of them"
    )))
}

/// A request that was sent. Dropping it before the answer is there tells the server to cancel it.
struct Sent(Option<RequestHandle<RoleClient>>);

impl Sent {
    /// The answer; none where the connection is closed.
    async fn answer(&mut self) -> Option<Result<ServerResult, rmcp::ServiceError>> {
        (&mut self.0.as_mut()?.rx).await.ok()
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(sent), Ok(runtime)) = (self.0.take(), runtime) {
            // In a task of its own: the notice waits for as long as the server does not read.
            runtime.spawn(sent.cancel(Some("nobody waits for the result".to_owned())));
        }
    }
}

fn output(response: ServerResult) -> Result<ToolOutput, CallError> {
    match response {
        ServerResult::CallToolResult(result) => Ok(result.into()),
        // A result with a content block that the protocol does not know.
        ServerResult::CustomResult(result) if result.0.get("content").is_some() => {
            serde_json::from_value(result.0).map_err(|error| unexpected(&error.to_string()))
        }
        _ => Err(unexpected("it is not the result of a tool call")),
    }
}

fn unexpected(reason: &str) -> CallError {
    CallError::Protocol {
        code: -32603,
        message: format!("unexpected result: {reason}"),
    }
}

impl From<CallToolResult> for ToolOutput {
    fn from(result: CallToolResult) -> Self {
        let block = |block| serde_json::to_value(block).unwrap_or(Value::Null).into();
        Self {
            content: result.content.into_iter().map(block).collect(),
            structured: result.structured_content,
            is_error: result.is_error.unwrap_or(false),
        }
    }
}

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The result did not come in time.
    #[error("no result after {} s", after.as_secs_f64())]
    Timeout {
        /// How long the client waited.
        after: Duration,
    },
    /// The server answered with a JSON-RPC error.
    #[error("mcp error {code}: {message}")]
    Protocol {
        /// The JSON-RPC error code.
        code: i32,
        /// The server's message.
        message: String,
    },
    /// The connection is closed.
    #[error("the connection to the mcp server is closed")]
    Closed,
    /// The call did not reach the server, or its answer not us.
    #[error("the call was lost on its way: {0}")]
    Lost(String),
}

impl From<rmcp::ServiceError> for CallError {
    fn from(error: rmcp::ServiceError) -> Self {
        match error {
            rmcp::ServiceError::McpError(data) => Self::Protocol {
                code: data.code.0,
                message: data.message.into_owned(),
            },
            rmcp::ServiceError::TransportSend(lost) => Self::Lost(lost.error.to_string()),
            rmcp::ServiceError::TransportClosed => Self::Closed,
            other => unexpected(&other.to_string()),
        }
    }
}
