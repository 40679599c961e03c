//! Validation of logins, repository names and users of a world.

use std::collections::HashMap;

use super::WorldError;
use crate::hub::{Issue, Repository, User, is_repository_name};

/// Returns true if a text is a valid login: 1 to 39 letters, digits, hyphens and underscores. The login of an app has
/// the additional suffix `[bot]`.
pub fn is_login(text: &str) -> bool {
    let name = text.strip_suffix("[bot]").unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=39).contains(&name.len()) && name.chars().all(is_part)
}

fn login_problem(login: &str) -> String {
    format!("invalid login {login:?}: expected at most 39 letters, digits, hyphens and underscores")
}

/// Returns an error if a login in a document is invalid.
pub(super) fn check_logins<'a>(
    file: &str,
    place: &str,
    logins: impl IntoIterator<Item = &'a String>,
) -> Result<(), WorldError> {
    match logins.into_iter().find(|login| !is_login(login)) {
        Some(login) => Err(WorldError::value(file, place, login_problem(login))),
        None => Ok(()),
    }
}

/// Returns an error if the name of a repository, its owner, its viewer or a collaborator is invalid.
pub(super) fn check_repository(file: &str, repository: &Repository) -> Result<(), WorldError> {
    const PLACE: &str = "the document";
    let Repository {
        owner,
        viewer,
        collaborators,
        name,
        ..
    } = repository;
    check_logins(
        file,
        PLACE,
        [owner, viewer].into_iter().chain(collaborators),
    )?;
    if !is_repository_name(name) {
        let problem = format!(
            "invalid repository name {name:?}: expected at most 100 letters, digits, hyphens, underscores and dots"
        );
        return Err(WorldError::value(file, PLACE, problem));
    }
    Ok(())
}

/// Returns an error if a user is invalid, or has an email address that already belongs to another user.
pub(super) fn check_user(
    user: &User,
    owners: &mut HashMap<String, String>,
) -> Result<(), WorldError> {
    const FILE: &str = "users.json";
    check_logins(FILE, &user.login, [&user.login])?;
    let refused = |problem: String| Err(WorldError::value(FILE, &user.login, problem));
    let texts = user.name.iter().chain(&user.email).chain(&user.emails);
    if let Some(text) = texts.clone().find(|text| text.contains(char::is_control)) {
        return refused(format!("{text:?} contains a control character"));
    }
    for address in user.email.iter().chain(&user.emails) {
        let owner = owners
            .entry(address.to_lowercase())
            .or_insert_with(|| user.login.clone());
        if *owner != user.login {
            return refused(format!(
                "the address {address:?} already belongs to {owner}"
            ));
        }
    }
    Ok(())
}

/// Returns all logins in an issue or a pull request.
pub(super) fn named_by(issue: &Issue) -> Vec<&String> {
    // The author is empty in published templates.
    let mut all: Vec<&String> = Some(&issue.user)
        .filter(|it| !it.is_empty())
        .into_iter()
        .collect();
    all.extend(issue.assignees.iter().chain(&issue.closed_by));
    let mut reactions: Vec<_> = issue.reactions.iter().collect();
    for comment in &issue.comments {
        all.push(&comment.user);
        reactions.extend(&comment.reactions);
    }
    if let Some(pull) = &issue.pull {
        all.extend(pull.requested_reviewers.iter().chain(&pull.merged_by));
        all.extend(pull.reviews.iter().map(|review| &review.user));
        for comment in &pull.review_comments {
            all.push(&comment.user);
            reactions.extend(&comment.reactions);
        }
    }
    all.extend(reactions.iter().map(|reaction| &reaction.user));
    all
}

#[cfg(test)]
mod tests {
    use super::is_login;

    #[test]
    fn logins_are_short_words() {
        for login in [
            "ann",
            "a-b",
            "octo_corp",
            "dependabot[bot]",
            &"x".repeat(39),
        ] {
            assert!(is_login(login), "{login}");
        }
        for text in [
            "",
            "a b",
            "a/b",
            "[bot]",
            "a.b",
            "\u{e9}",
            "a\n",
            &"x".repeat(40),
        ] {
            assert!(!is_login(text), "{text}");
        }
    }
}
