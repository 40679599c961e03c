//! The figures of February as somebody worked them out with a pencil.

use std::fs;
use std::path::Path;

use mcpmark_guest::testing::{self, MemoryTree};

use crate::counting::{Mistake, Month, count};

/// Files of the shipped world that say something about February.
const PAPERS: [&str; 12] = [
    "00 Office/conventions.md",
    "00 Office/partners' meeting 2026-02-16.md",
    "00 Office/rates.csv",
    "01 Clients/clients.csv",
    "02 Matters/register.csv",
    "03 Time/about the time sheets.md",
    "03 Time/2026-02/corrections.csv",
    "03 Time/2026-02/CW.txt",
    "03 Time/2026-02/IA.csv",
    "03 Time/2026-02/MB.csv",
    "03 Time/2026-02/OP.csv",
    "03 Time/2026-02/RT.csv",
];

fn february(mistake: Option<Mistake>) -> Month {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = own.join("../../../../worlds/filesystem/law-office/files");
    let mut start = MemoryTree::default();
    for path in PAPERS {
        start.write(path, fs::read(files.join(path)).unwrap());
    }
    let mut month = None;
    let judge = |task: &mut mcpmark_guest::Verifier| {
        month = Some(count(&mut task.start(), mistake));
    };
    testing::verify(judge, &start, &start, None);
    month.unwrap()
}

#[test]
fn people_and_matters_are_those_of_the_pencil() {
    let month = february(None);
    let rows: Vec<String> = month.rows().iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        rows,
        [
            "IA 92 9.2 0 2623.00",
            "MB 89 8.9 20 1738.63",
            "CW 92 9.2 32 1480.88",
            "RT 41 4.1 9 1023.75",
            "OP 30 3.0 8 142.50",
            "All 344 34.4 69 7008.75",
        ]
    );
    let matters: Vec<String> = month.matters.iter().map(|row| row.join("|")).collect();
    assert_eq!(matters.len(), 15);
    for line in [
        "2025/029|Lukas Vandermeer|23|465.63|93.13|558.76",
        "2025/036|Priya Ramanathan-Cole|22|322.50|64.50|387.00",
        "2025/041|Sable & Finch Interiors Ltd|49|789.38|157.88|947.26",
        "2026/004|Hanne Lindqvist-Moor|5|0.00|0.00|0.00",
        "2026/006|Zoë Hallam-Reyes|4|75.00|15.00|90.00",
    ] {
        assert!(matters.contains(&line.to_owned()), "{line}: {matters:#?}");
    }
    let uncharged: Vec<String> = month.uncharged.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        uncharged,
        [
            "IA 2026-02-16 2024/011 4",
            "RT 2026-02-19 2025/026 1",
            "OP 2026-02-27 2025/044 5",
        ]
    );
}

#[test]
fn rounding_before_the_sum_gives_another_total() {
    let month = february(Some(Mistake::AddsRoundedValues));
    assert_eq!(month.rows().last().unwrap()[4], "7008.76");
}
