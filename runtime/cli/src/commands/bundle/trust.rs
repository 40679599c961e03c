//! Signatures of bundles: `bundle sign`, `bundle keygen` and `bundle verify --key`.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use mcpmark_bundle::open::Opened;
use mcpmark_bundle::trust::{BadKey, Kind, PrivateKey, attach, statement};
use mcpmark_metadata::{ExitCode, KeyPair, SignedBundle};

use super::writing;
use crate::bundles::{not_trusted, open_error};
use crate::error::CommandError;
use crate::output;

/// Adds a signature to a local bundle.
pub(super) fn sign(bundle: &Path, key: &Path, as_json: bool) -> Result<ExitCode, CommandError> {
    let layout = super::local(bundle, "signed")?;
    let key: PrivateKey = read_key(key)?;
    let opened = Opened::of_layout(layout).map_err(open_error)?;
    let root = opened.bundle.root.clone();
    // A second signature of the same key is not added, even if the algorithm would produce different bytes.
    let mut signatures = opened.signatures.iter();
    if !signatures.any(|it| it.signature.verifies_bundle(&key.public(), &root.digest)) {
        let mut layout = opened.layout().map_err(open_error)?;
        let signed = key
            .sign(&statement(&root.digest))
            .map_err(CommandError::infrastructure)?;
        attach(&mut layout, &root, &signed);
        writing::rewrite(&layout, bundle)?;
    }
    let public = key.public().to_string();
    if as_json {
        output::print_json(&SignedBundle {
            digest: root.digest.to_string(),
            key: public,
        })?;
    } else {
        output::print(&format!("{}\nsigned by key {public}\n", root.digest))?;
    }
    Ok(ExitCode::Passed)
}

/// Generates a key pair. Only the owner can read the file of the private key; the public key is written next to it.
pub(super) fn keygen(file: &Path, kind: Kind, as_json: bool) -> Result<ExitCode, CommandError> {
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
        output::print_json(&KeyPair {
            key: public,
            private: file.display().to_string(),
            public: public_file.display().to_string(),
        })?;
    } else {
        let (file, public_file) = (file.display(), public_file.display());
        output::print(&format!(
            "key {public}: private key in {file}, public key in {public_file}\n"
        ))?;
    }
    Ok(ExitCode::Passed)
}

/// Reads a public or private key from a file.
pub(crate) fn read_key<T: FromStr<Err = BadKey>>(file: &Path) -> Result<T, CommandError> {
    mcpmark_bundle::trust::read_key(file).map_err(CommandError::usage)
}

/// Returns the keys among these files that signed a bundle. At least one must have signed it.
pub(super) fn require_signature(
    opened: &Opened,
    keys: &[PathBuf],
) -> Result<Vec<PathBuf>, CommandError> {
    opened
        .signed()
        .signed_by(keys, mcpmark_bundle::trust::read_key)
        .map_err(|error| not_trusted(&error))
}
