//! Compression of guests in bundles. Guests are identified by the digests of their uncompressed components.

use std::io::{Read, Write};

use mcpmark_snapshot::Digest;

use super::{GuestConfig, MAX_GUEST};
use crate::BundleError;

/// Decompresses a guest. Returns the component if size and digest match the config.
pub(super) fn decompressed(
    what: String,
    bytes: &[u8],
    guest: &GuestConfig,
) -> Result<Vec<u8>, BundleError> {
    let GuestConfig {
        digest,
        bytes: size,
        ..
    } = *guest;
    if size > MAX_GUEST {
        let limit = MAX_GUEST;
        return Err(BundleError::TooLarge { what, size, limit });
    }
    let mut component = Vec::new();
    let read = zstd::Decoder::new(bytes).and_then(|mut decoder| {
        decoder.window_log_max(WINDOW)?;
        decoder.take(size + 1).read_to_end(&mut component)
    });
    if let Err(error) = read {
        return Err(BundleError::Shape {
            what,
            reason: error.to_string(),
        });
    }
    if component.len() as u64 != size {
        let wanted = size;
        return Err(BundleError::Length {
            what,
            digest,
            wanted,
        });
    }
    match Digest::of(&component) {
        found if found == digest => Ok(component),
        found => Err(BundleError::Damaged {
            what,
            digest,
            found,
        }),
    }
}

/// Binary logarithm of the zstd window size, which bounds the memory for decompression: 8 MiB.
const WINDOW: u32 = 23;

/// Compresses the component of a guest.
pub(crate) fn compressed(component: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 9)?;
    encoder.window_log(WINDOW)?;
    encoder.write_all(component)?;
    encoder.finish()
}
