//! Judges where each paper of the inbox went, that none was altered, and the log.

use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

const LOG: &str = "00 Office/filing log.csv";

/// Each file that moves: its name in the inbox, its new path, its kind in the log. Sorted by name.
const FILED: [(&str, &str, &str); 14] = [
    (
        "Fwd_ your invoice.txt",
        "02 Money/2025/invoices/2025-05-28_ridley-and-sons-generators_invoice_RG-2291.txt",
        "invoice",
    ),
    // Bears no date of its own: the day on which it was last modified.
    (
        "IMG_2207 transcription.txt",
        "03 Volunteers/forms/2025-06-11_piet-oosthuis_form.txt",
        "form",
    ),
    // Two letters of one day with one party: the first by name has the plain name.
    (
        "RE_ noise (2).txt",
        "05 Correspondence/2025/2025-06-08_sunita-vail_letter.txt",
        "letter",
    ),
    (
        "RE_ noise.txt",
        "05 Correspondence/2025/2025-06-08_sunita-vail_letter_2.txt",
        "letter",
    ),
    // The licence is in the correspondence already.
    (
        "email export 114.txt",
        "Inbox/duplicates/email export 114.txt",
        "duplicate",
    ),
    (
        "form (3).txt",
        "03 Volunteers/forms/2025-06-01_aurelie-nkemba_form.txt",
        "form",
    ),
    (
        "letter, parish council.txt",
        "05 Correspondence/2025/2025-06-06_hollin-beck-parish-council_letter.txt",
        "letter",
    ),
    (
        "old bill.txt",
        "02 Money/2024/invoices/2024-12-12_wath-print-works_invoice_WPW-0583.txt",
        "invoice",
    ),
    (
        "quote marquee.txt",
        "05 Correspondence/2025/2025-04-22_dunnock-s-marquees_letter.txt",
        "letter",
    ),
    // Bears no date, like the form of Piet Oosthuis.
    (
        "rider_final FINAL.txt",
        "01 Programme/riders/2025-06-05_lodka-and-friends_rider.txt",
        "rider",
    ),
    // Invoice 448 as first sent: of its two copies the first by name counts, and the later one of 10 June holds.
    (
        "scan0012 (1).txt",
        "02 Money/2025/invoices/superseded/2025-06-03_dunnock-s-marquees_invoice_448.txt",
        "superseded",
    ),
    ("scan0012.txt", "Inbox/duplicates/scan0012.txt", "duplicate"),
    (
        "scan0013.txt",
        "02 Money/2025/invoices/2025-06-10_dunnock-s-marquees_invoice_448.txt",
        "invoice",
    ),
    (
        "scan0014.txt",
        "02 Money/2025/invoices/2025-06-09_moller-sanitary-hire_credit_CN-77.txt",
        "credit",
    ),
];

/// Files that the rules leave where they are.
const STAYING: [&str; 5] = [
    ".scanner-state",
    "about this folder.txt",
    "duplicates/scan0009 (1).txt",
    "invoice template BLANK.txt",
    "lost cat.txt",
];

fn verify(task: &mut Verifier) {
    for (old, new, _) in FILED {
        let paper = task.start().file(format!("Inbox/{old}"));
        task.check(format!("filed: {old}"), task.file(new).has_bytes_of(&paper));
    }
    let staying = STAYING.map(|name| task.file(format!("Inbox/{name}")).is_unchanged());
    let filed = FILED.map(|(old, ..)| task.file(format!("Inbox/{old}")).is_absent());
    task.check(
        "the inbox holds only what stays there",
        Condition::all(filed.into_iter().chain(staying)),
    );

    let rows = FILED.map(|(old, new, kind)| ["2025-06-20", old, new, kind]);
    let before = task.start().file(LOG).text().required();
    let earlier = task.start().file(LOG).csv().required().rows().len();
    let log = task.file(LOG);
    let added = log
        .csv()
        .header(["filed_on", "old_name", "new_path", "kind"])
        .map(|table| {
            let new_rows = table.rows().iter().skip(earlier);
            new_rows
                .map(|row| row.cells().join("|"))
                .collect::<Vec<_>>()
        });
    task.check(
        "one line in the log for each move",
        added.count_is(rows.len()),
    );
    task.check(
        "lines of the log, in any order",
        added.equal_in_any_order(rows.map(|row| row.join("|"))),
    );
    let lines: String = rows
        .iter()
        .map(|row| row.map(quoted).join(",") + "\n")
        .collect();
    task.check("the log to the last byte", log.equals(&(before + &lines)));

    let inbox = FILED.map(|(old, _, _)| format!("Inbox/{old}"));
    let paths = inbox
        .iter()
        .map(String::as_str)
        .chain(FILED.map(|(_, new, _)| new))
        .chain([LOG]);
    task.unchanged_except(paths.collect::<Vec<_>>());
}

fn quoted(field: &str) -> String {
    if field.contains(',') {
        format!("\"{field}\"")
    } else {
        field.to_owned()
    }
}
