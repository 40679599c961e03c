//! Licences of all packages of other authors that a release contains.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Part of the program that is no package of Rust.
pub(crate) struct Embedded {
    pub(crate) name: &'static str,
    pub(crate) license: &'static str,
    pub(crate) url: &'static str,
    /// File of the repository with its licence.
    file: &'static str,
}

/// Parts of the program that are no packages of Rust. Libraries in C are in the packages that compile them.
pub(crate) const EMBEDDED: [Embedded; 1] = [Embedded {
    name: "Chart.js",
    license: "MIT",
    url: "https://www.chartjs.org",
    file: "runtime/report/assets/chart.umd.min.js.LICENSE",
}];

/// Text of a licence, with the file that it was first found in.
struct Text {
    number: usize,
    found: String,
}

/// Returns the list of packages and the texts of their licences, each text once.
pub(crate) fn text(packages: &Packages, root: &Path) -> Result<String, DistError> {
    let mut list = String::from(
        "Packages of other authors in this release, with their licences. The numbers are those of the texts below.\n",
    );
    let mut texts: BTreeMap<String, Text> = BTreeMap::new();
    let mut read = |file: &Path, owner: &str| -> Result<usize, DistError> {
        let bytes = fs::read(file).map_err(|e| DistError::read(file, e))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let number = texts.len() + 1;
        let file_name = file.file_name().unwrap_or_default().to_string_lossy();
        let found = format!("{file_name} of {owner}");
        let text = texts.entry(text.trim().to_owned());
        Ok(text.or_insert(Text { number, found }).number)
    };
    let mut by_package = BTreeMap::new();
    // Some packages of a repository have no text of their own.
    let mut by_repository: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for package in packages.all.values().filter(|it| it.is_foreign) {
        let name = format!("{} {}", package.key.name, package.key.version);
        let files = files(package)?;
        let numbers: Result<BTreeSet<usize>, _> = files.iter().map(|it| read(it, &name)).collect();
        let numbers = numbers?;
        if package.license.is_none() && numbers.is_empty() {
            return Err(DistError::NoLicence(name));
        }
        if let Some(repository) = &package.repository {
            by_repository
                .entry(repository)
                .or_default()
                .extend(&numbers);
        }
        by_package.insert(name, (package, numbers));
    }
    for (name, (package, mut numbers)) in by_package {
        let expression = package.license.as_deref().unwrap_or("see the text");
        let _ = write!(list, "\n{name}: {expression}");
        let repository = package.repository.as_deref();
        if let (true, Some(repository)) = (numbers.is_empty(), repository) {
            numbers.clone_from(&by_repository[repository]);
        }
        let _ = writeln!(list, "{}", listed(&numbers));
        // The standard texts of some licences name no holder of the copyright.
        if numbers.is_empty() && !package.authors.is_empty() {
            let _ = writeln!(list, "  by {}", package.authors.join(", "));
        }
        if let Some(repository) = repository {
            let _ = writeln!(list, "  {repository}");
        }
    }
    for part in &EMBEDDED {
        let number = read(&root.join(part.file), part.name)?;
        let numbers = listed(&BTreeSet::from([number]));
        let _ = write!(
            list,
            "\n{}: {}{numbers}\n  {}\n",
            part.name, part.license, part.url
        );
    }
    list.push_str(
        "\nThe standard libraries of Rust, in the program and the guests: MIT OR Apache-2.0\n",
    );
    list.push_str("  https://www.rust-lang.org/policies/licenses\n");

    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by_key(|(_, text)| text.number);
    for (words, text) in texts {
        let _ = write!(list, "\n\n[{}] {}\n\n{words}\n", text.number, text.found);
    }
    Ok(list)
}

/// Formats the numbers of texts.
fn listed(numbers: &BTreeSet<usize>) -> String {
    let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    if numbers.is_empty() {
        String::new()
    } else {
        format!(" [{}]", numbers.join(", "))
    }
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
