//! Rights and memberships in details of checks, as the statements that give them.

#![allow(dead_code)]

use mcpmark_guest::Condition;
use mcpmark_guest_postgres::{Grant, Membership};

/// Returns the statement that gives a right.
pub fn right(grant: &Grant) -> String {
    let option = if grant.grantable {
        " WITH GRANT OPTION"
    } else {
        ""
    };
    format!(
        "GRANT {} ON {} TO {}{option}",
        grant.privilege, grant.object, grant.role
    )
}

/// Returns the statement that adds a member to a group.
pub fn member(membership: &Membership) -> String {
    let option = if membership.admin {
        " WITH ADMIN OPTION"
    } else {
        ""
    };
    format!(
        "GRANT {} TO {}{option}",
        membership.group, membership.member
    )
}

/// Checks that a right that was looked for is not there.
pub fn no_right(found: Option<&Grant>) -> Condition {
    none(found.map(right))
}

/// Checks that no right is lost.
pub fn no_lost_right(lost: Option<&Grant>) -> Condition {
    let missing = lost.map(right);
    Condition::when(
        missing.is_none(),
        format!(
            "expected {}, found no such right",
            missing.unwrap_or_default()
        ),
    )
}

/// Checks that a membership that was looked for is not there.
pub fn no_member(found: Option<&Membership>) -> Condition {
    none(found.map(member))
}

fn none(found: Option<String>) -> Condition {
    Condition::when(
        found.is_none(),
        format!("expected no {}", found.unwrap_or_default()),
    )
}
