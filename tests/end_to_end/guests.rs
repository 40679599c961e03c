//! Hand-written components, most of which misbehave.

use std::fs;
use std::path::Path;

use crate::environment::repository;

/// Returns a component of `tests/hostile`.
pub(crate) fn hostile(name: &str) -> Vec<u8> {
    parse(&repository().join("tests/hostile").join(name))
}

/// Returns a component of `tests/end_to_end/guests`.
pub(crate) fn own(name: &str) -> Vec<u8> {
    parse(&repository().join("tests/end_to_end/guests").join(name))
}

/// Returns a verifier with one check, named `check`.
pub(crate) fn verdict(passed: bool, detail: &str) -> Vec<u8> {
    let path = repository().join("tests/end_to_end/guests/verdict.wat");
    let bytes: String = detail.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let text = fs::read_to_string(path)
        .unwrap()
        .replace("PASSED", if passed { "\\01" } else { "\\00" })
        .replace("DETAIL", &bytes)
        .replace("LENGTH", &detail.len().to_string());
    wat::parse_str(text).unwrap()
}

fn parse(path: &Path) -> Vec<u8> {
    wat::parse_file(path).unwrap_or_else(|error| panic!("{error}"))
}
