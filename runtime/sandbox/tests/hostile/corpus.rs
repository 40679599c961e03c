//! Hostile guests that are stored as files, with their expected outcomes.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use mcpmark_build::{Builder, Options};
use mcpmark_task::GuestSource;
use serde::Deserialize;
use serde_json::json;

use crate::arena::{Case, Source};
use crate::cases::{directory, header, wat_files};

/// Returns the cases of the `.wat` files, whose first lines state the expected outcome.
pub(crate) fn wat() -> Vec<Case> {
    wat_files(&directory())
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let header = |key: &str| header(&text, key);
            let stem = path.file_stem().unwrap().to_str().unwrap();
            Case {
                name: format!("wat::{stem}"),
                expect: header("expect").unwrap_or_else(|| panic!("{stem} expects nothing")),
                soon: header("soon"),
                message: header("message").unwrap_or_default(),
                check: header("check"),
                after: header("after"),
                component: Source::Wat(path),
                ..Case::default()
            }
        })
        .collect()
}

pub(crate) fn named(stem: &str) -> Source {
    Source::Wat(directory().join(stem).with_extension("wat"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    r#do: String,
    expect: String,
    soon: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    dropped: bool,
}

/// Returns the cases of the guest in Rust, whose parameters select its behaviour.
pub(crate) fn rust() -> Vec<Case> {
    let text = fs::read_to_string(directory().join("rust/cases.json")).unwrap();
    let listed: Vec<Listed> = serde_json::from_str(&text).unwrap();
    listed
        .into_iter()
        .map(|case| Case {
            name: format!("rust::{}", case.r#do),
            expect: case.expect,
            soon: case.soon,
            message: case.message,
            dropped: case.dropped,
            parameters: Some(json!({"do": case.r#do}).to_string()),
            component: Source::Rust,
            ..Case::default()
        })
        .collect()
}

/// Returns the guest in Rust, built on first use.
pub(crate) fn rust_guest() -> Result<&'static [u8], String> {
    static GUEST: LazyLock<Result<Vec<u8>, String>> = LazyLock::new(|| {
        let package_dir = directory().join("rust").canonicalize().unwrap();
        let source = GuestSource::Rust {
            source: package_dir.join("guest.rs"),
            package_dir,
        };
        let options = Options::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests"));
        let built = Builder::new(options)
            .build(&[source], &mut |_| {})
            .map_err(|error| error.to_string())?;
        fs::read(&built[0].path).map_err(|error| error.to_string())
    });
    GUEST.as_deref().map_err(Clone::clone)
}
