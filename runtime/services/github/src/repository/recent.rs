//! Bounded cache of recently computed values.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

/// Maximum size of a cache, in bytes. The last two entries are kept even if they exceed it.
const MAX_KEPT: usize = 32 << 20;

/// Cache of recently computed values, which evicts the oldest entries first. The last two entries are kept regardless
/// of their size, because operations on many comments alternate between data of their commit and data of the head.
pub(crate) struct Recent<K, V> {
    known: HashMap<K, (Arc<V>, usize)>,
    order: VecDeque<K>,
    bytes: usize,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.known.get(key).map(|(known, _)| Arc::clone(known))
    }

    /// Adds a value with its size in bytes.
    pub(crate) fn put(&mut self, key: K, value: V, bytes: usize) -> Arc<V> {
        let value = Arc::new(value);
        let bytes = bytes + size_of::<(K, K, V)>();
        let before = self.known.insert(key.clone(), (Arc::clone(&value), bytes));
        match before {
            Some((_, before)) => self.bytes -= before,
            None => self.order.push_back(key),
        }
        self.bytes += bytes;
        while self.bytes > MAX_KEPT
            && self.order.len() > 2
            && let Some(oldest) = self.order.pop_front()
        {
            let gone = self.known.remove(&oldest);
            self.bytes -= gone.map_or(0, |(_, bytes)| bytes);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_and_the_last_two_stay() {
        let mut recent = Recent::default();
        for key in 0..10 {
            recent.put(key, key, MAX_KEPT / 4);
        }
        let there: Vec<i32> = (0..10).filter(|key| recent.get(key).is_some()).collect();
        assert_eq!(there, [7, 8, 9]);
        for key in 10..13 {
            recent.put(key, key, 2 * MAX_KEPT);
        }
        let there: Vec<i32> = (0..13).filter(|key| recent.get(key).is_some()).collect();
        assert_eq!(there, [11, 12]);
        recent.put(12, 12, 1);
        assert_eq!(recent.get(&11).as_deref(), Some(&11));
    }
}
