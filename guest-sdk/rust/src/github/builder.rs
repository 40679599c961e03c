//! Setup routines: builder of the git repository of a github world.

use crate::bindings::setup::mcpmark::guest::git_builder as wit;
use crate::github::Signature;
use crate::host;

impl Signature {
    /// Creates a signature with a time in seconds since 1970-01-01T00:00:00Z, in UTC.
    pub fn new(name: impl Into<String>, email: impl Into<String>, time: i64) -> Self {
        Self {
            name: name.into(),
            email: email.into(),
            time,
            offset: 0,
        }
    }
}

/// A commit to write.
#[derive(Clone, Debug)]
pub struct NewCommit {
    parents: Vec<String>,
    changes: Vec<wit::Change>,
    author: Signature,
    committer: Signature,
    message: String,
}

impl NewCommit {
    /// Creates a commit without parents and without changes. A line feed is appended to a message
    /// that does not end with one, as git does.
    pub fn new(author: &Signature, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if !message.ends_with('\n') {
            message.push('\n');
        }
        Self {
            parents: Vec::new(),
            changes: Vec::new(),
            author: author.clone(),
            committer: author.clone(),
            message,
        }
    }

    /// Adds a parent. The changes apply to the files of the first parent.
    #[must_use]
    pub fn parent(mut self, id: &str) -> Self {
        self.parents.push(id.to_owned());
        self
    }

    /// Sets a committer other than the author.
    #[must_use]
    pub fn committer(mut self, committer: &Signature) -> Self {
        self.committer = committer.clone();
        self
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn write(self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.file(path.into(), content.into(), false)
    }

    /// Adds or replaces an executable file.
    #[must_use]
    pub fn write_executable(self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.file(path.into(), content.into(), true)
    }

    /// Removes a file, or a directory with everything below it.
    #[must_use]
    pub fn remove(mut self, path: impl Into<String>) -> Self {
        self.changes.push(wit::Change::Remove(path.into()));
        self
    }

    fn file(mut self, path: String, content: Vec<u8>, executable: bool) -> Self {
        self.changes.push(wit::Change::Write(wit::File {
            path,
            content,
            executable,
        }));
        self
    }
}

/// Builder of the git repository of a world.
///
/// # Panics
/// Each method panics when the host refuses: the world cannot be built then.
#[derive(Debug)]
pub struct RepositoryBuilder(());

impl RepositoryBuilder {
    pub(crate) fn new() -> Self {
        Self(())
    }

    /// Writes a commit and returns its id.
    #[track_caller]
    pub fn commit(&mut self, commit: NewCommit) -> String {
        let what = commit.message.lines().next().unwrap_or_default().to_owned();
        let result = host::build_commit(
            &commit.parents,
            &commit.changes,
            &commit.author,
            &commit.committer,
            &commit.message,
        );
        accept(&format!("commit {what:?}"), result)
    }

    /// Sets a branch to a commit.
    #[track_caller]
    pub fn branch(&mut self, name: &str, commit: &str) {
        let whole = format!("refs/heads/{name}");
        accept(name, host::build_reference(&whole, commit));
    }

    /// Sets a lightweight tag, which has no message.
    #[track_caller]
    pub fn tag(&mut self, name: &str, commit: &str) {
        let whole = format!("refs/tags/{name}");
        accept(name, host::build_reference(&whole, commit));
    }

    /// Sets an annotated tag, which has a message.
    #[track_caller]
    pub fn annotated_tag(&mut self, name: &str, commit: &str, tagger: &Signature, message: &str) {
        accept(name, host::build_tag(name, commit, tagger, message));
    }

    /// Sets the head reference of a pull request, to keep its commits if the branch was deleted or
    /// squashed.
    #[track_caller]
    pub fn pull_head(&mut self, number: u64, commit: &str) {
        let whole = format!("refs/pull/{number}/head");
        accept(&whole, host::build_reference(&whole, commit));
    }

    /// Sets the default branch, which is `main` if this method is not called.
    #[track_caller]
    pub fn default_branch(&mut self, name: &str) {
        accept(name, host::build_head(name));
    }
}

#[track_caller]
fn accept<T>(what: &str, result: Result<T, wit::Error>) -> T {
    result.unwrap_or_else(|error| {
        let reason = match error {
            wit::Error::Invalid(rule) => format!("invalid: {rule}"),
            wit::Error::NotFound(which) => format!("not found: {which}"),
            wit::Error::TooLarge(limit) => format!("too large: {limit}"),
        };
        panic!("{what}: {reason}")
    })
}
