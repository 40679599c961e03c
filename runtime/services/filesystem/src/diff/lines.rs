//! Random access to the lines of a text.

use mcpmark_service::{Interrupted, Reservation, reserve};

/// Text with access to its lines by number. Lines include their line feed, which the last one may lack.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Offset of each line, followed by the length of the text.
    starts: Vec<usize>,
    _memory: Reservation,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Result<Self, Interrupted> {
        let most = text.bytes().filter(|byte| *byte == b'\n').count() + 2;
        let memory = reserve((most * size_of::<usize>()) as u64)?;
        let mut starts = Vec::with_capacity(most);
        starts.push(0);
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Ok(Self {
            text,
            starts,
            _memory: memory,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns a line, which must exist.
    pub(super) fn get(&self, line: usize) -> &'t str {
        &self.text[self.starts[line]..self.starts[line + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_line_feeds() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\nb", "é\n\nb\n"] {
            let lines = Lines::of(text).unwrap();
            let found: Vec<&str> = (0..lines.len()).map(|line| lines.get(line)).collect();
            let expected: Vec<&str> = text.split_inclusive('\n').collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
