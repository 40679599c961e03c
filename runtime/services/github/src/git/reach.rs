//! The objects that a session has added and that a ref still reaches.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::objs::{Exists, Kind};

use super::loose;
use super::pack::Pack;
use super::{EntryKind, Git, GitError};

/// The most objects that are written as files of their own. More are packed, as a store writes and syncs file by file.
const MOST_LOOSE: usize = 1_000;
/// The most bytes of a pack whose index has offsets of 31 bits.
const MOST_PACKED: u64 = 1 << 31;
/// What an object takes in a pack beside its bytes, and each block of 65,535 bytes of it.
const OVERHEAD: u64 = 32;

/// A file of the directory `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// An object with its bytes.
pub(super) struct Object {
    pub(super) id: ObjectId,
    pub(super) kind: Kind,
    pub(super) data: Vec<u8>,
}

impl Object {
    /// Its loose file.
    fn loose(&self) -> NewFile {
        let hex = self.id.to_hex().to_string();
        NewFile {
            path: format!("objects/{}/{}", &hex[..2], &hex[2..]),
            bytes: loose::encode(self.kind, &self.data),
        }
    }

    /// The most bytes that it takes in a pack.
    fn packed(&self) -> u64 {
        let bytes = self.data.len() as u64;
        bytes + OVERHEAD * (1 + bytes / 65_535)
    }
}

impl Git {
    /// The files of what the refs and these commits reach and the world has not: loose objects sorted by id, or a pack
    /// with its index where they are many.
    pub(crate) fn new_files(&self, held: &[ObjectId]) -> Result<Vec<NewFile>, GitError> {
        let added = self.added(held)?;
        let packed: u64 = added.iter().map(Object::packed).sum();
        if added.len() <= MOST_LOOSE || packed > MOST_PACKED {
            return Ok(added.iter().map(Object::loose).collect());
        }
        let Pack { name, pack, index } = Pack::of(&added)?;
        let file = |end: &str, bytes| NewFile {
            path: format!("objects/pack/pack-{name}.{end}"),
            bytes,
        };
        Ok(vec![file("idx", index), file("pack", pack)])
    }

    /// The objects that the refs and these commits reach and the world has not, sorted by id.
    ///
    /// What an object of the world leads to is of the world too, so the walk ends there.
    pub(super) fn added(&self, held: &[ObjectId]) -> Result<Vec<Object>, GitError> {
        let before = self.base.repository();
        let mut found = BTreeMap::new();
        let mut todo: Vec<ObjectId> = self.refs.values().chain(held).copied().collect();
        while let Some(id) = todo.pop() {
            // Asked of the files themselves: the engine knows an empty tree that nobody has written.
            if found.contains_key(&id) || before.objects.exists(&id) {
                continue;
            }
            let object = self.repo.find_object(id).map_err(GitError::of(id))?;
            let (kind, data) = (object.kind, object.data.clone());
            match kind {
                Kind::Blob => {}
                Kind::Commit => {
                    let commit = object.into_commit();
                    todo.push(commit.tree_id()?.detach());
                    todo.extend(commit.parent_ids().map(|id| id.detach()));
                }
                Kind::Tag => todo.push(object.into_tag().target_id()?.detach()),
                Kind::Tree => todo.extend(
                    self.entries(id, "")?
                        .into_iter()
                        .filter(|entry| entry.kind != EntryKind::Submodule)
                        .map(|entry| entry.id),
                ),
            }
            found.insert(id, Object { id, kind, data });
        }
        Ok(found.into_values().collect())
    }

    /// The refs as `packed-refs` lists them, sorted.
    pub(crate) fn packed_refs(&self) -> Result<String, GitError> {
        let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for (name, id) in &self.refs {
            text += &format!("{id} {name}\n");
            if let Some(tag) = self.tag(*id)? {
                let mut target = tag.target;
                while let Some(inner) = self.tag(target)? {
                    target = inner.target;
                }
                text += &format!("^{target}\n");
            }
        }
        Ok(text)
    }
}
