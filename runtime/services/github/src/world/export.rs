//! Writer of the final state in its canonical form.

use mcpmark_snapshot::{
    Batch, BuildError, Directory, File, InvalidPath, Node, Store, StoreError, Tree, TreeBuilder,
    TreePath,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::documents;
use crate::git::{EntryKind, GIT_DIR, Git, GitError, ObjectId};
use crate::hub::{Hub, Issue, Pull, Repository, closes};

/// Error of writing a state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store cannot save a blob or a tree.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A path conflicts with another one.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A path is not valid in a state.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// A document cannot be serialised.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Content of `config` in every exported repository, equal to what `git init` writes.
pub(crate) const CONFIG: &str =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/// State that was exported before, whose equal documents can be reused.
#[derive(Clone, Copy)]
pub(crate) struct Exported<'a> {
    pub(crate) hub: &'a Hub,
    pub(crate) tree: &'a Tree,
}

/// Exports the final state as a tree. The tree and its blobs are put into the store.
pub(crate) fn export(
    hub: &Hub,
    git: &Git,
    work_tree: &Directory,
    store: &Store,
) -> Result<Tree, ExportError> {
    let (tree, batch) = exported(hub, git, work_tree, store, None)?;
    batch.commit()?;
    store.put_tree(&tree)?;
    Ok(tree)
}

/// Exports a state like [`export`], but does not put the tree itself into the store, and reuses those documents of
/// `before` that would be equal. This avoids serialising all issues for each of thousands of mutants that differ in
/// one.
pub(crate) fn export_like(
    before: Exported<'_>,
    hub: &Hub,
    git: &Git,
    work_tree: &Directory,
    store: &Store,
) -> Result<Tree, ExportError> {
    let (tree, batch) = exported(hub, git, work_tree, store, Some(before))?;
    batch.commit()?;
    Ok(tree)
}

fn exported(
    hub: &Hub,
    git: &Git,
    work_tree: &Directory,
    store: &Store,
    before: Option<Exported<'_>>,
) -> Result<(Tree, Batch), ExportError> {
    let mut export = Export {
        builder: TreeBuilder::new(),
        batch: store.batch(),
    };
    export.work_tree(hub, git, work_tree)?;
    export.repository(hub, git)?;
    export.documents(hub, before)?;
    Ok((export.builder.finish(), export.batch))
}

struct Export {
    builder: TreeBuilder,
    batch: Batch,
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
        // The base of a pull request shows from which commit it was made, even if no branch contains that commit any
        // more.
        let bases = hub.pulls().map(|(_, pull)| pull.base_sha.as_bytes());
        let bases: Vec<ObjectId> = bases.filter_map(|id| ObjectId::from_hex(id).ok()).collect();
        for file in git.new_files(&bases)? {
            self.put(&format!("{GIT_DIR}/{}", file.path), &file.bytes, false)?;
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

    /// Writes the work tree of the world, with the changes that were made to the default branch since.
    fn work_tree(&mut self, hub: &Hub, git: &Git, before: &Directory) -> Result<(), ExportError> {
        for (name, node) in before.iter().filter(|(name, _)| *name != ".git") {
            self.copy(&format!("repo/{name}"), node)?;
        }
        let before_name = format!("refs/heads/{}", hub.first_default_branch);
        let old = git.base().refs().get(&before_name);
        let (Some(old), Some(new)) = (old, git.branch(&hub.repository.default_branch)) else {
            return Ok(());
        };
        if *old == new || before.len() < 2 {
            return Ok(());
        }
        let changes = git.replaced(Some(git.tree_of(*old)?), git.tree_of(new)?, true)?;
        for change in changes.iter().filter(|change| change.new.is_none()) {
            self.remove(&format!("repo/{}", change.path));
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

    /// Writes an entry of a git tree. Skips paths and links that a snapshot cannot hold.
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

    /// Removes a file, and the directories that become empty.
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

    fn documents(&mut self, hub: &Hub, before: Option<Exported<'_>>) -> Result<(), ExportError> {
        let like =
            |same: fn(&Hub, &Hub) -> bool| before.filter(|it| same(it.hub, hub)).map(|it| it.tree);
        let repository = like(|one, other| one.repository == other.repository);
        self.document("repository.json", repository, || Ok(&hub.repository))?;
        let users = like(|one, other| one.users == other.users);
        self.document("users.json", users, || Ok(listed(hub.users.values())))?;
        let labels = like(|one, other| one.labels == other.labels);
        self.document("labels.json", labels, || Ok(listed(hub.labels.values())))?;
        let milestones = like(|one, other| one.milestones == other.milestones);
        self.document("milestones.json", milestones, || {
            Ok(listed(hub.milestones.values()))
        })?;
        let releases = like(|one, other| one.releases == other.releases);
        self.document("releases.json", releases, || {
            Ok(listed(hub.releases.values()))
        })?;
        let issues = like(|one, other| one.plain_issues().eq(other.plain_issues()));
        self.document("issues.json", issues, || Ok(listed(hub.plain_issues())))?;
        // `closes` depends on the owner and the name of the repository.
        let pulls =
            like(|one, other| one.repository == other.repository && one.pulls().eq(other.pulls()));
        self.document("pulls.json", pulls, || {
            let joined = |(issue, pull)| joined(issue, pull, &hub.repository);
            hub.pulls().map(joined).collect::<Result<Vec<Value>, _>>()
        })?;
        if !hub.gists.is_empty() {
            let gists = like(|one, other| one.gists == other.gists);
            self.document("gists.json", gists, || Ok(listed(hub.gists.values())))?;
        }
        if !hub.remarks.is_empty() {
            let remarks = like(|one, other| one.remarks == other.remarks);
            self.document("commits.json", remarks, || Ok(listed(hub.remarks.values())))?;
        }
        if !hub.runs.is_empty() {
            let runs = like(|one, other| one.runs == other.runs);
            self.document("runs.json", runs, || Ok(&hub.runs))?;
        }
        Ok(())
    }

    /// Reuses the document of `before` if given, and serialises it otherwise.
    fn document<T: Serialize>(
        &mut self,
        file: &str,
        before: Option<&Tree>,
        document: impl FnOnce() -> serde_json::Result<T>,
    ) -> Result<(), ExportError> {
        if let Some(Node::File(same)) = before.and_then(|tree| tree.root().get(file)) {
            let path = TreePath::parse(file)?;
            self.builder.insert_file(&path, same.clone())?;
            return Ok(());
        }
        let bytes = documents::write(&document()?)?;
        self.put(file, &bytes, false)
    }
}

fn listed<'a, T>(entries: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    entries.collect()
}

/// Entry of `pulls.json`: the keys of an issue, those of a pull request, and the derived `closes`.
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
