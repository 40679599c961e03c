//! Cross-references between issues and pull requests. They are derived from the texts and not stored.

use super::mentions::mentioned;
use super::{Hub, Issue, Time};

/// Mention of an issue or pull request by another one, in its earliest text that contains a mention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference<'a> {
    /// Issue or pull request that contains the mention.
    pub(crate) source: &'a Issue,
    /// Login of the author of the text.
    pub(crate) by: &'a str,
    /// Time from which both the text and the mentioned issue existed.
    pub(crate) at: Time,
}

/// Text with its author and time.
struct AuthoredText<'a> {
    text: &'a str,
    by: &'a str,
    at: Time,
}

impl Issue {
    /// Returns the texts of an issue or pull request that other users can see, in order of time: body, comments,
    /// submitted reviews and their comments.
    fn authored_texts(&self) -> Vec<AuthoredText<'_>> {
        let mut all = vec![AuthoredText {
            text: self.body.as_deref().unwrap_or_default(),
            by: &self.user,
            at: self.created_at,
        }];
        all.extend(self.comments.iter().map(|comment| AuthoredText {
            text: &comment.body,
            by: &comment.user,
            at: comment.created_at,
        }));
        if let Some(pull) = &self.pull {
            all.extend(pull.reviews.iter().filter_map(|review| {
                Some(AuthoredText {
                    text: &review.body,
                    by: &review.user,
                    at: review.submitted_at?,
                })
            }));
            all.extend(pull.seen_comments().map(|comment| AuthoredText {
                text: &comment.body,
                by: &comment.user,
                at: comment.created_at,
            }));
        }
        all.sort_by_key(|said| said.at);
        all
    }
}

impl Hub {
    /// Returns the other issues and pull requests that mention one, each once, in order of time.
    pub(crate) fn references(&self, to: &Issue) -> Vec<Reference<'_>> {
        let digits = to.number.to_string();
        let others = self.issues.values().filter(|it| it.number != to.number);
        let mut found: Vec<Reference<'_>> = others
            .filter_map(|source| {
                let said = source.authored_texts().into_iter().find(|said| {
                    // Fast check that rules out most texts.
                    said.text.contains(&digits) && self.mentions(said.text, to.number)
                })?;
                Some(Reference {
                    source,
                    by: said.by,
                    at: said.at.max(to.created_at),
                })
            })
            .collect();
        found.sort_by_key(|it| (it.at, it.source.number));
        found
    }

    fn mentions(&self, text: &str, number: u64) -> bool {
        let repository = &self.repository;
        mentioned(text, &repository.owner, &repository.name).contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::hub::{Pull, Repository};

    fn hub(issues: Value) -> Hub {
        let repository =
            json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"});
        let repository: Repository = serde_json::from_value(repository).unwrap();
        let mut hub = Hub::new(repository, Time(100));
        for entry in issues.as_array().unwrap() {
            let mut entry = entry.clone();
            let pull = entry.as_object_mut().unwrap().remove("pull");
            let mut issue: Issue = serde_json::from_value(entry).unwrap();
            issue.pull = pull.map(|pull| Box::new(serde_json::from_value::<Pull>(pull).unwrap()));
            hub.issues.insert(issue.number, issue);
        }
        hub
    }

    fn at(second: i64) -> Value {
        Time(second).to_string().into()
    }

    #[test]
    fn each_source_counts_once_from_its_first_text() {
        let comment = |second, user: &str, body: &str| json!({"user": user, "body": body, "created_at": at(second)});
        let hub = hub(json!([
            {"number": 1, "title": "#1", "user": "ann", "body": "#1 is this", "created_at": at(10)},
            {"number": 2, "title": "about #1", "user": "bo", "created_at": at(20), "comments": [
                comment(60, "cy", "#1 again"), comment(50, "dee", "as #1"), comment(40, "bo", "`#1`")]},
            {"number": 3, "title": "x", "user": "bo", "body": "see #1 and #9", "created_at": at(5)},
            {"number": 4, "title": "x", "user": "bo", "body": "#11", "created_at": at(5)},
        ]));
        let told = |number| -> Vec<(u64, &str, i64)> {
            let all = hub.references(&hub.issues[&number]);
            all.into_iter()
                .map(|it| (it.source.number, it.by, it.at.0))
                .collect()
        };
        // A text that is older than the issue counts from the creation of the issue.
        assert_eq!(told(1), [(3, "bo", 10), (2, "dee", 50)]);
        assert_eq!(told(2), []);
    }

    #[test]
    fn reviews_count_when_they_are_submitted() {
        let pull = |submitted: Value, by: &str| {
            json!({"number": 2, "title": "x", "user": "ann", "created_at": at(1), "pull": {
                "head": "a", "base": "b",
                "reviews": [{"id": 1, "user": "bo", "body": by, "state": "COMMENTED", "submitted_at": submitted}],
                "review_comments": [{"id": 2, "review": 1, "user": "bo", "body": "#1 too", "created_at": at(30)}]}})
        };
        let issue = json!({"number": 1, "title": "x", "user": "ann", "created_at": at(1)});
        for (pull, expected) in [
            (pull(at(40), "no"), Some(30)),
            (pull(at(20), "#1"), Some(20)),
            (pull(Value::Null, "#1"), None),
        ] {
            let hub = hub(json!([issue, pull]));
            let found = hub.references(&hub.issues[&1]);
            let times: Option<i64> = found.first().map(|it| it.at.0);
            assert_eq!(
                (times, found.len()),
                (expected, usize::from(expected.is_some()))
            );
        }
    }
}
