//! Where private copies of worlds are made, and how.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::overlay::{self, Marks};

/// How private copies of worlds are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyMethod {
    /// By overlay mounts where they work, else by copying.
    #[default]
    Auto,
    /// By overlay mounts.
    Overlay,
    /// By writing every file.
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

/// A method of that name does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of auto, overlay and copy")]
pub struct UnknownMethod(String);

/// Overlay mounts do not work where private copies are to be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("overlay mounts do not work in {}: {reason}", parent.display())]
pub struct NoOverlay {
    /// The directory.
    pub parent: PathBuf,
    /// What went wrong.
    pub reason: String,
}

/// A directory for private copies, and how they are made in it.
#[derive(Clone, Debug)]
pub struct ScratchSpace {
    parent: PathBuf,
    overlay: Result<Marks, String>,
}

impl ScratchSpace {
    /// Copies are written file by file.
    pub fn plain(parent: impl Into<PathBuf>) -> Self {
        Self {
            parent: parent.into(),
            overlay: Err("copying was chosen".to_owned()),
        }
    }

    /// Tries an overlay mount in `parent` where `method` allows for one.
    ///
    /// # Errors
    ///
    /// When only overlay mounts will do and they do not work.
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

    /// The directory.
    #[must_use]
    pub fn parent(&self) -> &Path {
        &self.parent
    }

    /// Whether copies are overlay mounts, or why not.
    pub fn has_overlay(&self) -> Result<(), &str> {
        self.overlay.as_ref().map(drop).map_err(String::as_str)
    }

    pub(crate) fn marks(&self) -> Option<Marks> {
        self.overlay.as_ref().ok().copied()
    }
}
