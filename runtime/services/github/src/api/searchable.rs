//! What GitHub does not search for: too many words, and places that are not there.

use super::query::Query;
use super::{Answer, FieldError, Page, Sorted};
use crate::view::Site;

/// The most characters of a query, without its qualifiers and operators.
const LONGEST: usize = 256;

impl Site {
    /// Refuses a query that is too long, and one whose places are none that this world knows.
    pub(super) fn check_searchable(
        &self,
        what: &str,
        text: &str,
        query: &Query,
        sorted: &Sorted,
        page: Page,
    ) -> Answer<()> {
        let message = if query.length_of_texts() > LONGEST {
            "The search is longer than 256 characters."
        } else if self.is_elsewhere(query) {
            "The listed users and repositories cannot be searched either because the resources do not exist or you \
             do not have permission to view them."
        } else {
            return Ok(());
        };
        let order = if sorted.ascending { "asc" } else { "" };
        let asked = page.query(&[("order", order), ("q", text), ("sort", &sorted.by)]);
        let call = self.call_anywhere("GET", &format!("/search/{what}{asked}"));
        Err(call.invalid(vec![FieldError {
            resource: "Search",
            field: "q",
            code: "invalid",
            message: message.to_owned(),
        }]))
    }

    /// Whether a query looks at places alone that are not there.
    fn is_elsewhere(&self, query: &Query) -> bool {
        let full = self.full_name();
        let repositories = query
            .values("repo")
            .map(|it| it.eq_ignore_ascii_case(&full));
        let owners = query.values("user").chain(query.values("org"));
        let owners = owners.map(|it| it == "@me" || self.hub.user(it).is_some());
        let mut places = repositories.chain(owners).peekable();
        places.peek().is_some() && !places.any(|is_known| is_known)
    }
}
