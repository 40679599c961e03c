//! Number of values in JSON text, counted before the text is parsed.
//!
//! A parsed value takes many times the memory of its text: `[0,0,0]` has two bytes per value, and each takes more than
//! a hundred bytes when parsed. So code that parses untrusted JSON counts the values first.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::lines::too_many_values;
use crate::outline::Outline;

/// Maximum number of values in a message or a request body: members and elements at all depths, including keys.
pub const MAX_JSON_VALUES: u64 = 1_000_000;

/// Memory charged for a parsed value in addition to its text, in bytes.
pub(crate) const VALUE_BYTES: u64 = 128;

/// Incremental counter of the values in JSON text.
#[derive(Debug, Default, Clone)]
pub(crate) struct ValueCount {
    count: u64,
    in_string: bool,
    escaped: bool,
}

impl ValueCount {
    /// Reads the next piece.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    // Keys of objects count as well, because each is a string of its own.
                    b'[' | b'{' | b',' | b':' => self.count += 1,
                    _ => {}
                }
            }
        }
    }

    /// Returns an upper bound of the number of values so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// Returns an upper bound of the number of values in a JSON text, including keys.
pub fn json_values(text: &[u8]) -> u64 {
    let mut count = ValueCount::default();
    count.read(text);
    count.count()
}

/// Stream of JSON lines in which a line with too many values is truncated, so that it cannot be parsed. If the line is
/// a response, an error with the id of its request follows.
pub struct BoundedLines<R> {
    inner: R,
    most: u64,
    line: ValueCount,
    outline: Outline,
    /// Set while the rest of the line is dropped.
    drops: bool,
    /// Bytes to return before more is read.
    pending: Vec<u8>,
}

impl<R> BoundedLines<R> {
    /// Wraps the stream that a client reads.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            most: MAX_JSON_VALUES,
            line: ValueCount::default(),
            outline: Outline::default(),
            drops: false,
            pending: Vec::new(),
        }
    }

    /// Returns the bytes that replace the bytes just read, or `None` if they pass unchanged.
    fn replace(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut replaced = None;
        let mut passed = 0;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.read(piece);
            self.outline.read(piece);
            if !self.drops && self.line.count() > self.most {
                self.drops = true;
                replaced.get_or_insert_with(|| bytes[..passed].to_vec());
            }
            passed += piece.len();
            let is_end = piece.ends_with(b"\n");
            if self.drops && is_end {
                let instead = replaced.get_or_insert_default();
                instead.push(b'\n');
                let error = too_many_values(&self.outline, self.line.count(), self.most);
                instead.extend(error.unwrap_or_default());
            } else if self.drops {
                replaced.get_or_insert_default();
            } else if let Some(replaced) = &mut replaced {
                replaced.extend_from_slice(piece);
            }
            if is_end {
                self.line = ValueCount::default();
                self.outline = Outline::default();
                self.drops = false;
            }
        }
        replaced
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if !self.pending.is_empty() {
                let length = out.remaining().min(self.pending.len());
                let rest = self.pending.split_off(length);
                out.put_slice(&std::mem::replace(&mut self.pending, rest));
                return Poll::Ready(Ok(()));
            }
            let before = out.filled().len();
            ready!(Pin::new(&mut self.inner).poll_read(context, out))?;
            let read = &out.filled()[before..];
            if read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            match self.replace(read) {
                Some(instead) => {
                    out.set_filled(before);
                    self.pending = instead;
                }
                None => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (text, count) in [
            ("7", 0),
            ("[]", 1),
            ("[0,0,0]", 3),
            (r#"{"a":1,"b":[2,3]}"#, 6),
            (r#"{"a,[{:":"\",[{:\\"}"#, 2),
        ] {
            assert_eq!(json_values(text.as_bytes()), count, "{text}");
        }
        let mut pieces = ValueCount::default();
        for byte in br#"["\"",1,"a,b"]"# {
            pieces.read(&[*byte]);
        }
        assert_eq!(pieces.count(), 3);
    }

    /// Reads a text that arrives in pieces of `piece` bytes, with a limit of 4 values per line.
    async fn bounded(text: &str, piece: usize) -> String {
        let (mut far, near) = tokio::io::duplex(piece);
        let mut lines = BoundedLines::new(near);
        lines.most = 4;
        let mut all = String::new();
        let write = async {
            far.write_all(text.as_bytes()).await.unwrap();
            drop(far);
        };
        let (_, read) = tokio::join!(write, lines.read_to_string(&mut all));
        read.unwrap();
        all
    }

    #[tokio::test]
    async fn a_line_with_too_many_values_cannot_be_parsed() {
        let error = r#"{"error":{"code":-32603,"message":"the response has 8 JSON values, and may have 4"},"id":7,"jsonrpc":"2.0"}"#;
        let long = r#"{"id":7,"result":[0,0,0,0]}"#;
        let notice = r#"{"method":"a","params":[0,0,0,0]}"#;
        for piece in [1, 2, 7, 4096] {
            let short = "[0,0,0]\n".repeat(100);
            assert_eq!(bounded(&short, piece).await, short);
            let text = format!("[0]\n{long}\n{notice}\n[1]\n{long}\n");
            let read = bounded(&text, piece).await;
            let mut lines = read.lines();
            let mut next = || lines.next().unwrap();
            assert_eq!(next(), "[0]");
            let cut = next();
            assert!(cut.len() < long.len() && long.starts_with(cut), "{cut}");
            let answered: serde_json::Value = serde_json::from_str(next()).unwrap();
            assert_eq!(
                answered,
                serde_json::from_str::<serde_json::Value>(error).unwrap()
            );
            let cut = next();
            assert!(cut.len() < notice.len() && notice.starts_with(cut), "{cut}");
            assert_eq!(next(), "[1]");
            next();
            assert!(next().contains("-32603"));
            assert_eq!(lines.next(), None);
        }
    }
}
