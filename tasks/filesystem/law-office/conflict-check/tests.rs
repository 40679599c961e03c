//! Results that people might hand in, right and wrong.

use mcpmark_guest::Csv;
use mcpmark_guest::testing::{self, MemoryTree};

use super::{HEADER, REPORT, ROWS, verify};

#[path = "playing.rs"]
mod playing;

/// The last check and the lists of the shipped world.
const LAST: &str = include_str!(
    "../../../../worlds/filesystem/law-office/files/01 Clients/conflict check 2026-02-02.csv"
);
const CLIENTS: &str =
    include_str!("../../../../worlds/filesystem/law-office/files/01 Clients/clients.csv");
const REGISTER: &str =
    include_str!("../../../../worlds/filesystem/law-office/files/02 Matters/register.csv");

fn report() -> String {
    let rows = ROWS.iter().map(Csv::line);
    std::iter::once(Csv::line(HEADER)).chain(rows).collect()
}

fn failed(report: &str) -> Vec<String> {
    let end = MemoryTree::from([(REPORT, report)]);
    let checks = testing::verify(verify, &MemoryTree::default(), &end, None);
    let failed = checks.into_iter().filter(|check| !check.passed);
    failed.map(|check| check.name).collect()
}

#[test]
fn right_results_pass_in_any_form_of_the_cells() {
    let report = report();
    for text in [
        report.clone(),
        report.replace('\n', "\r\n"),
        report.trim_end().to_owned(),
        report.replace("Mrs. Honor Dray", "Honor Dray"),
        report.replace("Kestrel Roofing Limited", "\"Kestrel Roofing\""),
        report.replace("2019/006 2026/006", "2026/006; 2019/006"),
        report.replace("2019/010 2025/038", "\"2019/010, 2025/038\""),
        report.replace("clear,\n", "clear, \n"),
        report.replace("result,matters", "result,matters "),
        format!("\u{feff}{report}"),
        report
            .lines()
            .map(|line| format!("\"{}\"\r\n", line.replace(',', "\",\"")))
            .collect(),
    ] {
        assert_eq!(failed(&text), Vec::<String>::new(), "{text}");
    }
}

/// People test how they read the policy on the last check. Nothing in the lists that its names depend on has changed since.
#[test]
fn the_last_check_follows_the_policy() {
    let last = Csv::strict().read(LAST).unwrap();
    let [clients, register] = [CLIENTS, REGISTER].map(mcpmark_guest::plain);
    assert_eq!(last.header(), HEADER);
    let mut results = Vec::new();
    for row in last.rows() {
        let is_enquirer = row.get("side") == "enquirer";
        let expected = playing::result(&clients, &register, row.get("name"), is_enquirer);
        assert_eq!(
            [row.get("result"), row.get("matters")],
            expected,
            "{}",
            row.get("name")
        );
        results.push(row.get("result").to_owned());
    }
    assert_eq!(results, ["known", "clear", "refer", "known", "refer"]);
}

#[test]
fn wrong_results_fail() {
    const FORM: &str = "the form of the last check";
    let report = report();
    for (old, new, check) in [
        (
            "S&F Interiors,clear,",
            "S&F Interiors,conflict,2025/041",
            "the results",
        ),
        ("refer,2018/016", "refer,2018/015 2018/016", "the matters"),
        (
            "Odran Kells,clear,",
            "Odran Kells,refer,2018/015",
            "the results",
        ),
        (
            "conflict,2025/021",
            "conflict,2016/009 2025/021",
            "the matters",
        ),
        (
            "E-068,other,Wenbrook Lido,known,2016/021\n",
            "",
            "every name of every enquiry",
        ),
        (
            "E-061,other",
            "E-061,enquirer",
            "every name of every enquiry",
        ),
        (
            "Zoë Hallam",
            "Zoë Hallam-Reyes",
            "every name of every enquiry",
        ),
        ("enquiry,side", "side,enquiry", FORM),
        ("E-062,enquirer", "\nE-062,enquirer", FORM),
    ] {
        assert_eq!(report.matches(old).count(), 1, "{old}");
        let failed = failed(&report.replace(old, new));
        assert!(failed.iter().any(|it| it == check), "{new}: {failed:?}");
        assert!(failed.iter().any(|it| it == FORM), "{new}: {failed:?}");
    }
}
