//! Comparison of a task with the other tasks of its library: distinctness and splits.
//!
//! The skeletons of the other tasks come from reports of the same run, or else from their certificates. A certificate
//! counts only if the directory of its task is unchanged. The conditions on other tasks are part of a certificate, but a
//! certificate is not bound to other tasks, so they are replaced by those of the present whenever a report is made.

use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use mcpmark_task::{Error, Library, Split};

use crate::Certificate;
use crate::declared::detail;
use crate::points::{ALL_COMPARED, NO_TWIN, SKELETONS_SPLIT, SPLIT_COMPARED, WORLDS_SPLIT};
use crate::report::{Check, Report};
use crate::skeleton::Skeleton;

/// Conditions that depend on other tasks.
const CONDITIONS: [&str; 5] = [
    NO_TWIN,
    ALL_COMPARED,
    WORLDS_SPLIT,
    SKELETONS_SPLIT,
    SPLIT_COMPARED,
];

/// Error of reading the tasks of a library for a comparison.
#[derive(Debug, thiserror::Error)]
#[error("cannot compare the tasks of the library: {0}")]
pub struct CompareError(#[from] Error);

/// Properties of all tasks of a library by which they are compared.
#[derive(Debug)]
pub struct Comparison {
    tasks: BTreeMap<String, Compared>,
    /// Number of tasks that cannot be loaded. Neither their skeletons nor their splits are known.
    broken: usize,
}

/// Properties of one task by which it is compared.
#[derive(Debug, Clone)]
struct Compared {
    world: String,
    split: Option<Split>,
    /// Digest of the starting state and skeleton. `None` if they are not known, or not those of the present task.
    certified: Option<(Digest, Skeleton)>,
}

impl Comparison {
    /// Reads the tasks of a library and their certificates. Tasks with errors count as not compared. A certificate that
    /// cannot be read, has no skeleton, or was written for another content of the directory counts as missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the tasks cannot be listed.
    pub fn read(library: &Library) -> Result<Self, CompareError> {
        let certified = |task| {
            let certificate = Certificate::read(task).ok().flatten()?;
            let skeleton = certificate.skeleton?;
            let difference = certificate.differs_in_sources(task).ok()?;
            difference
                .is_none()
                .then_some((certificate.world, skeleton))
        };
        let found = library.tasks()?;
        let compared = found.tasks.iter().map(|task| {
            let compared = Compared {
                world: task.world.to_string(),
                split: task.meta.split,
                certified: certified(task),
            };
            (task.id.to_string(), compared)
        });
        Ok(Self {
            tasks: compared.collect(),
            broken: found.broken.len(),
        })
    }

    /// Replaces the skeleton of a task by that of its report, or removes it if the report has none.
    pub fn record(&mut self, report: &Report) {
        if let Some(task) = self.tasks.get_mut(&report.identity.task) {
            let skeleton = report.skeleton;
            task.certified = skeleton.map(|skeleton| (report.identity.world, skeleton));
        }
    }

    /// Replaces the conditions of a report that depend on other tasks. Returns true if the report changed. A report
    /// without a skeleton has none of them.
    pub fn apply(&self, report: &mut Report) -> bool {
        let before = report.checks.clone();
        report
            .checks
            .retain(|check| !CONDITIONS.contains(&check.name.as_str()));
        if let (Some(skeleton), Some(own)) =
            (report.skeleton, self.tasks.get(&report.identity.task))
        {
            let id = &report.identity.task;
            let mut checks = self.distinct(id, skeleton);
            checks.extend(self.split(id, own, report.identity.world, skeleton));
            report.checks.extend(checks);
        }
        // The details of a certificate's conditions are not stored, so only names and results are compared.
        let held = |checks: &[Check]| -> Vec<(String, bool)> {
            let mut held: Vec<_> = checks
                .iter()
                .map(|check| (check.name.clone(), check.passed))
                .collect();
            held.sort_unstable();
            held
        };
        held(&before) != held(&report.checks)
    }

    /// Returns the other tasks.
    fn others<'a>(&'a self, id: &'a str) -> impl Iterator<Item = (&'a String, &'a Compared)> {
        self.tasks.iter().filter(move |(other, _)| *other != id)
    }

    /// Compares the skeleton of a task with those of all others.
    fn distinct(&self, id: &str, skeleton: Skeleton) -> Vec<Check> {
        let all = self.others(id).count() + self.broken;
        let known = self
            .others(id)
            .filter(|(_, other)| other.certified.is_some());
        let known = known.count();
        // A comparison with none of several tasks would show nothing.
        if known == 0 && all > 0 {
            return Vec::new();
        }
        let twins = self
            .others(id)
            .filter(|(_, other)| other.certified.is_some_and(|(_, other)| other == skeleton));
        let problems: Vec<String> = twins
            .map(|(other, _)| {
                format!(
                    "{id} and {other} have the same skeleton of calls and of rules; \
                     change what one of them asks for, or remove it"
                )
            })
            .collect();
        conditions(
            NO_TWIN,
            ALL_COMPARED,
            &problems,
            (known, all),
            "other tasks",
        )
    }

    /// Compares the world and the skeleton of a task with those of all tasks in other splits.
    fn split(&self, id: &str, own: &Compared, world: Digest, skeleton: Skeleton) -> Vec<Check> {
        let Some(split) = own.split else {
            return Vec::new();
        };
        let others = || {
            self.others(id).filter_map(move |(other, compared)| {
                let their = compared.split.filter(|their| *their != split)?;
                Some((other, their, compared))
            })
        };
        let whose = |other: &str, their: Split| {
            format!("{id} ({}) and {other} ({})", split.as_str(), their.as_str())
        };
        let worlds: Vec<String> = others()
            .filter(|(_, _, compared)| {
                let certified = compared.certified;
                compared.world == own.world || certified.is_some_and(|(it, _)| it == world)
            })
            .map(|(other, their, _)| format!("{} start from the same world", whose(other, their)))
            .collect();
        let count = others().count();
        let mut checks = vec![Check {
            name: WORLDS_SPLIT.to_owned(),
            passed: worlds.is_empty(),
            detail: detail(&worlds, format!("{count} tasks of other splits")),
        }];
        let skeletons: Vec<String> = others()
            .filter(|(_, _, compared)| {
                let certified = compared.certified;
                certified.is_some_and(|(_, their)| their.rules == skeleton.rules)
            })
            .map(|(other, their, _)| {
                format!("{} have the same skeleton of rules", whose(other, their))
            })
            .collect();
        let known = others().filter(|(_, _, compared)| compared.certified.is_some());
        let known = known.count();
        let all = count + self.broken;
        if known > 0 || all == 0 {
            let count = (known, all);
            let noun = "tasks of other splits";
            checks.extend(conditions(
                SKELETONS_SPLIT,
                SPLIT_COMPARED,
                &skeletons,
                count,
                noun,
            ));
        }
        checks
    }
}

/// Returns the condition on skeletons, and the condition that all of them are known, if they are.
fn conditions(
    name: &str,
    complete: &str,
    problems: &[String],
    (known, all): (usize, usize),
    noun: &str,
) -> Vec<Check> {
    let mut compared = format!("compared with {known} of {all} {noun}");
    if known < all {
        compared
            .push_str("; the rest have errors, or no certificate that holds and has a skeleton");
    }
    let mut checks = vec![Check {
        name: name.to_owned(),
        passed: problems.is_empty(),
        detail: detail(problems, compared.clone()),
    }];
    if known == all {
        checks.push(Check {
            name: complete.to_owned(),
            passed: true,
            detail: compared,
        });
    }
    checks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::Identity;
    use crate::{Point, PointStatus};

    fn skeleton(calls: &str, rules: &str) -> Skeleton {
        Skeleton {
            calls: Digest::of(calls.as_bytes()),
            rules: Digest::of(rules.as_bytes()),
        }
    }

    fn report(task: &str, world: &str, skeleton: Option<Skeleton>) -> Report {
        let digest = Digest::of(world.as_bytes());
        let certificate: Certificate = serde_json::from_value(json!({
            "format": 5, "task": task,
            "sources": digest, "code": digest, "world": digest, "verifier": digest,
            // A result of an earlier comparison.
            "checks": ["the oracle passes", NO_TWIN, ALL_COMPARED, WORLDS_SPLIT],
            "mutants": [0, 0], "free": 0, "mutations": {},
            "skeleton": skeleton,
        }))
        .unwrap();
        let identity = Identity {
            task: task.to_owned(),
            sources: digest,
            code: digest,
            world: digest,
            verifier: digest,
        };
        Report::certified(identity, &certificate)
    }

    fn comparison(tasks: &[(&str, &str, Option<Split>)]) -> Comparison {
        let tasks = tasks.iter().map(|(id, world, split)| {
            let compared = Compared {
                world: (*world).to_owned(),
                split: *split,
                certified: None,
            };
            ((*id).to_owned(), compared)
        });
        Comparison {
            tasks: tasks.collect(),
            broken: 0,
        }
    }

    fn named(report: &Report, name: &str) -> Option<(bool, String)> {
        let check = report.checks.iter().find(|check| check.name == name)?;
        Some((check.passed, check.detail.clone()))
    }

    fn status(report: &Report, point: Point) -> PointStatus {
        let points = report.points();
        points.iter().find(|it| it.point == point).unwrap().status
    }

    #[test]
    fn twins_fail_with_both_names_whichever_is_examined_first() {
        let mut comparison = comparison(&[("a", "v", None), ("b", "w", None), ("c", "x", None)]);
        let twin = Some(skeleton("read", "sum"));
        let mut first = report("a", "v", twin);
        comparison.record(&first);
        // Nothing was compared yet, so the earlier results do not count.
        assert!(comparison.apply(&mut first));
        assert_eq!(named(&first, NO_TWIN), None);
        assert_eq!(
            status(&first, Point::Distinctness),
            PointStatus::NotExamined
        );

        let mut second = report("b", "w", twin);
        comparison.record(&second);
        for one in [&mut first, &mut second] {
            assert!(comparison.apply(one));
            let (passed, detail) = named(one, NO_TWIN).unwrap();
            assert!(
                !passed && detail.contains("a") && detail.contains("b"),
                "{detail}"
            );
            assert!(!one.passed());
        }
        assert!(
            named(&first, NO_TWIN)
                .unwrap()
                .1
                .starts_with("a and b have the same skeleton")
        );

        // The same calls with other rules are another skeleton, and the failure is not kept.
        let other = report("b", "w", Some(skeleton("read", "product")));
        comparison.record(&other);
        assert!(comparison.apply(&mut first));
        let detail = "compared with 1 of 2 other tasks; the rest have errors, or no certificate that holds and has a skeleton";
        assert_eq!(named(&first, NO_TWIN), Some((true, detail.to_owned())));
        assert_eq!(named(&first, ALL_COMPARED), None);
        assert_eq!(status(&first, Point::Distinctness), PointStatus::InPart);

        comparison.record(&report("c", "x", Some(skeleton("write", "sum"))));
        comparison.apply(&mut first);
        assert_eq!(status(&first, Point::Distinctness), PointStatus::Passed);
        assert!(!comparison.apply(&mut first));
        // A task that cannot be loaded is not compared.
        comparison.broken = 1;
        assert!(comparison.apply(&mut first));
        assert_eq!(named(&first, ALL_COMPARED), None);
        assert_eq!(status(&first, Point::Distinctness), PointStatus::InPart);
        comparison.broken = 0;
        assert!(comparison.apply(&mut first));
        // A task that no longer has a skeleton is no longer compared.
        comparison.record(&report("c", "x", None));
        assert!(comparison.apply(&mut first));
    }

    #[test]
    fn splits_share_neither_worlds_nor_rules() {
        use Split::{Test, Train};
        let mut comparison = comparison(&[
            ("a", "v", Some(Train)),
            ("b", "v", Some(Train)),
            ("c", "w", Some(Test)),
            ("d", "x", None),
        ]);
        let mut own = report("a", "v", Some(skeleton("read", "sum")));
        comparison.record(&own);
        comparison.record(&report("b", "v", Some(skeleton("list", "sum"))));
        comparison.record(&report("d", "x", Some(skeleton("write", "sum"))));
        comparison.apply(&mut own);
        // Only the worlds of other splits are known yet.
        assert!(named(&own, WORLDS_SPLIT).unwrap().0);
        assert_eq!(named(&own, SKELETONS_SPLIT), None);
        assert_eq!(status(&own, Point::Split), PointStatus::InPart);

        comparison.record(&report("c", "w", Some(skeleton("write", "product"))));
        comparison.apply(&mut own);
        assert_eq!(status(&own, Point::Split), PointStatus::Passed);
        comparison.record(&report("c", "w", Some(skeleton("write", "sum"))));
        comparison.apply(&mut own);
        assert_eq!(
            named(&own, SKELETONS_SPLIT),
            Some((
                false,
                "a (train) and c (test) have the same skeleton of rules".to_owned()
            ))
        );
        // The split of a task that cannot be loaded is not known.
        comparison.record(&report("c", "w", Some(skeleton("write", "product"))));
        comparison.broken = 1;
        comparison.apply(&mut own);
        assert_eq!(status(&own, Point::Split), PointStatus::InPart);
        comparison.broken = 0;
        // Another name does not make another world.
        comparison.record(&report("c", "v", Some(skeleton("write", "product"))));
        comparison.apply(&mut own);
        assert_eq!(
            named(&own, WORLDS_SPLIT),
            Some((
                false,
                "a (train) and c (test) start from the same world".to_owned()
            ))
        );
        // A task without a split is not examined.
        let mut none = report("d", "x", Some(skeleton("write", "sum")));
        comparison.apply(&mut none);
        assert_eq!(named(&none, WORLDS_SPLIT), None);
        assert_eq!(status(&none, Point::Split), PointStatus::NotExamined);
    }

    #[test]
    fn reports_without_a_skeleton_have_no_conditions_on_other_tasks() {
        let comparison = comparison(&[("a", "v", None)]);
        let mut old = report("a", "v", None);
        old.checks.truncate(1);
        assert!(!comparison.apply(&mut old));
        // The only task of a library is distinct.
        let mut only = report("a", "v", Some(skeleton("read", "sum")));
        comparison.apply(&mut only);
        assert_eq!(status(&only, Point::Distinctness), PointStatus::Passed);
    }
}
