//! Host functions of verifiers: the two states and the answer.

use mcpmark_snapshot::{Change, ChangeKind, Directory, Node, Snapshot, TreePath, diff};

use super::{Common, HasCommon, RunState, Stop};
use crate::GradeData;
use crate::bindings::mcpmark::guest::{answer, state};
use crate::wasi::WasiState;

/// Maximum number of bytes that one `read` returns.
const READ_LIMIT: u64 = 8 << 20;

/// Bytes charged for an entry, in addition to its path.
const ENTRY_COST: u64 = 128;

/// Store data of a verifier: states, answer, and the data from which an [`Interface`](crate::Interface) of an embedder
/// answers.
pub struct VerifierHost {
    pub(crate) common: Common,
    pub(crate) start: Snapshot,
    pub(crate) end: Snapshot,
    pub(crate) answer: Option<String>,
    pub(crate) data: GradeData,
    /// State of interfaces that lasts for the run.
    pub(crate) state: RunState,
    /// Cached difference of the two states, because computing it takes longer than its size suggests.
    pub(crate) changes: Option<Vec<Change>>,
    /// WASI, if the verifier imports it.
    pub(crate) wasi: Option<Box<WasiState>>,
}

impl HasCommon for VerifierHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl VerifierHost {
    /// Returns one of the two states of the grade.
    pub fn snapshot(&self, tree: state::Tree) -> &Snapshot {
        match tree {
            state::Tree::Start => &self.start,
            state::Tree::Final => &self.end,
        }
    }

    /// Returns the entries of a directory or, if `deep` is true, of everything below it.
    fn entries(
        &mut self,
        tree: state::Tree,
        path: &str,
        deep: bool,
    ) -> wasmtime::Result<Result<Vec<state::Entry>, state::Error>> {
        self.common.charge(path.len() as u64)?;
        let tree = self.snapshot(tree).tree.clone();
        let found = parse(path).and_then(|path| match tree.get(&path) {
            Some(Node::Directory(directory)) => Ok((path, directory)),
            Some(_) => Err(state::Error::NotADirectory),
            None => Err(state::Error::NotFound),
        });
        let (path, directory) = match found {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        self.common
            .charge_bytes(cost_below(directory, path.as_str().len(), deep))?;
        if deep {
            let entries = tree.walk(&path).map(|(path, node)| entry(&path, node));
            return Ok(Ok(entries.collect()));
        }
        let entries = directory.iter().map(|(name, node)| {
            let path = path.join(name);
            let path = path.map_err(|error| state::Error::InvalidPath(error.to_string()))?;
            Ok(entry(&path, node))
        });
        Ok(entries.collect())
    }
}

/// Returns the bytes charged for an entry, given the length of its path. They are known before the entry is made, so
/// that the host makes no entries for a guest at its limit.
fn cost(path: usize, node: &Node) -> u64 {
    let target = node.as_symlink().map_or(0, |link| link.target.len());
    (path + target) as u64 + ENTRY_COST
}

/// Returns the bytes charged for the entries of a directory, including those below it if `deep` is true.
fn cost_below(directory: &Directory, path: usize, deep: bool) -> u64 {
    let separator = usize::from(path > 0);
    let costs = directory.iter().map(|(name, node)| {
        let path = path + separator + name.len();
        let below = node.as_directory().filter(|_| deep);
        cost(path, node) + below.map_or(0, |below| cost_below(below, path, deep))
    });
    costs.sum()
}

/// Converts a node to its WIT record.
fn entry(path: &TreePath, node: &Node) -> state::Entry {
    let mut entry = state::Entry {
        path: path.as_str().to_owned(),
        kind: state::Kind::Directory,
        size: 0,
        executable: false,
        modified: None,
        target: None,
        digest: node.digest().to_string(),
    };
    match node {
        Node::Directory(_) => {}
        Node::File(file) => {
            entry.kind = state::Kind::File;
            entry.size = file.size;
            entry.executable = file.executable;
            entry.modified = file.modified;
        }
        Node::Symlink(link) => {
            entry.kind = state::Kind::Symlink;
            entry.target = Some(link.target.clone());
        }
    }
    entry
}

fn parse(path: &str) -> Result<TreePath, state::Error> {
    TreePath::parse(path).map_err(|error| state::Error::InvalidPath(error.to_string()))
}

impl state::Host for VerifierHost {
    fn stat(
        &mut self,
        tree: state::Tree,
        path: String,
    ) -> wasmtime::Result<Result<state::Entry, state::Error>> {
        self.common.charge(path.len() as u64 + ENTRY_COST)?;
        Ok(parse(&path).and_then(|path| {
            let node = self
                .snapshot(tree)
                .tree
                .get(&path)
                .ok_or(state::Error::NotFound)?;
            Ok(entry(&path, node))
        }))
    }

    fn list(
        &mut self,
        tree: state::Tree,
        path: String,
    ) -> wasmtime::Result<Result<Vec<state::Entry>, state::Error>> {
        self.entries(tree, &path, false)
    }

    fn walk(
        &mut self,
        tree: state::Tree,
        path: String,
    ) -> wasmtime::Result<Result<Vec<state::Entry>, state::Error>> {
        self.entries(tree, &path, true)
    }

    fn read(
        &mut self,
        tree: state::Tree,
        path: String,
        offset: u64,
        length: u64,
    ) -> wasmtime::Result<Result<Vec<u8>, state::Error>> {
        self.common.charge(path.len() as u64)?;
        let snapshot = self.snapshot(tree);
        let file = parse(&path).and_then(|path| {
            match snapshot.tree.get(&path).ok_or(state::Error::NotFound)? {
                Node::File(file) => Ok(file.clone()),
                _ => Err(state::Error::NotAFile),
            }
        });
        let file = match file {
            Ok(file) => file,
            Err(error) => return Ok(Err(error)),
        };
        let length = length.min(READ_LIMIT).min(file.size.saturating_sub(offset));
        // Charged before the work is done, so that a guest at its limit costs nothing more.
        self.common.charge_bytes(length)?;
        if length == 0 {
            return Ok(Ok(Vec::new()));
        }
        self.common.charge_blob(length)?;
        let blobs = &self.snapshot(tree).blobs;
        let bytes = if length == file.size {
            blobs.read(&file.content)
        } else {
            blobs.read_range(&file.content, offset, length)
        };
        let bytes = bytes.map_err(Stop::host)?;
        // The tree may state another size than the blob in the store has, and the size in the tree was charged.
        if bytes.len() as u64 != length {
            let (found, content) = (bytes.len(), file.content);
            return Err(Stop::host(format!(
                "blob {content} is damaged: expected {length} bytes, found {found}"
            )));
        }
        Ok(Ok(bytes))
    }

    fn changes(&mut self) -> wasmtime::Result<Vec<state::Change>> {
        self.common.charge(0)?;
        let changes = match self.changes.take() {
            Some(changes) => changes,
            None => diff(&self.start.tree, &self.end.tree),
        };
        let bytes = changes.iter().flat_map(|change| {
            let nodes = [&change.before, &change.after].into_iter().flatten();
            nodes.map(|node| 2 * cost(change.path.as_str().len(), node))
        });
        self.common.charge_bytes(bytes.sum())?;
        let records = changes.iter().map(record).collect();
        self.changes = Some(changes);
        Ok(records)
    }
}

/// Converts a change to its WIT record.
fn record(change: &Change) -> state::Change {
    state::Change {
        path: change.path.as_str().to_owned(),
        kind: match change.kind {
            ChangeKind::Added => state::ChangeKind::Added,
            ChangeKind::Removed => state::ChangeKind::Removed,
            ChangeKind::Modified => state::ChangeKind::Modified,
        },
        before: change.before.as_ref().map(|node| entry(&change.path, node)),
        after: change.after.as_ref().map(|node| entry(&change.path, node)),
    }
}

impl answer::Host for VerifierHost {
    fn get(&mut self) -> wasmtime::Result<Option<String>> {
        self.common
            .charge(self.answer.as_ref().map_or(0, |answer| answer.len() as u64))?;
        Ok(self.answer.clone())
    }
}
