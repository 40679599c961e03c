//! Issues and pull requests of a github world, read from the JSON documents of its tree.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::github::fields::is_like;
use crate::{Condition, Found, Tree};

/// An issue, or the fields that a pull request shares with issues.
///
/// Comparisons ignore the order of labels, assignees and reactions.
#[derive(Clone, Debug, Eq, Deserialize)]
pub struct Issue {
    /// Number of the issue, from the sequence that issues and pull requests share.
    pub number: u64,
    /// Title of the issue.
    pub title: String,
    /// Body text; empty if there is none.
    #[serde(default)]
    pub body: String,
    /// Login of the user who opened it.
    pub user: String,
    /// State: `open` or `closed`.
    pub state: String,
    /// Reason for the state: `completed`, `not_planned`, `duplicate` or `reopened`.
    #[serde(default)]
    pub state_reason: Option<String>,
    /// Number of the issue of which this one is a duplicate.
    #[serde(default)]
    pub duplicate_of: Option<u64>,
    /// Names of the labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Logins of the assignees.
    #[serde(default)]
    pub assignees: Vec<String>,
    /// Number of the milestone.
    #[serde(default)]
    pub milestone: Option<u64>,
    /// Issue type, if the organisation defines types.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Whether the issue is locked, so that comments are closed.
    #[serde(default)]
    pub locked: bool,
    /// Login of the user who closed it.
    #[serde(default)]
    pub closed_by: Option<String>,
    /// Reactions to the issue.
    #[serde(default)]
    pub reactions: Vec<Reaction>,
    /// Numbers of the sub-issues, in order.
    #[serde(default)]
    pub sub_issues: Vec<u64>,
    /// Comments, in order.
    #[serde(default)]
    pub comments: Vec<Comment>,
}

/// A reaction of one user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Reaction {
    /// Login of the user who reacted.
    pub user: String,
    /// Emoji: `+1`, `-1`, `laugh`, `confused`, `heart`, `hooray`, `rocket` or `eyes`.
    pub content: String,
}

/// A comment on an issue or a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// Login of the author.
    pub user: String,
    /// Text of the comment.
    pub body: String,
}

/// A pull request.
///
/// Comparisons ignore the order of requested reviewers.
#[derive(Clone, Debug, Eq, Deserialize)]
pub struct Pull {
    /// Fields shared with issues.
    #[serde(flatten)]
    pub issue: Issue,
    /// Head branch: the branch to merge.
    pub head: String,
    /// Base branch: the branch to merge into.
    pub base: String,
    /// Commit id of the tip of the head branch.
    #[serde(default)]
    pub head_sha: String,
    /// Whether the pull request is a draft.
    #[serde(default)]
    pub draft: bool,
    /// Merge method of a merged pull request: `merge`, `squash` or `rebase`.
    #[serde(default)]
    pub merge_method: Option<String>,
    /// Id of the commit on the base branch that merged the pull request.
    #[serde(default)]
    pub merge_commit_sha: Option<String>,
    /// Time of the merge.
    #[serde(default)]
    pub merged_at: Option<String>,
    /// Numbers of the issues that the text closes on a merge into the default branch.
    #[serde(default)]
    pub closes: Vec<u64>,
    /// Logins of the requested reviewers who have not given a review.
    #[serde(default)]
    pub requested_reviewers: Vec<String>,
    /// Reviews, in order.
    #[serde(default)]
    pub reviews: Vec<Review>,
    /// Review comments on lines, in order.
    #[serde(default)]
    pub review_comments: Vec<ReviewComment>,
}

/// A review of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Review {
    /// Login of the reviewer.
    pub user: String,
    /// Text of the review as a whole.
    #[serde(default)]
    pub body: String,
    /// State: `PENDING`, `COMMENTED`, `APPROVED`, `CHANGES_REQUESTED` or `DISMISSED`.
    pub state: String,
}

/// A comment on a line or a file of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReviewComment {
    /// Login of the author.
    pub user: String,
    /// Text of the comment.
    pub body: String,
    /// Path of the file.
    #[serde(default)]
    pub path: String,
    /// Last line of the commented range; `None` for a comment on the whole file.
    #[serde(default)]
    pub line: Option<u64>,
}

/// A label of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Label {
    /// Name of the label.
    pub name: String,
    /// Colour, as six hexadecimal digits.
    pub color: String,
    /// Description of the label; empty if there is none.
    #[serde(default)]
    pub description: String,
}

/// A release.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Release {
    /// Name of the published tag.
    pub tag_name: String,
    /// Title of the release; empty if there is none.
    #[serde(default)]
    pub name: String,
    /// Release notes; empty if there are none.
    #[serde(default)]
    pub body: String,
}

// All fields are destructured, so that a new field cannot be left out of the comparison.
impl PartialEq for Issue {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            number,
            title,
            body,
            user,
            state,
            state_reason,
            duplicate_of,
            labels,
            assignees,
            milestone,
            kind,
            locked,
            closed_by,
            reactions,
            sub_issues,
            comments,
        } = self;
        *number == other.number
            && *title == other.title
            && *body == other.body
            && *user == other.user
            && *state == other.state
            && *state_reason == other.state_reason
            && *duplicate_of == other.duplicate_of
            && same_in_any_order(labels, &other.labels)
            && same_in_any_order(assignees, &other.assignees)
            && *milestone == other.milestone
            && *kind == other.kind
            && *locked == other.locked
            && *closed_by == other.closed_by
            && same_in_any_order(reactions, &other.reactions)
            && *sub_issues == other.sub_issues
            && *comments == other.comments
    }
}

impl PartialEq for Pull {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            issue,
            head,
            base,
            head_sha,
            draft,
            merge_method,
            merge_commit_sha,
            merged_at,
            closes,
            requested_reviewers,
            reviews,
            review_comments,
        } = self;
        *issue == other.issue
            && *head == other.head
            && *base == other.base
            && *head_sha == other.head_sha
            && *draft == other.draft
            && *merge_method == other.merge_method
            && *merge_commit_sha == other.merge_commit_sha
            && *merged_at == other.merged_at
            && *closes == other.closes
            && same_in_any_order(requested_reviewers, &other.requested_reviewers)
            && *reviews == other.reviews
            && *review_comments == other.review_comments
    }
}

fn same_in_any_order<T: Ord>(one: &[T], other: &[T]) -> bool {
    sorted(one) == sorted(other)
}

fn sorted<T: Ord>(all: &[T]) -> Vec<&T> {
    let mut all: Vec<&T> = all.iter().collect();
    all.sort();
    all
}

impl Tree {
    /// Returns the issues of the repository, by number.
    pub fn issues(&self) -> Found<Vec<Issue>> {
        self.document("issues")
    }

    /// Returns the pull requests of the repository, by number.
    pub fn pulls(&self) -> Found<Vec<Pull>> {
        self.document("pulls")
    }

    /// Returns the labels of the repository, by name.
    pub fn labels(&self) -> Found<Vec<Label>> {
        self.document("labels")
    }

    /// Returns the releases of the repository.
    pub fn releases(&self) -> Found<Vec<Release>> {
        self.document("releases")
    }

    /// Returns one issue by its number.
    pub fn issue(&self, number: u64) -> Found<Issue> {
        let issues = self.issues();
        issues.one(&format!("issue #{number}"), |it| it.number == number)
    }

    /// Returns one pull request by its number.
    pub fn pull(&self, number: u64) -> Found<Pull> {
        let pulls = self.pulls();
        pulls.one(&format!("pull request #{number}"), |it| {
            it.issue.number == number
        })
    }

    fn document<T: DeserializeOwned>(&self, name: &str) -> Found<Vec<T>> {
        let path = format!("{name}.json");
        // A missing document stands for an empty list.
        if !self.exists(&path) {
            return Found::new(path, Ok(Vec::new()));
        }
        self.file(path)
            .text()
            .then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
    }
}

impl<T: Clone> Found<Vec<T>> {
    /// Returns the only element that fits. The result has no value if no element fits, or more than
    /// one.
    pub fn one(&self, place: &str, fits: impl Fn(&T) -> bool) -> Found<T> {
        let found = self.get().map(|all| {
            let mut fitting = all.iter().filter(|it| fits(it));
            match (fitting.next(), fitting.count()) {
                (Some(one), 0) => Ok(one.clone()),
                (None, _) => Err("there is none".to_owned()),
                (Some(_), more) => Err(format!("expected one, found {}", more + 1)),
            }
        });
        Found::new(place, found.and_then(|one| one))
    }
}

impl Found<Issue> {
    /// Checks that the issue is closed with this reason.
    pub fn is_closed_as(&self, reason: &str) -> Condition {
        self.satisfies(|issue| compare(format!("closed as {reason}"), issue.how()))
    }

    /// Checks that the issue is open.
    pub fn is_open(&self) -> Condition {
        self.satisfies(|issue| compare("open".to_owned(), issue.how()))
    }

    /// Checks that the issue has exactly these labels, in any order.
    pub fn labels_are(&self, expected: &[&str]) -> Condition {
        self.map(|issue| issue.labels.clone())
            .equal_in_any_order(owned(expected))
    }

    /// Checks that the issue has exactly these assignees, in any order.
    pub fn assignees_are(&self, expected: &[&str]) -> Condition {
        self.map(|issue| issue.assignees.clone())
            .equal_in_any_order(owned(expected))
    }

    /// Checks that the issue equals `expected`, ignoring the order of labels, assignees and
    /// reactions. Texts are compared byte by byte; see [`is_shown_as`](Found::is_shown_as).
    pub fn is_like(&self, expected: &Issue) -> Condition {
        self.satisfies(|issue| is_like(expected, issue))
    }

    /// Checks that the issue is the same as in the starting tree.
    pub fn is_unchanged(&self) -> Condition {
        self.satisfies(|issue| match Tree::START.issue(issue.number).get() {
            Ok(before) if before == issue => Condition::pass("as expected"),
            Ok(before) => is_like(before, issue).at("expected it as it was, found it changed"),
            Err(reason) => Condition::fail(format!("in the starting world {reason}")),
        })
    }
}

impl Found<Pull> {
    /// Returns the fields that the pull request shares with issues.
    pub fn issue(&self) -> Found<Issue> {
        self.map(|pull| pull.issue.clone())
    }

    /// Checks that the pull request equals `expected`, ignoring the order of labels, assignees,
    /// reactions and requested reviewers. Texts are compared byte by byte; see
    /// [`is_shown_as`](Found::is_shown_as).
    pub fn is_like(&self, expected: &Pull) -> Condition {
        self.satisfies(|pull| is_like(expected, pull))
    }

    /// Checks that the pull request was merged with this method: `merge`, `squash` or `rebase`.
    pub fn is_merged_by(&self, method: &str) -> Condition {
        self.satisfies(|pull| {
            let found = match (&pull.merged_at, &pull.merge_method) {
                (Some(_), Some(found)) => format!("merged by {found}"),
                (Some(_), None) => "merged".to_owned(),
                (None, _) => format!("{} without a merge", pull.issue.state),
            };
            compare(format!("merged by {method}"), found)
        })
    }

    /// Checks that the pull request is open.
    pub fn is_open(&self) -> Condition {
        self.issue().is_open()
    }

    /// Checks that the text of the pull request closes this issue.
    pub fn closes(&self, issue: u64) -> Condition {
        self.satisfies(|pull| {
            Condition::when(
                pull.closes.contains(&issue),
                format!(
                    "expected its text to close #{issue}, it closes {:?}",
                    pull.closes
                ),
            )
        })
    }

    /// Checks the head branch and the base branch of the pull request.
    pub fn goes(&self, head: &str, base: &str) -> Condition {
        self.satisfies(|pull| {
            compare(
                format!("{head} into {base}"),
                format!("{} into {}", pull.head, pull.base),
            )
        })
    }
}

impl Issue {
    /// Returns the state in words, such as `closed as completed`.
    fn how(&self) -> String {
        match &self.state_reason {
            Some(reason) if self.state == "closed" => format!("closed as {reason}"),
            _ => self.state.clone(),
        }
    }
}

/// Compares two states that are described in words.
fn compare(expected: String, found: String) -> Condition {
    if expected == found {
        Condition::pass(format!("{found}, as expected"))
    } else {
        Condition::fail(format!("expected {expected}, found {found}"))
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::github::{Issue, Pull};
    use crate::testing::{MemoryTree, verify};

    const ISSUES: &str = r#"[
      {"number": 1, "title": "Crash", "user": "ada", "state": "open", "labels": ["bug"]},
      {"number": 3, "title": "Slow", "body": "Very.", "user": "bob", "state": "closed",
       "state_reason": "not_planned", "assignees": ["ada"], "created_at": "2025-01-01T00:00:00Z",
       "comments": [{"id": 1, "user": "bob", "body": "No."}]}
    ]"#;
    const PULLS: &str = r#"[
      {"number": 2, "title": "Mend", "user": "ada", "state": "closed", "head": "mend", "base": "main",
       "merged_at": "2025-01-02T00:00:00Z", "merge_method": "squash", "closes": [1]},
      {"number": 4, "title": "Mend", "user": "ada", "state": "closed", "head": "other", "base": "main"}
    ]"#;

    #[test]
    fn issues_and_pull_requests_are_told_apart_by_number() {
        let start = MemoryTree::from([("issues.json", ISSUES), ("pulls.json", PULLS)]);
        let mut end = start.clone();
        end.write("issues.json", ISSUES.replace("Slow", "slow"));
        let checks = verify(
            |task| {
                let world = task.end();
                task.check("open", world.issue(1).is_open());
                task.check("labels", world.issue(1).labels_are(&["bug"]));
                task.check("unchanged", world.issue(1).is_unchanged());
                task.check("reason", world.issue(3).is_closed_as("completed"));
                task.check("assignees", world.issue(3).assignees_are(&["ada"]));
                task.check("changed", world.issue(3).is_unchanged());
                task.check("missing", world.issue(2).is_open());
                let pull = world.pull(2);
                task.check("merged", pull.is_merged_by("squash"));
                task.check("otherwise", pull.is_merged_by("merge"));
                task.check("given up", world.pull(4).is_merged_by("squash"));
                task.check("closes", pull.closes(1).and(pull.goes("mend", "main")));
                task.check("closes nothing", world.pull(4).closes(1));
                let twice = world.pulls().one("the mend", |it| it.issue.title == "Mend");
                task.check("one", twice.is_open());
                task.check("labels of nobody", world.labels().count_is(0));
            },
            &start,
            &end,
            None,
        );
        let told: Vec<String> = checks
            .iter()
            .map(|check| format!("{} {}: {}", check.passed, check.name, check.detail))
            .collect();
        assert_eq!(
            told,
            [
                "true open: issue #1: open, as expected",
                "true labels: issue #1: all 1 found",
                "true unchanged: issue #1: as expected",
                "false reason: issue #3: expected closed as completed, found closed as not_planned",
                "true assignees: issue #3: all 1 found",
                r#"false changed: issue #3: expected it as it was, found it changed: title: expected "Slow", found "slow""#,
                "false missing: issue #2: there is none",
                "true merged: pull request #2: merged by squash, as expected",
                "false otherwise: pull request #2: expected merged by merge, found merged by squash",
                "false given up: pull request #4: expected merged by squash, found closed without a merge",
                "true closes: pull request #2: as expected; pull request #2: mend into main, as expected",
                "false closes nothing: pull request #4: expected its text to close #1, it closes []",
                "false one: the mend: expected one, found 2",
                "true labels of nobody: labels.json: 0, as expected",
            ]
        );
    }

    const PULL: &str = r#"{"number": 5, "title": "Mend", "user": "ada", "state": "open",
       "head": "mend", "base": "main", "labels": ["bug", "urgent"], "assignees": ["ada", "bob"],
       "reactions": [{"user": "ada", "content": "+1"}, {"user": "bob", "content": "eyes"}],
       "sub_issues": [1, 2], "requested_reviewers": ["cy", "dee"]}"#;

    fn pull(from: &str, to: &str) -> Pull {
        assert!(PULL.contains(from), "{from} is not there");
        serde_json::from_str(&PULL.replace(from, to)).unwrap()
    }

    #[test]
    fn what_has_no_order_may_stand_in_any() {
        let before = pull("5", "5");
        for (from, to) in [
            (r#""bug", "urgent""#, r#""urgent", "bug""#),
            (r#""ada", "bob""#, r#""bob", "ada""#),
            (r#""cy", "dee""#, r#""dee", "cy""#),
            (
                r#"{"user": "ada", "content": "+1"}, {"user": "bob", "content": "eyes"}"#,
                r#"{"user": "bob", "content": "eyes"}, {"user": "ada", "content": "+1"}"#,
            ),
        ] {
            assert_eq!(pull(from, to), before, "{to}");
        }
    }

    #[test]
    fn everything_else_is_a_difference() {
        let before = pull("5", "5");
        for (from, to) in [
            (r#""bug", "urgent""#, r#""bug""#),
            (r#""bug", "urgent""#, r#""bug", "bug", "urgent""#),
            (r#""ada", "bob""#, r#""ada", "cy""#),
            (r#""cy", "dee""#, r#""cy""#),
            ("[1, 2]", "[2, 1]"),
            ("eyes", "heart"),
            (r#""state""#, r#""type": "Bug", "state""#),
            (r#""state""#, r#""locked": true, "state""#),
            (r#""state""#, r#""milestone": 1, "state""#),
            (r#""state""#, r#""draft": true, "state""#),
        ] {
            assert_ne!(pull(from, to), before, "{to}");
        }
    }

    #[test]
    fn a_type_a_lock_and_reactions_are_seen() {
        let start = MemoryTree::from([("issues.json", ISSUES)]);
        for added in [
            r#""type": "Bug""#,
            r#""locked": true"#,
            r#""reactions": [{"user": "ada", "content": "heart"}]"#,
        ] {
            let mut end = start.clone();
            let after = ISSUES.replace(r#""number": 1"#, &format!(r#""number": 1, {added}"#));
            end.write("issues.json", after);
            let checks = verify(
                |task| {
                    let before: Issue = task.start().issue(1).required();
                    task.check("unchanged", task.end().issue(1).is_unchanged());
                    task.check("like it", task.end().issue(1).is_like(&before));
                },
                &start,
                &end,
                None,
            );
            assert!(checks.iter().all(|check| !check.passed), "{added}");
        }
    }
}
