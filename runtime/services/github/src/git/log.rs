//! History: walks, the history of a path, and how two commits compare.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::commit::ref_iter::Token;

use super::graph::{Marks, Node, Order, Person, Queue};
use super::{Commit, EntryKind, Git, GitError};
use crate::call;

/// As many commits are each looked for by a walk of its own, which ends where it is found.
const FEW: usize = 4;

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
    /// What was asked for, as it was written.
    pub asked: String,
}

impl Filter {
    fn takes(&self, time: i64, by: &Person) -> bool {
        let author = |author: &Author| {
            if author.emails.is_empty() {
                by.email == author.text || by.name == author.text
            } else {
                author.emails.contains(&by.email)
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
        if limit == 0 {
            return Ok(Vec::new());
        }
        let ids: Box<dyn Iterator<Item = Result<ObjectId, GitError>>> = match &filter.path {
            Some(path) => Box::new(self.path_history(tip, path)?.into_iter().map(Ok)),
            None => Box::new(self.newest_first([tip], [])?),
        };
        let mut commits = Vec::new();
        let mut passed = 0;
        for id in ids {
            let id = id?;
            if !filter.is_empty() && !self.is_taken(id, filter) {
                continue;
            }
            if passed < skip {
                passed += 1;
                continue;
            }
            commits.push(self.commit(id)?);
            if commits.len() == limit {
                break;
            }
        }
        Ok(commits)
    }

    /// Whether a filter takes a commit that a walk came by: what it asks for is known since then.
    fn is_taken(&self, id: ObjectId, filter: &Filter) -> bool {
        let mut graph = self.graph.borrow_mut();
        let place = graph.place(id);
        let facts = graph.facts(place);
        facts.is_some_and(|(time, author)| filter.takes(time, author))
    }

    /// The ids of the commits that some tips reach and others do not, the newest first.
    pub fn newest_first(
        &self,
        tips: impl IntoIterator<Item = ObjectId>,
        hidden: impl IntoIterator<Item = ObjectId>,
    ) -> Result<impl Iterator<Item = Result<ObjectId, GitError>>, GitError> {
        let mut graph = self.graph.borrow_mut();
        let mut find = |id| self.node(id);
        let mut seen = Marks::default();
        let hidden = hidden.into_iter().map(|id| graph.place(id)).collect();
        graph.mark(hidden, &mut seen, &mut find)?;
        let mut queue = Queue::default();
        for tip in tips {
            let place = graph.place(tip);
            if seen.add(place) {
                queue.push(graph.read(place, &mut find)?, place);
            }
        }
        drop(graph);
        Ok(std::iter::from_fn(move || {
            let place = queue.pop()?;
            let mut graph = self.graph.borrow_mut();
            for index in 0..graph.parents(place).len() {
                let parent = graph.parents(place)[index];
                if seen.add(parent) {
                    match graph.read(parent, &mut |id| self.node(id)) {
                        Ok(time) => queue.push(time, parent),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
            Some(Ok(graph.id(place)))
        }))
    }

    /// The commits that changed a path, the newest first, as `git log -- path` finds them: where a merge
    /// is equal to one of its parents there, only that parent is followed.
    fn path_history(&self, tip: ObjectId, path: &str) -> Result<Vec<ObjectId>, GitError> {
        let mut graph = self.graph.borrow_mut();
        let mut find = |id| self.node(id);
        let names: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
        let mut known = Known::new();
        let mut seen = Marks::default();
        let mut queue = Queue::default();
        let mut found = Vec::new();
        let tip = graph.place(tip);
        seen.add(tip);
        queue.push(graph.read(tip, &mut find)?, tip);
        while let Some(place) = queue.pop() {
            call::checkpoint()?;
            let at = |tree: Option<ObjectId>, known: &mut Known| match tree {
                Some(tree) => self.stands(tree, &names, known),
                None => Ok(None),
            };
            let own = at(graph.tree(place), &mut known)?;
            let parents = graph.parents(place).to_vec();
            let mut same = None;
            let mut times = Vec::new();
            for (index, &parent) in parents.iter().enumerate() {
                times.push(graph.read(parent, &mut find)?);
                if at(graph.tree(parent), &mut known)? == own {
                    same = Some(index);
                    break;
                }
            }
            let followed = match same {
                Some(index) => index..index + 1,
                None => {
                    if own.is_some() || !parents.is_empty() {
                        found.push(graph.id(place));
                    }
                    0..parents.len()
                }
            };
            for index in followed {
                if seen.add(parents[index]) {
                    queue.push(times[index], parents[index]);
                }
            }
        }
        Ok(found)
    }

    /// What stands at a path below a tree: a file that becomes executable is another.
    fn stands(
        &self,
        tree: ObjectId,
        names: &[&str],
        known: &mut Known,
    ) -> Result<Option<(EntryKind, ObjectId)>, GitError> {
        let Some((name, below)) = names.split_first() else {
            return Ok(Some((EntryKind::Directory, tree)));
        };
        let key = (tree, names.len());
        let entry = match known.get(&key) {
            Some(entry) => *entry,
            None => {
                let object = self.repo.find_tree(tree)?;
                let entry = object.find_entry(name.as_bytes());
                let entry = entry.map(|it| (EntryKind::of(it.mode()), it.object_id()));
                known.insert(key, entry);
                entry
            }
        };
        match entry {
            Some((EntryKind::Directory, id)) if !below.is_empty() => self.stands(id, below, known),
            Some(_) if !below.is_empty() => Ok(None),
            entry => Ok(entry),
        }
    }

    /// What walks need of a commit.
    pub(super) fn node(&self, id: ObjectId) -> Result<Node, GitError> {
        call::checkpoint()?;
        let object = self.repo.find_commit(id)?;
        let mut node = Node {
            time: 0,
            tree: ObjectId::empty_tree(id.kind()),
            parents: Vec::new(),
            author: Person::default(),
        };
        let lower = |text: &[u8]| text.to_str_lossy().trim().to_lowercase();
        for token in object.iter() {
            match token? {
                Token::Tree { id } => node.tree = id,
                Token::Parent { id } => node.parents.push(id),
                Token::Author { signature } => {
                    node.author.name = lower(signature.name);
                    node.author.email = lower(signature.email);
                }
                Token::Committer { signature } => {
                    node.time = signature.time()?.seconds;
                    break;
                }
                _ => {}
            }
        }
        Ok(node)
    }

    /// The common ancestors of two commits that are no ancestors of one another, the newest first.
    pub(super) fn merge_bases(
        &self,
        one: ObjectId,
        two: ObjectId,
    ) -> Result<Vec<ObjectId>, GitError> {
        call::checkpoint()?;
        let mut graph = self.graph.borrow_mut();
        graph.merge_bases(one, two, |id| self.node(id))
    }

    /// The best common ancestor of two commits.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        Ok(self.merge_bases(one, two)?.first().copied())
    }

    /// Whether a commit is another or one of its ancestors.
    pub fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(old == new || self.merge_base(old, new)? == Some(old))
    }

    /// Those of some commits that another is or descends from. The history is walked once, however many there are.
    pub(crate) fn ancestors_among(
        &self,
        tip: ObjectId,
        commits: impl IntoIterator<Item = ObjectId>,
    ) -> Result<HashSet<ObjectId>, GitError> {
        let commits: HashSet<ObjectId> = commits.into_iter().collect();
        if commits.len() <= FEW {
            let mut found = HashSet::new();
            for commit in commits {
                if self.is_ancestor(commit, tip)? {
                    found.insert(commit);
                }
            }
            return Ok(found);
        }
        let mut graph = self.graph.borrow_mut();
        let mut reached = Marks::default();
        let tip = graph.place(tip);
        graph.mark(vec![tip], &mut reached, &mut |id| self.node(id))?;
        let mut is_reached = |commit: &ObjectId| {
            let place = graph.place(*commit);
            reached.has(place)
        };
        Ok(commits.into_iter().filter(|it| is_reached(it)).collect())
    }

    /// Those of some commits that are another or descend from it. The history is walked once, however many there are.
    pub(crate) fn descendants_among(
        &self,
        ancestor: ObjectId,
        commits: impl IntoIterator<Item = ObjectId>,
    ) -> Result<HashSet<ObjectId>, GitError> {
        let commits: HashSet<ObjectId> = commits.into_iter().collect();
        let mut graph = self.graph.borrow_mut();
        let ancestor = graph.place(ancestor);
        let tips: Vec<_> = commits.iter().map(|id| graph.place(*id)).collect();
        let mut walked = Marks::default();
        graph.mark(tips, &mut walked, &mut |id| self.node(id))?;
        let mut children = HashMap::new();
        for place in graph.marked(&walked) {
            for parent in graph.parents(place) {
                children.entry(*parent).or_insert_with(Vec::new).push(place);
            }
        }
        let mut found = Marks::default();
        let mut todo = vec![ancestor];
        while let Some(place) = todo.pop() {
            if found.add(place) {
                todo.extend(children.get(&place).into_iter().flatten());
            }
        }
        let mut is_found = |id: &ObjectId| {
            let place = graph.place(*id);
            found.has(place)
        };
        Ok(commits.into_iter().filter(|it| is_found(it)).collect())
    }

    /// The commits of a head that a base has not, the oldest first, and parents before their children.
    pub fn ahead(&self, base: ObjectId, head: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        self.ahead_in(Order::Dates, base, head)
    }

    /// The same in another order.
    pub(super) fn ahead_in(
        &self,
        order: Order,
        base: ObjectId,
        head: ObjectId,
    ) -> Result<Vec<ObjectId>, GitError> {
        call::checkpoint()?;
        let mut graph = self.graph.borrow_mut();
        let mut ids = graph.ahead(order, base, head, |id| self.node(id))?;
        ids.reverse();
        Ok(ids)
    }
}

/// What stands at a name in a tree, by the tree and how many names are left of the path.
type Known = HashMap<(ObjectId, usize), Option<(EntryKind, ObjectId)>>;
