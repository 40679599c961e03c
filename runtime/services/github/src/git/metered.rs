//! Metered access to a repository: each operation is charged before it runs, and stops if the meter refuses the cost.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::diff::tree::visit::{Action, Change as Visited};
use gix::diff::tree::{Recorder, Visit};
use gix::objs::{Data, Find, Kind, TreeRefIter};
use gix::traverse::commit::Simple;
use gix::traverse::commit::simple::{CommitTimeOrder, Sorting};

use super::graph::Graph;
use super::{Change, Entry, EntryKind, Git, GitError, diff};

/// Object size in bytes that is charged as one more object.
pub(crate) const OBJECT_BYTES: u64 = 4 << 10;
/// Maximum size of a commit or a tag, in bytes.
pub(crate) const MAX_RECORD: u64 = 1 << 20;
/// Maximum size of any other object that is decoded, in bytes.
pub(crate) const MAX_OBJECT: u64 = 16 << 20;
/// Maximum length of a delta chain: the highest that git creates (`pack.depth`).
const MAX_DELTAS: u64 = 4095;
/// Maximum number of tree entries in one answer.
const MAX_ENTRIES: usize = 100_000;
/// Maximum length of a path in bytes, as on most systems.
const MAX_PATH: usize = 4096;

/// Cost of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Objects that are found and decoded. A large object counts once more for each 4 KiB, and each delta of its chain
    /// counts as well.
    Objects(u64),
    /// Bytes of an answer that grows with the repository.
    Bytes(u64),
}

/// Callback that is called with each cost before the work is done. It returns false to refuse the cost and stop the
/// operation.
pub type Meter<'a> = &'a mut dyn FnMut(Cost) -> bool;

/// Reason why a metered operation stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The meter refused a cost.
    OverBudget,
    /// The answer has more entries than this limit.
    TooMany(usize),
    /// The repository is damaged or cannot be read.
    Git(GitError),
}

impl From<GitError> for Stop {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// Header of an object, known before the object is decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    deltas: u64,
}

/// Repository whose operations are charged to a meter.
pub(crate) struct Metered<'a> {
    git: &'a Git,
    meter: RefCell<Meter<'a>>,
    /// Maximum number of entries of one answer.
    most: usize,
    /// Reason why a `gix` operation was stopped from within. The error of `gix` does not contain it.
    stop: RefCell<Option<Stop>>,
}

impl<'a> Metered<'a> {
    pub(crate) fn new(git: &'a Git, meter: Meter<'a>) -> Self {
        Self {
            git,
            meter: RefCell::new(meter),
            most: MAX_ENTRIES,
            stop: RefCell::new(None),
        }
    }

    /// Removes the limit on the number of entries of an answer.
    pub(crate) fn of_any_length(self) -> Self {
        let most = usize::MAX;
        Self { most, ..self }
    }

    pub(crate) fn spend(&self, cost: Cost) -> Result<(), Stop> {
        let mut meter = self.meter.borrow_mut();
        if (*meter)(cost) {
            Ok(())
        } else {
            Err(Stop::OverBudget)
        }
    }

    pub(crate) fn objects(&self, objects: u64) -> Result<(), Stop> {
        self.spend(Cost::Objects(objects))
    }

    /// Reads the header of an object. Returns `None` if the object does not exist.
    pub(crate) fn header(&self, id: ObjectId) -> Result<Option<Header>, Stop> {
        self.objects(1)?;
        let header = self.git.repo.try_find_header(id).map_err(GitError::from)?;
        Ok(header.map(|header| Header {
            kind: header.kind(),
            size: header.size(),
            deltas: header.num_deltas().unwrap_or(0).into(),
        }))
    }

    /// Charges for decoding an object whose header has been read.
    ///
    /// # Errors
    ///
    /// Returns an error if the object or its delta chain exceeds a limit.
    pub(crate) fn decode(&self, id: ObjectId, header: &Header) -> Result<(), Stop> {
        let limit = match header.kind {
            Kind::Commit | Kind::Tag => MAX_RECORD,
            Kind::Tree | Kind::Blob => MAX_OBJECT,
        };
        if header.size > limit {
            let size = header.size;
            // A world may contain such files, but neither such trees nor such commits.
            return Err(Stop::Git(match header.kind {
                Kind::Blob => GitError::FileTooLarge { id, size, limit },
                _ => GitError::TooLarge { id, size, limit },
            }));
        }
        if header.deltas > MAX_DELTAS {
            let deltas = header.deltas;
            return Err(Stop::Git(GitError::Objects(format!(
                "{id} is a chain of {deltas} deltas, but the limit is {MAX_DELTAS}"
            ))));
        }
        self.objects(header.size / OBJECT_BYTES + header.deltas)
    }

    /// Reads the header of an object that must exist.
    pub(crate) fn found(&self, id: ObjectId) -> Result<Header, Stop> {
        let missing = || GitError::objects(format!("object {id} is missing"));
        self.header(id)?.ok_or_else(|| missing().into())
    }

    /// Charges for an object that is decoded next.
    pub(crate) fn object(&self, id: ObjectId) -> Result<Header, Stop> {
        let header = self.found(id)?;
        self.decode(id, &header)?;
        Ok(header)
    }

    /// Looks up the entry of a tree by its name.
    pub(crate) fn entry(&self, tree: ObjectId, name: &str) -> Result<Option<Entry>, Stop> {
        self.object(tree)?;
        Ok(self.git.entry(tree, name)?)
    }

    /// Follows tags to a commit. Returns `None` for trees, blobs and missing objects.
    pub(crate) fn peel(&self, mut id: ObjectId) -> Result<Option<ObjectId>, Stop> {
        while let Some(header) = self.header(id)? {
            match header.kind {
                Kind::Commit => return Ok(Some(id)),
                Kind::Tag => {
                    self.decode(id, &header)?;
                    let tag = self.git.repo.find_tag(id).map_err(GitError::from)?;
                    id = tag.target_id().map_err(GitError::from)?.detach();
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Calls `each` for every entry of a tree.
    pub(crate) fn entries(
        &self,
        tree: ObjectId,
        mut each: impl FnMut(&BStr, EntryKind, ObjectId) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.object(tree)?;
        let object = self.git.repo.find_tree(tree).map_err(GitError::from)?;
        for entry in object.iter() {
            let entry = entry.map_err(GitError::objects)?;
            let kind = EntryKind::of(entry.mode());
            each(entry.filename(), kind, entry.object_id())?;
        }
        Ok(())
    }

    /// Returns a commit and all its ancestors.
    pub(crate) fn history(&self, tip: ObjectId) -> Result<HashSet<ObjectId>, Stop> {
        let mut found = HashSet::from([tip]);
        let mut todo = vec![tip];
        while let Some(id) = todo.pop() {
            self.object(id)?;
            let commit = self.git.repo.find_commit(id).map_err(GitError::from)?;
            for parent in commit.parent_ids() {
                if found.insert(parent.detach()) {
                    todo.push(parent.detach());
                }
            }
        }
        Ok(found)
    }

    /// Walks the commits that are reachable from a tip, newest first, until `each` breaks. Does not walk past hidden
    /// commits.
    pub(crate) fn newest_first(
        &self,
        tip: ObjectId,
        hidden: &HashSet<ObjectId>,
        mut each: impl FnMut(ObjectId) -> Result<ControlFlow<()>, Stop>,
    ) -> Result<(), Stop> {
        let walk = Simple::filtered([tip], self, |id| !hidden.contains(id));
        let sorting = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
        for info in self.settle(walk.sorting(sorting))? {
            if each(self.settle(info)?.id)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the newest of the best common ancestors of two commits.
    pub(crate) fn merge_base(
        &self,
        one: ObjectId,
        other: ObjectId,
    ) -> Result<Option<ObjectId>, Stop> {
        let bases = Graph::default().merge_bases(one, other, |id| {
            self.object(id)?;
            Ok::<_, Stop>(self.git.node(id)?)
        })?;
        Ok(bases.first().copied())
    }

    /// Lists the files that differ between two trees, by path, without rename detection: a renamed file is removed and
    /// added.
    pub(crate) fn replaced(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Change>, Stop> {
        let find = |id: ObjectId| -> Result<gix::Tree<'_>, Stop> {
            self.object(id)?;
            Ok(self.git.repo.find_tree(id).map_err(GitError::from)?)
        };
        let old = match old {
            Some(id) => find(id)?,
            None => self.git.repo.empty_tree(),
        };
        let new = find(new)?;
        let mut visitor = Differing {
            metered: self,
            places: Recorder::default(),
            visited: 0,
            found: Vec::new(),
        };
        let walked = gix::diff::tree(
            TreeRefIter::from_bytes(&old.data, old.id.kind()),
            TreeRefIter::from_bytes(&new.data, new.id.kind()),
            gix::diff::tree::State::default(),
            self,
            &mut visitor,
        );
        let mut found = visitor.found;
        if let Some(stop) = self.stop.borrow_mut().take() {
            return Err(stop);
        }
        walked.map_err(GitError::objects)?;
        found.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(found)
    }

    /// Checks the entry count and the path length of an answer against their limits, and charges for the path.
    pub(crate) fn listed(&self, entries: usize, path: &[u8]) -> Result<(), Stop> {
        if entries > self.most {
            return Err(Stop::TooMany(self.most));
        }
        if path.len() > MAX_PATH {
            let start = path[..64].to_str_lossy().into_owned();
            return Err(Stop::Git(GitError::Objects(format!(
                "a path has {} bytes, but the limit is {MAX_PATH}: {start:?} …",
                path.len()
            ))));
        }
        self.spend(Cost::Bytes(path.len() as u64))
    }

    /// Returns the result of a `gix` operation, or the recorded reason if it was stopped.
    fn settle<T>(&self, result: gix::Result<T>) -> Result<T, Stop> {
        match self.stop.borrow_mut().take() {
            Some(stop) => Err(stop),
            None => Ok(result.map_err(GitError::from)?),
        }
    }

    /// Records the reason for stopping a `gix` operation.
    fn note(&self, stop: Stop) {
        self.stop.borrow_mut().get_or_insert(stop);
    }
}

/// Object lookup for the walks and diffs of `gix`, through which they are charged.
impl Find for Metered<'_> {
    fn try_find<'b>(
        &self,
        id: &gix::oid,
        buffer: &'b mut Vec<u8>,
    ) -> gix::Result<Option<Data<'b>>> {
        if let Err(stop) = self.object(id.to_owned()) {
            self.note(stop);
            let stopped = std::io::Error::from(std::io::ErrorKind::Interrupted);
            return Err(gix::Error::from_error(stopped));
        }
        self.git.repo.objects.try_find(id, buffer)
    }
}

/// Visitor that collects the differences between two trees.
struct Differing<'a, 'b> {
    metered: &'b Metered<'a>,
    /// Tracks the path of the current entry. Its records stay empty.
    places: Recorder,
    visited: usize,
    found: Vec<Change>,
}

impl Differing<'_, '_> {
    fn take(&mut self, visited: Visited) -> Result<(), Stop> {
        self.visited += 1;
        self.metered.objects(1)?;
        self.metered.listed(self.visited, self.places.path())?;
        let (old, new) = match visited {
            Visited::Addition {
                entry_mode, oid, ..
            } => (None, Some((entry_mode, oid))),
            Visited::Deletion {
                entry_mode, oid, ..
            } => (Some((entry_mode, oid)), None),
            Visited::Modification {
                previous_entry_mode,
                previous_oid,
                entry_mode,
                oid,
            } => (
                Some((previous_entry_mode, previous_oid)),
                Some((entry_mode, oid)),
            ),
        };
        let change = diff::change(self.places.path(), old, new);
        self.found.extend(change);
        Ok(())
    }
}

impl Visit for Differing<'_, '_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.places.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.places.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.places.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.places.pop_path_component();
    }

    fn visit(&mut self, change: Visited) -> Action {
        match self.take(change) {
            Ok(()) => ControlFlow::Continue(()),
            Err(stop) => {
                self.metered.note(stop);
                ControlFlow::Break(())
            }
        }
    }
}
