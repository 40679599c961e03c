//! Transport that preserves the order of tool calls: each call queues for the handler when its message is read.
//!
//! The protocol library spawns a task for each request, and tasks start in any order. So a call takes its place in the
//! queue earlier, where messages are read one by one. All other messages, such as cancellations, pass immediately.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex as Shared, PoisonError};
use std::task::{Context, Poll, Waker};

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, Extensions, GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Transport whose calls queue for `handler` as soon as they are read.
pub(crate) struct InOrder<T, H> {
    inner: T,
    handler: Arc<Mutex<Option<H>>>,
}

impl<T, H> InOrder<T, H> {
    pub(crate) fn new(inner: T, handler: Arc<Mutex<Option<H>>>) -> Self {
        Self { inner, handler }
    }
}

impl<T: Transport<RoleServer>, H: Send + 'static> Transport<RoleServer> for InOrder<T, H> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // No await after the message has arrived, because it would be lost if the future were dropped.
        let mut message = self.inner.receive().await?;
        if let JsonRpcMessage::Request(request) = &mut message
            && matches!(request.request, ClientRequest::CallToolRequest(_))
        {
            let turn = Turn::take(Arc::clone(&self.handler));
            request.request.extensions_mut().insert(turn);
        }
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

type Guard<H> = OwnedMutexGuard<Option<H>>;
type Waiting<H> = Pin<Box<dyn Future<Output = Guard<H>> + Send>>;

/// Place of a call in the queue for the handler. Dropping the last clone gives it up.
pub(crate) struct Turn<H>(Arc<Shared<Option<Place<H>>>>);

enum Place<H> {
    First(Guard<H>),
    Behind(Waiting<H>),
}

impl<H> Clone for Turn<H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<H: Send + 'static> Turn<H> {
    fn take(handler: Arc<Mutex<Option<H>>>) -> Self {
        // The lock is fair: waiters get it in the order in which they were first polled. `unconstrained`, because the
        // cooperative budget of the task could postpone even the first poll.
        let mut waiting: Waiting<H> = Box::pin(tokio::task::unconstrained(handler.lock_owned()));
        let place = match waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(guard) => Place::First(guard),
            Poll::Pending => Place::Behind(waiting),
        };
        Self(Arc::new(Shared::new(Some(place))))
    }

    /// Waits for the turn of the call with these extensions, and returns the handler.
    pub(crate) async fn come(
        extensions: &mut Extensions,
        handler: &Arc<Mutex<Option<H>>>,
    ) -> Guard<H> {
        let place = extensions
            .remove::<Self>()
            .and_then(|turn| turn.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        match place {
            Some(Place::First(guard)) => guard,
            Some(Place::Behind(waiting)) => waiting.await,
            // The message came through another transport, so calls run in the order in which their tasks start.
            None => Arc::clone(handler).lock_owned().await,
        }
    }
}
