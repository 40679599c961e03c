//! Budget shared by the glob patterns of one call.

use std::cell::Cell;

use mcpmark_service::checkpoint;

use crate::failure::Failure;

/// Maximum number of alternatives that the braces of all patterns may expand to.
pub(crate) const MAX_ALTERNATIVES: usize = 10_000;
/// Maximum total size of the alternatives in bytes, including intermediate ones.
pub(crate) const MAX_BYTES: usize = 2 << 20;
/// Maximum number of steps for compiling and matching. A step takes some nanoseconds.
const MAX_STEPS: u64 = 200_000_000;
/// Number of steps between two cancellation checks.
const STEPS_A_CHECK: u64 = 1 << 16;

/// Remaining budget of the patterns of one call.
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
    /// Returns the number of alternatives that are still allowed.
    pub(super) fn alternatives_left(&self) -> usize {
        self.alternatives.get()
    }

    /// Charges complete alternatives.
    pub(super) fn take_alternatives(&self, count: usize) -> Result<(), Failure> {
        take(&self.alternatives, count)
    }

    /// Charges bytes before a text of that length is built.
    pub(super) fn take_bytes(&self, count: usize) -> Result<(), Failure> {
        take(&self.bytes, count)
    }

    /// Charges steps. Also fails if the call was cancelled.
    pub(super) fn take_steps(&self, count: usize) -> Result<(), Failure> {
        let before = self.steps.get();
        let Some(left) = before.checked_sub(count as u64) else {
            return Err(Failure::tool_error(format!(
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

/// Creates the error of patterns that expand to too much.
pub(super) fn too_many() -> Failure {
    Failure::tool_error(format!(
        "the braces in the patterns stand for more than {MAX_ALTERNATIVES} alternatives or {MAX_BYTES} bytes, the \
         limits for all patterns of one call; use fewer or shorter alternatives"
    ))
}

fn take(left: &Cell<usize>, count: usize) -> Result<(), Failure> {
    left.set(left.get().checked_sub(count).ok_or_else(too_many)?);
    Ok(())
}
