//! Mutations of roles: attributes, memberships, settings, and privileges that should have been revoked.

use super::definitions::{Definitions, first_line};
use super::{Mutant, MutationKind};

/// Attributes that are mutated. The negation of each has the prefix `NO`. `SUPERUSER` and `REPLICATION` are left out,
/// because a mutant must not give rights over the server that restores it.
const ATTRIBUTES: [&str; 5] = ["INHERIT", "CREATEROLE", "CREATEDB", "LOGIN", "BYPASSRLS"];

impl Definitions<'_> {
    /// Inverts single attributes of the roles that the solution created or altered. Attributes of an altered role that
    /// the solution left alone are not mutated.
    pub(super) fn attributes(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["CREATE ROLE "]) {
            let Some((role, attributes)) = text.split_once(" WITH ") else {
                continue;
            };
            let before = self
                .removed
                .iter()
                .find_map(|it| it.split_once(" WITH ").filter(|it| it.0 == role));
            for attribute in ATTRIBUTES {
                let Some(other) = inverted(attributes, attribute) else {
                    continue;
                };
                if before.is_some_and(|(_, it)| has(it, attribute) == has(attributes, attribute)) {
                    continue;
                }
                let no = if has(attributes, attribute) { "NO" } else { "" };
                let what = format!("{no}{attribute} in `{role}`");
                let other = format!("{role} WITH {other}");
                self.replaced(found, MutationKind::Role, at, other, what);
            }
        }
    }

    /// Drops memberships that the solution granted, and restores those that it revoked.
    pub(super) fn memberships(&self, found: &mut Vec<Mutant>) {
        for (at, _) in self.changed(&["GRANT "]) {
            self.without(found, MutationKind::Grant, at);
        }
        self.remaining_grants(found);
    }

    /// Drops settings that the solution made.
    pub(super) fn settings(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["ALTER ROLE ", "ALTER DATABASE "]) {
            if text.contains(" SET ") {
                self.without(found, MutationKind::Setting, at);
            }
        }
    }

    /// Restores single privileges and memberships that the solution revoked. Statements of a file that changes the role
    /// have a meaning only at their place.
    pub(super) fn remaining_grants(&self, found: &mut Vec<Mutant>) {
        let changes_role = |text: &String| text.starts_with("SET ROLE ");
        if self
            .statements
            .iter()
            .chain(&self.removed)
            .any(changes_role)
        {
            return;
        }
        // A role that the solution dropped cannot have privileges.
        let dropped = self.removed.iter().filter_map(|text| role_of(text));
        let dropped: Vec<&str> = dropped
            .filter(|role| !self.statements.iter().any(|it| role_of(it) == Some(role)))
            .collect();
        let grants = self.removed.iter().filter(|it| it.starts_with("GRANT "));
        for grant in grants {
            let words = grant.split([' ', ',', ';']);
            let covered = self.statements.iter().any(|kept| covers(kept, grant));
            if covered || words.clone().any(|word| dropped.contains(&word)) {
                continue;
            }
            let what = format!("`{}` of the starting state remains", first_line(grant));
            self.edit(found, MutationKind::Grant, what, |statements| {
                statements.push(grant.clone());
            });
        }
    }
}

/// Returns the role that a statement creates.
fn role_of(statement: &str) -> Option<&str> {
    let name = statement.strip_prefix("CREATE ROLE ")?;
    let end = name.find(" WITH").unwrap_or(name.len());
    Some(name[..end].trim_end_matches(';'))
}

/// Reports whether a `GRANT` gives everything that another one gives.
fn covers(kept: &str, removed: &str) -> bool {
    let parts = |grant: &str| {
        let grant = grant.strip_prefix("GRANT ")?.trim_end_matches(';');
        let options = [" WITH GRANT OPTION", " WITH ADMIN OPTION"];
        let plain = options.iter().find_map(|it| grant.strip_suffix(it));
        let (given, place) = plain.unwrap_or(grant).split_at(
            grant
                .find(" ON ")
                .or_else(|| grant.find(" TO "))
                .unwrap_or(0),
        );
        let given: Vec<String> = given.split(',').map(|it| it.trim().to_owned()).collect();
        Some((given, place.to_owned(), plain.is_some()))
    };
    let (Some(kept), Some(removed)) = (parts(kept), parts(removed)) else {
        return false;
    };
    let all = kept.0.iter().any(|it| it.starts_with("ALL"));
    kept.1 == removed.1
        && (kept.2 || !removed.2)
        && (all || removed.0.iter().all(|it| kept.0.contains(it)))
}

fn words(attributes: &str) -> impl Iterator<Item = &str> {
    attributes.trim_end_matches(';').split(' ')
}

fn has(attributes: &str, attribute: &str) -> bool {
    words(attributes).any(|word| word == attribute)
}

/// Returns attributes with one of them inverted, or `None` if they do not state it.
fn inverted(attributes: &str, attribute: &str) -> Option<String> {
    let negated = format!("NO{attribute}");
    let other = |word: &str| match word {
        word if word == attribute => Some(negated.clone()),
        word if word == negated => Some(attribute.to_owned()),
        _ => None,
    };
    words(attributes).find_map(other)?;
    let words: Vec<String> = words(attributes)
        .map(|word| other(word).unwrap_or_else(|| word.to_owned()))
        .collect();
    Some(format!("{};", words.join(" ")))
}
