//! The repository of a world for those who only read it, and pay for it: verifiers.

use std::cell::OnceCell;
use std::path::Path;

use mcpmark_snapshot::{Blobs, Directory, Node, Tree};

use crate::git::{Base, Change, Commit, Entry, EntryKind, Git, GitError, ObjectId, Tag};

/// Bytes of a blob that cost as much as an object.
const OBJECT_BYTES: u64 = 4 << 10;

/// A repository as a world or a final state has it.
pub struct Archive {
    git: Git,
    head: String,
    /// Commits that its refs reach, once somebody has paid for counting them.
    commits: OnceCell<u64>,
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
    /// A revision or id that cannot be one.
    #[error("{0}")]
    Invalid(String),
    /// The repository is damaged.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Whoever asks cannot pay for the answer.
    #[error("there is nothing left to pay with")]
    Spent,
}

/// Is told of work before it is done, in objects that are read. False stops it.
pub type Meter<'a> = &'a mut dyn FnMut(u64) -> bool;

fn pay(meter: Meter<'_>, objects: u64) -> Result<(), ReadError> {
    meter(objects).then_some(()).ok_or(ReadError::Spent)
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
            commits: OnceCell::new(),
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
        let mut references = Vec::new();
        for prefix in ["refs/heads/", "refs/tags/"] {
            for (name, target) in self.git.refs_below(prefix) {
                pay(meter, 2)?;
                references.push(Reference {
                    name: format!("{prefix}{name}"),
                    target,
                    commit: self.git.peel(target)?,
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
        pay(meter, 2)?;
        let invalid = || ReadError::Invalid(format!("{revision:?} is no revision"));
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (name, steps) = revision.split_at(end);
        let name = if name == "HEAD" { &self.head } else { name };
        let mut id = self.git.resolve(name)?.ok_or(ReadError::NotFound)?;
        let mut steps = steps.chars().peekable();
        while let Some(sign) = steps.next() {
            let mut digits = String::new();
            while let Some(digit) = steps.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let number: usize = match digits.is_empty() {
                true => 1,
                false => digits.parse().map_err(|_| invalid())?,
            };
            let (generations, which) = match sign {
                '~' => (number, 1),
                '^' => (1, number),
                _ => return Err(invalid()),
            };
            for _ in 0..generations {
                pay(meter, 1)?;
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
        pay(meter, 1)?;
        Ok(self.git.commit(self.known(id, "commit")?)?)
    }

    /// An annotated tag by the id of its object.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn tag(&self, id: &str, meter: Meter<'_>) -> Result<Tag, ReadError> {
        pay(meter, 1)?;
        let tag = self.git.tag(self.known(id, "tag")?)?;
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
        let start = self.known(start, "commit")?;
        let stop = stop.map(|id| self.known(id, "commit")).transpose()?;
        if stop.is_some() {
            // What is left out is walked before the first commit comes.
            self.history(meter)?;
        }
        let mut commits = Vec::new();
        for id in self.git.newest_first([start], stop)? {
            if commits.len() >= limit {
                break;
            }
            pay(meter, 1)?;
            let commit = self.git.commit(id?)?;
            if let Some(path) = path {
                let of = |entry: Entry| (entry.kind, entry.id);
                let own = self.at(commit.tree, path, meter)?.map(of);
                let before = match commit.parents.first() {
                    Some(parent) => self.at(self.git.tree_of(*parent)?, path, meter)?.map(of),
                    None => None,
                };
                if own == before {
                    continue;
                }
            }
            commits.push(commit);
        }
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
        let (one, other) = (self.known(one, "commit")?, self.known(other, "commit")?);
        self.history(meter)?;
        Ok(self.git.merge_base(one, other)?)
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
        pay(meter, 1)?;
        let tree = self.git.tree_of(self.known(commit, "commit")?)?;
        let entry = self.at(tree, path, meter)?.ok_or(ReadError::NotFound)?;
        self.sized(entry)
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
        pay(meter, 1)?;
        let tree = self.git.tree_of(self.known(commit, "commit")?)?;
        let root = self.at(tree, path, meter)?.ok_or(ReadError::NotFound)?;
        if root.kind != EntryKind::Directory {
            return Err(ReadError::OtherKind("file"));
        }
        let mut found = Vec::new();
        let mut todo = vec![root];
        while let Some(dir) = todo.pop() {
            for entry in self.git.entries(dir.id, &dir.path)? {
                pay(meter, 1)?;
                match entry.kind {
                    EntryKind::Directory => todo.push(entry),
                    _ => found.push(self.sized(entry)?),
                }
            }
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
        pay(meter, 1)?;
        Ok(self.git.size(self.known(id, "blob")?)?)
    }

    /// A blob by its id.
    ///
    /// # Errors
    ///
    /// When there is none, or the meter stops it.
    pub fn blob(&self, id: &str, meter: Meter<'_>) -> Result<Vec<u8>, ReadError> {
        let id = self.known(id, "blob")?;
        pay(meter, 1 + self.git.size(id)? / OBJECT_BYTES)?;
        Ok(self.git.blob(id)?)
    }

    /// The files that differ between two commits, by path, with renames found.
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
        let tree = |id: &str| -> Result<ObjectId, ReadError> {
            Ok(self.git.tree_of(self.known(id, "commit")?)?)
        };
        let (before, after) = (before.map(tree).transpose()?, tree(after)?);
        // Each directory that differs is read, and none is without a file that does.
        pay(meter, 2)?;
        let replaced = self.git.replaced(before, after)?;
        pay(meter, 2 * replaced.len() as u64)?;
        let (mut added, mut removed) = ((0, 0), (0, 0));
        for change in &replaced {
            let (count, (_, id)) = match (&change.old, &change.new) {
                (None, Some(side)) => (&mut added, side),
                (Some(side), None) => (&mut removed, side),
                _ => continue,
            };
            count.0 += 1;
            count.1 += 1 + self.git.size(*id).unwrap_or(0) / OBJECT_BYTES;
        }
        if added.0 == 0 || removed.0 == 0 {
            return Ok(replaced);
        }
        // To find renames, each file that was added is compared with each that was removed.
        pay(meter, added.0 * removed.1 + removed.0 * added.1)?;
        Ok(self.git.changed(before, after)?)
    }

    /// What stands at a path below a tree.
    fn at(&self, tree: ObjectId, path: &str, meter: Meter<'_>) -> Result<Option<Entry>, ReadError> {
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
            pay(meter, 1)?;
            if at.kind != EntryKind::Directory || name.is_empty() {
                return Ok(None);
            }
            let Some(entry) = self.git.entry(at.id, name)? else {
                return Ok(None);
            };
            at = entry;
        }
        path.clone_into(&mut at.path);
        Ok(Some(at))
    }

    fn sized(&self, entry: Entry) -> Result<(Entry, u64), ReadError> {
        let size = match entry.kind {
            EntryKind::Directory | EntryKind::Submodule => 0,
            _ => self.git.size(entry.id)?,
        };
        Ok((entry, size))
    }

    /// Pays for a walk over the whole history.
    fn history(&self, meter: Meter<'_>) -> Result<(), ReadError> {
        if let Some(commits) = self.commits.get() {
            return pay(meter, *commits);
        }
        let mut tips = Vec::new();
        for (_, target) in self.git.refs_below("refs/") {
            tips.extend(self.git.peel(target)?);
        }
        let mut commits = 0;
        for id in self.git.newest_first(tips, [])? {
            pay(meter, 1)?;
            id?;
            commits += 1;
        }
        let _ = self.commits.set(commits);
        pay(meter, commits)
    }

    /// An object of this kind.
    fn known(&self, id: &str, kind: &'static str) -> Result<ObjectId, ReadError> {
        let id = ObjectId::from_hex(id.as_bytes())
            .map_err(|_| ReadError::Invalid(format!("{id:?} is no id of 40 hexadecimal digits")))?;
        match self.git.kind(id)? {
            Some(found) if found == kind => Ok(id),
            Some(found) => Err(ReadError::OtherKind(found)),
            None => Err(ReadError::NotFound),
        }
    }
}
