//! Commit history: walks, history of a path, ancestry and comparison of commits.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::commit::ref_iter::Token;

use super::graph::{Marks, Node, Order, Person, Queue};
use super::{Commit, EntryKind, Git, GitError};
use crate::call;

/// Maximum number of commits for which ancestry is tested one by one. Each test ends as soon as it has the answer.
const FEW: usize = 4;

/// Filter for commits of a history.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Selects commits that change this file or directory.
    pub path: Option<String>,
    /// Selects commits by author.
    pub author: Option<Author>,
    /// Selects commits at or after this committer time, in seconds since 1970.
    pub since: Option<i64>,
    /// Selects commits at or before this committer time, in seconds since 1970.
    pub until: Option<i64>,
}

/// Author filter.
#[derive(Debug, Clone)]
pub struct Author {
    /// Email addresses in lower case. If empty, the email address or the name of the author must equal `text`.
    pub emails: Vec<String>,
    /// Requested author in lower case.
    pub text: String,
    /// Requested author as it was written.
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
    /// Returns commits reachable from a tip, newest first: at most `limit` commits after `skip` matching ones.
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

    /// Returns true if the filter selects a commit. The walk has already read its time and author.
    fn is_taken(&self, id: ObjectId, filter: &Filter) -> bool {
        let mut graph = self.graph.borrow_mut();
        let place = graph.place(id);
        let facts = graph.facts(place);
        facts.is_some_and(|(time, author)| filter.takes(time, author))
    }

    /// Returns the ids of commits that are reachable from `tips` but not from `hidden`, newest first.
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

    /// Returns the commits that changed a path, newest first, with the history simplification of `git log -- path`: if
    /// a commit has the same entry as one of its parents, only that parent is followed.
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

    /// Looks up the entry at a path below a tree. The kind is part of the result, so that a changed executable bit is a
    /// difference.
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

    /// Reads the fields of a commit that history walks need.
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

    /// Returns the best common ancestors of two commits, newest first. None is an ancestor of another.
    pub(super) fn merge_bases(
        &self,
        one: ObjectId,
        two: ObjectId,
    ) -> Result<Vec<ObjectId>, GitError> {
        call::checkpoint()?;
        let mut graph = self.graph.borrow_mut();
        graph.merge_bases(one, two, |id| self.node(id))
    }

    /// Returns the newest of the best common ancestors of two commits.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        Ok(self.merge_bases(one, two)?.first().copied())
    }

    /// Returns true if `old` equals `new` or is an ancestor of `new`.
    pub fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(old == new || self.merge_base(old, new)? == Some(old))
    }

    /// Returns those of some commits that are `tip` or ancestors of `tip`. More than [`FEW`] commits are tested with
    /// one walk of the history.
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

    /// Returns those of some commits that are `ancestor` or descend from it, with one walk of the history.
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

    /// Returns the commits that are reachable from `head` but not from `base`, oldest first, parents before children.
    pub fn ahead(&self, base: ObjectId, head: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        self.ahead_in(Order::Dates, base, head)
    }

    /// Returns the same commits as [`Git::ahead`] in a given order.
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

/// Cache of tree lookups, by tree and number of remaining names of the path.
type Known = HashMap<(ObjectId, usize), Option<(EntryKind, ObjectId)>>;
