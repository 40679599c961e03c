//! Text builder with a limit, for tool results.

use crate::failure::Failure;

/// Text that does not grow beyond a limit.
#[derive(Debug)]
pub(crate) struct Bounded {
    text: String,
    limit: u64,
}

impl Bounded {
    /// Creates an empty text with a limit in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            text: String::new(),
            limit,
        }
    }

    /// Appends a piece. Fails if the text would exceed the limit.
    pub(crate) fn push(&mut self, piece: &str) -> Result<(), Failure> {
        if self.text.len() as u64 + piece.len() as u64 > self.limit {
            return Err(Failure::too_long(self.limit));
        }
        self.text.push_str(piece);
        Ok(())
    }

    /// Appends a line. Lines are separated by line feeds.
    pub(crate) fn push_line(&mut self, pieces: &[&str]) -> Result<(), Failure> {
        if !self.text.is_empty() {
            self.push("\n")?;
        }
        pieces.iter().try_for_each(|piece| self.push(piece))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
