//! Golden vectors in `tests/fixtures/vectors`: the exact bytes of documents that are stored, hashed or signed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use serde_json::Value;

const INPUT: &str = ".input.json";

/// Vectors of one format.
pub(crate) struct Vectors {
    directory: PathBuf,
    /// Digests of the expected files by name, from `SHA256SUMS`.
    sums: BTreeMap<String, String>,
    compared: RefCell<BTreeSet<String>>,
}

impl Vectors {
    pub(crate) fn of(form: &str) -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|above| above.join("tests/fixtures/vectors"))
            .find(|directory| directory.is_dir())
            .expect("the repository has tests/fixtures/vectors")
            .join(form);
        let sums = fs::read_to_string(directory.join("SHA256SUMS")).unwrap();
        let sums = sums.lines().map(|line| {
            let (sum, file) = line.split_once("  ").expect("a line of sha256sum");
            (file.to_owned(), sum.to_owned())
        });
        Self {
            sums: sums.collect(),
            directory,
            compared: RefCell::default(),
        }
    }

    /// Returns the inputs by the names of their cases.
    #[allow(dead_code, reason = "some forms have inputs that are written in Rust")]
    pub(crate) fn inputs(&self) -> BTreeMap<String, Value> {
        let entries = fs::read_dir(&self.directory).unwrap();
        let names = entries.filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(INPUT).map(str::to_owned)
        });
        names
            .map(|name| {
                let text = self.read(&format!("{name}{INPUT}"));
                let input = serde_json::from_slice(&text);
                let input = input.unwrap_or_else(|error| panic!("{name}{INPUT}: {error}"));
                (name, input)
            })
            .collect()
    }

    pub(crate) fn read(&self, file: &str) -> Vec<u8> {
        let path = self.directory.join(file);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Checks that the bytes and their SHA-256 equal those of the vector.
    pub(crate) fn assert_same(&self, file: &str, found: &[u8]) {
        let expected = self.read(file);
        let place = self.directory.join(file);
        assert!(
            found == expected,
            "the form of {} has changed, so that digests that are stored no longer fit.\nexpected: {}\n   found: {}",
            place.display(),
            String::from_utf8_lossy(&expected),
            String::from_utf8_lossy(found),
        );
        let sum = self.sums.get(file).map(String::as_str);
        assert_eq!(sum, Some(&*Digest::of(found).hex()), "{file} in SHA256SUMS");
        self.compared.borrow_mut().insert(file.to_owned());
    }

    /// Checks that the test has compared every file of the format.
    pub(crate) fn assert_all_compared(self) {
        let compared = self.compared.into_inner();
        let expected: BTreeSet<String> = self.sums.into_keys().collect();
        assert_eq!(compared, expected, "files of {}", self.directory.display());
    }
}
