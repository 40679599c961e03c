//! `mcpmark bundle`: packs, inspects, signs, locks and transfers bundles.

mod compare;
mod corpus;
mod lock;
mod look;
mod pack;
mod place;
mod transfer;
mod trust;
mod unpacking;
mod writing;

use crate::args::BundleCommand;
use crate::context::Context;
use crate::error::CommandError;

pub(crate) use self::corpus::state_name;
pub(crate) use self::lock::check as check_locked;
pub(crate) use self::place::{is_reference, is_root, looks_like_bundle, must_be_there};
pub(crate) use self::trust::read_key;
pub(crate) use self::unpacking::{Unpacked, is_whole, libraries, library, library_of, mend};

/// Runs `mcpmark bundle`.
pub(crate) fn bundle(context: &Context, command: BundleCommand) -> Result<u8, CommandError> {
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
