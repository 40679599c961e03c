//! The check for conflicts, worked out by hand from the policy and the lists.

#[cfg(test)]
mod tests;

use mcpmark_guest::{Csv, Table, Verifier, content};

mcpmark_guest::verifier!(verify);

const REPORT: &str = "01 Clients/conflict check 2026-03-02.csv";
const HEADER: [&str; 5] = ["enquiry", "side", "name", "result", "matters"];

const ROWS: [[&str; 5]; 24] = [
    // Other party in a matter that is open.
    [
        "E-061",
        "enquirer",
        "Mrs. Honor Dray",
        "conflict",
        "2025/041",
    ],
    // An other party that is on the other side again is known.
    [
        "E-061",
        "other",
        "Kestrel Roofing Limited",
        "known",
        "2025/029",
    ],
    ["E-062", "enquirer", "Tern and Tern", "conflict", "2025/038"],
    // Another company than Ashcombe Homes.
    ["E-062", "other", "Ashcombe Homes North plc", "clear", ""],
    // The trading name of C002, whose matter of 2016 is closed.
    ["E-062", "other", "Fenwicks Bakery", "conflict", "2025/021"],
    // C003 has another name now, and this one among its other names.
    [
        "E-063",
        "enquirer",
        "Zoë Hallam",
        "known",
        "2019/006 2026/006",
    ],
    // The former name of C013.
    ["E-063", "other", "Windward Toys", "conflict", "2025/038"],
    [
        "E-064",
        "enquirer",
        "Peverell Transport",
        "conflict",
        "2026/001",
    ],
    ["E-064", "other", "Finch Upholstery", "conflict", "2025/041"],
    // A name that the lowest line of C019 does not have any more.
    ["E-064", "other", "S&F Interiors", "clear", ""],
    [
        "E-065",
        "enquirer",
        "Mr Godfrey Stannage",
        "conflict",
        "2025/024",
    ],
    // 2018/015 was closed on 1 March 2020, 2018/016 two days later.
    ["E-065", "other", "Dr Ignatius Boyle", "refer", "2018/016"],
    [
        "E-065",
        "other",
        "Marrow Lane Allotment Society",
        "conflict",
        "2026/003",
    ],
    ["E-066", "enquirer", "Kit Thorne", "refer", "2021/009"],
    // A client whose only matter was closed in 2019.
    ["E-066", "other", "Larkrise Nursery School", "clear", ""],
    ["E-066", "other", "Noor Al Hadi", "conflict", "2025/040"],
    [
        "E-066",
        "other",
        "Skylark Novelties",
        "known",
        "2019/010 2025/038",
    ],
    // Other party in a matter that was closed on 1 March 2020.
    ["E-067", "enquirer", "Odran Kells", "clear", ""],
    [
        "E-067",
        "other",
        "Mr Yusuf Demirbas",
        "conflict",
        "2026/001",
    ],
    // Also an other party in 2025/026, but the first result that fits counts.
    ["E-067", "other", "Caradoc Weir", "refer", "2024/006"],
    ["E-067", "other", "Edith Snape", "clear", ""],
    // A client, and an other party in the matter of another one.
    [
        "E-068",
        "enquirer",
        "Bartholomew Tice",
        "conflict",
        "2026/004",
    ],
    [
        "E-068",
        "other",
        "Estate of Mabel Quist",
        "known",
        "2018/016",
    ],
    ["E-068", "other", "Wenbrook Lido", "known", "2016/021"],
];

fn verify(task: &mut Verifier) {
    let report = task.file(REPORT).text().map(|text| plain(text));
    let table = report.csv(&Csv::lenient()).header(HEADER);
    let rows = ROWS.map(|row| {
        let mut row = row.map(str::to_owned);
        row[2] = bare(&row[2]);
        row
    });
    let column = |index: usize| rows.each_ref().map(|row| row[index].as_str());

    let names = table.column("enquiry").equal(column(0));
    let names = names.and(table.column("side").equal(column(1)));
    let names = names.and(table.column("name").equal(column(2)));
    task.check("every name of every enquiry", names);
    task.check("the results", table.column("result").equal(column(3)));
    task.check("the matters", table.column("matters").equal(column(4)));
    task.check(
        "the form of the last check",
        report.content_is(content::csv(HEADER, rows.each_ref()).trimmed()),
    );
    task.unchanged_except([REPORT]);
}

/// Returns the table with bare names, and with one blank between the matters of a row in their order: the last check has
/// no row with several, so any separator is right.
fn plain(text: &str) -> String {
    let text = mcpmark_guest::plain(text);
    let has_gap = text.trim_end().lines().any(|line| line.trim().is_empty());
    let has_header = |table: &Table| table.header().iter().map(|name| name.trim()).eq(HEADER);
    let table = Csv::lenient().read(text.as_str());
    let Some(table) = table.ok().filter(|it| !has_gap && has_header(it)) else {
        return text;
    };
    let mut plain = Csv::line(HEADER);
    for row in table.rows() {
        let mut cells: Vec<String> = row
            .cells()
            .iter()
            .map(|cell| cell.trim().to_owned())
            .collect();
        if let [_, _, name, _, matters] = cells.as_mut_slice() {
            *name = bare(name);
            let mut numbers: Vec<&str> = matters
                .split([' ', ';', ','])
                .filter(|number| !number.is_empty())
                .collect();
            numbers.sort_unstable();
            *matters = numbers.join(" ");
        }
        plain.push_str(&Csv::line(cells));
    }
    plain
}

/// Returns a name without a title in front and a legal form at the end: the policy leaves them out, and the last check
/// has no name with either.
fn bare(name: &str) -> String {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let is_title =
        |word: &&&str| ["Mr", "Mrs", "Ms", "Miss", "Dr"].contains(&word.trim_end_matches('.'));
    if words.first().filter(is_title).is_some() {
        words.remove(0);
    }
    let is_form = |word: &&&str| {
        ["Ltd", "Limited", "LLP", "plc", "CIC"].contains(&word.trim_end_matches('.'))
    };
    if words.last().filter(is_form).is_some() {
        words.pop();
    }
    words.join(" ")
}
