//! Proxy from standard input and output to a server on streamable HTTP.

use std::collections::HashSet;

use mcpmark_http::Address;
use mcpmark_service::{MAX_MESSAGE_BYTES, ServiceError};
use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, Transport};
use tokio::io::{AsyncRead, AsyncWrite};

/// Passes messages between a client on a stream and the server at a URL, until the client closes its end and has the
/// responses that it waits for.
///
/// # Errors
///
/// Returns an error if the URL is invalid, the server cannot be reached, or the client does not read.
pub async fn proxy<R, W>(url: &str, read: R, write: W) -> Result<(), ServiceError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let failed = |error: &dyn std::fmt::Display| ServiceError::Stopped(error.to_string());
    let address = Address::parse(url).map_err(|error| failed(&error))?;
    let http = mcpmark_http::client(!address.is_local()).map_err(|error| failed(&error))?;
    let config =
        StreamableHttpClientTransportConfig::with_uri(url).max_sse_event_size(MAX_MESSAGE_BYTES);
    let server = StreamableHttpClientTransport::with_client(http, config);
    let mut server = IntoTransport::<rmcp::RoleClient, _, _>::into_transport(server);
    let client = AsyncRwTransport::<RoleServer, _, _>::new(read, write);
    let mut client = client.with_max_line_length(MAX_MESSAGE_BYTES);
    let mut waiting = HashSet::new();
    let (mut has_closed, mut has_sent) = (false, false);
    while !has_closed || !waiting.is_empty() {
        tokio::select! {
            message = client.receive(), if !has_closed => match message {
                Some(message) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        waiting.insert(request.id.clone());
                    }
                    server.send(message).await.map_err(|error| failed(&error))?;
                    has_sent = true;
                }
                None => has_closed = true,
            },
            message = server.receive() => {
                let Some(message) = message else {
                    return Err(ServiceError::Stopped("the server closed the connection".to_owned()));
                };
                match &message {
                    JsonRpcMessage::Response(response) => {
                        waiting.remove(&response.id);
                    }
                    JsonRpcMessage::Error(error) => {
                        if let Some(id) = &error.id {
                            waiting.remove(id);
                        }
                    }
                    _ => {}
                }
                client.send(message).await.map_err(|error| failed(&error))?;
            }
        }
    }
    if !has_sent {
        // There is no session, and `close` would wait for the message that starts one.
        return Ok(());
    }
    server.close().await.map_err(|error| failed(&error))
}
