//! The repository of a github world: its branches, tags, commits and their files.

use crate::bindings::verifier::mcpmark::guest::git;
use crate::condition::show;
use crate::host::{self, state};
use crate::{Condition, Found};

pub use git::{
    Change as GitChange, ChangeKind as GitChangeKind, Entry as GitEntry, Kind as GitKind, Signature,
};

/// Maximum number of commits in one history. A longer one is an error.
const MAX_HISTORY: u32 = 100_000;

/// The git repository in the starting or the final tree.
#[derive(Clone, Copy, Debug)]
pub struct Repository {
    tree: state::Tree,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    repository: Which,
    commit: git::Commit,
}

/// Tree (starting or final) from which a commit was read, so that its files come from the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Which(state::Tree);

/// A file of a commit. Its content is read on demand.
#[derive(Clone, Debug)]
pub struct CommitFile {
    commit: Found<Commit>,
    path: String,
}

impl Repository {
    pub(crate) fn new(tree: state::Tree) -> Self {
        Self { tree }
    }

    /// Returns the name of the default branch.
    pub fn default_branch(&self) -> String {
        host::git_head(self.tree)
    }

    /// Returns the names of all branches, sorted.
    pub fn branches(&self) -> Found<Vec<String>> {
        Found::new("the branches", Ok(self.names("refs/heads/")))
    }

    /// Returns the names of all tags, sorted.
    pub fn tags(&self) -> Found<Vec<String>> {
        Found::new("the tags", Ok(self.names("refs/tags/")))
    }

    /// Returns the tip of a branch.
    pub fn branch(&self, name: &str) -> Found<Commit> {
        self.reference(&format!("refs/heads/{name}"), format!("branch {name}"))
    }

    /// Returns the commit of a tag. Annotated tags are dereferenced.
    pub fn tag(&self, name: &str) -> Found<Commit> {
        self.reference(&format!("refs/tags/{name}"), format!("tag {name}"))
    }

    /// Returns the message of an annotated tag.
    pub fn tag_message(&self, name: &str) -> Found<String> {
        let wanted = format!("refs/tags/{name}");
        let references = host::git_references(self.tree);
        let reference = references.into_iter().find(|it| it.name == wanted);
        let text = match reference {
            None => Err("there is none".to_owned()),
            Some(reference) if reference.commit.as_ref() == Some(&reference.target) => {
                Err("it is a tag without annotation".to_owned())
            }
            Some(reference) => host::git_tag(self.tree, &reference.target)
                .map(|tag| tag.message)
                .map_err(|error| reason(&error)),
        };
        Found::new(format!("tag {name}"), text)
    }

    /// Returns a commit by branch, tag, `HEAD` or the first seven or more digits of its id, each
    /// with an optional suffix such as `~2`.
    pub fn commit(&self, revision: &str) -> Found<Commit> {
        let commit = host::git_resolve(self.tree, revision)
            .and_then(|id| host::git_commit(self.tree, &id))
            .map_err(|error| reason(&error));
        self.found(format!("commit {revision}"), commit)
    }

    /// Returns a file at the tip of a branch.
    pub fn file(&self, branch: &str, path: &str) -> CommitFile {
        self.branch(branch).file(path)
    }

    /// Returns the commits of a branch in the order of `git log`, the newest first.
    pub fn log(&self, branch: &str) -> Found<Vec<Commit>> {
        self.history(&self.branch(branch), None, None)
    }

    /// Returns the commits of a branch that changed a path against their first parent.
    pub fn log_of(&self, branch: &str, path: &str) -> Found<Vec<Commit>> {
        self.history(&self.branch(branch), None, Some(path))
    }

    /// Returns the commits of a branch that are not reachable from `base`: the commits added to it.
    pub fn log_since(&self, branch: &str, base: &Commit) -> Found<Vec<Commit>> {
        self.history(&self.branch(branch), Some(base.id()), None)
    }

    /// Returns the best common ancestor of two commits.
    pub fn merge_base(&self, one: &Commit, other: &Commit) -> Found<Commit> {
        let base = host::git_merge_base(self.tree, one.id(), other.id())
            .map_err(|error| reason(&error))
            .and_then(|id| id.ok_or("there is none".to_owned()))
            .and_then(|id| host::git_commit(self.tree, &id).map_err(|error| reason(&error)));
        self.found(
            format!("the merge base of {} and {}", one.short(), other.short()),
            base,
        )
    }

    /// Checks that the repository has exactly these branches, in any order.
    pub fn branches_are<S: AsRef<str>>(&self, expected: impl AsRef<[S]>) -> Condition {
        let expected: Vec<String> = expected
            .as_ref()
            .iter()
            .map(|name| name.as_ref().to_owned())
            .collect();
        self.branches().equal_in_any_order(&expected)
    }

    /// Checks that the tip of a branch is the same as in the starting tree.
    #[track_caller]
    pub fn branch_is_unmoved(&self, name: &str) -> Condition {
        let before = Self::new(state::Tree::Start).branch(name).required();
        self.branch(name).satisfies(|now| {
            Condition::when(
                now.id() == before.id(),
                format!("expected it at {}, found {}", before.short(), now.short()),
            )
        })
    }

    fn names(&self, prefix: &str) -> Vec<String> {
        host::git_references(self.tree)
            .iter()
            .filter_map(|reference| reference.name.strip_prefix(prefix))
            .map(str::to_owned)
            .collect()
    }

    fn reference(&self, name: &str, place: String) -> Found<Commit> {
        let references = host::git_references(self.tree);
        let commit = references
            .into_iter()
            .find(|reference| reference.name == name)
            .ok_or("there is none".to_owned())
            .and_then(|reference| reference.commit.ok_or("it names no commit".to_owned()))
            .and_then(|id| host::git_commit(self.tree, &id).map_err(|error| reason(&error)));
        self.found(place, commit)
    }

    fn history(
        &self,
        tip: &Found<Commit>,
        stop: Option<&str>,
        path: Option<&str>,
    ) -> Found<Vec<Commit>> {
        tip.part("the history", |tip| {
            let commits = host::git_log(self.tree, tip.id(), stop, path, MAX_HISTORY + 1)
                .map_err(|error| reason(&error))?;
            if commits.len() > MAX_HISTORY as usize {
                return Err(format!("the history has more than {MAX_HISTORY} commits"));
            }
            Ok(commits.into_iter().map(|it| self.wrap(it)).collect())
        })
    }

    fn found(&self, place: String, commit: Result<git::Commit, String>) -> Found<Commit> {
        Found::new(place, commit.map(|commit| self.wrap(commit)))
    }

    fn wrap(&self, commit: git::Commit) -> Commit {
        Commit {
            repository: Which(self.tree),
            commit,
        }
    }
}

impl Commit {
    /// Returns the id of the commit, 40 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.commit.id
    }

    /// Returns the first seven digits of the id.
    pub fn short(&self) -> &str {
        self.commit.id.get(..7).unwrap_or(&self.commit.id)
    }

    /// Returns the ids of the parents: none for the first commit, two for a merge.
    pub fn parents(&self) -> &[String] {
        &self.commit.parents
    }

    /// Returns the author of the commit.
    pub fn author(&self) -> &Signature {
        &self.commit.author
    }

    /// Returns the committer of the commit.
    pub fn committer(&self) -> &Signature {
        &self.commit.committer
    }

    /// Returns the whole message.
    pub fn message(&self) -> &str {
        &self.commit.message
    }

    /// Returns the first line of the message.
    pub fn subject(&self) -> &str {
        self.message().lines().next().unwrap_or_default()
    }

    /// Returns true if both commits have the same files, byte for byte.
    pub fn has_tree_of(&self, other: &Self) -> bool {
        self.commit.tree == other.commit.tree
    }

    /// Returns a file of the commit.
    pub fn file(&self, path: &str) -> CommitFile {
        CommitFile {
            commit: Found::new(format!("commit {}", self.short()), Ok(self.clone())),
            path: path.to_owned(),
        }
    }

    /// Returns the paths of the files below a directory, sorted. The empty path is the root.
    pub fn files(&self, path: &str) -> Found<Vec<String>> {
        let entries = host::git_walk(self.repository.0, self.id(), path);
        let paths = entries.map(|entries| entries.into_iter().map(|it| it.path).collect());
        let place = format!("the files of commit {}", self.short());
        Found::new(place, paths.map_err(|error| reason(&error)))
    }

    /// Returns the changes of the commit against its first parent, sorted by path.
    pub fn changes(&self) -> Found<Vec<GitChange>> {
        let parent = self.parents().first().map(String::as_str);
        self.changes_from(parent)
    }

    /// Returns the differences between another commit and this one, sorted by path.
    pub fn changes_since(&self, other: &Self) -> Found<Vec<GitChange>> {
        self.changes_from(Some(other.id()))
    }

    fn changes_from(&self, before: Option<&str>) -> Found<Vec<GitChange>> {
        let changes = host::git_changes(self.repository.0, before, self.id());
        let place = format!("the changes of commit {}", self.short());
        Found::new(place, changes.map_err(|error| reason(&error)))
    }
}

impl Found<Commit> {
    /// Returns a file of the commit.
    pub fn file(&self, path: &str) -> CommitFile {
        CommitFile {
            commit: self.clone(),
            path: path.to_owned(),
        }
    }

    /// Checks that the commit changed exactly these paths against its first parent.
    pub fn changed_only<S: AsRef<str>>(&self, expected: impl AsRef<[S]>) -> Condition {
        let mut expected: Vec<&str> = expected.as_ref().iter().map(AsRef::as_ref).collect();
        expected.sort_unstable();
        self.satisfies(|commit| {
            commit
                .changes()
                .map(|changes| changes.iter().map(|it| it.path.clone()).collect::<Vec<_>>())
                .equal(&expected)
        })
    }
}

impl CommitFile {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Found<Vec<u8>> {
        self.read(|which, entry| match entry.kind {
            GitKind::File | GitKind::Executable => {
                host::git_blob(which, &entry.id).map_err(|error| reason(&error))
            }
            kind => Err(format!("expected a file, found a {}", name_kind(kind))),
        })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> Found<String> {
        self.bytes().then(|bytes| {
            String::from_utf8(bytes).map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                format!("expected UTF-8, found another byte at offset {offset}")
            })
        })
    }

    /// Checks that the text equals `expected`.
    pub fn equals(&self, expected: &str) -> Condition {
        self.text().equals(expected)
    }

    /// Checks that there is a file at the path.
    pub fn exists(&self) -> Condition {
        self.entry().satisfies(|entry| match entry.kind {
            GitKind::File | GitKind::Executable => Condition::pass("a file"),
            kind => Condition::fail(format!("expected a file, found a {}", name_kind(kind))),
        })
    }

    /// Checks that the commit exists and has nothing at the path.
    pub fn is_absent(&self) -> Condition {
        self.commit.satisfies(|commit| {
            match host::git_stat(commit.repository.0, commit.id(), &self.path) {
                Err(git::Error::NotFound) => {
                    Condition::pass(format!("no {}, as expected", self.path))
                }
                Err(error) => Condition::fail(reason(&error)),
                Ok(_) => Condition::fail(format!("expected no {}, found it", self.path)),
            }
        })
    }

    /// Checks that both files have the same bytes, compared by blob id.
    pub fn has_bytes_of(&self, other: &CommitFile) -> Condition {
        let expected = match other.entry().get() {
            Ok(entry) => entry.id.clone(),
            Err(reason) => return Condition::fail(reason),
        };
        self.entry().satisfies(|entry| {
            Condition::when(
                entry.id == expected,
                format!("expected the bytes of {}, found others", other.path),
            )
        })
    }

    /// Returns the entry at the path: its kind, id and size.
    pub fn entry(&self) -> Found<GitEntry> {
        self.read(|_, entry| Ok(entry))
    }

    fn read<T>(&self, read: impl FnOnce(state::Tree, GitEntry) -> Result<T, String>) -> Found<T> {
        self.commit.part(&self.path, |commit| {
            let which = commit.repository.0;
            let entry = host::git_stat(which, commit.id(), &self.path);
            read(which, entry.map_err(|error| reason(&error))?)
        })
    }
}

fn name_kind(kind: GitKind) -> &'static str {
    match kind {
        GitKind::Directory => "directory",
        GitKind::File => "file",
        GitKind::Executable => "program",
        GitKind::Symlink => "symlink",
        GitKind::Submodule => "submodule",
    }
}

fn reason(error: &git::Error) -> String {
    match error {
        git::Error::NotFound => "there is none".to_owned(),
        git::Error::OtherKind(kind) => format!("this is a {kind}"),
        git::Error::Invalid(rule) => format!("invalid: {}", show(rule)),
    }
}
