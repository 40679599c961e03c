//! State of the current call: whether it can still be cancelled, and what it has added to the world.
//!
//! A call can be cancelled at its checkpoints until it has changed something. After that it runs to its end, so that a
//! cancelled call takes effect either completely or not at all. The work of a call after its first change must
//! therefore be bounded by what it has read before.

use std::cell::RefCell;

pub(crate) use mcpmark_service::{Interrupted, Reservation};

/// Overhead of an object in memory and in a state, in bytes.
const OVERHEAD: u64 = 64;

/// Limits on what a call may add to the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallLimits {
    pub(crate) bytes: u64,
    /// Limit on the sum of new objects and of new files and directories of the default branch.
    pub(crate) files: u64,
    /// Limit on the files and directories of one commit.
    pub(crate) files_of_commit: u64,
}

impl CallLimits {
    /// No limits, for calls that add nothing to the world.
    pub(crate) const ENOUGH: Self = Self {
        bytes: u64::MAX,
        files: u64::MAX,
        files_of_commit: u64::MAX,
    };
}

/// Refusal to add something to the world.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AddError {
    /// The limit of bytes is reached.
    Full,
    /// The limit of objects and files is reached.
    TooManyFiles,
    /// The call was cancelled, or exceeded its memory limit.
    Interrupted(Interrupted),
}

impl From<Interrupted> for AddError {
    fn from(error: Interrupted) -> Self {
        Self::Interrupted(error)
    }
}

/// Size of what a call has added to the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) bytes: u64,
    pub(crate) objects: u64,
}

struct Current {
    changed: bool,
    /// True while optional work runs, which may be aborted even after the call has changed something.
    optional: bool,
    limits: CallLimits,
    added: Added,
    /// Number of files and directories by which the default branch grows.
    grown: u64,
    /// Reservation of the call's working memory for what it adds and holds.
    held: Reservation,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

fn with<T>(none: T, work: impl FnOnce(&mut Current) -> T) -> T {
    CURRENT.with_borrow_mut(|current| current.as_mut().map_or(none, work))
}

/// Begins a call on this thread with the limits of `limits`.
pub(crate) fn begin(limits: CallLimits) {
    let current = Current {
        changed: false,
        optional: false,
        limits,
        added: Added::default(),
        grown: 0,
        held: mcpmark_service::reserve(0).unwrap_or_default(),
    };
    CURRENT.set(Some(current));
}

/// Ends the call, and returns what it has added.
pub(crate) fn end() -> Added {
    CURRENT
        .take()
        .map_or(Added::default(), |current| current.added)
}

/// Marks the call as having changed something, so that it can no longer be cancelled.
pub(crate) fn changed() {
    with((), |current| current.changed = true);
}

/// Returns true if the call has changed something.
pub(crate) fn has_changed() -> bool {
    with(false, |current| current.changed)
}

/// Runs optional work that changes neither refs nor documents, such as the test merge for a workflow. The work can be
/// cancelled and refused as if the call had not changed anything yet. The caller must continue without the result if it
/// fails.
pub(crate) fn optional<T>(work: impl FnOnce() -> T) -> T {
    let before = with(false, |current| {
        std::mem::replace(&mut current.optional, true)
    });
    let result = work();
    with((), |current| current.optional = before);
    result
}

/// Returns true if the call can no longer be cancelled or refused.
fn must_finish() -> bool {
    with(false, |current| current.must_finish())
}

/// Returns an error if the call was cancelled and has not changed anything yet.
pub(crate) fn checkpoint() -> Result<(), Interrupted> {
    if must_finish() {
        Ok(())
    } else {
        mcpmark_service::checkpoint()
    }
}

/// Reserves working memory until the reservation is dropped. Never fails once the call has changed something.
pub(crate) fn reserve(bytes: u64) -> Result<Reservation, Interrupted> {
    if must_finish() {
        Ok(Reservation::default())
    } else {
        mcpmark_service::reserve(bytes)
    }
}

/// Reserves working memory until the end of the call, for results that are assembled piece by piece.
pub(crate) fn hold(bytes: u64) -> Result<(), Interrupted> {
    with(Ok(()), |current| {
        if current.must_finish() {
            Ok(())
        } else {
            current.held.grow(bytes)
        }
    })
}

/// Charges `bytes` bytes and [`OVERHEAD`] to the call, for something that is added to the world.
pub(crate) fn add(bytes: u64) -> Result<(), AddError> {
    with(Ok(()), |current| {
        let bytes = bytes.saturating_add(OVERHEAD);
        current.added.bytes = current.added.bytes.saturating_add(bytes);
        if current.must_finish() {
            return Ok(());
        }
        current.held.grow(bytes)?;
        if current.added.bytes > current.limits.bytes {
            Err(AddError::Full)
        } else {
            Ok(())
        }
    })
}

/// Charges an object of `bytes` bytes to the call. An object also counts as a file of the world.
pub(crate) fn add_object(bytes: u64) -> Result<(), AddError> {
    add(bytes)?;
    with(Ok(()), |current| {
        current.added.objects += 1;
        current.check_files()
    })
}

/// Charges to the call the files and directories by which the default branch grows.
pub(crate) fn grow(files: u64) -> Result<(), AddError> {
    with(Ok(()), |current| {
        current.grown = current.grown.saturating_add(files);
        current.check_files()
    })
}

/// Maximum number of files and directories of a commit. `None` if there is no limit, or if the call has already changed
/// something and can no longer be refused.
pub(crate) fn files_of_commit() -> Option<u64> {
    let most = with(u64::MAX, |current| current.limits.files_of_commit);
    (most < u64::MAX && !has_changed()).then_some(most)
}

impl Current {
    fn must_finish(&self) -> bool {
        self.changed && !self.optional
    }

    fn check_files(&self) -> Result<(), AddError> {
        let files = self.added.objects.saturating_add(self.grown);
        if files > self.limits.files && !self.must_finish() {
            Err(AddError::TooManyFiles)
        } else {
            Ok(())
        }
    }
}

/// Resets what was added, because the objects are discarded.
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
            begin(CallLimits {
                bytes,
                ..CallLimits::ENOUGH
            });
            assert!(add(400).is_ok());
            assert!(matches!(add(400), Err(AddError::Full)));
            assert!(matches!(add(400), Err(AddError::Interrupted(_))));
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
            begin(CallLimits {
                files: 1,
                ..CallLimits::ENOUGH
            });
            changed();
            assert!(reserve(1_001).is_ok());
            optional(|| {
                assert!(reserve(1_001).is_err() && hold(1_001).is_err());
                assert!(add_object(1).is_ok());
                assert!(matches!(add_object(1), Err(AddError::TooManyFiles)));
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
        begin(CallLimits {
            files: 3,
            ..CallLimits::ENOUGH
        });
        assert!(add_object(1).is_ok() && grow(2).is_ok());
        assert!(matches!(add_object(1), Err(AddError::TooManyFiles)));
        assert!(matches!(grow(1), Err(AddError::TooManyFiles)));
        discard_added();
        assert!(add_object(1).is_ok());
        changed();
        assert!(grow(3).is_ok());
        assert_eq!(end().objects, 1);
    }
}
