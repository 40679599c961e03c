//! Export and import of an experiment with its states as one file.
//!
//! The file is a tar archive of two zstd streams: first the states that attempts need, then the rows of the journal. So
//! an importer has the states before it reads the rows that reference them.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use mcpmark_archive::states::{self, StatesError, WriteError, Written};
use mcpmark_archive::tar::{Bounds, Reader, TarError, Writer};
use mcpmark_grading::{Reference, Terms, TermsError};
use mcpmark_journal::{
    AttemptNeeds, Journal, JournalError, MAX_PLANNED, Need, NeededObject, RowLimits,
    RowTransferError, Spec,
};
use mcpmark_snapshot::{Blobs, Digest, Store};

const STATES: &str = "states.tar.zst";
const ROWS: &str = "experiment.jsonl.zst";

/// Names of the file's parts, with the error message if a part is missing.
const PARTS: [(&str, &str); 2] = [
    (STATES, "its first entry is not states.tar.zst"),
    (ROWS, "its second entry is not experiment.jsonl.zst"),
];

/// Limits of an exported file. They are high, because users choose the files that they import.
const FILE: Bounds = Bounds {
    entries: 2,
    bytes: 16 << 30,
};

/// Limits of the unpacked states, for both export and import.
const CONTENT: Bounds = Bounds {
    entries: 4_000_000,
    bytes: 64 << 30,
};

/// Limits of an exported file, by their names in the documentation of limits.
pub const LIMITS: [(&str, u64); 7] = [
    ("file_bytes", FILE.bytes),
    ("state_entries", CONTENT.entries),
    ("state_bytes", CONTENT.bytes),
    ("rows", RowLimits::DEFAULT.rows),
    ("row_bytes", RowLimits::DEFAULT.row_bytes),
    ("rows_bytes", RowLimits::DEFAULT.rows_bytes),
    ("attempts", MAX_PLANNED),
];

/// Errors of exporting or importing an experiment.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rows cannot be exported or imported.
    #[error(transparent)]
    Rows(#[from] RowTransferError),
    /// A state is incomplete or cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The states of a file are not valid.
    #[error(transparent)]
    States(#[from] StatesError),
    /// A file is not a valid tar archive.
    #[error(transparent)]
    Archive(#[from] TarError),
    /// A file is not an exported experiment.
    #[error("not an exported experiment: {0}")]
    NoExperiment(&'static str),
    /// The experiment exceeds a limit of exported files, so no import would accept the file.
    #[error("it has {found} {what}, but the limit of one file is {limit}")]
    TooLarge {
        /// Name of the quantity.
        what: &'static str,
        /// Value that was found.
        found: u64,
        /// Maximum value.
        limit: u64,
    },
    /// The file cannot be read or written.
    #[error("cannot read or write the file")]
    Io(#[from] io::Error),
}

impl TransportError {
    /// Reports whether the error was caused by the host and not by the file.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Rows(RowTransferError::Journal(JournalError::NameTaken(_))) => false,
            Self::Rows(error) => matches!(error, RowTransferError::Journal(_)),
            Self::States(error) => error.is_infrastructure(),
            Self::Archive(_) | Self::NoExperiment(_) | Self::TooLarge { .. } => false,
            Self::Journal(_) | Self::Write(_) | Self::Io(_) => true,
        }
    }
}

/// Exports an experiment with all objects of the store that its attempts need. Returns the number of verifiers in the
/// file, because recipients of the file can read them.
///
/// # Errors
///
/// Returns an error if the experiment does not exist, if an object that it needs is missing or damaged, or if the file
/// would exceed a limit.
pub fn export(
    journal: &Journal,
    store: &Store,
    experiment: &str,
    out: &mut dyn Write,
    scratch: &Path,
) -> Result<usize, TransportError> {
    let spec = journal.experiment(experiment)?.spec;
    let spec: Spec = serde_json::from_str(&spec).map_err(JournalError::from)?;
    may_have("attempts in its plan", spec.planned() as u64, MAX_PLANNED)?;
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
    journal.export_rows(experiment, &mut rows)?;
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
    for object in attempt.objects() {
        match object {
            NeededObject::Tree(root) => trees.push(root),
            NeededObject::Answer(digest) | NeededObject::Verifier(digest) => {
                // Old grades have no terms, and their verifiers were not stored. Answers are stored only if they were
                // judged.
                blobs.extend(store.contains(&digest).then_some(digest));
            }
            NeededObject::Terms(digest) => {
                blobs.push(digest);
                // Writing the states fails later if the document is missing. A malformed one has no references.
                let Ok(terms) = Terms::read(store, &digest) else {
                    continue;
                };
                for reference in terms.references() {
                    match reference {
                        Reference::Blob(digest) => blobs.push(digest),
                        Reference::Tree(root) => trees.push(root),
                    }
                }
            }
        }
    }
}

fn open(file: &Path) -> Result<Reader<BufReader<File>>, TransportError> {
    // Opening a pipe could block.
    if !fs::metadata(file)?.is_file() {
        return Err(TransportError::NoExperiment("it is not a regular file"));
    }
    Ok(Reader::new(BufReader::new(File::open(file)?), FILE))
}

/// Reports whether a file looks like an exported experiment: its first entry is the archive of states.
pub fn looks_like_export(file: &Path) -> bool {
    let first = open(file).map(|mut archive| archive.next());
    matches!(first, Ok(Ok(Some(entry))) if entry.name == STATES)
}

/// Restores objects that a store lacks from the states of an exported file.
///
/// # Errors
///
/// Returns an error if the file is not an exported experiment, or if the store cannot be written.
pub fn restore_objects(store: &Store, file: &Path) -> Result<(), TransportError> {
    let mut archive = open(file)?;
    let [(name, problem), _] = PARTS;
    if archive.next()?.is_none_or(|entry| entry.name != name) {
        return Err(TransportError::NoExperiment(problem));
    }
    states::read(&mut archive, CONTENT, store)?;
    Ok(())
}

/// Imports an experiment and returns its name.
///
/// # Errors
///
/// Returns an error if the file is not an exported experiment, if it lacks objects that its rows reference, or if an
/// experiment with its name or id exists.
pub fn import(journal: &Journal, store: &Store, file: &Path) -> Result<String, TransportError> {
    // Check the structure of the whole file before anything is stored.
    let mut archive = open(file)?;
    for (name, problem) in PARTS {
        if archive.next()?.is_none_or(|entry| entry.name != name) {
            return Err(TransportError::NoExperiment(problem));
        }
    }
    if archive.next()?.is_some() {
        return Err(TransportError::NoExperiment("it has more than two entries"));
    }
    let mut archive = open(file)?;
    archive.next()?;
    states::read(&mut archive, CONTENT, store)?;
    archive.next()?;
    let mut decoder = zstd::Decoder::new(&mut archive)?;
    decoder.window_log_max(23)?;
    let whole = RefCell::new(HashSet::new());
    let name = journal.import_rows(&mut BufReader::new(decoder), &|need| {
        is_kept(store, need, &whole)
    })?;
    Ok(name)
}

const NOT_CARRIED: &str = "is neither in the file nor in the store";

/// Checks that the store has an object that an attempt needs, and that the object has the right form, because the rows
/// are untrusted. `whole` caches the trees that are known to be complete.
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
        let tree = store.load_tree(root).map_err(|_| "is not a state")?;
        tree.files().try_for_each(|(_, file)| blob(&file.content))?;
        whole.borrow_mut().insert(*root);
        Ok(())
    };
    match need {
        Need::Start(root) | Need::State(root) => tree(root),
        Need::Verifier(digest) => blob(digest),
        Need::Terms(digest, of) => {
            let terms = Terms::read(store, digest).map_err(|error| match error {
                TermsError::Malformed { .. } => "is not valid",
                _ => NOT_CARRIED,
            })?;
            if terms.verifier.digest() != *of {
                return Err("names another verifier than the grade");
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
    use mcpmark_grading::{ComponentTerms, VerifierTerms};
    use mcpmark_snapshot::{TreeBuilder, TreePath};
    use serde_json::json;

    use super::*;

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
            error.to_string().contains("17179869185 bytes, but"),
            "{error}"
        );
    }

    #[test]
    fn objects_must_have_the_kind_that_they_are_needed_as() {
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
            (Need::State(&text), Some("is not a state")),
            (Need::Verifier(&text), None),
            (Need::Verifier(&absent), Some(NOT_CARRIED)),
            (Need::Terms(&terms, &text), None),
            (Need::Terms(&absent, &text), Some(NOT_CARRIED)),
            (Need::Terms(&text, &text), Some("is not valid")),
            (
                Need::Terms(&terms, &sound),
                Some("names another verifier than the grade"),
            ),
        ] {
            let found = is_kept(&store, need, &RefCell::default());
            assert_eq!(found.err(), problem, "{need:?}");
        }
    }
}
