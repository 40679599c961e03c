//! Pages of lists: by number, and by the cursor of an entry.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A page, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) number: usize,
    pub(crate) size: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            number: 1,
            size: 30,
        }
    }
}

impl Page {
    /// All entries at once.
    pub(crate) const ALL: Self = Self {
        number: 1,
        size: usize::MAX,
    };

    /// A page as somebody asked for it: GitHub gives at most 100 entries, 30 where nothing was said.
    pub(crate) fn asked(number: i64, size: i64) -> Self {
        let size = if size <= 0 { 30 } else { size.min(100) };
        Self {
            number: usize::try_from(number).unwrap_or(1).max(1),
            size: usize::try_from(size).unwrap_or(30),
        }
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
