//! `mcpmark bundle`: packs, inspects, signs, locks and transfers bundles.

mod compare;
mod document;
mod lock;
mod look;
mod mend;
mod pack;
mod transfer;
mod trust;
mod writing;

use std::path::Path;

use mcpmark_bundle::open::Unpacked;
use mcpmark_bundle::{Layout, Libraries};
use mcpmark_metadata::ExitCode;
use mcpmark_snapshot::Digest;

use crate::args::BundleCommand;
use crate::bundles::open_error;
use crate::context::Context;
use crate::error::CommandError;

pub(crate) use self::mend::mend;
pub(crate) use self::trust::read_key;
pub(crate) use crate::bundles::check_exists;
pub(crate) use mcpmark_bundle::open::{is_reference, is_root};

/// Returns the unpacked bundles.
pub(crate) fn libraries(context: &Context) -> Libraries {
    context.bundles().cache().libraries()
}

/// Opens a bundle from the cache as a library, by its digest. Returns `None` if a part of it is no longer in the cache.
/// `place` is its former location.
pub(crate) fn library_of(
    context: &Context,
    place: &Path,
    digest: &Digest,
) -> Result<Option<Unpacked>, CommandError> {
    context.bundles().library_of(place, digest)
}

/// Opens the layout of a local bundle. For a reference, the error says that a bundle can be `done` only locally.
fn local(place: &Path, done: &str) -> Result<Layout, CommandError> {
    if is_reference(place) {
        let reference = place.display();
        let message = format!("{reference}: only a bundle on this machine can be {done}");
        return Err(CommandError::usage(message).hint(format!(
            "pull it first: `mcpmark bundle pull {reference} -o suite.tar`"
        )));
    }
    Layout::open(place).map_err(open_error)
}

/// Runs `mcpmark bundle`.
pub(crate) fn bundle(context: &Context, command: BundleCommand) -> Result<ExitCode, CommandError> {
    match command {
        BundleCommand::Pack(mut args) => pack::pack(context, &mut args),
        BundleCommand::Inspect { bundle, json } => look::inspect(context, &bundle, json),
        BundleCommand::Verify { bundle, key, json } => look::verify(context, &bundle, &key, json),
        BundleCommand::Sign { bundle, key, json } => trust::sign(&bundle, &key, json),
        BundleCommand::Keygen {
            output,
            algorithm,
            json,
        } => trust::keygen(&output, algorithm.kind(), json),
        BundleCommand::Lock(args) => lock::lock(context, &args),
        BundleCommand::Update(args) => lock::update(context, &args),
        BundleCommand::Diff {
            before,
            after,
            full,
            json,
        } => compare::diff(context, [&before, &after], full, json),
        BundleCommand::Push {
            bundle,
            reference,
            json,
        } => transfer::push(&bundle, &reference, json),
        BundleCommand::Pull {
            reference,
            output,
            force,
            json,
        } => transfer::pull(context, &reference, output.as_deref(), force, json),
    }
}
