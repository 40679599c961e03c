//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeSet;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "desk/owners";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes the first line of OWNERS that fits instead of the last.
    pub takes_first_line: bool,
    /// Asks those as well who have reviewed already.
    pub asks_again: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    let rules = site.file_at("main", "OWNERS").unwrap_or_default();
    let mut pulls = site.pulls("open");
    pulls.retain(|pull| pull["draft"] != true);
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let (mut table, mut requests) = (String::new(), 0);
    for pull in &pulls {
        let id = number(&pull["number"]);
        let asked = json!({"pullNumber": id});
        let files = site.pages("get_pull_request_files", None, &asked);
        let reviews = site.json("get_pull_request_reviews", &asked);
        let mut done: BTreeSet<&str> = [string(&pull["user"]["login"])].into();
        if !slips.asks_again {
            let reviews = reviews.as_array().into_iter().flatten();
            done.extend(reviews.map(|it| string(&it["user"]["login"])));
        }
        let mut own: BTreeSet<&str> = BTreeSet::new();
        let mut all = labels(pull);
        let before = all.len();
        for file in &files {
            let path = string(&file["filename"]);
            own.extend(owners(&rules, path, slips.takes_first_line));
            let label = label(path);
            if !label.is_empty() && !all.contains(&label) {
                all.push(label);
            }
        }
        let (left_out, wanted): (Vec<&str>, Vec<&str>) =
            own.into_iter().partition(|login| done.contains(login));
        if wanted.is_empty() {
            site.comment(id, "No owner left to ask.");
        } else {
            site.update_pull(id, &json!({"reviewers": wanted}));
        }
        if all.len() > before {
            site.update_issue(id, &json!({"labels": all}));
        }
        table += &format!("| #{id} | {} | {} |\n", names(&wanted), names(&left_out));
        requests += wanted.len();
    }
    let text = format!(
        "# Who was asked\n\n| Pull request | Asked | Left out |\n|---|---|---|\n{table}\n{} pull requests, {requests} requests.\n",
        pulls.len()
    );
    site.create_branch(BRANCH, "main");
    let file = ("docs/asked.md".to_owned(), text);
    site.push(BRANCH, "docs: who was asked", &[file]);
    format!("{requests} reviews are asked for.")
}

fn names(logins: &[&str]) -> String {
    if logins.is_empty() {
        return "-".to_owned();
    }
    logins.join(", ")
}

fn owners<'a>(rules: &'a str, path: &str, takes_first: bool) -> Vec<&'a str> {
    let lines = rules.lines().filter(|line| !line.starts_with('#'));
    let mut fitting = lines.map(str::split_whitespace).filter(|words| {
        let place = words.clone().next().unwrap_or_default();
        place == "*" || place == path || (place.ends_with('/') && path.starts_with(place))
    });
    // The first line fits everything: a careless reader begins below it.
    let line = if takes_first {
        fitting.nth(1)
    } else {
        fitting.next_back()
    };
    line.into_iter().flat_map(|words| words.skip(1)).collect()
}

fn label(path: &str) -> String {
    let mut parts = path.split('/');
    match (parts.next(), parts.next()) {
        (Some("handbook"), Some("en")) => "source".to_owned(),
        (Some("handbook"), Some(language @ ("de" | "es" | "fr" | "it"))) => {
            format!("lang: {language}")
        }
        (Some(place @ ("glossary" | "print")), Some(_)) => place.to_owned(),
        _ => String::new(),
    }
}
