//! Reading for those who pay: what is done is told before it is done, and ends where it cannot be
//! paid.

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

/// Bytes of an object that cost as much as an object.
pub(crate) const OBJECT_BYTES: u64 = 4 << 10;
/// The most bytes of a commit or a tag.
pub(crate) const MAX_RECORD: u64 = 1 << 20;
/// The most bytes of any other object that is decoded.
pub(crate) const MAX_OBJECT: u64 = 16 << 20;
/// The most deltas that an object is put together of: as many as git makes at all (`pack.depth`).
const MAX_DELTAS: u64 = 4095;
/// The most entries of trees that one answer is made of.
const MAX_ENTRIES: usize = 100_000;
/// The most bytes of a path, as on most systems.
const MAX_PATH: usize = 4096;

/// What is done for whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Objects that are found and decoded. A large one counts once more for each 4 KiB, and each
    /// delta that it is put together of counts too.
    Objects(u64),
    /// Bytes of an answer that grows with the repository.
    Bytes(u64),
}

/// Is told of work before it is done. False stops it.
pub type Meter<'a> = &'a mut dyn FnMut(Cost) -> bool;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It cannot be paid.
    Spent,
    /// The answer has more entries than this.
    TooMany(usize),
    /// The repository is damaged, or cannot be read.
    Git(GitError),
}

impl From<GitError> for Stop {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// What the store says of an object before it is decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    deltas: u64,
}

/// A repository for one who pays.
pub(crate) struct Paid<'a> {
    git: &'a Git,
    meter: RefCell<Meter<'a>>,
    /// The most entries of one answer.
    most: usize,
    /// Why the engine was stopped in the midst of something: its own errors do not say it.
    stop: RefCell<Option<Stop>>,
}

impl<'a> Paid<'a> {
    pub(crate) fn new(git: &'a Git, meter: Meter<'a>) -> Self {
        Self {
            git,
            meter: RefCell::new(meter),
            most: MAX_ENTRIES,
            stop: RefCell::new(None),
        }
    }

    /// The same for answers of any number of entries.
    pub(crate) fn of_any_length(self) -> Self {
        let most = usize::MAX;
        Self { most, ..self }
    }

    pub(crate) fn spend(&self, cost: Cost) -> Result<(), Stop> {
        let mut meter = self.meter.borrow_mut();
        if (*meter)(cost) {
            Ok(())
        } else {
            Err(Stop::Spent)
        }
    }

    pub(crate) fn objects(&self, objects: u64) -> Result<(), Stop> {
        self.spend(Cost::Objects(objects))
    }

    /// What an object is; none where it is not there.
    pub(crate) fn header(&self, id: ObjectId) -> Result<Option<Header>, Stop> {
        self.objects(1)?;
        let header = self.git.repo.try_find_header(id).map_err(GitError::from)?;
        Ok(header.map(|header| Header {
            kind: header.kind(),
            size: header.size(),
            deltas: header.num_deltas().unwrap_or(0).into(),
        }))
    }

    /// Pays for decoding an object beyond its header.
    pub(crate) fn decode(&self, id: ObjectId, header: &Header) -> Result<(), Stop> {
        let limit = match header.kind {
            Kind::Commit | Kind::Tag => MAX_RECORD,
            Kind::Tree | Kind::Blob => MAX_OBJECT,
        };
        if header.size > limit {
            let size = header.size;
            // A world may have such files, but neither such trees nor such commits.
            return Err(Stop::Git(match header.kind {
                Kind::Blob => GitError::FileTooLarge { id, size, limit },
                _ => GitError::TooLarge { id, size, limit },
            }));
        }
        if header.deltas > MAX_DELTAS {
            let deltas = header.deltas;
            return Err(Stop::Git(GitError::Objects(format!(
                "{id} is put together of {deltas} deltas, more than git makes"
            ))));
        }
        self.objects(header.size / OBJECT_BYTES + header.deltas)
    }

    /// What an object is that must be there.
    pub(crate) fn found(&self, id: ObjectId) -> Result<Header, Stop> {
        let missing = || GitError::objects(format!("object {id} is not there"));
        self.header(id)?.ok_or_else(|| missing().into())
    }

    /// Pays for an object that is decoded next.
    pub(crate) fn object(&self, id: ObjectId) -> Result<Header, Stop> {
        let header = self.found(id)?;
        self.decode(id, &header)?;
        Ok(header)
    }

    /// The entry of a tree with this name.
    pub(crate) fn entry(&self, tree: ObjectId, name: &str) -> Result<Option<Entry>, Stop> {
        self.object(tree)?;
        Ok(self.git.entry(tree, name)?)
    }

    /// The commit that an object is or leads to; none for trees and blobs.
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

    /// Looks at the entries of a tree one after the other.
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

    /// All that a commit reaches.
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

    /// Walks the commits that a tip reaches, the newest first, until it is told to break off.
    /// Nothing beyond what is hidden is walked.
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

    /// The best common ancestor of two commits.
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

    /// The files that differ between two trees, by path, without a look for renames: what was
    /// renamed was removed and added.
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
            paid: self,
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

    /// Keeps within bounds what one answer is made of, and pays for it.
    pub(crate) fn listed(&self, entries: usize, path: &[u8]) -> Result<(), Stop> {
        if entries > self.most {
            return Err(Stop::TooMany(self.most));
        }
        if path.len() > MAX_PATH {
            let start = path[..64].to_str_lossy().into_owned();
            return Err(Stop::Git(GitError::Objects(format!(
                "a path has {} bytes, more than {MAX_PATH}: {start:?} …",
                path.len()
            ))));
        }
        self.spend(Cost::Bytes(path.len() as u64))
    }

    /// What came of something that the engine may have been stopped in.
    fn settle<T>(&self, result: gix::Result<T>) -> Result<T, Stop> {
        match self.stop.borrow_mut().take() {
            Some(stop) => Err(stop),
            None => Ok(result.map_err(GitError::from)?),
        }
    }

    /// Notes why the engine is stopped.
    fn note(&self, stop: Stop) {
        self.stop.borrow_mut().get_or_insert(stop);
    }
}

/// Whatever the engine walks over is found here, and so paid for.
impl Find for Paid<'_> {
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

/// Keeps what differs between two trees.
struct Differing<'a, 'b> {
    paid: &'b Paid<'a>,
    /// Where the walk is; its records stay empty.
    places: Recorder,
    visited: usize,
    found: Vec<Change>,
}

impl Differing<'_, '_> {
    fn take(&mut self, visited: Visited) -> Result<(), Stop> {
        self.visited += 1;
        self.paid.objects(1)?;
        self.paid.listed(self.visited, self.places.path())?;
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
                self.paid.note(stop);
                ControlFlow::Break(())
            }
        }
    }
}
