//! The call that is being answered: whether it may still be stopped, and what it adds to the world.
//!
//! A call is stopped at its checkpoints until it has changed something. From then on it runs to its end, so that a
//! cancelled call has either no effect or all of it. What such a call does after its first change has to be bounded
//! by what it has read before.

use std::cell::RefCell;

pub(crate) use mcpmark_service::{Interrupted, Reservation};

use crate::git::GitError;

/// What an object takes in memory and in a state beside its bytes.
const OBJECT_OVERHEAD: u64 = 64;

struct Current {
    changed: bool,
    /// Bytes that may be added to the world.
    room: u64,
    /// Bytes that were added to it.
    added: u64,
    /// The same as working memory of the call.
    held: Reservation,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

fn with<T>(none: T, work: impl FnOnce(&mut Current) -> T) -> T {
    CURRENT.with_borrow_mut(|current| current.as_mut().map_or(none, work))
}

/// Begins a call on this thread that may add `room` bytes to the world.
pub(crate) fn begin(room: u64) {
    let current = Current {
        changed: false,
        room,
        added: 0,
        held: mcpmark_service::reserve(0).unwrap_or_default(),
    };
    CURRENT.set(Some(current));
}

/// Ends the call; the bytes of objects that it added.
pub(crate) fn end() -> u64 {
    CURRENT.take().map_or(0, |current| current.added)
}

/// Notes that the call has changed something, and can no longer be stopped.
pub(crate) fn changed() {
    with((), |current| current.changed = true);
}

/// Whether the call has changed something.
pub(crate) fn has_changed() -> bool {
    with(false, |current| current.changed)
}

/// Fails if the call was cancelled and has not changed anything yet.
pub(crate) fn checkpoint() -> Result<(), Interrupted> {
    match has_changed() {
        true => Ok(()),
        false => mcpmark_service::checkpoint(),
    }
}

/// Reserves working memory until the reservation is dropped. Once the call has changed something, nothing is refused.
pub(crate) fn reserve(bytes: u64) -> Result<Reservation, Interrupted> {
    match has_changed() {
        true => Ok(Reservation::default()),
        false => mcpmark_service::reserve(bytes),
    }
}

/// Counts an object of so many bytes that is added to the world.
pub(crate) fn add(bytes: u64) -> Result<(), GitError> {
    with(Ok(()), |current| {
        current.added = current.added.saturating_add(bytes + OBJECT_OVERHEAD);
        if current.changed {
            return Ok(());
        }
        current.held.grow(bytes + OBJECT_OVERHEAD)?;
        match current.added > current.room {
            true => Err(GitError::Full),
            false => Ok(()),
        }
    })
}

/// Takes back what was added, as the objects are discarded.
pub(crate) fn discard_added() {
    with((), |current| {
        current.added = 0;
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
            begin(500);
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
            assert_eq!(end(), 4_064);
            assert_eq!(checkpoint(), Err(Interrupted::Cancelled));
        });
    }
}
