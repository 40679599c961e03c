//! Whose turn it is, found again by the reviews of the starting world.

use std::collections::BTreeMap;

use mcpmark_guest::github::{Allowed, Pull};
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Found, Verifier};

mcpmark_guest::verifier!(verify);

const TURNS: [&str; 3] = ["needs work", "needs review", "ready"];
/// The day of the clock in `world.json`.
const TODAY: Date = date(2025, 4, 28);

/// The rule of the document that applies to a pull request, and those who are asked because of it.
struct Turn {
    pull: Pull,
    rule: u8,
    asked: Vec<String>,
}

impl Turn {
    fn label(&self) -> &'static str {
        match self.rule {
            1 => "needs work",
            3 => "ready",
            _ => "needs review",
        }
    }

    /// Labels with the one that the rule names alone of the three.
    fn labels(&self) -> Vec<&str> {
        let labels = self.pull.issue.labels.iter().map(String::as_str);
        let others = labels.filter(|label| !TURNS.contains(label));
        others.chain([self.label()]).collect()
    }
}

fn verify(task: &mut Verifier) {
    let turns = turns(task);
    let of = |rule: u8| turns.iter().filter(move |it| it.rule == rule);
    for rule in 1..=4 {
        assert!(
            of(rule).next().is_some(),
            "rule {rule} applies to nothing in this world"
        );
    }
    let end = task.end();
    let now = |turn: &Turn| end.pull(turn.pull.issue.number);
    let labelled = |rule: u8| {
        Condition::all(of(rule).map(|turn| now(turn).issue().labels_are(&turn.labels())))
    };
    task.check("what waits for its author", labelled(1));
    task.check("what waits for its reviewers", labelled(2));
    task.check("what is ready", labelled(3));
    // A review that only comments does not count, so such a pull request may be left out as not reviewed.
    let uncounted = of(4).map(|turn| {
        let labels = now(turn).issue();
        let before: Vec<&str> = turn.pull.issue.labels.iter().map(String::as_str).collect();
        let as_before = labels.labels_are(&before);
        if as_before.passed() {
            as_before
        } else {
            labels.labels_are(&turn.labels())
        }
    });
    task.check("what has only been commented", Condition::all(uncounted));
    let asked = |turn: &Turn| {
        let mut expected = turn.pull.requested_reviewers.clone();
        expected.extend(
            turn.asked
                .iter()
                .filter(|it| !turn.pull.requested_reviewers.contains(it))
                .cloned(),
        );
        now(turn)
            .map(|it| it.requested_reviewers.clone())
            .equal_in_any_order(&expected)
    };
    task.check(
        "those who have to look again are asked",
        Condition::all(of(2).map(asked)),
    );
    let others = turns.iter().filter(|it| it.rule != 2);
    task.check(
        "nobody is asked for the others",
        Condition::all(others.map(asked)),
    );
    let otherwise = turns.iter().map(|turn| {
        let found: Found<Pull> = now(turn);
        let mut expected = turn.pull.clone();
        if let Ok(found) = found.get() {
            expected.issue.labels.clone_from(&found.issue.labels);
            expected
                .requested_reviewers
                .clone_from(&found.requested_reviewers);
        }
        found.is_like(&expected)
    });
    task.check("they are otherwise as they were", Condition::all(otherwise));
    task.nothing_else_moved(&Allowed {
        touched: turns.iter().map(|it| it.pull.issue.number).collect(),
        ..Allowed::default()
    });
}

fn turns(task: &Verifier) -> Vec<Turn> {
    let people = Leaves::of(task);
    let pulls = task.start().file("pulls.json").json().required();
    let pulls = pulls.as_array().into_iter().flatten();
    let reviewed = pulls.filter(|it| {
        let reviews = it["reviews"].as_array();
        it["state"] == "open" && it["draft"] != true && reviews.is_some_and(|it| !it.is_empty())
    });
    let turns = reviewed.map(|it| {
        let number = it["number"].as_u64().expect("they are numbered");
        let (rule, asked) = turn(it);
        Turn {
            pull: task.start().pull(number).required(),
            rule,
            asked: asked.iter().map(|login| people.stand_in(login)).collect(),
        }
    });
    turns.collect()
}

/// The rule that applies, and with rule 2 those who have to look again.
fn turn(pull: &Value) -> (u8, Vec<String>) {
    let mut last: BTreeMap<&str, &Value> = BTreeMap::new();
    for review in pull["reviews"].as_array().into_iter().flatten() {
        if review["state"] == "APPROVED" || review["state"] == "CHANGES_REQUESTED" {
            last.insert(
                review["user"].as_str().expect("reviews are by somebody"),
                review,
            );
        }
    }
    let is_of_head = |review: &Value| review["commit_id"] == pull["head_sha"];
    let asks = |review: &&&Value| review["state"] == "CHANGES_REQUESTED" && is_of_head(review);
    let earlier = last.iter().filter(|(_, review)| !is_of_head(review));
    let again: Vec<String> = earlier.map(|(user, _)| (*user).to_owned()).collect();
    match (last.values().find(asks), again.is_empty()) {
        (Some(_), _) => (1, Vec::new()),
        (None, false) => (2, again),
        (None, true) if last.is_empty() => (4, again),
        (None, true) => (3, again),
    }
}

/// Who is on leave today, and who stands in.
struct Leaves(BTreeMap<String, String>);

impl Leaves {
    /// Reads the comments of the form `I am on leave until 5 May. Kiran stands in for me.`
    fn of(task: &Verifier) -> Self {
        let users = task.start().file("users.json").json().required();
        let users: Vec<Value> = users.as_array().cloned().unwrap_or_default();
        let login = |first: &str| {
            let begin = format!("{first} ");
            let user = users.iter().find(|it| {
                it["name"]
                    .as_str()
                    .is_some_and(|name| name.starts_with(&begin))
            });
            user.and_then(|it| it["login"].as_str())
                .expect("they are of the team")
                .to_owned()
        };
        let mut leaves = BTreeMap::new();
        for comment in task
            .start()
            .pulls()
            .required()
            .into_iter()
            .flat_map(|it| it.issue.comments)
        {
            let Some(rest) = comment.body.strip_prefix("I am on leave until ") else {
                continue;
            };
            let (day, rest) = rest.split_once(". ").expect("a day");
            let day = Date::strptime("%d %B %Y", format!("{day} 2025")).expect("a day");
            let (first, _) = rest.split_once(' ').expect("a name");
            if day > TODAY {
                leaves.insert(comment.user, login(first));
            }
        }
        assert!(!leaves.is_empty(), "nobody is on leave in this world");
        Self(leaves)
    }

    fn stand_in(&self, login: &str) -> String {
        self.0.get(login).map_or(login, String::as_str).to_owned()
    }
}
