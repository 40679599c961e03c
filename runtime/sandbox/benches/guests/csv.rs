//! Verifier that adds up the hours in a register and compares them with the report of an agent. `register.py` in this
//! directory does the same.

use mcpmark_guest::{Csv, HashMap, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let register = task.start().file("register.csv").csv().required();
    let mut hours: HashMap<&str, i64> = HashMap::default();
    for [name, minutes] in register.columns(["name", "minutes"]) {
        let minutes: i64 = minutes.parse().expect("minutes are whole numbers");
        *hours.entry(name).or_default() += minutes;
    }
    let mut hours: Vec<_> = hours.into_iter().collect();
    hours.sort();
    let mut expected = Csv::line(["name", "minutes"]);
    for (name, minutes) in hours {
        expected += &Csv::line([name, &minutes.to_string()]);
    }
    let report = task.file("report.csv");
    task.check("the report exists", report.exists());
    task.check("the report is right", report.equals(&expected));
    task.unchanged_except(["report.csv"]);
}
