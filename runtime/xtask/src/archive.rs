//! Compressed tar archive of a release.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use crate::DistError;
use crate::content::Content;

/// Writes the archive. All its files are below the directory `name`.
pub(crate) fn write(
    path: &Path,
    name: &str,
    compression: u32,
    content: &Content,
) -> Result<(), DistError> {
    let failed = |e| DistError::write(path, e);
    let file = File::create(path).map_err(failed)?;
    // The header of the compression has neither a time nor a name.
    let compression = Compression::new(compression);
    let compressed = GzBuilder::new().write(BufWriter::new(file), compression);
    let mut archive = tar::Builder::new(compressed);
    let seconds = content.timestamp.instant().as_second().unsigned_abs();
    for (path, entry) in &content.entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(if entry.is_executable { 0o755 } else { 0o644 });
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(seconds);
        header.set_size(entry.bytes.len() as u64);
        let path = format!("{name}/{path}");
        archive
            .append_data(&mut header, path, entry.bytes.as_slice())
            .map_err(failed)?;
    }
    let compressed = archive.into_inner().map_err(failed)?;
    let mut file = compressed.finish().map_err(failed)?;
    file.flush().map_err(failed)
}
