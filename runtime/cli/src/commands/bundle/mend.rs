//! Restoring of the objects of a bundle in a store.

use std::path::Path;

use mcpmark_bundle::open::FetchDepth;
use mcpmark_snapshot::Store;

use crate::args::EngineArgs;
use crate::bundles::open_error;
use crate::context::{self, Context};
use crate::error::CommandError;

/// Restores the objects that a store should have of a bundle: worlds, verifiers, and the terms of grades.
pub(crate) fn mend(context: &Context, place: &Path, store: &Store) -> Result<(), CommandError> {
    let bundles = context.bundles();
    let opened = bundles.open(place, FetchDepth::Everything)?;
    bundles.check(&opened)?;
    let scratch = mcpmark_snapshot::Scratch::new(&mcpmark_snapshot::scratch_parent(None))
        .map_err(CommandError::infrastructure)?;
    let file = scratch.path().join("states");
    for world in opened.bundle.worlds.values() {
        // All files are read, because an existing tree does not mean that its blobs exist.
        world
            .copy_states(&*opened.source, &file)
            .and_then(|()| world.read_states(&file, store))
            .map_err(open_error)?;
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
