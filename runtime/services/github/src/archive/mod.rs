//! Metered read-only access to the repository of a world, for verifiers.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::objs::Kind;
use mcpmark_snapshot::{Blobs, Directory, Node, Tree};

use crate::git::{
    Base, Change, Commit, Entry, EntryKind, Git, GitError, Header, Metered, OBJECT_BYTES, ObjectId,
    Stop, Tag, kind_name,
};
pub use crate::git::{Cost, Meter};

/// Maximum total size of added and removed files for rename detection by content, in bytes.
const COMPARED_BYTES: u64 = 8 << 20;
/// Number of names of loose objects whose search is charged as one object.
const NAMES: u64 = 16;

/// Repository of a world or of a final state.
pub struct Archive {
    git: Git,
    head: String,
}

/// Branch or tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Full name of the ref.
    pub name: String,
    /// Object that the ref points to.
    pub target: ObjectId,
    /// Commit that the ref leads to through tags, if any.
    pub commit: Option<ObjectId>,
}

/// Error of reading a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The ref, object or path does not exist.
    #[error("the object does not exist")]
    NotFound,
    /// The object has another type.
    #[error("the object is a {0}")]
    OtherKind(&'static str),
    /// The revision or id is malformed, or the request exceeds a limit.
    #[error("{0}")]
    Invalid(String),
    /// The repository is damaged.
    #[error(transparent)]
    Git(GitError),
    /// The meter refused the cost.
    #[error("the budget is used up")]
    OverBudget,
}

impl From<GitError> for ReadError {
    fn from(error: GitError) -> Self {
        Stop::Git(error).into()
    }
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::OverBudget => Self::OverBudget,
            Stop::TooMany(most) => {
                Self::Invalid(format!("there are more than {most} entries; ask for less"))
            }
            Stop::Git(error) if error.is_refusal() => Self::Invalid(error.to_string()),
            Stop::Git(error) => Self::Git(error),
        }
    }
}

impl Archive {
    /// Finds the `.git` directory in the tree of a world. Returns `None` if the world has no repository.
    pub fn find(tree: &Tree) -> Option<&Directory> {
        let root = tree.root();
        let repo = root.get("repo").or_else(|| match root.get("env") {
            Some(Node::Directory(env)) => env.get("repo"),
            _ => None,
        })?;
        repo.as_directory()?.get(".git")?.as_directory()
    }

    /// Opens the repository of a `.git` directory. Its objects are copied below `scratch` once per process.
    ///
    /// # Errors
    ///
    /// Returns an error if the repository is damaged or cannot be copied.
    pub fn open(dir: &Directory, blobs: &dyn Blobs, scratch: &Path) -> Result<Self, GitError> {
        let base = Base::open(dir, blobs, scratch)?;
        let head = base.head().unwrap_or("main").to_owned();
        Ok(Self {
            git: Git::new(base),
            head,
        })
    }

    /// Returns the branch that `HEAD` points to, or `main` if it is detached.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Returns the branches and tags, sorted by full name.
    ///
    /// # Errors
    ///
    /// Returns an error if the repository is damaged or the meter refuses the cost.
    pub fn references(&self, meter: Meter<'_>) -> Result<Vec<Reference>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let mut references = Vec::new();
        for prefix in ["refs/heads/", "refs/tags/"] {
            for (name, target) in self.git.refs_below(prefix) {
                metered.objects(1)?;
                metered.spend(Cost::Bytes(name.len() as u64))?;
                references.push(Reference {
                    name: format!("{prefix}{name}"),
                    target,
                    commit: metered.peel(target)?,
                });
            }
        }
        Ok(references)
    }

    /// Resolves a revision to a commit: a branch, a tag, `HEAD`, or the first 7 to 40 digits of an id, optionally
    /// followed by `~N` and `^N`.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit does not exist or the meter refuses the cost.
    pub fn resolve(&self, revision: &str, meter: Meter<'_>) -> Result<ObjectId, ReadError> {
        let metered = Metered::new(&self.git, meter);
        metered.objects(1)?;
        let invalid = || {
            ReadError::Invalid(format!(
                "expected a revision such as \"main\" or \"HEAD~1\", found {revision:?}"
            ))
        };
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (name, steps) = revision.split_at(end);
        let name = if name == "HEAD" { &self.head } else { name };
        let named = match self.git.named(name) {
            Some(id) => Some(id),
            None => {
                metered.objects(self.git.base().loose_beside(name) / NAMES)?;
                self.git.by_id(name)?
            }
        };
        let id = named.map(|id| metered.peel(id)).transpose()?.flatten();
        let mut id = id.ok_or(ReadError::NotFound)?;
        let mut steps = steps.chars().peekable();
        while let Some(sign) = steps.next() {
            let mut digits = String::new();
            while let Some(digit) = steps.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let number: usize = if digits.is_empty() {
                1
            } else {
                digits.parse().map_err(|_| invalid())?
            };
            let (generations, which) = match sign {
                '~' => (number, 1),
                '^' => (1, number),
                _ => return Err(invalid()),
            };
            for _ in 0..generations {
                metered.object(id)?;
                // `^0` is the commit itself.
                if which > 0 {
                    let parents = self.git.commit(id)?.parents;
                    id = *parents.get(which - 1).ok_or(ReadError::NotFound)?;
                }
            }
        }
        Ok(id)
    }

    /// Reads a commit by its id.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit does not exist or the meter refuses the cost.
    pub fn commit(&self, id: &str, meter: Meter<'_>) -> Result<Commit, ReadError> {
        let metered = Metered::new(&self.git, meter);
        Ok(self.git.commit(known(&metered, id, Kind::Commit)?)?)
    }

    /// Reads an annotated tag by the id of its object.
    ///
    /// # Errors
    ///
    /// Returns an error if the tag does not exist or the meter refuses the cost.
    pub fn tag(&self, id: &str, meter: Meter<'_>) -> Result<Tag, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let tag = self.git.tag(known(&metered, id, Kind::Tag)?)?;
        tag.ok_or(ReadError::NotFound)
    }

    /// Returns the commits that are reachable from `start` but not from `stop`, newest first, at most `limit`. With a
    /// path, only commits that changed it compared with their first parent.
    ///
    /// # Errors
    ///
    /// Returns an error if a commit does not exist or the meter refuses the cost.
    pub fn log(
        &self,
        start: &str,
        stop: Option<&str>,
        path: Option<&str>,
        limit: usize,
        meter: Meter<'_>,
    ) -> Result<Vec<Commit>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let start = known(&metered, start, Kind::Commit)?;
        let hidden = match stop {
            Some(id) => metered.history(known(&metered, id, Kind::Commit)?)?,
            None => HashSet::new(),
        };
        let mut commits = Vec::new();
        if limit == 0 {
            return Ok(commits);
        }
        metered.newest_first(start, &hidden, |id| {
            metered.object(id)?;
            let commit = self.git.commit(id)?;
            if let Some(path) = path {
                let of = |entry: Entry| (entry.kind, entry.id);
                let own = at(&metered, commit.tree, path)?.map(of);
                let before = match commit.parents.first() {
                    Some(parent) => {
                        metered.object(*parent)?;
                        at(&metered, self.git.tree_of(*parent)?, path)?.map(of)
                    }
                    None => None,
                };
                if own == before {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            metered.spend(Cost::Bytes(commit.message.len() as u64))?;
            commits.push(commit);
            Ok(if commits.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(commits)
    }

    /// Returns the best common ancestor of two commits.
    ///
    /// # Errors
    ///
    /// Returns an error if a commit does not exist or the meter refuses the cost.
    pub fn merge_base(
        &self,
        one: &str,
        other: &str,
        meter: Meter<'_>,
    ) -> Result<Option<ObjectId>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let one = known(&metered, one, Kind::Commit)?;
        let other = known(&metered, other, Kind::Commit)?;
        Ok(metered.merge_base(one, other)?)
    }

    /// Returns the entry at a path of a commit, with the size in bytes of a file or of the target of a symlink.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit or the path does not exist or the meter refuses the cost.
    pub fn stat(
        &self,
        commit: &str,
        path: &str,
        meter: Meter<'_>,
    ) -> Result<(Entry, u64), ReadError> {
        let metered = Metered::new(&self.git, meter);
        let tree = self.git.tree_of(known(&metered, commit, Kind::Commit)?)?;
        let entry = at(&metered, tree, path)?.ok_or(ReadError::NotFound)?;
        Ok(sized(&metered, entry)?)
    }

    /// Lists all files, symlinks and submodules below a directory of a commit with their sizes in bytes, sorted by
    /// path.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit or the directory does not exist or the meter refuses the cost.
    pub fn walk(
        &self,
        commit: &str,
        path: &str,
        meter: Meter<'_>,
    ) -> Result<Vec<(Entry, u64)>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let tree = self.git.tree_of(known(&metered, commit, Kind::Commit)?)?;
        let root = at(&metered, tree, path)?.ok_or(ReadError::NotFound)?;
        if root.kind != EntryKind::Directory {
            return Err(ReadError::OtherKind("file"));
        }
        let (mut found, mut seen) = (Vec::new(), 0);
        let mut todo = vec![root];
        while let Some(dir) = todo.pop() {
            metered.entries(dir.id, |name, kind, id| {
                let name = name.to_str_lossy();
                let path = match dir.path.as_str() {
                    "" => name.into_owned(),
                    above => format!("{above}/{name}"),
                };
                seen += 1;
                metered.listed(seen, path.as_bytes())?;
                let entry = Entry { path, kind, id };
                match kind {
                    EntryKind::Directory => todo.push(entry),
                    _ => found.push(sized(&metered, entry)?),
                }
                Ok(())
            })?;
        }
        found.sort_unstable_by(|one, other| one.0.path.cmp(&other.0.path));
        Ok(found)
    }

    /// Returns the size of a blob in bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the blob does not exist or the meter refuses the cost.
    pub fn blob_size(&self, id: &str, meter: Meter<'_>) -> Result<u64, ReadError> {
        let metered = Metered::new(&self.git, meter);
        Ok(header(&metered, parse(id)?, Kind::Blob)?.size)
    }

    /// Reads a blob by its id.
    ///
    /// # Errors
    ///
    /// Returns an error if the blob does not exist, is larger than 16 MiB, or the meter refuses the cost.
    pub fn blob(&self, id: &str, meter: Meter<'_>) -> Result<Vec<u8>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        Ok(self.git.blob(known(&metered, id, Kind::Blob)?)?)
    }

    /// Returns the files that differ between two commits, by path. Renames are detected by common lines, or only by
    /// equal content if the added and removed files together are larger than 8 MiB.
    ///
    /// # Errors
    ///
    /// Returns an error if a commit does not exist or the meter refuses the cost.
    pub fn changes(
        &self,
        before: Option<&str>,
        after: &str,
        meter: Meter<'_>,
    ) -> Result<Vec<Change>, ReadError> {
        let metered = Metered::new(&self.git, meter);
        let tree = |id: &str| -> Result<ObjectId, ReadError> {
            Ok(self.git.tree_of(known(&metered, id, Kind::Commit)?)?)
        };
        let (before, after) = (before.map(tree).transpose()?, tree(after)?);
        let replaced = metered.replaced(before, after)?;
        let (mut added, mut removed) = (Sum::default(), Sum::default());
        for change in &replaced {
            match (&change.old, &change.new) {
                (None, Some((_, id))) => added.add(metered.header(*id)?.map_or(0, |it| it.size)),
                (Some((_, id)), None) => removed.add(metered.header(*id)?.map_or(0, |it| it.size)),
                _ => {}
            }
        }
        if added.files == 0 || removed.files == 0 {
            return Ok(replaced);
        }
        // The directories are walked a second time.
        metered.objects(2 * replaced.len() as u64)?;
        if added.bytes.saturating_add(removed.bytes) > COMPARED_BYTES {
            return Ok(self.git.moved(before, after)?);
        }
        // Each added file is compared with each removed file.
        metered.objects(added.files * removed.cost() + removed.files * added.cost())?;
        Ok(self.git.changed(before, after)?)
    }
}

/// Number and total size of files.
#[derive(Default)]
struct Sum {
    files: u64,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn cost(&self) -> u64 {
        self.files + self.bytes / OBJECT_BYTES
    }
}

/// Looks up the entry at a path below a tree.
fn at(metered: &Metered<'_>, tree: ObjectId, path: &str) -> Result<Option<Entry>, Stop> {
    // One directory at a time, because `gix` would read a whole file to see that it is not a directory.
    let mut at = Entry {
        path: String::new(),
        kind: EntryKind::Directory,
        id: tree,
    };
    if path.is_empty() {
        return Ok(Some(at));
    }
    for name in path.split('/') {
        if at.kind != EntryKind::Directory || name.is_empty() {
            return Ok(None);
        }
        let Some(entry) = metered.entry(at.id, name)? else {
            return Ok(None);
        };
        at = entry;
    }
    path.clone_into(&mut at.path);
    Ok(Some(at))
}

fn sized(metered: &Metered<'_>, entry: Entry) -> Result<(Entry, u64), Stop> {
    let size = match entry.kind {
        EntryKind::Directory => 0,
        EntryKind::Submodule => {
            metered.objects(1)?;
            0
        }
        _ => metered.found(entry.id)?.size,
    };
    Ok((entry, size))
}

fn parse(id: &str) -> Result<ObjectId, ReadError> {
    ObjectId::from_hex(id.as_bytes()).map_err(|_| {
        ReadError::Invalid(format!(
            "expected an id of 40 hexadecimal digits, found {id:?}"
        ))
    })
}

fn header(metered: &Metered<'_>, id: ObjectId, kind: Kind) -> Result<Header, ReadError> {
    match metered.header(id)? {
        Some(header) if header.kind == kind => Ok(header),
        Some(header) => Err(ReadError::OtherKind(kind_name(header.kind))),
        None => Err(ReadError::NotFound),
    }
}

/// Returns the id of an object after checking its type and charging for decoding it.
fn known(metered: &Metered<'_>, id: &str, kind: Kind) -> Result<ObjectId, ReadError> {
    let id = parse(id)?;
    let header = header(metered, id, kind)?;
    metered.decode(id, &header)?;
    Ok(id)
}
