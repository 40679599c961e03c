//! Tar archives in the ustar format of POSIX, with only files and directories.
//!
//! Extensions, links and devices are refused with the name of the entry, so that all readers interpret an archive in
//! the same way. The crate `tar` is not used for this reason: it interprets the extensions of GNU and PAX, which change
//! the names and sizes of entries, and has no limits on them. The archives that are written are always ustar with fixed
//! owners and times, so that equal content has equal bytes.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Write};

const BLOCK: usize = 512;

/// Maximum size that eleven octal digits can express.
const MAX_BYTES: u64 = 0o77_777_777_777;

/// Maximum number of zero blocks after the end of an archive, because archivers pad to their record size.
const FILLING: usize = 4096;

/// Limits of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of files and directories.
    pub entries: u64,
    /// Maximum total size of all files, in bytes.
    pub bytes: u64,
}

/// Error of reading an archive.
#[derive(Debug, thiserror::Error)]
pub enum TarError {
    /// Error of the underlying reader.
    #[error("cannot read the archive")]
    Read(#[source] io::Error),
    /// Truncated archive.
    #[error("the archive is truncated at byte {offset}")]
    Short {
        /// Length of the archive in bytes.
        offset: u64,
    },
    /// Invalid header or padding.
    #[error("the archive is damaged at byte {offset}: {problem}")]
    Damaged {
        /// Offset of the header or the padding.
        offset: u64,
        /// Problem.
        problem: &'static str,
    },
    /// Entry that is neither a file nor a directory.
    #[error("{name:?} in the archive is {what}; expected a file or a directory")]
    Foreign {
        /// Name of the entry.
        name: String,
        /// Kind of the entry.
        what: &'static str,
    },
    /// Name that is not a path within the archive.
    #[error("invalid path {name:?} in the archive: {problem}")]
    Name {
        /// Name of the entry.
        name: String,
        /// Problem.
        problem: &'static str,
    },
    /// Name that occurs twice.
    #[error("{0:?} occurs twice in the archive")]
    Duplicate(String),
    /// Too many entries.
    #[error("the archive has more than {0} entries")]
    TooMany(u64),
    /// Too many bytes.
    #[error("the archive has more than {0} bytes")]
    TooLarge(u64),
}

/// Entry of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path within the archive, without a trailing slash.
    pub name: String,
    /// True for a directory, false for a file.
    pub directory: bool,
    /// Size of the file in bytes.
    pub size: u64,
    /// Offset of its content from the beginning of the archive.
    pub offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
}

/// Sequential reader of an archive. Its implementation of [`Read`] returns the content of the last entry.
#[derive(Debug)]
pub struct Reader<R> {
    inner: R,
    bounds: Bounds,
    offset: u64,
    left: u64,
    filling: u64,
    names: HashMap<String, Kind>,
    /// Directories in the paths of entries, whether or not they are entries themselves.
    above: HashSet<String>,
    entries: u64,
    bytes: u64,
}

impl<R: Read> Reader<R> {
    /// Creates a reader for an archive within `bounds`.
    pub fn new(inner: R, bounds: Bounds) -> Self {
        Self {
            inner,
            bounds,
            offset: 0,
            left: 0,
            filling: 0,
            names: HashMap::new(),
            above: HashSet::new(),
            entries: 0,
            bytes: 0,
        }
    }

    /// Returns the next entry, or `None` at the end. Skips unread content of the previous entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the archive is invalid, truncated, or exceeds the bounds up to this point.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator cannot return errors this way"
    )]
    pub fn next(&mut self) -> Result<Option<Entry>, TarError> {
        loop {
            self.pass_over()?;
            let at = self.offset;
            let header = self.block()?;
            if header.iter().all(|byte| *byte == 0) {
                self.end()?;
                return Ok(None);
            }
            let entry = entry(&header, at)?;
            self.entries += 1;
            if self.entries > self.bounds.entries {
                return Err(TarError::TooMany(self.bounds.entries));
            }
            self.bytes = self.bytes.saturating_add(entry.size);
            if self.bytes > self.bounds.bytes {
                return Err(TarError::TooLarge(self.bounds.bytes));
            }
            self.left = entry.size;
            self.filling = entry.size.next_multiple_of(BLOCK as u64) - entry.size;
            // First entry of an archive made by `tar -C DIR .`.
            if entry.name.is_empty() {
                continue;
            }
            self.take(&entry)?;
            return Ok(Some(entry));
        }
    }

    /// Records the name of an entry. Fails if it is a duplicate, or if one path is a file and a directory.
    fn take(&mut self, entry: &Entry) -> Result<(), TarError> {
        let name = entry.name.as_str();
        if self.names.contains_key(name) {
            return Err(TarError::Duplicate(entry.name.clone()));
        }
        let mut below = !entry.directory && self.above.contains(name);
        for (at, _) in name.match_indices('/') {
            let above = &name[..at];
            below |= self.names.get(above) == Some(&Kind::File);
            if !self.above.contains(above) {
                self.above.insert(above.to_owned());
            }
        }
        if below {
            return Err(TarError::Name {
                name: entry.name.clone(),
                problem: "it is both a file and a directory, or below a file",
            });
        }
        let kind = if entry.directory {
            Kind::Directory
        } else {
            Kind::File
        };
        self.names.insert(entry.name.clone(), kind);
        Ok(())
    }

    fn pass_over(&mut self) -> Result<(), TarError> {
        let mut buffer = [0; 8192];
        while self.left > 0 {
            let most = self.left.min(buffer.len() as u64) as usize;
            match self.inner.read(&mut buffer[..most]) {
                Ok(0) => return Err(self.short()),
                Ok(read) => {
                    self.left -= read as u64;
                    self.offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(TarError::Read(error)),
            }
        }
        let filling = std::mem::take(&mut self.filling) as usize;
        let at = self.offset;
        self.exactly(&mut buffer[..filling])?;
        if buffer[..filling].iter().any(|byte| *byte != 0) {
            return Err(TarError::Damaged {
                offset: at,
                problem: "the padding of a file is not zero",
            });
        }
        Ok(())
    }

    fn block(&mut self) -> Result<[u8; BLOCK], TarError> {
        let mut block = [0; BLOCK];
        self.exactly(&mut block)?;
        Ok(block)
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<(), TarError> {
        match self.inner.read_exact(bytes) {
            Ok(()) => {
                self.offset += bytes.len() as u64;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.short()),
            Err(error) => Err(TarError::Read(error)),
        }
    }

    /// Checks the rest after the first zero block: one more zero block, then only padding.
    fn end(&mut self) -> Result<(), TarError> {
        let damaged = |offset| TarError::Damaged {
            offset,
            problem: "unexpected data after the end",
        };
        let at = self.offset;
        if self.block()?.iter().any(|byte| *byte != 0) {
            return Err(damaged(at));
        }
        let mut buffer = [0; BLOCK];
        for _ in 0..=FILLING {
            let at = self.offset;
            match self.inner.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    self.offset += read as u64;
                    if buffer[..read].iter().any(|byte| *byte != 0) {
                        return Err(damaged(at));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(TarError::Read(error)),
            }
        }
        Err(damaged(self.offset))
    }

    /// Returns the number of entries so far, and the total size of their files in bytes.
    pub fn passed(&self) -> (u64, u64) {
        (self.entries, self.bytes)
    }

    /// Returns the underlying reader.
    pub fn into_inner(self) -> R {
        self.inner
    }

    fn short(&self) -> TarError {
        TarError::Short {
            offset: self.offset,
        }
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(buffer.len() as u64) as usize;
        if most == 0 {
            return Ok(0);
        }
        let read = self.inner.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        self.offset += read as u64;
        Ok(read)
    }
}

fn entry(header: &[u8; BLOCK], offset: u64) -> Result<Entry, TarError> {
    let damaged = |problem| TarError::Damaged { offset, problem };
    let (sum, tail) = number(&header[148..156])
        .zip(header.get(154..156))
        .ok_or_else(|| damaged("the checksum of a header is not an octal number"))?;
    if sum != checksum(header) || tail != b"\0 " {
        return Err(damaged("the checksum of a header does not match"));
    }
    if &header[257..263] != b"ustar\0" && &header[257..265] != b"ustar  \0" {
        return Err(damaged("expected a header in the ustar format"));
    }
    let name = full_name(header).ok_or_else(|| damaged("a name is not UTF-8"))?;
    let foreign = |what| TarError::Foreign {
        name: name.clone(),
        what,
    };
    let directory = match header[156] {
        b'0' | 0 => false,
        b'5' => true,
        b'1' => return Err(foreign("a hard link")),
        b'2' => return Err(foreign("a symlink")),
        b'3' | b'4' => return Err(foreign("a device")),
        b'6' => return Err(foreign("a pipe")),
        b'x' | b'g' => {
            return Err(foreign(
                "an extended header (create the archive with --format=ustar)",
            ));
        }
        b'L' | b'K' => {
            return Err(foreign(
                "a long name of GNU tar (create the archive with --format=ustar)",
            ));
        }
        b'S' => return Err(foreign("a sparse file")),
        _ => return Err(foreign("an entry of an unknown type")),
    };
    let size = number(&header[124..136]).ok_or_else(|| damaged("a size is not an octal number"))?;
    if directory && size != 0 {
        return Err(damaged("a directory has a size"));
    }
    if header[157..257].iter().any(|byte| *byte != 0) {
        return Err(damaged("a file has the target of a link"));
    }
    let name = checked(name, directory)?;
    Ok(Entry {
        name,
        directory,
        size,
        offset: offset + BLOCK as u64,
    })
}

/// Returns the name with its prefix, or `None` if they are not UTF-8.
fn full_name(header: &[u8; BLOCK]) -> Option<String> {
    let name = std::str::from_utf8(until_zero(&header[..100])).ok()?;
    // The old GNU format stores times in the field of the prefix.
    let prefix = match &header[257..263] {
        b"ustar\0" => std::str::from_utf8(until_zero(&header[345..500])).ok()?,
        _ => "",
    };
    Some(match prefix {
        "" => name.to_owned(),
        prefix => format!("{prefix}/{name}"),
    })
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// Checks that a path stays within the archive, and removes a leading `./` and, for a directory, a trailing `/`.
fn checked(name: String, directory: bool) -> Result<String, TarError> {
    let inside = name.strip_prefix("./").unwrap_or(&name);
    let inside = if directory {
        inside.strip_suffix('/').unwrap_or(inside)
    } else {
        inside
    };
    if directory && matches!(inside, "" | ".") && name.starts_with('.') {
        return Ok(String::new());
    }
    let problem = if inside.starts_with('/') {
        Some("it is absolute")
    } else {
        inside.split('/').find_map(|part| match part {
            "" => Some("it has an empty segment"),
            "." | ".." => Some("it has a '.' or '..' segment"),
            part if part.contains(['\\', '\0']) => Some("it has a backslash"),
            _ => None,
        })
    };
    match problem {
        Some(problem) => Err(TarError::Name { name, problem }),
        None => Ok(inside.to_owned()),
    }
}

/// Parses octal digits, followed by NUL bytes and spaces.
fn number(field: &[u8]) -> Option<u64> {
    let digits = field.iter().position(|byte| !(b'0'..=b'7').contains(byte));
    let (digits, rest) = field.split_at(digits.unwrap_or(field.len()));
    if digits.is_empty() || rest.iter().any(|byte| !matches!(byte, 0 | b' ')) {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(8)?.checked_add(u64::from(digit - b'0'))
    })
}

/// Sums the bytes of a header, with the bytes of the checksum field counted as spaces.
fn checksum(header: &[u8; BLOCK]) -> u64 {
    let own = 148..156;
    let bytes = header.iter().enumerate();
    bytes
        .map(|(at, byte)| u64::from(if own.contains(&at) { b' ' } else { *byte }))
        .sum()
}

/// Writer of a deterministic archive, whose bytes depend only on names and contents.
#[derive(Debug)]
pub struct Writer<W> {
    inner: W,
}

impl<W: Write> Writer<W> {
    /// Creates an archive in `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner }
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, if its name exceeds 100 bytes, or if it exceeds 8 GiB.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.header(name, b'0', bytes.len() as u64)?;
        self.inner.write_all(bytes)?;
        let filling = bytes.len().next_multiple_of(BLOCK) - bytes.len();
        self.inner.write_all(&[0; BLOCK][..filling])
    }

    /// Adds a file with `size` bytes from a reader.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`file`](Self::file), and an error if the reader has more or fewer bytes.
    pub fn stream(&mut self, name: &str, size: u64, bytes: impl Read) -> io::Result<()> {
        self.header(name, b'0', size)?;
        let written = io::copy(&mut bytes.take(size.saturating_add(1)), &mut self.inner)?;
        if written != size {
            let problem = "the size of a file differs from its declared size";
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        let filling = size.next_multiple_of(BLOCK as u64) - size;
        self.inner.write_all(&[0; BLOCK][..filling as usize])
    }

    /// Adds a directory. `name` ends with a slash.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`file`](Self::file).
    pub fn directory(&mut self, name: &str) -> io::Result<()> {
        self.header(name, b'5', 0)
    }

    /// Writes the end of the archive.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.write_all(&[0; 2 * BLOCK])?;
        Ok(self.inner)
    }

    fn header(&mut self, name: &str, kind: u8, size: u64) -> io::Result<()> {
        let too_large = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if name.len() > 100 {
            return too_large("a name in the archive exceeds the limit of 100 bytes");
        }
        if size > MAX_BYTES {
            return too_large("a file in the archive exceeds the limit of 8 GiB");
        }
        let mut header = [0; BLOCK];
        let mode = if kind == b'5' { 0o755 } else { 0o644 };
        for (at, text) in [
            (0, name.to_owned()),
            (100, format!("{mode:07o}")),
            (108, "0000000".to_owned()),
            (116, "0000000".to_owned()),
            (124, format!("{size:011o}")),
            (136, "00000000000".to_owned()),
            (156, char::from(kind).to_string()),
            (257, "ustar\x0000".to_owned()),
        ] {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
        let sum = format!("{:06o}\0 ", checksum(&header));
        header[148..156].copy_from_slice(sum.as_bytes());
        self.inner.write_all(&header)
    }
}

#[cfg(test)]
mod tests;
