//! `bundle inspect` and `bundle verify`.

use std::path::{Path, PathBuf};

use mcpmark_bundle::open::{FetchDepth, Opened};
use mcpmark_bundle::{Bundle, CertificateConfig, GuestConfig, OtherBlobs, Source, TaskArtifact};
use mcpmark_metadata::{BundleContent, ExitCode, VerifiedBundle};
use mcpmark_packing::{VerifyError, verify_content};
use mcpmark_snapshot::Digest;
use serde_json::Value;

use super::{document, lock, trust};
use crate::bundles::open_error;
use crate::context::Context;
use crate::error::{CommandError, error_chain};
use crate::output::{self, sanitise};

/// Prints the content of a bundle.
pub(super) fn inspect(
    context: &Context,
    place: &Path,
    as_json: bool,
) -> Result<ExitCode, CommandError> {
    let opened = context.bundles().open(place, FetchDepth::Documents)?;
    let bundle = &opened.bundle;
    if as_json {
        let signatures = hints(&opened).into_iter().map(str::to_owned);
        output::print_json(&BundleContent {
            digest: bundle.root.digest.to_string(),
            name: bundle.name.clone(),
            tasks: bundle.tasks.iter().map(document::task).collect(),
            worlds: bundle.worlds.values().map(document::world).collect(),
            bytes: total(bundle),
            signatures: signatures.collect(),
            transferred: opened.transferred.map(document::transferred),
        })?;
    } else {
        output::print(&text(&opened))?;
    }
    Ok(ExitCode::Passed)
}

/// Returns the key hints of the signatures. They are not verified.
fn hints(opened: &Opened) -> Vec<&str> {
    let signatures = opened.signatures.iter();
    signatures.map(|it| it.signature.hint.as_str()).collect()
}

fn total(bundle: &Bundle) -> u64 {
    let blobs = bundle.blobs();
    blobs.iter().map(|(_, descriptor)| descriptor.size).sum()
}

fn text(opened: &Opened) -> String {
    let bundle = &opened.bundle;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        text.push_str(&format!("{name:<9} {value}\n"));
    };
    line("bundle", &bundle.root.digest.to_string());
    if let Some(name) = &bundle.name {
        line("name", &sanitise::line(name));
    }
    line("size", &output::bytes(total(bundle)));
    for hint in hints(opened) {
        let told = format!(
            "by key {}, as it claims; not verified",
            sanitise::line(hint)
        );
        line("signature", &told);
    }
    for world in bundle.worlds.values() {
        let config = &world.config;
        let title = output::paint(output::BOLD, world.id.to_string());
        let title = format!("{title}: {}", sanitise::line(&config.title));
        line("world", &title);
        let size = output::bytes(world.states.size);
        line(
            "",
            &format!("{size}, licence {}", sanitise::line(&config.license)),
        );
        for (_, guest) in config.guests.iter() {
            line("", &guest_text(guest));
        }
    }
    for task in &bundle.tasks {
        let meta = &task.config.parts.meta;
        let of_meta = |key: &str| {
            let value = meta.get(key).and_then(Value::as_str);
            value.map(|value| sanitise::line(value).into_owned())
        };
        let mut title = output::paint(output::BOLD, task.id.to_string());
        for key in ["difficulty", "task_name"] {
            if let Some(value) = of_meta(key) {
                title.push_str(&format!(", {value}"));
            }
        }
        line("task", &title);
        for guest in &task.config.guests {
            line("", &guest_text(guest));
        }
        line("", &certificate_text(task));
    }
    text
}

fn certificate_text(task: &TaskArtifact) -> String {
    let Some(certificate) = &task.config.certificate else {
        return "no certificate".to_owned();
    };
    let said = certificate_summary(certificate);
    match certificate.misfit(&task.config.parts) {
        None => format!("certificate: {said}"),
        Some(what) => {
            let misfit = output::paint(output::WARN, format!("made for another {what}"));
            format!("certificate: {said}; {misfit}")
        }
    }
}

/// Summarises the results of a certificate.
pub(super) fn certificate_summary(certificate: &CertificateConfig) -> String {
    let CertificateConfig {
        checks,
        mutants,
        rejected,
        ..
    } = certificate;
    format!(
        "{rejected} of {mutants} mutants rejected, {}",
        output::count(*checks as usize, "check")
    )
}

fn guest_text(guest: &GuestConfig) -> String {
    let held_back = if guest.held_back { ", held back" } else { "" };
    format!(
        "{} {} ({}{held_back}): {}",
        sanitise::line(&guest.role),
        output::short(&guest.digest.to_string()),
        output::bytes(guest.bytes),
        sanitise::line(&guest.can)
    )
}

/// Reads and verifies a whole bundle.
pub(super) fn verify(
    context: &Context,
    place: &Path,
    keys: &[PathBuf],
    as_json: bool,
) -> Result<ExitCode, CommandError> {
    let bundles = context.bundles();
    let opened = bundles.open(place, FetchDepth::Everything)?;
    let signed_by = match keys {
        [] => bundles.check(&opened)?,
        keys => trust::require_signature(&opened, keys)?,
    };
    let bundle = &opened.bundle;
    let source: &dyn Source = &*opened.source;
    verify_content(bundle, source, context.services()).map_err(verify_error)?;
    let OtherBlobs { unnamed, unread } = beside(&opened)?;
    lock::verify(context, &opened)?;
    let blobs = bundle.blobs().len();
    if as_json {
        let signed_by = signed_by.iter().map(|key| key.display().to_string());
        output::print_json(&VerifiedBundle {
            digest: bundle.root.digest.to_string(),
            tasks: bundle.tasks.len(),
            worlds: bundle.worlds.len(),
            blobs,
            bytes: total(bundle),
            signed_by: signed_by.collect(),
            unnamed: unnamed.iter().map(Digest::to_string).collect(),
            unread: unread.iter().map(Digest::to_string).collect(),
        })?;
    } else {
        let signed_by = signed_by
            .iter()
            .map(|key| format!("signed by {}\n", key.display()));
        output::print(&format!(
            "{}\n{} and {}: {} of {}, all digests match\n",
            bundle.root.digest,
            output::count(bundle.tasks.len(), "task"),
            output::count(bundle.worlds.len(), "world"),
            output::count(blobs, "blob"),
            output::bytes(total(bundle))
        ))?;
        output::print(&signed_by.collect::<String>())?;
    }
    Ok(ExitCode::Passed)
}

/// Finds the blobs of the layout that do not belong to the bundle, and warns about them. Blobs are read up to a limit
/// on their total size.
fn beside(opened: &Opened) -> Result<OtherBlobs, CommandError> {
    let own = opened.bundle.blobs();
    let own = own.iter().map(|(_, descriptor)| descriptor.digest);
    let signatures = opened.signatures.iter().flat_map(|it| it.all());
    let known = own.chain(signatures.map(|descriptor| descriptor.digest));
    let beside = opened.source.beside(&known.collect());
    let beside = beside.map_err(open_error)?;
    if let Some(first) = beside.unnamed.first() {
        output::note(&format!(
            "{} {} not referenced by the bundle (first: {first}); no signature covers them",
            output::paint(output::WARN, "warning:"),
            output::count(beside.unnamed.len(), "blob"),
        ));
    }
    if let Some(first) = beside.unread.first() {
        output::note(&format!(
            "{} {} not referenced by the bundle and not read (first: {first}): together they exceed 4 GiB",
            output::paint(output::WARN, "warning:"),
            output::count(beside.unread.len(), "blob"),
        ));
    }
    Ok(beside)
}

/// Converts an error of verifying the content of a bundle.
fn verify_error(error: VerifyError) -> CommandError {
    use VerifyError as E;
    let message = match error {
        E::Scratch(error) => return CommandError::infrastructure(error),
        E::Store(error) => return CommandError::infrastructure(error),
        E::Bundle(error) => return open_error(error),
        E::OtherGuest {
            owner,
            role,
            described,
            found,
        } => format!("{owner}: {role}: {}", otherwise(&described, &found)),
        E::OtherCertificate {
            task,
            described,
            found,
        } => format!(
            "task {task}: certificate: expected {} by its description, found {}",
            certificate_summary(&described),
            certificate_summary(&found)
        ),
        E::Guest { .. } | E::Certificate { .. } => error.to_string(),
        E::UnsupportedService { .. }
        | E::Profile { .. }
        | E::Unpacked(_)
        | E::Task { .. }
        | E::Clock(_) => error_chain(&error),
    };
    CommandError::invalid(sanitise::block(&message))
}

fn otherwise(described: &GuestConfig, found: &GuestConfig) -> String {
    format!(
        "expected {:?} ({}, {}) by its config, found {:?} ({}, {})",
        described.can,
        output::count(described.imports.len(), "import"),
        output::bytes(described.bytes),
        found.can,
        output::count(found.imports.len(), "import"),
        output::bytes(found.bytes)
    )
}
