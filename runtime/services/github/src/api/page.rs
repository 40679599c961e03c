//! Pagination by page number and by cursor.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::address::query;

/// Page of a list, numbered from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) number: usize,
    pub(crate) size: usize,
    /// Requested number and size before their validation. `None` if there is no such request.
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
    /// Single page with all entries.
    pub(crate) const ALL: Self = Self {
        number: 1,
        size: usize::MAX,
        asked: None,
    };

    /// Page for a requested number and size. The size is 30 by default and at most 100, as on GitHub.
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

    /// Same page with another size.
    pub(crate) fn sized(self, size: usize) -> Self {
        Self { size, ..self }
    }

    /// Query string of the page and further parameters.
    pub(crate) fn query(self, more: &[(&str, &str)]) -> String {
        let (number, size) = match self.asked {
            Some((number, size)) => (number.to_string(), size.to_string()),
            None => (String::new(), String::new()),
        };
        let paging = [("page", number.as_str()), ("per_page", size.as_str())];
        query(&[more, &paging].concat())
    }

    /// Number of entries before the page.
    pub(crate) fn skipped(self) -> usize {
        (self.number - 1).saturating_mul(self.size)
    }
}

/// Iterators that can be paginated.
pub(crate) trait Paged: Iterator + Sized {
    /// Entries of a page.
    fn page(self, page: Page) -> impl Iterator<Item = Self::Item> {
        self.skip(page.skipped()).take(page.size)
    }
}

impl<I: Iterator> Paged for I {}

/// Cursor of the n-th entry, counted from 1.
pub(crate) fn cursor(place: usize) -> String {
    STANDARD.encode(format!("cursor:v2:{place}"))
}

/// Parses a cursor and returns its position.
pub(crate) fn position(cursor: &str) -> Option<usize> {
    let bytes = STANDARD.decode(cursor).ok()?;
    std::str::from_utf8(&bytes)
        .ok()?
        .strip_prefix("cursor:v2:")?
        .parse()
        .ok()
}
