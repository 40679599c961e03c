//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/removals-4";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Lists what an open issue names, even if it does not go in this version.
    pub counts_the_put_off: bool,
    /// Takes an issue that was closed.
    pub takes_closed_issues: bool,
}

struct Method {
    name: String,
    path: String,
    since: String,
    instead: String,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/deprecations.md");
    let mut known = site.issues("OPEN");
    let mut methods = Vec::new();
    for directory in ["lib", "lib/fortnight", "lib/fortnight/words"] {
        for path in site.files_in("main", directory) {
            let text = site.file_at("main", &path).expect("it is listed");
            for (version, method) in announced(&path, &text) {
                let title = format!("Remove {}", method.name);
                let is_known = known.iter().any(|it| string(&it["title"]) == title);
                if version == "4.0.0" || (slips.counts_the_put_off && is_known) {
                    methods.push(method);
                }
            }
        }
    }
    methods.sort_by(|one, other| one.name.cmp(&other.name));
    if slips.takes_closed_issues {
        known.extend(site.issues("CLOSED"));
    }
    let mut numbers = Vec::new();
    for method in &methods {
        let title = format!("Remove {}", method.name);
        let issue = known.iter().find(|it| string(&it["title"]) == title);
        let issue = match issue {
            Some(issue) => number(&issue["number"]),
            None => {
                let body = format!(
                    "Deprecated since {} in `{}`. Use `{}` instead.",
                    method.since, method.path, method.instead
                );
                site.open_issue(&title, &body, &["deprecation"])
            }
        };
        numbers.push(issue);
    }
    let lines = methods.iter().zip(&numbers);
    let list: Vec<String> = lines
        .clone()
        .map(|(method, issue)| format!("- #{issue} {}", method.name))
        .collect();
    let whole = site.open_issue("What goes in 4.0.0", &list.join("\n"), &["breaking"]);
    for issue in &numbers {
        let found: Value = site.json("get_issue", &json!({"issue_number": issue}));
        let part = json!({"issue_number": whole, "sub_issue_id": found["id"]});
        site.text("add_sub_issue", &part);
    }
    let mut text = String::from(
        "# What goes in 4.0.0\n\n| Method | File | Since | Instead | Issue |\n|---|---|---|---|---|\n",
    );
    for (method, issue) in lines {
        let Method {
            name,
            path,
            since,
            instead,
        } = method;
        text.push_str(&format!(
            "| {name} | {path} | {since} | {instead} | #{issue} |\n"
        ));
    }
    text.push_str(&format!("\nSee #{whole}.\n"));
    site.create_branch(BRANCH, "main");
    let file = ("docs/removals-4.md".to_owned(), text);
    site.push(BRANCH, "docs: what goes in 4.0.0", &[file]);
    format!("{} methods go in 4.0.0, see #{whole}.", methods.len())
}

/// The methods of a file that go, each with the version in which they do.
fn announced(path: &str, text: &str) -> Vec<(String, Method)> {
    let (mut owner, mut found) = ("", Vec::new());
    let mut comment: Option<(&str, &str, &str)> = None;
    for line in text.lines().map(str::trim) {
        let head = ["module ", "class "]
            .iter()
            .find_map(|it| line.strip_prefix(it));
        owner = head.unwrap_or(owner);
        if let Some((since, rest)) = line
            .strip_prefix("# @deprecated since ")
            .and_then(|rest| rest.split_once(", goes in "))
        {
            let (version, instead) = rest.split_once(": use ").expect("it says what to use");
            comment = Some((since, version, instead));
        } else if let (Some((since, version, instead)), Some(rest)) =
            (comment, line.strip_prefix("def "))
        {
            let name = rest.split(['(', ' ']).next().unwrap_or(rest);
            let name = match name.strip_prefix("self.") {
                Some(name) => format!("{owner}.{name}"),
                None => format!("{owner}#{name}"),
            };
            let method = Method {
                name,
                path: path.to_owned(),
                since: since.to_owned(),
                instead: instead.to_owned(),
            };
            found.push((version.to_owned(), method));
            comment = None;
        }
    }
    found
}
