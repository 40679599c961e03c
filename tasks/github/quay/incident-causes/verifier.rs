//! The causes, found again in the starting world by the commits that the issues and the messages name.

mod facts;
#[path = "../../links.rs"]
mod links;
#[path = "../../roles.rs"]
mod roles;

use mcpmark_guest::github::{Allowed, Commit, Issue, Pull};
use mcpmark_guest::prose::{Fact, Person};
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Found, Verifier};

use crate::facts::{Told, WORDS, conditions};
use crate::links::links_agree;

mcpmark_guest::verifier!(verify);

/// Keeper of the machines of each role, by `docs/incidents.md`.
const KEEPERS: [(&str, &str); 7] = [
    ("web:", "bokafor"),
    ("backup:", "cwren"),
    ("database:", "cwren"),
    ("gate:", "dmarsh"),
    ("tide:", "dmarsh"),
    ("camera:", "efontaine"),
    ("metrics:", "efontaine"),
];

/// An incident, and what becomes of it.
struct Incident {
    issue: Issue,
    /// The pull request that caused it; missing if the keeper of the machines says that it was no change.
    cause: Option<Pull>,
    undone_by: Option<u64>,
}

impl Incident {
    fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = self.issue.labels.iter().map(String::as_str).collect();
        labels.extend(self.cause.iter().map(|_| "caused by change"));
        labels.extend(self.undone_by.iter().map(|_| "undone"));
        labels
    }
}

fn verify(task: &mut Verifier) {
    let incidents = incidents(task);
    let undone = || incidents.iter().filter(|it| it.undone_by.is_some());
    let foreign = || incidents.iter().filter(|it| it.cause.is_none());
    let others = || {
        incidents
            .iter()
            .filter(|it| it.cause.is_some() && it.undone_by.is_none())
    };
    assert!(
        undone().count() > 1 && foreign().count() == 1 && others().count() > 3,
        "there is too little to decide in this world"
    );
    let end = task.end();
    let now = |it: &Incident| end.issue(it.issue.number);
    let labels = |it: &Incident| now(it).labels_are(&it.labels());
    let assigned = |it: &Incident| {
        let author: Vec<&str> = it.cause.iter().map(|it| it.issue.user.as_str()).collect();
        now(it).assignees_are(&author)
    };
    let caused = || incidents.iter().filter(|it| it.cause.is_some());
    task.check(
        "the labels of what a change caused",
        Condition::all(caused().map(labels)),
    );
    task.check(
        "who has what a change caused",
        Condition::all(caused().map(assigned)),
    );
    task.check(
        "what was taken back is closed",
        Condition::all(undone().map(|it| now(it).is_closed_as("completed"))),
    );
    let unlike = foreign().map(|it| {
        labels(it)
            .and(assigned(it))
            .and(now(it).is_closed_as("not_planned"))
    });
    task.check(
        "what was no change of ours is closed",
        Condition::all(unlike),
    );
    task.check(
        "the others stay open",
        Condition::all(others().map(|it| now(it).is_open())),
    );

    let viewer = task.viewer();
    let said = undone().map(|it| {
        let own = Fact::reference(it.undone_by.unwrap_or_default());
        let comment = own_comment(&now(it), it, &viewer);
        let known = [
            Fact::reference(it.issue.number),
            Fact::reference(number_of(&it.cause)),
        ];
        comment
            .prose()
            .states(&own)
            .and(
                comment
                    .prose()
                    .references_are_among(&[&own, &known[0], &known[1]]),
            )
            .and(links_agree(&comment))
    });
    task.check(
        "comments name what took the change back",
        Condition::all(said),
    );
    let otherwise = incidents.iter().map(|it| otherwise(&now(it), it, &viewer));
    task.check(
        "the incidents are otherwise as they were",
        Condition::all(otherwise),
    );

    let issue = task.new_issue();
    let plain = issue.satisfies(|it| {
        Condition::when(
            it.state == "open"
                && it.labels.is_empty()
                && it.assignees.is_empty()
                && it.milestone.is_none()
                && it.comments.is_empty()
                && it.kind.is_none(),
            "expected it open, without labels, assignees, milestone, type and comments",
        )
    });
    task.check("the report is an open issue", plain);
    let body = issue.body();
    let told: Vec<Told> = incidents.iter().map(|it| told(task, it)).collect();
    for (name, condition) in conditions(&told, &people(task), &body) {
        task.check(format!("the report: {name}"), condition);
    }
    task.nothing_else_moved(&Allowed {
        touched: incidents.iter().map(|it| it.issue.number).collect(),
        new_issues: 1,
        ..Allowed::default()
    });
}

fn number_of(cause: &Option<Pull>) -> u64 {
    cause.as_ref().map_or(0, |it| it.issue.number)
}

/// The only comment that the agent added to an incident.
fn own_comment(found: &Found<Issue>, it: &Incident, viewer: &str) -> Found<String> {
    let new = found
        .comments()
        .map(|all| all[it.issue.comments.len().min(all.len())..].to_vec());
    new.text_by(viewer)
}

/// Compares what nobody had to change. A comment that names the cause is welcome on any incident.
fn otherwise(found: &Found<Issue>, it: &Incident, viewer: &str) -> Condition {
    let rest = found.map(|now| {
        let mut now = now.clone();
        now.labels.clone_from(&it.issue.labels);
        now.assignees.clone_from(&it.issue.assignees);
        now.state.clone_from(&it.issue.state);
        now.state_reason.clone_from(&it.issue.state_reason);
        now.closed_by.clone_from(&it.issue.closed_by);
        now.comments.truncate(it.issue.comments.len());
        now
    });
    let count = found.comments().get().map_or(0, Vec::len);
    let said = match count.cmp(&(it.issue.comments.len() + 1)) {
        std::cmp::Ordering::Less => Condition::pass("no comment more"),
        std::cmp::Ordering::Greater => Condition::fail("expected at most one comment more"),
        std::cmp::Ordering::Equal if it.undone_by.is_some() => Condition::pass("judged above"),
        std::cmp::Ordering::Equal => {
            let prose = own_comment(found, it, viewer).prose();
            match &it.cause {
                Some(cause) => prose.states(&Fact::reference(cause.issue.number)),
                None => prose.states(&Fact::term(["change", "disk"])),
            }
        }
    };
    rest.is_like(&it.issue).and(said)
}

fn incidents(task: &Verifier) -> Vec<Incident> {
    let pulls = task.start().pulls().required();
    let log = task.start().repository().log("main").required();
    let mut issues = task.start().issues().required();
    issues.retain(|it| it.state == "open" && it.labels.iter().any(|label| label == "incident"));
    let incidents = issues.into_iter().map(|issue| {
        let id = line(&issue, "Change: ")
            .expect("each names a change")
            .to_owned();
        let cause = by_commit(&pulls, &id).expect("a pull request brought it");
        let keeper = KEEPERS
            .iter()
            .find(|(role, _)| cause.issue.title.starts_with(role));
        let (_, keeper) = keeper.expect("somebody keeps the machines");
        let is_foreign = issue
            .comments
            .iter()
            .any(|it| it.user == *keeper && it.body.contains("No change of ours"));
        Incident {
            undone_by: undone(&log, &id)
                .and_then(|id| by_commit(&pulls, id))
                .map(|it| it.issue.number),
            cause: (!is_foreign).then(|| cause.clone()),
            issue,
        }
    });
    incidents.collect()
}

fn told(task: &Verifier, it: &Incident) -> Told {
    let issue = &it.issue;
    let minutes = |text: &str, begin: &str| -> Option<u64> {
        let rest = text.lines().find_map(|line| line.strip_prefix(begin))?;
        rest.split(' ').next()?.parse().ok()
    };
    let corrected = issue.comments.iter().filter(|it| it.user == issue.user);
    let corrected = corrected
        .filter_map(|it| minutes(&it.body, "It was "))
        .last();
    let words = WORDS.iter().find(|(title, _)| issue.title.ends_with(title));
    let issues = task.start().file("issues.json").json().required();
    let mut records = issues.as_array().into_iter().flatten();
    let record = records.find(|it| it["number"] == issue.number);
    let day = record.and_then(|it| it["created_at"].as_str()?.get(..10)?.parse().ok());
    Told {
        number: issue.number,
        day: day.expect("it was reported on a day"),
        minutes: corrected
            .or(minutes(&issue.body, "Stood still for "))
            .expect("it says how long"),
        cause: it.cause.as_ref().map(|it| it.issue.number),
        undone_by: it.undone_by,
        words: words.expect("the title is known").1.to_vec(),
    }
}

fn people(task: &Verifier) -> Vec<Person> {
    let users = task.start().file("users.json").json().required();
    let users = users.as_array().into_iter().flatten();
    let team = users.filter_map(|it: &Value| {
        let (login, name) = (it["login"].as_str()?, it["name"].as_str()?);
        (it["type"] == "User" && login != task.viewer()).then(|| Person::new(name).handle(login))
    });
    team.collect()
}

fn line<'a>(issue: &'a Issue, begin: &str) -> Option<&'a str> {
    issue.body.lines().find_map(|line| line.strip_prefix(begin))
}

fn by_commit<'a>(pulls: &'a [Pull], id: &str) -> Option<&'a Pull> {
    pulls
        .iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(id))
}

/// The commit that took another one back.
fn undone<'a>(log: &'a [Commit], id: &str) -> Option<&'a str> {
    let words = format!("This reverts commit {id}.");
    let commit = log.iter().find(|commit| commit.message().contains(&words));
    commit.map(Commit::id)
}
