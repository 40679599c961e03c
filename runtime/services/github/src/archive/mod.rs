//! The repository of a world for those who only read it, and pay for it: verifiers.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::objs::Kind;
use mcpmark_snapshot::{Blobs, Directory, Node, Tree};

use crate::git::{
    Base, Change, Commit, Entry, EntryKind, Git, GitError, Header, OBJECT_BYTES, ObjectId, Paid,
    Stop, Tag, kind_name,
};
pub use crate::git::{Cost, Meter};

/// Bytes of files up to which their lines are compared to find renames.
const COMPARED_BYTES: u64 = 8 << 20;
/// Loose files of which looking at the names costs as much as an object.
const NAMES: u64 = 16;

/// A repository as a world or a final state has it.
pub struct Archive {
    git: Git,
    head: String,
}

/// A branch or a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its whole name.
    pub name: String,
    /// The object it names.
    pub target: ObjectId,
    /// The commit that it comes to.
    pub commit: Option<ObjectId>,
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such ref, object or path.
    #[error("there is none")]
    NotFound,
    /// The object is of another kind.
    #[error("this is a {0}")]
    OtherKind(&'static str),
    /// A revision or id that cannot be one, or more than is read at once.
    #[error("{0}")]
    Invalid(String),
    /// The repository is damaged.
    #[error(transparent)]
    Git(GitError),
    /// Whoever asks cannot pay for the answer.
    #[error("there is nothing left to pay with")]
    Spent,
}

impl From<GitError> for ReadError {
    fn from(error: GitError) -> Self {
        Stop::Git(error).into()
    }
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Spent => Self::Spent,
            Stop::TooMany(most) => {
                Self::Invalid(format!("there are more than {most} entries; ask for less"))
            }
            Stop::Git(error) if error.is_refusal() => Self::Invalid(error.to_string()),
            Stop::Git(error) => Self::Git(error),
        }
    }
}

impl Archive {
    /// The directory of the repository in the tree of a world; none where the world has none.
    pub fn find(tree: &Tree) -> Option<&Directory> {
        let root = tree.root();
        let repo = root.get("repo").or_else(|| match root.get("env") {
            Some(Node::Directory(env)) => env.get("repo"),
            _ => None,
        })?;
        repo.as_directory()?.get(".git")?.as_directory()
    }

    /// Opens the repository in its directory; its objects are copied below `scratch` once a process.
    ///
    /// # Errors
    ///
    /// When the repository is damaged or cannot be copied.
    pub fn open(dir: &Directory, blobs: &dyn Blobs, scratch: &Path) -> Result<Self, GitError> {
        let base = Base::open(dir, blobs, scratch)?;
        let head = base.head().unwrap_or("main").to_owned();
        Ok(Self {
            git: Git::new(base),
            head,
        })
    }

    /// The branch that `HEAD` names.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Branches and tags, sorted by name.
    ///
    /// # Errors
    ///
    /// When the repository is damaged, or the meter stops it.
    pub fn references(&self, meter: Meter<'_>) -> Result<Vec<Reference>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let mut references = Vec::new();
        for prefix in ["refs/heads/", "refs/tags/"] {
            for (name, target) in self.git.refs_below(prefix) {
                paid.objects(1)?;
                paid.spend(Cost::Bytes(name.len() as u64))?;
                references.push(Reference {
                    name: format!("{prefix}{name}"),
                    target,
                    commit: paid.peel(target)?,
                });
            }
        }
        Ok(references)
    }

    /// The commit of a branch, a tag, `HEAD`, or the first 7 to 40 digits of an id; `~N` and `^N`
    /// may follow.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn resolve(&self, revision: &str, meter: Meter<'_>) -> Result<ObjectId, ReadError> {
        let paid = Paid::new(&self.git, meter);
        paid.objects(1)?;
        let invalid = || ReadError::Invalid(format!("{revision:?} is no revision"));
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (name, steps) = revision.split_at(end);
        let name = if name == "HEAD" { &self.head } else { name };
        let named = match self.git.named(name) {
            Some(id) => Some(id),
            None => {
                paid.objects(self.git.base().loose_beside(name) / NAMES)?;
                self.git.by_id(name)?
            }
        };
        let id = named.map(|id| paid.peel(id)).transpose()?.flatten();
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
                paid.object(id)?;
                // `^0` is the commit itself.
                if which > 0 {
                    let parents = self.git.commit(id)?.parents;
                    id = *parents.get(which - 1).ok_or(ReadError::NotFound)?;
                }
            }
        }
        Ok(id)
    }

    /// A commit by its id.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn commit(&self, id: &str, meter: Meter<'_>) -> Result<Commit, ReadError> {
        let paid = Paid::new(&self.git, meter);
        Ok(self.git.commit(known(&paid, id, Kind::Commit)?)?)
    }

    /// An annotated tag by the id of its object.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn tag(&self, id: &str, meter: Meter<'_>) -> Result<Tag, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let tag = self.git.tag(known(&paid, id, Kind::Tag)?)?;
        tag.ok_or(ReadError::NotFound)
    }

    /// Commits that `start` reaches and `stop` does not, the youngest first; with a path, those
    /// that changed it against their first parent. At most `limit`.
    ///
    /// # Errors
    ///
    /// When a commit is not there, or the meter stops it.
    pub fn log(
        &self,
        start: &str,
        stop: Option<&str>,
        path: Option<&str>,
        limit: usize,
        meter: Meter<'_>,
    ) -> Result<Vec<Commit>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let start = known(&paid, start, Kind::Commit)?;
        let hidden = match stop {
            Some(id) => paid.history(known(&paid, id, Kind::Commit)?)?,
            None => HashSet::new(),
        };
        let mut commits = Vec::new();
        if limit == 0 {
            return Ok(commits);
        }
        paid.newest_first(start, &hidden, |id| {
            paid.object(id)?;
            let commit = self.git.commit(id)?;
            if let Some(path) = path {
                let of = |entry: Entry| (entry.kind, entry.id);
                let own = at(&paid, commit.tree, path)?.map(of);
                let before = match commit.parents.first() {
                    Some(parent) => {
                        paid.object(*parent)?;
                        at(&paid, self.git.tree_of(*parent)?, path)?.map(of)
                    }
                    None => None,
                };
                if own == before {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            paid.spend(Cost::Bytes(commit.message.len() as u64))?;
            commits.push(commit);
            Ok(if commits.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(commits)
    }

    /// The best common ancestor of two commits.
    ///
    /// # Errors
    ///
    /// When one is not there, or the meter stops it.
    pub fn merge_base(
        &self,
        one: &str,
        other: &str,
        meter: Meter<'_>,
    ) -> Result<Option<ObjectId>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let one = known(&paid, one, Kind::Commit)?;
        let other = known(&paid, other, Kind::Commit)?;
        Ok(paid.merge_base(one, other)?)
    }

    /// What stands at a path of a commit, and bytes of a file or of a link's target.
    ///
    /// # Errors
    ///
    /// When there is no such commit or path, or the meter stops it.
    pub fn stat(
        &self,
        commit: &str,
        path: &str,
        meter: Meter<'_>,
    ) -> Result<(Entry, u64), ReadError> {
        let paid = Paid::new(&self.git, meter);
        let tree = self.git.tree_of(known(&paid, commit, Kind::Commit)?)?;
        let entry = at(&paid, tree, path)?.ok_or(ReadError::NotFound)?;
        Ok(sized(&paid, entry)?)
    }

    /// Every file, link and submodule below a directory of a commit with its bytes, by path.
    ///
    /// # Errors
    ///
    /// When there is no such commit or directory, or the meter stops it.
    pub fn walk(
        &self,
        commit: &str,
        path: &str,
        meter: Meter<'_>,
    ) -> Result<Vec<(Entry, u64)>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let tree = self.git.tree_of(known(&paid, commit, Kind::Commit)?)?;
        let root = at(&paid, tree, path)?.ok_or(ReadError::NotFound)?;
        if root.kind != EntryKind::Directory {
            return Err(ReadError::OtherKind("file"));
        }
        let (mut found, mut seen) = (Vec::new(), 0);
        let mut todo = vec![root];
        while let Some(dir) = todo.pop() {
            paid.entries(dir.id, |name, kind, id| {
                let name = name.to_str_lossy();
                let path = match dir.path.as_str() {
                    "" => name.into_owned(),
                    above => format!("{above}/{name}"),
                };
                seen += 1;
                paid.listed(seen, path.as_bytes())?;
                let entry = Entry { path, kind, id };
                match kind {
                    EntryKind::Directory => todo.push(entry),
                    _ => found.push(sized(&paid, entry)?),
                }
                Ok(())
            })?;
        }
        found.sort_unstable_by(|one, other| one.0.path.cmp(&other.0.path));
        Ok(found)
    }

    /// Bytes of a blob.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn blob_size(&self, id: &str, meter: Meter<'_>) -> Result<u64, ReadError> {
        let paid = Paid::new(&self.git, meter);
        Ok(header(&paid, parse(id)?, Kind::Blob)?.size)
    }

    /// A blob by its id.
    ///
    /// # Errors
    ///
    /// When there is none, it has more than 16 MiB, or the meter stops it.
    pub fn blob(&self, id: &str, meter: Meter<'_>) -> Result<Vec<u8>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        Ok(self.git.blob(known(&paid, id, Kind::Blob)?)?)
    }

    /// The files that differ between two commits, by path, with renames found: by their lines, or
    /// where files of more than 8 MiB together came and went, by equal bytes.
    ///
    /// # Errors
    ///
    /// When one is not there, or the meter stops it.
    pub fn changes(
        &self,
        before: Option<&str>,
        after: &str,
        meter: Meter<'_>,
    ) -> Result<Vec<Change>, ReadError> {
        let paid = Paid::new(&self.git, meter);
        let tree = |id: &str| -> Result<ObjectId, ReadError> {
            Ok(self.git.tree_of(known(&paid, id, Kind::Commit)?)?)
        };
        let (before, after) = (before.map(tree).transpose()?, tree(after)?);
        let replaced = paid.replaced(before, after)?;
        let (mut added, mut removed) = (Sum::default(), Sum::default());
        for change in &replaced {
            match (&change.old, &change.new) {
                (None, Some((_, id))) => added.add(paid.header(*id)?.map_or(0, |it| it.size)),
                (Some((_, id)), None) => removed.add(paid.header(*id)?.map_or(0, |it| it.size)),
                _ => {}
            }
        }
        if added.files == 0 || removed.files == 0 {
            return Ok(replaced);
        }
        // The directories are walked once more.
        paid.objects(2 * replaced.len() as u64)?;
        if added.bytes.saturating_add(removed.bytes) > COMPARED_BYTES {
            return Ok(self.git.moved(before, after)?);
        }
        // Each file that was added is compared with each that was removed.
        paid.objects(added.files * removed.cost() + removed.files * added.cost())?;
        Ok(self.git.changed(before, after)?)
    }
}

/// Files, all together.
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

/// What stands at a path below a tree.
fn at(paid: &Paid<'_>, tree: ObjectId, path: &str) -> Result<Option<Entry>, Stop> {
    // Step by step: the engine would read a file whole to see that it is no directory.
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
        let Some(entry) = paid.entry(at.id, name)? else {
            return Ok(None);
        };
        at = entry;
    }
    path.clone_into(&mut at.path);
    Ok(Some(at))
}

fn sized(paid: &Paid<'_>, entry: Entry) -> Result<(Entry, u64), Stop> {
    let size = match entry.kind {
        EntryKind::Directory => 0,
        EntryKind::Submodule => {
            paid.objects(1)?;
            0
        }
        _ => paid.found(entry.id)?.size,
    };
    Ok((entry, size))
}

fn parse(id: &str) -> Result<ObjectId, ReadError> {
    ObjectId::from_hex(id.as_bytes())
        .map_err(|_| ReadError::Invalid(format!("{id:?} is no id of 40 hexadecimal digits")))
}

fn header(paid: &Paid<'_>, id: ObjectId, kind: Kind) -> Result<Header, ReadError> {
    match paid.header(id)? {
        Some(header) if header.kind == kind => Ok(header),
        Some(header) => Err(ReadError::OtherKind(kind_name(header.kind))),
        None => Err(ReadError::NotFound),
    }
}

/// An object of this kind, which is decoded next.
fn known(paid: &Paid<'_>, id: &str, kind: Kind) -> Result<ObjectId, ReadError> {
    let id = parse(id)?;
    let header = header(paid, id, kind)?;
    paid.decode(id, &header)?;
    Ok(id)
}
