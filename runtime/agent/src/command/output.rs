//! Bounded capture of the output of a program.

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// Maximum number of bytes of each output that are kept. Earlier bytes are dropped.
const KEPT: usize = 64 * 1024;

/// Last bytes of an output of a program.
#[derive(Debug, Default)]
pub(crate) struct Output {
    kept: Vec<u8>,
    /// Number of dropped bytes before `kept`.
    before: u64,
}

impl Output {
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.iter().all(u8::is_ascii_whitespace)
    }

    /// Returns the kept bytes as text, with U+FFFD in place of invalid UTF-8.
    pub(crate) fn text(&self) -> String {
        // Skips the rest of a character that was cut at the beginning.
        let cut = match self.before {
            0 => 0,
            _ => self
                .kept
                .iter()
                .take_while(|byte| (0x80..0xc0).contains(*byte))
                .count(),
        };
        String::from_utf8_lossy(&self.kept[cut..]).into_owned()
    }

    /// Returns a note in parentheses on dropped bytes; empty if there are none.
    pub(crate) fn cut(&self) -> String {
        match self.before {
            0 => String::new(),
            before => format!(
                " (the last {} bytes; {before} earlier bytes are discarded)",
                self.kept.len()
            ),
        }
    }

    /// Returns the last line that is not blank.
    pub(crate) fn last_line(&self) -> Option<String> {
        let text = self.text();
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().to_owned())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        // The buffer grows to twice the size before it is cut, so that not every read moves all bytes.
        if self.kept.len() > 2 * KEPT {
            self.cut_front();
        }
    }

    fn cut_front(&mut self) {
        let surplus = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..surplus);
        self.before += surplus as u64;
    }

    /// Reads a pipe to its end into `kept`.
    pub(crate) async fn read(mut pipe: pipe::Receiver, kept: &std::sync::Mutex<Self>) {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece).await {
            let mut kept = kept
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            kept.push(&piece[..count]);
        }
    }

    pub(crate) fn take(kept: &std::sync::Mutex<Self>) -> Self {
        let mut kept = kept
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut output = std::mem::take(&mut *kept);
        output.cut_front();
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept() {
        let mut output = Output::default();
        output.push("ü".repeat(KEPT).as_bytes());
        output.push(b"x");
        output.push("y\n\n".repeat(KEPT).as_bytes());
        output.cut_front();
        assert_eq!(output.kept.len(), KEPT);
        assert_eq!(output.before, (2 + 3 - 1) * KEPT as u64 + 1);
        assert_eq!(output.last_line().as_deref(), Some("y"));
        let mut output = Output::default();
        output.push("ü".repeat(KEPT).as_bytes());
        output.push(b"x");
        output.cut_front();
        assert!(output.text().starts_with('ü') && output.text().ends_with('x'));
        assert!(output.cut().contains("bytes"));
    }
}
