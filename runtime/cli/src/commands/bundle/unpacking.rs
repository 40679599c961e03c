//! Unpacked bundles: libraries made from bundles.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_bundle::{
    Bundle, BundleError, CheckDepth, Layout, Libraries, Lock, OpenLibrary, SCRIPT, UnpackedCorpus,
    VERIFIER, matches_integrity_record,
};
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::Library;

use super::place::{self, FetchDepth, Opened, bundle_error};
use super::{corpus, trust};
use crate::args::EngineArgs;
use crate::commands::script::is_script;
use crate::context::{self, Context};
use crate::engine;
use crate::error::CommandError;
use crate::output;

const DIGESTS: &str = "`mcpmark bundle inspect` prints the digests of verifiers";

/// Bundle unpacked as a library.
#[derive(Clone)]
pub(crate) struct Unpacked {
    pub(crate) library: Library,
    /// Corpus of the bundle, if its tasks are published ones. The library then contains no tasks.
    pub(crate) corpus: Option<UnpackedCorpus>,
    /// Digest of the bundle's manifest.
    pub(crate) digest: Digest,
    /// Task digests by task id, as in receipts.
    pub(crate) bundles: BTreeMap<String, Digest>,
    /// Lock that the bundle was opened with.
    pub(crate) lock: Option<Lock>,
    /// Lock that keeps garbage collection from removing the library.
    _open: OpenLibrary,
}

/// Opens a bundle as a library. Unpacks it if it is not unpacked yet.
pub(crate) fn library(context: &Context, place: &Path) -> Result<Unpacked, CommandError> {
    let opened = place::open(context, place, FetchDepth::Everything)?;
    trust::check(context, &opened)?;
    // Bundles from a registry are already in the cache. A failure to cache other bundles is ignored, because they can
    // still be read from their own location.
    if opened.transferred.is_none() {
        let _ = place::remember(context, &opened);
    }
    let verifiers = verifiers(context, &opened.bundle)?;
    as_library(context, &opened, &verifiers)
}

/// Opens a bundle from the cache as a library, by its digest. Returns `None` if a part of it is no longer in the cache.
/// `place` is its former location.
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

/// Returns the directory of unpacked bundles.
pub(crate) fn libraries(context: &Context) -> Libraries {
    Libraries::new(place::kept(context).join("libraries"))
}

/// Checks that an unpacked bundle has not changed.
pub(crate) fn is_whole(library: &Path, look: CheckDepth) -> Result<(), CommandError> {
    matches_integrity_record(library, look).map_err(|error| unpacked_error(library, &error))
}

fn unpacked_error(library: &Path, error: &BundleError) -> CommandError {
    let result = bundle_error(error);
    match error {
        BundleError::Unpacked { .. } => result.hint(format!(
            "remove {}; it is then unpacked again",
            library.display()
        )),
        _ => result,
    }
}

/// Restores the objects that a store should have of a bundle: worlds, verifiers, and the terms of grades.
pub(crate) fn mend(context: &Context, place: &Path, store: &Store) -> Result<(), CommandError> {
    let opened = place::open(context, place, FetchDepth::Everything)?;
    trust::check(context, &opened)?;
    let scratch = mcpmark_snapshot::Scratch::new(&mcpmark_snapshot::scratch_parent(None))
        .map_err(CommandError::infrastructure)?;
    let file = scratch.path().join("states");
    for world in opened.bundle.worlds.values() {
        // All files are read, because an existing tree does not mean that its blobs exist.
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
    // Tasks with a held-back verifier cannot be prepared, and have nothing to restore.
    let tasks = library.tasks().map_err(|error| context::invalid(&error))?;
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    context.prepare(&library, &tasks.tasks, &sandbox, store)?;
    Ok(())
}

/// Returns the held-back verifiers of a bundle that were given with `--held-back`, and warns about missing ones.
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
                "{}: the digest is {digest}, but no task of the bundle holds back a verifier with it",
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
            "{} verifiers of {} are held back; pass them with --held-back FILE",
            output::paint(output::WARN, "warning:"),
            output::count(missing, "task")
        )),
    }
    Ok(verifiers)
}

/// Returns the wanted verifiers of another bundle, such as a copy of the suite that was packed with its verifiers.
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
            "{}: has none of the verifiers that the other bundle holds back",
            place.display()
        );
        Err(CommandError::usage(message).hint(DIGESTS))
    } else {
        Ok(found)
    }
}
