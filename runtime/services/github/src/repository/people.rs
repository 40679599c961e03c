//! Members of the repository and their roles.

use std::collections::HashSet;

use super::RepositoryState;
use crate::hub::User;

/// Reports whether an account is an organisation.
fn is_organization(user: &User) -> bool {
    user.kind.as_deref() == Some("Organization")
}

impl RepositoryState {
    /// User with a login who is neither an organisation nor a bot.
    pub(crate) fn find_person(&self, login: &str) -> Option<&User> {
        let is_person = |user: &&User| matches!(user.kind.as_deref(), None | Some("User"));
        self.hub.user(login).filter(is_person)
    }

    /// Organisation with a login.
    pub(crate) fn find_organization(&self, login: &str) -> Option<&User> {
        self.hub.user(login).filter(|user| is_organization(user))
    }

    /// Reports whether a user may be assigned. All users may if the repository has no list of collaborators.
    pub(crate) fn is_member(&self, user: &User) -> bool {
        let repository = &self.hub.repository;
        let is = |login: &String| login.eq_ignore_ascii_case(&user.login);
        repository.collaborators.is_empty()
            || is(&repository.owner)
            || repository.collaborators.iter().any(is)
    }

    /// Users who may be assigned.
    pub(crate) fn members(&self) -> Vec<&User> {
        let repository = &self.hub.repository;
        let named = repository.collaborators.iter().chain([&repository.owner]);
        let named: HashSet<String> = named.map(|login| login.to_ascii_lowercase()).collect();
        let is_member = |user: &&User| {
            repository.collaborators.is_empty() || named.contains(&user.login.to_ascii_lowercase())
        };
        self.hub.users.values().filter(is_member).collect()
    }

    /// Role of a user: `admin`, `write` or `read`.
    pub(crate) fn role(&self, user: &User) -> &'static str {
        if user.login.eq_ignore_ascii_case(&self.hub.repository.owner) {
            "admin"
        } else if self.is_member(user) {
            "write"
        } else {
            "read"
        }
    }
}
