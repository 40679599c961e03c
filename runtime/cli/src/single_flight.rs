//! Cache of values that are expensive to compute, for concurrent use.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Cache that computes each value once, even if several threads request it. The oldest values are evicted first.
pub(crate) struct SingleFlightCache<K, V> {
    kept: Mutex<Kept<K, V>>,
    most: u64,
    weigh: fn(&V) -> Option<u64>,
}

struct Kept<K, V> {
    values: HashMap<K, Arc<OnceLock<V>>>,
    /// Keys and weights, the oldest first.
    order: VecDeque<(K, u64)>,
    weight: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> SingleFlightCache<K, V> {
    /// Creates a cache with a limit on the total weight. Values without a weight are not cached.
    pub(crate) fn new(most: u64, weigh: fn(&V) -> Option<u64>) -> Self {
        Self {
            kept: Mutex::new(Kept {
                values: HashMap::new(),
                order: VecDeque::new(),
                weight: 0,
            }),
            most,
            weigh,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of a key. If another thread is computing it, waits for that thread.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> V) -> V {
        let place = {
            let mut kept = self.lock();
            match kept.values.get(&key) {
                Some(place) => Arc::clone(place),
                None => {
                    let place = Arc::default();
                    kept.values.insert(key.clone(), Arc::clone(&place));
                    place
                }
            }
        };
        let mut made = false;
        let value = place.get_or_init(|| {
            made = true;
            make()
        });
        if made {
            self.keep(key, (self.weigh)(value));
        }
        value.clone()
    }

    fn keep(&self, key: K, weight: Option<u64>) {
        let mut kept = self.lock();
        let Some(weight) = weight else {
            kept.values.remove(&key);
            return;
        };
        kept.weight += weight;
        kept.order.push_back((key, weight));
        while kept.weight > self.most && kept.order.len() > 1 {
            if let Some((oldest, weight)) = kept.order.pop_front() {
                kept.values.remove(&oldest);
                kept.weight -= weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_is_made_once_while_it_is_kept() {
        let made = AtomicUsize::new(0);
        let once = SingleFlightCache::new(10, |value: &u64| (*value != 7).then_some(*value));
        let get = |value: u64| {
            once.get(value, || {
                made.fetch_add(1, Ordering::Relaxed);
                value
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(get(4), 4));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        // Values without a weight are computed again.
        assert_eq!((get(7), get(7)), (7, 7));
        assert_eq!(made.load(Ordering::Relaxed), 3);
        // 4, 5 and 1 weigh ten; adding 2 evicts the oldest.
        assert_eq!((get(5), get(1), get(4)), (5, 1, 4));
        assert_eq!(made.load(Ordering::Relaxed), 5);
        assert_eq!((get(2), get(5)), (2, 5));
        assert_eq!(made.load(Ordering::Relaxed), 6);
        assert_eq!(get(4), 4);
        assert_eq!(made.load(Ordering::Relaxed), 7);
        // A value above the limit is cached alone.
        assert_eq!((get(50), get(50)), (50, 50));
        assert_eq!(made.load(Ordering::Relaxed), 8);
    }
}
