//! Whose turn it is, found again by the reviews of the starting world.

use std::collections::BTreeMap;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::Allowed;
use mcpmark_guest::serde_json::Value;

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/turns";
const FILE: &str = "docs/turns.md";
const TURNS: [&str; 3] = ["needs work", "needs review", "ready"];

/// The rule of the document that applies to a pull request, and those by whose reviews it does.
struct Turn {
    number: u64,
    rule: u8,
    people: Vec<String>,
}

impl Turn {
    fn label(&self) -> &'static str {
        match self.rule {
            1 => "needs work",
            3 => "ready",
            _ => "needs review",
        }
    }

    fn line(&self) -> String {
        let (number, label) = (self.number, self.label());
        match self.rule {
            4 => format!("- #{number}: {label}"),
            _ => format!("- #{number}: {label} ({})", self.people.join(", ")),
        }
    }
}

fn verify(task: &mut Verifier) {
    let turns = turns(task);
    for rule in 1..=4 {
        assert!(
            turns.iter().any(|it| it.rule == rule),
            "rule {rule} applies to nothing in this world"
        );
    }
    let tip = task.check_one_commit((BRANCH, "main"), "docs: whose turn it is now", [FILE]);
    let file = tip.file(FILE);
    let mut expected = String::from("# Whose turn it is\n\n");
    for (at, turn) in turns.iter().enumerate() {
        let line = turn.line();
        task.check(
            format!("the line of #{}", turn.number),
            file.text().line(3 + at).equals(&line),
        );
        expected.push_str(&format!("{line}\n"));
    }
    let [work, review, ready] =
        TURNS.map(|label| turns.iter().filter(|it| it.label() == label).count());
    expected.push_str(&format!(
        "\nNeeds work: {work}, needs review: {review}, ready: {ready}.\n"
    ));
    task.check("the page to the last byte", file.equals(&expected));
    for turn in &turns {
        let mut pull = task.start().pull(turn.number).required();
        pull.issue
            .labels
            .retain(|label| !TURNS.contains(&label.as_str()));
        pull.issue.labels.push(turn.label().to_owned());
        if turn.rule == 2 {
            let asked = &mut pull.requested_reviewers;
            let others = turn.people.iter().filter(|it| !asked.contains(it));
            let others: Vec<String> = others.cloned().collect();
            asked.extend(others);
        }
        task.check(
            format!("#{} has its turn and nothing else", turn.number),
            task.end().pull(turn.number).is_like(&pull),
        );
    }
    task.nothing_else_moved(&Allowed {
        touched: turns.iter().map(|it| it.number).collect(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn turns(task: &Verifier) -> Vec<Turn> {
    let pulls = task.start().file("pulls.json").json().required();
    let pulls = pulls.as_array().into_iter().flatten();
    let looked_at = pulls.filter(|it| it["state"] == "open" && it["draft"] != true);
    let mut turns: Vec<Turn> = looked_at.map(turn).collect();
    turns.sort_by_key(|it| it.number);
    turns
}

fn turn(pull: &Value) -> Turn {
    let mut last: BTreeMap<String, &Value> = BTreeMap::new();
    for review in pull["reviews"].as_array().into_iter().flatten() {
        if review["state"] == "APPROVED" || review["state"] == "CHANGES_REQUESTED" {
            let user = review["user"].as_str().expect("reviews are by somebody");
            last.insert(user.to_owned(), review);
        }
    }
    let is_of_head = |review: &Value| review["commit_id"] == pull["head_sha"];
    let by = |state: &str, head: bool| -> Vec<String> {
        let fits = |review: &Value| review["state"] == state && is_of_head(review) == head;
        let fitting = last.iter().filter(|(_, review)| fits(review));
        fitting.map(|(user, _)| user.clone()).collect()
    };
    let again: Vec<String> = last
        .iter()
        .filter(|(_, review)| !is_of_head(review))
        .map(|(user, _)| user.clone())
        .collect();
    let rules = [
        (1, by("CHANGES_REQUESTED", true)),
        (2, again),
        (3, by("APPROVED", true)),
    ];
    let applies = rules.into_iter().find(|(_, people)| !people.is_empty());
    let (rule, people) = applies.unwrap_or((4, Vec::new()));
    Turn {
        number: pull["number"].as_u64().expect("they are numbered"),
        rule,
        people,
    }
}
