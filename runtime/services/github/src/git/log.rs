//! History: walks, the history of a path, and how two commits compare.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{Commit, Git, GitError};

/// Which commits of a history are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Those that change this file or directory.
    pub path: Option<String>,
    /// Those whose author has one of these addresses, or whose name or address holds the text.
    pub author: Option<Author>,
    /// Those that were committed at this time or later, in seconds.
    pub since: Option<i64>,
    /// Those that were committed at this time or earlier, in seconds.
    pub until: Option<i64>,
}

/// An author, by whatever is known.
#[derive(Debug, Clone)]
pub struct Author {
    /// The addresses in lower case; where there are none, the text decides.
    pub emails: Vec<String>,
    /// What was asked for, in lower case.
    pub text: String,
}

impl Filter {
    fn takes(&self, commit: &Commit) -> bool {
        let time = commit.committer.seconds;
        let author = |author: &Author| {
            let email = commit.author.email.to_lowercase();
            match author.emails.is_empty() {
                false => author.emails.contains(&email),
                true => email == author.text || commit.author.name.to_lowercase() == author.text,
            }
        };
        self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time <= until)
            && self.author.as_ref().is_none_or(author)
    }

    fn is_empty(&self) -> bool {
        self.author.is_none() && self.since.is_none() && self.until.is_none()
    }
}

impl Git {
    /// The commits from a tip backwards, the newest first: `limit` of them after `skip`.
    pub fn log(
        &self,
        tip: ObjectId,
        filter: &Filter,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let ids: Box<dyn Iterator<Item = Result<ObjectId, GitError>>> = match &filter.path {
            Some(path) => Box::new(self.path_history(tip, path)?.into_iter().map(Ok)),
            None => Box::new(self.newest_first([tip], [])?),
        };
        let mut commits = Vec::new();
        let mut passed = 0;
        for id in ids {
            if filter.is_empty() && passed < skip {
                passed += 1;
                let _ = id?;
                continue;
            }
            let commit = self.commit(id?)?;
            if !filter.takes(&commit) {
                continue;
            }
            if passed < skip {
                passed += 1;
                continue;
            }
            commits.push(commit);
            if commits.len() == limit {
                break;
            }
        }
        Ok(commits)
    }

    /// The ids of the commits that some tips reach and others do not, the newest first.
    pub fn newest_first(
        &self,
        tips: impl IntoIterator<Item = ObjectId>,
        hidden: impl IntoIterator<Item = ObjectId>,
    ) -> Result<impl Iterator<Item = Result<ObjectId, GitError>>, GitError> {
        let walk = self
            .repo
            .rev_walk(tips)
            .with_hidden(hidden)
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .all()?;
        Ok(walk.map(|info| Ok(info?.id)))
    }

    /// The commits that changed a path, the newest first, as `git log -- path` finds them: where a merge
    /// is equal to one of its parents there, only that parent is followed.
    fn path_history(&self, tip: ObjectId, path: &str) -> Result<Vec<ObjectId>, GitError> {
        let mut at: HashMap<ObjectId, Option<ObjectId>> = HashMap::new();
        let mut entry = |tree: ObjectId| -> Result<Option<ObjectId>, GitError> {
            if let Some(known) = at.get(&tree) {
                return Ok(*known);
            }
            let found = self.entry(tree, path)?.map(|entry| entry.id);
            at.insert(tree, found);
            Ok(found)
        };
        let mut queue = BinaryHeap::new();
        let mut seen = HashSet::from([tip]);
        let mut order = u64::MAX;
        let mut found = Vec::new();
        queue.push(self.dated(tip, order)?);
        while let Some(Dated { commit, .. }) = queue.pop() {
            let own = entry(commit.tree)?;
            let mut parents = Vec::new();
            for id in &commit.parents {
                order -= 1;
                parents.push(self.dated(*id, order)?);
            }
            let mut same = None;
            for (index, parent) in parents.iter().enumerate() {
                if entry(parent.commit.tree)? == own {
                    same = Some(index);
                    break;
                }
            }
            let followed = match same {
                Some(index) => vec![parents.swap_remove(index)],
                None => {
                    if own.is_some() || !parents.is_empty() {
                        found.push(commit.id);
                    }
                    parents
                }
            };
            for parent in followed {
                if seen.insert(parent.commit.id) {
                    queue.push(parent);
                }
            }
        }
        Ok(found)
    }

    fn dated(&self, id: ObjectId, order: u64) -> Result<Dated, GitError> {
        let object = self.repo.find_commit(id)?;
        Ok(Dated {
            time: object.time()?.seconds,
            order,
            commit: Node {
                id,
                tree: object.tree_id()?.detach(),
                parents: object.parent_ids().map(|id| id.detach()).collect(),
            },
        })
    }

    /// The best common ancestor of two commits.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        Ok(self.repo.merge_base(one, two)?.map(|id| id.detach()))
    }

    /// Whether a commit is another or one of its ancestors.
    pub fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(old == new || self.merge_base(old, new)? == Some(old))
    }

    /// The commits of a head that a base has not, the oldest first.
    pub fn ahead(&self, base: ObjectId, head: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let ids: Result<Vec<_>, _> = self.newest_first([head], [base])?.collect();
        let mut ids = ids?;
        ids.reverse();
        Ok(ids)
    }
}

/// What a walk needs of a commit.
struct Node {
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
}

/// A commit in the queue: the newest comes out first, of equally old ones the one that was found first.
struct Dated {
    time: i64,
    order: u64,
    commit: Node,
}

impl PartialEq for Dated {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}

impl Eq for Dated {}

impl PartialOrd for Dated {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dated {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}
