//! Comparison of a text with the content that it should have, whatever its bytes.
//!
//! A program that reads a file does not care about needless quotes, and a person who reads a comment does
//! not see a blank at the end of a line. The comparators of this module accept every usual
//! serialisation of the expected content, and name the first field that differs:
//!
//! ```
//! use mcpmark_guest::content;
//! # use mcpmark_guest::{numbers::Amounts, testing::{self, MemoryTree}};
//!
//! # let mut end = MemoryTree::default();
//! # end.write("fees.csv", "id,fee\r\n7,12.05\r\n");
//! # let checks = testing::verify(|task| {
//! let fees = content::csv(["id", "fee"], [["7", "12.50"]]).amounts(["fee"]);
//! task.check("the fees", task.file("fees.csv").content_is(fees));
//! # }, &end.clone(), &end, None);
//! # assert_eq!(checks[0].detail, "fees.csv: line 2, column fee: expected 12.50, found 12.05");
//! // ✗ the fees: fees.csv: line 2, column fee: expected 12.50, found 12.05
//! ```
//!
//! `content_is` is a method of [`File`], [`CommitFile`] and [`Found<String>`](Found), so it judges files of both
//! services, fields of issues and pull requests, single lines and cells, and the answer.
//!
//! Use a comparator for what the agent writes. A file that existed before keeps its line ends, its byte
//! order mark and its order: compare it with [`edited`], [`File::is_unchanged`] or [`Found::equals`].
//!
//! # Accepted differences
//!
//! Every comparator accepts a byte order mark, CRLF for LF, and any number of line ends at the end of the
//! text. If a task asks for one of them, add [`Found::is_plain`] or [`Found::ends_with_one_newline`].
//! Nothing that is invisible in a diff is accepted elsewhere: a no-break space is not a space.
//!
//! | [`csv`] | default | option |
//! |---|---|---|
//! | needless quotes | accepted | |
//! | blanks around a cell | a difference | [`Csv::trimmed`] |
//! | order of rows | as expected | [`Csv::in_any_order`], [`Csv::by_key`] |
//! | order of columns | as expected | [`Csv::columns_in_any_order`] |
//! | `12.5` for `12.50` | a difference | [`Csv::amounts`], [`Csv::column`] |
//! | `1 March 2025` for `2025-03-01` | a difference | [`Csv::dates`], [`Csv::column`] |
//! | another separator | a difference | [`Csv::separator`] |
//! | blank lines between rows, rows of another width, stray quotes | refused | |
//!
//! | [`json`] | default | option |
//! |---|---|---|
//! | white space, compact or indented | accepted | |
//! | order of keys | accepted | [`Data::keys_in_order`] |
//! | `1.0` or `1e0` for `1` | accepted | [`Data::numbers`] |
//! | `"\u00e9"` for `"é"` | accepted | |
//! | order of lists | as expected | [`Data::any_order_at`] |
//! | `"1"` for `1`, `null` for a missing key | a difference | |
//! | a key twice, comments, commas at the end, nesting beyond 128 | refused | |
//!
#![cfg_attr(feature = "yaml", doc = "| [`yaml`] | default | option |")]
#![cfg_attr(
    not(feature = "yaml"),
    doc = "| `yaml` (feature `yaml`) | default | option |"
)]
//! |---|---|---|
//! | block or flow style, indentation, comments, quotes of any kind | accepted | |
//! | anchors and aliases for what they stand for | accepted, up to 100,000 values | |
//! | order of keys | accepted | [`Data::keys_in_order`] |
//! | `1.0` for `1`, `0x10` for `16` | accepted | [`Data::numbers`] |
//! | `"3.10"` for the number `3.10`, `yes` for `true` (YAML 1.2) | a difference | |
//! | order of lists | as expected | [`Data::any_order_at`] |
//! | a merge key `<<` | an ordinary key | |
//! | a key twice, a key that is a list or a map, tags of a program, nesting beyond 100 | refused | |
//!
#![cfg_attr(feature = "toml", doc = "| [`toml`] | default | option |")]
#![cfg_attr(
    not(feature = "toml"),
    doc = "| `toml` (feature `toml`) | default | option |"
)]
//! |---|---|---|
//! | tables, inline tables and dotted keys for one another | accepted | |
//! | quotes of any kind, comments, order of keys | accepted | [`Data::keys_in_order`] |
//! | `1_000` for `1000`, `0x10` for `16`, `1e0` for `1.0` | accepted | [`Data::numbers`] |
//! | `1.0` for `1` (a float for an integer) | a difference | |
//! | `2025-03-01 07:00:00Z` for `2025-03-01T07:00:00+00:00` | accepted | |
//! | order of arrays | as expected | [`Data::any_order_at`] |
//!
//! | [`markdown`] | default | option |
//! |---|---|---|
//! | blank lines, wrapping of paragraphs, tight or loose lists | accepted | |
//! | `*`, `-` and `+`, `1.` and `1)`, numbers after the first | accepted | |
//! | `#` and underlined headings, fences and indented code, escapes, entities | accepted | |
//! | outer pipes and padding of tables | accepted | |
//! | alignment of the columns of a table | accepted | [`Markdown::with_alignment`] |
//! | emphasis | accepted | [`Markdown::with_emphasis`] |
//! | code spans | a difference | [`Markdown::ignoring_code_spans`] |
//! | inline, reference and automatic links to one address | accepted | |
//! | a hard line break for a soft one | a difference | [`Markdown::as_comment`] |
//! | order of the items of lists, and of the rows of tables | as expected | [`Markdown::items_in_any_order`], [`Markdown::rows_in_any_order`] |
//! | further blocks, images, links, HTML, comments | a difference | |
//! | what no reader sees: link definitions without a link, cells beyond the header of a table | accepted | |
//!
//! | [`text`] | default | option |
//! |---|---|---|
//! | blanks at the end of a line, blank lines at both ends of the text | accepted | |
//! | upper for lower case | a difference | [`Text::ignoring_case`] |
//! | `e` with an accent for `é` (Unicode normal forms) | a difference | `Text::any_composition` (feature `unicode`) |
//! | more or fewer blank lines inside | a difference | [`Text::ignoring_blank_lines`] |
//! | another wrapping, several blanks for one | a difference | [`Text::any_wrapping`] |
//!
//! [`text`] compares titles, bodies and comments as GitHub shows them.
//!
//! | [`amount`] | default | option |
//! |---|---|---|
//! | zeros at the end (`12.5` for `12.50`), a sign `+`, blanks around it | accepted | [`Amounts::places`] |
//! | `1,234.50` for `1234.50` | a difference | [`Amounts::grouped`] |
//! | `12,50` for `12.50` | a difference | [`Amounts::decimal_comma`] |
//! | `€12.50` or `12.50 EUR` for `12.50` | a difference | [`Amounts::unit`] |
//!
//! | [`date`] | default | option |
//! |---|---|---|
//! | `2025-03-01`, `1 March 2025`, `1 Mar 2025`, `March 1, 2025`, `Mar 1, 2025` for one another | accepted | [`Dates::only`] |
//! | forms that some read otherwise (`01/03/2025`) | a difference | [`Dates::or`] |
//!
//! # Limits
//!
//! A text fails the comparison before it is read if it is longer than 256 KiB and four times the expected
//! content together. A document that is nested deeper than its table says (Markdown: 100 levels) fails, too.
//! Within these limits the time of a comparison is at most proportional to `n log n` for each level of nesting.

mod csv;
mod data;
mod edit;
mod json;
mod markdown;
mod text;
#[cfg(feature = "toml")]
mod toml;
mod values;
#[cfg(feature = "yaml")]
mod yaml;

pub use csv::{Csv, Rule, csv};
pub use data::Data;
pub use edit::{Edited, edited};
pub use json::{json, json_text};
pub use markdown::{Markdown, markdown};
pub use text::{Text, text};
#[cfg(feature = "toml")]
pub use toml::{toml, toml_text};
pub use values::{Amount, OneDate, amount, date};
#[cfg(feature = "yaml")]
pub use yaml::{yaml, yaml_text};

use crate::github::CommitFile;
use crate::{Condition, File, Found};
#[cfg(doc)]
use crate::{dates::Dates, numbers::Amounts};

/// Length up to which every text is compared, in bytes. To it comes a multiple of the expected content.
const MAX_TEXT: u64 = 256 << 10;

/// Expected content of a text.
pub trait Expected {
    /// Returns the length of one serialisation of the expected content, in bytes. Texts that are much longer
    /// are not compared.
    fn size(&self) -> usize;

    /// Compares a text with the expected content. The detail names the first field that differs.
    fn compare(&self, found: &str) -> Condition;
}

impl<E: Expected + ?Sized> Expected for &E {
    fn size(&self) -> usize {
        (**self).size()
    }

    fn compare(&self, found: &str) -> Condition {
        (**self).compare(found)
    }
}

impl<E: Expected + ?Sized> Expected for Box<E> {
    fn size(&self) -> usize {
        (**self).size()
    }

    fn compare(&self, found: &str) -> Condition {
        (**self).compare(found)
    }
}

impl Found<String> {
    /// Checks that the text has the expected content; see [`content`](crate::content).
    pub fn content_is(&self, expected: impl Expected) -> Condition {
        self.satisfies(|text| match within_limit(&expected, text.len() as u64) {
            Ok(()) => expected.compare(text),
            Err(reason) => Condition::fail(reason),
        })
    }
}

impl File {
    /// Checks that the file has the expected content; see [`content`](crate::content).
    pub fn content_is(&self, expected: impl Expected) -> Condition {
        if let Ok(entry) = self.entry().get()
            && let Err(reason) = within_limit(&expected, entry.size)
        {
            return Condition::fail(reason).at(self.path());
        }
        self.text().content_is(expected)
    }
}

impl CommitFile {
    /// Checks that the file has the expected content; see [`content`](crate::content).
    pub fn content_is(&self, expected: impl Expected) -> Condition {
        let entry = self.entry();
        if let Ok(found) = entry.get()
            && let Err(reason) = within_limit(&expected, found.size)
        {
            return Condition::fail(reason).at(entry.place());
        }
        self.text().content_is(expected)
    }
}

fn within_limit(expected: &impl Expected, size: u64) -> Result<(), String> {
    let limit = MAX_TEXT.saturating_add((expected.size() as u64).saturating_mul(4));
    if size > limit {
        return Err(format!(
            "expected at most {limit} bytes of text, found {size}"
        ));
    }
    Ok(())
}

/// Returns a text without its byte order mark and without line ends at its end.
fn body(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.trim_end_matches(['\r', '\n'])
}

/// Starts of the lines of a text, for the numbers of lines in details.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of a byte, from 1.
    fn at(&self, offset: usize) -> u32 {
        self.0.partition_point(|&start| start <= offset) as u32 + 1
    }
}

#[cfg(test)]
mod tests;
