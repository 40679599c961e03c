//! Validation of search queries: maximum lengths, and unknown repositories and owners.

use super::query::Query;
use super::{Answer, ApiError, FieldError, Page, Sorted};
use crate::repository::RepositoryState;

/// Maximum number of characters of a query without its qualifiers and operators.
const LONGEST: usize = 256;

const TOO_LONG: &str = "The search is longer than 256 characters.";

/// Maximum size of a whole query, in bytes. GitHub does not accept longer URLs.
const LONGEST_QUERY: usize = 8_192;

impl RepositoryState {
    /// Refuses a query that is too long, or that is restricted to unknown repositories and owners.
    pub(super) fn check_searchable(
        &self,
        what: &str,
        text: &str,
        query: &Query,
        sorted: &Sorted,
        page: Page,
    ) -> Answer<()> {
        self.check_length(what, text, sorted, page)?;
        let message = if query.length_of_texts() > LONGEST {
            TOO_LONG
        } else if self.is_elsewhere(query) {
            "The listed users and repositories cannot be searched either because the resources do not exist or you \
             do not have permission to view them."
        } else {
            return Ok(());
        };
        Err(self.unsearchable(what, text, sorted, page, message))
    }

    /// Refuses a query of more than [`LONGEST_QUERY`] bytes.
    pub(crate) fn check_length(
        &self,
        what: &str,
        text: &str,
        sorted: &Sorted,
        page: Page,
    ) -> Answer<()> {
        if text.len() > LONGEST_QUERY {
            Err(self.unsearchable(what, "", sorted, page, TOO_LONG))
        } else {
            Ok(())
        }
    }

    fn unsearchable(
        &self,
        what: &str,
        text: &str,
        sorted: &Sorted,
        page: Page,
        message: &str,
    ) -> ApiError {
        let order = if sorted.ascending { "asc" } else { "" };
        let asked = page.query(&[("order", order), ("q", text), ("sort", &sorted.by)]);
        let call = self.call_anywhere("GET", &format!("/search/{what}{asked}"));
        call.invalid(vec![FieldError {
            resource: "Search",
            field: "q",
            code: "invalid",
            message: message.to_owned(),
        }])
    }

    /// Reports whether a query is restricted to repositories and owners, and all of them are unknown.
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
