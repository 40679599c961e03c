//! Writes blobs, trees, commits and tags.

use std::cmp::Reverse;
use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use gix::objs::tree::EntryKind as Mode;
use gix::objs::{Kind, WriteTo};

use super::strict::{check_message, check_size, check_time, check_tree_size};
use super::{EntryKind, Git, GitError, Identity};
use crate::call;

/// Content of a commit that has not been written yet.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    pub(crate) author: Identity,
    pub(crate) committer: Identity,
    pub(crate) message: String,
}

/// Change of one path of a tree.
#[derive(Debug, Clone)]
pub(crate) enum Edit {
    /// Puts an object at the path and replaces what was there.
    Put {
        path: String,
        kind: EntryKind,
        id: ObjectId,
    },
    /// Removes the path, and directories that become empty.
    Remove { path: String },
}

impl Git {
    /// Writes a blob after a check of its size.
    pub(crate) fn write_blob(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        check_size(bytes)?;
        self.put_blob(bytes)
    }

    /// Writes a blob, and counts it for the limits of the call if it is new.
    pub(super) fn put_blob(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        let before = self.repo.objects.num_objects_in_memory();
        let id = self.repo.write_blob(bytes)?.detach();
        self.count(before, id, bytes.len() as u64)?;
        Ok(id)
    }

    /// Writes an object other than a blob, and counts it for the limits of the call if it is new.
    pub(super) fn put(&self, object: impl WriteTo) -> Result<ObjectId, GitError> {
        let (before, size) = (self.repo.objects.num_objects_in_memory(), object.size());
        if object.kind() == Kind::Tree {
            check_tree_size(size)?;
        }
        let id = self.repo.write_object(object)?.detach();
        self.count(before, id, size)?;
        Ok(id)
    }

    fn count(&self, before: usize, id: ObjectId, bytes: u64) -> Result<(), GitError> {
        if self.repo.objects.num_objects_in_memory() > before {
            self.fresh.borrow_mut().push(id);
            Ok(call::add_object(bytes)?)
        } else {
            Ok(())
        }
    }

    /// Applies edits to a tree and writes the result.
    pub(crate) fn edit_tree(&self, tree: ObjectId, edits: &[Edit]) -> Result<ObjectId, GitError> {
        let mut editor = self.repo.edit_tree(tree)?.detach();
        for edit in in_order(edits) {
            call::checkpoint()?;
            match edit {
                Edit::Put { path, kind, id } => {
                    check_path(path)?;
                    self.check_git_config_files(edit)?;
                    let mode = match kind {
                        EntryKind::Directory => Mode::Tree,
                        EntryKind::File => Mode::Blob,
                        EntryKind::Executable => Mode::BlobExecutable,
                        EntryKind::Symlink => Mode::Link,
                        EntryKind::Submodule => Mode::Commit,
                    };
                    editor.upsert(names(path), mode, *id)?;
                }
                Edit::Remove { path } => {
                    if path.split('/').any(str::is_empty) {
                        return Err(GitError::Path(path.clone()));
                    }
                    editor.remove(names(path))?;
                }
            }
        }
        let written = editor.write(|tree| {
            self.check_tree(tree)?;
            self.put(tree)
        });
        let tree = written.map_err(|error| match error {
            GitError::Objects(_) => {
                let paths = edits.iter().filter_map(|edit| match edit {
                    Edit::Put { path, kind, .. } => Some((path, *kind)),
                    Edit::Remove { .. } => None,
                });
                let mut paths = paths.filter(|(path, kind)| !is_path_of_a_tree(path, *kind));
                paths
                    .next()
                    .map_or(error, |(path, _)| GitError::Path(path.clone()))
            }
            error => error,
        })?;
        let is_directory = |edit: &Edit| {
            matches!(
                edit,
                Edit::Put {
                    kind: EntryKind::Directory,
                    ..
                }
            )
        };
        // Paths below a moved directory can become longer than allowed.
        if edits.iter().any(is_directory) {
            self.check_paths(tree)?;
        }
        Ok(tree)
    }

    /// Refuses a tree with an invalid name or with an entry whose object is missing.
    fn check_tree(&self, tree: &gix::objs::Tree) -> Result<(), GitError> {
        call::checkpoint()?;
        for entry in &tree.entries {
            let id = entry.oid;
            let link = entry.mode.is_link();
            if !is_name_of_a_tree(entry.filename.as_ref(), link) {
                let name = &entry.filename;
                return Err(GitError::objects(format!(
                    "{id} has the invalid name {name:?}"
                )));
            }
            if !entry.mode.is_commit() && !self.repo.has_object(id) {
                return Err(GitError::objects(format!("object {id} is missing")));
            }
        }
        Ok(())
    }

    /// Checks and writes a commit.
    pub(crate) fn write_commit(&mut self, draft: Draft) -> Result<ObjectId, GitError> {
        check_message(&draft.message)?;
        if let Some(most) = call::files_of_commit() {
            if self.files_below(draft.tree)? > most {
                return Err(GitError::TooManyFiles);
            }
            self.check_paths(draft.tree)?;
        }
        check_time(draft.author.seconds.min(draft.committer.seconds))?;
        let commit = gix::objs::Commit {
            tree: draft.tree,
            parents: draft.parents.into_iter().collect(),
            author: signature(&draft.author),
            committer: signature(&draft.committer),
            encoding: None,
            message: BString::from(draft.message.replace('\0', "")),
            extra_headers: Vec::new(),
        };
        let id = self.put(&commit)?;
        self.written.push(id);
        Ok(id)
    }
}

impl Git {
    /// Checks and writes an annotated tag.
    pub(crate) fn write_tag(
        &self,
        name: &str,
        target: ObjectId,
        tagger: &Identity,
        message: &str,
    ) -> Result<ObjectId, GitError> {
        check_message(message)?;
        check_time(tagger.seconds)?;
        if name.starts_with('-') || gix::validate::tag::name(name.into()).is_err() {
            return Err(GitError::Refused(format!(
                "expected the name of a tag, found {name:?}"
            )));
        }
        let tag = gix::objs::Tag {
            target,
            target_kind: self.repo.find_header(target)?.kind(),
            name: name.into(),
            tagger: Some(signature(tagger)),
            message: message.replace('\0', "").into(),
            signature: None,
        };
        self.put(&tag)
    }
}

fn signature(identity: &Identity) -> gix::actor::Signature {
    // Characters that git removes too, because they would end the field.
    let clean = |text: &str| BString::from(text.replace(['<', '>', '\n', '\0'], "").trim());
    gix::actor::Signature {
        name: clean(&identity.name),
        email: clean(&identity.email),
        time: gix::date::Time::new(identity.seconds, identity.offset),
    }
}

/// Orders edits such that they are cheap: within a directory, additions in ascending order, so that each is appended,
/// and removals before them in descending order, so that no later entry moves. Keeps the given order if one edit
/// depends on another.
fn in_order(edits: &[Edit]) -> Vec<&Edit> {
    let path = |edit: &Edit| match edit {
        Edit::Put { path, .. } | Edit::Remove { path } => path.clone(),
    };
    let paths: HashSet<String> = edits.iter().map(path).collect();
    let above = |path: &String| -> bool {
        let ends = path.match_indices('/').map(|(end, _)| &path[..end]);
        ends.into_iter().any(|above| paths.contains(above))
    };
    if paths.len() < edits.len() || paths.iter().any(above) {
        return edits.iter().collect();
    }
    let is_removal = |edit: &&Edit| matches!(edit, Edit::Remove { .. });
    let (mut removals, mut puts): (Vec<&Edit>, Vec<&Edit>) = edits.iter().partition(is_removal);
    removals.sort_by_key(|edit| Reverse(path(edit)));
    puts.sort_by_key(|edit| path(edit));
    removals.extend(puts);
    removals
}

/// Splits a path into names.
fn names(path: &str) -> impl Iterator<Item = &BStr> {
    path.split('/').map(BStr::new)
}

/// Returns true if all names of a path are valid in a tree.
fn is_path_of_a_tree(path: &str, kind: EntryKind) -> bool {
    names(path).all(|name| is_name_of_a_tree(name, kind == EntryKind::Symlink))
}

/// Returns true if a name is valid in a tree.
fn is_name_of_a_tree(name: &BStr, link: bool) -> bool {
    use gix::validate::path::component;
    let options = component::Options {
        protect_windows: false,
        ..component::Options::default()
    };
    let mode = link.then_some(component::Mode::Symlink);
    gix::validate::path::component(name, mode, options).is_ok()
}

/// Refuses paths that `git fsck` rejects. The remaining rules are checked when the tree is written.
pub(crate) fn check_path(path: &str) -> Result<(), GitError> {
    let bad = |part: &str| {
        part.is_empty()
            || part == "."
            || part == ".."
            || part.contains('\0')
            || part.len() > 255
            || part.eq_ignore_ascii_case(".git")
    };
    // A world is a file tree, whose depth is limited.
    let deep = path.split('/').count() >= mcpmark_snapshot::MAX_DEPTH;
    if deep || path.len() > 4096 || path.split('/').any(bad) {
        Err(GitError::Path(path.to_owned()))
    } else {
        Ok(())
    }
}
