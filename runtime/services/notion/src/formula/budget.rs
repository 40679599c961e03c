//! Limits of evaluations.

use std::cell::Cell;

use super::FormulaError;

/// Maximum number of steps.
const STEPS: usize = 500_000;
/// Maximum number of bytes of text that are created.
const BYTES: usize = 1 << 20;
/// Maximum number of expressions, formulas and rollups that are evaluated inside each other. It keeps the evaluation
/// within the stack of a thread.
const LEVELS: usize = 250;

/// Work that the evaluation of one value may still do.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: Cell<usize>,
    bytes: Cell<usize>,
    levels: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(STEPS),
            bytes: Cell::new(BYTES),
            levels: Cell::new(LEVELS),
        }
    }
}

impl Budget {
    /// Takes steps from the budget.
    pub(crate) fn step(&self, steps: usize) -> Result<(), FormulaError> {
        take(&self.steps, steps, STEPS, "steps")
    }

    /// Takes bytes of text from the budget.
    pub(super) fn text(&self, bytes: usize) -> Result<(), FormulaError> {
        take(&self.bytes, bytes, BYTES, "bytes of text")
    }

    /// Does some work one level deeper.
    pub(crate) fn nested<T>(
        &self,
        work: impl FnOnce() -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        take(&self.levels, 1, LEVELS, "levels")?;
        let done = work();
        self.levels.set(self.levels.get() + 1);
        done
    }
}

fn take(
    left: &Cell<usize>,
    amount: usize,
    limit: usize,
    what: &'static str,
) -> Result<(), FormulaError> {
    match left.get().checked_sub(amount) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => Err(FormulaError::Limit { limit, what }),
    }
}
