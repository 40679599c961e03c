//! The labels and duplicates, decided again from the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Issue};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "triage/2025-03-03";
const REPORT: &str = "docs/triage/2025-03-03.md";

fn verify(task: &mut Verifier) {
    let issues = task.start().issues().required();
    let fresh: Vec<&Issue> = issues
        .iter()
        .filter(|it| it.state == "open" && it.labels.is_empty())
        .collect();
    assert!(!fresh.is_empty(), "there is nothing to do in this world");
    let viewer = task.viewer();
    let decided: Vec<Issue> = fresh
        .iter()
        .map(|issue| decide(issue, &issues, &viewer))
        .collect();
    for expected in &decided {
        let number = expected.number;
        let found = task.end().issue(number);
        let labels: Vec<&str> = expected.labels.iter().map(String::as_str).collect();
        task.check(
            format!("the labels of #{number}"),
            found.labels_are(&labels),
        );
        task.check(
            format!("#{number} is as it should be"),
            found.is_like(expected),
        );
    }

    let message = "docs: triage of 2025-03-03";
    let tip = task.check_one_commit((BRANCH, "main"), message, [REPORT]);
    task.check("the report", tip.file(REPORT).equals(&report(&decided)));
    task.nothing_else_moved(&Allowed {
        touched: decided.iter().map(|it| it.number).collect(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// A line of the form at the begin of an issue.
fn line<'a>(issue: &'a Issue, name: &str) -> Option<&'a str> {
    issue
        .body
        .lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix(name))
}

/// What becomes of an issue.
fn decide(issue: &Issue, all: &[Issue], viewer: &str) -> Issue {
    let word = |name| line(issue, name).unwrap_or_default().to_ascii_lowercase();
    let kind = match word("Kind: ").as_str() {
        "broken" => "bug",
        "wish" => "enhancement",
        "question" => "question",
        other => panic!("#{} is of the kind {other:?}", issue.number),
    };
    let area = match word("Component: ").as_str() {
        "schedule" | "weather" => "area: planning",
        "valves" | "drivers" => "area: hardware",
        "moisture" | "store" => "area: readings",
        "crops" => "area: crops",
        "web" | "cli" | "alerts" => "area: interface",
        _ => "needs info",
    };
    let mut after = issue.clone();
    after.labels = vec![kind.to_owned(), area.to_owned()];
    let code = line(issue, "Code: ");
    let repeated = all
        .iter()
        .filter(|it| it.state == "open" && !it.labels.is_empty())
        .filter(|it| code.is_some() && line(it, "Code: ") == code)
        .map(|it| it.number)
        .min();
    if let Some(number) = repeated {
        after.labels.push("duplicate".to_owned());
        after.state = "closed".to_owned();
        after.state_reason = Some("duplicate".to_owned());
        after.duplicate_of = Some(number);
        after.closed_by = Some(viewer.to_owned());
        after.comments.push(Comment {
            user: viewer.to_owned(),
            body: format!("Duplicate of #{number}."),
        });
    }
    after.labels.sort();
    after
}

fn report(decided: &[Issue]) -> String {
    let mut sorted: Vec<&Issue> = decided.iter().collect();
    sorted.sort_by_key(|it| it.number);
    let lines: String = sorted
        .iter()
        .map(|it| {
            let repeats = it
                .duplicate_of
                .map_or("-".to_owned(), |it| format!("#{it}"));
            format!(
                "| #{} | {} | {repeats} |\n",
                it.number,
                it.labels.join(", ")
            )
        })
        .collect();
    let duplicates = decided
        .iter()
        .filter(|it| it.duplicate_of.is_some())
        .count();
    format!(
        "# Triage of 2025-03-03\n\n| Issue | Labels | Duplicate of |\n|---|---|---|\n{lines}\n\
         {} issues, {duplicates} duplicates.\n",
        decided.len()
    )
}
