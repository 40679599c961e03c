//! Upkeep of the store: statistics, garbage collection and integrity checks.

mod repair;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use mcpmark_grading::{Reference, Terms, TermsError};
use mcpmark_journal::{AttemptNeeds, BadRow, Journal, JournalError, NeededObject};
use mcpmark_snapshot::{Blobs, Digest, LoadError as TreeError, Needed, Removed, Store, StoreError};
use serde::Serialize;

pub use self::repair::{RepairError, Repaired, repair};

/// Errors of maintaining the store.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An object that an attempt needs is missing, damaged or malformed, so the objects that it references are unknown.
    #[error("attempt {attempt} of experiment {experiment:?} needs {digest}, which {problem}")]
    NotWhole {
        /// Id of the attempt.
        attempt: String,
        /// Name of the experiment.
        experiment: String,
        /// Digest of the directory of a tree, or of the document of terms.
        digest: Digest,
        /// Problem of the object.
        problem: &'static str,
    },
    /// The journal never contained an experiment, so it cannot tell which blobs are needed.
    #[error("the journal never had an experiment, but the store has {blobs} blobs")]
    NothingKnown {
        /// Number of blobs in the store.
        blobs: usize,
    },
}

/// Statistics of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Use of the store by experiment, sorted by name.
    pub experiments: Vec<ExperimentStats>,
    /// Blobs that several experiments need.
    pub shared: Amount,
    /// Blobs that no attempt needs.
    pub unneeded: Amount,
    /// All blobs.
    pub total: Amount,
    /// Size of the worlds that are laid out for attempts, in bytes.
    pub bases_bytes: u64,
    /// Size of the journal, in bytes.
    pub journal_bytes: u64,
}

/// Use of the store by one experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExperimentStats {
    /// Name of the experiment.
    pub experiment: String,
    /// Number of attempts, including repeated tries.
    pub attempts: usize,
    /// All blobs that the experiment needs.
    pub needs: Amount,
    /// Blobs that no other experiment needs.
    pub own: Amount,
}

/// Number and total size of blobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// Number of blobs.
    pub blobs: u64,
    /// Total size, in bytes.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, length: u64) {
        self.blobs += 1;
        self.bytes += length;
    }
}

/// Faulty blob that an attempt needs: missing (neither flag is set), damaged or unfit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Digest of the blob.
    pub digest: Digest,
    /// True if the blob exists and its bytes do not match its digest.
    pub damaged: bool,
    /// True if the bytes match the digest, but are not the directory or document that is needed.
    pub unfit: bool,
    /// Ids of the attempts that need the blob, at most 10.
    pub attempts: Vec<String>,
}

/// Result of an integrity check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Number and size of the blobs that were read.
    pub read: Amount,
    /// Faulty blobs that attempts need.
    pub faults: Vec<Fault>,
    /// Digests of damaged blobs that no attempt needs.
    pub unneeded_damaged: Vec<Digest>,
    /// Rows of the journal that are damaged or contradict others.
    pub rows: Vec<BadRow>,
}

/// Maximum number of attempts that are listed for one fault.
const NAMED: usize = 10;

/// Adds the objects that an attempt needs. Calls `lost` for each object whose references cannot be read, with a
/// description of the problem; an error of `lost` is returned.
fn add(
    needed: &mut Needed,
    attempt: &AttemptNeeds,
    store: &Store,
    mut lost: impl FnMut(Digest, &'static str) -> Result<(), MaintenanceError>,
) -> Result<(), MaintenanceError> {
    let (mut trees, mut documents) = (Vec::new(), Vec::new());
    for object in attempt.objects() {
        match object {
            NeededObject::Tree(root) => trees.push(root),
            NeededObject::Answer(digest) | NeededObject::Verifier(digest) => {
                needed.add_blob(digest);
            }
            NeededObject::Terms(digest) => {
                needed.add_blob(digest);
                documents.push(digest);
            }
        }
    }
    for digest in documents {
        match Terms::read(store, &digest) {
            Ok(terms) => {
                for reference in terms.references() {
                    match reference {
                        Reference::Blob(digest) => needed.add_blob(digest),
                        Reference::Tree(root) => trees.push(root),
                    }
                }
            }
            Err(TermsError::Malformed { .. }) => lost(digest, NO_DOCUMENT)?,
            Err(_) => lost(digest, NOT_WHOLE)?,
        }
    }
    for tree in &trees {
        if let Err(error) = needed.add_tree(store, tree) {
            let problem = match error {
                TreeError::Encoding { .. } => NO_DIRECTORY,
                _ => NOT_WHOLE,
            };
            lost(error.directory().unwrap_or(*tree), problem)?;
        }
    }
    Ok(())
}

const NOT_WHOLE: &str = "is missing or damaged";
const NO_DIRECTORY: &str = "is not a directory";
const NO_DOCUMENT: &str = "is not a valid document of terms";

/// Behaviour of garbage collection if an object that an attempt needs is lost already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingBlobs {
    /// Abort without removing anything.
    Abort,
    /// Continue, and also remove objects that only lost objects reference.
    Ignore,
}

/// Removes blobs that no attempt needs, and the laid-out worlds of trees that no attempt needs. With `dry` it only
/// counts them. `go_on` is called before each; false stops the removal.
///
/// # Errors
///
/// Returns an error if the store is not open exclusively, except with `dry`, or if it or the journal cannot be read or
/// written. With [`MissingBlobs::Abort`], also returns an error if an object that an attempt needs is missing or
/// damaged, or if the journal never contained an experiment and the store is not empty.
pub fn collect(
    journal: &Journal,
    store: &Store,
    dry: bool,
    missing: MissingBlobs,
    go_on: impl FnMut() -> bool,
) -> Result<Removed, MaintenanceError> {
    let mut needed = Needed::new();
    if missing == MissingBlobs::Abort && !journal.was_used()? {
        let blobs = store.blobs()?.len();
        if blobs > 0 {
            return Err(MaintenanceError::NothingKnown { blobs });
        }
    }
    for attempt in journal.needs()? {
        add(
            &mut needed,
            &attempt,
            store,
            |digest, problem| match missing {
                MissingBlobs::Abort => Err(MaintenanceError::NotWhole {
                    attempt: attempt.attempt.clone(),
                    experiment: attempt.experiment.clone(),
                    digest,
                    problem,
                }),
                MissingBlobs::Ignore => Ok(()),
            },
        )?;
    }
    Ok(store.remove_unneeded(&needed, dry, go_on)?)
}

/// Returns statistics of the store's use by experiment.
///
/// # Errors
///
/// Returns an error if the journal or the store cannot be read.
pub fn stats(
    journal: &Journal,
    store: &Store,
    journal_file: &Path,
) -> Result<Stats, MaintenanceError> {
    let mut by_experiment: BTreeMap<String, (usize, Needed)> = BTreeMap::new();
    for attempt in journal.needs()? {
        let (attempts, needed) = by_experiment.entry(attempt.experiment.clone()).or_default();
        *attempts += 1;
        add(needed, &attempt, store, |_, _| Ok(()))?;
    }
    let blobs = store.blobs()?;
    let lengths: HashMap<Digest, u64> = blobs.iter().copied().collect();
    let mut users: HashMap<Digest, u32> = HashMap::new();
    for (_, needed) in by_experiment.values() {
        for digest in needed.blobs() {
            *users.entry(*digest).or_default() += 1;
        }
    }
    let (mut shared, mut unneeded, mut total) =
        (Amount::default(), Amount::default(), Amount::default());
    for (digest, length) in &blobs {
        total.add(*length);
        match users.get(digest) {
            None => unneeded.add(*length),
            Some(1) => {}
            Some(_) => shared.add(*length),
        }
    }
    let experiments = by_experiment
        .into_iter()
        .map(|(experiment, (attempts, needed))| {
            let (mut needs, mut own) = (Amount::default(), Amount::default());
            for digest in needed.blobs() {
                let Some(length) = lengths.get(digest) else {
                    continue;
                };
                needs.add(*length);
                if users.get(digest) == Some(&1) {
                    own.add(*length);
                }
            }
            ExperimentStats {
                experiment,
                attempts,
                needs,
                own,
            }
        })
        .collect();
    let files = ["", "-wal"].map(|end| {
        let mut file = journal_file.as_os_str().to_owned();
        file.push(end);
        fs::metadata(file).map_or(0, |metadata| metadata.len())
    });
    Ok(Stats {
        experiments,
        shared,
        unneeded,
        total,
        bases_bytes: store.bases_bytes(),
        journal_bytes: files.iter().sum(),
    })
}

/// Checks the integrity of store and journal: compares each blob with its digest, looks for missing objects that
/// attempts need, and compares each row of the journal with its checksum. `go_on` is called before each blob; false
/// stops the reading of blobs.
///
/// # Errors
///
/// Returns an error if the journal or the store cannot be read.
pub fn check(
    journal: &Journal,
    store: &Store,
    mut go_on: impl FnMut() -> bool,
) -> Result<Checked, MaintenanceError> {
    let mut read = Amount::default();
    let mut damaged = HashSet::new();
    let mut there = HashSet::new();
    for (digest, length) in store.blobs()? {
        if !go_on() {
            break;
        }
        match store.read(&digest) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                damaged.insert(digest);
            }
            // An unreadable blob is not proven damaged, so the check fails.
            Err(source) => {
                let path = store.blob_path(&digest);
                return Err(StoreError::Read { path, source }.into());
            }
        }
        read.add(length);
        there.insert(digest);
    }
    let mut faults: BTreeMap<Digest, Vec<String>> = BTreeMap::new();
    let mut needed_damaged = HashSet::new();
    for attempt in journal.needs()? {
        let mut needed = Needed::new();
        // Objects that exist but are not what is needed. Lost objects are in `needed`, like any other blob.
        let mut lacks = HashSet::new();
        add(&mut needed, &attempt, store, |digest, _| {
            lacks.insert(digest);
            Ok(())
        })?;
        // The store contains the answer only if it was judged, which the terms state.
        let judged = attempt
            .terms
            .iter()
            .any(|digest| Terms::read(store, digest).is_ok_and(|terms| terms.answer));
        let old = |digest: &Digest| {
            // Before terms were stored, verifiers were not stored either.
            (attempt.terms.is_empty() && attempt.verifiers.contains(digest))
                || (!judged && attempt.answer == Some(*digest))
        };
        let bad = needed
            .blobs()
            .filter(|digest| (!there.contains(digest) && !old(digest)) || damaged.contains(digest));
        lacks.extend(bad.copied());
        for digest in lacks {
            needed_damaged.insert(digest);
            let attempts = faults.entry(digest).or_default();
            if attempts.len() < NAMED {
                attempts.push(attempt.attempt.clone());
            }
        }
    }
    let mut unneeded_damaged: Vec<Digest> = damaged.difference(&needed_damaged).copied().collect();
    unneeded_damaged.sort_unstable();
    Ok(Checked {
        read,
        faults: faults
            .into_iter()
            .map(|(digest, attempts)| Fault {
                digest,
                damaged: damaged.contains(&digest),
                unfit: there.contains(&digest) && !damaged.contains(&digest),
                attempts,
            })
            .collect(),
        unneeded_damaged,
        rows: journal.check_rows()?,
    })
}
