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
        let sheets = rows(&world, "timesheets");
        assert!(sheets.len() > 7_000, "seed {seed}: {}", sheets.len());
        let employees = rows(&world, "employees");
        let number = |client: &str, place: usize| {
            let mut own = employees.iter().filter(|row| row[1] == client);
            own.nth(place).expect("a person")[0].clone()
        };
        let rosa = number("BRI", 0);
        let hours: Vec<&str> = sheets
            .iter()
            .filter(|row| row[1] == rosa && row[2] < "2026-06".to_owned() && row[4] == "2026-06-09")
            .map(|row| row[3].as_str())
            .collect();
        assert_eq!(hours, ["7.25", "6.50"], "seed {seed}");
        let contracts = rows(&world, "contracts");
        let called_off = contracts
            .iter()
            .filter(|row| !row[3].is_empty() && row[3] < row[2]);
        assert_eq!(called_off.count(), 4, "seed {seed}");
        let runs = rows(&world, "pay_runs");
        let approved: Vec<&str> = runs
            .iter()
            .filter(|row| row[3] == "approved")
            .map(|row| row[1].as_str())
            .collect();
        assert_eq!(approved, ["ANV", "COR", "LIN"], "seed {seed}");
        let balances = rows(&world, "leave_balances");
        let is_baker = |row: &&Vec<String>| row[1] == number("QUI", 3);
        let of_baker: Vec<&Vec<String>> = balances.iter().filter(is_baker).collect();
        assert_eq!(of_baker.len(), 1, "seed {seed}");
    }
}
