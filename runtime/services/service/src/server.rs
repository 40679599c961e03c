//! MCP server for services that offer only tools.

use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    Prompt, PromptMessage, PromptsCapability, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Mutex;

use crate::calls::{Calls, STOP_GRACE};
use crate::flow::Admitted;
use crate::lines::Lines;
use crate::order::{InOrder, Turn};
use crate::{BoxedStream, MAX_REQUEST_BYTES, ServeHandle, ServiceError, SessionLimits};

/// Identity and tools of a server, in the order of `tools/list`.
#[derive(Debug, Clone)]
pub struct ToolSurface {
    /// Name in the handshake.
    pub name: String,
    /// Version in the handshake.
    pub version: String,
    /// Tools.
    pub tools: Vec<Tool>,
    /// Flag of the handshake that the list of tools may change. It never does.
    pub list_changed: bool,
}

impl ToolSurface {
    /// Returns the names of the tools.
    pub fn names(&self) -> Vec<String> {
        self.tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    }

    /// Parses the tools from JSON, an array as in the result of `tools/list`.
    pub fn parse(name: &str, version: &str, tools: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            name: name.to_owned(),
            version: version.to_owned(),
            tools: serde_json::from_str(tools)?,
            list_changed: false,
        })
    }

    /// Returns the same surface with the flag that the list of tools may change.
    #[must_use]
    pub fn with_list_changed(mut self) -> Self {
        self.list_changed = true;
        self
    }
}

/// Instruction for the client, which a server sends as its instructions and as a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// Name of the prompt.
    pub name: String,
    /// Description of the prompt, in one line.
    pub title: String,
    /// Instruction.
    pub instruction: String,
}

/// Implementation of the tools of a server.
pub trait ToolHandler: Send + 'static {
    /// Calls a tool. `tool` may be unknown to the surface. Runs on a thread that may block.
    ///
    /// Results for the model, including failures, are returned as `Ok`. An error is for calls that the emulated server
    /// answers with a JSON-RPC error.
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData>;

    /// Returns the bytes of the world in memory, as far as they result from its starting state and from calls. They
    /// count towards the memory budget of the process.
    fn memory(&self) -> u64 {
        0
    }
}

/// MCP server that serves a [`ToolSurface`] with a [`ToolHandler`], one call at a time in the order of arrival.
///
/// Clones share the handler.
pub struct ToolServer<H> {
    surface: Arc<ToolSurface>,
    introduction: Arc<OnceLock<Introduction>>,
    handler: Arc<Mutex<Option<H>>>,
    calls: Calls,
    max_result_bytes: u64,
    call_memory: u64,
}

impl<H> Clone for ToolServer<H> {
    fn clone(&self) -> Self {
        Self {
            surface: Arc::clone(&self.surface),
            introduction: Arc::clone(&self.introduction),
            handler: Arc::clone(&self.handler),
            calls: self.calls.clone(),
            max_result_bytes: self.max_result_bytes,
            call_memory: self.call_memory,
        }
    }
}

impl<H: ToolHandler> ToolServer<H> {
    /// Creates a server for one session.
    pub fn new(surface: ToolSurface, handler: H, limits: &SessionLimits) -> Self {
        let calls = Calls::default();
        calls.set_world(handler.memory());
        Self {
            surface: Arc::new(surface),
            introduction: Arc::default(),
            handler: Arc::new(Mutex::new(Some(handler))),
            calls,
            max_result_bytes: limits.max_result_bytes,
            call_memory: limits.call_memory(),
        }
    }

    /// Serves MCP on a byte stream until the peer closes it.
    ///
    /// # Panics
    /// Panics if called outside a Tokio runtime.
    pub fn serve(&self, io: BoxedStream) -> ServeHandle {
        let server = self.clone();
        ServeHandle::new(tokio::spawn(async move {
            let lines = Lines::new(io, MAX_REQUEST_BYTES);
            let transport = InOrder::new(lines, Arc::clone(&server.handler));
            match server.serve(transport).await {
                Ok(running) => match running.waiting().await {
                    Ok(_) => Ok(()),
                    Err(error) => Err(ServiceError::Stopped(error.to_string())),
                },
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(ServiceError::Handshake(error.to_string())),
            }
        }))
    }

    /// Sets the introduction for clients that connect later. A second introduction is ignored.
    pub fn introduce(&self, introduction: Introduction) {
        let _ = self.introduction.set(introduction);
    }

    /// Returns the calls of this session, so that they can be ended.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Runs a request that does not come over MCP, as a call in the order of arrival. `name` is the name of the call in
    /// [`StuckCall`](crate::StuckCall). The call is cancelled when the future is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the session has ended, or if the handler panicked.
    pub async fn request<T, F>(&self, name: &str, work: F) -> Result<T, ServiceError>
    where
        T: Send + 'static,
        F: FnOnce(&mut H) -> T + Send + 'static,
    {
        let mut handler = Arc::clone(&self.handler).lock_owned().await;
        let call = self.calls.begin(name, self.call_memory);
        let call = call.ok_or(ServiceError::Closed)?;
        let _cancel = call.meter().cancel_on_drop();
        tokio::task::spawn_blocking(move || {
            let answer = handler.as_mut().map(|handler| call.run(|| work(handler)));
            call.set_world(handler.as_ref().map_or(0, H::memory));
            // In this order: after the end of all calls, [`Self::close`] locks the handler.
            drop(handler);
            drop(call);
            answer
        })
        .await
        .map_err(|error| ServiceError::Stopped(error.to_string()))?
        .ok_or(ServiceError::Closed)
    }

    /// Runs `work` with the handler between two calls, on a thread that may block.
    pub async fn with<T, F>(&self, work: F) -> Result<T, ServiceError>
    where
        T: Send + 'static,
        F: FnOnce(&mut H) -> T + Send + 'static,
    {
        let mut handler = Arc::clone(&self.handler).lock_owned().await;
        tokio::task::spawn_blocking(move || handler.as_mut().map(work))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))?
            .ok_or(ServiceError::Closed)
    }

    /// Ends the calls and takes the handler. Later calls get the error that the session is closed.
    ///
    /// # Errors
    ///
    /// Returns an error if a call does not stop, or if the session is already closed.
    pub async fn close(&self) -> Result<H, ServiceError> {
        self.calls.end(STOP_GRACE).await?;
        self.handler.lock().await.take().ok_or(ServiceError::Closed)
    }

    fn within_limit(&self, result: CallToolResult) -> CallToolResult {
        let size: u64 = result.content.iter().map(content_size).sum();
        if size <= self.max_result_bytes {
            return result;
        }
        let limit = self.max_result_bytes;
        CallToolResult::error(vec![ContentBlock::text(format!(
            "result of {size} bytes exceeds the limit of {limit} bytes for one tool result"
        ))])
    }
}

fn no_method() -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None)
}

fn content_size(block: &ContentBlock) -> u64 {
    let bytes = match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Audio(audio) => audio.data.len(),
        other => serde_json::to_string(other).map_or(0, |json| json.len()),
    };
    bytes as u64
}

impl<H: ToolHandler> ServerHandler for ToolServer<H> {
    fn get_info(&self) -> ServerConfig {
        let identity = Implementation::new(&self.surface.name, &self.surface.version);
        let tools = ServerCapabilities::builder().enable_tools();
        let mut capabilities = if self.surface.list_changed {
            tools.enable_tool_list_changed().build()
        } else {
            tools.build()
        };
        let Some(introduction) = self.introduction.get() else {
            return ServerConfig::new(capabilities).with_server_info(identity);
        };
        capabilities.prompts = Some(PromptsCapability::default());
        ServerConfig::new(capabilities)
            .with_server_info(identity)
            .with_instructions(&introduction.instruction)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.surface.tools.clone()))
    }

    // Features that the handshake does not offer are refused instead of answered with empty lists.

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_method())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let introduction = self.introduction.get().ok_or_else(no_method)?;
        let prompt = Prompt::new(&introduction.name, Some(&introduction.title), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let introduction = self.introduction.get().ok_or_else(no_method)?;
        if request.name != introduction.name {
            let message = format!(
                "unknown prompt {:?}; expected {:?}",
                request.name, introduction.name
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = PromptMessage::new_text(Role::User, &introduction.instruction);
        Ok(GetPromptResult::new(vec![message])
            .with_description(&introduction.title)
            .into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_method())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_method())
    }

    /// Answers requests that are unknown to MCP, and requests whose parameters are malformed.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" | "tools/list" => Err(ErrorData::invalid_params(
                format!("the parameters of {} are malformed", request.method),
                None,
            )),
            _ => Err(no_method()),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let admitted = context.extensions.remove::<Admitted>();
        let mut handler = Turn::come(&mut context.extensions, &self.handler).await;
        if let Some(admitted) = &admitted {
            tokio::select! {
                answer = admitted.begin_answer() => {
                    let handed_over = context.ct.clone();
                    // The library cancels the token when it passes the response to the transport, or drops it.
                    tokio::spawn(async move {
                        handed_over.cancelled().await;
                        drop(answer);
                    });
                }
                () = context.ct.cancelled() => {}
                () = self.calls.until_ended() => {}
            }
        }
        // A call that was cancelled while it waited for its turn must have no effect.
        if context.ct.is_cancelled() {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        }
        let Some(call) = self.calls.begin(&request.name, self.call_memory) else {
            return Err(ErrorData::internal_error("the session is closed", None));
        };
        let meter = call.meter().clone();
        // The task of this request may be dropped. Then the thread that runs the tool must stop as well.
        let _cancel = meter.cancel_on_drop();
        let mut running = tokio::task::spawn_blocking(move || {
            let arguments = request.arguments.unwrap_or_default();
            let result = handler
                .as_mut()
                .map(|handler| call.run(|| handler.call(&request.name, arguments)));
            call.set_world(handler.as_ref().map_or(0, H::memory));
            // In this order: after the end of all calls, [`Self::close`] locks the handler.
            drop(handler);
            drop(call);
            result
        });
        let outcome = tokio::select! {
            outcome = &mut running => outcome,
            () = context.ct.cancelled() => {
                meter.cancel();
                running.await
            }
        };
        match outcome {
            // The client did not cancel the call, so it gets the reason.
            Ok(Some(Err(error))) if meter.is_cancelled() => match self.calls.stopped() {
                Some(reason) => Ok(CallToolResult::error(vec![ContentBlock::text(reason)]).into()),
                None => Err(error),
            },
            Ok(Some(result)) => Ok(self.within_limit(result?).into()),
            Ok(None) => Err(ErrorData::internal_error("the session is closed", None)),
            Err(error) => Err(ErrorData::internal_error(
                format!("the tool stopped: {error}"),
                None,
            )),
        }
    }
}
