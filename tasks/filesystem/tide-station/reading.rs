//! Reads many files with one call, as a model does that has many to read.

use std::collections::BTreeMap;

use mcpmark_guest::{Tools, serde_json::json};

/// The texts of some files by their paths.
pub fn read_all(tools: &mut Tools, paths: &[&String]) -> BTreeMap<String, String> {
    let joined = tools.text("read_multiple_files", &json!({"paths": paths}));
    let mut rest = joined.as_str();
    let mut texts = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let body = rest
            .strip_prefix(format!("{path}:\n").as_str())
            .unwrap_or_else(|| panic!("{path} does not begin where it should"));
        let end = match paths.get(at + 1) {
            Some(next) => body
                .find(&format!("\n\n---\n{next}:\n"))
                .unwrap_or_else(|| panic!("{next} does not follow on {path}")),
            None => body.len() - 1,
        };
        texts.insert((*path).clone(), body[..end].to_owned());
        rest = body.get(end + "\n\n---\n".len()..).unwrap_or_default();
    }
    texts
}
