//! Location and method of private copies of worlds.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::overlay::{self, Marks};

/// Method for making private copies of worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyMethod {
    /// Overlay mounts if they work, otherwise copying.
    #[default]
    Auto,
    /// Overlay mounts.
    Overlay,
    /// Copying of every file.
    Plain,
}

impl FromStr for CopyMethod {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        match text {
            "auto" => Ok(Self::Auto),
            "overlay" => Ok(Self::Overlay),
            "copy" => Ok(Self::Plain),
            _ => Err(UnknownMethod(text.to_owned())),
        }
    }
}

/// Error of parsing a [`CopyMethod`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid copy method {0:?}: expected auto, overlay or copy")]
pub struct UnknownMethod(String);

/// Error of overlay mounts that do not work in the directory for private copies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("overlay mounts do not work in {}: {reason}", parent.display())]
pub struct NoOverlay {
    /// Directory.
    pub parent: PathBuf,
    /// Cause.
    pub reason: String,
}

/// Directory for private copies, with the method to make them.
#[derive(Clone, Debug)]
pub struct ScratchSpace {
    parent: PathBuf,
    overlay: Result<Marks, String>,
}

impl ScratchSpace {
    /// Creates a space in which every file is copied.
    pub fn plain(parent: impl Into<PathBuf>) -> Self {
        Self {
            parent: parent.into(),
            overlay: Err("plain copies are configured".to_owned()),
        }
    }

    /// Tests an overlay mount in `parent` if `method` allows overlay mounts.
    ///
    /// # Errors
    ///
    /// Returns an error if `method` requires overlay mounts and they do not work.
    pub fn probe(parent: impl Into<PathBuf>, method: CopyMethod) -> Result<Self, NoOverlay> {
        let parent = parent.into();
        if method == CopyMethod::Plain {
            return Ok(Self::plain(parent));
        }
        let overlay = overlay::probe(&parent).map_err(|error| error.to_string());
        match overlay {
            Err(reason) if method == CopyMethod::Overlay => Err(NoOverlay { parent, reason }),
            overlay => Ok(Self { parent, overlay }),
        }
    }

    /// Returns the directory.
    #[must_use]
    pub fn parent(&self) -> &Path {
        &self.parent
    }

    /// Returns `Ok` if copies are overlay mounts, otherwise the reason why they are not.
    pub fn has_overlay(&self) -> Result<(), &str> {
        self.overlay.as_ref().map(drop).map_err(String::as_str)
    }

    pub(crate) fn marks(&self) -> Option<Marks> {
        self.overlay.as_ref().ok().copied()
    }
}
