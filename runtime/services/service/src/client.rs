//! MCP client that lists and calls tools of a session or of an external server.

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

/// Buffer size of each direction of the in-process pipe, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

/// Maximum number of tools of one server.
const MAX_TOOLS: usize = 2000;

/// Timeout for closing a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// MCP client of one server, to which tools of external servers can be added.
pub struct ToolClient {
    connection: Connection,
    tools: Vec<Tool>,
    /// Clients of external servers, by name.
    beside: Vec<(String, Self)>,
}

/// Error of adding a server that has a tool of the same name as another server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "tool {0:?} already exists in the world or in another server; select the tools of this server \
     with `tools = […]`"
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

    /// Connects to a server over a byte stream.
    pub async fn over(io: BoxedStream) -> Result<Self, ServiceError> {
        let (read, write) = tokio::io::split(io);
        let transport = AsyncRwTransport::new(BoundedLines::new(read), write)
            .with_max_line_length(MAX_MESSAGE_BYTES);
        Self::through(transport).await
    }

    /// Connects to a server over any MCP transport.
    ///
    /// # Errors
    ///
    /// Returns an error if the handshake fails, if the server speaks an unknown protocol version, or if its tools
    /// cannot be listed.
    pub async fn through<T, E, A>(transport: T) -> Result<Self, ServiceError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let identity = Implementation::new("mcpmark", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(ClientCapabilities::default(), identity);
        // Boxed, because the compiler cannot prove that the future of the nested transports is `Send` for all
        // lifetimes.
        let connecting: Connecting = Box::pin(config.serve(Paced::new(transport.into_transport())));
        let connection = connecting
            .await
            .map_err(|error| ServiceError::Handshake(error.to_string()))?;
        if let Some(info) = connection.peer_info()
            && !ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version)
        {
            let version = &info.protocol_version;
            return Err(ServiceError::Handshake(format!(
                "unsupported protocol version {version:?}",
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

    /// Returns the tools of the server in its order, followed by those of added servers.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the name and the version that the server declares in the handshake.
    pub fn server(&self) -> Option<(String, String)> {
        let info = self.connection.peer_info()?.server_info.clone()?;
        Some((info.name, info.version))
    }

    /// Removes all tools for which `keep` returns false.
    pub fn keep_tools(&mut self, keep: impl Fn(&str) -> bool) {
        self.tools.retain(|tool| keep(&tool.name));
    }

    /// Adds the tools of another server.
    ///
    /// # Errors
    ///
    /// Returns an error if both servers have a tool of the same name.
    pub fn add_server(&mut self, name: &str, other: Self) -> Result<(), ToolClash> {
        let has = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        if let Some(tool) = other.tools.iter().find(|tool| has(&tool.name)) {
            return Err(ToolClash(tool.name.to_string()));
        }
        self.tools.extend(other.tools.iter().cloned());
        self.beside.push((name.to_owned(), other));
        Ok(())
    }

    /// Returns the name of the added server that offers a tool. Returns `None` for tools of the world.
    pub fn server_of(&self, tool: &str) -> Option<&str> {
        self.beside(tool).map(|(name, _)| name.as_str())
    }

    fn beside(&self, tool: &str) -> Option<&(String, Self)> {
        let offers = |client: &Self| client.tools.iter().any(|offered| offered.name == tool);
        self.beside.iter().find(|(_, client)| offers(client))
    }

    /// Calls a tool and waits for its result, for at most `timeout`.
    ///
    /// After a timeout, or if the future is dropped, the client sends a cancellation to the server and remains usable.
    /// The tool may have had its effect.
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
            // A failure of an external server does not concern the world. The timeout ensures that a server that does
            // not read cannot delay the end of an attempt.
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

/// Lists the tools of a server, page by page.
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
        "the list of tools exceeds the limit of {MAX_TOOLS} tools or pages"
    )))
}

/// Request that was sent. Dropping it before the response has arrived cancels the request on the server.
struct Sent(Option<RequestHandle<RoleClient>>);

impl Sent {
    /// Waits for the response. Returns `None` if the connection is closed.
    async fn answer(&mut self) -> Option<Result<ServerResult, rmcp::ServiceError>> {
        (&mut self.0.as_mut()?.rx).await.ok()
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(sent), Ok(runtime)) = (self.0.take(), runtime) {
            // In a separate task, because sending waits for as long as the server does not read.
            runtime
                .spawn(sent.cancel(Some("the client no longer waits for the result".to_owned())));
        }
    }
}

fn output(response: ServerResult) -> Result<ToolOutput, CallError> {
    match response {
        ServerResult::CallToolResult(result) => Ok(result.into()),
        // Result with a content block that is unknown to the protocol library.
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

/// Error of a tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Timeout of the call.
    #[error("no result after {} s", after.as_secs_f64())]
    Timeout {
        /// Time that the client waited.
        after: Duration,
    },
    /// JSON-RPC error of the server.
    #[error("mcp error {code}: {message}")]
    Protocol {
        /// JSON-RPC error code.
        code: i32,
        /// Message of the server.
        message: String,
    },
    /// Closed connection.
    #[error("the connection to the mcp server is closed")]
    Closed,
    /// The request could not be sent.
    #[error("cannot send the call to the mcp server: {0}")]
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
