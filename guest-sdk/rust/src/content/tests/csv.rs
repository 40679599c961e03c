//! CSV tables.

use proptest::prelude::*;

use super::{Style, fails, passes};
use crate::content::{Csv, Expected, csv};
use crate::dates::{DAY_FIRST, Dates};
use crate::numbers::Amounts;

fn fees() -> Csv {
    csv(["id", "fee"], [["1", "12.50"], ["2", "3"], ["3", ""]]).amounts(["fee"])
}

#[test]
fn the_first_cell_that_differs_is_named() {
    passes(fees(), "id,fee\n1,12.50\n2,3\n3,\n");
    passes(
        fees(),
        "\u{feff}\"id\",\"fee\"\r\n\"1\",12.5\r\n2,\"3.00\"\r\n3,\"\"\r\n\r\n",
    );
    fails(
        fees(),
        "id,fee\n1,12.05\n2,3\n3,\n",
        "line 2, column fee: expected 12.50, found 12.05",
    );
    fails(
        fees(),
        "id,fee\n1,12.50\n2,\"3,0\"\n3,\n",
        r#"line 3, column fee: expected 3, found "3,0""#,
    );
    fails(
        fees(),
        "id,fee\n1,12.50\n2,\n3,\n",
        r#"line 3, column fee: expected 3, found """#,
    );
    fails(
        fees(),
        "id,fee\n01,12.50\n2,3\n3,\n",
        r#"line 2, column id: expected "1", found "01""#,
    );
    fails(
        fees(),
        "id,sum\n1,12.50\n",
        r#"header, column 2: expected "fee", found "sum""#,
    );
    fails(
        fees(),
        "id,fee,x\n1,12.50,\n",
        r#"header: expected no further column, found "x""#,
    );
    fails(
        fees(),
        "id\n1\n",
        r#"header: expected the column "fee", found "id""#,
    );
    fails(fees(), "", "expected a header line, found an empty text");
}

#[test]
fn missing_and_further_rows_are_named() {
    fails(
        fees(),
        "id,fee\n2,3\n3,\n",
        r#"line 2: expected the row "1,12.50" before this one, found none"#,
    );
    fails(
        fees(),
        "id,fee\n1,12.50\n9,9\n2,3\n3,\n",
        r#"line 3: expected no such row, found "9,9""#,
    );
    fails(
        fees(),
        "id,fee\n1,12.5\n2,3\n",
        r#"expected 3 rows, found 2; first missing: "3,""#,
    );
    fails(
        fees(),
        "id,fee\n1,12.5\n2,3\n3,\n4,\n",
        r#"expected 3 rows, found 4; first extra, in line 5: "4,""#,
    );
    let rows: String = (0..2000).map(|n| format!("{n},\n")).collect();
    fails(
        fees(),
        &format!("id,fee\n{rows}"),
        "expected 3 rows, found 2000",
    );
}

#[test]
fn rows_and_columns_may_have_any_order() {
    let any = || fees().in_any_order().columns_in_any_order();
    passes(any(), "fee,id\n,3\n3.0,2\n12.5,1\n");
    fails(
        any(),
        "fee,id\n,3\n4,2\n12.5,1\n",
        "line 3, column fee: expected 3, found 4",
    );
    fails(
        any(),
        "fee,id\n,3\n12.5,1\n",
        r#"expected the row "2,3", found no such row"#,
    );
    fails(
        any(),
        "fee,id\n,3\n12.5,1\n3,2\n3.0,2\n",
        r#"line 5: expected no such row, found "2,3.0""#,
    );
    fails(
        fees(),
        "fee,id\n,3\n",
        r#"header, column 1: expected "id", found "fee""#,
    );
}

#[test]
fn rows_are_found_by_their_key() {
    let keyed = || fees().by_key("id");
    passes(keyed(), "id,fee\n3,\n2,3\n1,12.5\n");
    fails(
        keyed(),
        "id,fee\n3,\n2,4\n1,12.5\n",
        r#"line 3, row with id "2", column fee: expected 3, found 4"#,
    );
    fails(
        keyed(),
        "id,fee\n3,\n1,12.5\n",
        r#"expected a row with id "2", found none"#,
    );
    fails(
        keyed(),
        "id,fee\n3,\n2,3\n1,12.5\n2,3\n",
        r#"line 5: expected one row with id "2", found it in line 3 too"#,
    );
    fails(
        keyed(),
        "id,fee\n3,\n2,3\n1,12.5\n4,1\n",
        r#"line 5: expected no row with id "4", found "4,1""#,
    );
}

#[test]
#[should_panic(expected = r#"expected different cells in the column id, found "1" twice"#)]
fn a_key_that_two_rows_have_panics() {
    let _ = csv(["id"], [["1"], ["1"]]).by_key("id");
}

#[test]
fn blanks_around_expected_cells_are_ignored_too() {
    passes(csv([" id"], [["a "]]).trimmed(), "id\n a\n");
}

#[test]
fn cells_have_the_forms_of_their_column() {
    let expected = csv(["due", "fee"], [["2025-03-01", "1234.50"], ["n/a", ""]])
        .column("due", Dates::new().or(DAY_FIRST))
        .column("fee", Amounts::new().grouped().unit("€"))
        .separator(b';')
        .trimmed();
    passes(&expected, "due; fee\n01/03/2025; € 1,234.5\nn/a;\n");
    fails(
        &expected,
        "due;fee\n03/01/2025;1234.5\nn/a;\n",
        "line 2, column due: expected 2025-03-01, found 03/01/2025",
    );
    fails(
        &expected,
        "due;fee\n2025-03-01;1234.5\nNA;\n",
        r#"line 3, column due: expected "n/a", found "NA""#,
    );
}

#[test]
fn huge_tables_are_refused() {
    fails(
        fees(),
        &",".repeat(1_000_001),
        "expected at most 1000000 cells, found more",
    );
}

fn serialise(header: &[&str], rows: &[Vec<String>], style: &mut Style) -> String {
    let mut text = String::new();
    let header = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(&header).chain(rows) {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            if cell.contains([',', '"', '\n']) || style.coin() {
                text.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
            } else {
                text.push_str(cell);
            }
        }
        text.push('\n');
    }
    text
}

proptest! {
    #[test]
    fn every_serialisation_is_equal_and_a_changed_cell_is_named(
        rows in proptest::collection::vec(proptest::collection::vec("[ab,\" é]{0,4}", 3), 1..6),
        seed: u64,
        row in 0usize..6,
        column in 0usize..3,
    ) {
        const HEADER: [&str; 3] = ["x", "y", "z"];
        let mut style = Style(seed);
        let text = serialise(&HEADER, &rows, &mut style);
        let text = style.dress(&text);
        let condition = csv(HEADER, &rows).compare(&text);
        prop_assert!(condition.passed(), "{} {:?}", condition.detail(), text);

        let mut shuffled = rows.clone();
        style.shuffle(&mut shuffled);
        let text = serialise(&HEADER, &shuffled, &mut style);
        let condition = csv(HEADER, &rows).in_any_order().compare(&text);
        prop_assert!(condition.passed(), "{} {:?}", condition.detail(), text);

        let mut changed = rows.clone();
        let row = row % rows.len();
        changed[row][column].push('c');
        let text = serialise(&HEADER, &changed, &mut style);
        let condition = csv(HEADER, &rows).compare(&text);
        let place = format!("line {}, column {}: ", row + 2, HEADER[column]);
        prop_assert!(condition.detail().starts_with(&place), "{} {place}", condition.detail());
        let condition = csv(HEADER, &rows).in_any_order().compare(&text);
        prop_assert!(!condition.passed());
        // The changed row is the only one that is further, and two of its three cells are right.
        prop_assert!(condition.detail().starts_with(&place), "{} {place}", condition.detail());
    }

    #[test]
    fn any_text_is_compared(text in "[ab,\"\r\n\u{feff}]{0,24}") {
        fees().compare(&text);
        fees().in_any_order().columns_in_any_order().compare(&text);
        fees().by_key("id").compare(&text);
    }
}
