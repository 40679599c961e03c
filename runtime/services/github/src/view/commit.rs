//! Commits as repository and git objects, and the files that they change.

use serde_json::{Value, json};

use super::Viewed;
use crate::git::{Change, Commit, GitError, Identity, ObjectId};
use crate::hub::{Kind, Time};
use crate::repository::RepositoryState;

/// Email address of the committer of changes on the web.
const WEB_FLOW: &str = "noreply@github.com";

impl RepositoryState {
    fn signature(&self, identity: &Identity) -> Value {
        json!({
            "name": identity.name,
            "email": identity.email,
            "date": Time(identity.seconds),
        })
    }

    /// Account of an author or committer. Null if no account has the email address.
    fn account(&self, identity: &Identity) -> Value {
        if identity.email == WEB_FLOW {
            return self.user("web-flow");
        }
        match self.hub.user_of_email(&identity.email) {
            Some(user) => self.user(&user.login),
            None => Value::Null,
        }
    }

    fn parents(&self, commit: &Commit, collection: &str) -> Value {
        let view = |id: &ObjectId| {
            json!({
                "sha": id.to_string(),
                "url": self.api(&format!("/{collection}/{id}")),
                "html_url": self.html(&format!("/commit/{id}")),
            })
        };
        commit.parents.iter().map(view).collect()
    }

    fn tree_of_commit(&self, commit: &Commit) -> Value {
        json!({"sha": commit.tree.to_string(), "url": self.api(&format!("/git/trees/{}", commit.tree))})
    }

    fn verification() -> Value {
        json!({
            "verified": false,
            "reason": "unsigned",
            "signature": null,
            "payload": null,
            "verified_at": null,
        })
    }

    fn commit_node(id: ObjectId) -> String {
        let node = Kind::Repository.node_id(Kind::User.of_name(&id.to_string()));
        node.replacen("R_", "C_", 1)
    }

    /// Commit as an object of the repository API, without its files.
    pub(crate) fn commit(&self, commit: &Commit) -> Value {
        let id = commit.id;
        json!({
            "sha": id.to_string(),
            "node_id": Self::commit_node(id),
            "commit": {
                "author": self.signature(&commit.author),
                "committer": self.signature(&commit.committer),
                "message": commit.message,
                "tree": self.tree_of_commit(commit),
                "url": self.api(&format!("/git/commits/{id}")),
                "comment_count": self.comments_on(id),
                "verification": Self::verification(),
            },
            "url": self.api(&format!("/commits/{id}")),
            "html_url": self.html(&format!("/commit/{id}")),
            "comments_url": self.api(&format!("/commits/{id}/comments")),
            "author": self.account(&commit.author),
            "committer": self.account(&commit.committer),
            "parents": self.parents(commit, "commits"),
        })
    }

    /// Commit as an object of the git data API.
    pub(crate) fn git_commit(&self, commit: &Commit) -> Value {
        let id = commit.id;
        json!({
            "sha": id.to_string(),
            "node_id": Self::commit_node(id),
            "url": self.api(&format!("/git/commits/{id}")),
            "html_url": self.html(&format!("/commit/{id}")),
            "author": self.signature(&commit.author),
            "committer": self.signature(&commit.committer),
            "tree": self.tree_of_commit(commit),
            "message": commit.message,
            "parents": self.parents(commit, "git/commits"),
            "verification": Self::verification(),
        })
    }

    /// Changes of a commit relative to its first parent.
    pub(crate) fn changes_of(&self, commit: &Commit) -> Result<Vec<Change>, GitError> {
        let before = match commit.parents.first() {
            Some(parent) => Some(self.git.tree_of(*parent)?),
            None => None,
        };
        self.git.changes(before, commit.tree)
    }

    /// Commit with statistics and all changed files.
    pub(crate) fn commit_in_full(&self, commit: &Commit, changes: &[Change]) -> Viewed {
        let mut view = self.commit(commit);
        let additions: usize = changes.iter().map(|change| change.additions).sum();
        let deletions: usize = changes.iter().map(|change| change.deletions).sum();
        view["stats"] = json!({
            "total": additions + deletions,
            "additions": additions,
            "deletions": deletions,
        });
        view["files"] = changes
            .iter()
            .map(|change| self.file(change, commit.id))
            .collect();
        Ok(view)
    }

    /// File changed by a commit or a pull request. `at` is the commit to which its URLs refer.
    pub(crate) fn file(&self, change: &Change, at: ObjectId) -> Value {
        let path = encode_path(&change.path);
        let sha = change
            .new
            .as_ref()
            .or(change.old.as_ref())
            .map(|(_, id)| id.to_string());
        let mut view = json!({
            "sha": sha,
            "filename": change.path,
            "status": change.status_name(),
            "additions": change.additions,
            "deletions": change.deletions,
            "changes": change.additions + change.deletions,
            "blob_url": self.html(&format!("/blob/{at}/{path}")),
            "raw_url": self.html(&format!("/raw/{at}/{path}")),
            "contents_url": self.api(&format!("/contents/{path}?ref={at}")),
        });
        if let Some(hunks) = &change.hunks {
            view["patch"] = hunks.as_str().into();
        }
        if let Some(previous) = &change.previous {
            view["previous_filename"] = previous.as_str().into();
        }
        view
    }
}

/// Percent-encodes a path for a URL.
pub(super) fn encode_path(path: &str) -> String {
    percent_encoded(path, b"/@+,=:$&")
}

/// Percent-encodes a text, except for letters, digits, `-_.~` and the characters in `plain`.
pub(crate) fn percent_encoded(text: &str, plain: &[u8]) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() || plain.contains(&byte) => {
                encoded.push(char::from(byte));
            }
            byte => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}
