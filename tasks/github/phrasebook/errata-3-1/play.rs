//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BASE: &str = "release/3.1";
const BRANCH: &str = "errata/3.1.2";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes the numbers that main has today.
    pub compares_with_main: bool,
    /// Puts pages right that lag behind by a revision as well.
    pub corrects_what_lags: bool,
}

/// A page with errors.
struct Wrong {
    path: String,
    follows: u64,
    text: String,
    told: Vec<String>,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    site.file_at("main", "docs/errata.md");
    let issue = site.issue_titled("Which numbers in the print of 3.1 are wrong?");
    let sources = sources(&mut site, slips);
    let pulls = site.pulls("closed");
    site.create_branch(BRANCH, BASE);
    let mut all: Vec<Wrong> = Vec::new();
    for language in ["de", "es", "fr", "it"] {
        let mut pages = Vec::new();
        for source in &sources {
            pages.extend(read(&mut site, language, source, slips));
        }
        let files: Vec<(String, String)> = pages
            .iter()
            .map(|it| (it.path.clone(), it.text.clone()))
            .collect();
        if !files.is_empty() {
            site.push(BRANCH, &format!("errata: {language}"), &files);
        }
        all.extend(pages);
    }
    let told: Vec<&String> = all.iter().flat_map(|it| &it.told).collect();
    release(&mut site, &told);
    let body = format!("For #{issue}: {} errors.", told.len());
    let own = site.open_pull("Release 3.1.2", BRANCH, BASE, &body);
    site.ask_for_review(own, "btosch");
    for page in &all {
        if let Some(pull) = origin(&pulls, page) {
            let lines = page
                .told
                .iter()
                .map(|it| format!("{it}, put right in #{own}."));
            let lines: Vec<String> = lines.collect();
            site.comment(pull, &lines.join("\n"));
        }
    }
    site.update_issue(issue, &json!({"assignees": ["btosch"]}));
    format!("{} errors are put right.", told.len())
}

/// The English pages: the path, the revision in print, and the text that others are compared with.
fn sources(site: &mut RepoTools<'_>, slips: &Slips) -> Vec<(String, u64, String)> {
    let mut sources = Vec::new();
    for path in site.files_in(BASE, "handbook/en") {
        let mut text = site.file_at(BASE, &path).unwrap_or_default();
        let revision = head(&text, "revision: ");
        if slips.compares_with_main {
            text = site.file_at("main", &path).unwrap_or_default();
        }
        sources.push((path, revision, text));
    }
    sources
}

/// A page with its errors, if it has any.
fn read(
    site: &mut RepoTools<'_>,
    language: &str,
    (source, revision, english): &(String, u64, String),
    slips: &Slips,
) -> Option<Wrong> {
    let path = source.replace("/en/", &format!("/{language}/"));
    let name = source
        .trim_start_matches("handbook/en/")
        .trim_end_matches(".md");
    let own = site.file_at(BASE, &path).unwrap_or_default();
    let follows = head(&own, "follows: ");
    let is_near = slips.corrects_what_lags && *revision == follows + 1;
    if *revision != follows && !is_near {
        return None;
    }
    let (mut text, mut told) = (String::new(), Vec::new());
    for (theirs, ours) in english.lines().zip(own.lines()) {
        let (right, wrong) = (value(theirs), value(ours));
        if ours.starts_with("- ") && right != wrong {
            text += &ours.replacen(wrong, right, 1);
            told.push(format!("{language}/{name}: {right} instead of {wrong}"));
        } else {
            text += ours;
        }
        text.push('\n');
    }
    (!told.is_empty()).then_some(Wrong {
        path,
        follows,
        text,
        told,
    })
}

/// The number at a key of the head of a page.
fn head(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|it| it.parse().ok());
    value.expect("a page has its revision")
}

/// The number or time in a line.
fn value(line: &str) -> &str {
    let is_digit = |it: char| it.is_ascii_digit();
    match (line.find(is_digit), line.rfind(is_digit)) {
        (Some(first), Some(last)) => &line[first..=last],
        _ => "",
    }
}

fn release(site: &mut RepoTools<'_>, told: &[&String]) {
    let log = site.file_at(BASE, "CHANGELOG.md").unwrap_or_default();
    let (head, before) = log.split_once("## ").expect("it has sections");
    let entries: String = told.iter().map(|it| format!("- {it}\n")).collect();
    let log = format!("{head}## 3.1.2 - 2025-10-20\n\n### Fixed\n\n{entries}\n## {before}");
    let files = [
        ("CHANGELOG.md".to_owned(), log),
        ("VERSION".to_owned(), "3.1.2\n".to_owned()),
    ];
    site.push(BRANCH, "Release 3.1.2", &files);
}

/// The pull request by which a page came to follow its revision: its title says so.
fn origin(pulls: &[Value], page: &Wrong) -> Option<u64> {
    let mut parts = page.path.trim_end_matches(".md").split('/').skip(1);
    let (language, name) = (parts.next()?, parts.next()?);
    let revision = page.follows;
    let titles = [
        format!("{language}: {name} follows revision {revision}"),
        format!("{language}: {name} up to revision {revision}"),
        format!("{language}: revision {revision} of {name}"),
    ];
    let says = |title: &str| titles.iter().any(|it| it == title);
    let pull = pulls
        .iter()
        .find(|pull| !pull["merged_at"].is_null() && says(string(&pull["title"])))?;
    Some(number(&pull["number"]))
}
