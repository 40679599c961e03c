//! The store's upkeep: what uses space, what nothing needs, and whether all that is needed is whole.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use mcpmark_snapshot::{Blobs, Digest, LoadError as TreeError, Needed, Removed, Store, StoreError};
use serde::Serialize;

use crate::journal::{AttemptNeeds, BadRow, JournalError};
use crate::terms::TermsError;
use crate::{Journal, Reference, Terms};

/// Why the store cannot be looked after.
#[derive(Debug, thiserror::Error)]
pub enum UpkeepError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What an attempt needs is not as it should be, so what it names is not known.
    #[error("attempt {attempt} of experiment {experiment:?} needs {digest}, which {problem}")]
    NotWhole {
        /// The attempt.
        attempt: String,
        /// Its experiment.
        experiment: String,
        /// A directory of a tree, or a document.
        digest: Digest,
        /// The problem.
        problem: &'static str,
    },
    /// A journal that never knew of an experiment says nothing about what is needed.
    #[error("the journal knows of no experiment, and the store has {blobs} blobs")]
    NothingKnown {
        /// Those in the store.
        blobs: usize,
    },
}

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// What experiments need, by name.
    pub experiments: Vec<ExperimentStats>,
    /// What several of them need.
    pub shared: Amount,
    /// What nothing needs.
    pub unneeded: Amount,
    /// Everything.
    pub total: Amount,
    /// Bytes of worlds that are laid out for attempts.
    pub bases_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
}

/// What one experiment needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExperimentStats {
    /// Its name.
    pub experiment: String,
    /// Its attempts, tries that were made again among them.
    pub attempts: usize,
    /// All that it needs.
    pub needs: Amount,
    /// What nobody else needs.
    pub own: Amount,
}

/// Blobs and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// How many.
    pub blobs: u64,
    /// How large together.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, length: u64) {
        self.blobs += 1;
        self.bytes += length;
    }
}

/// A blob that an attempt needs and that is not as it should be: it is missing, or one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The blob.
    pub digest: Digest,
    /// Whether it is there, with other bytes.
    pub damaged: bool,
    /// Whether it has the bytes of its name, and they are not the directory or document that is needed.
    pub unfit: bool,
    /// The attempts that need it, the first of them.
    pub attempts: Vec<String>,
}

/// What looking at every byte of a store found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Blobs that were read, and their bytes.
    pub read: Amount,
    /// Those that attempts need and that are missing or damaged.
    pub faults: Vec<Fault>,
    /// Damaged blobs that nothing needs.
    pub unneeded_damaged: Vec<Digest>,
    /// Rows of the journal that are damaged or contradict others.
    pub rows: Vec<BadRow>,
}

/// Attempts that are named for one fault.
const NAMED: usize = 10;

/// Adds what an attempt needs, as far as that is known. What should say more and does not is told to `lost`,
/// with what is wrong with it, which may end it.
fn add(
    needed: &mut Needed,
    attempt: &AttemptNeeds,
    store: &Store,
    mut lost: impl FnMut(Digest, &'static str) -> Result<(), UpkeepError>,
) -> Result<(), UpkeepError> {
    let mut trees = attempt.trees.clone();
    let blobs = attempt.verifiers.iter().chain(&attempt.terms).copied();
    for digest in blobs.chain(attempt.answer) {
        needed.add_blob(digest);
    }
    for digest in &attempt.terms {
        match Terms::read(store, digest) {
            Ok(terms) => {
                for reference in terms.references() {
                    match reference {
                        Reference::Blob(digest) => needed.add_blob(digest),
                        Reference::Tree(root) => trees.push(root),
                    }
                }
            }
            Err(TermsError::Malformed { .. }) => lost(*digest, NO_DOCUMENT)?,
            Err(_) => lost(*digest, NOT_WHOLE)?,
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
const NO_DIRECTORY: &str = "is no directory";
const NO_DOCUMENT: &str = "does not say what a grade follows from";

/// What becomes of the removal where something that an attempt needs is lost already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing is removed.
    Stops,
    /// What nothing names but the lost parts is removed too.
    IsTaken,
}

/// Removes what no attempt needs, or only says what that is. `go_on` is asked before each blob.
///
/// # Errors
///
/// When anybody else uses the store, or the loss stops it: what an attempt needs is not whole, or the
/// journal never had an experiment and the store is not empty.
pub fn collect(
    journal: &Journal,
    store: &Store,
    dry: bool,
    loss: Loss,
    go_on: impl FnMut() -> bool,
) -> Result<Removed, UpkeepError> {
    let mut needed = Needed::new();
    if loss == Loss::Stops && !journal.was_used()? {
        let blobs = store.blobs()?.len();
        if blobs > 0 {
            return Err(UpkeepError::NothingKnown { blobs });
        }
    }
    for attempt in journal.needs()? {
        add(&mut needed, &attempt, store, |digest, problem| match loss {
            Loss::Stops => Err(UpkeepError::NotWhole {
                attempt: attempt.attempt.clone(),
                experiment: attempt.experiment.clone(),
                digest,
                problem,
            }),
            Loss::IsTaken => Ok(()),
        })?;
    }
    Ok(store.remove_unneeded(&needed, dry, go_on)?)
}

/// Says what uses space.
///
/// # Errors
///
/// When the journal or the store cannot be read.
pub fn stats(journal: &Journal, store: &Store, journal_file: &Path) -> Result<Stats, UpkeepError> {
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

/// Reads every blob and compares it with its name, looks whether all that attempts need is there, and compares every
/// row of the journal with its check sum.
///
/// # Errors
///
/// When the journal or the store cannot be read.
pub fn check(
    journal: &Journal,
    store: &Store,
    mut go_on: impl FnMut() -> bool,
) -> Result<Checked, UpkeepError> {
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
            // Whoever may not read it, or not now, does not know whether it is whole.
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
        // Those that are there and are not what they should be; it needs the lost ones like any other blob.
        let mut lacks = HashSet::new();
        add(&mut needed, &attempt, store, |digest, _| {
            lacks.insert(digest);
            Ok(())
        })?;
        // The answer is in the store only where it was judged; then its terms say so.
        let judged = attempt
            .terms
            .iter()
            .any(|digest| Terms::read(store, digest).is_ok_and(|terms| terms.answer));
        let old = |digest: &Digest| {
            // Before terms were kept, no verifier was.
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
