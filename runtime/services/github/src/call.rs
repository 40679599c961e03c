//! The call that is being answered: whether it may still be stopped, and what it adds to the world.
//!
//! A call is stopped at its checkpoints until it has changed something. From then on it runs to its end, so that a
//! cancelled call has either no effect or all of it. What such a call does after its first change has to be bounded
//! by what it has read before.

use std::cell::RefCell;

pub(crate) use mcpmark_service::{Interrupted, Reservation};

use crate::git::GitError;

/// What an object takes in memory and in a state beside its bytes.
const OVERHEAD: u64 = 64;

/// What a call may add to the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) bytes: u64,
    /// Objects, and files and directories of the default branch.
    pub(crate) files: u64,
    /// Files and directories that one commit may have.
    pub(crate) files_of_commit: u64,
}

impl Room {
    /// For a call that leaves nothing in the world.
    pub(crate) const ENOUGH: Self = Self {
        bytes: u64::MAX,
        files: u64::MAX,
        files_of_commit: u64::MAX,
    };
}

/// What a call has added to the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) bytes: u64,
    pub(crate) objects: u64,
}

struct Current {
    changed: bool,
    /// Whether work is under way that can be given up although the call has changed something.
    optional: bool,
    room: Room,
    added: Added,
    /// Files and directories by which the default branch grows.
    grown: u64,
    /// The same as working memory of the call.
    held: Reservation,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

fn with<T>(none: T, work: impl FnOnce(&mut Current) -> T) -> T {
    CURRENT.with_borrow_mut(|current| current.as_mut().map_or(none, work))
}

/// Begins a call on this thread that may add so much to the world.
pub(crate) fn begin(room: Room) {
    let current = Current {
        changed: false,
        optional: false,
        room,
        added: Added::default(),
        grown: 0,
        held: mcpmark_service::reserve(0).unwrap_or_default(),
    };
    CURRENT.set(Some(current));
}

/// Ends the call; what it added.
pub(crate) fn end() -> Added {
    CURRENT
        .take()
        .map_or(Added::default(), |current| current.added)
}

/// Notes that the call has changed something, and can no longer be stopped.
pub(crate) fn changed() {
    with((), |current| current.changed = true);
}

/// Whether the call has changed something.
pub(crate) fn has_changed() -> bool {
    with(false, |current| current.changed)
}

/// Runs work that changes neither refs nor documents, such as the merge that a workflow is tested on. It is stopped and
/// refused like a call that has changed nothing yet, and whoever asks for it goes on without its result.
pub(crate) fn optional<T>(work: impl FnOnce() -> T) -> T {
    let before = with(false, |current| {
        std::mem::replace(&mut current.optional, true)
    });
    let result = work();
    with((), |current| current.optional = before);
    result
}

/// Whether nothing stops the call any more.
fn must_finish() -> bool {
    with(false, |current| current.must_finish())
}

/// Fails if the call was cancelled and has not changed anything yet.
pub(crate) fn checkpoint() -> Result<(), Interrupted> {
    if must_finish() {
        Ok(())
    } else {
        mcpmark_service::checkpoint()
    }
}

/// Reserves working memory until the reservation is dropped. Once the call has changed something, nothing is refused.
pub(crate) fn reserve(bytes: u64) -> Result<Reservation, Interrupted> {
    if must_finish() {
        Ok(Reservation::default())
    } else {
        mcpmark_service::reserve(bytes)
    }
}

/// Reserves working memory until the end of the call, for parts of an answer that are put together one by one.
pub(crate) fn hold(bytes: u64) -> Result<(), Interrupted> {
    with(Ok(()), |current| {
        if current.must_finish() {
            Ok(())
        } else {
            current.held.grow(bytes)
        }
    })
}

/// Counts something of so many bytes that is added to the world.
pub(crate) fn add(bytes: u64) -> Result<(), GitError> {
    with(Ok(()), |current| {
        let bytes = bytes.saturating_add(OVERHEAD);
        current.added.bytes = current.added.bytes.saturating_add(bytes);
        if current.must_finish() {
            return Ok(());
        }
        current.held.grow(bytes)?;
        if current.added.bytes > current.room.bytes {
            Err(GitError::Full)
        } else {
            Ok(())
        }
    })
}

/// Counts an object of so many bytes that is added to the world, which is a file of it.
pub(crate) fn add_object(bytes: u64) -> Result<(), GitError> {
    add(bytes)?;
    with(Ok(()), |current| {
        current.added.objects += 1;
        current.check_files()
    })
}

/// Counts files and directories by which the default branch grows.
pub(crate) fn grow(files: u64) -> Result<(), GitError> {
    with(Ok(()), |current| {
        current.grown = current.grown.saturating_add(files);
        current.check_files()
    })
}

/// The most files and directories that a commit may have; none where nobody says so.
pub(crate) fn files_of_commit() -> Option<u64> {
    let most = with(u64::MAX, |current| current.room.files_of_commit);
    (most < u64::MAX && !has_changed()).then_some(most)
}

impl Current {
    fn must_finish(&self) -> bool {
        self.changed && !self.optional
    }

    fn check_files(&self) -> Result<(), GitError> {
        let files = self.added.objects.saturating_add(self.grown);
        if files > self.room.files && !self.must_finish() {
            Err(GitError::TooManyFiles)
        } else {
            Ok(())
        }
    }
}

/// Takes back what was added, as the objects are discarded.
pub(crate) fn discard_added() {
    with((), |current| {
        current.added = Added::default();
        current.grown = 0;
        current.held = Reservation::default();
    });
}

#[cfg(test)]
mod tests {
    use mcpmark_service::CallMeter;

    use super::*;

    #[test]
    fn a_call_stops_until_it_has_changed_something() {
        let meter = CallMeter::new(1_000);
        meter.run(|| {
            let bytes = 500;
            begin(Room {
                bytes,
                ..Room::ENOUGH
            });
            assert!(add(400).is_ok());
            assert!(matches!(add(400), Err(GitError::Full)));
            assert!(matches!(add(400), Err(GitError::Interrupted(_))));
            discard_added();
            assert!(reserve(1_001).is_err());
            meter.cancel();
            assert_eq!(checkpoint(), Err(Interrupted::Cancelled));
            changed();
            assert_eq!(checkpoint(), Ok(()));
            assert!(reserve(1_001).is_ok() && add(4_000).is_ok());
            let added = Added {
                bytes: 4_064,
                objects: 0,
            };
            assert_eq!(end(), added);
            assert_eq!(checkpoint(), Err(Interrupted::Cancelled));
        });
    }

    #[test]
    fn optional_work_stops_whatever_the_call_has_changed() {
        let meter = CallMeter::new(1_000);
        meter.run(|| {
            begin(Room {
                files: 1,
                ..Room::ENOUGH
            });
            changed();
            assert!(reserve(1_001).is_ok());
            optional(|| {
                assert!(reserve(1_001).is_err() && hold(1_001).is_err());
                assert!(add_object(1).is_ok());
                assert!(matches!(add_object(1), Err(GitError::TooManyFiles)));
                assert_eq!(checkpoint(), Ok(()));
                meter.cancel();
                assert_eq!(checkpoint(), Err(Interrupted::Cancelled));
            });
            assert_eq!(checkpoint(), Ok(()));
            assert!(add_object(1).is_ok());
            end();
        });
    }

    #[test]
    fn objects_and_files_of_the_default_branch_are_counted_together() {
        begin(Room {
            files: 3,
            ..Room::ENOUGH
        });
        assert!(add_object(1).is_ok() && grow(2).is_ok());
        assert!(matches!(add_object(1), Err(GitError::TooManyFiles)));
        assert!(matches!(grow(1), Err(GitError::TooManyFiles)));
        discard_added();
        assert!(add_object(1).is_ok());
        changed();
        assert!(grow(3).is_ok());
        assert_eq!(end().objects, 1);
    }
}
