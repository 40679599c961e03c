//! The documentation: its links lead to existing files and headings, and its table of harmless variants is current.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::environment::{Environment, repository, text};

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

const MATRIX: [&str; 2] = ["<!-- matrix -->\n", "<!-- end of matrix -->\n"];

/// Returns the certificates and manifests of the tasks that belong to a split, by task id.
fn model_tasks() -> BTreeMap<String, (Value, Value)> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![repository().join("tasks")];
    while let Some(dir) = dirs.pop() {
        let entries = fs::read_dir(&dir).unwrap().map(|it| it.unwrap().path());
        dirs.extend(entries.filter(|path| path.is_dir()));
        let read = |name: &str| {
            let text = fs::read_to_string(dir.join(name)).ok()?;
            Some(serde_json::from_str::<Value>(&text).unwrap())
        };
        if let (Some(certificate), Some(meta)) = (read("certificate.json"), read("meta.json"))
            && meta["split"].is_string()
        {
            found.insert(text(&certificate["task"]), (certificate, meta));
        }
    }
    found
}

/// Returns the matrix of the harmless variants that the verifiers of the model tasks accept.
fn matrix() -> String {
    let head = [
        "Task",
        "Extra reads",
        "Repeated calls",
        "Other order",
        "Other route",
        "Other reading",
        "Declared freedoms",
        "Near misses that pass",
    ];
    let mut rows = format!(
        "| {} |\n|{}\n",
        head.join(" | "),
        " --- |".repeat(head.len())
    );
    for (task, (certificate, meta)) in model_tasks() {
        let calls = |variant: &str| match certificate["variants"][variant].as_u64() {
            Some(calls) => format!("{calls} calls"),
            None => String::new(),
        };
        let of_kind = |kind: &str| {
            let declared = meta["variants"].as_object().into_iter().flatten();
            let names = declared
                .filter(|(_, it)| *it == kind)
                .map(|(name, _)| format!("`{name}`"));
            names.collect::<Vec<_>>().join(", ")
        };
        let declared = meta["freedoms"].as_array().into_iter().flatten();
        let kinds: BTreeSet<String> = declared.map(|it| text(&it["mutation"])).collect();
        let kinds: Vec<String> = kinds.into_iter().collect();
        let free = match certificate["free"].as_u64() {
            Some(mutants) if mutants > 0 => format!("{mutants}: {}", kinds.join(", ")),
            _ => String::new(),
        };
        let mutants = certificate["mutations"].as_object().unwrap().iter();
        let accepted = mutants.filter(|(_, counts)| counts[1].as_u64() < counts[0].as_u64());
        let accepted = accepted.map(|(name, counts)| {
            let passing = counts[0].as_u64().unwrap() - counts[1].as_u64().unwrap();
            format!("{name} ({passing})")
        });
        let cells = [
            format!("`{task}`"),
            calls("extra-reads"),
            calls("repeated-calls"),
            of_kind("order"),
            of_kind("route"),
            of_kind("reading"),
            free,
            accepted.collect::<Vec<_>>().join(", "),
        ];
        rows.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    rows
}

/// `INSTA_UPDATE=always` writes the matrix instead of comparing it.
#[test]
fn the_matrix_of_harmless_variants_is_that_of_the_certificates() {
    let path = repository().join("docs/model-tasks.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(MATRIX[0]).unwrap();
    let (shown, after) = rest.split_once(MATRIX[1]).unwrap();
    let matrix = matrix();
    if env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        let page = [before, MATRIX[0], &matrix, MATRIX[1], after].concat();
        fs::write(&path, page).unwrap();
        return;
    }
    assert_eq!(
        shown, matrix,
        "certificates have changed: run `INSTA_UPDATE=always cargo test --release --test end_to_end documents`"
    );
}

/// Model tasks set the standard, so each must keep it.
#[test]
fn model_tasks_are_short_messages_with_complete_certificates() {
    let environment = Environment::bare();
    let tasks = model_tasks();
    assert!(tasks.len() >= 12, "{}", tasks.len());
    for task in tasks.keys() {
        let shown = environment.run(["task", "show", task, "--json"]);
        let shown = shown.exits(0).json();
        let words = text(&shown["instruction"]).split_whitespace().count();
        assert!((40..=150).contains(&words), "{task}: {words} words");
        for point in shown["certificate"]["points"].as_array().unwrap() {
            assert_eq!(point["status"], "passed", "{task}: {point}");
        }
    }
}
