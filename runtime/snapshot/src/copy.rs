//! Private copies of worlds.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::base::Base;
use crate::overlay::{Marks, Overlay, WORLD};
use crate::upper::capture_changes;
use crate::{
    CaptureError, CaptureOptions, Captured, MaterialiseError, MaterialiseOptions, Materialised,
    Scratch, ScratchSpace, Store, Tree, capture_counted, materialise,
};

const STAGING: &str = "staging";

/// Copy of a world that one session may modify, made with the method of its [`ScratchSpace`]. Files, times and digests
/// are the same with both methods. The copy is removed on drop.
#[derive(Debug)]
pub struct PrivateCopy {
    tree: Tree,
    store: Store,
    clock: i64,
    way: Way,
    /// Dropped after the mount, which is in this directory.
    scratch: Scratch,
}

#[derive(Debug)]
enum Way {
    /// Overlay mount over a base, which all copies of this world share.
    Overlay { mount: Overlay, _base: Arc<Base> },
    /// Directory into which every file was written.
    Plain { written: Materialised },
}

impl PrivateCopy {
    /// Makes a copy of `tree`, whose blobs are in `store`. `clock` is the modification time of files without their own
    /// time, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// If the overlay mount fails for this world, its files are written instead.
    pub fn make(
        tree: &Tree,
        store: &Store,
        space: &ScratchSpace,
        clock: i64,
    ) -> Result<Self, CopyError> {
        let place = |source| CopyError::Place {
            parent: space.parent().to_owned(),
            source,
        };
        tree.check_symlinks().map_err(MaterialiseError::from)?;
        let scratch = Scratch::new(space.parent()).map_err(place)?;
        let overlaid = space
            .marks()
            .and_then(|marks| overlay(tree, store, &scratch, clock, marks).ok());
        let way = match overlaid {
            Some(way) => way,
            None => {
                let root = scratch.path().join(WORLD);
                let options = MaterialiseOptions { clock: Some(clock) };
                let mut written = materialise(tree, store, &root, &options)?;
                written.settle().map_err(place)?;
                fs::create_dir(scratch.path().join(STAGING)).map_err(place)?;
                Way::Plain { written }
            }
        };
        Ok(Self {
            tree: tree.clone(),
            store: store.clone(),
            clock,
            way,
            scratch,
        })
    }

    /// Opens the root of the world.
    pub fn world(&self) -> io::Result<File> {
        self.open(WORLD)
    }

    /// Opens an empty directory next to the world, on the same file system, so that a file written here can be renamed
    /// into the world.
    pub fn staging(&self) -> io::Result<File> {
        self.open(STAGING)
    }

    fn open(&self, name: &str) -> io::Result<File> {
        match &self.way {
            Way::Overlay { mount, .. } => mount.open(name).map(File::from),
            Way::Plain { .. } => File::open(self.scratch.path().join(name)),
        }
    }

    /// Reports whether the copy is an overlay mount.
    #[must_use]
    pub fn is_overlay(&self) -> bool {
        matches!(self.way, Way::Overlay { .. })
    }

    /// Captures the current tree into the store. Reads only changed files.
    pub fn capture(&self) -> Result<Captured, CaptureError> {
        match &self.way {
            Way::Overlay { mount, .. } => capture_changes(
                &mount.changes(),
                mount.marks(),
                &self.tree,
                &self.store,
                self.clock,
            ),
            Way::Plain { written } => {
                let options = CaptureOptions {
                    base: Some((&self.tree, written)),
                    clock: Some(self.clock),
                    ..CaptureOptions::default()
                };
                capture_counted(written.path(), &self.store, &options)
            }
        }
    }

    /// Removes the copy now, and reports errors.
    pub fn close(self) -> io::Result<()> {
        drop(self.way);
        self.scratch.close()
    }
}

fn overlay(
    tree: &Tree,
    store: &Store,
    scratch: &Scratch,
    clock: i64,
    marks: Marks,
) -> io::Result<Way> {
    let base = store.bases().get(tree, store, clock)?;
    let mount = Overlay::mount(base.path(), scratch.path(), marks)?;
    mount.create(STAGING)?;
    Ok(Way::Overlay { mount, _base: base })
}

/// Error of making a private copy.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Error of creating a directory.
    #[error("cannot create a private copy in {}", parent.display())]
    Place {
        /// Parent directory of the copy.
        parent: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Error of writing the world.
    #[error(transparent)]
    Materialise(#[from] MaterialiseError),
}
