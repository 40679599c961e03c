//! Reads commits, trees, blobs and tags.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::{Git, GitError, strict};
use crate::call;

/// Maximum number of entries below a tree.
pub(super) const MAX_ENTRIES: usize = 1_000_000;
/// Maximum length of a path, in bytes.
pub(super) const MAX_PATH: usize = 4_096;

/// Author, committer or tagger with the time of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Full name.
    pub name: String,
    /// Email address.
    pub email: String,
    /// Time, in seconds since 1970-01-01 UTC.
    pub seconds: i64,
    /// Offset of the local time from UTC, in seconds.
    pub offset: i32,
}

/// Parsed commit.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Id of the commit.
    pub id: ObjectId,
    /// Id of its tree.
    pub tree: ObjectId,
    /// Ids of its parents. The first is the branch that was merged into.
    pub parents: Vec<ObjectId>,
    /// Author and time of writing.
    pub author: Identity,
    /// Committer and time of the commit.
    pub committer: Identity,
    /// Message without trailing line feeds.
    pub message: String,
}

impl Commit {
    /// Returns the first line of the message.
    pub fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Kind of a tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// Subtree.
    Directory,
    /// Regular file.
    File,
    /// Executable file.
    Executable,
    /// Symbolic link.
    Symlink,
    /// Commit of another repository.
    Submodule,
}

impl EntryKind {
    pub(super) fn of(mode: gix::objs::tree::EntryMode) -> Self {
        match mode.kind() {
            gix::objs::tree::EntryKind::Tree => Self::Directory,
            gix::objs::tree::EntryKind::Blob => Self::File,
            gix::objs::tree::EntryKind::BlobExecutable => Self::Executable,
            gix::objs::tree::EntryKind::Link => Self::Symlink,
            gix::objs::tree::EntryKind::Commit => Self::Submodule,
        }
    }

    /// Returns the file mode as git writes it, in octal.
    pub fn mode(self) -> &'static str {
        match self {
            Self::Directory => "040000",
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns the type of the object that the entry refers to.
    pub fn object(self) -> &'static str {
        match self {
            Self::Directory => "tree",
            Self::Submodule => "commit",
            _ => "blob",
        }
    }
}

/// Entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path from the root of the repository.
    pub path: String,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Id of its object.
    pub id: ObjectId,
}

impl Entry {
    /// Returns the last segment of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// Annotated tag.
#[derive(Debug, Clone)]
pub struct Tag {
    /// Id of the tag object.
    pub id: ObjectId,
    /// Name of the tag.
    pub name: String,
    /// Id of the tagged object.
    pub target: ObjectId,
    /// Type of the tagged object: `commit`, `tree`, `blob` or `tag`.
    pub target_kind: &'static str,
    /// Tagger and time, if recorded.
    pub tagger: Option<Identity>,
    /// Message without trailing line feeds.
    pub message: String,
}

/// Size of the content below a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// Number of files and directories.
    pub(crate) files: u64,
    /// Length of the longest path, in bytes.
    pub(crate) longest: u64,
}

impl Below {
    const ENDLESS: Self = Self {
        files: u64::MAX,
        longest: u64::MAX,
    };

    /// Adds an entry with the length of its name in bytes and the size of its content.
    fn add(&mut self, name: usize, below: Self) {
        let longest = match below.longest {
            0 => name as u64,
            rest => rest.saturating_add(name as u64 + 1),
        };
        self.files = self.files.saturating_add(below.files).saturating_add(1);
        self.longest = self.longest.max(longest);
    }
}

impl Git {
    /// Reads a commit.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, GitError> {
        call::checkpoint()?;
        let object = self.repo.find_commit(id).map_err(GitError::of(id))?;
        let commit = object.decode().map_err(GitError::of(id))?;
        Ok(Commit {
            id,
            tree: commit.tree(),
            parents: commit.parents().collect(),
            author: identity(commit.author()?)?,
            committer: identity(commit.committer()?)?,
            message: commit
                .message
                .to_str_lossy()
                .trim_end_matches('\n')
                .to_owned(),
        })
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        let found = self
            .repo
            .find_commit(commit)
            .map_err(GitError::of(commit))?;
        Ok(found.tree_id().map_err(GitError::of(commit))?.detach())
    }

    /// Looks up a path below a tree. An empty path is the tree itself.
    pub fn entry(&self, tree: ObjectId, path: &str) -> Result<Option<Entry>, GitError> {
        if path.is_empty() {
            return Ok(Some(Entry {
                path: String::new(),
                kind: EntryKind::Directory,
                id: tree,
            }));
        }
        let top = self.repo.find_tree(tree).map_err(GitError::of(tree))?;
        let found = top.lookup_entry(path.split('/'))?;
        Ok(found.map(|entry| Entry {
            path: path.to_owned(),
            kind: EntryKind::of(entry.mode()),
            id: entry.object_id(),
        }))
    }

    /// Reads the entries of a tree that is at `path`, in the order of the tree.
    pub fn entries(&self, tree: ObjectId, path: &str) -> Result<Vec<Entry>, GitError> {
        call::checkpoint()?;
        let object = self.repo.find_tree(tree).map_err(GitError::of(tree))?;
        let mut entries = Vec::new();
        for entry in object.iter() {
            let entry = entry?;
            let name = entry.filename().to_str_lossy();
            entries.push(Entry {
                path: match path {
                    "" => name.into_owned(),
                    _ => format!("{path}/{name}"),
                },
                kind: EntryKind::of(entry.mode()),
                id: entry.object_id(),
            });
        }
        Ok(entries)
    }

    /// Looks up the URL of a submodule in the `.gitmodules` file of a tree.
    pub(crate) fn submodule_url(
        &self,
        tree: ObjectId,
        path: &str,
    ) -> Result<Option<String>, GitError> {
        let modules = self.entry(tree, ".gitmodules")?;
        let Some(modules) = modules.filter(|entry| entry.kind.object() == "blob") else {
            return Ok(None);
        };
        Ok(strict::submodule_url(&self.blob(modules.id)?, path))
    }

    /// Lists all entries below a tree, each directory before its content.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than a million entries or a path is longer than 4,096 bytes. The limits are
    /// needed because a few nested objects can describe an exponentially large tree.
    pub fn walk(&self, tree: ObjectId) -> Result<Vec<Entry>, GitError> {
        let mut all = Vec::new();
        let mut held = call::reserve(0)?;
        // Iterative, because a tree can be deeper than the stack allows.
        let mut todo = self.entries(tree, "")?;
        todo.reverse();
        while let Some(entry) = todo.pop() {
            if all.len() + todo.len() >= MAX_ENTRIES || entry.path.len() > MAX_PATH {
                return Err(GitError::Refused(format!(
                    "tree {tree} has more than {MAX_ENTRIES} entries, or a path of more than {MAX_PATH} bytes"
                )));
            }
            if entry.kind == EntryKind::Directory {
                todo.extend(self.entries(entry.id, &entry.path)?.into_iter().rev());
            }
            held.grow((size_of::<Entry>() + entry.path.len()) as u64)?;
            all.push(entry);
        }
        Ok(all)
    }

    /// Counts the content below a tree. The result of each tree is cached, so that a repeated subtree is not counted
    /// again. A tree that contains itself counts as endless.
    pub(crate) fn below(&self, root: ObjectId) -> Result<Below, GitError> {
        let mut known = self.below.borrow_mut();
        // Iterative, because a tree can be deeper than the stack allows.
        let (mut todo, mut begun) = (vec![root], HashSet::new());
        while let Some(&tree) = todo.last() {
            if known.contains_key(&tree) {
                todo.pop();
                continue;
            }
            call::checkpoint()?;
            let again = !begun.insert(tree);
            let (mut sum, waiting) = (Below::default(), todo.len());
            for entry in self.entries(tree, "")? {
                let below = match (entry.kind, known.get(&entry.id)) {
                    (EntryKind::Directory, Some(below)) => *below,
                    (EntryKind::Directory, None) if again || begun.contains(&entry.id) => {
                        Below::ENDLESS
                    }
                    (EntryKind::Directory, None) => {
                        todo.push(entry.id);
                        Below::default()
                    }
                    _ => Below::default(),
                };
                sum.add(entry.path.len(), below);
            }
            if todo.len() == waiting {
                known.insert(tree, sum);
                todo.pop();
            }
        }
        Ok(known.get(&root).copied().unwrap_or(Below::ENDLESS))
    }

    /// Returns the number of files and directories below a tree.
    pub(crate) fn files_below(&self, tree: ObjectId) -> Result<u64, GitError> {
        Ok(self.below(tree)?.files)
    }

    /// Refuses a tree with a path longer than verifiers can read.
    pub(super) fn check_paths(&self, tree: ObjectId) -> Result<(), GitError> {
        let longest = self.below(tree)?.longest;
        if longest > MAX_PATH as u64 {
            Err(GitError::Refused(format!(
                "a path in the tree has {longest} bytes, and at most {MAX_PATH} are allowed"
            )))
        } else {
            Ok(())
        }
    }

    /// Reads the bytes of a blob.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        call::checkpoint()?;
        Ok(self
            .repo
            .find_blob(id)
            .map_err(GitError::of(id))?
            .take_data())
    }

    /// Returns the size of a blob in bytes.
    pub fn size(&self, id: ObjectId) -> Result<u64, GitError> {
        Ok(self.repo.find_header(id).map_err(GitError::of(id))?.size())
    }

    /// Returns the type of an object, or `None` if it does not exist.
    pub(crate) fn kind(&self, id: ObjectId) -> Result<Option<&'static str>, GitError> {
        let header = self.repo.try_find_header(id).map_err(GitError::of(id))?;
        Ok(header.map(|header| kind_name(header.kind())))
    }

    /// Reads an annotated tag. Returns `None` if the object does not exist or is not a tag.
    pub fn tag(&self, id: ObjectId) -> Result<Option<Tag>, GitError> {
        let Some(object) = self.repo.try_find_object(id).map_err(GitError::of(id))? else {
            return Ok(None);
        };
        if object.kind != gix::objs::Kind::Tag {
            return Ok(None);
        }
        let object = object.into_tag();
        let tag = object.decode()?;
        Ok(Some(Tag {
            id,
            name: tag.name.to_str_lossy().into_owned(),
            target: tag.target(),
            target_kind: kind_name(tag.target_kind),
            tagger: tag.tagger()?.map(identity).transpose()?,
            message: tag.message.to_str_lossy().trim_end_matches('\n').to_owned(),
        }))
    }
}

pub(crate) fn kind_name(kind: gix::objs::Kind) -> &'static str {
    match kind {
        gix::objs::Kind::Commit => "commit",
        gix::objs::Kind::Tree => "tree",
        gix::objs::Kind::Blob => "blob",
        gix::objs::Kind::Tag => "tag",
    }
}

fn identity(signature: gix::actor::SignatureRef<'_>) -> Result<Identity, GitError> {
    let time = signature.time()?;
    Ok(Identity {
        name: signature.name.to_str_lossy().trim().to_owned(),
        email: signature.email.to_str_lossy().trim().to_owned(),
        seconds: time.seconds,
        offset: time.offset,
    })
}
