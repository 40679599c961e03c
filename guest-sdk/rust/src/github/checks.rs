//! Verifiers on github worlds: what was added, and that nothing else moved.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::github::{Commit, Issue, Pull};
use crate::{Condition, Found, Tree, Verifier};

/// What a task on a repository allows to be otherwise than the agent found it.
#[derive(Clone, Debug, Default)]
pub struct Allowed<'a> {
    /// Issues and pull requests that are judged by other checks.
    pub touched: Vec<u64>,
    /// How many issues are new.
    pub new_issues: usize,
    /// How many pull requests are new.
    pub new_pulls: usize,
    /// New branches, and such that moved; other checks judge where they stand.
    pub branches: &'a [&'a str],
}

/// What a new pull request must say.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// The branch that is to be merged.
    pub head: &'a str,
    /// The branch that it is to be merged into.
    pub base: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its text.
    pub body: &'a str,
    /// The logins of who is asked for a review.
    pub reviewers: &'a [&'a str],
}

impl Verifier {
    /// The login of whom the tools act as.
    #[track_caller]
    pub fn viewer(&self) -> String {
        let repository = self.start().file("repository.json").json();
        repository.at("/viewer").string().required()
    }

    /// Adds checks that a repository with its issues and pull requests is as the agent found it, except
    /// for what is allowed.
    #[track_caller]
    pub fn nothing_else_moved(&mut self, allowed: &Allowed<'_>) {
        let (start, end) = (self.start(), self.end());
        let threads = [
            ("issues.json", allowed.new_issues),
            ("pulls.json", allowed.new_pulls),
        ];
        let kept = threads.map(|(name, new)| {
            entries(&end, name).satisfies(|after| match entries(&start, name).get() {
                Ok(before) => same_entries(before, after, &allowed.touched, new),
                Err(reason) => Condition::fail(reason),
            })
        });
        self.check(
            "other issues and pull requests are as they were",
            Condition::all(kept),
        );
        let names = ["repository", "labels", "milestones", "releases"];
        let kept = names.map(|name| {
            let path = format!("{name}.json");
            let before = start.file(&path).json().required();
            end.file(&path).json().equals(&before)
        });
        self.check(
            "labels, milestones and releases are as they were",
            Condition::all(kept),
        );
        let (before, after) = (start.repository(), end.repository());
        let mut branches = before.branches().required();
        let is_allowed = |name: &String| allowed.branches.contains(&name.as_str());
        let others = branches.iter().filter(|name| !is_allowed(name));
        let unmoved = Condition::all(others.map(|name| after.branch_is_unmoved(name)));
        for name in allowed.branches {
            if !branches.iter().any(|it| it == name) {
                branches.push((*name).to_owned());
            }
        }
        self.check("no other branch is there", after.branches_are(&branches));
        self.check("no other branch moved", unmoved);
        let tags = before.tags().required();
        let same = tags.iter().map(|name| {
            let expected = before.tag(name).required();
            after.tag(name).satisfies(|found| {
                Condition::when(found.id() == expected.id(), "expected it where it was")
            })
        });
        let same = Condition::all(same);
        self.check(
            "the tags are as they were",
            after.tags().equal(&tags).and(same),
        );
    }

    /// The one pull request that is new.
    #[track_caller]
    pub fn new_pull(&self) -> Found<Pull> {
        let before = self.start().pulls().required();
        self.end().pulls().one("the new pull request", |pull| {
            before.iter().all(|it| it.issue.number != pull.issue.number)
        })
    }

    /// The one issue that is new.
    #[track_caller]
    pub fn new_issue(&self) -> Found<Issue> {
        let before = self.start().issues().required();
        self.end().issues().one("the new issue", |issue| {
            before.iter().all(|it| it.number != issue.number)
        })
    }

    /// Adds checks that one pull request is new and open, says what it must, and carries nothing else: no
    /// draft, labels, assignees, milestone, comments or reviews.
    #[track_caller]
    pub fn check_new_pull(&mut self, expected: &Proposal<'_>) -> Found<Pull> {
        let pull = self.new_pull();
        self.check(
            "the pull request goes where it should",
            pull.goes(expected.head, expected.base).and(pull.is_open()),
        );
        self.check(
            "the title of the pull request",
            pull.map(|it| it.issue.title.clone()).equals(expected.title),
        );
        self.check(
            "the text of the pull request",
            pull.map(|it| it.issue.body.clone()).equals(expected.body),
        );
        let reviewers: Vec<String> = expected.reviewers.iter().map(ToString::to_string).collect();
        self.check(
            "the reviewers of the pull request",
            pull.map(|it| it.requested_reviewers.clone())
                .equal_in_any_order(&reviewers),
        );
        let plain = pull.satisfies(|it| {
            let words = "expected no draft, labels, assignees, milestone, comments or reviews";
            Condition::when(it.is_plain(), words)
        });
        self.check("nothing else is said of the pull request", plain);
        pull
    }

    /// Adds checks that a branch has one commit more than the one that it was made from, with this message,
    /// and that it changes these files and nothing else. Gives its tip.
    #[track_caller]
    pub fn check_one_commit<S: AsRef<str>>(
        &mut self,
        (branch, from): (&str, &str),
        message: &str,
        paths: impl AsRef<[S]>,
    ) -> Found<Commit> {
        let base = self.start().repository().branch(from).required();
        let commits = self.added(branch, from);
        self.check("one commit on the branch", commits.count_is(1));
        self.check(
            format!("the branch begins at {from}"),
            commits.are_straight_on(&base),
        );
        let tip = self.repository().branch(branch);
        self.check("the message of the commit", tip.message_is(message));
        self.check(
            "the commit changes what it should alone",
            tip.changed_only(paths),
        );
        tip
    }

    /// What was committed on a branch since the tip that another one had in the starting world, the oldest
    /// first.
    #[track_caller]
    pub fn added(&self, branch: &str, from: &str) -> Found<Vec<Commit>> {
        let base = self.start().repository().branch(from).required();
        self.repository()
            .log_since(branch, &base)
            .map(|commits| commits.iter().rev().cloned().collect())
    }
}

impl Found<Vec<Commit>> {
    /// Holds when they are a straight line that begins at a commit, the oldest first.
    pub fn are_straight_on(&self, base: &Commit) -> Condition {
        self.satisfies(|commits| {
            let mut parent = base.id();
            for commit in commits {
                if commit.parents() != [parent] {
                    return Condition::fail(format!(
                        "expected {} on {}, found it elsewhere",
                        commit.short(),
                        parent.get(..7).unwrap_or(parent)
                    ));
                }
                parent = commit.id();
            }
            Condition::pass("one on the other")
        })
    }

    /// One of them, counted from 0.
    pub fn nth(&self, at: usize) -> Found<Commit> {
        let place = format!("commit {} of them", at + 1);
        self.part(&place, |commits| {
            commits.get(at).cloned().ok_or("there is none".to_owned())
        })
    }
}

impl Found<Commit> {
    /// Holds when it has this message, a line feed at its end or not.
    pub fn message_is(&self, expected: &str) -> Condition {
        self.map(|commit| commit.message().trim_end_matches('\n').to_owned())
            .equals(expected)
    }
}

impl Pull {
    /// Whether it is no draft and has no labels, assignees, milestone, type, reactions, comments or reviews,
    /// nor a lock.
    pub fn is_plain(&self) -> bool {
        let it = &self.issue;
        !self.draft
            && it.labels.is_empty()
            && it.assignees.is_empty()
            && it.milestone.is_none()
            && it.kind.is_none()
            && !it.locked
            && it.reactions.is_empty()
            && it.comments.is_empty()
            && self.reviews.is_empty()
            && self.review_comments.is_empty()
    }
}

fn entries(tree: &Tree, name: &str) -> Found<BTreeMap<u64, Value>> {
    tree.file(name).json().try_map(|document| {
        let list = document.as_array().ok_or("expected a list")?;
        let numbered = list.iter().map(|entry| {
            let number = entry["number"].as_u64().ok_or("an entry has no number")?;
            let mut entry = entry.clone();
            // The base of what is open is wherever its branch is.
            if entry["state"] == "open"
                && let Some(keys) = entry.as_object_mut()
            {
                keys.shift_remove("base_sha");
            }
            Ok((number, entry))
        });
        numbered.collect::<Result<_, String>>()
    })
}

fn same_entries(
    before: &BTreeMap<u64, Value>,
    after: &BTreeMap<u64, Value>,
    touched: &[u64],
    new: usize,
) -> Condition {
    for (number, entry) in before {
        match after.get(number) {
            None => return Condition::fail(format!("#{number} is gone")),
            Some(now) if now != entry && !touched.contains(number) => {
                return Condition::fail(format!("expected #{number} as it was, found it changed"));
            }
            Some(_) => {}
        }
    }
    let found = after.len() - before.len();
    Condition::when(found == new, format!("expected {new} new, found {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryTree, verify};

    const ISSUES: &str = r#"[{"number": 1, "title": "Crash", "user": "ada", "state": "open"}]"#;

    fn judge(after: &str, allowed: &Allowed<'_>) -> (bool, String) {
        let start = MemoryTree::from([("issues.json", ISSUES)]);
        let end = MemoryTree::from([("issues.json", after)]);
        let checks = verify(
            |task| {
                let before = entries(&task.start(), "issues.json").required();
                let after = entries(&task.end(), "issues.json");
                let condition = after.satisfies(|after| {
                    same_entries(&before, after, &allowed.touched, allowed.new_issues)
                });
                task.check("kept", condition);
            },
            &start,
            &end,
            None,
        );
        (checks[0].passed, checks[0].detail.clone())
    }

    #[test]
    fn what_is_touched_must_be_allowed() {
        let none = Allowed::default();
        assert!(judge(ISSUES, &none).0);
        // Where an open pull request would land moves with its base.
        let moved = ISSUES.replace("\"open\"", "\"open\", \"base_sha\": \"1\"");
        assert!(judge(&moved, &none).0);
        let changed = ISSUES.replace("Crash", "crash");
        let (passed, detail) = judge(&changed, &none);
        assert!(!passed);
        assert_eq!(
            detail,
            "issues.json: expected #1 as it was, found it changed"
        );
        let allowed = Allowed {
            touched: vec![1],
            ..Allowed::default()
        };
        assert!(judge(&changed, &allowed).0);
        assert_eq!(
            judge("[]", &allowed),
            (false, "issues.json: #1 is gone".to_owned())
        );
    }

    #[test]
    fn new_ones_are_counted() {
        let more = ISSUES.replace(
            "}]",
            r#"}, {"number": 2, "title": "Slow", "user": "ada", "state": "open"}]"#,
        );
        let one = Allowed {
            new_issues: 1,
            ..Allowed::default()
        };
        assert!(judge(&more, &one).0);
        assert_eq!(
            judge(&more, &Allowed::default()),
            (false, "issues.json: expected 0 new, found 1".to_owned())
        );
        assert!(!judge(ISSUES, &one).0);
    }

    #[test]
    fn the_viewer_comes_from_the_world() {
        let start = MemoryTree::from([("repository.json", r#"{"viewer": "desk"}"#)]);
        verify(
            |task| assert_eq!(task.viewer(), "desk"),
            &start,
            &start,
            None,
        );
    }
}
