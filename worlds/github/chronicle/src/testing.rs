//! For unit tests of worlds: a repository in memory.

use std::collections::BTreeMap;

use mcpmark_guest::testing::set_up;
use mcpmark_guest::{Random, World};

use crate::git::{Commit, Git, Stamp};
use crate::hub::Hub;
use crate::project::Project;

/// A repository that keeps what it is told. Ids are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub commits: Vec<Told>,
    /// The files of each commit.
    pub trees: BTreeMap<String, BTreeMap<String, String>>,
    pub branches: BTreeMap<String, String>,
    pub tags: BTreeMap<String, String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub id: String,
    pub parents: Vec<String>,
    pub time: i64,
    pub message: String,
}

impl Git for Memory {
    /// # Panics
    /// When it removes what is not there, or is older than what it was written from.
    fn commit(&mut self, commit: Commit) -> String {
        let id = format!("{:040x}", self.commits.len() + 1);
        let mut tree = match commit.parents.first() {
            Some(parent) => self.trees[parent].clone(),
            None => BTreeMap::new(),
        };
        for path in &commit.removed {
            assert!(tree.remove(path).is_some(), "{path} is not there");
        }
        tree.extend(commit.written);
        self.trees.insert(id.clone(), tree);
        assert!(commit.committer.time >= commit.author.time);
        self.commits.push(Told {
            id: id.clone(),
            parents: commit.parents,
            time: commit.committer.time,
            message: commit.message,
        });
        id
    }

    /// # Panics
    /// When there is one of this name.
    fn branch(&mut self, name: &str, commit: &str) {
        let before = self.branches.insert(name.to_owned(), commit.to_owned());
        assert_eq!(before, None, "{name}");
    }

    fn tag(&mut self, name: &str, commit: &str, _: &Stamp, _: &str) {
        self.tags.insert(name.to_owned(), commit.to_owned());
    }

    /// # Panics
    /// When there is no such commit.
    fn pull_head(&mut self, _: u64, commit: &str) {
        assert!(self.trees.contains_key(commit));
    }
}

/// What a history made of a seed, after its documents could be written.
///
/// # Panics
/// When it cannot be made.
pub fn made(
    project: &Project,
    seed: u64,
    history: impl FnOnce(&mut Random, &mut Memory) -> Hub,
) -> (Memory, Hub) {
    let mut made = None;
    set_up(
        |world: &mut World| {
            let mut git = Memory::default();
            let hub = history(world.random(), &mut git);
            hub.write(project, world);
            made = Some((git, hub));
        },
        seed,
    );
    made.expect("the history was run")
}
