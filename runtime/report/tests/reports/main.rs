//! Tests of reports, comparisons and exports with a fictitious experiment that covers all cases.

#[path = "../../../../tests/journal/mod.rs"]
mod journal;

mod comparing;
mod exporting;
mod forms;
mod page;

use std::path::Path;

use mcpmark_experiment::Home;
use mcpmark_journal::Journal;
use mcpmark_report::{CertificateFacts, PointFacts, Report, Source, TaskFacts, TaskIndex};
use mcpmark_snapshot::Store;
use tempfile::TempDir;

/// Demonstration experiments in a temporary home.
struct Demonstration {
    dir: TempDir,
    journal: Journal,
    store: Store,
}

impl Demonstration {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        journal::demonstration(dir.path());
        let home = Home::new(dir.path());
        Self {
            journal: Journal::open(&home.journal_file()).unwrap(),
            store: Store::open(home.store_dir()).unwrap(),
            dir,
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn report(&self, name: &str) -> Report {
        Report::read(&self.journal, name, &known()).unwrap()
    }

    /// Builds one report of both experiments.
    fn of_both(&self) -> Report {
        let names = ["demonstration", "efforts"];
        let sources = names.map(|name| Source::read(&self.journal, name).unwrap());
        Report::of_several(&sources, &known())
    }
}

/// Returns tiers and tags of most tasks, as a library would.
fn known() -> TaskIndex {
    journal::TASKS
        .iter()
        .take(10)
        .enumerate()
        .map(|(number, task)| {
            let facts = TaskFacts {
                id: (*task).to_owned(),
                tier: Some(["L1", "L2", "L3"][number % 3].to_owned()),
                tags: vec![["counting", "editing"][number % 2].to_owned()],
                certificate: certificate(number),
            };
            (facts.id.clone(), facts)
        })
        .collect()
}

/// Returns a valid certificate of the first task, and none of the second. Nobody looked for those of the others.
fn certificate(number: usize) -> Option<CertificateFacts> {
    let point = |(point, status): (&str, &str)| PointFacts {
        point: point.to_owned(),
        status: status.to_owned(),
    };
    let points = [
        ("determinism", "passed"),
        ("oracle", "in-part"),
        ("leaks", "failed"),
        ("citations", "not-examined"),
        ("split", "not-examined"),
    ];
    match number {
        0 => Some(CertificateFacts::Valid {
            points: points.map(point).to_vec(),
        }),
        1 => Some(CertificateFacts::Invalid {
            reason: "the sources changed since it was written".to_owned(),
        }),
        _ => None,
    }
}

/// Asserts that a text cannot control a terminal or hide anything.
#[track_caller]
fn is_plain(text: &str) {
    let hostile = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
    assert!(!text.contains(hostile));
}
