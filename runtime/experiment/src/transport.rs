//! An experiment with its states in one file, for another machine to go on with.
//!
//! The file is a tar archive of two streams: the states that attempts need, and then the rows of the
//! journal. Whoever reads it has the states before the first row says that they are there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use mcpmark_archive::states::{self, StatesError, WriteError, Written};
use mcpmark_archive::tar::{Bounds, Reader, TarError, Writer};
use mcpmark_snapshot::{Blobs, Digest, Store};

use crate::journal::{AttemptNeeds, CarryError, JournalError, Most, Need, PLANNED};
use crate::terms::TermsError;
use crate::{Journal, Reference, Spec, Terms};

const STATES: &str = "states.tar.zst";
const ROWS: &str = "experiment.jsonl.zst";

/// The parts of a file, and what is wrong where one is not there.
const PARTS: [(&str, &str); 2] = [
    (STATES, "its first part is not its states"),
    (ROWS, "its second part is not its rows"),
];

/// The file that carries an experiment: whoever takes it in has chosen it.
const FILE: Bounds = Bounds {
    entries: 2,
    bytes: 16 << 30,
};

/// The most that comes out of its states, and so the most that goes into them.
const CONTENT: Bounds = Bounds {
    entries: 4_000_000,
    bytes: 64 << 30,
};

/// How much one file carries, by the names that the page of limits has.
pub const LIMITS: [(&str, u64); 7] = [
    ("file_bytes", FILE.bytes),
    ("state_entries", CONTENT.entries),
    ("state_bytes", CONTENT.bytes),
    ("rows", Most::OF_ALL.rows),
    ("row_bytes", Most::OF_ALL.row_bytes),
    ("rows_bytes", Most::OF_ALL.rows_bytes),
    ("attempts", PLANNED),
];

/// Why an experiment is not carried.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rows are not carried.
    #[error(transparent)]
    Rows(#[from] CarryError),
    /// A state is not whole.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The states of a file are not sound.
    #[error(transparent)]
    States(#[from] StatesError),
    /// A file is no archive.
    #[error(transparent)]
    Archive(#[from] TarError),
    /// A file is none that carries an experiment.
    #[error("it carries no experiment: {0}")]
    NoExperiment(&'static str),
    /// Whoever takes the file in would refuse it.
    #[error("it has {found} {what}, and one file carries {limit}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        found: u64,
        /// How much there may be.
        limit: u64,
    },
    /// The file cannot be read or written.
    #[error("the file cannot be read or written")]
    Io(#[from] io::Error),
}

impl TransportError {
    /// Whether the host is to blame, and not the file.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Rows(CarryError::Journal(JournalError::NameTaken(_))) => false,
            Self::Rows(error) => matches!(error, CarryError::Journal(_)),
            Self::States(error) => error.is_infrastructure(),
            Self::Archive(_) | Self::NoExperiment(_) | Self::TooLarge { .. } => false,
            Self::Journal(_) | Self::Write(_) | Self::Io(_) => true,
        }
    }
}

/// Writes an experiment, and all that its attempts need of the store. Gives how many verifiers are among that:
/// whoever has the file has them, too.
///
/// # Errors
///
/// When there is no such experiment, or something that it needs is not whole.
pub fn export(
    journal: &Journal,
    store: &Store,
    experiment: &str,
    out: &mut dyn Write,
    scratch: &Path,
) -> Result<usize, TransportError> {
    let spec = journal.experiment(experiment)?.spec;
    let spec: Spec = serde_json::from_str(&spec).map_err(JournalError::from)?;
    may_have("attempts in its plan", spec.planned() as u64, PLANNED)?;
    let (mut trees, mut blobs) = (Vec::new(), Vec::new());
    let mut verifiers = HashSet::new();
    for attempt in journal.needs()? {
        if attempt.experiment == experiment {
            let kept = attempt.verifiers.iter();
            verifiers.extend(kept.filter(|digest| store.contains(digest)).copied());
            add(&attempt, store, &mut trees, &mut blobs);
        }
    }
    for list in [&mut trees, &mut blobs] {
        list.sort_unstable();
        list.dedup();
    }
    let mut kept = tempfile::tempfile_in(scratch)?;
    let written = states::write(store, &trees, &blobs, BufWriter::new(&kept))?;
    may_be_carried(written, CONTENT)?;
    let mut rows = zstd::Encoder::new(tempfile::tempfile_in(scratch)?, 3)?;
    rows.include_checksum(true)?;
    journal.carry(experiment, &mut rows)?;
    let mut rows = rows.finish()?;
    let (states, journal) = (kept.seek(SeekFrom::End(0))?, rows.seek(SeekFrom::End(0))?);
    may_have("bytes", states.saturating_add(journal), FILE.bytes)?;
    let mut archive = Writer::new(out);
    for (name, size, file) in [(STATES, states, &mut kept), (ROWS, journal, &mut rows)] {
        file.seek(SeekFrom::Start(0))?;
        archive.stream(name, size, file)?;
    }
    archive.finish()?.flush()?;
    Ok(verifiers.len())
}

fn may_be_carried(written: Written, most: Bounds) -> Result<(), TransportError> {
    may_have("bytes of states", written.bytes, most.bytes)?;
    may_have("entries of states", written.entries, most.entries)
}

fn may_have(what: &'static str, found: u64, limit: u64) -> Result<(), TransportError> {
    if found > limit {
        Err(TransportError::TooLarge { what, found, limit })
    } else {
        Ok(())
    }
}

fn add(attempt: &AttemptNeeds, store: &Store, trees: &mut Vec<Digest>, blobs: &mut Vec<Digest>) {
    trees.extend(&attempt.trees);
    blobs.extend(&attempt.terms);
    for digest in &attempt.terms {
        let Ok(terms) = Terms::read(store, digest) else {
            // A document that is lost cannot be written either, and one that is none refers to nothing.
            continue;
        };
        for reference in terms.references() {
            match reference {
                Reference::Blob(digest) => blobs.push(digest),
                Reference::Tree(root) => trees.push(root),
            }
        }
    }
    // Grades of old have no terms, and their verifiers were not kept; answers are where they were judged.
    let sometimes = attempt.verifiers.iter().chain(&attempt.answer);
    blobs.extend(sometimes.filter(|digest| store.contains(digest)));
}

fn open(file: &Path) -> Result<Reader<BufReader<File>>, TransportError> {
    // Nobody waits at a pipe.
    if !fs::metadata(file)?.is_file() {
        return Err(TransportError::NoExperiment("it is no regular file"));
    }
    Ok(Reader::new(BufReader::new(File::open(file)?), FILE))
}

/// Whether a file is meant as one that carries an experiment.
pub fn is_meant(file: &Path) -> bool {
    let first = open(file).map(|mut archive| archive.next());
    matches!(first, Ok(Ok(Some(entry))) if entry.name == STATES)
}

/// Writes the states of a file into a store again, as far as they lack there.
///
/// # Errors
///
/// When the file carries no experiment, or the store cannot be written.
pub fn mend(store: &Store, file: &Path) -> Result<(), TransportError> {
    let mut archive = open(file)?;
    let [(name, problem), _] = PARTS;
    if archive.next()?.is_none_or(|entry| entry.name != name) {
        return Err(TransportError::NoExperiment(problem));
    }
    states::read(&mut archive, CONTENT, store)?;
    Ok(())
}

/// Takes an experiment in. Gives its name.
///
/// # Errors
///
/// When the file carries none, or one of a name or id that is here.
pub fn import(journal: &Journal, store: &Store, file: &Path) -> Result<String, TransportError> {
    // All of it once before anything is kept.
    let mut archive = open(file)?;
    for (name, problem) in PARTS {
        if archive.next()?.is_none_or(|entry| entry.name != name) {
            return Err(TransportError::NoExperiment(problem));
        }
    }
    if archive.next()?.is_some() {
        return Err(TransportError::NoExperiment("it has more than two parts"));
    }
    let mut archive = open(file)?;
    archive.next()?;
    states::read(&mut archive, CONTENT, store)?;
    archive.next()?;
    let mut decoder = zstd::Decoder::new(&mut archive)?;
    decoder.window_log_max(23)?;
    let whole = RefCell::new(HashSet::new());
    let name = journal.take_over(&mut BufReader::new(decoder), &|need| {
        is_kept(store, need, &whole)
    })?;
    Ok(name)
}

const NOT_CARRIED: &str = "is not carried with it";

/// Whether the store has something that an attempt needs, and has it as that: the rows are anybody's. `whole`
/// are the trees that are known to be.
fn is_kept(
    store: &Store,
    need: Need<'_>,
    whole: &RefCell<HashSet<Digest>>,
) -> Result<(), &'static str> {
    let blob = |digest: &Digest| store.contains(digest).then_some(()).ok_or(NOT_CARRIED);
    let tree = |root: &Digest| {
        blob(root)?;
        if whole.borrow().contains(root) {
            return Ok(());
        }
        let tree = store.load_tree(root).map_err(|_| "is no state")?;
        tree.files().try_for_each(|(_, file)| blob(&file.content))?;
        whole.borrow_mut().insert(*root);
        Ok(())
    };
    match need {
        Need::Start(root) | Need::State(root) => tree(root),
        Need::Verifier(digest) => blob(digest),
        Need::Terms(digest, of) => {
            let terms = Terms::read(store, digest).map_err(|error| match error {
                TermsError::Malformed { .. } => "does not say what a grade follows from",
                _ => NOT_CARRIED,
            })?;
            if terms.verifier.digest() != *of {
                return Err("is of another verifier than the grade");
            }
            terms
                .references()
                .try_for_each(|reference| match reference {
                    Reference::Blob(digest) => blob(&digest),
                    Reference::Tree(root) => tree(&root),
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::{TreeBuilder, TreePath};
    use serde_json::json;

    use super::*;
    use crate::{ComponentTerms, VerifierTerms};

    #[test]
    fn no_file_is_written_that_would_be_refused() {
        let written = |entries, bytes| Written { entries, bytes };
        let Bounds { entries, bytes } = CONTENT;
        assert!(may_be_carried(written(entries, bytes), CONTENT).is_ok());
        for (written, word) in [
            (written(entries + 1, bytes), "4000001 entries"),
            (written(entries, bytes + 1), "68719476737 bytes"),
        ] {
            let error = may_be_carried(written, CONTENT).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
        }
        assert!(may_have("bytes", FILE.bytes, FILE.bytes).is_ok());
        let error = may_have("bytes", FILE.bytes + 1, FILE.bytes).unwrap_err();
        assert!(
            error.to_string().contains("17179869185 bytes, and"),
            "{error}"
        );
    }

    #[test]
    fn what_is_needed_is_what_it_is_needed_as() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let put = |bytes: &[u8]| store.put(bytes).unwrap();
        let (text, absent) = (put(b"text"), Digest::of(b"absent"));
        let directory = |content: &Digest| {
            let file = mcpmark_snapshot::File {
                size: 4,
                executable: false,
                modified: None,
                content: *content,
            };
            let mut tree = TreeBuilder::new();
            tree.insert_file(&TreePath::parse("a").unwrap(), file)
                .unwrap();
            store.put_tree(&tree.finish()).unwrap()
        };
        let (sound, lacking) = (directory(&text), directory(&absent));
        let terms = Terms::new(
            VerifierTerms::Component(ComponentTerms { digest: text }),
            json!({}),
            false,
            mcpmark_sandbox::Limits::default(),
            0,
        );
        let terms = terms.keep(&store).unwrap();
        for (need, problem) in [
            (Need::State(&sound), None),
            (Need::Start(&absent), Some(NOT_CARRIED)),
            (Need::State(&lacking), Some(NOT_CARRIED)),
            (Need::State(&text), Some("is no state")),
            (Need::Verifier(&text), None),
            (Need::Verifier(&absent), Some(NOT_CARRIED)),
            (Need::Terms(&terms, &text), None),
            (Need::Terms(&absent, &text), Some(NOT_CARRIED)),
            (
                Need::Terms(&text, &text),
                Some("does not say what a grade follows from"),
            ),
            (
                Need::Terms(&terms, &sound),
                Some("is of another verifier than the grade"),
            ),
        ] {
            let found = is_kept(&store, need, &RefCell::default());
            assert_eq!(found.err(), problem, "{need:?}");
        }
    }
}
