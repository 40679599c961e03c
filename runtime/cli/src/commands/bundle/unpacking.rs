//! The libraries that are made of bundles.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_bundle::{
    Bundle, BundleError, Layout, Libraries, Lock, Look, OpenLibrary, SCRIPT, UnpackedCorpus,
    VERIFIER, is_as_unpacked,
};
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::Library;

use super::place::{self, Extent, Opened, bundle_error};
use super::{corpus, trust};
use crate::args::EngineArgs;
use crate::commands::script::is_script;
use crate::context::{self, Context};
use crate::engine;
use crate::error::CommandError;
use crate::output;

const DIGESTS: &str = "`mcpmark bundle inspect` tells the digests of verifiers";

/// A bundle as a library.
#[derive(Clone)]
pub(crate) struct Unpacked {
    pub(crate) library: Library,
    /// Its tasks, where they are those of a published corpus: then the library has none.
    pub(crate) corpus: Option<UnpackedCorpus>,
    /// The digest of its manifest.
    pub(crate) digest: Digest,
    /// What receipts name its tasks by.
    pub(crate) bundles: BTreeMap<String, Digest>,
    /// The lock that it was opened by.
    pub(crate) lock: Option<Lock>,
    /// Keeps the library where it is.
    _open: OpenLibrary,
}

/// The tasks of a bundle as a library, made where this is the first time.
pub(crate) fn library(context: &Context, place: &Path) -> Result<Unpacked, CommandError> {
    let opened = place::open(context, place, Extent::Everything)?;
    trust::check(context, &opened)?;
    // What came from a registry was kept when it came. Nothing rests on the rest being kept: where
    // that fails, it is only its own place that has it.
    if opened.transferred.is_none() {
        let _ = place::remember(context, &opened);
    }
    let verifiers = verifiers(context, &opened.bundle)?;
    as_library(context, &opened, &verifiers)
}

/// The bundle that lay at a place, as a library; none where something of it is gone from here, too.
pub(crate) fn library_of(
    context: &Context,
    place: &Path,
    digest: &Digest,
) -> Result<Option<Unpacked>, CommandError> {
    let Some(mut opened) = place::remembered(context, digest) else {
        return Ok(None);
    };
    if let Some(text) = place.to_str().filter(|_| place::is_reference(place)) {
        let reference = place::reference(text)?;
        opened.names.push(reference.name());
    }
    trust::check(context, &opened)?;
    let verifiers = verifiers(context, &opened.bundle)?;
    let is_here = libraries(context).place(digest, &verifiers).is_dir()
        || opened.bundle.is_whole(&place::blobs(context));
    if is_here {
        as_library(context, &opened, &verifiers).map(Some)
    } else {
        Ok(None)
    }
}

fn as_library(
    context: &Context,
    opened: &Opened,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
) -> Result<Unpacked, CommandError> {
    let Opened { bundle, lock, .. } = opened;
    let libraries = libraries(context);
    let open = libraries.open(bundle, opened.source.as_ref(), verifiers);
    let open = open.map_err(|error| {
        let dir = libraries.place(&bundle.root.digest, verifiers);
        unpacked_error(&dir, &error)
    })?;
    let library = Library::at(&open.dir);
    let bundles = bundle.tasks.iter();
    let bundles = bundles.map(|it| (it.id.to_string(), it.config.parts.digest()));
    Ok(Unpacked {
        corpus: UnpackedCorpus::of(bundle, &library.root),
        digest: bundle.root.digest,
        bundles: bundles.collect(),
        lock: lock.clone(),
        library,
        _open: open,
    })
}

/// The libraries that were made of bundles.
pub(crate) fn libraries(context: &Context) -> Libraries {
    Libraries::new(place::kept(context).join("libraries"))
}

/// Whether a library that was made of a bundle is what it was then.
pub(crate) fn is_whole(library: &Path, look: Look) -> Result<(), CommandError> {
    is_as_unpacked(library, look).map_err(|error| unpacked_error(library, &error))
}

fn unpacked_error(library: &Path, error: &BundleError) -> CommandError {
    let result = bundle_error(error);
    match error {
        BundleError::Unpacked { .. } => result.hint(format!(
            "remove {}, and it is unpacked again",
            library.display()
        )),
        _ => result,
    }
}

/// Writes again what a store should have of a bundle: its worlds, its verifiers, and the documents of
/// what grades follow from.
pub(crate) fn mend(context: &Context, place: &Path, store: &Store) -> Result<(), CommandError> {
    let opened = place::open(context, place, Extent::Everything)?;
    trust::check(context, &opened)?;
    let scratch = mcpmark_snapshot::Scratch::new(&mcpmark_snapshot::scratch_parent(None))
        .map_err(CommandError::infrastructure)?;
    let file = scratch.path().join("states");
    for world in opened.bundle.worlds.values() {
        // All of it is read: that the tree is there does not say that its files are.
        world
            .copy_states(opened.source.as_ref(), &file)
            .and_then(|()| world.read_states(&file, store))
            .map_err(|error| bundle_error(&error))?;
    }
    let context = context.at_bundle(place);
    let library = context.library()?;
    if let Some(corpus) = context.corpus()? {
        let published = context.corpus_at(&corpus.root)?;
        let tasks = published
            .tasks()
            .map_err(|error| context::invalid(&error))?;
        let sandbox = context.sandbox(1, EngineArgs::default())?;
        let states = Some(corpus.states.as_path());
        context.prepare_published(&published, states, &tasks.tasks, &sandbox, store)?;
        return Ok(());
    }
    // Those whose verifiers are held back cannot be prepared, and have nothing to give.
    let tasks = library.tasks().map_err(|error| context::invalid(&error))?;
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    context.prepare(&library, &tasks.tasks, &sandbox, store)?;
    Ok(())
}

/// The verifiers that a person hands over for a bundle. Those that are still missing are told.
fn verifiers(
    context: &Context,
    bundle: &Bundle,
) -> Result<BTreeMap<Digest, Vec<u8>>, CommandError> {
    let wanted: Vec<Digest> = bundle
        .tasks
        .iter()
        .filter_map(|it| it.held_back())
        .collect();
    let mut verifiers = BTreeMap::new();
    for file in context.held_back() {
        if file.is_dir() || file.extension().is_some_and(|it| it == "tar") {
            verifiers.append(&mut of_bundle(file, &wanted)?);
            continue;
        }
        let (digest, bytes) = if is_script(file) {
            corpus::handed_over(file, &context.store()?)?
        } else {
            let bytes = engine::read_component(file)?;
            (Digest::of(&bytes), bytes)
        };
        if !wanted.contains(&digest) {
            let message = format!(
                "{}: its digest is {digest}, which no task of the bundle holds back",
                file.display()
            );
            return Err(CommandError::usage(message).hint(DIGESTS));
        }
        verifiers.insert(digest, bytes);
    }
    let missing = wanted.iter().filter(|it| !verifiers.contains_key(it));
    match missing.count() {
        0 => {}
        missing => output::note(&format!(
            "{} verifiers of {} are held back; --held-back FILE hands one over",
            output::paint(output::WARN, "warning:"),
            output::count(missing, "task")
        )),
    }
    Ok(verifiers)
}

/// Those verifiers of a bundle that are wanted: whoever packed a suite twice has them in the other one.
fn of_bundle(place: &Path, wanted: &[Digest]) -> Result<BTreeMap<Digest, Vec<u8>>, CommandError> {
    let layout = Layout::open(place).map_err(|error| bundle_error(&error))?;
    let mut found = BTreeMap::new();
    for task in place::read(&layout)?.tasks {
        let digest = task.judged_by.digest();
        if !wanted.contains(&digest) || found.contains_key(&digest) {
            continue;
        }
        for file in [VERIFIER, SCRIPT] {
            let bytes = task.read(&layout, file);
            if let Some(bytes) = bytes.map_err(|error| bundle_error(&error))? {
                found.insert(digest, bytes);
            }
        }
    }
    if found.is_empty() {
        let message = format!(
            "{}: it has no verifier that a task of the other bundle holds back",
            place.display()
        );
        Err(CommandError::usage(message).hint(DIGESTS))
    } else {
        Ok(found)
    }
}
