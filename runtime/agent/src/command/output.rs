use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// Bytes of each output that are kept: the last ones.
const KEPT: usize = 64 * 1024;

/// The end of what a program wrote.
#[derive(Debug, Default)]
pub(crate) struct Output {
    kept: Vec<u8>,
    /// Bytes before those.
    before: u64,
}

impl Output {
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.iter().all(u8::is_ascii_whitespace)
    }

    /// The kept bytes as text, with U+FFFD in the place of invalid UTF-8.
    pub(crate) fn text(&self) -> String {
        // A character that was cut at the beginning is no character.
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

    /// How much is missing, in brackets.
    pub(crate) fn cut(&self) -> String {
        match self.before {
            0 => String::new(),
            before => format!(
                " (the last {} bytes; {before} before them are not kept)",
                self.kept.len()
            ),
        }
    }

    /// The last line with something in it.
    pub(crate) fn last_line(&self) -> Option<String> {
        let text = self.text();
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().to_owned())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        // Twice as much is gathered, so that not each piece moves all bytes.
        if self.kept.len() > 2 * KEPT {
            self.cut_front();
        }
    }

    fn cut_front(&mut self) {
        let surplus = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..surplus);
        self.before += surplus as u64;
    }

    /// Reads to the end of a pipe, into what `kept` holds.
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
