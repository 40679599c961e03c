//! What the patterns of one call may cost together.

use std::cell::Cell;

use mcpmark_service::checkpoint;

use crate::failure::Failure;

/// The most alternatives that the braces of all patterns may stand for.
pub(crate) const MAX_ALTERNATIVES: usize = 10_000;
/// The most bytes that these may have, those on the way to them included.
pub(crate) const MAX_BYTES: usize = 2 << 20;
/// The most steps of compiling and matching. A step takes some nanoseconds.
const MAX_STEPS: u64 = 200_000_000;
/// Steps between two looks at whether the call was cancelled.
const STEPS_A_CHECK: u64 = 1 << 16;

/// What the patterns of one call have left.
#[derive(Debug)]
pub(crate) struct Budget {
    alternatives: Cell<usize>,
    bytes: Cell<usize>,
    steps: Cell<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            alternatives: Cell::new(MAX_ALTERNATIVES),
            bytes: Cell::new(MAX_BYTES),
            steps: Cell::new(MAX_STEPS),
        }
    }
}

impl Budget {
    /// Alternatives that are still allowed.
    pub(super) fn alternatives_left(&self) -> usize {
        self.alternatives.get()
    }

    /// Takes alternatives that are complete.
    pub(super) fn take_alternatives(&self, count: usize) -> Result<(), Failure> {
        take(&self.alternatives, count)
    }

    /// Takes bytes before a text of that length is built.
    pub(super) fn take_bytes(&self, count: usize) -> Result<(), Failure> {
        take(&self.bytes, count)
    }

    /// Takes steps, and fails where the call was cancelled.
    pub(super) fn take_steps(&self, count: usize) -> Result<(), Failure> {
        let before = self.steps.get();
        let Some(left) = before.checked_sub(count as u64) else {
            return Err(Failure::said(format!(
                "the patterns need more than the {MAX_STEPS} steps that the matching of one call may take; use fewer \
                 or simpler patterns, or a smaller directory"
            )));
        };
        if before / STEPS_A_CHECK != left / STEPS_A_CHECK {
            checkpoint()?;
        }
        self.steps.set(left);
        Ok(())
    }
}

/// The failure of patterns that stand for too much.
pub(super) fn too_many() -> Failure {
    Failure::said(format!(
        "the braces in the patterns stand for more than {MAX_ALTERNATIVES} alternatives or {MAX_BYTES} bytes, the \
         limits for all patterns of one call; use fewer or shorter alternatives"
    ))
}

fn take(left: &Cell<usize>, count: usize) -> Result<(), Failure> {
    left.set(left.get().checked_sub(count).ok_or_else(too_many)?);
    Ok(())
}
