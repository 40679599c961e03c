//! A client's transport that reads no faster than the server takes answers.
//!
//! A server may ask its client as well, with pings for example, and the protocol library answers at once. One that asks
//! and does not read would fill the memory with answers.

use std::future::Future;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;

/// Messages that wait to be sent, beyond which nothing is received.
const MOST_UNSENT: usize = 64;

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

/// A message that is not sent, until this is dropped.
struct Unsent(Arc<watch::Sender<usize>>);

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.send_modify(|unsent| *unsent -= 1);
    }
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
        // It cannot be closed: this has a sender of it.
        let mut unsent = self.unsent.subscribe();
        let _ = unsent.wait_for(|unsent| *unsent < MOST_UNSENT).await;
        self.inner.receive().await
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
