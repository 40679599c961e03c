//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};

const BRANCH: &str = "retire-2025-11";
const TODAY: &str = "2025-11-03";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Retires a machine on its last day.
    pub too_early: bool,
    /// Forgets that the machine is watched.
    pub leaves_targets: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    let issues = site.issues("OPEN");
    let issue = issues
        .iter()
        .find(|it| string(&it["title"]) == "Retire what should be gone by now")
        .expect("the issue is open");
    site.file_at("main", "docs/retiring.md");
    let mut due = Vec::new();
    for path in site.files_in("main", "hosts") {
        let text = site.file_at("main", &path).unwrap_or_default();
        let day = value(&text, "retire_after");
        if day < TODAY || (slips.too_early && day == TODAY) {
            due.push((value(&text, "host").to_owned(), path, text));
        }
    }
    due.sort();
    site.create_branch(BRANCH, "main");
    for (name, path, _) in &due {
        site.remove(BRANCH, &format!("Retire {name}"), path);
    }
    let mut files = Vec::new();
    let mut lists = site.files_in("main", "inventory");
    if !slips.leaves_targets {
        lists.push("monitoring/targets.csv".to_owned());
    }
    for path in lists {
        let before = site.file_at("main", &path).unwrap_or_default();
        let is_kept = |line: &&str| {
            let name = line.split(',').next().unwrap_or_default();
            due.iter().all(|(it, _, _)| it != name)
        };
        let mut kept: Vec<&str> = before.lines().filter(is_kept).collect();
        if kept.len() < before.lines().count() {
            kept.push("");
            files.push((path, kept.join("\n")));
        }
    }
    let mut retired = String::from("host,site,roles,retire_after\n");
    for (name, _, text) in &due {
        let roles = value(text, "roles").replace(", ", "+");
        let (at, day) = (value(text, "site"), value(text, "retire_after"));
        retired.push_str(&format!("{name},{at},{roles},{day}\n"));
    }
    files.push(("docs/retired.csv".to_owned(), retired));
    site.push(BRANCH, "Take retired machines off the lists", &files);
    let names: Vec<&str> = due.iter().map(|(name, _, _)| name.as_str()).collect();
    let body = format!(
        "Closes #{}\n\n{}",
        number(&issue["number"]),
        names.join(", ")
    );
    let pull = site.open_pull("Retire what is due", BRANCH, "main", &body);
    site.ask_for_review(pull, string(&issue["user"]["login"]));
    format!("{} machines are retired in #{pull}.", names.len())
}

fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let mut values = text
        .lines()
        .filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    values.next().expect("each machine has it")
}
