//! Starting and final tree, and their files.

use crate::condition::show;
use crate::github::Repository;
use crate::host::{self, state};
use crate::{Condition, Csv, Document, Found, Table};

pub use state::{Change, ChangeKind, Entry, Kind};

/// Number of bytes requested from the host with one call.
const CHUNK: u64 = 4 << 20;

/// Starting or final tree of a verifier.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    which: state::Tree,
}

impl Tree {
    pub(crate) const START: Self = Self {
        which: state::Tree::Start,
    };
    pub(crate) const FINAL: Self = Self {
        which: state::Tree::Final,
    };

    /// Returns a file by its path from the root of the world. Nothing is read yet.
    pub fn file(&self, path: impl Into<String>) -> File {
        File {
            tree: *self,
            path: path.into(),
        }
    }

    /// Returns the repository of a github world.
    pub fn repository(&self) -> Repository {
        Repository::new(self.which)
    }

    /// Returns the entry at a path: its kind, size, time and digest.
    pub fn entry(&self, path: &str) -> Found<Entry> {
        Found::new(
            path,
            host::stat(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// Returns true if there is an entry at the path.
    pub fn exists(&self, path: &str) -> bool {
        host::stat(self.which, path).is_ok()
    }

    /// Returns the entries of one directory, sorted by the bytes of their names. The empty path is
    /// the root.
    pub fn list(&self, path: &str) -> Found<Vec<Entry>> {
        Found::new(
            name_directory(path),
            host::list(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// Returns every entry below a directory, sorted by the bytes of their paths. The empty path is
    /// the root.
    pub fn walk(&self, path: &str) -> Found<Vec<Entry>> {
        Found::new(
            name_directory(path),
            host::walk(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// Returns the paths of all regular files below a directory, sorted by their bytes.
    pub fn files(&self, path: &str) -> Found<Vec<String>> {
        self.walk(path).map(|entries| {
            entries
                .iter()
                .filter(|entry| entry.kind == Kind::File)
                .map(|entry| entry.path.clone())
                .collect()
        })
    }
}

/// A file of a tree. Its content is read on demand.
#[derive(Clone, Debug)]
pub struct File {
    tree: Tree,
    path: String,
}

impl File {
    /// Returns the path from the root of the world.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the entry of the file: its kind, size, time and digest.
    pub fn entry(&self) -> Found<Entry> {
        self.tree.entry(&self.path)
    }

    /// Checks that there is a regular file at the path.
    pub fn exists(&self) -> Condition {
        self.entry().satisfies(|entry| match entry.kind {
            Kind::File => Condition::pass(format!("a file of {} bytes", entry.size)),
            other => Condition::fail(format!("expected a file, found a {}", name_kind(other))),
        })
    }

    /// Checks that there is nothing at the path. An invalid path fails the check.
    pub fn is_absent(&self) -> Condition {
        let path = &self.path;
        match host::stat(self.tree.which, path) {
            Ok(entry) => Condition::fail(format!(
                "{path}: expected nothing here, found a {}",
                name_kind(entry.kind)
            )),
            Err(state::Error::NotFound | state::Error::NotADirectory) => {
                Condition::pass(format!("{path}: nothing here, as expected"))
            }
            Err(error) => Condition::fail(format!("{path}: {}", reason(&error))),
        }
    }

    /// Checks that the file exists and has the same bytes as in the starting tree.
    pub fn is_unchanged(&self) -> Condition {
        self.has_bytes_of(&Tree::START.file(self.path.clone()))
    }

    /// Checks that this file and the other one have the same bytes, compared by digest.
    pub fn has_bytes_of(&self, other: &File) -> Condition {
        let of_file = |file: &File| {
            file.entry().try_map(|entry| match entry.kind {
                Kind::File => Ok((entry.digest.clone(), entry.size)),
                kind => Err(format!("expected a file, found a {}", name_kind(kind))),
            })
        };
        let expected = match of_file(other).get() {
            Ok(expected) => expected.clone(),
            Err(reason) => return Condition::fail(reason),
        };
        of_file(self).satisfies(|found| {
            if *found == expected {
                Condition::pass("the bytes are as expected")
            } else {
                Condition::fail(format!(
                    "expected the {} bytes of {}{}, found {} other bytes",
                    expected.1,
                    if other.tree.which == state::Tree::Start {
                        "the starting "
                    } else {
                        ""
                    },
                    other.path,
                    found.1
                ))
            }
        })
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Found<Vec<u8>> {
        Found::new(&self.path, self.read())
    }

    /// Returns the text of the file. A byte order mark stays as `U+FEFF`, and CRLF stays.
    pub fn text(&self) -> Found<String> {
        let text = self.read().and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| {
                format!(
                    "expected UTF-8, found another byte at offset {}",
                    error.utf8_error().valid_up_to()
                )
            })
        });
        Found::new(&self.path, text)
    }

    /// Returns the text without its byte order mark, and with LF instead of CRLF.
    ///
    /// Use it to read the starting tree. If an output must be exact, read it with [`File::text`].
    pub fn plain_text(&self) -> Found<String> {
        self.text().map(|text| crate::plain(text))
    }

    /// Checks that the text equals `expected`; see [`Found::equals`].
    pub fn equals(&self, expected: &str) -> Condition {
        self.text().equals(expected)
    }

    /// Returns line `number` of the text, from 1, without its LF.
    pub fn line(&self, number: usize) -> Found<String> {
        self.text().line(number)
    }

    /// Returns the lines of the text, without their LF.
    pub fn lines(&self) -> Found<Vec<String>> {
        self.text().lines()
    }

    /// Reads the text as a CSV table with a header, strictly by RFC 4180 with LF or CRLF.
    pub fn csv(&self) -> Found<Table> {
        self.text().then(|text| Csv::strict().read(text))
    }

    /// Parses the text as JSON.
    pub fn json(&self) -> Found<serde_json::Value> {
        self.text().json()
    }

    /// Parses the text as Markdown.
    pub fn markdown(&self) -> Found<Document> {
        self.text().markdown()
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        loop {
            let part = host::read(self.tree.which, &self.path, content.len() as u64, CHUNK)
                .map_err(|error| reason(&error))?;
            let is_last = (part.len() as u64) < CHUNK;
            if content.is_empty() {
                content = part;
            } else {
                content.extend_from_slice(&part);
            }
            if is_last {
                return Ok(content);
            }
        }
    }
}

/// Returns the name of a directory for messages.
fn name_directory(path: &str) -> String {
    if path.is_empty() {
        "the root of the world".to_owned()
    } else {
        path.to_owned()
    }
}

pub(crate) fn name_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directory",
        Kind::File => "file",
        Kind::Symlink => "symlink",
    }
}

fn reason(error: &state::Error) -> String {
    match error {
        state::Error::NotFound => "there is no such file".to_owned(),
        state::Error::NotAFile => "this is not a regular file".to_owned(),
        state::Error::NotADirectory => "this is not a directory".to_owned(),
        state::Error::InvalidPath(rule) => format!("invalid path: {}", show(rule)),
    }
}
