//! Comparison of two locks of a suite.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_snapshot::Digest;
use serde::Serialize;

use super::Lock;

/// Old and new value of something that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Change<T> {
    /// Old value.
    pub before: T,
    /// New value.
    pub after: T,
}

impl<T: PartialEq> Change<T> {
    /// Returns the change from one value to another, or `None` if they are equal.
    pub fn between(before: T, after: T) -> Option<Self> {
        (before != after).then_some(Self { before, after })
    }
}

/// Changes from one lock to another, apart from the digest of the suite. A value is `None` on the side of a lock that
/// does not contain the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockChanges {
    /// Manifests of tasks, by the ids of the tasks.
    pub tasks: BTreeMap<String, Change<Option<Digest>>>,
    /// Engine profile.
    pub engine: Option<Change<String>>,
    /// Digests of the tool surfaces, by world and profile.
    pub surfaces: BTreeMap<String, Change<Option<Digest>>>,
}

impl Lock {
    /// Returns the changes from this lock to a newer one.
    pub fn changes(&self, newer: &Self) -> LockChanges {
        let manifests = |lock: &Self| {
            let tasks = lock.tasks.iter();
            tasks
                .map(|(id, task)| (id.clone(), task.manifest))
                .collect()
        };
        LockChanges {
            tasks: differing(&manifests(self), &manifests(newer)),
            engine: Change::between(self.engine.clone(), newer.engine.clone()),
            surfaces: differing(&self.surfaces, &newer.surfaces),
        }
    }
}

fn differing(
    before: &BTreeMap<String, Digest>,
    after: &BTreeMap<String, Digest>,
) -> BTreeMap<String, Change<Option<Digest>>> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differing = names.into_iter().filter_map(|name| {
        let change = Change::between(before.get(name).copied(), after.get(name).copied())?;
        Some((name.clone(), change))
    });
    differing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;
    use crate::artifact::tests::bundle;

    #[test]
    fn changes_contain_only_entries_that_differ() {
        let (layout, root) = bundle(&|_, _| {});
        let suite = Bundle::read(&layout, &root).unwrap();
        let digests = ["same", "gone", "newer"].map(|text| Digest::of(text.as_bytes()));
        let [same, gone, new] = digests;
        let lock = |engine: &str, surfaces: [(&str, Digest); 2]| {
            let surfaces = surfaces.map(|(name, digest)| (name.to_owned(), digest));
            Lock::of(
                &suite,
                String::new(),
                engine.to_owned(),
                BTreeMap::from(surfaces),
            )
        };
        let old = lock("engine", [("a 1", same), ("b 1", gone)]);
        let newer = lock("motor", [("a 1", same), ("c 1", new)]);
        let none = old.changes(&old);
        assert!(none.tasks.is_empty() && none.engine.is_none() && none.surfaces.is_empty());
        let changes = old.changes(&newer);
        assert!(changes.tasks.is_empty());
        let engine = changes.engine.unwrap();
        assert_eq!((&*engine.before, &*engine.after), ("engine", "motor"));
        let sides: Vec<_> = changes
            .surfaces
            .iter()
            .map(|(name, change)| (name.as_str(), change.before, change.after))
            .collect();
        assert_eq!(sides, [("b 1", Some(gone), None), ("c 1", None, Some(new))]);
    }
}
