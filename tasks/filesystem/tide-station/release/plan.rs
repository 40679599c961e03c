//! Steps of somebody who makes the release with the pages of the project beside the keyboard. Unlike the verifier, which
//! derives the release from the rules, this goes through the folder once and decides file by file.

use mcpmark_guest::Tools;

/// Places of the number: a file, the text there, and the new text.
pub const PLACES: [(&str, &str, &str); 12] = [
    ("VERSION", "2.3.1", "2.4.0"),
    (
        "README.md",
        "Current release: **2.3.1** (2024-02-19)",
        "Current release: **2.4.0** (2024-05-06)",
    ),
    (
        "firmware/include/version.h",
        "VERSION_MINOR 3",
        "VERSION_MINOR 4",
    ),
    (
        "firmware/include/version.h",
        "VERSION_PATCH 1",
        "VERSION_PATCH 0",
    ),
    (
        "firmware/include/version.h",
        "EBB_VERSION \"2.3.1\"",
        "EBB_VERSION \"2.4.0\"",
    ),
    (
        "tools/pyproject.toml",
        "name = \"ebbline\"\nversion = \"2.3.1\"",
        "name = \"ebbline\"\nversion = \"2.4.0\"",
    ),
    (
        "tools/ebbline/__init__.py",
        "__version__ = \"2.3.1\"",
        "__version__ = \"2.4.0\"",
    ),
    (
        "config/defaults.ini",
        "software = 2.3.1",
        "software = 2.4.0",
    ),
    (
        "docs/installation/linux.md",
        "tar xzf ebbline-2.3.1.tar.gz",
        "tar xzf ebbline-2.4.0.tar.gz",
    ),
    (
        "docs/installation/linux.md",
        "cd ebbline-2.3.1/tools",
        "cd ebbline-2.4.0/tools",
    ),
    (
        "docs/installation/linux.md",
        "answers `ebbline 2.3.1`",
        "answers `ebbline 2.4.0`",
    ),
    (
        "docs/installation/field unit (arm).md",
        "ebbline-field-2.3.1.img",
        "ebbline-field-2.4.0.img",
    ),
];

pub const FOLDER: &str = "changes/released/2.4.0";

/// The fragments that are ready: their issue is closed or done in the newest export, or the same as one that is.
pub fn ready(tools: &mut Tools, export: &str) -> Vec<String> {
    let issues = tools.read_text(export);
    let state = |issue: &str| {
        let block = issues.split_once(&format!("=\n#{issue} "))?.1;
        let line = block.split_once("State:")?.1.lines().next()?;
        Some(line.trim().to_owned())
    };
    let is_done = |issue: &str| match state(issue) {
        Some(word) if word == "closed" || word == "done" => true,
        Some(word) => word
            .strip_prefix("duplicate of #")
            .is_some_and(|other| matches!(state(other).as_deref(), Some("closed" | "done"))),
        None => false,
    };
    let names = tools.list("changes").into_iter();
    let names = names.filter(|(name, is_directory)| !is_directory && name.ends_with(".md"));
    names
        .map(|(name, _)| name)
        .filter(|name| {
            name.split_once('.')
                .is_some_and(|(issue, _)| is_done(issue))
        })
        .collect()
}

/// Reads the pages that say how a release is made.
pub fn read_rules(tools: &mut Tools) {
    for path in [
        "docs/contributing/releasing.md",
        "changes/README.md",
        "tracker/README.md",
        "changes/released/2.3.1/notes.md",
        "CHANGELOG.md",
    ] {
        tools.read_text(path);
    }
}
