//! Repair of lone surrogates in JSON: `"\ud800"` is valid for JavaScript but has no UTF-8 form.
//!
//! The emulated server writes U+FFFD for each lone surrogate into files and names. The protocol library drops a message
//! that contains one, so its sender would wait forever. Therefore `\ud800` is replaced by `\ufffd`, which has the same
//! length, before the message is parsed.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Stream of JSON without lone surrogates.
pub(crate) struct SurrogateRepair<R> {
    inner: R,
    repair: Repair,
    /// Repaired bytes, which are unread from `at` on.
    done: Vec<u8>,
    at: usize,
}

impl<R> SurrogateRepair<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            inner,
            repair: Repair::default(),
            done: Vec::new(),
            at: 0,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for SurrogateRepair<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        while this.at == this.done.len() {
            this.done.clear();
            this.at = 0;
            let mut piece = [0; 8 << 10];
            let mut piece = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut piece))?;
            if piece.filled().is_empty() {
                this.repair.end(&mut this.done);
                if this.done.is_empty() {
                    return Poll::Ready(Ok(()));
                }
            }
            for byte in piece.filled() {
                this.repair.take(*byte, &mut this.done);
            }
        }
        let left = &this.done[this.at..];
        let count = left.len().min(out.remaining());
        out.put_slice(&left[..count]);
        this.at += count;
        Poll::Ready(Ok(()))
    }
}

/// Pending escape sequence of up to twelve bytes, such as `\ud83d\ude00`.
#[derive(Default)]
struct Repair(Vec<u8>);

const LENGTH: usize = 6;

impl Repair {
    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        let Self(held) = self;
        if held.is_empty() && byte != b'\\' {
            return out.push(byte);
        }
        held.push(byte);
        let first_is_high = held.len() > LENGTH;
        let at = (held.len() - 1) % LENGTH;
        let fits = match at {
            0 => byte == b'\\',
            1 => byte == b'u',
            _ => byte.is_ascii_hexdigit(),
        };
        if !fits {
            // A complete escape such as `\\` or `\n`, a byte outside an escape, or invalid JSON.
            if first_is_high {
                lone(held, out);
            }
            return out.append(held);
        }
        if at + 1 < LENGTH {
            return;
        }
        let unit = unit(&held[held.len() - LENGTH..]);
        match (first_is_high, unit) {
            (false, 0xd800..=0xdbff) => {}
            (false, 0xdc00..=0xdfff) | (true, 0xd800..=0xdbff) => lone(held, out),
            (true, 0xdc00..=0xdfff) | (false, _) => out.append(held),
            (true, _) => {
                lone(held, out);
                out.append(held);
            }
        }
    }

    /// Writes the pending bytes at the end of the stream.
    fn end(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.0);
    }
}

/// Replaces the first escape with the replacement character.
fn lone(held: &mut Vec<u8>, out: &mut Vec<u8>) {
    held.drain(..LENGTH);
    out.extend(b"\\ufffd");
}

fn unit(escape: &[u8]) -> u32 {
    let digits = escape[2..].iter();
    digits.fold(0, |unit, digit| {
        unit << 4 | (*digit as char).to_digit(16).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> String {
        let (mut repair, mut out) = (Repair::default(), Vec::new());
        for byte in text.bytes() {
            repair.take(byte, &mut out);
        }
        repair.end(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn halves_become_the_replacement_character() {
        for (text, expected) in [
            (r#""a\ud800b""#, r#""a\ufffdb""#),
            (r#""\udc00""#, r#""\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D\uDE00""#, r#""\uD83D\uDE00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\ud83d\\ud800""#, r#""\ufffd\\ud800""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#"{"a": [1, "é"]}"#, r#"{"a": [1, "é"]}"#),
        ] {
            assert_eq!(repaired(text), expected);
            assert!(serde_json::from_str::<serde_json::Value>(expected).is_ok());
        }
        // Invalid JSON is left unchanged.
        for text in [r"\u12", r"\uzzzz\ud8", r"\", r"x\\"] {
            assert_eq!(repaired(text), text);
        }
    }

    #[test]
    fn a_stream_is_read_whole_in_pieces_of_any_size() {
        let text = r#"{"a":"\ud800","b":"\ud83d\ude00"}"#.repeat(2000);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            for size in [1, 7, 4096] {
                let mut stream = SurrogateRepair::new(text.as_bytes());
                let mut read = Vec::new();
                let mut piece = vec![0; size];
                loop {
                    let count = tokio::io::AsyncReadExt::read(&mut stream, &mut piece);
                    let count = count.await.unwrap();
                    if count == 0 {
                        break;
                    }
                    read.extend(&piece[..count]);
                }
                assert_eq!(String::from_utf8(read).unwrap(), repaired(&text));
            }
        });
    }
}
