//! The files and tests that `SECURITY.md` names exist.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::repository;

/// Paths and names of the page that are not in this repository.
const ELSEWHERE: [&str; 5] = ["objects/", "info/", "os._exit", "os.abort", "sys.exit"];

#[test]
fn named_files_and_tests_exist() {
    let root = repository();
    let text = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let mut files = Vec::new();
    for part in ["docs", "guest-sdk", "runtime", "tests"] {
        sources(&root.join(part), &mut files);
    }
    let paths: Vec<String> = files
        .iter()
        .map(|file| format!("/{}", file.strip_prefix(&root).unwrap().display()))
        .collect();
    // This file contains names as examples, so a match in it proves nothing.
    let code: Vec<String> = files
        .iter()
        .filter(|file| !file.ends_with("end_to_end/security.rs"))
        .filter(|file| {
            file.extension()
                .is_some_and(|it| it == "rs" || it == "toml")
        })
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    // Every second piece between backticks is a name.
    let names: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let missing: Vec<&&str> = names
        .iter()
        .filter(|name| !exists(name, &root, &paths, &code))
        .collect();
    assert!(missing.is_empty(), "there is no {missing:?}");
    assert!(names.len() > 80, "{} names", names.len());
    for gone in ["runtime/cli/src/output/no_such.rs", "no_such_test_at_all"] {
        assert!(!exists(gone, &root, &paths, &code), "{gone}");
    }
}

fn exists(name: &str, root: &Path, paths: &[String], code: &[String]) -> bool {
    let command = name.contains(' ');
    if command || name.starts_with("https://") || ELSEWHERE.contains(&name) {
        return true;
    }
    // A group of names, given by a prefix.
    if let Some(start) = name.strip_suffix('…') {
        return paths.iter().any(|path| path.contains(&format!("/{start}")));
    }
    if name.contains('/') || name.ends_with(".rs") || name.ends_with(".md") {
        let file = format!("/{name}");
        return root.join(name).exists() || paths.iter().any(|path| path.ends_with(&file));
    }
    // A test that is a file or a module.
    let stem = name.rsplit("::").next().unwrap_or(name);
    let listed = |path: &String| {
        let stems = [format!("/{stem}."), format!("/{stem}/")];
        stems.iter().any(|stem| path.contains(stem))
    };
    paths.iter().any(listed) || code.iter().any(|text| text.contains(name))
}

/// Finds the files below a directory, except those of builds and installations.
fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if !entry.file_type().unwrap().is_dir() {
            found.push(path);
        } else if !["target", "node_modules"]
            .iter()
            .any(|name| path.ends_with(name))
        {
            sources(&path, found);
        }
    }
}
