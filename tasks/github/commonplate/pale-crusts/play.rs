//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

use crate::book;

const BRANCH: &str = "warm-ovens";
const TITLE: &str = "Give the ovens their heat back";
const ISSUE: &str = "Everything from the oven is pale";

/// Deviations of wrong solutions, and of other right ones.
#[derive(Default)]
pub struct Slips {
    /// Sets back what a cook has set since.
    pub overrules_cooks: bool,
    /// Sets back what a cook keeps by a comment on the issue.
    pub overlooks_the_wish: bool,
    /// Leaves the tart to somebody who did not write it.
    pub obeys_a_guest: bool,
    /// Undoes the order of the tags as well.
    pub undoes_all: bool,
    /// Puts 20 degrees on top of each oven, younger recipes too.
    pub warms_all: bool,
    /// Says that its own pull request did it.
    pub exchanges_the_pulls: bool,
    /// Right: looks at the recipes before the pull requests, and comments first.
    pub in_another_order: bool,
    /// Right: commits file by file.
    pub file_by_file: bool,
}

/// Changes of the commit to a recipe.
struct Harm {
    path: String,
    lines: Vec<(String, String)>,
}

impl Harm {
    /// The oven before and after.
    fn oven(&self) -> Option<(&str, &str)> {
        let (old, new) = self
            .lines
            .iter()
            .find(|(old, _)| old.starts_with("oven: "))?;
        Some((old.strip_prefix("oven: ")?, new.strip_prefix("oven: ")?))
    }
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let early = slips.in_another_order.then(|| book::recipes(&mut site));
    let issue = site.issue_titled(ISSUE);
    let (pull, harms) = damage(&mut site);
    let comments = site.comments(issue);
    let recipes = early.unwrap_or_else(|| book::recipes(&mut site));
    let log = site.commits("main");

    let mut files = Vec::new();
    let mut kept = Vec::new();
    for (path, text) in &recipes {
        let harm = harms.iter().find(|harm| harm.path == *path);
        let oven = harm.and_then(Harm::oven);
        let title = book::value(text, "title");
        let now = book::value(text, "oven");
        let mut mended = text.clone();
        if let Some((before, after)) = oven {
            let cook = if now != after {
                set_by(&log, title, now).filter(|_| !slips.overrules_cooks)
            } else {
                wished_by(&comments, title).filter(|_| !slips.overlooks_the_wish)
            };
            let guest = slips.obeys_a_guest && title == "Plum tart";
            match cook.or_else(|| guest.then(|| "chip-pan-alan".to_owned())) {
                Some(cook) => kept.push(format!("{} ({cook})", title.to_lowercase())),
                None => mended = with(text, "oven", now, before),
            }
        } else if slips.warms_all && now != "0" {
            let more: u32 = now.parse().expect("degrees");
            mended = with(text, "oven", now, &(more + 20).to_string());
        }
        if slips.undoes_all {
            let others = harm.iter().flat_map(|harm| &harm.lines);
            for (old, new) in others.filter(|(old, _)| !old.starts_with("oven: ")) {
                mended = mended.replacen(&format!("\n{new}\n"), &format!("\n{old}\n"), 1);
            }
        }
        if mended != *text {
            files.push((path.clone(), mended));
        }
    }
    site.create_branch(BRANCH, "main");
    commit(&mut site, &files, slips.file_by_file);
    let harmful = number(&pull["number"]);
    let body =
        format!("Fixes #{issue}. The ovens are set back to what they were before #{harmful}.");
    let own = site.open_pull(TITLE, BRANCH, "main", &body);
    let (did, mends) = if slips.exchanges_the_pulls {
        (own, harmful)
    } else {
        (harmful, own)
    };
    let said = format!(
        "It was #{did} that lowered the ovens, along with the tags. #{mends} puts {} recipes right. These are left as \
         their cooks want them: {}.",
        files.len(),
        kept.join(", ")
    );
    let author = string(&pull["user"]["login"]);
    if slips.in_another_order {
        site.comment(issue, &said);
        site.ask_for_review(own, author);
    } else {
        site.ask_for_review(own, author);
        site.comment(issue, &said);
    }
    format!("{} ovens are warm again.", files.len())
}

fn with(text: &str, key: &str, old: &str, new: &str) -> String {
    text.replacen(
        &format!("\n{key}: {old}\n"),
        &format!("\n{key}: {new}\n"),
        1,
    )
}

fn commit(site: &mut RepoTools<'_>, files: &[(String, String)], one_by_one: bool) {
    if !one_by_one {
        return site.push(BRANCH, TITLE, files);
    }
    for (path, text) in files {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let listing = json!({"path": format!("{directory}/"), "ref": BRANCH});
        let entries = site.json("get_file_contents", &listing);
        let mut entries = entries.as_array().into_iter().flatten();
        let entry = entries
            .find(|it| string(&it["path"]) == path)
            .expect("it is listed");
        let arguments = json!({
            "branch": BRANCH, "path": path, "content": text, "sha": entry["sha"],
            "message": format!("{TITLE}: {path}"),
        });
        site.text("create_or_update_file", &arguments);
    }
}

/// The author of the commit that says to have set the oven to its value of today.
fn set_by(log: &[Value], title: &str, now: &str) -> Option<String> {
    let subject = format!("{title}: {now} degrees");
    let commit = log
        .iter()
        .find(|it| string(&it["commit"]["message"]).starts_with(&subject))?;
    Some(string(&commit["author"]["login"]).to_owned())
}

/// Returns the author of the comment that says that a recipe of theirs stays.
fn wished_by(comments: &[Value], title: &str) -> Option<String> {
    let words = format!("My {} stays", title.to_lowercase());
    let comment = comments
        .iter()
        .find(|it| string(&it["body"]).starts_with(&words))?;
    Some(string(&comment["user"]["login"]).to_owned())
}

/// The merged pull request that lowered many ovens, and what it did.
fn damage(site: &mut RepoTools<'_>) -> (Value, Vec<Harm>) {
    let mut pulls = site.pulls("closed");
    // Somebody says on the issue that they moved tags; theirs come first.
    pulls.sort_by_key(|pull| string(&pull["user"]["login"]) != "larkspur-j");
    for pull in pulls {
        if pull["merged_at"].is_null() {
            continue;
        }
        let arguments = json!({"pullNumber": number(&pull["number"]), "perPage": 100});
        let files = site.json("get_pull_request_files", &arguments);
        let files = files.as_array().into_iter().flatten();
        let harms: Vec<Harm> = files.map(harm).collect();
        if harms.iter().filter(|harm| harm.oven().is_some()).count() > 3 {
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
