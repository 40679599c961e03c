//! Writes the final state in its canonical form.

use mcpmark_snapshot::{
    BuildError, Directory, File, InvalidPath, Node, Store, StoreError, Tree, TreeBuilder, TreePath,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::documents;
use crate::git::{EntryKind, GIT_DIR, Git, GitError, ObjectId};
use crate::hub::{Hub, Issue, Pull, Repository, closes};

/// Why the final state could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The configuration of every repository: what git writes for any.
pub(crate) const CONFIG: &str =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/// The final state as a tree whose blobs are in the store.
pub(crate) fn export(
    hub: &Hub,
    git: &Git,
    work_tree: &Directory,
    store: &Store,
) -> Result<Tree, ExportError> {
    let mut export = Export {
        builder: TreeBuilder::new(),
        batch: store.batch(),
    };
    export.work_tree(hub, git, work_tree)?;
    export.repository(hub, git)?;
    export.documents(hub)?;
    export.batch.commit()?;
    let tree = export.builder.finish();
    store.put_tree(&tree)?;
    Ok(tree)
}

struct Export {
    builder: TreeBuilder,
    batch: mcpmark_snapshot::Batch,
}

impl Export {
    fn put(&mut self, path: &str, bytes: &[u8], executable: bool) -> Result<(), ExportError> {
        let file = File {
            size: bytes.len() as u64,
            executable,
            modified: None,
            content: self.batch.put_bytes(bytes)?,
        };
        self.builder.insert_file(&TreePath::parse(path)?, file)?;
        Ok(())
    }

    fn repository(&mut self, hub: &Hub, git: &Git) -> Result<(), ExportError> {
        for (path, file) in git.base().objects() {
            let path = TreePath::parse(&format!("{GIT_DIR}/{path}"))?;
            self.builder.insert_file(&path, file.clone())?;
        }
        for object in git.new_objects()? {
            self.put(&format!("{GIT_DIR}/{}", object.path()), &object.file, false)?;
        }
        for dir in ["objects", "refs"] {
            self.builder
                .create_directory(&TreePath::parse(&format!("{GIT_DIR}/{dir}"))?)?;
        }
        let head = format!("ref: refs/heads/{}\n", hub.repository.default_branch);
        self.put(&format!("{GIT_DIR}/HEAD"), head.as_bytes(), false)?;
        self.put(&format!("{GIT_DIR}/config"), CONFIG.as_bytes(), false)?;
        let refs = git.packed_refs()?;
        self.put(&format!("{GIT_DIR}/packed-refs"), refs.as_bytes(), false)
    }

    /// The files of the world, changed as the default branch has changed since.
    fn work_tree(&mut self, hub: &Hub, git: &Git, before: &Directory) -> Result<(), ExportError> {
        for (name, node) in before.iter().filter(|(name, _)| *name != ".git") {
            self.copy(&format!("repo/{name}"), node)?;
        }
        let name = format!("refs/heads/{}", hub.repository.default_branch);
        let (Some(old), Some(new)) = (git.base().refs().get(&name), git.find_ref(&name)) else {
            return Ok(());
        };
        if *old == new || before.len() < 2 {
            return Ok(());
        }
        let changes = git.changes(Some(git.tree_of(*old)?), git.tree_of(new)?)?;
        for change in &changes {
            let gone = match (&change.previous, &change.new) {
                (Some(previous), _) => Some(previous),
                (None, None) => Some(&change.path),
                (None, Some(_)) => None,
            };
            if let Some(path) = gone {
                self.remove(&format!("repo/{path}"));
            }
        }
        let tree = git.tree_of(new)?;
        for change in changes.iter().filter(|change| change.new.is_some()) {
            let path = format!("repo/{}", change.path);
            if let Some(entry) = git.entry(tree, &change.path)? {
                self.remove(&path);
                self.put_entry(git, &path, entry.kind, entry.id)?;
            }
        }
        Ok(())
    }

    /// Paths and links that a snapshot cannot hold are left out.
    fn put_entry(
        &mut self,
        git: &Git,
        path: &str,
        kind: EntryKind,
        id: ObjectId,
    ) -> Result<(), ExportError> {
        let Ok(place) = TreePath::parse(path) else {
            return Ok(());
        };
        match kind {
            EntryKind::File | EntryKind::Executable => {
                let bytes = git.blob(id)?;
                self.put(path, &bytes, kind == EntryKind::Executable)
            }
            EntryKind::Symlink => {
                if let Ok(target) = String::from_utf8(git.blob(id)?) {
                    let _ = self.builder.insert_symlink(&place, &target);
                }
                Ok(())
            }
            EntryKind::Directory | EntryKind::Submodule => Ok(()),
        }
    }

    /// Takes a file away, and the directories that are empty without it.
    fn remove(&mut self, path: &str) {
        let Ok(mut path) = TreePath::parse(path) else {
            return;
        };
        self.builder.remove(&path);
        while let Some(parent) = path.parent() {
            let empty = self
                .builder
                .get(&parent)
                .and_then(Node::as_directory)
                .is_some_and(Directory::is_empty);
            if !empty || parent.as_str() == "repo" {
                return;
            }
            self.builder.remove(&parent);
            path = parent;
        }
    }

    fn copy(&mut self, path: &str, node: &Node) -> Result<(), ExportError> {
        let place = TreePath::parse(path)?;
        match node {
            Node::File(file) => self.builder.insert_file(&place, file.clone())?,
            Node::Symlink(link) => self.builder.insert_symlink(&place, &link.target)?,
            Node::Directory(dir) => {
                self.builder.create_directory(&place)?;
                for (name, node) in dir.iter() {
                    self.copy(&format!("{path}/{name}"), node)?;
                }
            }
        }
        Ok(())
    }

    fn documents(&mut self, hub: &Hub) -> Result<(), ExportError> {
        self.document("repository.json", &hub.repository)?;
        self.document("users.json", &hub.users.values().collect::<Vec<_>>())?;
        self.document("labels.json", &hub.labels.values().collect::<Vec<_>>())?;
        self.document(
            "milestones.json",
            &hub.milestones.values().collect::<Vec<_>>(),
        )?;
        self.document("releases.json", &hub.releases.values().collect::<Vec<_>>())?;
        let issues: Vec<&Issue> = hub.issues.values().filter(|it| it.pull.is_none()).collect();
        self.document("issues.json", &issues)?;
        let pulls: Result<Vec<Value>, _> = hub
            .pulls()
            .map(|(issue, pull)| joined(issue, pull, &hub.repository))
            .collect();
        self.document("pulls.json", &pulls?)?;
        if !hub.runs.is_empty() {
            self.document("runs.json", &hub.runs)?;
        }
        Ok(())
    }

    fn document(&mut self, file: &str, document: &impl Serialize) -> Result<(), ExportError> {
        let bytes = documents::write(document)?;
        self.put(file, &bytes, false)
    }
}

/// A pull request as `pulls.json` has it: the keys of an issue, its own, and what follows from them.
fn joined(issue: &Issue, pull: &Pull, repository: &Repository) -> serde_json::Result<Value> {
    let mut entry = Map::new();
    for value in [serde_json::to_value(issue)?, serde_json::to_value(pull)?] {
        if let Value::Object(keys) = value {
            entry.extend(keys);
        }
    }
    let body = issue.body.as_deref().unwrap_or_default();
    let closes = closes(body, &repository.owner, &repository.name);
    if !closes.is_empty() {
        entry.insert("closes".to_owned(), closes.into());
    }
    Ok(Value::Object(entry))
}
