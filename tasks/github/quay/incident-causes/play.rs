//! Steps of the solution, by the titles of commits and pull requests; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// Keeper of the machines of each role, by `docs/incidents.md`.
const KEEPERS: [(&str, &str); 7] = [
    ("web", "bokafor"),
    ("backup", "cwren"),
    ("database", "cwren"),
    ("gate", "dmarsh"),
    ("tide", "dmarsh"),
    ("camera", "efontaine"),
    ("metrics", "efontaine"),
];

/// Deviations of wrong solutions, and of other right ones.
#[derive(Default)]
pub struct Slips {
    /// Leaves everything open.
    pub overlooks_reverts: bool,
    /// Gives the incident to whom merged the change.
    pub blames_merger: bool,
    /// Believes everybody who says that it was no change.
    pub believes_anybody: bool,
    /// Takes the commit that the machine ran for the cause, whatever its keeper found.
    pub blames_the_change: bool,
    /// Overlooks that how long it lasted was corrected.
    pub counts_first_minutes: bool,
    /// Takes a change that was altered later for one that was taken back.
    pub takes_altered_for_undone: bool,
    /// Tells the office who made what.
    pub names_people: bool,
    /// Right: writes the report first, then begins with the newest.
    pub report_first: bool,
    /// Right: finds the incidents by a search.
    pub searches: bool,
    /// Right: names the cause on each incident.
    pub names_causes: bool,
}

/// An incident, and what becomes of it.
struct Incident {
    number: u64,
    labels: Vec<String>,
    minutes: u32,
    cause: Option<(u64, String)>,
    undone_by: Option<u64>,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    site.file_at("main", "docs/incidents.md");
    let pulls = site.pulls("closed");
    let mut incidents: Vec<Incident> = open(&mut site, slips.searches)
        .iter()
        .map(|issue| look_at(&mut site, &pulls, issue, slips))
        .collect();
    incidents.sort_by_key(|it| it.number);
    let report = report(&incidents, slips);
    let title = "Incidents of this year";
    if slips.report_first {
        site.open_issue(title, &report, &[]);
        incidents.reverse();
    }
    for incident in &incidents {
        settle(&mut site, incident, slips);
    }
    if !slips.report_first {
        site.open_issue(title, &report, &[]);
    }
    format!("{} incidents are settled.", incidents.len())
}

/// The open incidents.
fn open(site: &mut RepoTools<'_>, by_search: bool) -> Vec<Value> {
    if by_search {
        let query = json!({"query": "is:open label:incident repo:tern-harbour/quay"});
        return site.pages("search_issues", Some("items"), &query);
    }
    let mut issues = site.issues("OPEN");
    issues.retain(|it| labels(it).iter().any(|label| label == "incident"));
    issues
}

fn look_at(site: &mut RepoTools<'_>, pulls: &[Value], issue: &Value, slips: &Slips) -> Incident {
    let body = string(&issue["body"]);
    let after = |text: &str, begin: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(begin).map(str::to_owned))
    };
    let id = after(body, "Change: ").expect("each incident names a change");
    let commit = site.commit(&id);
    let subject = string(&commit["commit"]["message"])
        .lines()
        .next()
        .unwrap_or_default();
    let cause = by_subject(pulls, subject);
    let title = string(&cause["title"]);
    let revert = format!("Revert \"{title}\"");
    let is_undone = |it: &&Value| {
        let other = string(&it["title"]);
        other == revert
            || (slips.takes_altered_for_undone
                && title == "tide: ask the gauge for smooth values"
                && other == "tide: back to raw values")
    };
    let undone_by = pulls
        .iter()
        .find(is_undone)
        .filter(|it| !it["merged_at"].is_null());

    let role = title.split(':').next().unwrap_or_default();
    let keeper = KEEPERS
        .iter()
        .find(|(it, _)| *it == role)
        .map(|(_, login)| *login);
    let number = number(&issue["number"]);
    let comments = site.comments(number);
    let is_foreign = comments.iter().any(|it| {
        let may_say = slips.believes_anybody || Some(string(&it["user"]["login"])) == keeper;
        may_say
            && string(&it["body"])
                .to_lowercase()
                .contains("no change of ours")
    });
    let first = after(body, "Stood still for ");
    let reporter = string(&issue["user"]["login"]);
    let theirs = comments
        .iter()
        .filter(|it| string(&it["user"]["login"]) == reporter);
    let corrected = theirs
        .filter_map(|it| after(string(&it["body"]), "It was "))
        .last();
    let minutes = corrected.filter(|_| !slips.counts_first_minutes).or(first);
    let minutes = minutes.and_then(|it| it.split(' ').next()?.parse().ok());
    let author = if slips.blames_merger {
        let whole = site.json("get_pull_request", &json!({"pullNumber": cause["number"]}));
        string(&whole["merged_by"]["login"]).to_owned()
    } else {
        string(&cause["user"]["login"]).to_owned()
    };
    let of_number = |it: &Value| it["number"].as_u64().unwrap_or_default();
    Incident {
        number,
        labels: labels(issue),
        minutes: minutes.expect("it says how long"),
        cause: (!is_foreign || slips.blames_the_change).then(|| (of_number(cause), author)),
        undone_by: undone_by
            .filter(|_| !slips.overlooks_reverts)
            .map(of_number),
    }
}

/// The pull request that a commit came from: by its number in the subject, or else by its title.
fn by_subject<'a>(pulls: &'a [Value], subject: &str) -> &'a Value {
    let digits = subject.rsplit_once('#').map(|(_, rest)| rest);
    let digits = digits.map(|rest| {
        rest.split(|it: char| !it.is_ascii_digit())
            .next()
            .unwrap_or_default()
    });
    let wanted: Option<u64> = digits.and_then(|digits| digits.parse().ok());
    let found = pulls.iter().find(|it| match wanted {
        Some(wanted) => it["number"] == wanted,
        None => string(&it["title"]) == subject,
    });
    found.expect("a pull request brought it")
}

/// Gives an incident its labels, its assignee and its state.
fn settle(site: &mut RepoTools<'_>, it: &Incident, slips: &Slips) {
    let mut change = json!({});
    let mut labels = it.labels.clone();
    match &it.cause {
        Some((_, author)) => {
            labels.push("caused by change".to_owned());
            change["assignees"] = json!([author]);
        }
        None => {
            change["state"] = "closed".into();
            change["state_reason"] = "not_planned".into();
        }
    }
    if let Some(undone_by) = it.undone_by {
        labels.push("undone".to_owned());
        change["state"] = "closed".into();
        change["state_reason"] = "completed".into();
        site.comment(
            it.number,
            &format!("The change has been taken back by #{undone_by}."),
        );
    } else if let Some((cause, _)) = it.cause.as_ref().filter(|_| slips.names_causes) {
        site.comment(it.number, &format!("This came with #{cause}."));
    }
    change["labels"] = labels.into();
    site.update_issue(it.number, &change);
}

fn report(incidents: &[Incident], slips: &Slips) -> String {
    let minutes: u32 = incidents.iter().map(|it| it.minutes).sum();
    let mut text = format!(
        "Good morning! This year there were {} incidents, and they lasted {minutes} minutes in all.\n\n",
        incidents.len()
    );
    for it in incidents.iter().filter(|it| it.cause.is_none()) {
        text.push_str(&format!("- #{} was no change of ours.\n", it.number));
    }
    for it in incidents {
        if let (Some((_, author)), Some(undone_by)) = (&it.cause, it.undone_by) {
            let by = if slips.names_people {
                format!(" of {author}")
            } else {
                String::new()
            };
            text.push_str(&format!(
                "- The change{by} behind #{} has been taken back by #{undone_by}.\n",
                it.number
            ));
        }
    }
    text.push_str("\nWe have not found a better way for the others yet.");
    text
}
