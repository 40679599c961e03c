//! Client transport with backpressure: it stops reading while too many messages are unsent.
//!
//! A server may also send requests to its client, such as pings, which the protocol library answers immediately. A
//! server that sends requests without reading would exhaust the memory with responses.

use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId, ServerRequest};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;

use crate::flow::LONGEST_ID;

/// Number of unsent messages at which no further message is received.
const MAX_UNSENT: usize = 64;

/// Maximum length of the method of a request, in bytes. The response to an unknown method repeats it.
const LONGEST_METHOD: usize = 1024;

pub(crate) struct Paced<T> {
    inner: T,
    unsent: Arc<watch::Sender<usize>>,
}

impl<T> Paced<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner,
            unsent: Arc::new(watch::Sender::new(0)),
        }
    }
}

/// Counter of an unsent message. Dropping it marks the message as sent.
struct Unsent(Arc<watch::Sender<usize>>);

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.send_modify(|unsent| *unsent -= 1);
    }
}

/// Reports whether a message is a request whose response would repeat a long text of it. Such requests are ignored.
fn has_long_response(message: &RxJsonRpcMessage<RoleClient>) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    let has_long_id = matches!(&request.id, RequestId::String(id) if id.len() > LONGEST_ID);
    let has_long_method = matches!(
        &request.request,
        ServerRequest::CustomRequest(custom) if custom.method.len() > LONGEST_METHOD
    );
    has_long_id || has_long_method
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Paced<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.unsent.send_modify(|unsent| *unsent += 1);
        let unsent = Unsent(Arc::clone(&self.unsent));
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            drop(unsent);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        // The channel is never closed, because `self` has a sender.
        let mut unsent = self.unsent.subscribe();
        let _ = unsent.wait_for(|unsent| *unsent < MAX_UNSENT).await;
        loop {
            let message = self.inner.receive().await?;
            if !has_long_response(&message) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
