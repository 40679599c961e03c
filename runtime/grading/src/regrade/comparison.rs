//! Comparison of the grades before and after a regrade.

use mcpmark_journal::{GradeResult, GradeRow};
use serde::Serialize;

/// Differences between the grade before a regrade and the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradeComparison {
    /// True if outcome, pass, kind of fault and all checks with their details are unchanged.
    pub is_same: bool,
    /// True if `passed` changed, including from or to no grade.
    pub is_flipped: bool,
    /// Interfaces of the verifier that other servers answered than before.
    pub servers: Vec<ChangedServer>,
    /// Checks that changed, are new, or were removed: first in the order of the new verdict, then the removed ones.
    pub checks: Vec<ChangedCheck>,
}

/// Server that answered an interface of the verifier, before a regrade and in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedServer {
    /// Name of the interface, such as `sql`.
    pub interface: String,
    /// Server of the previous grade, such as `postgres 15`.
    pub before: String,
    /// Server of the new grade.
    pub after: String,
}

/// Check that changed in a regrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedCheck {
    /// Name of the check.
    pub name: String,
    /// Previous result; none if the check is new.
    pub before: Option<bool>,
    /// New result; none if the check was removed.
    pub after: Option<bool>,
    /// Expected and found values of the new result.
    pub detail: String,
}

impl GradeComparison {
    /// Compares two grades of one attempt. `before` is none if the attempt had no grade.
    pub fn new(before: Option<&GradeRow>, after: &GradeRow) -> Self {
        Self {
            is_same: before.is_some_and(|before| is_same(&before.result, &after.result)),
            is_flipped: before.and_then(|before| before.result.passed()) != after.result.passed(),
            servers: before.map_or_else(Vec::new, |before| changed_servers(before, after)),
            checks: changed_checks(before, after),
        }
    }
}

/// Compares two results without their scores, and without the messages of faults, which depend on the host.
fn is_same(before: &GradeResult, after: &GradeResult) -> bool {
    let kind = |result: &GradeResult| result.fault().map(|fault| fault.kind);
    before.outcome() == after.outcome()
        && before.passed() == after.passed()
        && before.checks() == after.checks()
        && kind(before) == kind(after)
}

fn changed_servers(before: &GradeRow, after: &GradeRow) -> Vec<ChangedServer> {
    let changes = before.interfaces.changes(&after.interfaces).into_iter();
    let changes = changes.map(|(interface, before, after)| ChangedServer {
        interface: interface.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    });
    changes.collect()
}

fn changed_checks(before: Option<&GradeRow>, after: &GradeRow) -> Vec<ChangedCheck> {
    let old = before.map_or(&[][..], |before| before.result.checks());
    let new = after.result.checks().iter().filter_map(|check| {
        let was = old
            .iter()
            .find(|it| it.name == check.name)
            .map(|it| it.passed);
        (was != Some(check.passed)).then(|| ChangedCheck {
            name: check.name.clone(),
            before: was,
            after: Some(check.passed),
            detail: check.detail.clone(),
        })
    });
    let gone = old
        .iter()
        .filter(|check| !after.result.checks().iter().any(|it| it.name == check.name))
        .map(|check| ChangedCheck {
            name: check.name.clone(),
            before: Some(check.passed),
            after: None,
            detail: String::new(),
        });
    new.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use mcpmark_journal::Scoring;
    use mcpmark_sandbox::{Check, InterfaceVersions};
    use mcpmark_snapshot::Digest;

    use super::*;

    fn grade(checks: &[(&str, bool, &str)]) -> GradeRow {
        let checks = checks.iter().map(|(name, passed, detail)| Check {
            name: (*name).to_owned(),
            passed: *passed,
            detail: (*detail).to_owned(),
        });
        let checks: Vec<Check> = checks.collect();
        GradeRow {
            verifier: Digest::of(b"verifier").into(),
            engine: "engine".to_owned(),
            terms: None,
            task_digest: None,
            log: String::new(),
            interfaces: InterfaceVersions::default(),
            result: GradeResult::Verdict {
                passed: checks.iter().all(|check| check.passed),
                score: Scoring::default().score(&checks),
                scoring: Scoring::default(),
                checks,
            },
        }
    }

    #[test]
    fn changed_new_and_removed_checks_are_listed() {
        let before = grade(&[("a", true, ""), ("b", true, ""), ("old", false, "x")]);
        let after = grade(&[("new", false, "y"), ("b", false, "z"), ("a", true, "")]);
        let found = GradeComparison::new(Some(&before), &after);
        assert!(!found.is_same);
        assert!(!found.is_flipped);
        let checks: Vec<_> = found
            .checks
            .iter()
            .map(|it| (&*it.name, it.before, it.after, &*it.detail))
            .collect();
        assert_eq!(
            checks,
            [
                ("new", None, Some(false), "y"),
                ("b", Some(true), Some(false), "z"),
                ("old", Some(false), None, ""),
            ]
        );
    }

    #[test]
    fn a_changed_detail_is_neither_the_same_nor_a_flip() {
        let before = grade(&[("a", false, "x")]);
        let mut after = before.clone();
        after.engine = "other".to_owned();
        assert!(GradeComparison::new(Some(&before), &after).is_same);
        let after = grade(&[("a", false, "y")]);
        let found = GradeComparison::new(Some(&before), &after);
        assert!(!found.is_same && !found.is_flipped && found.checks.is_empty());
    }

    #[test]
    fn another_server_is_named_and_is_no_difference_by_itself() {
        let mut before = grade(&[("a", true, "")]);
        before.interfaces.record("sql", "postgres 15");
        let mut after = before.clone();
        let found = GradeComparison::new(Some(&before), &after);
        assert!(found.is_same && found.servers.is_empty());
        after.interfaces.record("sql", "postgres 17");
        let found = GradeComparison::new(Some(&before), &after);
        assert!(found.is_same && !found.is_flipped);
        let [changed] = &found.servers[..] else {
            panic!("{found:?}");
        };
        let sides = (&*changed.interface, &*changed.before, &*changed.after);
        assert_eq!(sides, ("sql", "postgres 15", "postgres 17"));
        // The server of a grade that recorded none is unknown.
        before.interfaces = InterfaceVersions::default();
        let found = GradeComparison::new(Some(&before), &after);
        assert!(found.servers.is_empty());
    }

    #[test]
    fn a_first_grade_is_a_flip() {
        let found = GradeComparison::new(None, &grade(&[("a", true, "")]));
        assert!(!found.is_same);
        assert!(found.is_flipped);
        assert_eq!(found.checks.len(), 1);
    }
}
