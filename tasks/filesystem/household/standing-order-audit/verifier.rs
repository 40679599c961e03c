//! Judges findings, sums and register by the bookings and the register of the starting world.

use mcpmark_guest::{Numbers, Verifier, serde_json::Value};

#[allow(dead_code, reason = "the solution uses the rest")]
mod audit;

use audit::{COLUMNS, FINDINGS, HOLIDAYS, KINDS, Oversights, REGISTER, SUMS};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let read = |path: &str| task.start().file(path).plain_text().required();
    let months: Vec<String> = audit::months().map(|path| read(&path)).collect();
    let register = read(REGISTER);
    let expected = audit::audit(&register, &read(HOLIDAYS), &months, &Oversights::default());

    let findings = task.file(FINDINGS);
    let table = findings.csv().header(COLUMNS);
    task.check("columns of the audit", findings.csv().header_is(COLUMNS));
    for kind in KINDS {
        let wanted: Vec<String> = expected
            .findings
            .iter()
            .filter(|row| row[6] == kind)
            .map(|row| row.join("|"))
            .collect();
        let found = table.map(|table| {
            let rows = table.rows().iter().map(|row| row.cells().join("|"));
            let suffix = format!("|{kind}");
            rows.filter(|row| row.ends_with(&suffix))
                .collect::<Vec<String>>()
        });
        task.check(
            format!("findings: {kind}"),
            found.equal_in_any_order(wanted),
        );
    }
    task.check("no other findings", table.count_is(expected.findings.len()));
    task.check("the findings, sorted", table.equal(&expected.findings));
    task.check(
        "the audit to the last byte",
        findings.equals(&audit::table(&expected.findings)),
    );

    let file = task.file(SUMS);
    let sums = file.json();
    task.check(
        "keys of the sums",
        sums.keys_are(["dues", "paid", "findings", "orders"]),
    );
    for (name, pointer) in [
        ("how many dues", "/dues"),
        ("how many were paid", "/paid"),
        ("how many findings of each kind", "/findings"),
        ("the sums of each order", "/orders"),
    ] {
        let expected = expected.sums.pointer(pointer).unwrap_or(&Value::Null);
        task.check(
            name,
            sums.at(pointer).equals_with(expected, Numbers::AsWritten),
        );
    }
    task.check(
        "the sums to the last byte",
        file.equals(&audit::pretty(&expected.sums)),
    );

    let current = task.file(REGISTER);
    let before = register.lines().next().unwrap_or_default();
    task.check(
        "columns of the register stay",
        current.line(1).equals(before),
    );
    for line in expected.register.lines().skip(1) {
        let id = line.split(',').next().unwrap_or_default();
        task.check(
            format!("the register: {id}"),
            current.text().contains_line(line),
        );
    }
    task.check(
        "the register to the last byte",
        current.equals(&expected.register),
    );
    task.unchanged_except([FINDINGS, SUMS, REGISTER]);
}
