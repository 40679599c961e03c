//! Transport that redacts secrets in received messages.

use mcpmark_http::Secrets;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;

/// A transport, and the secrets that the server knows.
pub(crate) struct Scrubbed<T> {
    pub(crate) inner: T,
    pub(crate) secrets: Secrets,
}

/// Redacts secrets in a message.
///
/// # Errors
///
/// Returns an error if the redacted message is not a valid message.
fn message(
    secrets: &Secrets,
    message: ServerJsonRpcMessage,
) -> Result<ServerJsonRpcMessage, serde_json::Error> {
    if secrets.is_empty() {
        return Ok(message);
    }
    let mut value = serde_json::to_value(&message)?;
    if secrets.scrub_value(&mut value) {
        serde_json::from_value(value)
    } else {
        Ok(message)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Scrubbed<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            // A message that is invalid without the secret is ignored: an agent could make the server send one.
            if let Ok(message) = message(&self.secrets, self.inner.receive().await?) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
