//! How the solution goes about it; the wrong ones slip on one rule each.

use std::cmp::Ordering;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};

const BRANCH: &str = "settings/own-values";
const TITLE: &str = "hosts: take out values that are of no use";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes out equal values only.
    pub keeps_older: bool,
    /// Takes out any value that is not higher, versions or not.
    pub drops_lower_numbers: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    let issues = site.issues("OPEN");
    let issue = issues
        .iter()
        .find(|it| string(&it["title"]) == "Machines that set what their role sets already")
        .expect("the issue is open");
    site.file_at("main", "docs/settings.md");
    let mut hosts = site.files_in("main", "hosts");
    hosts.sort();
    let (mut files, mut told) = (Vec::new(), Vec::new());
    for path in hosts {
        let text = site.file_at("main", &path).unwrap_or_default();
        let mut settings = String::new();
        for role in value(&text, "roles").unwrap_or_default().split(", ") {
            let path = format!("roles/{role}/settings.yml");
            settings.push_str(&site.file_at("main", &path).unwrap_or_default());
        }
        let before = told.len();
        let mut after = text.clone();
        for line in text.lines() {
            let Some((key, own)) = line.split_once(": ") else {
                continue;
            };
            let Some(role) = value(&settings, key) else {
                continue;
            };
            let lower = compare(own, role) == Ordering::Less
                && (key.ends_with("_version") || slips.drops_lower_numbers)
                && !slips.keeps_older;
            if own == role || lower {
                let name = value(&text, "host").unwrap_or_default();
                after = after.replacen(&format!("\n{line}\n"), "\n", 1);
                told.push(format!("- {name}: {key} ({own}, the role has {role})"));
            }
        }
        if told.len() > before {
            files.push((path, after));
        }
    }
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &files);
    let body = format!(
        "Closes #{}\n\n{}",
        number(&issue["number"]),
        told.join("\n")
    );
    let pull = site.open_pull(TITLE, BRANCH, "main", &body);
    site.ask_for_review(pull, string(&issue["user"]["login"]));
    format!("{} lines are gone in #{pull}.", told.len())
}

fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

/// Compares part by part, as numbers.
fn compare(one: &str, other: &str) -> Ordering {
    let parts = |text: &str| -> Vec<u64> { text.split('.').flat_map(str::parse).collect() };
    parts(one).cmp(&parts(other))
}
