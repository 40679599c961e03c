//! A published template, as its importer leaves it on GitHub.
//!
//! The importer pushes a clone and opens everything anew by requests, so that what scripts look for is not what the
//! template says: numbers are given again, issues first, in the order of the documents; all is by whoever imports;
//! comments name their authors in a first line, those on lines of a pull request among them; pull requests from forks
//! are of branches of their own; and the directory `.github` is taken away in a commit. All of that is done here with the
//! same operations as a request would do it.
//!
//! Where the importer draws four characters for each mention, so that nobody is notified, they follow from the name here.

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
use crate::api::{ApiError, Named, NewIssue, NewPull};
use crate::git::{Base, Draft, Edit, Git, GitError};
use crate::hub::{Hub, Repository, State, Time, User};
use crate::view::Site;

/// What the importer takes away, because GitHub would run it.
const WORKFLOWS: &str = ".github";

/// Who imports, and when.
#[derive(Debug, Clone)]
pub struct Importer {
    /// The user or organisation that the repository will belong to.
    pub owner: String,
    /// The login that everything is written by.
    pub viewer: String,
    /// The instant of the first request, in seconds since 1970; each further one is a second later.
    pub clock: i64,
}

/// What an import came to.
#[derive(Debug)]
pub struct Imported {
    /// The world, whose blobs and directories are in the store.
    pub tree: Tree,
    /// `owner/name`.
    pub repository: String,
    /// How many issues were opened.
    pub issues: usize,
    /// How many pull requests were opened.
    pub pulls: usize,
    /// What GitHub would have refused, which the importer leaves out.
    pub skipped: Vec<Skipped>,
}

/// An issue or a pull request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The document and the entry, as `pulls.json: #7`.
    pub place: String,
    /// Its title.
    pub title: String,
    /// The refusal.
    pub why: String,
}

/// Why a template could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It is no template, or one that is broken.
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

/// What issues and pull requests of a template have in common.
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

/// What a pull request of a template has beyond that.
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
    /// Imports the template in a tree; the objects of its repository are copied below `scratch`, and go again.
    ///
    /// # Errors
    ///
    /// When the tree is no template, or the store cannot take the world.
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
            at: Named {
                owner: self.owner.clone(),
                repo: meta.repo.clone(),
            },
            site: Site::new(self.hub(meta, &documents)?, Git::new(base)),
            issues: 0,
            pulls: 0,
            skipped: Vec::new(),
        };
        import.push()?;
        import
            .issues(&documents)
            .and_then(|()| import.pulls(&documents))
            .map_err(|error| documents.located(error))?;
        let Site { hub, git, .. } = &import.site;
        Ok(Imported {
            tree: export(hub, git, work_tree, store)?,
            repository: import.site.full_name(),
            issues: import.issues,
            pulls: import.pulls,
            skipped: import.skipped,
        })
    }

    /// The repository that the importer makes, and the people who are known.
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

/// An import that is under way.
struct Import {
    at: Named,
    site: Site,
    issues: usize,
    pulls: usize,
    skipped: Vec<Skipped>,
}

impl Import {
    /// What GitHub has once the clone was pushed: the branches that the clone has itself, not those that it tracks.
    fn push(&mut self) -> Result<(), GitError> {
        let git = &mut self.site.git;
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
        let by = self.site.identity(&self.site.viewer());
        let git = &mut self.site.git;
        let commit = git.write_commit(Draft {
            tree,
            parents: vec![tip],
            author: by.clone(),
            committer: by,
            message: format!("Remove {WORKFLOWS} directory\n"),
        })?;
        git.set_ref(format!("refs/heads/{branch}"), commit);
        self.site.hub.tick();
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
            let made = self.site.create_issue(&self.at, new);
            let Some(number) = self.opened(&place, &item, made)? else {
                continue;
            };
            self.issues += 1;
            if item.state == Some(State::Closed) {
                self.site
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
            let made = self.site.create_pull(&self.at, new);
            let Some(number) = self.opened(&place, &item, made)? else {
                continue;
            };
            self.pulls += 1;
            self.comments(number, &item.comments, "")?;
            self.comments(number, &item.review_comments, " (review)")?;
        }
        Ok(())
    }

    /// The number of what was opened; none where that was refused, which is kept in mind.
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
            match self.site.create_comment(&self.at, number, &text) {
                Err(ApiError::Git(error)) => return Err(error.into()),
                // Nothing refuses a comment on what was opened a moment ago.
                Ok(_) | Err(ApiError::Refused(_)) => {}
            }
        }
        Ok(())
    }
}

/// A text whose mentions are of nobody: `@name` becomes `@name_k3x9`.
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

/// Four lower-case letters and digits that follow from a name.
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
