//! Verifiers of github worlds: checks of additions, and that nothing else changed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::github::{Commit, Issue, Pull};
use crate::json::difference;
use crate::{Condition, Found, Numbers, Tree, Verifier, content};

/// Changes to a repository that a task allows.
#[derive(Clone, Debug, Default)]
pub struct Allowed<'a> {
    /// Numbers of issues and pull requests that may change, because other checks judge them.
    pub touched: Vec<u64>,
    /// Number of new issues.
    pub new_issues: usize,
    /// Number of new pull requests.
    pub new_pulls: usize,
    /// Branches that may be new or moved; other checks judge their tips.
    pub branches: &'a [&'a str],
}

/// Expected content of a new pull request.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// Head branch: the branch to merge.
    pub head: &'a str,
    /// Base branch: the branch to merge into.
    pub base: &'a str,
    /// Title of the pull request.
    pub title: &'a str,
    /// Body text of the pull request.
    pub body: &'a str,
    /// Logins of the requested reviewers.
    pub reviewers: &'a [&'a str],
}

impl Verifier {
    /// Returns the login of the viewer, the account as which the tools act.
    #[track_caller]
    pub fn viewer(&self) -> String {
        let repository = self.start().file("repository.json").json();
        repository.at("/viewer").string().required()
    }

    /// Adds checks that a repository with its issues and pull requests is unchanged since the
    /// start, except for the allowed changes.
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

    /// Returns the only new pull request.
    #[track_caller]
    pub fn new_pull(&self) -> Found<Pull> {
        let before = self.start().pulls().required();
        self.end().pulls().one("the new pull request", |pull| {
            before.iter().all(|it| it.issue.number != pull.issue.number)
        })
    }

    /// Returns the only new issue.
    #[track_caller]
    pub fn new_issue(&self) -> Found<Issue> {
        let before = self.start().issues().required();
        self.end().issues().one("the new issue", |issue| {
            before.iter().all(|it| it.number != issue.number)
        })
    }

    /// Adds checks that exactly one pull request is new, and that it is open and has the expected
    /// content and nothing else: no draft status, labels, assignees, milestone, comments or
    /// reviews. Returns the pull request.
    ///
    /// Title and text are compared byte by byte; see [`Verifier::check_proposal`].
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

    /// Adds the checks of [`Verifier::check_new_pull`], but compares title and text as GitHub shows them, and names
    /// the field that is said too much. Returns the pull request.
    #[track_caller]
    pub fn check_proposal(&mut self, expected: &Proposal<'_>) -> Found<Pull> {
        let pull = self.new_pull();
        self.check(
            "the pull request goes where it should",
            pull.goes(expected.head, expected.base).and(pull.is_open()),
        );
        self.check(
            "the title of the pull request",
            pull.title().content_is(content::text(expected.title)),
        );
        self.check(
            "the text of the pull request",
            pull.body().content_is(content::text(expected.body)),
        );
        let reviewers: Vec<String> = expected.reviewers.iter().map(ToString::to_string).collect();
        self.check(
            "the reviewers of the pull request",
            pull.map(|it| it.requested_reviewers.clone())
                .equal_in_any_order(&reviewers),
        );
        self.check(
            "nothing else is said of the pull request",
            pull.is_only_proposed(),
        );
        pull
    }

    /// Adds checks that a branch has exactly one commit on top of the starting tip of `from`, with
    /// this message, and that the commit changes these files and nothing else. Returns the tip of
    /// the branch.
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

    /// Returns the commits on a branch since the starting tip of another branch `from`, the oldest
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
    /// Checks that the commits, the oldest first, form a linear history on top of `base`.
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

    /// Returns one of the commits, counted from 0.
    pub fn nth(&self, at: usize) -> Found<Commit> {
        let place = format!("commit {} of them", at + 1);
        self.part(&place, |commits| {
            commits.get(at).cloned().ok_or("there is none".to_owned())
        })
    }
}

impl Found<Commit> {
    /// Checks the message of the commit. Line feeds at its end are ignored.
    pub fn message_is(&self, expected: &str) -> Condition {
        self.map(|commit| commit.message().trim_end_matches('\n').to_owned())
            .equals(expected)
    }
}

impl Pull {
    /// Returns true if the pull request is not a draft, is not locked and has no labels, assignees,
    /// milestone, type, reactions, comments or reviews.
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
            // `base_sha` of an open pull request moves with the base branch.
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
                let differ = difference(entry, now, Numbers::AsWritten, &mut String::new());
                let differ = differ.map_or(String::new(), |detail| format!(" {detail}"));
                return Condition::fail(format!(
                    "expected #{number} as it was, found it changed{differ}"
                ));
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
        // `base_sha` of an open pull request moves with the base branch.
        let moved = ISSUES.replace("\"open\"", "\"open\", \"base_sha\": \"1\"");
        assert!(judge(&moved, &none).0);
        let changed = ISSUES.replace("Crash", "crash");
        let (passed, detail) = judge(&changed, &none);
        assert!(!passed);
        assert_eq!(
            detail,
            r#"issues.json: expected #1 as it was, found it changed at "/title": expected "Crash", found "crash""#
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
