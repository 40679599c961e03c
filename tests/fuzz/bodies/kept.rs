//! Fuzz target of exported experiments: receipts, journal rows, and export files with rows and states. The first line
//! selects the kind.

use std::cell::RefCell;
use std::fs;

use mcpmark_experiment::{Journal, transport};
use mcpmark_grading::receipt::Receipt;
use mcpmark_snapshot::{Scratch, Store, scratch_parent};

pub(crate) fn run(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (kind, rest) = bytes.split_at(end.unwrap_or(0));
    let rest = rest.get(1..).unwrap_or_default();
    match kind {
        b"receipt" => receipt(rest),
        b"rows" => taken(|here| here.journal.import_rows(&mut &rest[..], &|_| Ok(())).ok()),
        _ => taken(|here| {
            let file = here.home.path().join("file");
            fs::write(&file, rest).unwrap();
            let store = Store::open(here.home.path().join("store")).unwrap();
            match transport::import(&here.journal, &store, &file) {
                Ok(name) => Some(name),
                Err(error) => {
                    assert!(!error.is_infrastructure(), "{error}");
                    None
                }
            }
        }),
    }
}

fn receipt(bytes: &[u8]) {
    if let Ok(receipt) = Receipt::parse(bytes) {
        let again = Receipt::parse(receipt.text().as_bytes()).unwrap();
        assert_eq!(again, receipt);
        assert!(receipt.differences(&again).is_empty());
    }
}

struct Here {
    home: Scratch,
    journal: Journal,
}

impl Here {
    fn new() -> Self {
        let home = Scratch::new(&scratch_parent(None)).unwrap();
        let journal = Journal::open(&home.path().join("journal.db")).unwrap();
        Self { home, journal }
    }

    fn rows(&self, name: &str) -> Vec<u8> {
        let mut rows = Vec::new();
        self.journal.export_rows(name, &mut rows).unwrap();
        rows
    }
}

thread_local! {
    /// Journal without experiments. It is reused for many inputs, because a refused import leaves no rows.
    static EMPTY: RefCell<Option<Here>> = const { RefCell::new(None) };
}

/// Checks that imported rows can be exported and imported into another journal unchanged, and that a refused import
/// leaves no experiment.
fn taken(take: impl FnOnce(&Here) -> Option<String>) {
    let here = EMPTY.take().unwrap_or_else(Here::new);
    let Some(name) = take(&here) else {
        assert!(here.journal.experiments(1).unwrap().is_empty());
        EMPTY.set(Some(here));
        return;
    };
    let rows = here.rows(&name);
    let there = Here::new();
    let again = there.journal.import_rows(&mut &rows[..], &|_| Ok(()));
    assert_eq!(again.unwrap(), name);
    assert_eq!(there.rows(&name), rows);
}
