//! Users and their profiles.

use serde_json::{Value, json};

use crate::hub::{Kind, User};
use crate::repository::{API, HTML, RepositoryState};

impl RepositoryState {
    /// Short form of a user, as part of other objects. Null for an empty login.
    pub(crate) fn user(&self, login: &str) -> Value {
        if login.is_empty() {
            return Value::Null;
        }
        let known = self.hub.user(login);
        let login = known.map_or(login, |user| user.login.as_str());
        let kind = known
            .and_then(|user| user.kind.as_deref())
            .unwrap_or("User");
        let id = Kind::User.of_name(login);
        let api = format!("{API}/users/{login}");
        json!({
            "login": login,
            "id": id,
            "node_id": Kind::User.node_id(id),
            "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}?v=4"),
            "gravatar_id": "",
            "url": api,
            "html_url": format!("{HTML}/{login}"),
            "followers_url": format!("{api}/followers"),
            "following_url": format!("{api}/following{{/other_user}}"),
            "gists_url": format!("{api}/gists{{/gist_id}}"),
            "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format!("{api}/subscriptions"),
            "organizations_url": format!("{api}/orgs"),
            "repos_url": format!("{api}/repos"),
            "events_url": format!("{api}/events{{/privacy}}"),
            "received_events_url": format!("{api}/received_events"),
            "type": kind,
            "user_view_type": "public",
            "site_admin": false,
        })
    }

    /// Short forms of several users.
    pub(crate) fn users(&self, logins: &[String]) -> Value {
        logins.iter().map(|login| self.user(login)).collect()
    }

    /// Number of public gists of an owner.
    fn public_gists(&self, login: &str) -> usize {
        let gists = self.hub.gists.values();
        gists
            .filter(|gist| gist.public && gist.owner.eq_ignore_ascii_case(login))
            .count()
    }

    /// User with the public profile.
    pub(crate) fn profile(&self, user: &User) -> Value {
        let mut view = self.user(&user.login);
        let own = user.login.eq_ignore_ascii_case(&self.hub.repository.owner);
        let created = self.hub.repository.created_at.to_string();
        let profile = json!({
            "name": user.name,
            "company": user.company,
            "blog": user.blog.clone().unwrap_or_default(),
            "location": user.location,
            "email": user.email,
            "hireable": null,
            "bio": user.bio,
            "twitter_username": null,
            "public_repos": u8::from(own && !self.hub.repository.private),
            "public_gists": self.public_gists(&user.login),
            "followers": 0,
            "following": 0,
            "created_at": created,
            "updated_at": created,
        });
        if let (Value::Object(view), Value::Object(profile)) = (&mut view, profile) {
            view.extend(profile);
        }
        view
    }
}
