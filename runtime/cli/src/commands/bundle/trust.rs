//! Signatures of bundles: `bundle sign`, `bundle keygen`, and the trust policy.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mcpmark_bundle::trust::policy::{Policy, SignedBundle, TrustError};
use mcpmark_bundle::trust::{Kind, PrivateKey, attach, statement};
use serde_json::json;

use super::place::{self, Opened, bundle_error};
use super::writing;
use crate::context::Context;
use crate::environment;
use crate::error::{CommandError, chain};
use crate::exit;
use crate::files;
use crate::output;

/// Environment variable with the path of the trust policy. Its default is `trust.toml` in the configuration directory.
const POLICY: &str = "MCPMARK_TRUST";

/// Adds a signature to a local bundle.
pub(super) fn sign(bundle: &Path, key: &Path, as_json: bool) -> Result<u8, CommandError> {
    let layout = place::local(bundle, "signed")?;
    let key: PrivateKey = read_key(key)?;
    let opened = place::of_layout(layout)?;
    let root = opened.bundle.root.clone();
    // A second signature of the same key is not added, even if the algorithm would produce different bytes.
    let mut signatures = opened.signatures.iter();
    if !signatures.any(|it| it.signature.verifies_bundle(&key.public(), &root.digest)) {
        let mut layout = opened.layout().map_err(|error| bundle_error(&error))?;
        let signed = key
            .sign(&statement(&root.digest))
            .map_err(CommandError::infrastructure)?;
        attach(&mut layout, &root, &signed);
        writing::rewrite(&layout, bundle)?;
    }
    let public = key.public().to_string();
    if as_json {
        output::print_json(&json!({"digest": root.digest, "key": public}))?;
    } else {
        output::print(&format!("{}\nsigned by key {public}\n", root.digest))?;
    }
    Ok(exit::PASSED)
}

/// Generates a key pair. Only the owner can read the file of the private key; the public key is written next to it.
pub(super) fn keygen(file: &Path, kind: Kind, as_json: bool) -> Result<u8, CommandError> {
    let public_file = file.with_extension("pub");
    if public_file == file {
        let message = format!(
            "{}: the name of a private key must not end with .pub",
            file.display()
        );
        return Err(CommandError::usage(message));
    }
    for path in [file, &public_file] {
        if path.exists() {
            let message = format!("{}: file already exists", path.display());
            return Err(CommandError::usage(message));
        }
    }
    let (key, text) = PrivateKey::generate(kind).map_err(CommandError::infrastructure)?;
    for (path, text, mode) in [
        (file, text, 0o600),
        (&public_file, key.public().pem(), 0o644),
    ] {
        let mut options = fs::OpenOptions::new();
        let written = options
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(path)
            .and_then(|mut new| new.write_all(text.as_bytes()));
        written.map_err(|error| {
            let message = format!("{}: {error}", path.display());
            match error.kind() {
                ErrorKind::AlreadyExists => CommandError::usage(message),
                _ => CommandError::infrastructure(message),
            }
        })?;
    }
    let public = key.public().to_string();
    if as_json {
        output::print_json(&json!({"key": public, "private": file, "public": public_file}))?;
    } else {
        let (file, public_file) = (file.display(), public_file.display());
        output::print(&format!(
            "key {public}: private key in {file}, public key in {public_file}\n"
        ))?;
    }
    Ok(exit::PASSED)
}

/// Reads a public or private key from a file.
pub(crate) fn read_key<T: std::str::FromStr>(file: &Path) -> Result<T, CommandError>
where
    T::Err: std::fmt::Display,
{
    let wrong =
        |error: &dyn std::fmt::Display| CommandError::usage(format!("{}: {error}", file.display()));
    let text = files::read_text(file).map_err(|error| wrong(&error))?;
    text.parse().map_err(|error| wrong(&error))
}

/// Returns the keys among these files that signed a bundle. At least one must have signed it.
pub(super) fn insist(opened: &Opened, keys: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    signed(opened)
        .vouched_by(keys, read_key)
        .map_err(not_trusted)
}

fn signed(opened: &Opened) -> SignedBundle<'_> {
    SignedBundle {
        digest: &opened.bundle.root.digest,
        names: &opened.names,
        signatures: &opened.signatures,
    }
}

fn not_trusted(error: TrustError<CommandError>) -> CommandError {
    match error {
        TrustError::Key(error) => error,
        other => CommandError::invalid(other),
    }
}

/// Checks a bundle against the trust policy, and returns the keys that signed it. Without a policy, all bundles are
/// accepted.
pub(super) fn check(context: &Context, opened: &Opened) -> Result<Vec<PathBuf>, CommandError> {
    let file = match environment::text(POLICY)? {
        Some(file) => PathBuf::from(file),
        None => match context.configuration().map(|dir| dir.join("trust.toml")) {
            Some(file) if file.exists() => file,
            _ => return Ok(Vec::new()),
        },
    };
    let wrong = |error: String| CommandError::usage(format!("{}: {error}", file.display()));
    let text = files::read_text(&file).map_err(|error| wrong(error.to_string()))?;
    let policy = Policy::parse(&text).map_err(|error| wrong(chain(&error)))?;
    let beside = file.parent().unwrap_or(Path::new("."));
    let checked = policy.check(&signed(opened), beside, Timestamp::now(), read_key);
    checked.map_err(|error| {
        not_trusted(error).hint(format!(
            "the trust policy {} determines which keys are accepted for which names",
            file.display()
        ))
    })
}
