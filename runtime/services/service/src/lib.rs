//! Common parts of all services: the [`Service`] and [`Session`] traits, and MCP client and server.
//!
//! A [`Service`] opens a [`Session`] over a private copy of a [`WorldState`]. The session serves MCP on any byte
//! stream, and captures the final state as a tree. [`ToolServer`] is an MCP server for services that offer only tools.
//! [`ToolClient`] is the client with which an agent calls tools.
//!
//! ```
//! use mcpmark_service::{SessionLimits, ToolHandler, ToolOutput, ToolServer, ToolSurface};
//! use rmcp::ErrorData;
//! use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
//!
//! struct Echo;
//!
//! impl ToolHandler for Echo {
//!     fn call(&mut self, _tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
//!         let text = serde_json::Value::Object(arguments).to_string();
//!         Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
//!     }
//! }
//!
//! let surface = ToolSurface::parse(
//!     "echo",
//!     "1.0.0",
//!     r#"[{"name":"echo","inputSchema":{"type":"object"}}]"#,
//! )?;
//! let server = ToolServer::new(surface, Echo, &SessionLimits::default());
//! # let _ = server;
//! # let _ = ToolOutput::default();
//! # Ok::<(), serde_json::Error>(())
//! ```

mod calls;
mod client;
mod error_chain;
mod exchange;
mod flow;
mod http;
mod lines;
mod memory;
mod meter;
mod order;
mod outline;
mod output;
mod paced;
mod server;
mod session;
mod streamable;
mod surrogates;
mod values;
mod world;
mod write_timeout;

pub use calls::{Calls, STOP_GRACE, StuckCall};
pub use client::{CallError, Restart, Restarting, ToolClash, ToolClient};
pub use error_chain::error_chain;
pub use http::{HttpRequest, HttpResponse, MAX_BODY_BYTES, serve_http};
pub use lines::{bounded_message, response_id};
pub use memory::{MemoryBudget, machine_memory};
pub use meter::{
    CallMeter, CancelOnDrop, DEFAULT_CALL_MEMORY, Interrupted, Reservation, cancel_flag, cancelled,
    checkpoint, reserve,
};
pub use output::{Content, ToolOutput};
pub use rmcp::model::{JsonObject, Tool};
pub use server::{Introduction, ToolHandler, ToolServer, ToolSurface};
pub use session::{BoxedStream, ByteStream, ServeHandle, Service, ServiceError, Session};
pub use streamable::{Activity, random_path, serve_mcp};
pub use values::{BoundedLines, MAX_JSON_VALUES, json_values};
pub use world::{SessionLimits, WorldState};

/// Maximum size of an MCP message from a client, in bytes.
pub const MAX_REQUEST_BYTES: usize = 256 * 1024 * 1024;

/// Maximum size of an MCP message from a server, in bytes. The limit applies to the message with escaped results.
pub const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;
