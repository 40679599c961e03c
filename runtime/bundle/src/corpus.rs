//! Unpacking of bundles with tasks of a published corpus. The result is a corpus with starting states and the
//! interpreter that runs its scripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_archive::states;
use mcpmark_archive::tar::Bounds;
use mcpmark_snapshot::{Digest, MaterialiseOptions, Node, Store, Tree, TreePath, materialise};
use mcpmark_task::published::{SCRIPT as VERIFY, state_place};
use mcpmark_task::{GuestRole, TaskId, WorldId};

use crate::BundleError;
use crate::artifact::{
    Bundle, INSTRUCTION, INTERPRETER, SCRIPT, SOLUTION, StartParts, TaskArtifact, VerifierDigest,
    WorldArtifact, guest_file,
};
use crate::layout::Source;
use crate::library::{hold_back, make, pretty, write};

/// Limits of the layer with a script and the files next to it. They are higher than the limits of scripts.
const BESIDE: Bounds = Bounds {
    entries: 10_000,
    bytes: 128 << 20,
};

/// Published corpus that was unpacked from a bundle.
#[derive(Debug, Clone)]
pub struct UnpackedCorpus {
    /// Directory with `tasks/` and `worlds/`.
    pub root: PathBuf,
    /// Directory with the states of categories.
    pub states: PathBuf,
    /// Path of the interpreter that runs the scripts.
    pub interpreter: PathBuf,
    /// Digest of the interpreter.
    pub digest: Digest,
}

impl UnpackedCorpus {
    /// Returns the paths in a directory to which a published corpus was unpacked. Returns `None` for bundles of other
    /// tasks.
    pub fn of(bundle: &Bundle, root: &Path) -> Option<Self> {
        let first = bundle.tasks.first().filter(|_| bundle.is_published())?;
        Some(Self {
            root: root.to_owned(),
            states: root.join("states"),
            interpreter: root.join(INTERPRETER),
            digest: first.guest("interpreter")?.digest,
        })
    }
}

/// Returns the name of the starting state of a published task in a bundle, derived from the digests of its tree and its
/// guests, because it has no name of its own.
///
/// # Errors
///
/// Returns an error if the service of the task is not a valid name.
pub fn state_name(
    task: &TaskId,
    tree: &Digest,
    guests: &[(GuestRole, Digest)],
) -> Result<WorldId, mcpmark_task::Error> {
    let digest = if guests.is_empty() {
        *tree
    } else {
        let guests = guests.iter().map(|(_, digest)| digest);
        let digests: Vec<String> = std::iter::once(tree)
            .chain(guests)
            .map(Digest::to_string)
            .collect();
        Digest::of(digests.join(" ").as_bytes())
    };
    let short = &digest.hex()[..12];
    WorldId::new(task.service(), &format!("state-{short}"))
}

/// Writes the tasks of a corpus and their starting states to a directory.
pub(crate) fn unpack(
    bundle: &Bundle,
    source: &dyn Source,
    scripts: &BTreeMap<Digest, Vec<u8>>,
    into: &Path,
) -> Result<(), BundleError> {
    let scratch = into.join("unpacking");
    make(&scratch)?;
    let failed = |place: &Path, error: std::io::Error| BundleError::Write {
        place: place.to_owned(),
        source: error,
    };
    let store = Store::open(scratch.join("store"));
    let store = store.map_err(|error| failed(&scratch, std::io::Error::other(error)))?;
    let mut states: BTreeMap<PathBuf, StartParts> = BTreeMap::new();
    for world in bundle.worlds.values() {
        let file = scratch.join("states");
        world.copy_states(source, &file)?;
        world.read_states(&file, &store)?;
    }
    for task in &bundle.tasks {
        if let Some(world) = bundle.worlds.get(&task.config.world.digest) {
            start(task, world, source, &store, &mut states, into)?;
        }
        let dir = into.join("tasks").join(task.id.to_string());
        make(&dir)?;
        let beside = match task.read(source, SCRIPT)? {
            Some(bytes) => Some(bytes),
            None => scripts.get(&task.judged_by.digest()).cloned(),
        };
        match beside {
            Some(bytes) => script(task, &bytes, &store, &dir)?,
            None => {
                let meta = serde_json::Value::Object(task.config.parts.meta.clone());
                write(&dir.join("meta.json"), &pretty(&meta))?;
                hold_back(task, &dir)?;
                for file in [INSTRUCTION, SOLUTION] {
                    if let Some(bytes) = task.read(source, file)? {
                        write(&dir.join(file), &bytes)?;
                    }
                }
            }
        }
    }
    // All tasks have the same interpreter.
    if let Some(first) = bundle.tasks.first()
        && let Some(component) = first.read(source, INTERPRETER)?
    {
        write(&into.join(INTERPRETER), &component)?;
    }
    drop(store);
    fs::remove_dir_all(&scratch).map_err(|error| failed(&scratch, error))
}

/// Writes the starting state of a task to the path at which the task expects it.
fn start(
    task: &TaskArtifact,
    world: &WorldArtifact,
    source: &dyn Source,
    store: &Store,
    states: &mut BTreeMap<PathBuf, StartParts>,
    into: &Path,
) -> Result<(), BundleError> {
    let parts = &task.config.parts;
    let snapshot = parts.world.snapshot;
    let has_guests = !parts.world.guests.is_empty();
    let at = |has_guests| state_place(&task.id, &parts.meta, has_guests);
    // If the state has guests, it is in a subdirectory of the same path.
    let (Some(name), Some(place)) = (at(false), at(has_guests)) else {
        if snapshot == Tree::empty().digest() {
            return Ok(());
        }
        let message = format!(
            "task {} names neither a category nor a world to start from",
            task.id
        );
        return Err(BundleError::Contradiction(message));
    };
    match states.get(&name) {
        Some(known) if *known == parts.world => return Ok(()),
        Some(_) => {
            let message = format!(
                "task {} starts from a different state than other tasks of its category or world",
                task.id
            );
            return Err(BundleError::Contradiction(message));
        }
        None => {}
    }
    let what = format!("world {}", world.id);
    let tree = tree(store, &snapshot, &what)?;
    put(
        &tree,
        store,
        Some(parts.world.clock),
        &into.join(&place),
        &what,
    )?;
    if let Some(beside) = place.parent() {
        for (role, component) in world.read_guests(source)? {
            write(&into.join(beside).join(guest_file(role)), &component)?;
        }
    }
    states.insert(name, parts.world.clone());
    Ok(())
}

/// Writes a script and the files next to it.
fn script(task: &TaskArtifact, bytes: &[u8], store: &Store, dir: &Path) -> Result<(), BundleError> {
    let VerifierDigest::Script { script, beside } = task.judged_by else {
        return Ok(());
    };
    let what = format!("task {}: layer {SCRIPT}", task.id);
    states::read(bytes, BESIDE, store).map_err(|source| BundleError::States {
        world: what.clone(),
        source: Box::new(source),
    })?;
    let tree = tree(store, &beside, &what)?;
    for (name, wanted) in [
        (VERIFY, script),
        (INSTRUCTION, task.config.parts.instruction),
    ] {
        let found = TreePath::parse(name).ok().and_then(|path| tree.get(&path));
        if !matches!(found, Some(Node::File(file)) if file.content == wanted) {
            let message = format!("{what}: the digest of {name} differs from its config");
            return Err(BundleError::Contradiction(message));
        }
    }
    put(&tree, store, None, dir, &what)
}

fn tree(store: &Store, digest: &Digest, what: &str) -> Result<Tree, BundleError> {
    let loaded = store.load_tree(digest);
    loaded.map_err(|_| BundleError::Contradiction(format!("{what}: the tree {digest} is missing")))
}

fn put(
    tree: &Tree,
    store: &Store,
    clock: Option<i64>,
    dir: &Path,
    what: &str,
) -> Result<(), BundleError> {
    if let Some(parent) = dir.parent() {
        make(parent)?;
    }
    let options = MaterialiseOptions { clock };
    let written = materialise(tree, store, dir, &options);
    written.map(drop).map_err(|error| match error {
        // The digests of the tree were verified, so an unsafe symlink is a fault of the bundle.
        mcpmark_snapshot::MaterialiseError::Symlink(error) => {
            BundleError::Contradiction(format!("{what}: {error}"))
        }
        error => BundleError::Write {
            place: dir.to_owned(),
            source: std::io::Error::other(error),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_named_by_their_tree_and_their_guests() {
        let task = TaskId::published("shop/orders/refund").unwrap();
        let (tree, guest) = (Digest::of(b"tree"), Digest::of(b"guest"));
        let name = |guests: &[(GuestRole, Digest)]| {
            let name = state_name(&task, &tree, guests).unwrap();
            name.to_string()
        };
        assert_eq!(name(&[]), format!("shop/state-{}", &tree.hex()[..12]));
        let both = Digest::of(format!("{tree} {guest}").as_bytes());
        let guests = [(GuestRole::CI, guest)];
        assert_eq!(name(&guests), format!("shop/state-{}", &both.hex()[..12]));
    }
}
