//! Comparison of issues and pull requests field by field.

use std::fmt::Debug;

use crate::condition::show;
use crate::content::{self, Expected};
use crate::github::{Comment, Issue, Pull, Review, ReviewComment};
use crate::sequence::in_any_order;
use crate::{Condition, Found, Tree, Verifier, text};

/// Rule for the equality of titles, bodies and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// The same bytes.
    Exact,
    /// The same text as GitHub shows it; see [`content::text`].
    AsShown,
}

impl Texts {
    fn compare(self, expected: &str, found: &str) -> Condition {
        match self {
            Self::Exact => text::compare(expected, found),
            Self::AsShown => content::text(expected).compare(found),
        }
    }
}

/// Conditions on the fields of a record, each with the name of the field.
pub(super) type Fields = Vec<(&'static str, Condition)>;

/// A record whose fields can be compared one by one.
pub(super) trait Record: Sized {
    /// Compares each field with the expected one.
    fn fields(&self, expected: &Self, texts: Texts) -> Fields;
}

// All fields are destructured, so that a new field cannot be left out of the comparison.
impl Record for Issue {
    fn fields(&self, expected: &Self, texts: Texts) -> Fields {
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
        } = expected;
        vec![
            ("number", Condition::equal(number, &self.number)),
            ("title", texts.compare(title, &self.title)),
            ("text", texts.compare(body, &self.body)),
            ("author", Condition::equal(user, &self.user)),
            ("state", Condition::equal(state, &self.state)),
            (
                "reason for the state",
                optional(state_reason, &self.state_reason),
            ),
            ("duplicate of", optional(duplicate_of, &self.duplicate_of)),
            ("labels", in_any_order(labels, &self.labels)),
            ("assignees", in_any_order(assignees, &self.assignees)),
            ("milestone", optional(milestone, &self.milestone)),
            ("type", optional(kind, &self.kind)),
            ("lock", Condition::equal(locked, &self.locked)),
            ("closed by", optional(closed_by, &self.closed_by)),
            ("reactions", in_any_order(reactions, &self.reactions)),
            ("sub-issues", Condition::equal(sub_issues, &self.sub_issues)),
            (
                "comments",
                in_order("comment", comments, &self.comments, texts),
            ),
        ]
    }
}

impl Record for Pull {
    fn fields(&self, expected: &Self, texts: Texts) -> Fields {
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
        } = expected;
        let mut fields = self.issue.fields(issue, texts);
        fields.extend([
            ("head branch", Condition::equal(head, &self.head)),
            ("base branch", Condition::equal(base, &self.base)),
            ("head commit", Condition::equal(head_sha, &self.head_sha)),
            ("draft", Condition::equal(draft, &self.draft)),
            ("merge method", optional(merge_method, &self.merge_method)),
            (
                "merge commit",
                optional(merge_commit_sha, &self.merge_commit_sha),
            ),
            ("time of the merge", optional(merged_at, &self.merged_at)),
            ("issues to close", Condition::equal(closes, &self.closes)),
            (
                "requested reviewers",
                in_any_order(requested_reviewers, &self.requested_reviewers),
            ),
            ("reviews", in_order("review", reviews, &self.reviews, texts)),
            (
                "review comments",
                in_order(
                    "review comment",
                    review_comments,
                    &self.review_comments,
                    texts,
                ),
            ),
        ]);
        fields
    }
}

impl Record for Comment {
    fn fields(&self, expected: &Self, texts: Texts) -> Fields {
        let Self { user, body } = expected;
        vec![
            ("author", Condition::equal(user, &self.user)),
            ("text", texts.compare(body, &self.body)),
        ]
    }
}

impl Record for Review {
    fn fields(&self, expected: &Self, texts: Texts) -> Fields {
        let Self { user, body, state } = expected;
        vec![
            ("author", Condition::equal(user, &self.user)),
            ("text", texts.compare(body, &self.body)),
            ("state", Condition::equal(state, &self.state)),
        ]
    }
}

impl Record for ReviewComment {
    fn fields(&self, expected: &Self, texts: Texts) -> Fields {
        let Self {
            user,
            body,
            path,
            line,
        } = expected;
        vec![
            ("author", Condition::equal(user, &self.user)),
            ("text", texts.compare(body, &self.body)),
            ("path", Condition::equal(path, &self.path)),
            ("line", optional(line, &self.line)),
        ]
    }
}

/// Compares two values that may be missing, which details call `none`.
fn optional<T: PartialEq + Debug>(expected: &Option<T>, found: &Option<T>) -> Condition {
    let shown = |value: &Option<T>| value.as_ref().map_or("none".to_owned(), show);
    if expected == found {
        Condition::pass(format!("found {}, as expected", shown(found)))
    } else {
        Condition::fail(format!(
            "expected {}, found {}",
            shown(expected),
            shown(found)
        ))
    }
}

/// Compares two lists of records by position.
fn in_order<R: Record + Debug>(noun: &str, expected: &[R], found: &[R], texts: Texts) -> Condition {
    for (number, (a, b)) in (1..).zip(expected.iter().zip(found)) {
        let fields = b.fields(a, texts);
        if let Some((field, condition)) = fields.into_iter().find(|(_, it)| !it.passed()) {
            return condition.at(format!("{noun} {number}, {field}"));
        }
    }
    let shared = expected.len().min(found.len());
    match (expected.get(shared), found.get(shared)) {
        (Some(missing), _) => Condition::fail(format!(
            "expected {} of them, found {}; first missing: {}",
            expected.len(),
            found.len(),
            show(missing)
        )),
        (_, Some(extra)) => Condition::fail(format!(
            "expected {} of them, found {}; first extra: {}",
            expected.len(),
            found.len(),
            show(extra)
        )),
        (None, None) => Condition::pass(format!("{}, as expected", found.len())),
    }
}

/// Combines the conditions on fields. The detail explains the first field that differs and names the others.
pub(super) fn all_fields(fields: Fields) -> Condition {
    let differ = fields.into_iter().filter(|(_, it)| !it.passed());
    let mut differ = differ.collect::<Vec<_>>().into_iter();
    let Some((field, condition)) = differ.next() else {
        return Condition::pass("as expected");
    };
    let others: Vec<&str> = differ.map(|(field, _)| field).collect();
    let also = if others.is_empty() {
        String::new()
    } else {
        format!("; other fields that differ: {}", others.join(", "))
    };
    Condition::fail(format!("{field}: {}{also}", condition.detail()))
}

/// Compares two records like their `PartialEq`, with a detail that names the fields that differ.
pub(super) fn is_like<R: Record + PartialEq + Debug>(expected: &R, found: &R) -> Condition {
    let equal = Condition::equal(expected, found);
    if equal.passed() {
        return equal;
    }
    let told = all_fields(found.fields(expected, Texts::Exact));
    if told.passed() { equal } else { told }
}

impl Found<Issue> {
    /// Checks that GitHub shows the issue like `expected`: every field is compared, texts as [`content::text`] does.
    /// The detail names the fields that differ.
    pub fn is_shown_as(&self, expected: &Issue) -> Condition {
        self.satisfies(|issue| all_fields(issue.fields(expected, Texts::AsShown)))
    }

    /// Returns the title of the issue.
    pub fn title(&self) -> Found<String> {
        self.part("the title", |issue| Ok(issue.title.clone()))
    }

    /// Returns the text of the issue.
    pub fn body(&self) -> Found<String> {
        self.part("the text", |issue| Ok(issue.body.clone()))
    }

    /// Returns the comments on the issue.
    pub fn comments(&self) -> Found<Vec<Comment>> {
        self.part("the comments", |issue| Ok(issue.comments.clone()))
    }
}

impl Found<Pull> {
    /// Checks that GitHub shows the pull request like `expected`: every field is compared, texts as [`content::text`]
    /// does. The detail names the fields that differ.
    pub fn is_shown_as(&self, expected: &Pull) -> Condition {
        self.satisfies(|pull| all_fields(pull.fields(expected, Texts::AsShown)))
    }

    /// Checks that the pull request has no draft status, labels, assignees, milestone, type, lock, reactions,
    /// comments or reviews, like [`Pull::is_plain`]. The detail names the fields that it has.
    pub fn is_only_proposed(&self) -> Condition {
        self.satisfies(|pull| {
            let mut plain = pull.clone();
            plain.draft = false;
            plain.issue.labels.clear();
            plain.issue.assignees.clear();
            plain.issue.milestone = None;
            plain.issue.kind = None;
            plain.issue.locked = false;
            plain.issue.reactions.clear();
            plain.issue.comments.clear();
            plain.reviews.clear();
            plain.review_comments.clear();
            all_fields(pull.fields(&plain, Texts::Exact))
        })
    }

    /// Returns the title of the pull request.
    pub fn title(&self) -> Found<String> {
        self.issue().title()
    }

    /// Returns the text of the pull request.
    pub fn body(&self) -> Found<String> {
        self.issue().body()
    }

    /// Returns the comments on the pull request as a whole.
    pub fn comments(&self) -> Found<Vec<Comment>> {
        self.issue().comments()
    }
}

impl Found<Vec<Comment>> {
    /// Checks that GitHub shows exactly these comments, in this order.
    pub fn are_shown_as(&self, expected: &[Comment]) -> Condition {
        self.satisfies(|found| in_order("comment", expected, found, Texts::AsShown))
    }

    /// Returns the text of the only comment by this user.
    pub fn text_by(&self, user: &str) -> Found<String> {
        let place = format!("the comment by {user}");
        self.part(&place, |comments| {
            let mut theirs = comments.iter().filter(|it| it.user == user);
            match (theirs.next(), theirs.count()) {
                (Some(comment), 0) => Ok(comment.body.clone()),
                (None, _) => Err("there is none".to_owned()),
                (Some(_), more) => Err(format!("expected one, found {}", more + 1)),
            }
        })
    }
}

impl Verifier {
    /// Adds checks that an issue of the starting world is now like `expected`: one for each field that had to
    /// change, such as `labels of #7`, and one that the issue is otherwise as it was. Texts compare as GitHub shows
    /// them.
    #[track_caller]
    pub fn check_issue(&mut self, number: u64, expected: &Issue) {
        self.check_record(number, expected, Tree::issue);
    }

    /// Adds checks that a pull request of the starting world is now like `expected`; see
    /// [`Verifier::check_issue`].
    #[track_caller]
    pub fn check_pull(&mut self, number: u64, expected: &Pull) {
        self.check_record(number, expected, Tree::pull);
    }

    #[track_caller]
    fn check_record<R: Record>(
        &mut self,
        number: u64,
        expected: &R,
        read: fn(&Tree, u64) -> Found<R>,
    ) {
        let before = read(&self.start(), number).required();
        let found = read(&self.end(), number);
        let differ = before.fields(expected, Texts::AsShown).into_iter();
        let changed: Vec<&str> = differ
            .filter(|(_, it)| !it.passed())
            .map(|(field, _)| field)
            .collect();
        for field in &changed {
            let condition = found.satisfies(|record| {
                let fields = record.fields(expected, Texts::AsShown);
                let of_field = fields.into_iter().filter(|(name, _)| name == field);
                Condition::all(of_field.map(|(_, it)| it))
            });
            self.check(format!("{field} of #{number}"), condition);
        }
        let rest = found.satisfies(|record| {
            let mut fields = record.fields(expected, Texts::AsShown);
            fields.retain(|(name, _)| !changed.contains(name));
            all_fields(fields)
        });
        self.check(format!("#{number} is otherwise as it was"), rest);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::github::Proposal;
    use crate::testing::{MemoryTree, verify};

    fn pull() -> Value {
        json!({
            "number": 5, "title": "Mend", "body": "Fixes #1", "user": "ada", "state": "open",
            "head": "mend", "base": "main", "labels": ["bug", "urgent"], "assignees": ["ada"],
            "comments": [{"user": "bob", "body": "Why?"}],
            "reviews": [{"user": "bob", "body": "", "state": "APPROVED"}],
            "review_comments": [{"user": "bob", "body": "Here.", "path": "a.rs", "line": 3}],
            "requested_reviewers": ["cy", "dee"], "closes": [1]
        })
    }

    fn read(value: &Value) -> Pull {
        serde_json::from_value(value.clone()).unwrap()
    }

    fn found(value: &Value) -> Found<Pull> {
        Found::new("pull request #5", Ok(read(value)))
    }

    #[test]
    fn texts_compare_as_github_shows_them() {
        let mut value = pull();
        value["title"] = json!("Mend ");
        value["body"] = json!("Fixes #1\r\n");
        value["comments"][0]["body"] = json!("Why? \n\n");
        value["labels"] = json!(["urgent", "bug"]);
        let shown = found(&value);
        assert!(shown.is_shown_as(&read(&pull())).passed());
        assert!(!shown.is_like(&read(&pull())).passed());
        assert!(shown.body().content_is(content::text("Fixes #1")).passed());
        let comment = Comment {
            user: "bob".to_owned(),
            body: "Why?".to_owned(),
        };
        assert!(shown.comments().are_shown_as(&[comment]).passed());
        assert!(
            shown
                .comments()
                .text_by("bob")
                .content_is(content::text("Why?"))
                .passed()
        );
    }

    #[test]
    fn each_field_that_differs_is_named() {
        let cases = [
            (
                "/title",
                json!("Fix"),
                r#"title: expected "Mend", found "Fix""#,
            ),
            (
                "/body",
                json!("Fixes #2"),
                r##"text: expected "Fixes #1", found "Fixes #2""##,
            ),
            (
                "/labels",
                json!(["bug"]),
                r#"labels: expected 1 more: "urgent""#,
            ),
            (
                "/state",
                json!("closed"),
                r#"state: expected "open", found "closed""#,
            ),
            (
                "/comments/0/body",
                json!("Wow?"),
                r#"comments: comment 1, text: expected "Why?", found "Wow?""#,
            ),
            (
                "/reviews/0/state",
                json!("COMMENTED"),
                r#"reviews: review 1, state: expected "APPROVED", found "COMMENTED""#,
            ),
            (
                "/review_comments/0/line",
                json!(4),
                "review comments: review comment 1, line: expected 3, found 4",
            ),
            (
                "/review_comments/0/line",
                json!(null),
                "review comments: review comment 1, line: expected 3, found none",
            ),
            (
                "/comments",
                json!([]),
                r#"comments: expected 1 of them, found 0; first missing: Comment { user: "bob", body: "Why?" }"#,
            ),
        ];
        for (pointer, changed, detail) in cases {
            let mut value = pull();
            *value.pointer_mut(pointer).unwrap() = changed;
            let expected = Condition::fail(format!("pull request #5: {detail}"));
            assert_eq!(found(&value).is_shown_as(&read(&pull())), expected);
            assert_eq!(found(&value).is_like(&read(&pull())), expected);
        }
        let mut value = pull();
        value["milestone"] = json!(2);
        value["draft"] = json!(true);
        assert_eq!(
            found(&value).is_shown_as(&read(&pull())).detail(),
            "pull request #5: milestone: expected none, found 2; other fields that differ: draft"
        );
        assert_eq!(
            found(&pull()).is_only_proposed().detail(),
            r#"pull request #5: labels: found 2 that were not expected: "bug", "urgent"; other fields that differ: assignees, comments, reviews, review comments"#
        );
    }

    #[test]
    fn a_touched_record_is_checked_field_by_field() {
        let start = MemoryTree::from([("pulls.json", json!([pull()]).to_string())]);
        let judge = |after: &Value| -> Vec<String> {
            let mut end = start.clone();
            end.write("pulls.json", json!([after]).to_string());
            let checks = verify(
                |task| {
                    let mut expected = task.start().pull(5).required();
                    expected.issue.labels.retain(|label| label != "urgent");
                    expected.issue.comments.push(Comment {
                        user: "desk".to_owned(),
                        body: "Not yet.".to_owned(),
                    });
                    task.check_pull(5, &expected);
                },
                &start,
                &end,
                None,
            );
            let told = checks.iter().map(|it| {
                if it.passed {
                    format!("✓ {}", it.name)
                } else {
                    format!("✗ {}: {}", it.name, it.detail)
                }
            });
            told.collect()
        };
        assert_eq!(
            judge(&pull()),
            [
                r#"✗ labels of #5: pull request #5: found 1 that were not expected: "urgent""#,
                r#"✗ comments of #5: pull request #5: expected 2 of them, found 1; first missing: Comment { user: "desk", body: "Not yet." }"#,
                "✓ #5 is otherwise as it was",
            ]
        );
        let mut right = pull();
        right["labels"] = json!(["bug"]);
        right["comments"]
            .as_array_mut()
            .unwrap()
            .push(json!({"user": "desk", "body": "Not yet.\n"}));
        assert_eq!(
            judge(&right),
            [
                "✓ labels of #5",
                "✓ comments of #5",
                "✓ #5 is otherwise as it was"
            ]
        );
        right["title"] = json!("Other");
        assert_eq!(
            judge(&right)[2],
            r#"✗ #5 is otherwise as it was: pull request #5: title: expected "Mend", found "Other""#
        );
        let gone = judge(
            &json!({"number": 6, "title": "", "user": "", "state": "", "head": "", "base": ""}),
        );
        assert!(
            gone.iter()
                .all(|it| it.ends_with("pull request #5: there is none")),
            "{gone:?}"
        );
    }

    #[test]
    fn a_new_pull_request_compares_as_shown() {
        let start = MemoryTree::from([("pulls.json", "[]")]);
        let mut end = start.clone();
        let new = json!({"number": 7, "title": "Mend", "body": "Fixes #1\n", "user": "desk", "state": "open", "head": "mend", "base": "main"});
        end.write("pulls.json", json!([new]).to_string());
        let proposal = Proposal {
            head: "mend",
            base: "main",
            title: "Mend",
            body: "Fixes #1",
            reviewers: &[],
        };
        let failed = |exact: bool| -> Vec<String> {
            let checks = verify(
                |task| {
                    if exact {
                        task.check_new_pull(&proposal);
                    } else {
                        task.check_proposal(&proposal);
                    }
                },
                &start,
                &end,
                None,
            );
            assert_eq!(checks.len(), 5);
            checks
                .into_iter()
                .filter(|it| !it.passed)
                .map(|it| it.name)
                .collect()
        };
        assert_eq!(failed(false), [""; 0]);
        assert_eq!(failed(true), ["the text of the pull request"]);
    }

    fn changes() -> impl Strategy<Value = (&'static str, Value)> {
        let text = "[a \n]{0,2}".prop_map(Value::from);
        prop_oneof![
            (
                prop_oneof![
                    Just("/title"),
                    Just("/body"),
                    Just("/user"),
                    Just("/head"),
                    Just("/comments/0/body")
                ],
                text
            ),
            (
                prop_oneof![
                    Just("/labels"),
                    Just("/assignees"),
                    Just("/requested_reviewers")
                ],
                proptest::collection::vec("[ab]", 0..3).prop_map(Value::from)
            ),
            (
                Just("/closes"),
                proptest::collection::vec(0u64..3, 0..3).prop_map(Value::from)
            ),
            (
                Just("/review_comments/0/line"),
                (0u64..3).prop_map(Value::from)
            ),
        ]
    }

    proptest! {
        #[test]
        fn fields_differ_exactly_when_records_do(
            one in proptest::collection::vec(changes(), 0..3),
            other in proptest::collection::vec(changes(), 0..3),
        ) {
            let apply = |changes: &[(&str, Value)]| {
                let mut value = pull();
                for (pointer, changed) in changes {
                    *value.pointer_mut(pointer).unwrap() = changed.clone();
                }
                read(&value)
            };
            let (one, other) = (apply(&one), apply(&other));
            let equal = all_fields(one.fields(&other, Texts::Exact)).passed();
            prop_assert_eq!(equal, one == other);
            prop_assert_eq!(is_like(&one, &other).passed(), one == other);
            if equal {
                prop_assert!(all_fields(one.fields(&other, Texts::AsShown)).passed());
            }
        }
    }
}
