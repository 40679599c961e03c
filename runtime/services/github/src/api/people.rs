//! Who belongs to the repository.

use crate::hub::User;
use crate::view::Site;

impl Site {
    /// Whether somebody may be assigned; where nobody is named a collaborator, everybody may.
    pub(crate) fn is_member(&self, user: &User) -> bool {
        let repository = &self.hub.repository;
        let is = |login: &String| login.eq_ignore_ascii_case(&user.login);
        repository.collaborators.is_empty()
            || is(&repository.owner)
            || repository.collaborators.iter().any(is)
    }

    /// What somebody may do: `admin`, `write` or `read`.
    pub(crate) fn role(&self, user: &User) -> &'static str {
        match user.login.eq_ignore_ascii_case(&self.hub.repository.owner) {
            true => "admin",
            false if self.is_member(user) => "write",
            false => "read",
        }
    }
}
