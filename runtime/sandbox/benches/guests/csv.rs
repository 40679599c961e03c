//! Adds up the hours of a register and compares with the report that an agent wrote.
//! `register.py` beside it does the same.

use std::collections::BTreeMap;

use mcpmark_guest::{Csv, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let register = task.start().file("register.csv").csv().required();
    let mut hours: BTreeMap<String, i64> = BTreeMap::new();
    for row in register.rows() {
        let minutes: i64 = row
            .get("minutes")
            .parse()
            .expect("minutes are whole numbers");
        *hours.entry(row.get("name").to_owned()).or_default() += minutes;
    }
    let mut expected = Csv::line(["name", "minutes"]);
    for (name, minutes) in &hours {
        expected += &Csv::line([name.clone(), minutes.to_string()]);
    }
    let report = task.file("report.csv");
    task.check("the report exists", report.exists());
    task.check("the report is right", report.equals(&expected));
    task.unchanged_except(["report.csv"]);
}
