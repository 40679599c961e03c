//! MCP client that lists and calls tools of a session or of an external server.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
    ClientRequest, Implementation, JsonObject, PaginatedRequestParams, PingRequest,
    ProtocolVersion, ServerResult, Tool,
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

/// Maximum size of the tools of one server, in bytes of JSON.
const MAX_TOOLS_BYTES: usize = 16 * 1024 * 1024;

/// Timeout for closing a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout of the ping that shows whether a server still responds after a failed call.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limit of the recovery of a lost server: the ping, and all tries to start it again.
const RECOVERY: Duration = Duration::from_secs(30);

/// Pauses before each try to start a lost server again.
const RESTART_PAUSES: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// Function that starts an added server again, or connects to it again.
pub type Restart = Box<dyn Fn() -> Restarting + Send + Sync>;

/// Start of a server.
pub type Restarting = Pin<Box<dyn Future<Output = Result<ToolClient, String>> + Send>>;

/// MCP client of one server, to which tools of external servers can be added.
pub struct ToolClient {
    connection: Connection,
    tools: Vec<Tool>,
    added: Vec<AddedServer>,
    /// Keeps the server running. Declared last, so that the connection is dropped first.
    guard: Mutex<Option<Box<dyn Send>>>,
}

/// External server whose tools are added to those of the world.
struct AddedServer {
    name: String,
    tools: BTreeSet<String>,
    client: RwLock<Arc<ToolClient>>,
    /// Held during a restart, so that parallel calls restart the server once.
    restarting: tokio::sync::Mutex<()>,
    restart: Restart,
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
            added: Vec::new(),
            guard: Mutex::default(),
        })
    }

    /// Keeps `guard` until the client is dropped.
    #[must_use]
    pub fn with_guard(self, guard: impl Send + 'static) -> Self {
        let guard: Box<dyn Send> = Box::new(guard);
        Self {
            guard: Mutex::new(Some(guard)),
            ..self
        }
    }

    /// Drops the guard, so that the server ends.
    fn end_server(&self) {
        let guard = self
            .guard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(guard);
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

    /// Adds the tools of another server. `restart` is used if the server is lost during a call.
    ///
    /// # Errors
    ///
    /// Returns an error if both servers have a tool of the same name.
    pub fn add_server(
        &mut self,
        name: &str,
        other: Self,
        restart: Restart,
    ) -> Result<(), ToolClash> {
        let has = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        if let Some(tool) = other.tools.iter().find(|tool| has(&tool.name)) {
            return Err(ToolClash(tool.name.to_string()));
        }
        self.tools.extend(other.tools.iter().cloned());
        self.added.push(AddedServer {
            name: name.to_owned(),
            tools: other
                .tools
                .iter()
                .map(|tool| tool.name.to_string())
                .collect(),
            client: RwLock::new(Arc::new(other)),
            restarting: tokio::sync::Mutex::new(()),
            restart,
        });
        Ok(())
    }

    /// Returns the name of the added server that offers a tool. Returns `None` for tools of the world.
    pub fn server_of(&self, tool: &str) -> Option<&str> {
        self.added_server(tool).map(|server| server.name.as_str())
    }

    fn added_server(&self, tool: &str) -> Option<&AddedServer> {
        self.added.iter().find(|server| server.tools.contains(tool))
    }

    /// Calls a tool and waits for its result, for at most `timeout`.
    ///
    /// After a timeout, or if the future is dropped, the client sends a cancellation to the server and remains usable.
    /// The tool may have had its effect.
    ///
    /// An added server that is lost during a call is started again, because the arguments of the call may have caused
    /// the loss. The call fails then with [`CallError::Protocol`], or with [`CallError::Gone`] if the server cannot be
    /// started within 30 seconds. This time is not part of `timeout`: a server that is gone must not look like a slow
    /// one.
    pub async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match self.added_server(name) {
            Some(server) => server.call(request, timeout).await,
            None => self.request(request, timeout).await,
        }
    }

    /// Sends the request of a tool call and waits for its result, for at most `timeout`. A cancellation is sent if the
    /// future is dropped.
    async fn request(
        &self,
        request: ClientRequest,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let responding = async {
            let options = PeerRequestOptions::no_options();
            let sent = self.connection.send_request_with_option(request, options);
            let mut sent = Sent(Some(sent.await?));
            let answer = sent.answer().await;
            sent.0 = None;
            match answer {
                Some(response) => output(response?),
                None => Err(CallError::Closed),
            }
        };
        tokio::time::timeout(timeout, responding)
            .await
            .unwrap_or(Err(CallError::Timeout { after: timeout }))
    }

    /// Reports whether the server responds to a ping, with a result or an error.
    async fn responds(&self) -> bool {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let response = tokio::time::timeout(PING_TIMEOUT, self.connection.send_request(ping)).await;
        matches!(response, Ok(Ok(_) | Err(rmcp::ServiceError::McpError(_))))
    }

    /// Closes the connections.
    pub async fn close(mut self) -> Result<(), ServiceError> {
        for server in self.added.drain(..) {
            let client = server.client.into_inner();
            // A failure of an external server does not concern the world. The timeout ensures that a server that does
            // not read cannot delay the end of an attempt.
            if let Some(mut client) =
                Arc::into_inner(client.unwrap_or_else(PoisonError::into_inner))
            {
                let _ = client.connection.close_with_timeout(CLOSE_TIMEOUT).await;
            }
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

impl AddedServer {
    fn client(&self) -> Arc<ToolClient> {
        let client = self.client.read();
        Arc::clone(&client.unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends the request of a tool call. If the server is lost, starts it again and fails this call alone.
    async fn call(
        &self,
        request: ClientRequest,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let client = self.client();
        let lost = match client.request(request, timeout).await {
            Err(error @ (CallError::Closed | CallError::Lost(_))) => error,
            called => return called,
        };
        let recovered = tokio::time::timeout(RECOVERY, self.recover(&client)).await;
        let recovered = recovered.unwrap_or_else(|_| {
            let seconds = RECOVERY.as_secs();
            Err(format!("it did not respond within {seconds} s"))
        });
        Err(match recovered {
            Ok(recovered) => {
                let (name, consequence) = (&self.name, recovered.describe());
                CallError::Protocol {
                    code: INTERNAL_ERROR,
                    message: format!("the call to server {name} failed: {lost}; {consequence}"),
                }
            }
            Err(reason) => CallError::Gone {
                server: self.name.clone(),
                lost: lost.to_string(),
                reason,
            },
        })
    }

    /// Checks whether the server still responds after a failed call, and starts it again if it does not. Fails with the
    /// reason why it cannot be started.
    async fn recover(&self, lost: &Arc<ToolClient>) -> Result<Recovered, String> {
        let _restarting = self.restarting.lock().await;
        if !Arc::ptr_eq(&self.client(), lost) {
            return Ok(Recovered::Restarted);
        }
        if lost.responds().await {
            return Ok(Recovered::Responds);
        }
        // Two servers could not have the same port or lock at once.
        lost.end_server();
        let mut reason = String::new();
        for pause in RESTART_PAUSES {
            tokio::time::sleep(pause).await;
            match (self.restart)().await {
                Ok(client) => {
                    let mut current = self.client.write().unwrap_or_else(PoisonError::into_inner);
                    *current = Arc::new(client);
                    return Ok(Recovered::Restarted);
                }
                Err(error) => reason = error,
            }
        }
        Err(reason)
    }
}

/// State of an added server after a failed call.
#[derive(Debug, Clone, Copy)]
enum Recovered {
    Responds,
    Restarted,
}

impl Recovered {
    fn describe(self) -> &'static str {
        match self {
            Self::Responds => "the server still responds",
            Self::Restarted => "the server was started again",
        }
    }
}

/// Lists the tools of a server, page by page.
async fn list_tools(connection: &Connection) -> Result<Vec<Tool>, ServiceError> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut bytes = 0;
    let mut cursor = None;
    for _ in 0..MAX_TOOLS {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = connection
            .list_tools(Some(params))
            .await
            .map_err(|error| ServiceError::Handshake(error.to_string()))?;
        bytes += serde_json::to_vec(&page.tools).map_or(0, |json| json.len());
        if bytes > MAX_TOOLS_BYTES {
            return Err(ServiceError::Handshake(format!(
                "the list of tools has more than {MAX_TOOLS_BYTES} bytes"
            )));
        }
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

/// JSON-RPC code of an internal error.
const INTERNAL_ERROR: i32 = -32603;

fn unexpected(reason: &str) -> CallError {
    CallError::Protocol {
        code: INTERNAL_ERROR,
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
    /// An added server was lost and cannot be started again.
    #[error("{lost}; server {server} cannot be started again: {reason}")]
    Gone {
        /// Name of the server.
        server: String,
        /// Error of the call.
        lost: String,
        /// Error of the start.
        reason: String,
    },
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
