//! How the solution goes about it; the wrong ones slip on one rule each.

#[path = "../patching.rs"]
mod patching;
#[path = "../reading.rs"]
mod reading;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "ranges-2";
const TITLE: &str = "reader: read ranges like 2-3 hours";
const WORDS: [(&str, &str); 6] = [
    ("Interval", "Span"),
    ("Writer", "Format"),
    ("write", "long"),
    ("Reader", "Parse"),
    ("read", "span"),
    ("number", "quantity"),
];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Leaves the name of the method that reads.
    pub keeps_old_names: bool,
    /// Takes whole files from the old branch.
    pub copies_old_file: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/renames.md");
    let pulls = site.pulls("all");
    let old = pulls.iter().find(|it| string(&it["title"]) == TITLE);
    let old = old.expect("it is open");
    let main = site.commits("main");
    let log = site.commits(string(&old["head"]["ref"]));
    let is_on_main = |commit: &&Value| main.iter().any(|it| it["sha"] == commit["sha"]);
    let mut line: Vec<&Value> = log.iter().take_while(|it| !is_on_main(it)).collect();
    line.extend(log.get(line.len()));
    line.reverse();

    let changed: Vec<Vec<String>> = line[1..]
        .iter()
        .map(|commit| {
            let whole = site.commit(string(&commit["sha"]));
            let files = whole["files"].as_array().into_iter().flatten();
            files
                .map(|file| string(&file["filename"]).to_owned())
                .collect()
        })
        .collect();
    let head = string(&old["head"]["ref"]);
    let mut read = |commit: &Value, path: &str| {
        let text = reading::read(tools, head, string(&commit["sha"]), path);
        renamed(&text, slips)
    };
    let texts: Vec<Vec<(&str, String, String)>> = line
        .windows(2)
        .zip(&changed)
        .map(|(pair, paths)| {
            let paths = paths.iter().map(String::as_str);
            paths
                .map(|path| (path, read(pair[0], path), read(pair[1], path)))
                .collect()
        })
        .collect();

    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.create_branch(BRANCH, "main");
    let mut told = Vec::new();
    for (commit, files) in line[1..].iter().zip(texts) {
        let files = files.into_iter().map(|(path, before, after)| {
            let today = path.replace("reader", "parse");
            let text = if slips.copies_old_file {
                after
            } else {
                let now = site.file_at(BRANCH, &today).expect("it is there");
                patching::patched(&now, &patching::changes(&before, &after))
            };
            (today, text)
        });
        let files: Vec<(String, String)> = files.collect();
        let message = subject(string(&commit["commit"]["message"]));
        site.push(BRANCH, message.trim_end(), &files);
        let page = site.json("list_commits", &json!({"sha": BRANCH, "perPage": 1}));
        let (one, other) = (
            &string(&commit["sha"])[..10],
            &string(&page[0]["sha"])[..10],
        );
        told.push(format!("- {one} is {other}"));
    }

    let renaming = pulls
        .iter()
        .find(|it| string(&it["title"]) == "parse: what was called a reader");
    let renaming = renaming.expect("a pull request renamed it");
    let (number, by) = (number(&old["number"]), string(&old["user"]["login"]));
    let body = format!("{}\n\nTakes the place of #{number}.", string(&old["body"]));
    let own = site.open_pull(&subject(TITLE), BRANCH, "main", &body);
    let asked = [by, string(&renaming["user"]["login"])];
    site.update_pull(own, &json!({"reviewers": asked}));
    site.comment(number, &told.join("\n"));
    site.update_pull(number, &json!({"state": "closed"}));
    let issue = string(&old["body"]).trim_start_matches("Fixes #");
    let issue = issue.lines().next().and_then(|it| it.parse().ok());
    let words = format!(
        "Brought up to date in #{own}, for the names see #{}.",
        renaming["number"]
    );
    site.comment(issue.expect("it fixes an issue"), &words);
    format!("#{own} takes the place of #{number}.")
}

/// A message or a title with the name of today in front.
fn subject(text: &str) -> String {
    match text.strip_prefix("reader:") {
        Some(rest) => format!("parse:{rest}"),
        None => text.to_owned(),
    }
}

/// A text with the names of today in its code.
fn renamed(text: &str, slips: &Slips) -> String {
    let line = |line: &str| -> String {
        if line.trim_start().starts_with('#') {
            return format!("{line}\n");
        }
        let mut line = format!("{line}\n");
        for (old, new) in WORDS {
            if slips.keeps_old_names && old == "read" {
                continue;
            }
            let mut from = 0;
            while let Some(at) = line[from..].find(old).map(|at| from + at) {
                let end = at + old.len();
                let is_part =
                    |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
                let is_word = !is_part(line[..at].chars().next_back())
                    && !is_part(line[end..].chars().next());
                if is_word {
                    line.replace_range(at..end, new);
                    from = at + new.len();
                } else {
                    from = end;
                }
            }
        }
        line
    };
    text.lines().map(line).collect()
}
