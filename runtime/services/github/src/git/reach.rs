//! New objects of a session that are reachable from refs, and their files.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::objs::{Exists, Kind};

use super::loose;
use super::pack::Pack;
use super::{EntryKind, Git, GitError};

/// Maximum number of objects that are written as loose files. More are packed, because a store writes and syncs each
/// file separately.
const MAX_LOOSE: usize = 1_000;
/// Maximum size in bytes of a pack whose index has 31-bit offsets.
const MAX_PACKED: u64 = 1 << 31;
/// Overhead of an object in a pack, in bytes, and of each of its blocks of 65,535 bytes.
const OVERHEAD: u64 = 32;

/// New file of the `.git` directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Object with its bytes.
pub(super) struct Object {
    pub(super) id: ObjectId,
    pub(super) kind: Kind,
    pub(super) data: Vec<u8>,
}

impl Object {
    /// Returns the loose file of the object.
    fn loose(&self) -> NewFile {
        let hex = self.id.to_hex().to_string();
        NewFile {
            path: format!("objects/{}/{}", &hex[..2], &hex[2..]),
            bytes: loose::encode(self.kind, &self.data),
        }
    }

    /// Returns an upper bound of the size in a pack, in bytes.
    fn packed(&self) -> u64 {
        let bytes = self.data.len() as u64;
        bytes + OVERHEAD * (1 + bytes / 65_535)
    }
}

impl Git {
    /// Returns the files for the objects that are reachable from the refs and from `held` but not in the base: loose
    /// objects sorted by id, or one pack with its index if there are many.
    pub(crate) fn new_files(&self, held: &[ObjectId]) -> Result<Vec<NewFile>, GitError> {
        let added = self.added(held)?;
        let packed: u64 = added.iter().map(Object::packed).sum();
        if added.len() <= MAX_LOOSE || packed > MAX_PACKED {
            return Ok(added.iter().map(Object::loose).collect());
        }
        let Pack { name, pack, index } = Pack::of(&added)?;
        let file = |end: &str, bytes| NewFile {
            path: format!("objects/pack/pack-{name}.{end}"),
            bytes,
        };
        Ok(vec![file("idx", index), file("pack", pack)])
    }

    /// Returns the objects that are reachable from the refs and from `held` but not in the base, sorted by id.
    ///
    /// Everything that is reachable from an object of the base is in the base too, so the walk ends there.
    pub(super) fn added(&self, held: &[ObjectId]) -> Result<Vec<Object>, GitError> {
        let before = self.base.repository();
        let mut found = BTreeMap::new();
        let mut todo: Vec<ObjectId> = self.refs.values().chain(held).copied().collect();
        while let Some(id) = todo.pop() {
            // Ask the object store itself, because `gix` reports that the empty tree exists even if it was never
            // written.
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

    /// Returns the content of the file `packed-refs`, sorted by name.
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
