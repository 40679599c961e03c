//! The starting and the final tree, and their files.

use crate::condition::show;
use crate::github::Repository;
use crate::host::{self, state};
use crate::{Condition, Csv, Document, Found, Table};

pub use state::{Change, ChangeKind, Entry, Kind};

/// How many bytes one call asks the host for.
const CHUNK: u64 = 4 << 20;

/// One of the two trees of a verifier.
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

    /// A file by its path from the root of the world. Nothing is read yet.
    pub fn file(&self, path: impl Into<String>) -> File {
        File {
            tree: *self,
            path: path.into(),
        }
    }

    /// The repository of a github world.
    pub fn repository(&self) -> Repository {
        Repository::new(self.which)
    }

    /// What stands at a path: its kind, size, time and digest.
    pub fn entry(&self, path: &str) -> Found<Entry> {
        Found::new(
            path,
            host::stat(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// Whether anything stands at a path.
    pub fn exists(&self, path: &str) -> bool {
        host::stat(self.which, path).is_ok()
    }

    /// The entries of one directory, sorted by the bytes of their names. The empty path is the root.
    pub fn list(&self, path: &str) -> Found<Vec<Entry>> {
        Found::new(
            name_directory(path),
            host::list(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// Every entry below a directory, sorted by the bytes of their paths. The empty path is the root.
    pub fn walk(&self, path: &str) -> Found<Vec<Entry>> {
        Found::new(
            name_directory(path),
            host::walk(self.which, path).map_err(|error| reason(&error)),
        )
    }

    /// The paths of all regular files below a directory, sorted by their bytes.
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

/// A file of a tree, read when it is asked for its content.
#[derive(Clone, Debug)]
pub struct File {
    tree: Tree,
    path: String,
}

impl File {
    /// Its path from the root of the world.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its entry: kind, size, time and digest.
    pub fn entry(&self) -> Found<Entry> {
        self.tree.entry(&self.path)
    }

    /// Holds when a regular file stands here.
    pub fn exists(&self) -> Condition {
        self.entry().satisfies(|entry| match entry.kind {
            Kind::File => Condition::pass(format!("a file of {} bytes", entry.size)),
            other => Condition::fail(format!("expected a file, found a {}", name_kind(other))),
        })
    }

    /// Holds when nothing stands here.
    pub fn is_absent(&self) -> Condition {
        match self.entry().get() {
            Ok(entry) => Condition::fail(format!(
                "{}: expected nothing here, found a {}",
                self.path,
                name_kind(entry.kind)
            )),
            Err(_) => Condition::pass(format!("{}: nothing here, as expected", self.path)),
        }
    }

    /// Holds when a file stands here with the bytes that it has in the starting tree.
    pub fn is_unchanged(&self) -> Condition {
        self.has_bytes_of(&Tree::START.file(self.path.clone()))
    }

    /// Holds when this file and the other one have the same bytes, compared by digest.
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

    /// Its bytes.
    pub fn bytes(&self) -> Found<Vec<u8>> {
        Found::new(&self.path, self.read())
    }

    /// Its text. A byte order mark stays in it as `U+FEFF`, a CRLF as it is.
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

    /// The text as a person means it: without a byte order mark, and each CRLF as LF.
    ///
    /// For reading the starting tree; an output that must be exact is read by [`File::text`].
    pub fn plain_text(&self) -> Found<String> {
        self.text().map(|text| crate::plain(text))
    }

    /// Holds when the text is exactly this; see [`Found::equals`].
    pub fn equals(&self, expected: &str) -> Condition {
        self.text().equals(expected)
    }

    /// Line `number` of the text, from 1, without its line end.
    pub fn line(&self, number: usize) -> Found<String> {
        self.text().line(number)
    }

    /// The lines of the text, without their LF.
    pub fn lines(&self) -> Found<Vec<String>> {
        self.text().lines()
    }

    /// The text as a CSV table with a header, strictly after RFC 4180 with LF or CRLF.
    pub fn csv(&self) -> Found<Table> {
        self.text().then(|text| Csv::strict().read(text))
    }

    /// The text as JSON.
    pub fn json(&self) -> Found<serde_json::Value> {
        self.text().json()
    }

    /// The text as Markdown.
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

/// A directory in words.
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
