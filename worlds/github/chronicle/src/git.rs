//! Where commits go: the repository of the world, or a stand-in that only counts them.

use std::collections::BTreeMap;

use mcpmark_guest::github::{NewCommit, RepositoryBuilder, Signature};

use crate::code::{Code, difference};
use crate::project::Person;

/// Somebody at a second since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub name: &'static str,
    pub email: &'static str,
    pub time: i64,
}

impl Stamp {
    pub fn new(person: &Person, time: i64) -> Self {
        Self {
            name: person.name,
            email: person.email,
            time,
        }
    }

    /// Whoever commits what is merged by the web site.
    pub fn site(time: i64) -> Self {
        Self {
            name: "GitHub",
            email: "noreply@github.com",
            time,
        }
    }

    fn signature(&self) -> Signature {
        Signature::new(self.name, self.email, self.time)
    }
}

#[derive(Clone, Debug)]
pub struct Commit {
    pub parents: Vec<String>,
    pub written: Vec<(String, String)>,
    pub removed: Vec<String>,
    pub author: Stamp,
    pub committer: Stamp,
    pub message: String,
}

pub trait Git {
    /// Writes a commit and gives its id.
    fn commit(&mut self, commit: Commit) -> String;
    fn branch(&mut self, name: &str, commit: &str);
    fn tag(&mut self, name: &str, commit: &str, tagger: &Stamp, message: &str);
    /// Keeps the commits of a pull request.
    fn pull_head(&mut self, number: u64, commit: &str);
}

impl Git for RepositoryBuilder {
    fn commit(&mut self, commit: Commit) -> String {
        let mut new = NewCommit::new(&commit.author.signature(), commit.message)
            .committer(&commit.committer.signature());
        for parent in &commit.parents {
            new = new.parent(parent);
        }
        for path in commit.removed {
            new = new.remove(path);
        }
        for (path, text) in commit.written {
            new = new.write(path, text);
        }
        RepositoryBuilder::commit(self, new)
    }

    fn branch(&mut self, name: &str, commit: &str) {
        RepositoryBuilder::branch(self, name, commit);
    }

    fn tag(&mut self, name: &str, commit: &str, tagger: &Stamp, message: &str) {
        self.annotated_tag(name, commit, &tagger.signature(), message);
    }

    fn pull_head(&mut self, number: u64, commit: &str) {
        RepositoryBuilder::pull_head(self, number, commit);
    }
}

/// A branch with the files at its tip.
#[derive(Clone, Default)]
pub struct Line<C> {
    pub tip: String,
    pub code: C,
    tree: BTreeMap<String, String>,
}

impl<C: Code> Line<C> {
    /// Makes edits, and a commit of what they change.
    pub fn commit<'a>(
        &mut self,
        git: &mut impl Git,
        edits: impl IntoIterator<Item = &'a C::Edit>,
        merged: Option<&str>,
        author: Stamp,
        committer: Stamp,
        message: String,
    ) -> String
    where
        C: 'a,
    {
        for edit in edits {
            self.code.apply(edit);
        }
        let tree = self.code.tree();
        let (written, removed) = difference(&self.tree, &tree);
        assert!(
            !(written.is_empty() && removed.is_empty()),
            "nothing is changed by {message:?}"
        );
        let mut parents = Vec::new();
        if !self.tip.is_empty() {
            parents.push(self.tip.clone());
        }
        parents.extend(merged.map(str::to_owned));
        self.tree = tree;
        self.tip = git.commit(Commit {
            parents,
            written,
            removed,
            author,
            committer,
            message,
        });
        self.tip.clone()
    }
}
