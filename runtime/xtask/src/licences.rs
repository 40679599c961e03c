//! Licences of all packages of other authors that a release contains.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::DistError;
use crate::packages::{Package, Packages};

/// Beginnings of the names of files with licences and notices, in lower case.
const NAMES: [&str; 6] = [
    "licence",
    "license",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];

/// Text of a licence, with the file that it was first found in.
struct Text {
    number: usize,
    found: String,
}

/// Returns the list of packages and the texts of their licences, each text once.
pub(crate) fn text(packages: &Packages) -> Result<String, DistError> {
    let mut list = String::from(
        "Packages of other authors in this release, with their licences. The numbers are those of the texts below.\n",
    );
    let mut texts: BTreeMap<String, Text> = BTreeMap::new();
    for package in packages.all.values().filter(|it| it.is_foreign) {
        let name = format!("{} {}", package.key.name, package.key.version);
        let mut numbers = Vec::new();
        for file in files(package)? {
            let bytes = fs::read(&file).map_err(|e| DistError::read(&file, e))?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            let number = texts.len() + 1;
            let file_name = file.file_name().unwrap_or_default().to_string_lossy();
            let found = format!("{file_name} of {name}");
            let text = texts
                .entry(text.trim().to_owned())
                .or_insert(Text { number, found });
            numbers.push(text.number);
        }
        let expression = match (&package.license, numbers.is_empty()) {
            (Some(expression), _) => expression.as_str(),
            (None, false) => "see the text",
            (None, true) => return Err(DistError::NoLicence(name)),
        };
        let _ = write!(list, "\n{name}: {expression}");
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        if !numbers.is_empty() {
            let _ = write!(list, " [{}]", numbers.join(", "));
        }
        list.push('\n');
        // The standard texts of some licences refer to holders of the copyright who are not named in the package.
        if numbers.is_empty() && !package.authors.is_empty() {
            let _ = writeln!(list, "  by {}", package.authors.join(", "));
        }
        if let Some(repository) = &package.repository {
            let _ = writeln!(list, "  {repository}");
        }
    }
    list.push_str("\nThe standard libraries of Rust, which the program and the guests contain: MIT OR Apache-2.0\n");
    list.push_str("  https://www.rust-lang.org/policies/licenses\n");

    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by_key(|(_, text)| text.number);
    for (words, text) in texts {
        let _ = write!(list, "\n\n[{}] {}\n\n{words}\n", text.number, text.found);
    }
    Ok(list)
}

/// Returns the files of a package with licences and notices, in order of their names.
fn files(package: &Package) -> Result<Vec<PathBuf>, DistError> {
    let failed = |e| DistError::read(&package.dir, e);
    let mut files: Vec<PathBuf> = package.license_file.iter().cloned().collect();
    for entry in fs::read_dir(&package.dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_licence = NAMES.iter().any(|start| name.starts_with(start));
        // Sources can have such names as well.
        let is_text = !name.ends_with(".rs") && entry.path().is_file();
        if is_licence && is_text && !files.contains(&entry.path()) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
