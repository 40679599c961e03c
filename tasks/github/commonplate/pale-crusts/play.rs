//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

use crate::book;

const BRANCH: &str = "warm-ovens";
const TITLE: &str = "Give the ovens their heat back";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Sets back what a cook has set since.
    pub overrules_cooks: bool,
    /// Undoes the order of the tags as well.
    pub undoes_all: bool,
}

/// What the commit did to a recipe.
struct Harm {
    path: String,
    lines: Vec<(String, String)>,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let issue = site.issue_titled("Everything from the oven is pale");
    let (pull, harms) = damage(&mut site);
    let mut files = Vec::new();
    for (path, text) in book::recipes(&mut site) {
        let Some(harm) = harms.iter().find(|harm| harm.path == path) else {
            continue;
        };
        let mended = mend(&text, harm, slips);
        if mended != text {
            files.push((path, mended));
        }
    }
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &files);
    let harmful = number(&pull["number"]);
    let id = &string(&pull["merge_commit_sha"])[..10];
    let body = format!("Fixes #{issue}\n\nUndoes a part of #{harmful} ({id}).");
    let own = site.open_pull(TITLE, BRANCH, "main", &body);
    site.ask_for_review(own, string(&pull["user"]["login"]));
    site.comment(harmful, &format!("The ovens are set right in #{own}."));
    format!("{} ovens are warm again.", files.len())
}

fn mend(text: &str, harm: &Harm, slips: &Slips) -> String {
    let mut mended = text.to_owned();
    for (before, after) in &harm.lines {
        let is_oven = before.starts_with("oven: ");
        let now = if is_oven && slips.overrules_cooks {
            format!("oven: {}", book::value(text, "oven"))
        } else {
            after.clone()
        };
        if is_oven || slips.undoes_all {
            mended = mended.replacen(&format!("\n{now}\n"), &format!("\n{before}\n"), 1);
        }
    }
    mended
}

/// The merged pull request that lowered many ovens, and what it did.
fn damage(site: &mut RepoTools<'_>) -> (Value, Vec<Harm>) {
    for pull in site.pulls("closed") {
        if pull["merged_at"].is_null() {
            continue;
        }
        let arguments = json!({"pullNumber": number(&pull["number"]), "perPage": 100});
        let files = site.json("get_pull_request_files", &arguments);
        let files = files.as_array().into_iter().flatten();
        let harms: Vec<Harm> = files.map(harm).collect();
        let lowers = |harm: &&Harm| harm.lines.iter().any(|(old, _)| old.starts_with("oven: "));
        if harms.iter().filter(lowers).count() > 3 {
            return (pull, harms);
        }
    }
    panic!("no pull request lowered many ovens")
}

/// Lines that were replaced one by one, by their keys.
fn harm(file: &Value) -> Harm {
    let patch = string(&file["patch"]);
    let with = |mark: char| {
        patch
            .lines()
            .filter_map(move |line| line.strip_prefix(mark))
    };
    let lines = with('-').filter_map(|old| {
        let (key, _) = old.split_once(": ")?;
        let begin = format!("{key}: ");
        let new = with('+').find(|new| new.starts_with(&begin))?;
        Some((old.to_owned(), new.to_owned()))
    });
    Harm {
        path: string(&file["filename"]).to_owned(),
        lines: lines.collect(),
    }
}
