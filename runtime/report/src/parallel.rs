//! Parallel computation of independent parts of a report.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `make` for each index below `count` on all cores, and returns the results in the order of the indices.
pub(crate) fn each<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return made;
            }
            made.push((index, make(index)));
        }
    };
    let mut made = thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(count)).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => made.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        made
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_come_in_order() {
        for count in [0, 1, 2, 100] {
            let wanted: Vec<usize> = (0..count).map(|index| index * index).collect();
            assert_eq!(super::each(count, |index| index * index), wanted);
        }
    }
}
