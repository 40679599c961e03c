//! Commit graph: a cache of the commits that walks have read, and the walks that must be correct for any commit times.

use std::cmp::Reverse;
use std::collections::{self, BinaryHeap};

use gix::ObjectId;
use gix::hashtable::HashMap;

/// Fields of a commit that walks need.
pub(super) struct Node {
    /// Committer time, in seconds since 1970.
    pub(super) time: i64,
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    pub(super) author: Person,
}

/// Name and email address, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) email: String,
}

/// Index of a commit in a graph, in order of discovery.
pub(super) type Place = usize;

/// Graph of the commits that walks have found. Each commit is read once.
#[derive(Default)]
pub(super) struct Graph {
    places: HashMap<ObjectId, Place>,
    known: Vec<Known>,
    people: Vec<Person>,
    authors: collections::HashMap<Person, usize>,
}

struct Known {
    id: ObjectId,
    read: Option<Read>,
}

struct Read {
    time: i64,
    tree: ObjectId,
    parents: Box<[Place]>,
    /// Index of the author in `people`.
    author: usize,
}

const ONE: u8 = 1;
const OTHER: u8 = 2;
const BOTH: u8 = ONE | OTHER;
/// Flag of an ancestor of a common ancestor.
const STALE: u8 = 4;
/// Flag of a commit that has been recorded as a common ancestor.
const FOUND: u8 = 8;
const QUEUED: u8 = 16;

impl Graph {
    pub(super) fn place(&mut self, id: ObjectId) -> Place {
        *self.places.entry(id).or_insert_with(|| {
            self.known.push(Known { id, read: None });
            self.known.len() - 1
        })
    }

    pub(super) fn id(&self, place: Place) -> ObjectId {
        self.known[place].id
    }

    /// Reads a commit unless it is in the cache, and returns its committer time.
    pub(super) fn read<E>(
        &mut self,
        place: Place,
        find: &mut impl FnMut(ObjectId) -> Result<Node, E>,
    ) -> Result<i64, E> {
        if let Some(read) = &self.known[place].read {
            return Ok(read.time);
        }
        let node = find(self.known[place].id)?;
        let parents = node.parents.into_iter().map(|id| self.place(id));
        let parents = parents.collect();
        self.known[place].read = Some(Read {
            time: node.time,
            tree: node.tree,
            parents,
            author: self.author(node.author),
        });
        Ok(node.time)
    }

    fn author(&mut self, author: Person) -> usize {
        let next = self.people.len();
        let index = *self.authors.entry(author.clone()).or_insert(next);
        if index == next {
            self.people.push(author);
        }
        index
    }

    /// Returns the committer time and the author of a commit that has been read.
    pub(super) fn facts(&self, place: Place) -> Option<(i64, &Person)> {
        let read = self.known[place].read.as_ref()?;
        Some((read.time, &self.people[read.author]))
    }

    /// Returns the parents of a commit that has been read.
    pub(super) fn parents(&self, place: Place) -> &[Place] {
        match &self.known[place].read {
            Some(read) => &read.parents,
            None => &[],
        }
    }

    /// Returns the marked commits.
    pub(super) fn marked(&self, marks: &Marks) -> impl Iterator<Item = Place> {
        (0..self.known.len()).filter(|place| marks.has(*place))
    }

    /// Returns the tree of a commit that has been read.
    pub(super) fn tree(&self, place: Place) -> Option<ObjectId> {
        self.known[place].read.as_ref().map(|read| read.tree)
    }

    /// Marks commits and all their ancestors. Does not depend on commit times, because a commit can be older than its
    /// parents.
    pub(super) fn mark<E>(
        &mut self,
        from: Vec<Place>,
        marks: &mut Marks,
        find: &mut impl FnMut(ObjectId) -> Result<Node, E>,
    ) -> Result<(), E> {
        let mut todo = from;
        todo.retain(|&place| marks.add(place));
        while let Some(place) = todo.pop() {
            self.read(place, find)?;
            let parents = self.parents(place).iter().copied();
            todo.extend(parents.filter(|&parent| marks.add(parent)));
        }
        Ok(())
    }

    /// Returns the commits that are reachable from `head` but not from `base`, children before parents.
    pub(super) fn ahead<E>(
        &mut self,
        order: Order,
        base: ObjectId,
        head: ObjectId,
        mut find: impl FnMut(ObjectId) -> Result<Node, E>,
    ) -> Result<Vec<ObjectId>, E> {
        let (base, head) = (self.place(base), self.place(head));
        let mut hidden = Marks::default();
        self.mark(vec![base], &mut hidden, &mut find)?;
        if hidden.has(head) {
            return Ok(Vec::new());
        }
        let mut seen = Marks(hidden.0.clone());
        self.mark(vec![head], &mut seen, &mut find)?;
        let mut children = vec![0_usize; self.known.len()];
        let own = |place: &Place| seen.has(*place) && !hidden.has(*place);
        for place in (0..self.known.len()).filter(own) {
            for &parent in self.parents(place) {
                children[parent] += 1;
            }
        }
        let mut queue = Queue::default();
        queue.push(0, head);
        let mut pushed = 0;
        let mut found = Vec::new();
        while let Some(place) = queue.pop() {
            found.push(self.id(place));
            for parent in self.parents(place).to_vec() {
                children[parent] -= 1;
                if children[parent] == 0 && own(&parent) {
                    pushed += 1;
                    let time = self.read(parent, &mut find)?;
                    let rank = match order {
                        Order::Dates => time,
                        Order::Lines => pushed,
                    };
                    queue.push(rank, parent);
                }
            }
        }
        Ok(found)
    }

    /// Returns the best common ancestors of two commits, newest first. None is an ancestor of another.
    pub(super) fn merge_bases<E>(
        &mut self,
        one: ObjectId,
        other: ObjectId,
        mut find: impl FnMut(ObjectId) -> Result<Node, E>,
    ) -> Result<Vec<ObjectId>, E> {
        let (one, other) = (self.place(one), self.place(other));
        let mut bases = self.common(one, other, &mut find)?;
        if bases.len() > 1 {
            // The walk ends as soon as it has found all of them. It may not yet have found that one is an ancestor of
            // another.
            let mut below = Marks::default();
            let parents = bases.iter().flat_map(|&base| self.parents(base));
            let parents = parents.copied().collect();
            self.mark(parents, &mut below, &mut find)?;
            bases.retain(|&base| !below.has(base));
        }
        let time = |base: &Place| self.known[*base].read.as_ref().map(|read| read.time);
        bases.sort_by_key(|base| Reverse(time(base)));
        Ok(bases.into_iter().map(|base| self.id(base)).collect())
    }

    /// Finds common ancestors of two commits: all that are not ancestors of another common ancestor, and perhaps more.
    ///
    /// Paths from the two commits to a best common ancestor contain only commits that are not common. All of those are
    /// walked, in any order.
    fn common<E>(
        &mut self,
        one: Place,
        other: Place,
        find: &mut impl FnMut(ObjectId) -> Result<Node, E>,
    ) -> Result<Vec<Place>, E> {
        let mut flags: Vec<u8> = Vec::new();
        let mut queue = Queue::default();
        // Number of queued commits that are not stale, so that they can still lead to a result.
        let mut live = 0;
        let mut found = Vec::new();
        let mut reached = vec![(one, ONE), (other, OTHER)];
        loop {
            for (place, colours) in reached.drain(..) {
                if flags.len() <= place {
                    flags.resize(place + 1, 0);
                }
                let before = flags[place];
                if before & colours == colours {
                    continue;
                }
                let time = self.read(place, find)?;
                let after = before | colours | QUEUED;
                flags[place] = after;
                if before & QUEUED == 0 {
                    queue.push(time, place);
                } else if before & STALE == 0 {
                    live -= 1;
                }
                live += usize::from(after & STALE == 0);
            }
            if live == 0 {
                break;
            }
            let Some(place) = queue.pop() else { break };
            flags[place] &= !QUEUED;
            let mut colours = flags[place] & (BOTH | STALE);
            live -= usize::from(colours & STALE == 0);
            if colours == BOTH {
                if flags[place] & FOUND == 0 {
                    flags[place] |= FOUND;
                    found.push(place);
                }
                colours |= STALE;
            }
            let parents = self.parents(place).iter();
            reached.extend(parents.map(|&parent| (parent, colours)));
        }
        found.retain(|&place| flags[place] & STALE == 0);
        Ok(found)
    }
}

/// Order of commits of which none is an ancestor of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Newest first, as `git log --date-order`.
    Dates,
    /// First the commit whose child came last, so that branches stay together, as `git log --topo-order`.
    Lines,
}

/// Set of commits of a graph.
#[derive(Default)]
pub(super) struct Marks(Vec<bool>);

impl Marks {
    pub(super) fn has(&self, place: Place) -> bool {
        self.0.get(place).copied().unwrap_or(false)
    }

    /// Adds a commit. Returns true if it was not in the set.
    pub(super) fn add(&mut self, place: Place) -> bool {
        if self.0.len() <= place {
            self.0.resize(place + 1, false);
        }
        !std::mem::replace(&mut self.0[place], true)
    }
}

/// Priority queue of commits: newest first, and first in, first out among equal times.
#[derive(Default)]
pub(super) struct Queue {
    heap: BinaryHeap<(i64, Reverse<usize>, Place)>,
    count: usize,
}

impl Queue {
    pub(super) fn push(&mut self, time: i64, place: Place) {
        self.heap.push((time, Reverse(self.count), place));
        self.count += 1;
    }

    pub(super) fn pop(&mut self) -> Option<Place> {
        self.heap.pop().map(|(_, _, place)| place)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn id(number: usize) -> ObjectId {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        ObjectId::from_bytes_or_panic(&bytes)
    }

    proptest! {
        /// Commit times do not determine ancestry.
        #[test]
        fn merge_bases_are_right_whatever_the_times(
            commits in prop::collection::vec((0..40i64, prop::collection::vec(0..1000usize, 0..3)), 2..24),
        ) {
            let parents = |number: usize| -> Vec<usize> {
                let all = commits[number].1.iter().filter(|_| number > 0);
                let mut all: Vec<usize> = all.map(|pick| pick % number).collect();
                all.dedup();
                all
            };
            let mut reached: Vec<HashSet<usize>> = Vec::new();
            for number in 0..commits.len() {
                let below = parents(number).into_iter();
                let mut all: HashSet<usize> = below.flat_map(|it| reached[it].clone()).collect();
                all.insert(number);
                reached.push(all);
            }
            let (one, other) = (commits.len() - 1, commits.len() - 2);
            let common: HashSet<usize> = &reached[one] & &reached[other];
            let is_best = |it: &&usize| !common.iter().any(|by| by != *it && reached[*by].contains(*it));
            let best: HashSet<ObjectId> = common.iter().filter(is_best).map(|&it| id(it)).collect();
            let found = Graph::default().merge_bases(id(one), id(other), |asked| {
                let number = (0..commits.len()).find(|&it| id(it) == asked).unwrap();
                Ok::<_, Infallible>(Node {
                    time: commits[number].0,
                    tree: asked,
                    parents: parents(number).into_iter().map(id).collect(),
                    author: Person::default(),
                })
            });
            let found = found.unwrap();
            prop_assert_eq!(found.iter().copied().collect::<HashSet<_>>(), best);
        }
    }
}
