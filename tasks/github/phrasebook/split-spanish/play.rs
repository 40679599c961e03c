//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "plan/es";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Makes issues for pages that an open pull request brings up to date.
    pub forgets_proposed: bool,
    /// Takes a page that says another number for one that lags behind.
    pub looks_at_numbers: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    let plan = site.issue_titled("Spanish before the season");
    let details = site.json("get_issue", &json!({"issue_number": plan}));
    let milestone = number(&details["milestone"]["number"]);
    let rules = site.file_at("main", "OWNERS").unwrap_or_default();
    let mut proposed = BTreeMap::new();
    for pull in site.pulls("open") {
        let asked = json!({"pullNumber": pull["number"]});
        for file in site.pages("get_pull_request_files", None, &asked) {
            proposed.insert(
                string(&file["filename"]).to_owned(),
                number(&pull["number"]),
            );
        }
    }

    let (mut table, mut pages, mut behind) = (String::new(), 0, 0);
    let mut made = 0;
    for source in site.files_in("main", "handbook/en") {
        let path = source.replace("/en/", "/es/");
        let name = source
            .trim_start_matches("handbook/en/")
            .trim_end_matches(".md");
        let original = site.file_at("main", &source).unwrap_or_default();
        let translation = site.file_at("main", &path).unwrap_or_default();
        let (there, here) = (head(&original, "revision"), head(&translation, "follows"));
        let differs = slips.looks_at_numbers && digits(&original) != digits(&translation);
        if there == here && !differs {
            continue;
        }
        let owners = owners(&rules, &path);
        let by = match proposed.get(&path) {
            Some(number) if !slips.forgets_proposed => *number,
            _ => {
                let issue = site.json(
                    "create_issue",
                    &json!({
                        "title": format!("es: {name}"),
                        "body": format!("Bring `{path}` from revision {here} to {there}."),
                        "labels": ["stale", "lang: es"],
                        "assignees": owners,
                        "milestone": milestone,
                    }),
                );
                made += 1;
                put_below(&mut site, plan, &issue)
            }
        };
        pages += 1;
        behind += there - here;
        table += &format!(
            "| {name} | {here} | {there} | {} | #{by} |\n",
            owners.join(", ")
        );
    }
    let text = format!(
        "# Spanish before the season\n\n| Page | Follows | Source | Owners | By |\n|---|---|---|---|---|\n{table}\n{pages} pages, {behind} revisions behind.\n"
    );
    site.create_branch(BRANCH, "main");
    let file = ("docs/season-es.md".to_owned(), text);
    site.push(BRANCH, "docs: the Spanish plan", &[file]);
    format!("{made} issues stand below the plan.")
}

/// Puts a new issue at the end of the plan, and gives its number.
fn put_below(site: &mut RepoTools<'_>, plan: u64, issue: &Value) -> u64 {
    let made = string(&issue["url"]).rsplit('/').next();
    let made: u64 = made.and_then(|it| it.parse().ok()).expect("its number");
    // What is put below an issue is named by its id, which is another number.
    let details = site.json("get_issue", &json!({"issue_number": made}));
    let asked = json!({"issue_number": plan, "sub_issue_id": details["id"]});
    site.text("add_sub_issue", &asked);
    made
}

/// The number at a key of the head of a page.
fn head(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|it| it.trim_start_matches(": ").parse().ok());
    value.expect("a page has its revision")
}

/// All digits of a page below its head.
fn digits(text: &str) -> String {
    let body = text.split_once("\n\n").map_or("", |(_, body)| body);
    body.chars().filter(char::is_ascii_digit).collect()
}

fn owners(rules: &str, path: &str) -> Vec<String> {
    let fits = |place: &str| {
        place == "*" || place == path || (place.ends_with('/') && path.starts_with(place))
    };
    let line = rules
        .lines()
        .filter(|line| !line.starts_with('#'))
        .rfind(|line| line.split(' ').next().is_some_and(fits));
    let words = line.unwrap_or_default().split_whitespace().skip(1);
    words.map(str::to_owned).collect()
}
