//! The changes of the value, found again in the repository of the starting world.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Proposal, Repository};
use mcpmark_guest::serde_json::Value;

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "docs/tomato-history";
const TITLE: &str = "docs: history of max_minutes of tomato";
const REPORT: &str = "docs/history/tomato-max-minutes.md";
const CROP: &str = "crops/tomato.toml";
const QUESTION: &str = "How did tomato come to its max_minutes?";

fn verify(task: &mut Verifier) {
    let changes = History::read(task).changes();
    assert!(changes.len() > 3, "there is no history in this world");
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, [REPORT]);
    let file = tip.file(REPORT);
    for (at, change) in changes.iter().enumerate() {
        task.check(
            format!("the change to {} of {}", change.to, change.date),
            file.text().line(6 + at - 1).equals(&change.line()),
        );
    }
    task.check("the file to the last byte", file.equals(&report(&changes)));

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == QUESTION);
    let issue = issue.expect("the issue is in this world");
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Closes #{}", issue.number),
        reviewers: &["moyelaran"],
    });
    let mut expected = issue.clone();
    expected
        .comments
        .extend(pull.get().ok().map(|pull| Comment {
            user: task.viewer(),
            body: format!("See #{}.", pull.issue.number),
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

struct Change {
    date: String,
    author: String,
    from: i64,
    to: i64,
    commit: String,
    pull: u64,
    release: Option<String>,
}

impl Change {
    fn line(&self) -> String {
        let release = self.release.as_deref().unwrap_or("-");
        let commit = &self.commit[..10];
        format!(
            "| {} | {} | {} | {} | {commit} | #{} | {release} |",
            self.date, self.author, self.from, self.to, self.pull
        )
    }
}

fn report(changes: &[Change]) -> String {
    let lines: String = changes.iter().map(|it| it.line() + "\n").collect();
    let most = changes.iter().map(|it| it.to).max().unwrap_or_default();
    let first = changes.iter().find(|it| it.to == most);
    let commit = first.map_or("", |it| &it.commit[..10]);
    format!(
        "# max_minutes of tomato\n\n\
         | Date | Author | From | To | Commit | Pull request | Release |\n\
         |---|---|---|---|---|---|---|\n{lines}\nHighest: {most} ({commit})\n"
    )
}

/// The commits of main, the pull requests and the tags of the starting world.
struct History {
    repository: Repository,
    commits: BTreeMap<String, Commit>,
    /// The commits that changed the file against their first parent, the youngest first.
    touching: Vec<Commit>,
    /// Number, base and commit on main of what was merged.
    merged: Vec<(u64, String, String)>,
    logins: BTreeMap<String, String>,
}

impl History {
    fn read(task: &Verifier) -> Self {
        let start = task.start();
        let repository = start.repository();
        let log = repository.log("main").required();
        let touching = repository.log_of("main", CROP).required();
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |path: &str| match start.file(path).json().required() {
            Value::Array(list) => list,
            _ => panic!("{path} is a list"),
        };
        let merged = list("pulls.json")
            .iter()
            .filter(|pull| !text(pull, "merge_commit_sha").is_empty())
            .map(|pull| {
                let number = pull["number"]
                    .as_u64()
                    .expect("a pull request has a number");
                (
                    number,
                    text(pull, "base_sha"),
                    text(pull, "merge_commit_sha"),
                )
            })
            .collect();
        let logins = list("users.json")
            .iter()
            .map(|user| (text(user, "email"), text(user, "login")))
            .collect();
        Self {
            repository,
            commits: log.into_iter().map(|it| (it.id().to_owned(), it)).collect(),
            touching,
            merged,
            logins,
        }
    }

    fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        for commit in &self.touching {
            let [parent] = commit.parents() else { continue };
            let Some(parent) = self.commits.get(parent) else {
                continue;
            };
            let (Some(from), Some(to)) = (minutes(parent), minutes(commit)) else {
                continue;
            };
            if from != to {
                changes.push(self.change(commit, from, to));
            }
        }
        changes.reverse();
        for pair in changes.windows(2) {
            assert_eq!(
                pair[0].to, pair[1].from,
                "the history of the value is a line"
            );
        }
        changes
    }

    fn change(&self, commit: &Commit, from: i64, to: i64) -> Change {
        let author = commit.author();
        let merged = self.merged.iter().find(|(_, base, merge)| {
            let new = self.reachable(merge);
            new.contains(commit.id()) && !self.reachable(base).contains(commit.id())
        });
        Change {
            date: day(author.time),
            author: self.logins[&author.email].clone(),
            from,
            to,
            commit: commit.id().to_owned(),
            pull: merged.expect("every change came by a pull request").0,
            release: self.release(commit),
        }
    }

    /// What a commit contains.
    fn reachable(&self, tip: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut next: Vec<&str> = vec![tip];
        while let Some(id) = next.pop() {
            // What main does not have is of no interest.
            if let Some(commit) = self.commits.get(id)
                && found.insert(commit.id())
            {
                next.extend(commit.parents().iter().map(String::as_str));
            }
        }
        found
    }

    fn release(&self, commit: &Commit) -> Option<String> {
        let mut tags = self.repository.tags().required();
        tags.sort_by_key(|tag| version(tag));
        tags.into_iter().find(|tag| {
            let tip = self.repository.tag(tag).required();
            let base = self.repository.merge_base(&tip, commit);
            base.get().is_ok_and(|base| base.id() == commit.id())
        })
    }
}

fn version(tag: &str) -> Vec<u64> {
    let number = tag.trim_start_matches('v');
    number
        .split('.')
        .map(|part| part.parse().expect("tags are versions"))
        .collect()
}

fn minutes(commit: &Commit) -> Option<i64> {
    let text = commit.file(CROP).text();
    let text = text.get().ok()?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("max_minutes = "))?;
    value.parse().ok()
}

fn day(time: i64) -> String {
    let time = mcpmark_guest::jiff::Timestamp::from_second(time).expect("a time");
    time.strftime("%Y-%m-%d").to_string()
}
