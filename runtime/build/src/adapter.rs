//! Modules of WASI 0.1: programs from compilers that make no components, and the published adapter that turns them into
//! components of WASI 0.2.

use std::borrow::Cow;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
    WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{Parser, Payload};

use crate::component::{ComponentizeError, encode};

/// Version of the adapter, which is part of the names of components that contain it.
pub(crate) const ADAPTER: &str = "wasi-preview1-component-adapter-provider-48.0.8";

/// Prefix of the names of sections with a component type.
const COMPONENT_TYPE: &str = "component-type";
/// Export of a module that is a program.
const START: &str = "_start";

/// Returns a component from the bytes of a guest: a core module that imports WASI 0.1 is converted with the published
/// adapter, and one that contains its component type without. Everything else is returned as it is.
///
/// # Errors
///
/// Returns an error if the module cannot be converted.
pub fn adapt(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ComponentizeError> {
    match adapter_of(bytes) {
        Some(adapter) => encode(bytes, Some(adapter)).map(Cow::Owned),
        None if has_component_type(bytes) => encode(bytes, None).map(Cow::Owned),
        None => Ok(Cow::Borrowed(bytes)),
    }
}

/// Reports whether a core module contains its component type, as `wit-bindgen` embeds it.
fn has_component_type(bytes: &[u8]) -> bool {
    Parser::is_core_wasm(bytes)
        && Parser::new(0).parse_all(bytes).any(|payload| {
            matches!(payload, Ok(Payload::CustomSection(section)) if section.name().starts_with(COMPONENT_TYPE))
        })
}

/// Returns the adapter that a module needs: the one of commands for a program, and the one of libraries for a module
/// with exports of its own. Returns `None` for components, for modules that do not import WASI 0.1, and for other bytes.
pub(crate) fn adapter_of(bytes: &[u8]) -> Option<&'static [u8]> {
    if !Parser::is_core_wasm(bytes) {
        return None;
    }
    let (mut has_wasi, mut is_program) = (false, false);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.ok()? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    has_wasi |= import.ok()?.module == WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    is_program |= export.ok()?.name == START;
                }
            }
            _ => {}
        }
    }
    has_wasi.then_some(if is_program {
        WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER
    } else {
        WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module that imports a function `proc_exit` and exports another one.
    fn module(import: &str, export: &str) -> Vec<u8> {
        let text = |text: &str| {
            let mut bytes = vec![text.len() as u8];
            bytes.extend(text.bytes());
            bytes
        };
        let exit = [text(import), text("proc_exit"), vec![0, 0]].concat();
        let memory = [text("memory"), vec![2, 0]].concat();
        let start = [text(export), vec![0, 1]].concat();
        let sections: [(u8, Vec<u8>); 6] = [
            (1, vec![2, 0x60, 1, 0x7f, 0, 0x60, 0, 0]),
            (2, [vec![1], exit].concat()),
            (3, vec![1, 1]),
            (5, vec![1, 0, 1]),
            (7, [vec![2], memory, start].concat()),
            (10, vec![1, 2, 0, 0x0b]),
        ];
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        for (id, content) in sections {
            bytes.extend([id, content.len() as u8]);
            bytes.extend(content);
        }
        bytes
    }

    #[test]
    fn programs_of_wasi_0_1_become_commands() {
        let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|it| it == part);
        let program = module("wasi_snapshot_preview1", "_start");
        let component = adapt(&program).unwrap();
        assert!(Parser::is_component(&component));
        assert!(has(&component, b"wasi:cli/run@0.2."));
        assert!(
            !has(&component, b"wasi:sockets"),
            "the adapter opens no sockets"
        );
        assert_eq!(
            adapt(&component).unwrap(),
            component,
            "a component stays as it is"
        );

        let library = module("wasi_snapshot_preview1", "verify");
        let component = adapt(&library).unwrap();
        assert!(!has(&component, b"wasi:cli/run@0.2."), "it is no program");
    }

    #[test]
    fn other_bytes_are_returned_as_they_are() {
        let other = module("env", "_start");
        assert_eq!(adapt(&other).unwrap(), other);
        for end in 0..other.len() {
            assert_eq!(adapt(&other[..end]).unwrap(), &other[..end]);
        }
        assert_eq!(adapt(b"\x7fELF").unwrap(), &b"\x7fELF"[..]);
    }

    #[test]
    fn the_name_of_the_adapter_is_its_version() {
        let lock = include_str!("../../../Cargo.lock");
        let (name, version) = ADAPTER.rsplit_once('-').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&entry),
            "Cargo.lock has another version of {name}"
        );
    }
}
