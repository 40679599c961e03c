//! Opening of bundles, wherever they are: in a directory, in a tar archive or in a registry, directly or through a
//! lock.
//!
//! [`Place::of`] resolves a path, a lock or a reference. [`LocalPlace::open`] opens a bundle of this machine, and
//! [`RemotePlace::fetch`] fetches one from a registry, or takes what was fetched before if the registry is unavailable.
//! Both check the lock, but neither checks the signatures: ask a [`PolicyFile`](crate::trust::PolicyFile) before
//! [`BundleCache::unpack`]. HTTP client, credentials and time are those of the caller.
//!
//! ```no_run
//! use mcpmark_bundle::Registry;
//! use mcpmark_bundle::open::{BundleCache, FetchDepth, HeldBackVerifiers, OpenError, Place, Unpacked};
//! use mcpmark_bundle::trust::PolicyFile;
//!
//! async fn library(
//!     path: &std::path::Path,
//!     cache: &BundleCache,
//!     policy: &PolicyFile,
//! ) -> Result<Unpacked, OpenError> {
//!     let opened = match Place::of(path)? {
//!         Place::Local(place) => place.open()?,
//!         Place::Remote(place) => {
//!             let registry = Registry::new(&place.reference, false, None);
//!             let registry = registry.map_err(|error| place.error(error))?;
//!             let depth = FetchDepth::Everything;
//!             place.fetch(&registry, cache, depth, &mut |_| {}).await?
//!         }
//!     };
//!     policy.check(&opened.signed(), jiff::Timestamp::now())?;
//!     cache.try_to_remember(&opened);
//!     let held_back = HeldBackVerifiers::of(&opened.bundle);
//!     cache.unpack(&opened, held_back.given())
//! }
//! ```

mod cache;
mod error;
mod held_back;
mod lock_file;
mod place;
mod root;
mod unpacked;

use mcpmark_snapshot::Digest;

pub use self::cache::BundleCache;
pub use self::error::OpenError;
pub use self::held_back::{HeldBackVerifiers, VerifierFile};
pub use self::lock_file::{LockFile, LockSourceError};
pub use self::place::{
    LocalPlace, Place, RemotePlace, check_exists, is_reference, is_root, looks_like_bundle,
};
pub use self::root::{LibraryRoot, LibraryRootError, TaskRoot};
pub use self::unpacked::Unpacked;
use crate::trust::Attached;
use crate::trust::policy::SignedBundle;
use crate::{
    BlobDirectory, Bundle, BundleError, Layout, Lock, NewLayout, Reference, Registry,
    RegistryError, SUITE, Source, TASK, Transferred, fetch,
};

/// Bundle with the source of its layers.
pub struct Opened {
    /// Manifests and configs.
    pub bundle: Bundle,
    /// Source of the blobs.
    pub source: Box<dyn Source + Send + Sync>,
    /// Attached signatures, not verified.
    pub signatures: Vec<Attached>,
    /// Names of the bundle for the trust policy: its own, and that of its repository.
    pub names: Vec<String>,
    /// Statistics of the transfer; `None` for a local bundle.
    pub transferred: Option<Transferred>,
    /// Lock that the bundle was opened with.
    pub lock: Option<Lock>,
}

impl Opened {
    /// Opens the only bundle of a layout with its signatures.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout does not contain exactly one bundle, or if a document or a signature is invalid.
    pub fn of_layout(layout: Layout) -> Result<Self, BundleError> {
        let bundle = Bundle::of_layout(&layout)?;
        let signatures = layout.signatures(&bundle.root.digest)?;
        Ok(Self {
            signatures,
            names: bundle.name.iter().cloned().collect(),
            bundle,
            source: Box::new(layout),
            transferred: None,
            lock: None,
        })
    }

    /// Returns a copy of the layout with the bundle and its signatures.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob is missing or damaged.
    pub fn layout(&self) -> Result<NewLayout, BundleError> {
        let source: &dyn Source = &*self.source;
        let mut layout = NewLayout::default();
        layout.list(self.bundle.root.clone());
        for (what, descriptor) in self.bundle.blobs() {
            let bytes = fetch(source, &what, &descriptor, descriptor.size)?;
            layout.put(&descriptor.media_type, bytes);
        }
        for attached in &self.signatures {
            for descriptor in attached.all() {
                let bytes = fetch(source, "a signature", descriptor, descriptor.size)?;
                layout.put(&descriptor.media_type, bytes);
            }
            layout.list(attached.descriptor.clone());
        }
        Ok(layout)
    }

    /// Returns the part of the bundle that the trust policy checks.
    pub fn signed(&self) -> SignedBundle<'_> {
        SignedBundle {
            digest: &self.bundle.root.digest,
            names: &self.names,
            signatures: &self.signatures,
        }
    }

    /// Checks the lock that names the bundle, and adds it.
    fn within(mut self, lock: Option<&LockFile>) -> Result<Self, OpenError> {
        if let Some(lock) = lock {
            lock.check(&self.bundle)?;
            self.lock = Some(lock.lock.clone());
        }
        Ok(self)
    }
}

impl Bundle {
    /// Reads the only bundle of a layout.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout does not contain exactly one bundle, or if a document is invalid.
    pub fn of_layout(layout: &Layout) -> Result<Self, BundleError> {
        let root = layout.one_of(&[SUITE, TASK])?;
        Self::read(layout, root)
    }
}

/// Depth of a download from a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchDepth {
    /// Manifests and configs only.
    Documents,
    /// All blobs.
    Everything,
}

/// Reason why a registry is temporarily unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// The registry cannot be reached.
    Unreachable,
    /// The registry interrupted the transfer.
    Interrupted,
}

/// Event while a bundle is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenEvent<'a> {
    /// The registry is unavailable, so the bundle with this digest that was fetched before is used.
    FetchedBefore {
        /// Reference of the bundle.
        reference: &'a Reference,
        /// Reason why the registry is unavailable.
        outage: Outage,
    },
}

impl LocalPlace {
    /// Opens the bundle, and checks the lock that names it. Signatures are not verified.
    ///
    /// # Errors
    ///
    /// Returns an error if the bundle cannot be read or is invalid, or if it is not the locked one.
    pub fn open(&self) -> Result<Opened, OpenError> {
        let layout = Layout::open(&self.path)?;
        Opened::of_layout(layout)?.within(self.lock.as_ref())
    }
}

impl RemotePlace {
    /// Fetches the bundle from its registry to the cache, and checks the lock that names it. Signatures are not
    /// verified.
    ///
    /// If the registry is unavailable, the reference has a digest, and everything was fetched before, the cached bundle
    /// is used, and `report` gets an event.
    ///
    /// # Errors
    ///
    /// Returns an error if neither the registry nor the cache can provide the bundle, if it is invalid, or if it is not
    /// the locked one.
    pub async fn fetch(
        &self,
        registry: &Registry,
        cache: &BundleCache,
        depth: FetchDepth,
        report: &mut (dyn FnMut(OpenEvent<'_>) + Send),
    ) -> Result<Opened, OpenError> {
        let reference = &self.reference;
        let blobs = cache.blobs();
        let fetched = fetched(registry, reference, depth, &blobs).await;
        let (bundle, transferred, signatures) = match fetched {
            Ok(fetched) => fetched,
            Err(error) => {
                let Some((opened, outage)) = fetched_before(cache, reference, depth, &error) else {
                    return Err(self.error(error));
                };
                report(OpenEvent::FetchedBefore { reference, outage });
                return opened.within(self.lock.as_ref());
            }
        };
        if depth == FetchDepth::Everything {
            bundle.remember(&signatures, &blobs, &blobs)?;
        }
        let names = bundle.name.iter().cloned().chain([reference.name()]);
        let opened = Opened {
            names: names.collect(),
            signatures,
            bundle,
            source: Box::new(blobs),
            transferred: Some(transferred),
            lock: None,
        };
        opened.within(self.lock.as_ref())
    }

    /// Adds the reference to an error of the registry.
    pub fn error(&self, source: RegistryError) -> OpenError {
        OpenError::Registry {
            reference: Box::new(self.reference.clone()),
            source,
        }
    }
}

async fn fetched(
    registry: &Registry,
    reference: &Reference,
    depth: FetchDepth,
    blobs: &BlobDirectory,
) -> Result<(Bundle, Transferred, Vec<Attached>), RegistryError> {
    let (bundle, transferred) = match depth {
        FetchDepth::Documents => registry.review(reference, blobs).await,
        FetchDepth::Everything => registry.pull(reference, blobs).await,
    }?;
    let signatures = registry.signatures(&bundle.root.digest, blobs).await?;
    Ok((bundle, transferred, signatures))
}

/// Returns a bundle from the cache, if the registry is unavailable and everything needed was fetched before.
fn fetched_before(
    cache: &BundleCache,
    reference: &Reference,
    depth: FetchDepth,
    error: &RegistryError,
) -> Option<(Opened, Outage)> {
    // Only a reference with a digest can be served from the cache, because a tag may have moved.
    let digest: Digest = reference.digest.filter(|_| error.is_away())?;
    let outage = match error {
        RegistryError::Stopped { .. } => Outage::Interrupted,
        _ => Outage::Unreachable,
    };
    let mut opened = cache.remembered(&digest)?;
    if depth == FetchDepth::Everything && !opened.bundle.is_whole(&cache.blobs()) {
        return None;
    }
    opened.names.push(reference.name());
    opened.transferred = Some(Transferred {
        present: opened.bundle.blobs().len() as u64,
        ..Transferred::default()
    });
    Some((opened, outage))
}

#[cfg(test)]
mod tests;
