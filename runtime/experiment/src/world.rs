//! Starting states: captures or builds worlds as trees in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use mcpmark_archive::states::{self, StatesError};
use mcpmark_kinds::{ServiceKind, Services, WorldGuestError, WorldGuests};
use mcpmark_sandbox::{Fault, LoadError, Log, RunError, Sandbox, SetupInput};
use mcpmark_service::{Service, SessionLimits};
use mcpmark_snapshot::{
    Blobs, BuildError, CaptureError, CaptureOptions, Digest, InvalidPath, Node, Store, StoreError,
    Tree, TreeBuilder, TreePath, capture,
};
use mcpmark_task::{GuestSource, World, WorldContent, WorldManifest};

/// Starting state in the store, with the service and guests of its world.
#[derive(Debug, Clone)]
pub struct Start {
    /// Tree of the starting state.
    pub tree: Tree,
    /// Digest of the tree.
    pub digest: Digest,
    /// Seed of the world.
    pub seed: u64,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Kind of the world's service; none if the program does not know the service.
    pub kind: Option<Arc<dyn ServiceKind>>,
    /// Guests of the world.
    pub guests: WorldGuests,
}

impl Start {
    /// Returns the service with the guests of this world; none if the program cannot serve the world.
    pub fn service(&self) -> Option<Arc<dyn Service>> {
        self.kind.as_ref()?.service(&self.guests)
    }
}

/// Errors of preparing a starting state.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The directory cannot be captured.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A key of `modified` in the manifest is not a valid path.
    #[error("key \"modified\": {0}")]
    Path(#[from] InvalidPath),
    /// A key of `modified` in the manifest does not name a file.
    #[error("key \"modified\": {0:?} is not a file")]
    NotAFile(String),
    /// The tree cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The setup guest cannot be loaded.
    #[error("setup guest: {0}")]
    Load(#[from] LoadError),
    /// A guest of the world cannot be loaded.
    #[error(transparent)]
    Guest(#[from] WorldGuestError),
    /// The setup guest faulted.
    #[error("the setup guest faulted: {0}{logged}", logged = logged(.1))]
    Fault(Fault, Log),
    /// The repository that the setup guest works on is damaged.
    #[error("the world is damaged: {0}")]
    Damaged(String),
    /// The archive of a bundled world cannot be opened.
    #[error("cannot open {}", .0.display())]
    Open(std::path::PathBuf, #[source] std::io::Error),
    /// The archive of a bundled world is not valid.
    #[error(transparent)]
    States(#[from] StatesError),
    /// The archive of a bundled world does not contain the tree that the bundle names.
    #[error("its states do not contain the tree {0}")]
    OtherStates(Digest),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The host failed while the setup guest ran.
    #[error("the host failed: {0}")]
    Host(String),
}

impl WorldError {
    /// Reports whether the error was caused by the host and not by the world.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Open(..) | Self::Store(_) | Self::Host(_) => true,
            Self::Load(error) => error.is_infrastructure(),
            Self::Guest(error) => error.is_infrastructure(),
            Self::States(error) => error.is_infrastructure(),
            Self::Capture(error) => {
                matches!(error, CaptureError::Io { .. } | CaptureError::Store(_))
            }
            _ => false,
        }
    }
}

fn logged(log: &Log) -> String {
    match log.lines().next_back() {
        Some(line) => format!("; its last log line: {line}"),
        None => String::new(),
    }
}

/// Captures or builds the starting state of a world and stores it. `components` are the compiled guests.
///
/// # Errors
///
/// Returns an error if the world or one of its guests is not valid, or if the store cannot be written.
pub(crate) fn start_world(
    world: &World,
    components: &BTreeMap<GuestSource, Vec<u8>>,
    services: &Services,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<Start, WorldError> {
    let WorldManifest { clock, seed, .. } = &world.manifest;
    let (clock, seed) = (clock.as_second(), *seed);
    let tree = match &world.content {
        WorldContent::Files(dir) => {
            let tree = capture_directory(dir, store)?;
            with_times(tree, &world.manifest, store)?
        }
        WorldContent::Setup(source) => {
            let component = components.get(source).ok_or_else(not_built)?;
            let guest = sandbox.setup(component)?;
            let limits = SessionLimits::default();
            let input = SetupInput {
                seed,
                clock,
                parameters: "{}".to_owned(),
                max_bytes: limits.max_bytes,
                max_entries: limits.max_files,
            };
            let run = sandbox.build_world(&guest, input, &mcpmark_sandbox::Limits::SETUP);
            let snapshot = run.result.map_err(|error| match error {
                RunError::Fault(fault) => WorldError::Fault(fault, run.log),
                RunError::World(message) => WorldError::Damaged(message),
                RunError::Host(message) => WorldError::Host(message),
            })?;
            store.put_snapshot(&snapshot)?;
            snapshot.tree
        }
        WorldContent::Packed { file, snapshot } => packed(file, snapshot, store)?,
    };
    let digest = tree.digest();
    let mut guests = Vec::new();
    for (role, source) in &world.guests {
        let component = components.get(source).ok_or_else(not_built)?;
        guests.push((*role, component.as_slice()));
    }
    let service = world.id.service();
    Ok(Start {
        tree,
        digest,
        seed,
        clock,
        guests: services.load_guests(service, sandbox, guests)?,
        kind: services.kind(service).cloned(),
    })
}

fn not_built() -> WorldError {
    WorldError::Host("a guest of the world was not built".to_owned())
}

/// Returns the tree of a bundled world. Reads it into the store if it is not there.
fn packed(file: &Path, snapshot: &Digest, store: &Store) -> Result<Tree, WorldError> {
    // If the root of a tree is in the store, the store has all objects that the tree references.
    if store.contains(snapshot)
        && let Ok(tree) = store.load_tree(snapshot)
    {
        return Ok(tree);
    }
    let stream = File::open(file).map_err(|error| WorldError::Open(file.to_owned(), error))?;
    let contents = states::read(stream, states::WORLD_BOUNDS, store)?;
    if !contents.trees.contains(snapshot) {
        return Err(WorldError::OtherStates(*snapshot));
    }
    let loaded = store.load_tree(snapshot);
    Ok(loaded.map_err(|error| StatesError::Tree(Box::new(error)))?)
}

/// Captures any directory, without its modification times.
///
/// # Errors
///
/// Returns an error if the directory has content that a world cannot have, or if the store cannot be written.
pub fn capture_directory(dir: &Path, store: &Store) -> Result<Tree, CaptureError> {
    capture_within(dir, &SessionLimits::default(), store)
}

/// Like [`capture_directory`], with the limits that a task sets for its world.
///
/// # Errors
///
/// Returns the same errors as [`capture_directory`].
pub fn capture_within(
    dir: &Path,
    limits: &SessionLimits,
    store: &Store,
) -> Result<Tree, CaptureError> {
    let options = CaptureOptions {
        max_files: limits.max_files,
        max_bytes: limits.max_bytes,
        ..CaptureOptions::default()
    };
    capture(dir, store, &options)
}

/// Captures the starting state of a published task. Modification times that are whole seconds are kept, because
/// unpacking an archive sets them and tasks ask for them. A file with fractional seconds was written by this machine
/// and gets the time `clock`.
///
/// # Errors
///
/// Returns an error if the directory has content that a world cannot have, or if the store cannot be written.
pub fn capture_published(dir: &Path, clock: i64, store: &Store) -> Result<Tree, CaptureError> {
    let limits = SessionLimits::default();
    let options = CaptureOptions {
        clock: Some(clock),
        whole_seconds: true,
        max_files: limits.max_files,
        max_bytes: limits.max_bytes,
        ..CaptureOptions::default()
    };
    capture(dir, store, &options)
}

/// Captures a directory as the final state of a world, so that an exported state gets its original digest. A
/// modification time on disk is kept only if the starting state has the same time somewhere, because copying a
/// directory sets others. An unchanged file keeps its time in the starting state. `limits` are those that the task sets
/// for its world.
///
/// # Errors
///
/// Returns an error if the directory has content that a world cannot have, or if the store cannot be written.
pub fn capture_state(
    dir: &Path,
    start: &Start,
    limits: &SessionLimits,
    store: &Store,
) -> Result<Tree, CaptureError> {
    let options = CaptureOptions {
        clock: Some(start.clock),
        max_files: limits.max_files,
        max_bytes: limits.max_bytes,
        ..CaptureOptions::default()
    };
    let captured = capture(dir, store, &options)?;
    let times: BTreeSet<i64> = start
        .tree
        .files()
        .filter_map(|(_, file)| file.modified)
        .collect();
    let mut builder = TreeBuilder::from(captured.clone());
    for (path, file) in captured.files() {
        let unchanged = match start.tree.get(&path) {
            Some(Node::File(before))
                if before.content == file.content && before.executable == file.executable =>
            {
                Some(before.modified)
            }
            _ => None,
        };
        let modified = unchanged.unwrap_or(file.modified.filter(|time| times.contains(time)));
        if modified != file.modified {
            let file = mcpmark_snapshot::File {
                modified,
                ..file.clone()
            };
            builder.remove(&path);
            // The path was removed just above, so it can be inserted again.
            let _ = builder.insert_file(&path, file);
        }
    }
    let tree = builder.finish();
    store.put_tree(&tree)?;
    Ok(tree)
}

/// Sets the modification times of the manifest.
fn with_times(tree: Tree, manifest: &WorldManifest, store: &Store) -> Result<Tree, WorldError> {
    if manifest.modified.is_empty() {
        return Ok(tree);
    }
    let mut builder = TreeBuilder::from(tree);
    for (path, time) in &manifest.modified {
        let tree_path = TreePath::parse(path)?;
        let file = match builder.remove(&tree_path) {
            Some(Node::File(file)) => file,
            _ => return Err(WorldError::NotAFile(path.clone())),
        };
        let file = mcpmark_snapshot::File {
            modified: Some(time.as_second()),
            ..file
        };
        builder.insert_file(&tree_path, file)?;
    }
    let tree = builder.finish();
    store.put_tree(&tree)?;
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_captured_within_the_limits_of_its_task() {
        let dir = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path().join("store")).unwrap();
        for name in ["a", "b", "c"] {
            std::fs::write(dir.path().join(name), "12345").unwrap();
        }
        let tree = Tree::empty();
        let start = Start {
            digest: tree.digest(),
            tree,
            seed: 0,
            clock: 0,
            kind: None,
            guests: WorldGuests::default(),
        };
        let limits = |max_bytes, max_files| SessionLimits {
            max_bytes,
            max_files,
            ..SessionLimits::default()
        };
        let capture = |limits| capture_state(dir.path(), &start, &limits, &store);
        assert_eq!(capture(limits(15, 3)).unwrap().len(), 3);
        let error = capture(limits(14, 3)).unwrap_err();
        assert!(matches!(error, CaptureError::TooManyBytes { limit: 14 }));
        let error = capture(limits(15, 2)).unwrap_err();
        assert!(matches!(error, CaptureError::TooManyFiles { limit: 2 }));
    }

    #[test]
    fn an_archive_that_cannot_be_opened_is_a_fault_of_the_host() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path().join("store")).unwrap();
        let archive = home.path().join("removed.tar.zst");
        let error = packed(&archive, &Digest::of(b"state"), &store).unwrap_err();
        assert!(matches!(error, WorldError::Open(..)), "{error}");
        assert!(error.is_infrastructure());
    }
}
