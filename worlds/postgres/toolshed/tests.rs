use std::collections::BTreeMap;

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
    for seed in 1..5 {
        let world = set_up(setup, seed);
        let counts = ["tools", "customers", "rentals", "deposits", "tool_moves"]
            .map(|table| rows(&world, table).len());
        assert!(
            counts[0] > 1200 && counts[1] > 2000 && counts[2] > 3000 && counts[4] > 200,
            "seed {seed}: {counts:?}"
        );
        let tools = rows(&world, "tools");
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        for rental in rows(&world, "rentals")
            .iter()
            .filter(|row| row[6].is_empty())
        {
            *open.entry(rental[2].clone()).or_default() += 1;
        }
        for tool in &tools {
            assert_eq!(tool[9] == "out", open.contains_key(&tool[0]), "{tool:?}");
        }
        let twice = open.values().filter(|count| **count == 2).count();
        assert_eq!(twice, 3, "seed {seed}");
        // Hollis pays for extra tools in April, one of which was sold on the last day.
        let invoices = rows(&world, "invoices");
        let april = invoices
            .iter()
            .find(|row| row[1] == "3" && row[2] == "2026-04-01");
        let extra: usize = april.expect("an invoice")[4].parse().expect("a number");
        assert!(extra > 5, "seed {seed}: {extra}");
    }
}
