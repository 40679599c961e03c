//! Links in the documentation lead to existing files and headings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::repository;

/// Returns the targets of the links of a document, outside of fenced blocks.
fn targets(document: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut is_fenced = false;
    for line in document.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        let after = line.split("](").skip(1).filter(|_| !is_fenced);
        targets.extend(after.filter_map(|it| it.split_once(')').map(|(target, _)| target)));
    }
    targets
}

/// Returns the anchors of the headings of a document: lower case, hyphens for blanks, no punctuation.
fn anchors(document: &str) -> Vec<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            });
            kept.collect()
        })
        .collect()
}

/// Returns a broken link with its document, or `None` if the link is sound. Web addresses are not checked.
fn problem(from: &Path, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => from.to_owned(),
        path => from.parent().unwrap().join(path),
    };
    let said = || format!("{}: {target}", from.display());
    if !file.exists() {
        return Some(said());
    }
    let is_there = anchor.is_empty() || {
        let document = fs::read_to_string(&file).unwrap();
        anchors(&document).iter().any(|it| it == anchor)
    };
    (!is_there).then(said)
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = repository();
    let in_docs = fs::read_dir(root.join("docs")).unwrap();
    let mut documents: Vec<PathBuf> = in_docs.map(|entry| entry.unwrap().path()).collect();
    documents.retain(|path| path.extension().is_some_and(|it| it == "md"));
    let pages = [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "GLOSSARY.md",
        "README.md",
        "SECURITY.md",
    ];
    documents.extend(pages.map(|name| root.join(name)));
    let (mut count, mut broken) = (0, Vec::new());
    for file in &documents {
        let document = fs::read_to_string(file).unwrap();
        let targets = targets(&document);
        count += targets.len();
        broken.extend(targets.into_iter().filter_map(|it| problem(file, it)));
    }
    assert!(count > 40, "only {count} links were found");
    assert!(broken.is_empty(), "lead nowhere: {broken:#?}");
}
