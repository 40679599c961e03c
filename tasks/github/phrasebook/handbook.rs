//! The handbook as a commit has it.

#![allow(dead_code, reason = "each verifier takes what it needs of it")]

use mcpmark_guest::github::Commit;

/// The codes of the languages that are translated into.
pub const LANGUAGES: [&str; 4] = ["de", "es", "fr", "it"];

/// A page in a language.
pub struct Page {
    pub path: String,
    /// The revision that it has, or follows.
    pub revision: u64,
    /// The whole text.
    pub text: String,
}

/// The names of the pages of the source, sorted.
pub fn names(commit: &Commit) -> Vec<String> {
    let paths = commit.files("handbook/en").required();
    let names = paths.iter().filter_map(|path| path.rsplit('/').next());
    let mut names: Vec<String> = names
        .map(|name| name.trim_end_matches(".md").to_owned())
        .collect();
    names.sort();
    names
}

pub fn page(commit: &Commit, language: &str, name: &str) -> Page {
    let path = format!("handbook/{language}/{name}.md");
    let text = commit.file(&path).text().required();
    let key = if language == "en" {
        "revision: "
    } else {
        "follows: "
    };
    let revision = text.lines().find_map(|line| line.strip_prefix(key));
    Page {
        revision: revision
            .and_then(|it| it.parse().ok())
            .expect("a page has its revision"),
        path,
        text,
    }
}

/// By how many revisions a translation lags behind.
pub fn lag(commit: &Commit, language: &str, name: &str) -> u64 {
    page(commit, "en", name).revision - page(commit, language, name).revision
}

/// The owners of a path.
pub fn owners(commit: &Commit, path: &str) -> Vec<String> {
    let text = commit.file("OWNERS").text().required();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut found = Vec::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let Some(place) = words.next() else { continue };
        let fits =
            place == "*" || place == path || (place.ends_with('/') && path.starts_with(place));
        if fits {
            found = words.map(str::to_owned).collect();
        }
    }
    found
}

/// The numbers and times of the day in a line.
pub fn values(line: &str) -> Vec<&str> {
    line.split(|it: char| !it.is_ascii_digit() && it != ':')
        .map(|it| it.trim_matches(':'))
        .filter(|it| !it.is_empty())
        .collect()
}

impl Page {
    /// The lines of the page, without its head, each with its number in the file.
    pub fn lines(&self) -> Vec<(u64, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .filter(|(_, line)| line.starts_with("- "))
            .map(|(at, line)| (at as u64 + 1, line))
            .collect()
    }
}
