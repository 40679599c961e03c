//! `bundle push` and `bundle pull`: transfer bundles to and from registries.

use std::path::Path;

use mcpmark_bundle::open::{FetchDepth, Place};
use mcpmark_bundle::{Bundle, Reference, Transferred};
use mcpmark_metadata::{BundleTransfer, ExitCode};

use super::{document, writing};
use crate::bundles::{open_error, reference_error, registry, registry_error};
use crate::context::Context;
use crate::error::CommandError;
use crate::output;

/// Uploads a bundle with its signatures to a registry.
pub(super) fn push(bundle: &Path, reference: &str, json: bool) -> Result<ExitCode, CommandError> {
    let layout = super::local(bundle, "pushed")?;
    let reference = parsed(reference)?;
    let registry = registry(&reference)?;
    let bundle = Bundle::of_layout(&layout).map_err(open_error)?;
    let digest = bundle.root.digest;
    let signatures = layout.signatures(&digest).map_err(open_error)?;
    let sum = crate::commands::runtime(1)?
        .block_on(async {
            let sum = registry.push(&reference, &bundle, &layout).await?;
            let more = registry.push_signatures(&digest, &signatures, &layout);
            Ok(sum + more.await?)
        })
        .map_err(|error| registry_error(&reference, &error))?;
    tell(&bundle.root.digest.to_string(), sum, "sent", json)
}

/// Downloads a bundle with its signatures from a registry.
pub(super) fn pull(
    context: &Context,
    reference: &str,
    output: Option<&Path>,
    force: bool,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let reference = parsed(reference)?;
    if let Some(to) = output {
        writing::may_write(to, force)?;
    }
    let bundles = context.bundles();
    let opened = bundles.open_at(&Place::from(reference), FetchDepth::Everything)?;
    bundles.check(&opened)?;
    if let Some(to) = output {
        let layout = opened.layout().map_err(open_error)?;
        writing::write(&layout, to, force)?;
    }
    let sum = opened.transferred.unwrap_or_default();
    tell(&opened.bundle.root.digest.to_string(), sum, "fetched", json)
}

fn parsed(reference: &str) -> Result<Reference, CommandError> {
    let parsed = reference.parse::<Reference>();
    parsed.map_err(|error| reference_error(&error))
}

fn tell(digest: &str, sum: Transferred, done: &str, json: bool) -> Result<ExitCode, CommandError> {
    if json {
        output::print_json(&BundleTransfer {
            digest: digest.to_owned(),
            transferred: document::transferred(sum),
        })?;
    } else {
        output::print(&format!(
            "{digest}\n{} of {} {done}, {} already present\n",
            output::count(sum.blobs as usize, "blob"),
            output::bytes(sum.bytes),
            sum.present
        ))?;
    }
    Ok(ExitCode::Passed)
}
