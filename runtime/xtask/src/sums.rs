//! Checksums of the files of a release.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::DistError;

/// Writes the SHA-256 checksums of files, as `sha256sum` does.
pub(crate) fn write(path: &Path, files: &[&Path]) -> Result<(), DistError> {
    let mut text = String::new();
    for file in files {
        let bytes = fs::read(file).map_err(|e| DistError::read(file, e))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        text.push_str(&format!("{}  {name}\n", hex::encode(Sha256::digest(bytes))));
    }
    fs::write(path, text).map_err(|e| DistError::write(path, e))
}
