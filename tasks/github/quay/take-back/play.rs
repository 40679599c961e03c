//! Steps of the solution, by the patch of the change; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const INCIDENT: &str = "Incident: The page of arrivals was gone";
const BRANCH: &str = "undo-web-reload";

/// Deviations of wrong solutions, and of other right ones.
#[derive(Default)]
pub struct Slips {
    /// Takes the whole file from before the change.
    pub restores_the_file: bool,
    /// Does not say which commit it takes back.
    pub names_no_commit: bool,
    /// Gives only the first digits of the commit.
    pub shortens_the_commit: bool,
    /// Asks the author of the change.
    pub asks_the_author: bool,
    /// Takes the incident for settled.
    pub closes_the_incident: bool,
    /// Believes who says that it was the storm.
    pub blames_the_storm: bool,
    /// Tells people that it is done.
    pub says_done: bool,
    /// Right: comments before it asks for the review.
    pub comments_first: bool,
    /// Right: finds the incident by a search, and edits the file by itself.
    pub edits_the_file: bool,
    /// Right: gives the incident what a change caused.
    pub names_the_cause: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    site.file_at("main", "docs/incidents.md");
    let issue = incident(&mut site, slips.edits_the_file);
    let incident = number(&issue["number"]);
    site.comments(incident);
    let id = string(&issue["body"])
        .lines()
        .find_map(|line| line.strip_prefix("Change: "))
        .expect("it names a change");
    let commit = site.commit(id);
    let subject = string(&commit["commit"]["message"])
        .lines()
        .next()
        .unwrap_or_default();
    let cause = site.json(
        "get_pull_request",
        &json!({"pullNumber": in_subject(subject)}),
    );
    let files = site.json(
        "get_pull_request_files",
        &json!({"pullNumber": number(&cause["number"])}),
    );
    let file = &files[0];
    let path = string(&file["filename"]);
    let now = site.file_at("main", path).expect("it is there");
    let text = if slips.restores_the_file {
        let before = string(&commit["parents"][0]["sha"]);
        site.file_of(before, path).expect("it was there")
    } else {
        undone(&now, string(&file["patch"]))
    };

    let title = format!("Revert \"{}\"", string(&cause["title"]));
    let named = if slips.shortens_the_commit {
        &id[..10]
    } else {
        id
    };
    let message = if slips.names_no_commit {
        title.clone()
    } else {
        format!("{title}\n\nThis reverts commit {named}.")
    };
    site.create_branch(BRANCH, "main");
    if slips.edits_the_file {
        let entries = site.json(
            "get_file_contents",
            &json!({"path": "roles/web/", "ref": BRANCH}),
        );
        let mut entries = entries.as_array().into_iter().flatten();
        let entry = entries.find(|it| it["path"] == path).expect("it is listed");
        let arguments = json!({
            "branch": BRANCH, "path": path, "content": text, "sha": entry["sha"], "message": message,
        });
        site.text("create_or_update_file", &arguments);
    } else {
        site.push(BRANCH, &message, &[(path.to_owned(), text)]);
    }
    let causing = number(&cause["number"]);
    let body = format!("Takes back #{causing}, because of #{incident}.");
    let own = site.open_pull(&title, BRANCH, "main", &body);
    let reviewer = if slips.asks_the_author {
        string(&cause["user"]["login"])
    } else {
        "bokafor"
    };
    let said = said(causing, own, slips);
    if slips.comments_first {
        site.comment(incident, &said);
    }
    site.ask_for_review(own, reviewer);
    if !slips.comments_first {
        site.comment(incident, &said);
    }
    settle(&mut site, &issue, &cause, slips);
    format!("#{own} waits for a review.")
}

/// Returns the comment on the incident.
fn said(cause: u64, own: u64, slips: &Slips) -> String {
    match (slips.blames_the_storm, slips.says_done) {
        (true, _) => format!("It was the storm. We take #{cause} back in #{own} all the same."),
        (_, true) => format!("It was #{cause} that did it. It has been taken back in #{own}."),
        _ => format!(
            "It was #{cause} that did it. The change is being taken back in #{own}, which waits for a review."
        ),
    }
}

/// Gives the incident more than a comment.
fn settle(site: &mut RepoTools<'_>, issue: &Value, cause: &Value, slips: &Slips) {
    if !(slips.closes_the_incident || slips.names_the_cause) {
        return;
    }
    let mut all = labels(issue);
    all.push("caused by change".to_owned());
    let mut change = json!({"assignees": [cause["user"]["login"]]});
    if slips.closes_the_incident {
        all.push("undone".to_owned());
        change["state"] = "closed".into();
        change["state_reason"] = "completed".into();
    }
    change["labels"] = all.into();
    site.update_issue(number(&issue["number"]), &change);
}

/// The open incident about the page of arrivals.
fn incident(site: &mut RepoTools<'_>, by_search: bool) -> Value {
    let all = if by_search {
        let query = json!({"query": "arrivals is:open label:incident repo:tern-harbour/quay"});
        site.pages("search_issues", Some("items"), &query)
    } else {
        site.issues("OPEN")
    };
    let mut found = all.into_iter().filter(|it| it["title"] == INCIDENT);
    found.next().expect("it is open")
}

/// The number of the pull request in the subject of its commit on main.
fn in_subject(subject: &str) -> u64 {
    let (_, rest) = subject.split_once('#').expect("it has its number");
    let end = rest.find(|it: char| !it.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().expect("a number")
}

/// A text without what a patch did to it.
fn undone(text: &str, patch: &str) -> String {
    let with = |mark: char| -> Vec<&str> {
        patch
            .lines()
            .filter_map(|line| line.strip_prefix(mark))
            .collect()
    };
    let lines = with('-').into_iter().zip(with('+'));
    lines.fold(text.to_owned(), |text, (old, new)| {
        text.replacen(&format!("{new}\n"), &format!("{old}\n"), 1)
    })
}
