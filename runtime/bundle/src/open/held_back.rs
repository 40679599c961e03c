//! Verifiers that a bundle holds back, and that their owner hands over.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_snapshot::Digest;

use super::OpenError;
use crate::{Bundle, Layout, SCRIPT, VERIFIER};

/// Kind of a file that is handed over for its verifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifierFile {
    /// Bundle with the verifiers, such as a copy of the suite that was packed with them.
    Bundle,
    /// Script of a published task.
    Script,
    /// WebAssembly component.
    Component,
}

impl VerifierFile {
    /// Returns the kind of a file: a directory or a tar archive is a bundle, and the extension `py` that of scripts.
    pub fn of(file: &Path) -> Self {
        let extension = file.extension().and_then(|it| it.to_str());
        match extension {
            Some("tar") => Self::Bundle,
            _ if file.is_dir() => Self::Bundle,
            Some("py") => Self::Script,
            _ => Self::Component,
        }
    }
}

/// Verifiers that the tasks of a bundle hold back, and those of them that were handed over.
#[derive(Debug, Clone)]
pub struct HeldBackVerifiers {
    /// Digest of the verifier of each task that holds it back.
    wanted: Vec<Digest>,
    given: BTreeMap<Digest, Vec<u8>>,
}

impl HeldBackVerifiers {
    /// Returns the verifiers that a bundle holds back. None of them is handed over yet.
    pub fn of(bundle: &Bundle) -> Self {
        let tasks = bundle.tasks.iter();
        Self {
            wanted: tasks.filter_map(|it| it.held_back()).collect(),
            given: BTreeMap::new(),
        }
    }

    /// Adds a verifier: a component with its digest, or a packed script with the digest of its tree.
    ///
    /// # Errors
    ///
    /// Returns [`OpenError::UnwantedVerifier`] with the path `file` if no task holds it back.
    pub fn add(&mut self, file: &Path, digest: Digest, bytes: Vec<u8>) -> Result<(), OpenError> {
        if !self.wanted.contains(&digest) {
            return Err(OpenError::UnwantedVerifier {
                file: file.to_owned(),
                digest,
            });
        }
        self.given.insert(digest, bytes);
        Ok(())
    }

    /// Adds the verifiers that a bundle on this machine has.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read, and [`OpenError::NoVerifiers`] if it has none of them.
    pub fn add_bundle(&mut self, place: &Path) -> Result<(), OpenError> {
        let layout = Layout::open(place)?;
        let mut found = BTreeMap::new();
        for task in Bundle::of_layout(&layout)?.tasks {
            let digest = task.judged_by.digest();
            if !self.wanted.contains(&digest) || found.contains_key(&digest) {
                continue;
            }
            for file in [VERIFIER, SCRIPT] {
                if let Some(bytes) = task.read(&layout, file)? {
                    found.insert(digest, bytes);
                }
            }
        }
        if found.is_empty() {
            return Err(OpenError::NoVerifiers {
                place: place.to_owned(),
            });
        }
        self.given.append(&mut found);
        Ok(())
    }

    /// Returns the verifiers that were handed over, by digest.
    pub fn given(&self) -> &BTreeMap<Digest, Vec<u8>> {
        &self.given
    }

    /// Returns the number of tasks whose verifier was not handed over.
    pub fn missing(&self) -> usize {
        let wanted = self.wanted.iter();
        wanted.filter(|it| !self.given.contains_key(it)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::tests::bundle;

    #[test]
    fn the_kind_of_a_file_follows_from_its_name() {
        let dir = tempfile::tempdir().unwrap();
        for (name, kind) in [
            ("suite.tar", VerifierFile::Bundle),
            ("verify.py", VerifierFile::Script),
            ("verifier.wasm", VerifierFile::Component),
            ("verifier", VerifierFile::Component),
        ] {
            assert_eq!(VerifierFile::of(Path::new(name)), kind, "{name}");
        }
        assert_eq!(VerifierFile::of(dir.path()), VerifierFile::Bundle);
        let scripts = dir.path().join("scripts.py");
        std::fs::create_dir(&scripts).unwrap();
        assert_eq!(VerifierFile::of(&scripts), VerifierFile::Bundle);
    }

    #[test]
    fn verifiers_are_handed_over_alone_or_in_a_bundle() {
        let (layout, root) = bundle(&|_, _| {});
        let whole = Bundle::read(&layout, &root).unwrap();
        let dir = tempfile::tempdir().unwrap();
        layout.write_directory(dir.path()).unwrap();
        let file = Path::new("verifier.wasm");
        let other = Digest::of(b"other");

        let mut nothing = HeldBackVerifiers::of(&whole);
        assert_eq!(nothing.missing(), 0);
        let refused = nothing.add(file, other, Vec::new());
        assert!(matches!(refused, Err(OpenError::UnwantedVerifier { .. })));
        let refused = nothing.add_bundle(dir.path());
        assert!(matches!(refused, Err(OpenError::NoVerifiers { .. })));

        let verifier = whole.tasks[0].judged_by.digest();
        let mut held_back = HeldBackVerifiers {
            wanted: vec![verifier, verifier, other],
            given: BTreeMap::new(),
        };
        assert_eq!(held_back.missing(), 3);
        held_back.add_bundle(dir.path()).unwrap();
        assert_eq!(held_back.missing(), 1);
        held_back.add(file, other, b"component".to_vec()).unwrap();
        assert_eq!(held_back.missing(), 0);
        let given: Vec<&Digest> = held_back.given().keys().collect();
        assert_eq!(given.len(), 2);
        assert_eq!(held_back.given()[&verifier], vec![b'v'; 5000]);
    }
}
