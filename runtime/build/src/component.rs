//! Components: conversion of core modules with `wit-component`, and the directory in which they are cached.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use mcpmark_task::GuestSource;
use wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
use wit_component::ComponentEncoder;

use super::adapter::{ADAPTER, adapter_of};
use super::{BuildError, Built};

/// Name and version of the tool that converts modules to components. It is part of file names, because a new version
/// may produce other bytes from the same module.
const COMPONENTIZER: &str = "wit-component-0.254.2";

/// Error of converting a module to a component.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ComponentizeError {
    reason: String,
}

/// Converts a core module that contains its component type, as `wit-bindgen` embeds it, to a validated component.
///
/// No adapter is used: a module that imports anything but its WIT interfaces is refused, including imports of WASI.
///
/// # Errors
///
/// Returns an error if the bytes are not a module, or if it cannot be converted.
pub fn componentize(core: &[u8]) -> Result<Vec<u8>, ComponentizeError> {
    encode(core, None)
}

/// Converts a core module, with an adapter for imports of WASI 0.1 if it is given.
pub(crate) fn encode(core: &[u8], adapter: Option<&[u8]>) -> Result<Vec<u8>, ComponentizeError> {
    if !core.starts_with(b"\0asm") {
        let reason = "not a WebAssembly file: it does not start with \\0asm".to_owned();
        return Err(ComponentizeError { reason });
    }
    ComponentEncoder::default()
        .module(core)
        .and_then(|encoder| match adapter {
            Some(adapter) => encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, adapter),
            None => Ok(encoder),
        })
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|error| {
            // The format `{:#}` would print the causes over many lines.
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            ComponentizeError {
                reason: causes.join(": "),
            }
        })
}

/// Component on disk.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) path: PathBuf,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

impl Stored {
    pub(crate) fn of(self, source: &GuestSource, compiled_from: Vec<PathBuf>) -> Built {
        Built {
            source: source.clone(),
            compiled_from,
            path: self.path,
            digest: self.digest,
            size: self.size,
        }
    }
}

/// Returns the component of a core module and whether it was converted now, with an adapter for imports of WASI 0.1 if
/// it is given.
///
/// An existing component is used only if its digest equals the one in the `.digest` file next to it.
pub(crate) fn store(
    core: &[u8],
    adapter: Option<&[u8]>,
    guest: &Path,
    dir: &Path,
) -> Result<(Stored, bool), BuildError> {
    let tool = match adapter {
        Some(_) => format!("{COMPONENTIZER}-{ADAPTER}"),
        None => COMPONENTIZER.to_owned(),
    };
    let path = dir.join(format!("{}-{tool}.wasm", Digest::of(core).hex()));
    let note = path.with_extension("digest");
    if let Some(stored) = fs::read_to_string(&note)
        .ok()
        .and_then(|noted| check(&path, &noted.parse().ok()?))
    {
        return Ok((stored, false));
    }
    let component = encode(core, adapter).map_err(|source| BuildError::Componentize {
        guest: guest.to_owned(),
        source,
    })?;
    let digest = Digest::of(&component);
    write_atomically(&path, &component)?;
    write_atomically(&note, digest.to_string().as_bytes())?;
    Ok((
        Stored {
            path,
            digest,
            size: component.len() as u64,
        },
        true,
    ))
}

/// Returns the component at `path` if its content has this digest.
pub(crate) fn check(path: &Path, digest: &Digest) -> Option<Stored> {
    let bytes = fs::read(path).ok()?;
    (Digest::of(&bytes) == *digest).then(|| Stored {
        path: path.to_owned(),
        digest: *digest,
        size: bytes.len() as u64,
    })
}

/// Loads a prebuilt `.wasm` file: a component unchanged, a core module converted to a component. A module of WASI 0.1
/// gets the published adapter.
pub(crate) fn ready(path: &Path, dir: &Path) -> Result<Stored, BuildError> {
    /// Preamble of a component: `\0asm`, version 13, layer 1.
    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
    let bytes = fs::read(path).map_err(|error| BuildError::io("read", path, error))?;
    if bytes.starts_with(COMPONENT) {
        return Ok(Stored {
            path: path.to_owned(),
            digest: Digest::of(&bytes),
            size: bytes.len() as u64,
        });
    }
    store(&bytes, adapter_of(&bytes), path, dir).map(|(stored, _)| stored)
}

/// Writes a file atomically: readers see the complete file or none.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    let write = || -> io::Result<()> {
        let dir = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir)?;
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error| BuildError::io("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::COMPONENTIZER;

    #[test]
    fn the_name_of_the_componentizer_is_its_version() {
        let lock = include_str!("../../../Cargo.lock");
        let (name, version) = COMPONENTIZER.rsplit_once('-').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&entry),
            "Cargo.lock has another version of {name}"
        );
    }
}
