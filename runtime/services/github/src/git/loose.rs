//! Loose objects as zlib streams of stored blocks, so that their bytes do not depend on a compressor.

use gix::objs::Kind;

/// Maximum size of a stored block, in bytes (RFC 1951, 3.2.4).
const BLOCK: usize = 65_535;

/// Returns the bytes of the file of a loose object.
pub(super) fn encode(kind: Kind, data: &[u8]) -> Vec<u8> {
    let mut content = format!("{kind} {}\0", data.len()).into_bytes();
    content.extend_from_slice(data);
    stored(&content)
}

/// Encodes bytes as a zlib stream without compression.
pub(super) fn stored(content: &[u8]) -> Vec<u8> {
    // Header of zlib: deflate, a window of 32 KiB, fastest level, and check bits that make it a multiple of 31.
    let mut file = vec![0x78, 0x01];
    let mut blocks = content.chunks(BLOCK).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        file.push(u8::from(blocks.peek().is_none()));
        file.extend_from_slice(&length.to_le_bytes());
        file.extend_from_slice(&(!length).to_le_bytes());
        file.extend_from_slice(block);
    }
    if content.is_empty() {
        file.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    file.extend_from_slice(&adler32(content).to_be_bytes());
    file
}

/// Computes the Adler-32 checksum (RFC 1950).
fn adler32(bytes: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    let (mut a, mut b) = (1, 0);
    // Maximum number of bytes before a sum of 32 bits can overflow.
    for run in bytes.chunks(5552) {
        for byte in run {
            a += u32::from(*byte);
            b += a;
        }
        a %= BASE;
        b %= BASE;
    }
    (b << 16) | a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(adler32(b""), 1);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
        assert_eq!(encode(Kind::Blob, b"").len(), 2 + 5 + 7 + 4);
    }
}
