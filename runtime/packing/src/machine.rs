//! Locks of bundles: their creation, and their comparison with the engine and the tools of this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use mcpmark_bundle::open::Opened;
use mcpmark_bundle::{BundleError, Lock, LockMismatch, WorldArtifact};
use mcpmark_experiment::{Prepared, Start, tool_surface};
use mcpmark_kinds::{Services, WorldGuestError};
use mcpmark_sandbox::Sandbox;
use mcpmark_service::ServiceError;
use mcpmark_snapshot::{Digest, LoadError, Scratch, ScratchSpace, Store, scratch_parent};
use mcpmark_task::WorldId;

/// Errors of creating a lock and of comparing it with a machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// A temporary directory cannot be created.
    #[error("{0}")]
    Scratch(io::Error),
    /// The content of the bundle is not valid, or cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The starting state of a world cannot be loaded.
    #[error("world {world}: {source}")]
    State {
        /// Id of the world.
        world: WorldId,
        /// Error of the store.
        source: Box<LoadError>,
    },
    /// A guest of a world cannot be loaded.
    #[error("world {world}: {problem}")]
    Guests {
        /// Id of the world.
        world: WorldId,
        /// Problem of the guest.
        problem: Box<WorldGuestError>,
    },
    /// The clock of a world is not a timestamp.
    #[error("world {world}: {problem}")]
    Clock {
        /// Id of the world.
        world: WorldId,
        /// Problem of the text.
        problem: jiff::Error,
    },
    /// The service of a world cannot serve it.
    #[error("world {world}: {source}")]
    Service {
        /// Id of the world.
        world: WorldId,
        /// Error of the service.
        source: Box<ServiceError>,
    },
    /// The tools of a world are not those of the lock.
    #[error(transparent)]
    Mismatch(#[from] LockMismatch),
}

/// Machine that uses a bundle: its services and engine, and the directories that opening a world needs.
pub struct Machine<'a> {
    /// Known services.
    pub services: &'a Services,
    /// Engine of guests.
    pub sandbox: &'a Sandbox,
    /// Store of the starting states.
    pub store: &'a Store,
    /// Space for private copies of worlds.
    pub scratch: &'a ScratchSpace,
}

impl Machine<'_> {
    /// Creates the lock of a bundle. `source` is the location of the bundle as the lock names it.
    ///
    /// # Errors
    ///
    /// Returns an error if a world of the bundle is not valid or cannot be served.
    pub async fn lock(&self, opened: &Opened, source: String) -> Result<Lock, MachineError> {
        let surfaces = self.surfaces(opened).await?;
        let engine = self.sandbox.profile();
        Ok(Lock::of(&opened.bundle, source, engine, surfaces))
    }

    /// Checks that the tools of prepared tasks are those of a lock. Each task comes with the id of its world.
    ///
    /// # Errors
    ///
    /// Returns [`MachineError::Mismatch`] with the first difference, or another error if a world cannot be served.
    pub async fn check_prepared(
        &self,
        lock: &Lock,
        prepared: &[(WorldId, &Prepared)],
    ) -> Result<(), MachineError> {
        let mut seen = BTreeSet::new();
        for (world, prepared) in prepared {
            let profile = prepared.profile.as_deref();
            if seen.insert((world, profile))
                && let Some((name, found)) = self.surface(world, &prepared.start, profile).await?
            {
                lock.check_surface(&name, found)?;
            }
        }
        Ok(())
    }

    /// Returns the digests of the tool surfaces of a bundle's worlds.
    async fn surfaces(&self, opened: &Opened) -> Result<BTreeMap<String, Digest>, MachineError> {
        let mut found = BTreeMap::new();
        for (world, profiles) in opened.bundle.profiles() {
            let start = self.start(opened, world)?;
            for profile in profiles {
                found.extend(self.surface(&world.id, &start, profile).await?);
            }
        }
        Ok(found)
    }

    /// Returns the name of a tool surface and its digest, or `None` if the service is unknown.
    async fn surface(
        &self,
        world: &WorldId,
        start: &Start,
        profile: Option<&str>,
    ) -> Result<Option<(String, Digest)>, MachineError> {
        let Some(service) = start.service() else {
            return Ok(None);
        };
        let offered = tool_surface(&*service, start, profile, self.store, self.scratch);
        let digest = offered.await.map_err(|error| MachineError::Service {
            world: world.clone(),
            source: Box::new(error),
        })?;
        let profile = profile.unwrap_or_else(|| service.profiles()[0]);
        Ok(Some((Lock::surface_name(world, profile), digest)))
    }

    /// Loads the starting state of a world of a bundle.
    fn start(&self, opened: &Opened, world: &WorldArtifact) -> Result<Start, MachineError> {
        let scratch = Scratch::new(&scratch_parent(None)).map_err(MachineError::Scratch)?;
        let file = scratch.path().join("states");
        let source = &*opened.source;
        world.copy_states(source, &file)?;
        world.read_states(&file, self.store)?;
        let components = world.read_guests(source)?;
        let service = world.id.service();
        let guests = components
            .iter()
            .map(|(role, component)| (*role, component.as_slice()));
        let guests = self.services.load_guests(service, self.sandbox, guests);
        let clock = world.config.clock.parse::<jiff::Timestamp>();
        let tree = self.store.load_tree(&world.config.snapshot);
        Ok(Start {
            tree: tree.map_err(|error| MachineError::State {
                world: world.id.clone(),
                source: Box::new(error),
            })?,
            digest: world.config.snapshot,
            seed: world.config.seed,
            clock: clock
                .map_err(|problem| MachineError::Clock {
                    world: world.id.clone(),
                    problem,
                })?
                .as_second(),
            kind: self.services.kind(service).cloned(),
            guests: guests.map_err(|problem| MachineError::Guests {
                world: world.id.clone(),
                problem: Box::new(problem),
            })?,
        })
    }
}
