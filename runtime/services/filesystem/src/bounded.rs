//! Texts that are built only as far as a tool result may reach.

use crate::failure::Failure;

/// A text that does not grow beyond a limit.
#[derive(Debug)]
pub(crate) struct Bounded {
    text: String,
    limit: u64,
}

impl Bounded {
    /// An empty text; `limit` is in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            text: String::new(),
            limit,
        }
    }

    /// Adds a piece, or fails before the text gets longer than the limit.
    pub(crate) fn push(&mut self, piece: &str) -> Result<(), Failure> {
        if self.text.len() as u64 + piece.len() as u64 > self.limit {
            return Err(Failure::too_long(self.limit));
        }
        self.text.push_str(piece);
        Ok(())
    }

    /// Adds a line; a line feed comes before each but the first.
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
