use std::fmt;
use std::path::{Path, PathBuf};

use crate::document::Place;
use crate::{Error, HeldBack};

/// The role of a guest that a world brings along. Its file is named after it, and so is the key of its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuestRole(&'static str);

impl GuestRole {
    /// Continuous integration: a verifier of single commits that runs the workflows of a repository.
    pub const CI: Self = Self("ci");

    /// All roles that a world on disk or in a bundle may have a guest of.
    pub const ALL: &[Self] = &[Self::CI];

    /// The name of the role.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// The files in a directory that a guest of the role may be made of.
    pub(crate) fn files(self) -> [String; 2] {
        [format!("{}.rs", self.0), format!("{}.wasm", self.0)]
    }
}

impl fmt::Display for GuestRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Where the code of a guest comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuestSource {
    /// A Rust source file that is the root of a cargo target.
    Rust {
        /// The root file, as in `verifier.rs`.
        source: PathBuf,
        /// The directory of the package's `Cargo.toml`.
        package_dir: PathBuf,
    },
    /// A ready component.
    Wasm(PathBuf),
    /// A verifier that somebody else has.
    HeldBack {
        /// The file that says so.
        place: PathBuf,
        /// What is known of it.
        verifier: HeldBack,
    },
}

impl GuestSource {
    /// The file that stands for the guest.
    pub fn path(&self) -> &Path {
        match self {
            Self::Rust { source, .. } => source,
            Self::Wasm(path) => path,
            Self::HeldBack { place, .. } => place,
        }
    }

    /// The verifier that somebody else has, where it is one.
    pub fn held_back(&self) -> Option<&HeldBack> {
        match self {
            Self::HeldBack { verifier, .. } => Some(verifier),
            Self::Rust { .. } | Self::Wasm(_) => None,
        }
    }

    /// The guest named `stem` in `dir`, whose package is in `package`; none where there is no such file.
    pub(crate) fn find(dir: &Place, stem: &str, package: &Place) -> Result<Option<Self>, Error> {
        let (rust, wasm) = (
            dir.join(&format!("{stem}.rs")),
            dir.join(&format!("{stem}.wasm")),
        );
        match (rust.path.is_file(), wasm.path.is_file()) {
            (false, false) => Ok(None),
            (true, true) => Err(dir.layout(format!(
                "{stem}.rs and {stem}.wasm both exist; keep the one that is meant"
            ))),
            (false, true) => Ok(Some(Self::Wasm(wasm.path))),
            (true, false) if !package.join("Cargo.toml").path.is_file() => {
                Err(rust.layout(format!(
                    "has no package to build it; add {}",
                    package.join("Cargo.toml").shown.display()
                )))
            }
            (true, false) => Ok(Some(Self::Rust {
                source: rust.path,
                package_dir: package.path.clone(),
            })),
        }
    }
}
