//! The objects that a session has added and that a ref still reaches.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::objs::{Exists, Kind};

use super::loose;
use super::{EntryKind, Git, GitError};

/// An object that the world has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewObject {
    pub(crate) id: ObjectId,
    /// The bytes of its loose file.
    pub(crate) file: Vec<u8>,
}

/// An object with its bytes.
pub(super) struct Object {
    pub(super) id: ObjectId,
    pub(super) kind: Kind,
    pub(super) data: Vec<u8>,
}

impl NewObject {
    /// Where its loose file lies in the directory `.git`.
    pub(crate) fn path(&self) -> String {
        let hex = self.id.to_hex().to_string();
        format!("objects/{}/{}", &hex[..2], &hex[2..])
    }
}

impl Git {
    /// The loose files of what the refs and these commits reach and the world has not, sorted by id.
    pub(crate) fn new_objects(&self, held: &[ObjectId]) -> Result<Vec<NewObject>, GitError> {
        let added = self.added(held)?.into_iter().map(|object| NewObject {
            id: object.id,
            file: loose::encode(object.kind, &object.data),
        });
        Ok(added.collect())
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
