//! The work made again: the commits of the old branch, with the names of today, on the files of main.

#[path = "../carry.rs"]
mod carry;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "ranges-2";
const TITLE: &str = "reader: read ranges like 2-3 hours";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let names = names(&main);
    let pulls = task.start().pulls();
    let old = pulls.one("the old pull request", |it| it.issue.title == TITLE);
    let old: Pull = old.required();
    let branch = repository.branch(&old.head).required();
    let base = repository.merge_base(&branch, &main).required();
    let mut wanted = repository.log_since(&old.head, &base).required();
    wanted.reverse();
    assert!(wanted.len() > 2, "there is too little to make again");

    let commits = task.added(BRANCH, "main");
    task.check("as many commits as before", commits.count_is(wanted.len()));
    task.check(
        "they stand on main in a line",
        commits.are_straight_on(&main),
    );
    let mut files: Vec<(String, String)> = Vec::new();
    let mut parent = base;
    for (at, commit) in wanted.iter().enumerate() {
        let (again, number) = (commits.nth(at), at + 1);
        task.check(
            format!("the message of commit {number}"),
            again.message_is(&subject(commit.message().trim_end())),
        );
        let mut paths = Vec::new();
        for change in commit.changes().required() {
            let path = today(&change.path);
            let text = |commit: &Commit| {
                let text = commit.file(&change.path).text().required();
                renamed(&text, &names)
            };
            let earlier = files.iter().position(|(it, _)| *it == path);
            let now = match earlier {
                Some(at) => files.remove(at).1,
                None => main.file(&path).text().required(),
            };
            let expected = carry::carried(&now, &text(&parent), &text(commit));
            task.check(
                format!("{path} after commit {number}"),
                again.file(&path).equals(&expected),
            );
            files.push((path.clone(), expected));
            paths.push(path);
        }
        task.check(
            format!("the files of commit {number}"),
            again.changed_only(&paths),
        );
        parent = commit.clone();
    }

    let number = old.issue.number;
    let renaming = renaming(task);
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: &subject(TITLE),
        body: &format!("{}\n\nTakes the place of #{number}.", old.issue.body),
        reviewers: &[&old.issue.user, &renaming.issue.user],
    });
    let own = pull.get().map(|it| it.issue.number).unwrap_or_default();
    let user = task.viewer();
    let said = |body: String| Comment {
        user: user.clone(),
        body,
    };

    let made = commits.get().cloned().unwrap_or_default();
    let pairs = wanted.iter().zip(&made);
    let lines: Vec<String> = pairs
        .map(|(one, other)| format!("- {} is {}", &one.id()[..10], &other.id()[..10]))
        .collect();
    let mut closed = old.clone();
    closed.issue.state = "closed".to_owned();
    closed.issue.closed_by = Some(user.clone());
    closed.issue.comments.push(said(lines.join("\n")));
    task.check(
        "the old one is closed and tells which commit became which",
        commits.exists().and(task.end().pull(number).is(closed)),
    );
    let issue = old.closes[0];
    let mut told = task.start().issue(issue).required();
    told.comments.push(said(format!(
        "Brought up to date in #{own}, for the names see #{}.",
        renaming.issue.number
    )));
    task.check(
        "the issue is told where it goes on",
        pull.exists().and(task.end().issue(issue).is_like(&told)),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![number, issue],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn subject(text: &str) -> String {
    match text.strip_prefix("reader:") {
        Some(rest) => format!("parse:{rest}"),
        None => text.to_owned(),
    }
}

fn today(path: &str) -> String {
    path.replace("/reader.rb", "/parse.rb")
        .replace("/test_reader.rb", "/test_parse.rb")
}

/// The words of the table in the document: before and now.
fn names(main: &Commit) -> Vec<(String, String)> {
    let text = main.file("docs/renames.md").text().required();
    let pair = |line: &str| {
        let cell = line.trim_end_matches(" |").rsplit(" | ").next()?;
        let (old, new) = cell.split_once(" is ")?;
        Some((
            old.trim_matches('`').to_owned(),
            new.trim_matches('`').to_owned(),
        ))
    };
    let names: Vec<(String, String)> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(pair)
        .collect();
    assert!(names.len() > 3, "the document has its table");
    names
}

/// A text with the names of today in its lines of code.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let line = |line: &str| -> String {
        if line.trim_start().starts_with('#') {
            return format!("{line}\n");
        }
        let is_in_word = |it: char| it.is_alphanumeric() || it == '_';
        let (mut all, mut word) = (String::new(), String::new());
        for it in line.chars().chain(['\n']) {
            if is_in_word(it) {
                word.push(it);
                continue;
            }
            let name = names.iter().find(|(old, _)| *old == word);
            all.push_str(name.map_or(&word, |(_, new)| new));
            all.push(it);
            word.clear();
        }
        all
    };
    text.lines().map(line).collect()
}

/// The pull request that gave the module its new name.
fn renaming(task: &Verifier) -> Pull {
    let repository = task.start().repository();
    let log = repository
        .log_of("main", "lib/fortnight/parse.rb")
        .required();
    let first = log.last().expect("the module is there");
    let pulls = task.start().pulls().required();
    let mut pulls = pulls.into_iter();
    let pull = pulls.find(|it| it.merge_commit_sha.as_deref() == Some(first.id()));
    pull.expect("a pull request renamed it")
}
