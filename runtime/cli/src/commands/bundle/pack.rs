//! `bundle pack`: packs tasks into a bundle.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcpmark_metadata::{ExitCode, PackedBundle};
use mcpmark_packing::{
    LibraryPacker, PackOptions, PackedSuite, check_corpus_tasks, check_library_tasks, pack_corpus,
};
use mcpmark_sandbox::Interface;
use mcpmark_task::{GuestSource, Library};

use super::writing;
use crate::args::{EngineArgs, PackArgs};
use crate::bundles::pack_error;
use crate::commands::published;
use crate::context::{self, Context};
use crate::error::CommandError;
use crate::operands;
use crate::output;
use crate::output::build::BuildDisplay;

/// Packs the selected tasks of a library or of a corpus.
pub(super) fn pack(context: &Context, args: &mut PackArgs) -> Result<ExitCode, CommandError> {
    // Checked before the build, which may take long.
    writing::may_write(&args.output, args.force)?;
    operands::settle(&mut args.selection, &mut args.published)?;
    let (context, corpus) = &context.at_tasks(&mut args.published.tasks)?;
    if let Some(corpus) = corpus {
        args.published.states = Some(corpus.states.clone());
    }
    let made = match args.published.tasks.clone() {
        Some(corpus) => of_corpus(context, &corpus, args)?,
        None => of_library(context, args)?,
    };
    writing::write(&made.packed.layout, &args.output, args.force)?;
    let bytes = made.packed.layout.bytes();
    if args.json {
        output::print_json(&PackedBundle {
            digest: made.packed.digest().to_string(),
            tasks: made.tasks,
            worlds: made.worlds,
            bytes,
            world_bytes: made.world_bytes,
        })?;
    } else {
        output::print(&format!(
            "{}\n{} and {}, {}, {} of them worlds\n",
            made.packed.digest(),
            output::count(made.tasks, "task"),
            output::count(made.worlds, "world"),
            output::bytes(bytes),
            output::bytes(made.world_bytes)
        ))?;
    }
    Ok(ExitCode::Passed)
}

fn options<'a>(args: &'a PackArgs, interfaces: &'a [Interface]) -> PackOptions<'a> {
    PackOptions {
        name: args.name.as_deref(),
        without_verifier: args.without_verifier,
        interfaces,
    }
}

/// Packs tasks of a library.
fn of_library(context: &Context, args: &PackArgs) -> Result<PackedSuite, CommandError> {
    let library = context.library()?;
    let tasks = context::select(&library, &args.selection)?;
    check_library_tasks(&tasks).map_err(|error| pack_error(&error))?;
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    let store = context.store()?;
    let prepared = context.prepare(&library, &tasks, &sandbox, &store)?;
    let packer = LibraryPacker::new(&library, &tasks).map_err(|error| pack_error(&error))?;
    let components = components(context, &library, &packer.guests())?;
    let interfaces = context.services().guest_interfaces();
    packer
        .pack(&prepared, &components, &store, options(args, &interfaces))
        .map_err(|error| pack_error(&error))
}

/// Packs tasks of a published corpus with their scripts and the interpreter.
fn of_corpus(context: &Context, dir: &Path, args: &PackArgs) -> Result<PackedSuite, CommandError> {
    let corpus = context.corpus_at(dir)?;
    let tasks = published::select(&corpus, &args.selection)?;
    check_corpus_tasks(&tasks).map_err(|error| pack_error(&error))?;
    let (sandbox, store) = (context.sandbox(1, EngineArgs::default())?, context.store()?);
    let states = args.published.states.as_deref();
    let prepared = context.prepare_published(&corpus, states, &tasks, &sandbox, &store)?;
    let interpreter = component(&context.python_guest()?.file)?;
    let interfaces = context.services().guest_interfaces();
    let options = options(args, &interfaces);
    pack_corpus(&tasks, &prepared, interpreter, &store, options).map_err(|error| pack_error(&error))
}

/// Builds guests, and returns their components.
fn components(
    context: &Context,
    library: &Library,
    guests: &[GuestSource],
) -> Result<BTreeMap<GuestSource, Vec<u8>>, CommandError> {
    let mut display = BuildDisplay::default();
    let built = context
        .builder(library)
        .build(guests, &mut |event| display.show(event))
        .map_err(|error| context::prepare_error(&error.into()))?;
    built
        .into_iter()
        .map(|built| Ok((built.source, component(&built.path)?)))
        .collect()
}

/// Reads a component that was built.
fn component(file: &Path) -> Result<Vec<u8>, CommandError> {
    fs::read(file)
        .map_err(|error| CommandError::infrastructure(format!("{}: {error}", file.display())))
}
