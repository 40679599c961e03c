//! Memberships of roles, and privileges.

use crate::sql::{Token, tokens};

/// Membership of one role in another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Membership {
    /// The group.
    pub group: String,
    /// The member.
    pub member: String,
    /// Whether the member can add others.
    pub admin: bool,
}

impl Membership {
    /// Reads a statement `GRANT group TO member` of `roles.sql`.
    #[must_use]
    pub fn parse(statement: &str) -> Option<Self> {
        let all = tokens(statement);
        let [
            Token::Word("GRANT"),
            group,
            Token::Word("TO"),
            member,
            options @ ..,
        ] = &all[..]
        else {
            return None;
        };
        let words: Vec<&str> = options.iter().map(|token| token.text()).collect();
        let admin = words
            .windows(2)
            .any(|pair| pair == ["ADMIN", "OPTION"] || pair == ["ADMIN", "TRUE"]);
        Some(Self {
            group: group.name(),
            member: member.name(),
            admin,
        })
    }
}

/// One privilege on one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// Privilege, such as `SELECT` or `UPDATE (phone)`.
    pub privilege: String,
    /// Object with its kind, such as `TABLE public.customers`.
    pub object: String,
    /// Role that has the privilege, or `PUBLIC`.
    pub role: String,
    /// Whether the role can give it to others.
    pub grantable: bool,
}

impl Grant {
    /// Reads a statement `GRANT privileges ON object TO role`, with one item for each privilege.
    #[must_use]
    pub fn parse(statement: &str) -> Vec<Self> {
        let Some(rest) = statement.strip_prefix("GRANT ") else {
            return Vec::new();
        };
        let Some((privileges, rest)) = rest.split_once(" ON ") else {
            return Vec::new();
        };
        let Some((object, role)) = rest.rsplit_once(" TO ") else {
            return Vec::new();
        };
        let (role, grantable) = match role.strip_suffix(" WITH GRANT OPTION") {
            Some(role) => (role, true),
            None => (role, false),
        };
        let columns = |text: &str| {
            text.split_once('(')
                .map(|(_, list)| list.trim_end_matches(')').to_owned())
        };
        let mut found = Vec::new();
        for part in outside(privileges) {
            let name = part.split(" (").next().unwrap_or(part).trim();
            let names =
                columns(part).map(|list| list.split(", ").map(str::to_owned).collect::<Vec<_>>());
            let privileges = match names {
                Some(names) => names
                    .iter()
                    .map(|column| format!("{name} ({column})"))
                    .collect(),
                None => vec![name.to_owned()],
            };
            found.extend(privileges.into_iter().map(|privilege| Self {
                privilege,
                object: object.to_owned(),
                role: role.trim_matches('"').to_owned(),
                grantable,
            }));
        }
        found
    }
}

/// Splits a list at the commas outside of parentheses.
fn outside(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memberships_are_read_whoever_granted_them() {
        let membership = Membership::parse("GRANT finance TO celine GRANTED BY desk").unwrap();
        assert_eq!(
            (membership.group.as_str(), membership.member.as_str()),
            ("finance", "celine")
        );
        assert!(!membership.admin);
        assert!(
            Membership::parse("GRANT finance TO desk WITH ADMIN OPTION")
                .unwrap()
                .admin
        );
        assert_eq!(Membership::parse("CREATE ROLE finance WITH NOLOGIN"), None);
    }

    #[test]
    fn each_privilege_is_an_item() {
        let grants =
            Grant::parse("GRANT SELECT, UPDATE (phone, email) ON TABLE public.customers TO jonah");
        let found: Vec<&str> = grants
            .iter()
            .map(|grant| grant.privilege.as_str())
            .collect();
        assert_eq!(found, ["SELECT", "UPDATE (phone)", "UPDATE (email)"]);
        assert_eq!(
            (grants[0].object.as_str(), grants[0].role.as_str()),
            ("TABLE public.customers", "jonah")
        );
        let grants = Grant::parse("GRANT USAGE ON SCHEMA public TO \"a b\" WITH GRANT OPTION");
        assert_eq!(
            (grants[0].role.as_str(), grants[0].grantable),
            ("a b", true)
        );
        assert!(Grant::parse("REVOKE ALL ON TABLE public.t FROM x").is_empty());
    }
}
