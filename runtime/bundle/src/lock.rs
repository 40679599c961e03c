//! The lock of a suite: what it was when somebody took it, so that it stays that until it is updated.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Bundle;

/// The version of the document.
const SCHEMA: u32 = 1;

/// The most bytes of a lock.
const LARGEST: usize = 16 << 20;

/// What a suite was when it was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of this document.
    schema: u32,
    /// Where the suite comes from: a reference, or a path from the directory of the lock.
    pub source: String,
    /// The digest of its manifest, which names all of it.
    pub digest: Digest,
    /// The profile of the engine that graded then.
    pub engine: String,
    /// The tasks by their ids.
    pub tasks: BTreeMap<String, LockedTask>,
    /// The worlds by their ids.
    pub worlds: BTreeMap<String, LockedWorld>,
    /// What agents were offered: digests of lists of tools, by world and profile.
    pub surfaces: BTreeMap<String, Digest>,
}

/// A task of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTask {
    /// The digest of its manifest.
    pub manifest: Digest,
    /// What receipts name it by.
    pub bundle: Digest,
}

/// A world of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedWorld {
    /// The digest of its manifest.
    pub manifest: Digest,
    /// The digest of its tree.
    pub snapshot: Digest,
}

/// Why a file is no lock, or not one of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Larger than any that is read.
    #[error("it has more than {LARGEST} bytes")]
    TooLarge,
    /// No JSON, or of another shape.
    #[error("it is no lock of a suite: {0}")]
    Shape(String),
    /// Written by another version.
    #[error("it is a lock of schema {0}, and this mcpmark knows {SCHEMA}")]
    Version(Value),
    /// The suite is another one.
    #[error("the suite is {found}, and {wanted} is locked")]
    Suite {
        /// The digest of the suite.
        found: Digest,
        /// That of the lock.
        wanted: Digest,
    },
    /// The lock names the right suite, and says wrong things of it.
    #[error("it says of {0} what the suite that it names does not: it was changed by hand")]
    Contradiction(String),
}

impl Lock {
    /// The file of a lock, where nothing else is said.
    pub const FILE: &str = "mcpmark.lock";

    /// Locks a bundle.
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

    /// Reads a lock.
    ///
    /// # Errors
    ///
    /// When the bytes are none, or one of another version.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        if bytes.len() > LARGEST {
            return Err(LockError::TooLarge);
        }
        let shape = |error: serde_json::Error| LockError::Shape(error.to_string());
        let document: Value = mcpmark_json::from_unique(bytes).map_err(shape)?;
        // The version first: what a later one has besides is not known here.
        match &document["schema"] {
            Value::Null => Err(LockError::Shape("it has no schema".to_owned())),
            found if *found != SCHEMA => Err(LockError::Version(found.clone())),
            _ => serde_json::from_value(document).map_err(shape),
        }
    }

    /// The bytes of its file: the same lock gives the same bytes.
    pub fn text(&self) -> String {
        format!("{:#}\n", json!(self))
    }

    /// Whether a bundle is the one that is locked.
    ///
    /// # Errors
    ///
    /// When it is another, or the lock contradicts it.
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
                bundle: task.config.parts.digest(),
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
            bundle: Digest::of(b"task"),
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
    fn what_is_no_lock_is_told_apart() {
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
        assert!(told.contains("\"source\" is there twice"), "{told}");
        let long = " ".repeat(LARGEST + 1);
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
