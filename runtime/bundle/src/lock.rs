//! Lock of a suite: pins it to the digests of the time of locking until it is updated.

mod changes;
mod mismatch;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::changes::{Change, LockChanges};
pub use self::mismatch::LockMismatch;
use crate::Bundle;

/// Version of the document.
const SCHEMA: u32 = 1;

/// Maximum size of a lock, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Lock of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// Version of this document.
    schema: u32,
    /// Source of the suite: a reference, or a path relative to the directory of the lock.
    pub source: String,
    /// Digest of the suite's manifest, which references everything else.
    pub digest: Digest,
    /// Engine profile at the time of locking.
    pub engine: String,
    /// Tasks by id.
    pub tasks: BTreeMap<String, LockedTask>,
    /// Worlds by id.
    pub worlds: BTreeMap<String, LockedWorld>,
    /// Digests of the tool surfaces, by world and profile.
    pub surfaces: BTreeMap<String, Digest>,
}

/// Task in a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTask {
    /// Digest of the manifest.
    pub manifest: Digest,
    /// Task digest, which receipts contain.
    #[serde(rename = "bundle")]
    pub task_digest: Digest,
}

/// World in a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedWorld {
    /// Digest of the manifest.
    pub manifest: Digest,
    /// Digest of the tree.
    pub snapshot: Digest,
}

/// Errors of reading a lock and of comparing it with a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// The file exceeds the size limit.
    #[error("the lock exceeds the limit of {MAX_BYTES} bytes")]
    TooLarge,
    /// The file is not JSON, or is not a lock.
    #[error("not a lock of a suite: {0}")]
    Shape(String),
    /// The lock has another version.
    #[error("the lock has schema {0}, but this version of mcpmark reads schema {SCHEMA}")]
    Version(Value),
    /// The suite has another digest than the lock.
    #[error("the suite is {found}, but the lock requires {wanted}")]
    Suite {
        /// Digest of the suite.
        found: Digest,
        /// Digest in the lock.
        wanted: Digest,
    },
    /// The lock has the digest of the suite, but other tasks or worlds.
    #[error("the entry of {0} does not match the suite: the lock was edited by hand")]
    Contradiction(String),
}

impl Lock {
    /// Default file name of a lock.
    pub const FILE: &str = "mcpmark.lock";

    /// Returns the version of the document.
    pub fn schema(&self) -> u32 {
        self.schema
    }

    /// Creates a lock for a bundle.
    pub fn of(
        bundle: &Bundle,
        source: String,
        engine: String,
        surfaces: BTreeMap<String, Digest>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            source,
            digest: bundle.root.digest,
            engine,
            tasks: tasks(bundle),
            worlds: worlds(bundle),
            surfaces,
        }
    }

    /// Parses a lock.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a lock, or one of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        if bytes.len() > MAX_BYTES {
            return Err(LockError::TooLarge);
        }
        let shape = |error: serde_json::Error| LockError::Shape(error.to_string());
        let document: Value = mcpmark_json::from_unique(bytes).map_err(shape)?;
        // The version is checked first, because a later version may have keys that are unknown here.
        match &document["schema"] {
            Value::Null => Err(LockError::Shape("key \"schema\" is required".to_owned())),
            found if *found != SCHEMA => Err(LockError::Version(found.clone())),
            _ => serde_json::from_value(document).map_err(shape),
        }
    }

    /// Returns the content of the lock's file. Equal locks have equal bytes.
    pub fn text(&self) -> String {
        format!("{:#}\n", json!(self))
    }

    /// Checks that a bundle is the locked one.
    ///
    /// # Errors
    ///
    /// Returns an error if it is another bundle, or if the lock contradicts it.
    pub fn check(&self, bundle: &Bundle) -> Result<(), LockError> {
        let found = bundle.root.digest;
        if found != self.digest {
            let wanted = self.digest;
            return Err(LockError::Suite { found, wanted });
        }
        let differing = first_difference("task", &self.tasks, &tasks(bundle))
            .or_else(|| first_difference("world", &self.worlds, &worlds(bundle)));
        match differing {
            Some(what) => Err(LockError::Contradiction(what)),
            None => Ok(()),
        }
    }
}

fn tasks(bundle: &Bundle) -> BTreeMap<String, LockedTask> {
    let tasks = bundle.tasks.iter();
    tasks
        .map(|task| {
            let locked = LockedTask {
                manifest: task.descriptor.digest,
                task_digest: task.config.parts.digest(),
            };
            (task.id.to_string(), locked)
        })
        .collect()
}

fn worlds(bundle: &Bundle) -> BTreeMap<String, LockedWorld> {
    let worlds = bundle.worlds.values();
    worlds
        .map(|world| {
            let locked = LockedWorld {
                manifest: world.descriptor.digest,
                snapshot: world.config.snapshot,
            };
            (world.id.to_string(), locked)
        })
        .collect()
}

fn first_difference<T: PartialEq>(
    what: &str,
    locked: &BTreeMap<String, T>,
    found: &BTreeMap<String, T>,
) -> Option<String> {
    let names: BTreeSet<&String> = locked.keys().chain(found.keys()).collect();
    let mut names = names.into_iter();
    let name = names.find(|name| locked.get(*name) != found.get(*name))?;
    Some(format!("{what} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lock() -> Lock {
        let digest = Digest::of(b"suite");
        let task = LockedTask {
            manifest: digest,
            task_digest: Digest::of(b"task"),
        };
        Lock {
            schema: SCHEMA,
            source: "oci://registry.example/suite:v1".to_owned(),
            digest,
            engine: "cranelift-x86_64-0".to_owned(),
            tasks: BTreeMap::from([("filesystem/a/b".to_owned(), task)]),
            worlds: BTreeMap::new(),
            surfaces: BTreeMap::from([("filesystem/a 2025.12.18".to_owned(), digest)]),
        }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let text = lock().text();
        assert!(text.ends_with("}\n"));
        assert_eq!(Lock::parse(text.as_bytes()).unwrap(), lock());
    }

    #[test]
    fn invalid_locks_are_told_apart() {
        let parse = |text: &str| Lock::parse(text.as_bytes()).unwrap_err();
        assert!(matches!(parse(""), LockError::Shape(_)));
        assert!(matches!(parse("[]"), LockError::Shape(_)));
        assert!(matches!(
            parse("version = 4\n[[package]]\n"),
            LockError::Shape(_)
        ));
        assert_eq!(
            parse(&lock().text().replace("\"schema\": 1", "\"schema\": 2")),
            LockError::Version(json!(2))
        );
        let more = lock().text().replacen('{', "{\"more\": 1,", 1);
        assert!(matches!(parse(&more), LockError::Shape(_)));
        let twice = lock()
            .text()
            .replacen('{', "{\"source\": \"elsewhere\",", 1);
        let told = parse(&twice).to_string();
        assert!(told.contains("duplicate key \"source\""), "{told}");
        let long = " ".repeat(MAX_BYTES + 1);
        assert_eq!(parse(&long), LockError::TooLarge);
    }

    proptest! {
        #[test]
        fn any_change_is_read_or_refused(at in 0usize..400, byte in any::<u8>()) {
            let mut bytes = lock().text().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = Lock::parse(&bytes) {
                prop_assert_eq!(Lock::parse(read.text().as_bytes()).unwrap(), read);
            }
        }
    }
}
