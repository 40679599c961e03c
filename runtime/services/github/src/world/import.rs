//! Import of a published template, with the changes that its importer makes on GitHub.
//!
//! The importer of the published benchmark pushes a clone and recreates all issues and pull requests by requests. What
//! verifier scripts look for therefore differs from the template: numbers are assigned again, issues first, in the
//! order of the documents; the importing account is the author of everything; comments name their original authors in
//! their first line, and comments on lines of a pull request become such comments, too; pull requests from forks use
//! branches of the repository itself; and a commit removes the directory `.github`. This module applies the same
//! changes with the operations that requests would use.
//!
//! The importer appends four random characters to each mention, so that no account is notified. Here they are derived
//! from the name.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_snapshot::{Node, Store, Tree};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::documents::{Documents, WorldError};
use super::export::{ExportError, export};
use super::people::check_repository;
use super::published;
use super::read::documents_of;
use crate::api::{ApiError, NewIssue, NewPull, RepositoryName};
use crate::git::{Base, Draft, Edit, Git, GitError};
use crate::hub::{Hub, Repository, State, Time, User};
use crate::repository::RepositoryState;

/// Directory that the importer removes because GitHub would run its workflows.
const WORKFLOWS: &str = ".github";

/// Account and clock of an import.
#[derive(Debug, Clone)]
pub struct Importer {
    /// User or organisation that will own the repository.
    pub owner: String,
    /// Login of the author of everything that is imported.
    pub viewer: String,
    /// Time of the first request, in seconds since 1970. Each further request is one second later.
    pub clock: i64,
}

/// Result of an import.
#[derive(Debug)]
pub struct Imported {
    /// Tree of the world, which is in the store with its blobs.
    pub tree: Tree,
    /// Full name of the repository, `owner/name`.
    pub repository: String,
    /// Number of issues that were opened.
    pub issues: usize,
    /// Number of pull requests that were opened.
    pub pulls: usize,
    /// Entries that GitHub would refuse, which the importer skips.
    pub skipped: Vec<Skipped>,
}

/// Issue or pull request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Document and entry, such as `pulls.json: #7`.
    pub place: String,
    /// Title of the issue or pull request.
    pub title: String,
    /// Error message of GitHub.
    pub why: String,
}

/// Error of importing a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The template is missing or invalid.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The world could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl From<GitError> for ImportError {
    fn from(error: GitError) -> Self {
        Self::World(error.into())
    }
}

#[derive(Deserialize)]
struct Meta {
    repo: String,
    #[serde(default = "main")]
    default_branch: String,
}

fn main() -> String {
    "main".to_owned()
}

/// Keys that issues and pull requests of a template have in common.
#[derive(Deserialize)]
struct Item {
    title: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    state: Option<State>,
    #[serde(default)]
    comments: Vec<Said>,
    #[serde(default)]
    review_comments: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    user: String,
    #[serde(default)]
    body: Option<String>,
}

/// Keys of a template's pull request about its head and base.
#[derive(Deserialize)]
struct Ends {
    head: String,
    base: String,
    #[serde(default)]
    is_from_fork: bool,
    #[serde(default)]
    fork_owner: Option<String>,
    #[serde(default)]
    fork_repo: Option<String>,
    #[serde(default)]
    local_branch: Option<String>,
}

impl Importer {
    /// Imports the template in a tree. The objects of its repository are copied below `scratch` while it runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree is not a valid template, or if the store cannot save the world.
    pub fn import(
        &self,
        template: &Tree,
        store: &Store,
        scratch: &Path,
    ) -> Result<Imported, ImportError> {
        let dir = documents_of(template);
        let Some(Node::Directory(work_tree)) = dir.get("repo") else {
            return Err(WorldError::Missing("repo/").into());
        };
        let Some(Node::Directory(git_dir)) = work_tree.get(".git") else {
            return Err(WorldError::Missing("repo/.git/").into());
        };
        let documents = Documents { dir, blobs: store };
        let meta: Meta = documents.object("meta.json")?;
        let base = Base::open(git_dir, store, scratch)?;
        base.check()?;
        let mut import = Import {
            at: RepositoryName {
                owner: self.owner.clone(),
                repo: meta.repo.clone(),
            },
            repo: RepositoryState::new(self.hub(meta, &documents)?, Git::new(base)),
            issues: 0,
            pulls: 0,
            skipped: Vec::new(),
        };
        import.push()?;
        import
            .issues(&documents)
            .and_then(|()| import.pulls(&documents))
            .map_err(|error| documents.located(error))?;
        let RepositoryState { hub, git, .. } = &import.repo;
        Ok(Imported {
            tree: export(hub, git, work_tree, store)?,
            repository: import.repo.full_name(),
            issues: import.issues,
            pulls: import.pulls,
            skipped: import.skipped,
        })
    }

    /// Creates the hub of the new repository, with the users of the template, the viewer and the owner.
    fn hub(&self, meta: Meta, documents: &Documents<'_>) -> Result<Hub, WorldError> {
        let clock = Time(self.clock);
        let repository = Repository {
            owner: self.owner.clone(),
            description: Some(format!("Restored template repo {}", meta.repo)),
            name: meta.repo,
            default_branch: meta.default_branch,
            viewer: self.viewer.clone(),
            private: true,
            topics: Vec::new(),
            allow_merge_commit: true,
            allow_squash_merge: true,
            allow_rebase_merge: true,
            protected_branches: BTreeMap::new(),
            collaborators: Vec::new(),
            created_at: clock,
        };
        check_repository("meta.json", &repository)?;
        let mut hub = Hub::new(repository, clock);
        let mut people = documents.entries::<User>("users.json", published::plain)?;
        for (login, kind) in [(&self.viewer, None), (&self.owner, Some("Organization"))] {
            people.push(User {
                login: login.clone(),
                kind: kind.map(str::to_owned),
                ..User::default()
            });
        }
        for user in people {
            hub.users.entry(user.login.to_lowercase()).or_insert(user);
        }
        Ok(hub)
    }
}

/// Import in progress.
struct Import {
    at: RepositoryName,
    repo: RepositoryState,
    issues: usize,
    pulls: usize,
    skipped: Vec<Skipped>,
}

impl Import {
    /// Brings the repository into the state after `git push`: only the clone's own branches exist, not the
    /// remote-tracking ones, and the directory `.github` is removed by a commit.
    fn push(&mut self) -> Result<(), GitError> {
        let git = &mut self.repo.git;
        let (tracked, head) = (
            git.base().tracked().clone(),
            git.base().head().map(str::to_owned),
        );
        for name in &tracked {
            git.remove_ref(name);
        }
        let Some((branch, tip)) = head.and_then(|it| Some((it.clone(), git.branch(&it)?))) else {
            return Ok(());
        };
        let tree = git.tree_of(tip)?;
        if git.entry(tree, WORKFLOWS)?.is_none() {
            return Ok(());
        }
        let without = Edit::Remove {
            path: WORKFLOWS.to_owned(),
        };
        let tree = git.edit_tree(tree, &[without])?;
        let by = self.repo.identity(&self.repo.viewer());
        let git = &mut self.repo.git;
        let commit = git.write_commit(Draft {
            tree,
            parents: vec![tip],
            author: by.clone(),
            committer: by,
            message: format!("Remove {WORKFLOWS} directory\n"),
        })?;
        git.set_ref(format!("refs/heads/{branch}"), commit);
        self.repo.hub.tick();
        Ok(())
    }

    fn issues(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        for (place, item) in documents.typed_entries::<Item>("issues.json")? {
            let new = NewIssue {
                title: item.title.clone(),
                body: item.body.as_deref().map(obfuscated),
                labels: item.labels.clone(),
                ..NewIssue::default()
            };
            let made = self.repo.create_issue(&self.at, new);
            let Some(number) = self.opened(&place, &item, made)? else {
                continue;
            };
            self.issues += 1;
            if item.state == Some(State::Closed) {
                self.repo
                    .set_issue_state(number, State::Closed, "completed", None);
            }
            self.comments(number, &item.comments, "")?;
        }
        Ok(())
    }

    fn pulls(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        const FILE: &str = "pulls.json";
        let ends = documents.typed_entries::<Ends>(FILE)?;
        let items = documents.typed_entries::<Item>(FILE)?;
        for ((place, item), (_, ends)) in items.into_iter().zip(ends) {
            let mut body = item.body.as_deref().map(obfuscated);
            if ends.is_from_fork {
                let note = format!(
                    "---\n_This PR was originally from a fork: **{}/{}** (branch: `{}`)_",
                    ends.fork_owner.as_deref().unwrap_or("None"),
                    ends.fork_repo.as_deref().unwrap_or("None"),
                    ends.head
                );
                body = Some(match body.filter(|body| !body.is_empty()) {
                    Some(body) => format!("{body}\n\n{note}"),
                    None => note,
                });
            }
            let new = NewPull {
                issue: None,
                title: item.title.clone(),
                body,
                head: ends.local_branch.unwrap_or(ends.head),
                base: ends.base,
                ..NewPull::default()
            };
            let made = self.repo.create_pull(&self.at, new);
            let Some(number) = self.opened(&place, &item, made)? else {
                continue;
            };
            self.pulls += 1;
            self.comments(number, &item.comments, "")?;
            self.comments(number, &item.review_comments, " (review)")?;
        }
        Ok(())
    }

    /// Returns the number of an opened entry. Records a refused entry as skipped and returns `None`.
    fn opened(
        &mut self,
        place: &str,
        item: &Item,
        made: Result<u64, ApiError>,
    ) -> Result<Option<u64>, WorldError> {
        match made {
            Ok(number) => Ok(Some(number)),
            Err(ApiError::Git(error)) => Err(error.into()),
            Err(ApiError::Refused(refusal)) => {
                self.skipped.push(Skipped {
                    place: place.to_owned(),
                    title: item.title.clone(),
                    why: refusal.to_string(),
                });
                Ok(None)
            }
        }
    }

    fn comments(&mut self, number: u64, all: &[Said], kind: &str) -> Result<(), WorldError> {
        for Said { user, body } in all {
            let body = body.as_deref().unwrap_or_default();
            let text = obfuscated(&format!("*Original author: @{user}*{kind}\n\n{body}"));
            match self.repo.create_comment(&self.at, number, &text) {
                Err(ApiError::Git(error)) => return Err(error.into()),
                // A comment on an entry that was just opened is never refused.
                Ok(_) | Err(ApiError::Refused(_)) => {}
            }
        }
        Ok(())
    }
}

/// Replaces mentions, so that they name no account: `@name` becomes `@name_k3x9`.
fn obfuscated(text: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at + 1);
        result.push_str(before);
        let follows_a_word = before[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
        let name = after[..end].trim_end_matches('-');
        if !follows_a_word && name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            result.push_str(name);
            result.push('_');
            result.extend(suffix(name));
            rest = &after[name.len()..];
        } else {
            rest = after;
        }
    }
    result + rest
}

/// Derives four lower-case letters and digits from a name.
fn suffix(name: &str) -> impl Iterator<Item = char> {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let digest = Sha256::digest(name.to_lowercase());
    let letter = |byte: u8| char::from(LETTERS[usize::from(byte) % LETTERS.len()]);
    digest.into_iter().take(4).map(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_of_nobody() {
        let of = |name: &str| suffix(name).collect::<String>();
        let (ann, team) = (of("ann"), of("a-b"));
        for (text, expected) in [
            ("thanks @ann!", format!("thanks @ann_{ann}!")),
            ("@Ann and @ann", format!("@Ann_{ann} and @ann_{ann}")),
            ("(@a-b-)", format!("(@a-b_{team}-)")),
            ("ann@example.org", "ann@example.org".to_owned()),
            ("_@ann", format!("_@ann_{ann}")),
            ("@ @-x @@ann", format!("@ @-x @@ann_{ann}")),
            ("é@ann", format!("é@ann_{ann}")),
        ] {
            assert_eq!(obfuscated(text), expected);
        }
        assert!(ann.len() == 4 && ann != team);
    }
}
