//! Pages of long lists.

use maud::{Markup, html};

use crate::Request;

/// Position in a list that is shown in pages. The query `page` selects the page, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pagination {
    /// Number of the page, from 1.
    pub page: i64,
    /// Number of entries on one page.
    pub size: i64,
    /// Number of all entries.
    pub total: i64,
}

impl Pagination {
    /// Returns the page that a request asks for. A number beyond the list selects its last page.
    pub fn of(request: &Request, size: i64, total: i64) -> Self {
        let page = request.query("page").and_then(|page| page.parse().ok());
        let mut pagination = Self {
            page: 1,
            size: size.max(1),
            total,
        };
        pagination.page = page.unwrap_or(1).clamp(1, pagination.pages());
        pagination
    }

    /// Returns the number of pages, at least 1.
    pub fn pages(&self) -> i64 {
        (self.total.max(1) + self.size - 1) / self.size
    }

    /// Returns the number of entries before the page, for `OFFSET`.
    pub fn offset(&self) -> i64 {
        (self.page - 1) * self.size
    }

    /// Returns links to the pages. They keep the rest of the query. There are none if the list has one page.
    pub fn links(&self, request: &Request) -> Markup {
        let pages = self.pages();
        let link = |page: i64| {
            format!(
                "{}{}",
                request.path,
                request.with_query("page", &page.to_string())
            )
        };
        html! {
            @if pages > 1 {
                nav aria-label="Pages" {
                    ul class="pages" {
                        @if self.page > 1 {
                            li { a rel="prev" href=(link(self.page - 1)) { "Previous" } }
                        }
                        @for page in self.shown() {
                            @if page == self.page {
                                li { a aria-current="page" href=(link(page)) { (page) } }
                            } @else {
                                li { a href=(link(page)) { (page) } }
                            }
                        }
                        @if self.page < pages {
                            li { a rel="next" href=(link(self.page + 1)) { "Next" } }
                        }
                    }
                }
            }
        }
    }

    /// Returns the numbers that are shown: the first and the last one, and those near the current one.
    fn shown(&self) -> Vec<i64> {
        let pages = self.pages();
        let is_shown = |page: &i64| *page == 1 || *page == pages || (page - self.page).abs() <= 2;
        (1..=pages).filter(is_shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(page: &str) -> Request {
        Request {
            path: "/tickets".to_owned(),
            query: vec![
                ("q".to_owned(), "a&b".to_owned()),
                ("page".to_owned(), page.to_owned()),
            ],
            ..Request::default()
        }
    }

    #[test]
    fn pages_are_within_the_list() {
        for (page, total, expected) in [
            ("1", 0, 1),
            ("2", 41, 2),
            ("9", 41, 3),
            ("-3", 41, 1),
            ("x", 41, 1),
        ] {
            let pagination = Pagination::of(&request(page), 20, total);
            assert_eq!(pagination.page, expected, "{page} of {total}");
        }
        let last = Pagination::of(&request("3"), 20, 41);
        assert_eq!((last.pages(), last.offset()), (3, 40));
    }

    #[test]
    fn links_keep_the_query() {
        let request = request("5");
        let links = Pagination::of(&request, 10, 200)
            .links(&request)
            .into_string();
        assert!(
            links.contains("href=\"/tickets?q=a%26b&amp;page=6\">Next"),
            "{links}"
        );
        assert!(links.contains("aria-current=\"page\" href=\"/tickets?q=a%26b&amp;page=5\""));
        assert!(links.contains(">20<") && !links.contains(">12<"), "{links}");
        let short = Pagination::of(&request, 10, 7)
            .links(&request)
            .into_string();
        assert_eq!(short, "");
    }
}
