//! Verifiers: a list of named checks on the final state.

use serde_json::Value;

use crate::bindings::verifier::Check;
use crate::condition::cut;
use crate::github::Repository;
use crate::tree::{Change, ChangeKind, name_kind};
use crate::{Condition, File, Found, Tree, host};

/// Maximum length of the detail of a check, in characters.
const DETAIL: usize = 300;
/// Maximum number of unexpected changes that a detail names.
const NAMED: usize = 4;

/// Argument of a verifier function: the two trees, the answer, the parameters, and the list of
/// checks to fill.
#[derive(Debug, Default)]
pub struct Verifier {
    checks: Vec<Check>,
}

impl Verifier {
    /// Returns the starting tree: the world before the agent changed it.
    pub fn start(&self) -> Tree {
        Tree::START
    }

    /// Returns the final tree: the world as the agent left it.
    pub fn end(&self) -> Tree {
        Tree::FINAL
    }

    /// Returns a file of the final tree.
    pub fn file(&self, path: impl Into<String>) -> File {
        Tree::FINAL.file(path)
    }

    /// Returns the repository of a github world in the final tree.
    pub fn repository(&self) -> Repository {
        Tree::FINAL.repository()
    }

    /// Returns the agent's last message. It is missing if the task is not judged on it.
    pub fn answer(&self) -> Found<String> {
        Found::new(
            "the answer",
            host::answer().ok_or("there is none".to_owned()),
        )
    }

    /// Returns the parameters of the task, a JSON object.
    #[track_caller]
    pub fn parameters(&self) -> Value {
        parameters()
    }

    /// Writes a line to the log, for readers of the grade. It never changes the grade.
    pub fn log(&self, message: &str) {
        host::log(message);
    }

    /// Returns the differences between the two trees, sorted by path.
    pub fn changes(&self) -> Vec<Change> {
        host::changes()
    }

    /// Adds a check and returns true if it passed. A number is appended to a name that is already
    /// in use.
    pub fn check(&mut self, name: impl Into<String>, condition: impl Into<Condition>) -> bool {
        let condition = condition.into();
        let wanted = name.into();
        let mut name = wanted.clone();
        let mut number = 1;
        while self.checks.iter().any(|check| check.name == name) {
            number += 1;
            name = format!("{wanted} ({number})");
        }
        let passed = condition.passed();
        self.checks.push(Check {
            name,
            passed,
            detail: cut(condition.detail(), DETAIL),
        });
        passed
    }

    /// Adds the check that nothing differs from the starting tree except these paths.
    ///
    /// A path that ends with `/` stands for a directory and everything below it. Directories above
    /// a path may be new.
    pub fn unchanged_except<S: AsRef<str>>(&mut self, paths: impl AsRef<[S]>) -> bool {
        let paths: Vec<&str> = paths.as_ref().iter().map(AsRef::as_ref).collect();
        let condition = only_changed(&paths, &host::changes());
        self.check("nothing else changed", condition)
    }

    pub(crate) fn into_checks(self) -> Vec<Check> {
        self.checks
    }
}

/// Returns the parameters of the task.
#[track_caller]
pub(crate) fn parameters() -> Value {
    let text = host::parameters();
    match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => panic!("the parameters of the task are not JSON: {error}"),
    }
}

fn only_changed(paths: &[&str], changes: &[Change]) -> Condition {
    let unexpected: Vec<String> = changes
        .iter()
        .filter(|change| !is_allowed(paths, change))
        .map(describe)
        .collect();
    if unexpected.is_empty() {
        return Condition::pass(
            "nothing differs from the starting tree except what the task asks for",
        );
    }
    let more = unexpected.len().saturating_sub(NAMED);
    let mut detail = unexpected[..unexpected.len().min(NAMED)].join(", ");
    if more > 0 {
        detail.push_str(&format!(" and {more} more"));
    }
    Condition::fail(format!("expected no other change, found {detail}"))
}

fn is_allowed(paths: &[&str], change: &Change) -> bool {
    let is_new_directory = change.kind == ChangeKind::Added
        && change
            .after
            .as_ref()
            .is_some_and(|entry| entry.kind == crate::Kind::Directory);
    paths.iter().any(|path| {
        let directory = path.strip_suffix('/');
        let is_above = || {
            path.strip_prefix(change.path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        match directory {
            Some(directory) => {
                change.path == directory
                    || change.path.starts_with(path)
                    || (is_new_directory && is_above())
            }
            None => change.path == *path || (is_new_directory && is_above()),
        }
    })
}

fn describe(change: &Change) -> String {
    let verb = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Modified => "changed",
    };
    let kind = change
        .after
        .as_ref()
        .or(change.before.as_ref())
        .map_or("entry", |entry| name_kind(entry.kind));
    format!("{kind} {:?} {verb}", change.path)
}

#[cfg(test)]
mod tests {
    use crate::testing::{MemoryTree, verify};

    fn trees() -> (MemoryTree, MemoryTree) {
        let start = MemoryTree::from([("a.txt", "one\n"), ("keep/b.txt", "two\n")]);
        let mut end = start.clone();
        end.write("out/report.txt", "done\n");
        (start, end)
    }

    #[test]
    fn allowed_paths_bring_their_directories() {
        let (start, end) = trees();
        let checks = verify(
            |task| {
                assert!(task.unchanged_except(["out/report.txt"]));
                assert!(task.unchanged_except(["out/"]));
                assert!(!task.unchanged_except(["out"]));
                assert!(!task.unchanged_except(["out/report"]));
                assert!(!task.unchanged_except::<&str>([]));
            },
            &start,
            &end,
            None,
        );
        assert_eq!(
            checks[2].detail,
            r#"expected no other change, found file "out/report.txt" added"#
        );
        assert_eq!(checks[1].name, "nothing else changed (2)");
    }

    #[test]
    fn edits_and_removals_are_named() {
        let (start, mut end) = trees();
        end.write("a.txt", "1\n");
        end.remove("keep/b.txt");
        let checks = verify(
            |task| assert!(!task.unchanged_except(["out/"])),
            &start,
            &end,
            None,
        );
        assert_eq!(
            checks[0].detail,
            r#"expected no other change, found file "a.txt" changed, file "keep/b.txt" removed"#
        );
    }

    #[test]
    fn files_are_read_from_both_trees() {
        let (start, mut end) = trees();
        end.write("a.txt", "1\n");
        let checks = verify(
            |task| {
                task.check("start", task.start().file("a.txt").equals("one\n"));
                task.check("final", task.file("a.txt").equals("1\n"));
                task.check("unchanged", task.file("a.txt").is_unchanged());
                task.check("kept", task.file("keep/b.txt").is_unchanged());
                task.check("missing", task.file("no.txt").line(3).equals("x"));
                task.check("directory", task.file("keep").exists());
                task.check("absent", task.file("no.txt").is_absent());
                task.check("answer", task.answer().trimmed_equals("yes"));
                task.check(
                    "files",
                    task.end()
                        .files("")
                        .equal(["a.txt", "keep/b.txt", "out/report.txt"]),
                );
            },
            &start,
            &end,
            Some(" yes\n"),
        );
        let told: Vec<(&str, bool, &str)> = checks
            .iter()
            .map(|check| (check.name.as_str(), check.passed, check.detail.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("start", true, "a.txt: 4 bytes of text, as expected"),
                ("final", true, "a.txt: 2 bytes of text, as expected"),
                (
                    "unchanged",
                    false,
                    "a.txt: expected the 4 bytes of the starting a.txt, found 2 other bytes"
                ),
                ("kept", true, "keep/b.txt: the bytes are as expected"),
                ("missing", false, "no.txt: there is no such file"),
                (
                    "directory",
                    false,
                    "keep: expected a file, found a directory"
                ),
                ("absent", true, "no.txt: nothing here, as expected"),
                ("answer", true, "the answer: 3 bytes of text, as expected"),
                (
                    "files",
                    true,
                    "the root of the world: 3 in the expected order"
                ),
            ]
        );
    }
}
