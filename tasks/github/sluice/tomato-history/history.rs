//! How the solution finds the changes with the tools that it has, which show no parents of commits.

use mcpmark_guest::serde_json::{Value, json};

use mcpmark_guest::github::{RepoTools, number, string};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Looks only at commits whose subject names the crop.
    pub believes_subjects: bool,
    /// Takes the day on which a commit was committed for that on which it was written.
    pub dates_by_committer: bool,
}

pub struct Change {
    pub date: String,
    pub author: String,
    pub from: i64,
    pub to: i64,
    pub commit: String,
    pub pull: u64,
}

const PATH: &str = "crops/tomato.toml";

/// The value in a file.
pub fn minutes(file: &str) -> i64 {
    let line = file
        .lines()
        .find_map(|line| line.strip_prefix("max_minutes = "));
    line.and_then(|value| value.parse().ok())
        .expect("the file has max_minutes")
}

/// Whether a message can be that of a commit that changes a crop. The team begins the subject with the
/// area; what is told of values and crops in other words is looked at as well.
fn is_candidate(message: &str, slips: &Slips) -> bool {
    let subject = message.lines().next().unwrap_or_default();
    if slips.believes_subjects {
        return subject.contains("tomato");
    }
    let lower = message.to_lowercase();
    lower.contains("tomato") || lower.contains("crop") || subject.contains("alues")
}

pub fn changes(site: &mut RepoTools<'_>, slips: &Slips) -> Vec<Change> {
    let mut commits = site.pages("list_commits", None, &json!({"sha": "main"}));
    commits.reverse();
    let commits: Vec<Value> = commits
        .into_iter()
        .filter(|it| is_candidate(string(&it["commit"]["message"]), slips))
        .collect();
    let mut changes: Vec<Change> = Vec::new();
    let mut before: Option<i64> = None;
    for commit in &commits {
        let message = string(&commit["commit"]["message"]);
        let id = string(&commit["sha"]);
        if message.starts_with("Merge pull request ") || !touches(site, id) {
            continue;
        }
        let Some(file) = site.file_of(id, PATH) else {
            continue;
        };
        let now = minutes(&file);
        if let Some(from) = before.filter(|from| *from != now) {
            let who = if slips.dates_by_committer {
                "committer"
            } else {
                "author"
            };
            changes.push(Change {
                date: string(&commit["commit"][who]["date"])[..10].to_owned(),
                author: string(&commit["author"]["login"]).to_owned(),
                from,
                to: now,
                commit: id.to_owned(),
                pull: 0,
            });
        }
        before = Some(now);
    }
    find_pulls(site, &mut changes);
    changes
}

fn touches(site: &mut RepoTools<'_>, id: &str) -> bool {
    let commit = site.json("get_commit", &json!({"sha": id}));
    let mut files = commit["files"].as_array().into_iter().flatten();
    files.any(|file| string(&file["filename"]) == PATH)
}

/// The pull request that merged a commit, or whose branch has its subject.
fn find_pulls(site: &mut RepoTools<'_>, changes: &mut [Change]) {
    let arguments = json!({"state": "closed"});
    let pulls = site.pages("list_pull_requests", None, &arguments);
    for pull in pulls.iter().filter(|pull| !pull["merged_at"].is_null()) {
        let merged = string(&pull["merge_commit_sha"]);
        for change in changes.iter_mut().filter(|it| it.commit == merged) {
            change.pull = number(&pull["number"]);
        }
    }
    for change in changes.iter_mut().filter(|it| it.pull == 0) {
        // A commit of a branch: those of the pull requests that were merged later, the next first.
        let commit = site.json("get_commit", &json!({"sha": change.commit}));
        let message = string(&commit["commit"]["message"]).to_owned();
        for pull in pulls.iter().rev() {
            if pull["merged_at"].is_null() || string(&pull["user"]["login"]) != change.author {
                continue;
            }
            let head = string(&pull["head"]["sha"]);
            let opened = string(&pull["created_at"]);
            // The branch was begun at most a week before, and the commit is on it.
            if opened < change.date.as_str() || !is_near(&change.date, opened) {
                continue;
            }
            let first = site.json("list_commits", &json!({"sha": head, "perPage": 5}));
            let on_it = first.as_array().into_iter().flatten().any(|it| {
                string(&it["commit"]["message"]) == message
                    && string(&it["commit"]["author"]["date"])
                        == string(&commit["commit"]["author"]["date"])
            });
            if on_it {
                change.pull = number(&pull["number"]);
                break;
            }
        }
    }
}

/// Whether two dates are in the same or in neighbouring months.
fn is_near(one: &str, other: &str) -> bool {
    let months = |date: &str| {
        let year: i64 = date[..4].parse().unwrap_or_default();
        let month: i64 = date[5..7].parse().unwrap_or_default();
        year * 12 + month
    };
    (months(one) - months(other)).abs() <= 1
}

/// The releases of the change log, the oldest first, with the pull requests that each names.
pub fn releases(log: &str) -> Vec<(String, Vec<u64>)> {
    let mut all: Vec<(String, Vec<u64>)> = Vec::new();
    for line in log.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let number = title.split(' ').next().unwrap_or_default();
            all.push((format!("v{number}"), Vec::new()));
        } else if let (Some((_, tail)), Some((_, pulls))) = (line.rsplit_once("(#"), all.last_mut())
        {
            pulls.extend(tail.trim_end_matches(')').parse::<u64>());
        }
    }
    all.reverse();
    all
}
