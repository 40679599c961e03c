//! Steps of the solution; each wrong solution breaks one rule.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/asked";

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Asks the owners of all lines that fit.
    pub every_line_asks: bool,
    /// Looks at the new path of a moved file only.
    pub new_paths_only: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/owners.md");
    let owners = site.file_at("main", "OWNERS").expect("there are owners");
    let mut pulls = site.pulls("open");
    pulls.retain(|it| it["draft"] != true && is_empty(&it["requested_reviewers"]));
    pulls.sort_by_key(|it| number(&it["number"]));
    let mut text = String::from("# Asked for a review\n\n");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for pull in &pulls {
        let number = number(&pull["number"]);
        let about = json!({"pullNumber": number});
        if !is_empty(&site.json("get_pull_request_reviews", &about)) {
            continue;
        }
        let files = site.pages("get_pull_request_files", None, &about);
        let people = people(&owners, string(&pull["user"]["login"]), &files, slips);
        let names: Vec<&str> = people.iter().map(String::as_str).collect();
        let told = names.join(", ");
        site.update_pull(number, &json!({"reviewers": names}));
        site.comment(number, &format!("Asked by OWNERS: {told}."));
        text.push_str(&format!("- #{number}: {told}\n"));
        for login in people {
            *counts.entry(login).or_default() += 1;
        }
    }
    text.push_str("\nEach has to look at:\n\n");
    for (login, count) in &counts {
        text.push_str(&format!("- {login}: {count}\n"));
    }
    site.create_branch(BRANCH, "main");
    let file = ("docs/asked.md".to_owned(), text);
    site.push(BRANCH, "docs: who was asked to review what", &[file]);
    format!("{} people are asked.", counts.len())
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_none_or(Vec::is_empty)
}

fn people(owners: &str, author: &str, files: &[Value], slips: &Slips) -> BTreeSet<String> {
    let mut people = BTreeSet::new();
    for file in files {
        let mut paths = vec![string(&file["filename"])];
        if !slips.new_paths_only {
            paths.extend(file["previous_filename"].as_str());
        }
        for path in paths {
            let fitting = owners.lines().filter_map(|line| {
                let mut words = line.split_whitespace();
                let begin = words.next()?;
                (begin == "*" || path.starts_with(begin)).then_some(words)
            });
            let lines: Vec<_> = fitting.collect();
            let from = if slips.every_line_asks {
                0
            } else {
                lines.len().saturating_sub(1)
            };
            let logins = lines[from..].iter().cloned().flatten();
            people.extend(logins.filter(|it| *it != author).map(str::to_owned));
        }
    }
    if people.is_empty() {
        let other = if author == "moakes" {
            "pvries"
        } else {
            "moakes"
        };
        people.insert(other.to_owned());
    }
    people
}
