//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "desk/reading";
const LABEL: &str = "second reading";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Looks at the numbers alone.
    pub reads_no_glossary: bool,
    /// Compares with the English page of the branch instead of that of main.
    pub trusts_the_branch: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    site.file_at("main", "docs/reading.md");
    let mut pulls = site.pulls("open");
    pulls.retain(|pull| labels(pull).iter().any(|it| it == LABEL));
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let (mut table, mut approved, mut count) = (String::new(), 0, 0);
    for pull in &pulls {
        let (id, branch) = (number(&pull["number"]), string(&pull["head"]["ref"]));
        let asked = json!({"pullNumber": id});
        let files = site.pages("get_pull_request_files", None, &asked);
        let path = string(&files[0]["filename"]).to_owned();
        let page = path.trim_start_matches("handbook/").trim_end_matches(".md");
        let (language, name) = page.split_once('/').expect("it changes a page");
        let place = if slips.trusts_the_branch {
            branch
        } else {
            "main"
        };
        let english = format!("handbook/en/{name}.md");
        let source = site.file_at(place, &english).unwrap_or_default();
        let own = site.file_at(branch, &path).unwrap_or_default();
        let glossary = format!("glossary/{language}.csv");
        let glossary = site.file_at("main", &glossary).unwrap_or_default();
        let words = if slips.reads_no_glossary {
            ""
        } else {
            &glossary
        };
        let wrong = wrong(&source, &own, words);

        let lines: Vec<String> = wrong.iter().map(|(at, _)| at.to_string()).collect();
        let (told, result) = if wrong.is_empty() {
            approved += 1;
            approve(&mut site, id, labels(pull));
            ("-".to_owned(), "approved")
        } else {
            send_back(&mut site, id, &path, &wrong);
            (lines.join(", "), "sent back")
        };
        table += &format!("| #{id} | {page} | {told} | {result} |\n");
        count += wrong.len();
    }
    let text = format!(
        "# What was read\n\n| Pull request | Page | Wrong lines | Result |\n|---|---|---|---|\n{table}\n{} read, {approved} approved, {count} lines to change.\n",
        pulls.len()
    );
    site.create_branch(BRANCH, "main");
    let file = ("docs/read.md".to_owned(), text);
    site.push(BRANCH, "docs: what was read", &[file]);
    format!("{count} lines are wrong.")
}

fn approve(site: &mut RepoTools<'_>, pull: u64, mut labels: Vec<String>) {
    let review = json!({"pullNumber": pull, "event": "APPROVE", "body": "Read."});
    site.text("create_and_submit_pull_request_review", &review);
    labels.retain(|it| it != LABEL);
    site.update_issue(pull, &json!({"labels": labels}));
}

fn send_back(site: &mut RepoTools<'_>, pull: u64, path: &str, wrong: &[(usize, String)]) {
    let asked = json!({"pullNumber": pull});
    site.text("create_pending_pull_request_review", &asked);
    for (line, body) in wrong {
        let comment = json!({
            "pullNumber": pull, "path": path, "line": line, "side": "RIGHT",
            "subjectType": "LINE", "body": body,
        });
        site.text("add_comment_to_pending_review", &comment);
    }
    let body = format!("{} to change.", wrong.len());
    let review = json!({"pullNumber": pull, "event": "REQUEST_CHANGES", "body": body});
    site.text("submit_pending_pull_request_review", &review);
}

/// The wrong lines by their numbers, with what is said about them.
fn wrong(source: &str, own: &str, glossary: &str) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    let heads = ["title: ", "follows: "];
    let lines = source.lines().zip(own.lines()).enumerate();
    let lines = lines.filter(|(_, (_, line))| heads.iter().all(|it| !line.starts_with(it)));
    for (at, (right, line)) in lines {
        if number_in(right) != number_in(line) {
            wrong.push((at + 1, format!("Number: {}", number_in(right))));
        }
        for row in glossary.lines().skip(1) {
            let mut cells = row.split(',').skip(1);
            let (word, never) = (cells.next(), cells.next());
            if never.is_some_and(|it| line.contains(it)) {
                wrong.push((at + 1, format!("Word: {}", word.unwrap_or_default())));
            }
        }
    }
    wrong
}

/// The number or time in a line.
fn number_in(line: &str) -> String {
    let is_part = |it: char| it.is_ascii_digit() || it == ':';
    line.chars().filter(|it| is_part(*it)).collect()
}
