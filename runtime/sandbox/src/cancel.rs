//! Cancellation of runs and compilations from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Sandbox;

/// Token that cancels runs of guests from another thread, within one tick of the sandbox's epoch.
///
/// Clones share one state. Cancelling a parent cancels its [children](Self::child), but not the reverse.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    parent: Option<Cancel>,
}

impl Cancel {
    /// Returns a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a child token, for a part of the work.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag {
            set: AtomicBool::new(false),
            parent: Some(self.clone()),
        }))
    }

    /// Cancels the work. This cannot be undone.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Release);
    }

    /// Reports whether this token or one of its ancestors was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Acquire) || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }
}

impl Sandbox {
    /// Returns a handle whose runs and compilations end when `cancel` is cancelled, including those that wait for a
    /// slot. They then return a [`RunError::Host`](crate::RunError::Host) or a
    /// [`CompileError::Host`](crate::CompileError::Host).
    #[must_use]
    pub fn cancelled_by(&self, cancel: Cancel) -> Self {
        Self {
            cancel: Some(cancel),
            ..self.clone()
        }
    }
}
