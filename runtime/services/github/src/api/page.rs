//! Pages of lists.

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
