//! Hand-written components, most of which misbehave.

use std::fs;
use std::path::Path;

use serde_json::Value;

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
    let bytes = escaped(detail);
    let text = fs::read_to_string(path)
        .unwrap()
        .replace("PASSED", if passed { "\\01" } else { "\\00" })
        .replace("DETAIL", &bytes)
        .replace("LENGTH", &detail.len().to_string());
    wat::parse_str(text).unwrap()
}

/// Returns a solution that makes calls of tools with these arguments, whatever their results.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Vec<u8> {
    const BEGIN: usize = 1024;
    let (mut texts, mut lines) = (String::new(), String::new());
    for (tool, arguments) in calls {
        lines.push_str("(call $call");
        for text in [*tool, &arguments.to_string()] {
            let (at, length) = (BEGIN + texts.len(), text.len());
            lines.push_str(&format!(" (i32.const {at}) (i32.const {length})"));
            texts.push_str(text);
        }
        lines.push_str(" (i32.const 512))\n");
    }
    let path = repository().join("tests/end_to_end/guests/calls.wat");
    let text = fs::read_to_string(path)
        .unwrap()
        .replace("\"TEXTS\"", &format!("\"{}\"", escaped(&texts)))
        .replace("CALLS\n", &lines);
    wat::parse_str(text).unwrap()
}

/// Returns a text as the content of a string in WAT.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("\\{byte:02x}")).collect()
}

fn parse(path: &Path) -> Vec<u8> {
    wat::parse_file(path).unwrap_or_else(|error| panic!("{error}"))
}
