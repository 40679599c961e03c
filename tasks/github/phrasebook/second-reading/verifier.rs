//! The readings, made again from the starting world.

#[path = "../handbook.rs"]
mod handbook;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Pull, Review, ReviewComment};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/reading";
const FILE: &str = "docs/read.md";
const LABEL: &str = "second reading";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && it.issue.labels.iter().any(|it| it == LABEL));
    pulls.sort_by_key(|it| it.issue.number);

    let (mut table, mut approved, mut wrong) = (String::new(), 0, 0);
    for pull in &pulls {
        let head = repository.branch(&pull.head).required();
        let (language, name) = page(task, &head, &main);
        let path = format!("handbook/{language}/{name}.md");
        let found = read(&main, &head, &language, &name);
        let lines: Vec<String> = found.iter().map(|(line, _)| line.to_string()).collect();
        let is_right = lines.is_empty();
        let (told, result) = if is_right {
            ("-".to_owned(), "approved")
        } else {
            (lines.join(", "), "sent back")
        };
        let number = pull.issue.number;
        table += &format!("| #{number} | {language}/{name} | {told} | {result} |\n");
        approved += usize::from(is_right);
        wrong += lines.len();
        check_review(task, pull, &path, found);
    }
    assert!(
        approved > 1 && approved + 2 < pulls.len() && wrong > 4,
        "there is nothing to decide"
    );

    let tip = task.check_one_commit((BRANCH, "main"), "docs: what was read", [FILE]);
    let text = format!(
        "# What was read\n\n| Pull request | Page | Wrong lines | Result |\n|---|---|---|---|\n{table}\n{} read, {approved} approved, {wrong} lines to change.\n",
        pulls.len()
    );
    task.check("the list", tip.file(FILE).equals(&text));
    task.nothing_else_moved(&Allowed {
        touched: pulls.iter().map(|it| it.issue.number).collect(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The language and the name of the one page that a branch changes.
fn page(task: &Verifier, head: &Commit, main: &Commit) -> (String, String) {
    let base = task.start().repository().merge_base(head, main).required();
    let changes = head.changes_since(&base).required();
    assert_eq!(changes.len(), 1, "each of them changes one page");
    let path = changes[0].path.strip_prefix("handbook/");
    let parts = path.and_then(|it| it.trim_end_matches(".md").split_once('/'));
    let (language, name) = parts.expect("each of them changes a page");
    (language.to_owned(), name.to_owned())
}

/// The wrong lines of a page, with what is said about them.
fn read(main: &Commit, head: &Commit, language: &str, name: &str) -> Vec<(u64, String)> {
    let glossary = main
        .file(&format!("glossary/{language}.csv"))
        .text()
        .required();
    let words: Vec<Vec<&str>> = glossary
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    let source = handbook::page(main, "en", name);
    let own = handbook::page(head, language, name);
    let (theirs, ours) = (source.lines(), own.lines());
    assert_eq!(
        theirs.len(),
        ours.len(),
        "a page has the lines of its source"
    );
    let mut wrong = Vec::new();
    for ((_, right), (at, line)) in theirs.iter().zip(&ours) {
        let values = handbook::values(right);
        let never = words.iter().find(|row| line.contains(row[2]));
        let is_other = handbook::values(line) != values;
        assert!(!(is_other && never.is_some()), "no line has both");
        if is_other {
            wrong.push((*at, format!("Number: {}", values.join(" "))));
        }
        if let Some(row) = never {
            wrong.push((*at, format!("Word: {}", row[1])));
        }
    }
    wrong
}

fn check_review(task: &mut Verifier, pull: &Pull, path: &str, wrong: Vec<(u64, String)>) {
    let user = task.viewer();
    let mut wanted = pull.clone();
    let is_right = wrong.is_empty();
    let (state, body) = if is_right {
        wanted.issue.labels.retain(|it| it != LABEL);
        ("APPROVED", "Read.".to_owned())
    } else {
        ("CHANGES_REQUESTED", format!("{} to change.", wrong.len()))
    };
    wanted.reviews.push(Review {
        user: user.clone(),
        body,
        state: state.to_owned(),
    });
    let comments = wrong.into_iter().map(|(line, body)| ReviewComment {
        user: user.clone(),
        body,
        path: path.to_owned(),
        line: Some(line),
    });
    wanted.review_comments.extend(comments);
    let number = pull.issue.number;
    let found = task.end().pull(number).map(|it| {
        let mut it = it.clone();
        it.review_comments.sort_by_key(|comment| comment.line);
        it
    });
    task.check(
        format!("#{number} has its review, and is otherwise as it was"),
        found.is(wanted),
    );
    if is_right {
        return;
    }
    let documents = task.end().file("pulls.json").json();
    let whole = documents.items().map(|pulls| {
        let own = pulls.iter().find(|it| it["number"] == number);
        let comments = own.and_then(|it| it["review_comments"].as_array());
        let mut comments = comments.into_iter().flatten();
        comments.all(|it| it["start_line"].is_null() && it["side"] != "LEFT")
    });
    task.check(
        format!("the comments on #{number} are about one line of the new page each"),
        whole.is(true),
    );
}
