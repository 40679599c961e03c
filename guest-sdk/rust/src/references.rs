//! Who mentions an issue or a pull request of a github world.

// What is a mention is the same to the service and to a verifier: both read it with one file. All is
// `inline`, so that guests that ask nothing of it are as they were without it, byte for byte.
#[allow(dead_code, reason = "the service asks more of it")]
#[path = "../../../runtime/services/github/src/hub/mentions.rs"]
mod mentions;

use serde::Deserialize;

use crate::{Commit, Found, Tree};

/// The texts of an issue or a pull request.
#[derive(Deserialize)]
struct Source {
    number: u64,
    #[serde(default)]
    body: String,
    #[serde(default)]
    comments: Vec<Text>,
    #[serde(default)]
    reviews: Vec<Text>,
    #[serde(default)]
    review_comments: Vec<Text>,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    id: u64,
    #[serde(default)]
    body: String,
    /// Of a review alone.
    #[serde(default)]
    submitted_at: Option<String>,
    /// Of a comment on a line alone.
    #[serde(default)]
    review: Option<u64>,
}

impl Source {
    /// What others can read of it.
    #[inline]
    fn texts(&self) -> impl Iterator<Item = &str> {
        let (submitted, pending): (Vec<&Text>, Vec<&Text>) = self
            .reviews
            .iter()
            .partition(|review| review.submitted_at.is_some());
        let is_seen = move |comment: &&Text| {
            let of = |review: &&Text| comment.review == Some(review.id);
            !pending.iter().any(of)
        };
        let seen = self.review_comments.iter().filter(is_seen);
        let others = self.comments.iter().chain(submitted).chain(seen);
        std::iter::once(self.body.as_str()).chain(others.map(|text| text.body.as_str()))
    }
}

impl Tree {
    /// The numbers of the other issues and pull requests that mention one, sorted: in their texts,
    /// comments, submitted reviews or comments on lines, outside of code.
    #[inline]
    pub fn references(&self, number: u64) -> Found<Vec<u64>> {
        let place = format!("what mentions #{number}");
        let found = self.repository_name().and_then(|(owner, name)| {
            let issues = self.document::<Source>("issues");
            let pulls = self.document::<Source>("pulls");
            let sources = issues.get()?.iter().chain(pulls.get()?);
            let mentions = |source: &&Source| {
                let mut texts = source.texts();
                texts.any(|text| mentions::mentioned(text, &owner, &name).contains(&number))
            };
            let others = sources.filter(|source| source.number != number);
            let mut numbers: Vec<u64> = others.filter(mentions).map(|it| it.number).collect();
            numbers.sort_unstable();
            Ok(numbers)
        });
        Found::new(place, found)
    }

    /// The commits of a branch whose messages mention an issue or a pull request, the youngest first.
    #[inline]
    pub fn commits_that_mention(&self, number: u64, branch: &str) -> Found<Vec<Commit>> {
        let place = format!("what mentions #{number} on {branch}");
        let found = self.repository_name().and_then(|(owner, name)| {
            let mentions = |commit: &&Commit| {
                mentions::mentioned(commit.message(), &owner, &name).contains(&number)
            };
            let log = self.repository().log(branch);
            Ok(log.get()?.iter().filter(mentions).cloned().collect())
        });
        Found::new(place, found)
    }

    #[inline]
    fn repository_name(&self) -> Result<(String, String), String> {
        let document = self.file("repository.json").json();
        let text = |at| document.at(at).string().get().cloned();
        Ok((text("/owner")?, text("/name")?))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{MemoryTree, verify};

    #[test]
    fn an_issue_is_mentioned_where_others_can_read_it() {
        let repository = r#"{"owner": "acme", "name": "demo"}"#;
        let issues = r#"[
          {"number": 1, "user": "a", "body": "I am #1"},
          {"number": 2, "user": "a", "body": "`#1`", "comments": [{"user": "b", "body": "GH-1"}]},
          {"number": 3, "user": "a", "body": "other/demo#1"}
        ]"#;
        let pulls = r##"[
          {"number": 4, "reviews": [{"id": 1, "body": "#1", "submitted_at": "2025-01-01T00:00:00Z"}]},
          {"number": 5, "reviews": [{"id": 2, "body": "#1", "state": "PENDING"}],
           "review_comments": [{"id": 3, "review": 2, "body": "#1"}, {"id": 4, "body": "#3"}]}
        ]"##;
        let start = MemoryTree::from([
            ("repository.json", repository),
            ("issues.json", issues),
            ("pulls.json", pulls),
        ]);
        let nameless = MemoryTree::from([("issues.json", issues)]);
        let told = |end| -> Vec<(bool, String)> {
            let checks = verify(
                |task| {
                    let world = task.end();
                    task.check("1", world.references(1).equal([2, 4]));
                    task.check("3", world.references(3).equal([4]));
                },
                &start,
                end,
                None,
            );
            checks
                .into_iter()
                .map(|it| (it.passed, it.detail))
                .collect()
        };
        let found = told(&start);
        assert_eq!((found[0].0, found[1].0), (true, false), "{found:?}");
        assert!(found[1].1.starts_with("what mentions #3"), "{found:?}");
        let lost = told(&nameless);
        assert!(
            !lost[0].0 && lost[0].1.contains("repository.json"),
            "{lost:?}"
        );
    }
}
