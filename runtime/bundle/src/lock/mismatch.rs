//! Comparison of a lock with the engine and the tools of a machine.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_snapshot::Digest;
use mcpmark_task::WorldId;

use super::Lock;
use crate::{Bundle, WorldArtifact};

/// Difference between a lock and the machine that uses the suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockMismatch {
    /// The engine has another profile.
    #[error("the engine is {found}, but the lock has {locked}")]
    Engine {
        /// Profile of the engine.
        found: String,
        /// Profile in the lock.
        locked: String,
    },
    /// The tools of a world have another digest, or exist on one side only.
    #[error("the tools of {name} {}, but the lock {}", on_machine(*.found), in_lock(*.locked))]
    Tools {
        /// Name of the tool surface: world and profile.
        name: String,
        /// Digest on the machine.
        found: Option<Digest>,
        /// Digest in the lock.
        locked: Option<Digest>,
    },
}

fn on_machine(found: Option<Digest>) -> String {
    match found {
        Some(digest) => format!("have the digest {digest}"),
        None => "are missing".to_owned(),
    }
}

fn in_lock(locked: Option<Digest>) -> String {
    match locked {
        Some(digest) => format!("has {digest}"),
        None => "has no tools of that name".to_owned(),
    }
}

impl Lock {
    /// Returns the name of a tool surface in a lock.
    pub fn surface_name(world: &WorldId, profile: &str) -> String {
        format!("{world} {profile}")
    }

    /// Checks that the engine has the profile of the lock.
    ///
    /// # Errors
    ///
    /// Returns [`LockMismatch::Engine`] otherwise.
    pub fn check_engine(&self, profile: &str) -> Result<(), LockMismatch> {
        if profile == self.engine {
            return Ok(());
        }
        Err(LockMismatch::Engine {
            found: profile.to_owned(),
            locked: self.engine.clone(),
        })
    }

    /// Checks that the lock has a tool surface with this digest.
    ///
    /// # Errors
    ///
    /// Returns [`LockMismatch::Tools`] otherwise.
    pub fn check_surface(&self, name: &str, digest: Digest) -> Result<(), LockMismatch> {
        self.compare_surface(name, Some(digest))
    }

    /// Checks that the engine and all tool surfaces of a suite are those of the lock.
    ///
    /// # Errors
    ///
    /// Returns the first difference.
    pub fn check_machine(
        &self,
        engine: &str,
        surfaces: &BTreeMap<String, Digest>,
    ) -> Result<(), LockMismatch> {
        self.check_engine(engine)?;
        let names: BTreeSet<&String> = self.surfaces.keys().chain(surfaces.keys()).collect();
        for name in names {
            self.compare_surface(name, surfaces.get(name).copied())?;
        }
        Ok(())
    }

    fn compare_surface(&self, name: &str, found: Option<Digest>) -> Result<(), LockMismatch> {
        let locked = self.surfaces.get(name).copied();
        if found == locked {
            return Ok(());
        }
        Err(LockMismatch::Tools {
            name: name.to_owned(),
            found,
            locked,
        })
    }
}

impl Bundle {
    /// Returns the worlds from which tasks start, ordered by digest, each with the profiles of its tasks. `None` is the
    /// default profile of the service. These are the tool surfaces that a lock contains.
    pub fn profiles(&self) -> Vec<(&WorldArtifact, BTreeSet<Option<&str>>)> {
        let mut profiles: BTreeMap<Digest, BTreeSet<Option<&str>>> = BTreeMap::new();
        for task in &self.tasks {
            let of_world = profiles.entry(task.config.world.digest).or_default();
            of_world.insert(task.config.parts.profile());
        }
        let profiles = profiles.into_iter();
        profiles
            .filter_map(|(digest, profiles)| Some((self.worlds.get(&digest)?, profiles)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::tests::bundle;

    #[test]
    fn differences_of_engine_and_tools_are_found() {
        let (layout, root) = bundle(&|_, _| {});
        let suite = Bundle::read(&layout, &root).unwrap();
        let (known, other) = (Digest::of(b"known"), Digest::of(b"other"));
        let surfaces = BTreeMap::from([("office 1".to_owned(), known)]);
        let lock = Lock::of(&suite, String::new(), "engine".to_owned(), surfaces.clone());
        assert_eq!(lock.check_machine("engine", &surfaces), Ok(()));
        assert_eq!(lock.check_surface("office 1", known), Ok(()));
        let told = |checked: Result<(), LockMismatch>| checked.unwrap_err().to_string();
        assert_eq!(
            told(lock.check_machine("motor", &BTreeMap::new())),
            "the engine is motor, but the lock has engine"
        );
        assert_eq!(
            told(lock.check_surface("office 1", other)),
            format!("the tools of office 1 have the digest {other}, but the lock has {known}")
        );
        assert_eq!(
            told(lock.check_surface("office 2", known)),
            format!(
                "the tools of office 2 have the digest {known}, but the lock has no tools of that name"
            )
        );
        let more = BTreeMap::from([("a".to_owned(), other)]);
        for (found, locked, surfaces) in [
            (None, Some(known), BTreeMap::new()),
            (Some(other), None, more),
        ] {
            let Err(LockMismatch::Tools {
                found: f,
                locked: l,
                ..
            }) = lock.check_machine("engine", &surfaces)
            else {
                panic!("the tools differ");
            };
            assert_eq!((f, l), (found, locked));
        }
    }

    #[test]
    fn each_world_has_the_profiles_of_its_tasks() {
        let profiles = |meta: &str| {
            let meta: serde_json::Value = serde_json::from_str(meta).unwrap();
            let (layout, root) = bundle(&|_, document| {
                if document["parts"].is_object() {
                    document["parts"]["meta"] = meta.clone();
                }
            });
            let suite = Bundle::read(&layout, &root).unwrap();
            let profiles = suite.profiles();
            assert_eq!(profiles.len(), 1);
            let (world, profiles) = &profiles[0];
            assert_eq!(world.config.title, "An office");
            let profiles = profiles.iter().map(|it| it.map(str::to_owned));
            profiles.collect::<Vec<_>>()
        };
        assert_eq!(profiles("{}"), [None]);
        assert_eq!(profiles(r#"{"profile": "2"}"#), [Some("2".to_owned())]);
    }
}
