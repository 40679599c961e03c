use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Sandbox;

/// Stops runs of guests from another thread, within a tick of the sandbox's clock.
///
/// Clones are one and the same; a [`child`](Self::child) is stopped with its parent and
/// not the other way round.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    parent: Option<Cancel>,
}

impl Cancel {
    /// One that is not cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One for a part of the work.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag {
            set: AtomicBool::new(false),
            parent: Some(self.clone()),
        }))
    }

    /// Cancels. There is no way back.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Release);
    }

    /// Whether this or one above it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Acquire) || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }
}

impl Sandbox {
    /// A handle whose runs, and compilations, end when `cancel` says so, those that wait for their
    /// turn too, with a [`RunError::Host`](crate::RunError::Host) or a
    /// [`CompileError::Host`](crate::CompileError::Host).
    #[must_use]
    pub fn cancelled_by(&self, cancel: Cancel) -> Self {
        Self {
            cancel: Some(cancel),
            ..self.clone()
        }
    }
}
