//! The number of values in JSON text, counted before the text is parsed.
//!
//! A parsed value takes many times the memory of its text: `[0,0,0]` has two bytes for each of its values, and each
//! takes more than a hundred once it is read. So whoever reads JSON of strangers counts first.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// The most values that a message or a body of a request may have: members and elements at all depths.
pub const MAX_JSON_VALUES: u64 = 1_000_000;

/// The memory that a parsed value is charged with beside its text, in bytes.
pub(crate) const VALUE_BYTES: u64 = 128;

/// Counts the values of JSON text that comes in pieces.
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
                    // Keys of objects count as well: they are strings of their own.
                    b'[' | b'{' | b',' | b':' => self.count += 1,
                    _ => {}
                }
            }
        }
    }

    /// The number of values so far, or somewhat more.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// The number of values in a JSON text, keys included, or somewhat more.
pub fn json_values(text: &[u8]) -> u64 {
    let mut count = ValueCount::default();
    count.read(text);
    count.count()
}

/// A stream of JSON lines that fails where a line has too many values.
pub struct BoundedLines<R> {
    inner: R,
    most: u64,
    line: ValueCount,
}

impl<R> BoundedLines<R> {
    /// Wraps the stream that a client reads.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            most: MAX_JSON_VALUES,
            line: ValueCount::default(),
        }
    }

    fn check(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.read(piece);
            if self.line.count() > self.most {
                let problem = format!("a message has more than {} JSON values", self.most);
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            if piece.ends_with(b"\n") {
                self.line = ValueCount::default();
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = out.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, out))?;
        Poll::Ready(self.check(&out.filled()[before..]))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

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

    #[tokio::test]
    async fn a_stream_ends_at_a_line_with_too_many_values() {
        let read = async |text: &str| {
            let mut bounded = BoundedLines::new(text.as_bytes());
            bounded.most = 4;
            let mut all = String::new();
            bounded.read_to_string(&mut all).await.map(|_| all)
        };
        let short = "[0,0,0]\n".repeat(100);
        assert_eq!(read(&short).await.unwrap(), short);
        let error = read("[0]\n[0,0,0,0,0]\n").await.unwrap_err();
        assert_eq!(error.to_string(), "a message has more than 4 JSON values");
    }
}
