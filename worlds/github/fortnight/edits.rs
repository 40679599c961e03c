//! The modules, and short forms of what is done to them.

use github_chronicle::Way::{self, Squash};
use github_chronicle::{Work, Write};

pub const CALENDAR: &str = "lib/fortnight/calendar.rb";
pub const CLOCK: &str = "lib/fortnight/clock.rb";
pub const COMPARE: &str = "lib/fortnight/compare.rb";
pub const FORMAT: &str = "lib/fortnight/format.rb";
pub const INTERVAL: &str = "lib/fortnight/interval.rb";
pub const MAIN: &str = "lib/fortnight.rb";
pub const PARSE: &str = "lib/fortnight/parse.rb";
pub const READER: &str = "lib/fortnight/reader.rb";
pub const RECUR: &str = "lib/fortnight/recur.rb";
pub const ROUND: &str = "lib/fortnight/round.rb";
pub const SPAN: &str = "lib/fortnight/span.rb";
pub const UNITS: &str = "lib/fortnight/units.rb";
pub const WORDS: &str = "lib/fortnight/words.rb";
pub const WRITER: &str = "lib/fortnight/writer.rb";

/// Text that is put above another one.
pub fn above(path: &str, place: &str, text: &str) -> Write {
    Write::part(path, place, &format!("{text}{place}"))
}

/// Text that is put below another one.
pub fn below(path: &str, place: &str, text: &str) -> Write {
    Write::part(path, place, &format!("{place}{text}"))
}

pub fn work(
    day: i64,
    author: &'static str,
    way: Way,
    branch: &str,
    title: &str,
    edits: Vec<Write>,
) -> Work<Write> {
    Work::new(day, author, way, branch, title).step(title, edits)
}

pub fn revert(
    day: i64,
    author: &'static str,
    id: &str,
    title: &str,
    edits: Vec<Write>,
) -> Work<Write> {
    let title = format!("Revert \"{title}\"");
    Work::new(day, author, Squash, &format!("revert-{id}"), &title).step(
        &format!("{title}\n\nThis reverts commit {{sha:{id}}}."),
        edits,
    )
}
