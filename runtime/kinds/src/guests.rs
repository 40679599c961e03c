//! Guests of a world, by role.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use mcpmark_sandbox::LoadError;
use mcpmark_snapshot::{Digest, Store, StoreError};
use mcpmark_task::GuestRole;

/// Guest of a world, with the component and the loaded form that its role needs.
#[derive(Clone)]
pub struct WorldGuest {
    component: Arc<[u8]>,
    digest: Digest,
    loaded: Arc<dyn Any + Send + Sync>,
}

impl WorldGuest {
    /// Creates a guest from the bytes of its component and the form in which its service loaded it.
    pub fn new(component: &[u8], loaded: impl Any + Send + Sync) -> Self {
        Self {
            component: component.into(),
            digest: Digest::of(component),
            loaded: Arc::new(loaded),
        }
    }

    /// Returns the digest of the component.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the bytes of the component.
    pub fn component(&self) -> &[u8] {
        &self.component
    }

    /// Returns the form in which the service loaded the guest, or `None` if it has another type.
    pub fn loaded<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.loaded.downcast_ref()
    }
}

impl fmt::Debug for WorldGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorldGuest").field(&self.digest).finish()
    }
}

/// Guests of one world, at most one for each role.
#[derive(Debug, Clone, Default)]
pub struct WorldGuests(BTreeMap<GuestRole, WorldGuest>);

impl WorldGuests {
    /// Returns the guest with this role.
    pub fn get(&self, role: GuestRole) -> Option<&WorldGuest> {
        self.0.get(&role)
    }

    /// Sets the guest of a role, and replaces an earlier one.
    pub fn insert(&mut self, role: GuestRole, guest: WorldGuest) {
        self.0.insert(role, guest);
    }

    /// Returns the digest of the guest with this role.
    pub fn digest(&self, role: GuestRole) -> Option<Digest> {
        self.get(role).map(WorldGuest::digest)
    }

    /// Returns the guests, ordered by role.
    pub fn iter(&self) -> impl Iterator<Item = (GuestRole, &WorldGuest)> {
        self.0.iter().map(|(role, guest)| (*role, guest))
    }

    /// Returns the digests of all guests, ordered by role.
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
    /// Returns an error if the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<(), StoreError> {
        self.0
            .values()
            .try_for_each(|guest| store.put(guest.component()).map(drop))
    }
}

/// Error of loading a guest of a world.
#[derive(Debug, thiserror::Error)]
pub enum WorldGuestError {
    /// Worlds of the service do not have guests with this role.
    #[error(
        "worlds of the service {service:?} cannot have a guest with the role `{role}`{}",
        file.as_ref().map_or_else(String::new, |file| format!("; remove {}", file.display()))
    )]
    UnknownRole {
        /// Role of the guest.
        role: GuestRole,
        /// Name of the service.
        service: String,
        /// Source file of the guest, if it is on disk.
        file: Option<PathBuf>,
    },
    /// The component cannot be loaded.
    #[error("`{role}` guest: {source}")]
    Load {
        /// Role of the guest.
        role: GuestRole,
        /// Cause of the error.
        source: Box<LoadError>,
    },
}

impl WorldGuestError {
    /// Reports whether the host caused the error, and not the guest.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::UnknownRole { .. } => false,
            Self::Load { source, .. } => source.is_infrastructure(),
        }
    }
}
