//! Guests of tasks and worlds: their roles, and the source of their code.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::document::Place;
use crate::{Error, HeldBack};

/// Role of a guest of a world. It names the guest's file and the JSON key of its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuestRole(&'static str);

impl GuestRole {
    /// Continuous integration: a verifier of single commits that runs the workflows of a repository.
    pub const CI: Self = Self("ci");

    /// Site: answers the requests of a browser.
    pub const SITE: Self = Self("site");

    /// All roles for which a world, on disk or in a bundle, may have a guest.
    pub const ALL: &[Self] = &[Self::CI, Self::SITE];

    /// Returns the name of the role.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the file names that a guest of this role may have: source and component.
    pub(crate) fn files(self) -> [String; 2] {
        [format!("{}.rs", self.0), format!("{}.wasm", self.0)]
    }
}

impl fmt::Display for GuestRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for GuestRole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for GuestRole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let role = Self::ALL.iter().find(|role| role.0 == name);
        // Roles are flattened next to other keys, so an unknown role is reported as an unknown field.
        role.copied()
            .ok_or_else(|| D::Error::custom(format!("unknown field `{name}`")))
    }
}

/// Values by guest role. In serialised form, each value is a member of the enclosing object, with the role as key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByRole<T>(BTreeMap<GuestRole, T>);

impl<T> ByRole<T> {
    /// Returns the value of a role.
    pub fn get(&self, role: GuestRole) -> Option<&T> {
        self.0.get(&role)
    }

    /// Iterates over the values with their roles, in the order of the roles' names.
    pub fn iter(&self) -> impl Iterator<Item = (GuestRole, &T)> {
        self.0.iter().map(|(role, value)| (*role, value))
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for ByRole<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> FromIterator<(GuestRole, T)> for ByRole<T> {
    fn from_iter<I: IntoIterator<Item = (GuestRole, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for ByRole<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByRole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

/// Source of a guest's code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuestSource {
    /// Rust source file, the root of a cargo target.
    Rust {
        /// Root file of the target, such as `verifier.rs`.
        source: PathBuf,
        /// Directory of the package's `Cargo.toml`.
        package_dir: PathBuf,
    },
    /// Prebuilt component.
    Wasm(PathBuf),
    /// Verifier that is held back: only its digest is known.
    HeldBack {
        /// The file `held-back.json` that declares it.
        place: PathBuf,
        /// Digests of the verifier.
        verifier: HeldBack,
    },
}

impl GuestSource {
    /// Returns the path of the guest's file, or of `held-back.json`.
    pub fn path(&self) -> &Path {
        match self {
            Self::Rust { source, .. } => source,
            Self::Wasm(path) => path,
            Self::HeldBack { place, .. } => place,
        }
    }

    /// Returns the digests of a verifier that is held back, or `None` for other guests.
    pub fn held_back(&self) -> Option<&HeldBack> {
        match self {
            Self::HeldBack { verifier, .. } => Some(verifier),
            Self::Rust { .. } | Self::Wasm(_) => None,
        }
    }

    /// Finds the guest named `stem` in `dir`, with the package in `package`. Returns `None` if neither `.rs` nor
    /// `.wasm` exists.
    pub(crate) fn find(dir: &Place, stem: &str, package: &Place) -> Result<Option<Self>, Error> {
        let (rust, wasm) = (
            dir.join(&format!("{stem}.rs")),
            dir.join(&format!("{stem}.wasm")),
        );
        match (rust.path.is_file(), wasm.path.is_file()) {
            (false, false) => Ok(None),
            (true, true) => Err(dir.layout(format!(
                "{stem}.rs and {stem}.wasm both exist; remove one of them"
            ))),
            (false, true) => Ok(Some(Self::Wasm(wasm.path))),
            (true, false) if !package.join("Cargo.toml").path.is_file() => {
                Err(rust.layout(format!(
                    "no package to build it; add {}",
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Form {
        name: String,
        #[serde(flatten)]
        guests: ByRole<u32>,
    }

    #[test]
    fn values_are_members_beside_others_and_unknown_ones_are_refused() {
        let read = |json: Value| serde_json::from_value::<Form>(json);
        for (guests, json) in [
            (ByRole::default(), json!({"name": "a"})),
            (
                ByRole::from_iter([(GuestRole::CI, 3)]),
                json!({"name": "a", "ci": 3}),
            ),
        ] {
            let form = Form {
                name: "a".to_owned(),
                guests,
            };
            assert_eq!(serde_json::to_value(&form).unwrap(), json);
            assert_eq!(read(json).unwrap(), form);
        }
        let error = read(json!({"name": "a", "cd": 3})).unwrap_err();
        assert_eq!(error.to_string(), "unknown field `cd`");
    }
}
