//! How the solution goes about it: it reads the rules where the team keeps them, and decides issue by issue. Wrong
//! solutions slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::{RepoTools, labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// What differs from the solution.
#[derive(Default)]
pub struct Manner {
    /// Takes the oldest issue with the code, whatever its thread says.
    pub ignores_threads: bool,
    /// Takes an issue with a code for a duplicate of a closed one.
    pub repeats_closed: bool,
    /// Takes issues with the same words in their titles for duplicates.
    pub compares_words: bool,
    /// Takes the label for a backport for the backport.
    pub trusts_labels: bool,
    /// Advises the reporter to stay on the release without the fix.
    pub advises_to_stay: bool,
    /// Closes what it has answered.
    pub closes_answered: bool,
    /// Begins with the newest issue.
    pub newest_first: bool,
    /// Finds issues by a search, and closes and labels in two calls.
    pub searches: bool,
    /// Names the commit in place of the pull request.
    pub names_commit: bool,
}

pub fn play(tools: &mut Tools, manner: &Manner) -> String {
    let mut site = RepoTools::new(tools, "lowfield", "sluice");
    site.file_at("main", "docs/triage.md")
        .expect("the rules are there");
    let (open, closed) = issues(&mut site, manner);
    let areas = areas(&open);
    let mut fresh: Vec<&Value> = open.iter().filter(|it| labels(it).is_empty()).collect();
    fresh.sort_by_key(|it| number(&it["number"]));
    if manner.newest_first {
        fresh.reverse();
    }
    for issue in &fresh {
        let id = number(&issue["number"]);
        let mut change = json!({"labels": marks(issue, &areas)});
        let is_known = closed
            .iter()
            .any(|it| code(it).is_some() && code(it) == code(issue));
        if let Some(repeated) = repeated(&mut site, issue, &open, &closed, manner) {
            site.comment(
                id,
                &format!("This is the fault of #{repeated}, please follow it there."),
            );
            if let Some(all) = change["labels"].as_array_mut() {
                all.push("duplicate".into());
            }
            let end =
                json!({"state": "closed", "state_reason": "duplicate", "duplicate_of": repeated});
            if manner.searches {
                site.update_issue(id, &change);
                change = end;
            } else if let (Some(change), Some(end)) = (change.as_object_mut(), end.as_object()) {
                change.extend(end.clone());
            }
        } else if is_known {
            let text = answer(&mut site, issue, &closed, manner);
            site.comment(id, &text);
            if manner.closes_answered {
                change["state"] = "closed".into();
                change["state_reason"] = "completed".into();
            }
        }
        site.update_issue(id, &change);
    }
    format!("{} issues are triaged.", fresh.len())
}

/// The open issues and the closed ones, the oldest first.
fn issues(site: &mut RepoTools<'_>, manner: &Manner) -> (Vec<Value>, Vec<Value>) {
    if !manner.searches {
        return (site.issues("OPEN"), site.issues("CLOSED"));
    }
    ["open", "closed"]
        .map(|state| {
            let query = format!("repo:lowfield/sluice is:issue is:{state}");
            let mut found = site.pages("search_issues", Some("items"), &json!({"query": query}));
            found.sort_by_key(|it| number(&it["number"]));
            found
        })
        .into()
}

/// The area labels of these issues, with the words of their descriptions.
fn areas(issues: &[Value]) -> Vec<(String, Vec<String>)> {
    let labels = issues
        .iter()
        .flat_map(|it| it["labels"].as_array().into_iter().flatten());
    let mut areas = Vec::new();
    for label in labels.filter(|it| string(&it["name"]).starts_with("area: ")) {
        let words = string(&label["description"]).split([' ', ',', ':']);
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        areas.push((string(&label["name"]).to_owned(), words));
    }
    areas
}

/// The value of a line of the form.
fn field(issue: &Value, name: &str) -> Option<String> {
    let form = string(&issue["body"])
        .split("\n\n")
        .next()
        .unwrap_or_default();
    let line = form
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.map(str::to_lowercase)
}

fn code(issue: &Value) -> Option<String> {
    field(issue, "Code")
}

/// The labels for the kind and the area of an issue.
fn marks(issue: &Value, areas: &[(String, Vec<String>)]) -> [String; 2] {
    let kind = match field(issue, "Kind").as_deref() {
        Some("broken") => "bug",
        Some("wish") => "enhancement",
        _ => "question",
    };
    let component = field(issue, "Component").unwrap_or_default();
    let area = areas.iter().find(|(_, words)| words.contains(&component));
    let area = area.map_or("needs info", |(name, _)| name);
    [kind.to_owned(), area.to_owned()]
}

/// The issue that this one repeats.
fn repeated(
    site: &mut RepoTools<'_>,
    issue: &Value,
    open: &[Value],
    closed: &[Value],
    manner: &Manner,
) -> Option<u64> {
    let id = number(&issue["number"]);
    let older = |it: &&Value| number(&it["number"]) < id;
    let is_same = |it: &&Value| match code(issue) {
        Some(own) => code(it).as_ref() == Some(&own),
        None => manner.compares_words && string(&it["title"]).contains("Checksum errors"),
    };
    let mut candidates: Vec<&Value> = open.iter().filter(older).filter(is_same).collect();
    if manner.repeats_closed {
        candidates.extend(closed.iter().filter(older).filter(is_same));
    }
    candidates.sort_by_key(|it| number(&it["number"]));
    if candidates.len() > 1 && !manner.ignores_threads {
        let has_pump = !string(&issue["body"]).contains("no pump");
        // A later comment of the team tells the reports with a pump from those without one.
        let decided = candidates.iter().find(|it| {
            let comments = site.comments(number(&it["number"]));
            let mut bodies = comments.iter().map(|it| string(&it["body"]));
            bodies.any(|body| body.contains("without a pump belong here"))
        });
        if let (Some(decided), false) = (decided, has_pump) {
            return Some(number(&decided["number"]));
        }
    }
    candidates.first().map(|it| number(&it["number"]))
}

/// What the reporter of a fault that is mended wants to know: the pull request closed the earlier issue, and the change
/// log tells its release.
fn answer(site: &mut RepoTools<'_>, issue: &Value, closed: &[Value], manner: &Manner) -> String {
    let mut earlier = closed.iter().filter(|it| code(it) == code(issue));
    let earlier = number(&earlier.next().expect("somebody had it before")["number"]);
    let pulls = site.pulls("closed");
    let fixes = format!("Fixes #{earlier}");
    let pull = pulls
        .iter()
        .find(|it| string(&it["body"]).lines().next() == Some(&fixes));
    let pull = pull.expect("a pull request mended it");
    let id = number(&pull["number"]);
    let log = site
        .file_at("main", "CHANGELOG.md")
        .expect("there is a change log");
    let entry = format!("(#{id})");
    let section = log.split("\n## ").find(|it| it.contains(&entry));
    let release = section
        .and_then(|it| it.split(' ').next())
        .expect("it was released");
    let branch = site
        .file_at("release/2.1", "CHANGELOG.md")
        .expect("the branch has one too");
    let has_it = branch.contains(&entry) || manner.trusts_labels && !labels(pull).is_empty();
    let mut place = format!("#{id}");
    if manner.names_commit {
        let commits = site.commits("main");
        let is_it = |it: &&Value| string(&it["commit"]["message"]).contains(&entry);
        let commit = commits.iter().find(is_it).expect("it is on main");
        place = format!("commit {}", string(&commit["sha"]));
    }
    let theirs = if has_it {
        "It was backported to 2.1, so 2.1.2 has it."
    } else if manner.advises_to_stay {
        "2.1.2 does not have it, but there is no need for an update: you can stay on it."
    } else {
        "2.1.2 does not have it, so please update."
    };
    format!("This was mended in {place}, and {release} is the first release that has it. {theirs}")
}
