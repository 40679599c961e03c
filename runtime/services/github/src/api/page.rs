//! Pages of lists: by number, and by the cursor of an entry.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::address::query;

/// A page, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) number: usize,
    pub(crate) size: usize,
    /// The number and the size that were asked for, as they were; none where nobody asked.
    asked: Option<(i64, i64)>,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            number: 1,
            size: 30,
            asked: None,
        }
    }
}

impl Page {
    /// All entries at once.
    pub(crate) const ALL: Self = Self {
        number: 1,
        size: usize::MAX,
        asked: None,
    };

    /// A page as somebody asked for it: GitHub gives at most 100 entries, 30 where nothing was said.
    pub(crate) fn asked(number: i64, size: i64) -> Self {
        let number = if number == 0 { 1 } else { number };
        let size = if size == 0 { 30 } else { size };
        let given = if size < 0 { 30 } else { size.min(100) };
        Self {
            number: usize::try_from(number).unwrap_or(1),
            size: usize::try_from(given).unwrap_or(30),
            asked: Some((number, size)),
        }
    }

    /// The same page of another size.
    pub(crate) fn sized(self, size: usize) -> Self {
        Self { size, ..self }
    }

    /// The query that asks for it, with more that is asked for.
    pub(crate) fn query(self, more: &[(&str, &str)]) -> String {
        let (number, size) = match self.asked {
            Some((number, size)) => (number.to_string(), size.to_string()),
            None => (String::new(), String::new()),
        };
        let paging = [("page", number.as_str()), ("per_page", size.as_str())];
        query(&[more, &paging].concat())
    }

    /// The number of entries before this page.
    pub(crate) fn skipped(self) -> usize {
        (self.number - 1).saturating_mul(self.size)
    }
}

/// Something of which one page is taken.
pub(crate) trait Paged: Iterator + Sized {
    /// The entries of a page.
    fn page(self, page: Page) -> impl Iterator<Item = Self::Item> {
        self.skip(page.skipped()).take(page.size)
    }
}

impl<I: Iterator> Paged for I {}

/// The cursor of the n-th entry, counted from 1.
pub(crate) fn cursor(place: usize) -> String {
    STANDARD.encode(format!("cursor:v2:{place}"))
}

/// The place of a cursor.
pub(crate) fn position(cursor: &str) -> Option<usize> {
    let bytes = STANDARD.decode(cursor).ok()?;
    std::str::from_utf8(&bytes)
        .ok()?
        .strip_prefix("cursor:v2:")?
        .parse()
        .ok()
}
