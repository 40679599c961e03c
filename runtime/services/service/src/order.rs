//! The order of arrival: each call queues for the handler while its message is being read.
//!
//! The protocol library starts a task for every request, and tasks begin in any order. So the
//! place in the queue is taken before that, where messages come one after the other. All else,
//! the notice that a call is given up for one, passes at once.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex as Shared, PoisonError};
use std::task::{Context, Poll, Waker};

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, Extensions, GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// A transport whose calls stand in line for `handler` as soon as they have been read.
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
        // Nothing is awaited after the message is there: it would be lost if this were dropped.
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

/// The place of a call in the queue for the handler. It is given up when the last copy is dropped.
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
        // The lock is fair: who asks first has it first, and asking is being polled once. The
        // budget of a task would put off even that.
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

    /// The handler of the call that came with these extensions, when its turn has come.
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
            // A message that came by another transport: in the order in which tasks begin.
            None => Arc::clone(handler).lock_owned().await,
        }
    }
}
