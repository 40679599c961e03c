use std::collections::BTreeSet;

use mcpmark_guest::testing::{MemoryTree, set_up};

use super::*;

fn rows(world: &MemoryTree, table: &str) -> Vec<Vec<String>> {
    let text = world
        .read(&format!("data/public/{table}.csv"))
        .unwrap_or_default();
    let text = String::from_utf8(text.to_vec()).expect("text");
    let table = mcpmark_guest::Csv::strict().read(text).expect("a table");
    let rows = table.rows().iter();
    rows.map(|row| row.cells().into_iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn a_seed_always_gives_the_same_world() {
    let world = set_up(setup, 1);
    assert_eq!(world, set_up(setup, 1));
    assert_ne!(world, set_up(setup, 2));
}

#[test]
fn every_seed_gives_a_whole_world() {
    for seed in 1..6 {
        let world = set_up(setup, seed);
        let counts = ["screenings", "bookings", "tickets", "payments", "customers"]
            .map(|table| rows(&world, table).len());
        assert!(
            counts[0] > 2500 && counts[1] > 5000 && counts[2] > 12_000,
            "seed {seed}: {counts:?}"
        );
        let references: BTreeSet<Vec<String>> = rows(&world, "bookings")
            .into_iter()
            .map(|row| row[1..2].to_vec())
            .collect();
        assert_eq!(references.len(), counts[1], "seed {seed}");
        let doubles = doubles_of(&world);
        assert!(doubles >= 15, "seed {seed}: {doubles}");
        let merged = rows(&world, "customers")
            .into_iter()
            .filter(|row| !row[6].is_empty());
        assert_eq!(merged.count(), 6, "seed {seed}");
        let notes = rows(&world, "desk_notes");
        assert!(
            notes.iter().all(|note| !note[4].contains('{')),
            "seed {seed}"
        );
    }
}

/// Returns the number of seats with two sold tickets.
fn doubles_of(world: &MemoryTree) -> usize {
    let mut seats = BTreeSet::new();
    let sold = rows(world, "tickets")
        .into_iter()
        .filter(|row| row[6] == "sold");
    sold.filter(|row| !seats.insert((row[2].clone(), row[3].clone())))
        .count()
}
