//! The lines, made again from the table and the recipes of the starting world.

use std::collections::BTreeSet;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Proposal};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "allergens";
const TITLE: &str = "Say what may make people ill";
const ISSUE: &str = "Say in every recipe what may make people ill";

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let table = main.file("docs/allergens.md").text().required();
    let rules = rules(&table);
    assert!(rules.len() > 5, "there is no table in this world");
    let paths = main.files("recipes").required();
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, &paths);
    for path in &paths {
        let before = main.file(path).text().required();
        let expected = with_line(&before, &rules);
        task.check(path.clone(), tip.file(path).equals(&expected));
    }

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Closes #{}", issue.number),
        reviewers: &["hbramwell"],
    });
    let mut expected = issue.clone();
    expected
        .comments
        .extend(pull.get().ok().map(|pull| Comment {
            user: task.viewer(),
            body: format!("Proposed in #{}.", pull.issue.number),
        }));
    let found = task.end().issue(issue.number);
    task.check(
        "the issue is open and has one more comment",
        pull.exists().and(found.is_like(&expected)),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// Each name with what brings it in, in the order of the table.
fn rules(table: &str) -> Vec<(&str, BTreeSet<&str>)> {
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0], cells[1].split(", ").collect())
    })
    .collect()
}

fn with_line(text: &str, rules: &[(&str, BTreeSet<&str>)]) -> String {
    let ingredients: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .map(|line| {
            let (_, name) = line.split_once(' ').unwrap_or_default();
            let unit = ["g ", "ml "]
                .iter()
                .find_map(|unit| name.strip_prefix(unit));
            unit.unwrap_or(name)
        })
        .collect();
    let names: Vec<&str> = rules
        .iter()
        .filter(|(_, bring)| ingredients.iter().any(|it| bring.contains(it)))
        .map(|(name, _)| *name)
        .collect();
    let line = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let mut lines = Vec::new();
    for it in text.lines() {
        lines.push(it.to_owned());
        if it.starts_with("tags: ") {
            lines.push(format!("allergens: {line}"));
        }
    }
    lines.join("\n") + "\n"
}
