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
fn every_seed_has_the_cases_of_the_tasks() {
    for seed in 1..5 {
        let world = set_up(setup, seed);
        let readings = rows(&world, "readings");
        assert!(readings.len() > 35_000, "seed {seed}: {}", readings.len());
        let mut of_time: BTreeMap<(String, String), usize> = BTreeMap::new();
        for row in &readings {
            *of_time.entry((row[1].clone(), row[4].clone())).or_default() += 1;
        }
        let doubles = of_time.values().filter(|count| **count > 1).count();
        assert!((450..700).contains(&doubles), "seed {seed}: {doubles}");
        assert!(of_time.values().all(|count| *count <= 2), "seed {seed}");
        let alerts = rows(&world, "alerts");
        let at = |station: &'static str| alerts.iter().filter(move |row| row[1] == station);
        let sent: Vec<&str> = at("HAR").map(|row| row[5].as_str()).collect();
        assert_eq!(sent, ["2026-03-24 17:40:00+00"], "seed {seed}");
        assert!(
            at("ASH").any(|row| row[5] == "2026-01-18 13:24:00+00"),
            "seed {seed}"
        );
        assert!(
            at("DUN").count() == 2 && at("ELM").count() == 3,
            "seed {seed}"
        );
    }
}
