//! The server side of a service that has tools and nothing else.

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

/// What a server says of itself: its identity and its tools, in the order in which it lists them.
#[derive(Debug, Clone)]
pub struct ToolSurface {
    /// The name that the handshake gives.
    pub name: String,
    /// The version that the handshake gives.
    pub version: String,
    /// The tools.
    pub tools: Vec<Tool>,
    /// Whether the handshake says that the tools may change; they never do.
    pub list_changed: bool,
}

impl ToolSurface {
    /// The names of the tools.
    pub fn names(&self) -> Vec<String> {
        self.tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    }

    /// A surface from its tools as JSON: the array that `tools/list` answers.
    pub fn parse(name: &str, version: &str, tools: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            name: name.to_owned(),
            version: version.to_owned(),
            tools: serde_json::from_str(tools)?,
            list_changed: false,
        })
    }

    /// The same surface, whose handshake says that the tools may change.
    #[must_use]
    pub fn with_list_changed(mut self) -> Self {
        self.list_changed = true;
        self
    }
}

/// What a person wants of the client of a server, told as the server's instructions and as a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The name of the prompt.
    pub name: String,
    /// What the prompt is for, in a line.
    pub title: String,
    /// What the client is to do.
    pub instruction: String,
}

/// What the tools of a server do.
pub trait ToolHandler: Send + 'static {
    /// Calls one tool; `tool` need not be one of the surface. Runs on a thread that may block.
    ///
    /// What the model should read, failures included, is a result; an error is for calls that the
    /// emulated server answers with a JSON-RPC error.
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData>;

    /// The bytes of the world that are held in memory, as far as they follow from what it was given and from what
    /// calls wrote. They count for the memory that the process may use.
    fn memory(&self) -> u64 {
        0
    }
}

/// Serves a [`ToolSurface`] by a [`ToolHandler`], one call at a time in the order of arrival.
///
/// Clones serve the same handler.
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
    /// A server for one session.
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
    /// Outside a Tokio runtime.
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

    /// Adds an introduction for clients that connect from now on. The first introduction stays.
    pub fn introduce(&self, introduction: Introduction) {
        let _ = self.introduction.set(introduction);
    }

    /// The calls of this session, to end them.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Answers a request that comes by another way than MCP, as a call in the order of arrival. `name` is what it is
    /// called where it does not stop. It is cancelled when the future is dropped.
    ///
    /// # Errors
    ///
    /// When the session has ended, or the handler broke.
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
            // In this order: who waits for the end of all calls wants the handler next.
            drop(handler);
            drop(call);
            answer
        })
        .await
        .map_err(|error| ServiceError::Stopped(error.to_string()))?
        .ok_or(ServiceError::Closed)
    }

    /// Works on the handler between two calls, on a thread that may block.
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

    /// Ends the calls and takes the handler out; later calls are answered that the session is closed.
    ///
    /// # Errors
    ///
    /// When a call does not stop, or the session is closed already.
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

    // What the handshake does not offer is refused, rather than answered with empty lists.

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
                "there is no prompt named {:?}; there is {:?}",
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

    /// Requests that are none of MCP, and those whose parameters cannot be read.
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
                    // The library cancels it when it hands the answer over to be written, or drops it.
                    tokio::spawn(async move {
                        handed_over.cancelled().await;
                        drop(answer);
                    });
                }
                () = context.ct.cancelled() => {}
                () = self.calls.until_ended() => {}
            }
        }
        // A call that was given up while it waited for its turn must have no effect.
        if context.ct.is_cancelled() {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        }
        let Some(call) = self.calls.begin(&request.name, self.call_memory) else {
            return Err(ErrorData::internal_error("the session is closed", None));
        };
        let meter = call.meter().clone();
        // The task of this request may be dropped; the thread that runs the tool must not go on for nobody.
        let _cancel = meter.cancel_on_drop();
        let mut running = tokio::task::spawn_blocking(move || {
            let arguments = request.arguments.unwrap_or_default();
            let result = handler
                .as_mut()
                .map(|handler| call.run(|| handler.call(&request.name, arguments)));
            call.set_world(handler.as_ref().map_or(0, H::memory));
            // In this order: who waits for the end of all calls wants the handler next.
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
            // Nobody asked for its end, so whoever called is told why.
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
