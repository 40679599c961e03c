//! New blobs, trees, commits and tags.

use gix::ObjectId;
use gix::bstr::BString;
use gix::objs::tree::EntryKind as Mode;

use super::strict::{check_message, check_size, check_time};
use super::{EntryKind, Git, GitError, Identity};

/// A commit to be made.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    pub(crate) author: Identity,
    pub(crate) committer: Identity,
    pub(crate) message: String,
}

/// A change to one path of a tree.
#[derive(Debug, Clone)]
pub(crate) enum Edit {
    /// Puts a blob there, in the place of what stood there.
    Put {
        path: String,
        kind: EntryKind,
        id: ObjectId,
    },
    /// Takes the file away, and the directories that become empty.
    Remove { path: String },
}

impl Git {
    /// Writes a blob.
    pub(crate) fn write_blob(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        check_size(bytes)?;
        Ok(self.repo.write_blob(bytes)?.detach())
    }

    /// Writes a tree that differs from another by some edits.
    pub(crate) fn edit_tree(&self, tree: ObjectId, edits: &[Edit]) -> Result<ObjectId, GitError> {
        let mut editor = self.repo.edit_tree(tree)?;
        for edit in edits {
            match edit {
                Edit::Put { path, kind, id } => {
                    check_path(path)?;
                    self.check_steering(edit)?;
                    let mode = match kind {
                        EntryKind::Directory => Mode::Tree,
                        EntryKind::File => Mode::Blob,
                        EntryKind::Executable => Mode::BlobExecutable,
                        EntryKind::Symlink => Mode::Link,
                        EntryKind::Submodule => Mode::Commit,
                    };
                    editor.upsert(path.as_str(), mode, *id)?;
                }
                Edit::Remove { path } => {
                    if path.split('/').any(str::is_empty) {
                        return Err(GitError::Path(path.clone()));
                    }
                    editor.remove(path.as_str())?;
                }
            }
        }
        // The engine says with one error that a name is refused and that something is not there.
        let refused = |error| {
            let paths = edits.iter().filter_map(|edit| match edit {
                Edit::Put { path, kind, .. } => Some((path, *kind)),
                Edit::Remove { .. } => None,
            });
            let mut paths = paths.filter(|(path, kind)| !is_path_of_a_tree(path, *kind));
            match paths.next() {
                Some((path, _)) => GitError::Path(path.clone()),
                None => GitError::from(error),
            }
        };
        Ok(editor.write().map_err(refused)?.detach())
    }

    /// Writes a commit.
    pub(crate) fn write_commit(&mut self, draft: Draft) -> Result<ObjectId, GitError> {
        check_message(&draft.message)?;
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
        let id = self.repo.write_object(&commit)?.detach();
        self.written.push(id);
        Ok(id)
    }
}

impl Git {
    /// Writes a tag with a text.
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
            return Err(GitError::Refused(format!("{name:?} is no name of a tag")));
        }
        let tag = gix::objs::Tag {
            target,
            target_kind: self.repo.find_header(target)?.kind(),
            name: name.into(),
            tagger: Some(signature(tagger)),
            message: message.replace('\0', "").into(),
            signature: None,
        };
        Ok(self.repo.write_object(&tag)?.detach())
    }
}

fn signature(identity: &Identity) -> gix::actor::Signature {
    // What git itself drops, because it would end the field.
    let clean = |text: &str| BString::from(text.replace(['<', '>', '\n', '\0'], "").trim());
    gix::actor::Signature {
        name: clean(&identity.name),
        email: clean(&identity.email),
        time: gix::date::Time::new(identity.seconds, identity.offset),
    }
}

/// Whether the names of a path may be names in trees.
fn is_path_of_a_tree(path: &str, kind: EntryKind) -> bool {
    use gix::validate::path::component;
    let options = component::Options {
        protect_windows: false,
        ..component::Options::default()
    };
    let mode = (kind == EntryKind::Symlink).then_some(component::Mode::Symlink);
    let mut names = path.split('/').map(|name| name.as_bytes().into());
    names.all(|name| gix::validate::path::component(name, mode, options).is_ok())
}

/// Refuses what `git fsck` would complain of; the engine looks at the rest when the tree is written.
pub(crate) fn check_path(path: &str) -> Result<(), GitError> {
    let bad = |part: &str| {
        part.is_empty()
            || part == "."
            || part == ".."
            || part.contains('\0')
            || part.len() > 255
            || part.eq_ignore_ascii_case(".git")
    };
    // A world is a tree of files, which has a depth that it may have.
    let deep = path.split('/').count() >= mcpmark_snapshot::MAX_DEPTH;
    match deep || path.len() > 4096 || path.split('/').any(bad) {
        true => Err(GitError::Path(path.to_owned())),
        false => Ok(()),
    }
}
