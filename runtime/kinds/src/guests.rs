//! The guests that a world brings along, by role.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use mcpmark_sandbox::LoadError;
use mcpmark_snapshot::{Digest, Store, StoreError};
use mcpmark_task::GuestRole;

/// A guest of a world, loaded for what its role does.
#[derive(Clone)]
pub struct WorldGuest {
    component: Arc<[u8]>,
    digest: Digest,
    loaded: Arc<dyn Any + Send + Sync>,
}

impl WorldGuest {
    /// A guest of these bytes, and what its service made of them.
    pub fn new(component: &[u8], loaded: impl Any + Send + Sync) -> Self {
        Self {
            component: component.into(),
            digest: Digest::of(component),
            loaded: Arc::new(loaded),
        }
    }

    /// The digest of the component.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The component.
    pub fn component(&self) -> &[u8] {
        &self.component
    }

    /// The form in which its service loaded the guest; none if that has another type.
    pub fn loaded<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.loaded.downcast_ref()
    }
}

impl fmt::Debug for WorldGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorldGuest").field(&self.digest).finish()
    }
}

/// The guests of one world, at most one of each role.
#[derive(Debug, Clone, Default)]
pub struct WorldGuests(BTreeMap<GuestRole, WorldGuest>);

impl WorldGuests {
    /// The guest of a role.
    pub fn get(&self, role: GuestRole) -> Option<&WorldGuest> {
        self.0.get(&role)
    }

    /// Adds the guest of a role, in the place of an earlier one.
    pub fn insert(&mut self, role: GuestRole, guest: WorldGuest) {
        self.0.insert(role, guest);
    }

    /// The digest of the guest of a role.
    pub fn digest(&self, role: GuestRole) -> Option<Digest> {
        self.get(role).map(WorldGuest::digest)
    }

    /// The guests, by the names of their roles.
    pub fn iter(&self) -> impl Iterator<Item = (GuestRole, &WorldGuest)> {
        self.0.iter().map(|(role, guest)| (*role, guest))
    }

    /// The digests of all guests, by role.
    pub fn digests(&self) -> Vec<(GuestRole, Digest)> {
        self.0
            .iter()
            .map(|(role, guest)| (*role, guest.digest()))
            .collect()
    }

    /// Writes the components to the store.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<(), StoreError> {
        self.0
            .values()
            .try_for_each(|guest| store.put(guest.component()).map(drop))
    }
}

/// A guest of a world cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WorldGuestError {
    /// Worlds of the service have no guest of the role.
    #[error(
        "worlds of the service {service:?} have no guest of the role `{role}`{}",
        file.as_ref().map_or_else(String::new, |file| format!("; remove {}", file.display()))
    )]
    UnknownRole {
        /// The role.
        role: GuestRole,
        /// The service.
        service: String,
        /// The source of the guest, if it is on disk.
        file: Option<PathBuf>,
    },
    /// The component does not load.
    #[error("the `{role}` guest {source}")]
    Load {
        /// The role.
        role: GuestRole,
        /// The problem.
        source: Box<LoadError>,
    },
}

impl WorldGuestError {
    /// Whether the host is to blame, and not the guest.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::UnknownRole { .. } => false,
            Self::Load { source, .. } => source.is_infrastructure(),
        }
    }
}
