//! Explanation of a failed check: the smallest difference to a state that passes.
//!
//! The search is delta debugging with the verifier as the test. Its units are the differences between the final state
//! and a passing state, including the answer; applying all of them makes the check pass. The search removes units for
//! as long as the check still passes, and the remaining units are the explanation. Files that are text in both states
//! are then searched again, change by change.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcpmark_experiment::{Outcome, Prepared};
use mcpmark_grading::grade_loaded;
use mcpmark_sandbox::{Check, Sandbox, VerifyInput};
use mcpmark_snapshot::{
    Blobs, ChangeKind, File, MemoryBlobs, Node, ScratchSpace, Snapshot, Store, Tree, TreeBuilder,
    TreePath, diff,
};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::layered::Layered;
use crate::play::play;

/// Maximum size of a file that is compared line by line, in bytes.
const TEXT_BYTES: u64 = 1 << 20;

/// Final state with the agent's last message.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Final state.
    pub tree: Tree,
    /// Last message of the agent.
    pub answer: Option<String>,
}

/// Explanation of a failed check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// Name of the check.
    pub check: String,
    /// Detail that the verifier reported.
    pub detail: String,
    /// Minimal set of differences that must be undone for the check to pass. `None` if the check fails even with all
    /// differences undone, or if the limit on grades ended the search.
    pub differences: Option<Vec<Difference>>,
}

/// Difference between the failed state and the passing state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Path of the entry, or `answer`.
    pub place: String,
    /// Kind of the difference.
    pub kind: DifferenceKind,
    /// Content in the failed state, or a description of it if it is not text.
    pub found: String,
    /// Content in the passing state, or a description of it if it is not text.
    pub wanted: String,
    /// First line of the difference in the failed state, from 1. `None` if the difference is a whole entry or the
    /// answer.
    pub line: Option<usize>,
}

/// Kind of a difference to the passing state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// The entry does not exist, but should.
    Missing,
    /// The entry exists, but should not.
    Stray,
    /// The entry has another content.
    Other,
}

/// Search for minimal explanations of failed checks.
pub struct Explainer<'a> {
    /// Task to explain.
    pub task: &'a Prepared,
    /// Sandbox that runs the verifier.
    pub sandbox: &'a Sandbox,
    /// Store with both states.
    pub store: &'a Arc<Store>,
    /// Maximum number of grades, for all checks together.
    pub most: usize,
}

/// Returns the state that the oracle leaves, as a state that passes.
///
/// # Errors
///
/// Returns an error if the task has no solution, or if the oracle cannot be run.
pub async fn solved(
    task: &Prepared,
    sandbox: &Sandbox,
    store: &Arc<Store>,
    scratch: &ScratchSpace,
) -> Result<Ending, String> {
    let solution = task.solution.clone().ok_or("the task has no solution")?;
    let oracle =
        mcpmark_experiment::Oracle::new(sandbox.clone(), solution, task.parameters.clone());
    let played = play(task, &oracle, store, scratch).await?;
    Ok(Ending {
        tree: played.tree,
        answer: played.answer,
    })
}

/// Difference that can be undone by applying the content of the passing state.
#[derive(Debug, Clone)]
enum Unit {
    /// Entry at a path, with everything below it that does not have a unit of its own.
    Entry {
        path: TreePath,
        kind: ChangeKind,
    },
    /// Changed lines of a file: the index of the text, and of the operation in its edit script.
    Lines {
        text: usize,
        operation: usize,
    },
    Answer,
}

/// File that is text in both states, with the edit script between them.
struct Text {
    path: TreePath,
    found: Vec<String>,
    wanted: Vec<String>,
    script: Vec<DiffOp>,
}

struct Search<'a> {
    explainer: &'a Explainer<'a>,
    failed: &'a Ending,
    passing: &'a Ending,
    memory: Arc<MemoryBlobs>,
    texts: Vec<Text>,
    left: usize,
}

impl Explainer<'_> {
    /// Returns a state with the missing noise files of another state added, so that they are not differences.
    fn without_noise(&self, ending: &Ending, other: &Ending) -> Ending {
        let Some(kind) = &self.task.start.kind else {
            return ending.clone();
        };
        let mut tree = TreeBuilder::from(ending.tree.clone());
        for (path, file) in other.tree.files() {
            if kind.is_noise(&path) && tree.get(&path).is_none() {
                // If another file occupies the path or a parent, the difference remains.
                let _ = tree.insert_file(&path, file.clone());
            }
        }
        Ending {
            tree: tree.finish(),
            answer: ending.answer.clone(),
        }
    }

    /// Explains each check that failed.
    pub fn explain(&self, failed: &Ending, passing: &Ending, checks: &[Check]) -> Vec<Explained> {
        let failed = &self.without_noise(failed, passing);
        let mut search = Search {
            explainer: self,
            failed,
            passing,
            memory: Arc::default(),
            texts: Vec::new(),
            left: self.most,
        };
        let entries = search.entries();
        let failed = checks.iter().filter(|check| !check.passed);
        failed
            .map(|check| Explained {
                check: check.name.clone(),
                detail: check.detail.clone(),
                differences: search.smallest(&entries, &check.name),
            })
            .collect()
    }
}

impl Search<'_> {
    /// Returns all differences as whole entries.
    fn entries(&self) -> Vec<Unit> {
        let mut units: Vec<Unit> = diff(&self.failed.tree, &self.passing.tree)
            .into_iter()
            .map(|change| Unit::Entry {
                path: change.path,
                kind: change.kind,
            })
            .collect();
        let is_judged = self.explainer.task.judged_on.answer;
        if is_judged && self.failed.answer != self.passing.answer {
            units.push(Unit::Answer);
        }
        units
    }

    fn smallest(&mut self, entries: &[Unit], check: &str) -> Option<Vec<Difference>> {
        if !self.passes(entries, check)? {
            return None;
        }
        let entries = self.reduced(entries.to_vec(), check)?;
        let lines = self.in_lines(&entries);
        // Lines may not be sufficient, for example if the check depends on the executable bit.
        let units = if self.passes(&lines, check)? {
            self.reduced(lines, check)?
        } else {
            entries
        };
        Some(units.iter().map(|unit| self.told(unit)).collect())
    }

    /// Reduces the units to a set that makes the check pass and from which no unit can be removed. This is `ddmin` of
    /// Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002), restricted to its complements.
    fn reduced(&mut self, mut units: Vec<Unit>, check: &str) -> Option<Vec<Unit>> {
        let mut parts = 2;
        while units.len() > 1 {
            let size = units.len().div_ceil(parts);
            let mut smaller = None;
            for from in (0..units.len()).step_by(size) {
                let to = (from + size).min(units.len());
                let rest: Vec<Unit> = [&units[..from], &units[to..]].concat();
                if self.passes(&rest, check)? {
                    smaller = Some(rest);
                    break;
                }
            }
            match smaller {
                Some(rest) => {
                    units = rest;
                    parts = (parts - 1).max(2);
                }
                None if size == 1 => break,
                None => parts = (parts * 2).min(units.len()),
            }
        }
        Some(units)
    }

    /// Replaces modified text files by one unit for each changed range of lines.
    fn in_lines(&mut self, units: &[Unit]) -> Vec<Unit> {
        let mut finer = Vec::new();
        for unit in units {
            let text = match unit {
                Unit::Entry {
                    path,
                    kind: ChangeKind::Modified,
                } => self.text(path),
                _ => None,
            };
            let Some(text) = text else {
                finer.push(unit.clone());
                continue;
            };
            let number = self.texts.len();
            let operations = text.script.iter().enumerate();
            let changing = operations.filter(|(_, it)| !matches!(it, DiffOp::Equal { .. }));
            finer.extend(changing.map(|(operation, _)| Unit::Lines {
                text: number,
                operation,
            }));
            self.texts.push(text);
        }
        finer
    }

    fn text(&self, path: &TreePath) -> Option<Text> {
        let lines = |tree: &Tree| -> Option<Vec<String>> {
            let Some(Node::File(file)) = tree.get(path) else {
                return None;
            };
            if file.size > TEXT_BYTES {
                return None;
            }
            let bytes = self.explainer.store.read(&file.content).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            Some(text.split_inclusive('\n').map(str::to_owned).collect())
        };
        let (found, wanted) = (lines(&self.failed.tree)?, lines(&self.passing.tree)?);
        let script = capture_diff_slices(Algorithm::Myers, &found, &wanted);
        Some(Text {
            path: path.clone(),
            found,
            wanted,
            script,
        })
    }

    /// Reports whether the check passes with these units applied. Returns `None` if the limit on grades is reached.
    fn passes(&mut self, units: &[Unit], check: &str) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let Some(end) = self.with(units) else {
            return Some(false);
        };
        let Explainer { task, sandbox, .. } = self.explainer;
        let has_answer = units.iter().any(|unit| matches!(unit, Unit::Answer));
        let answer = if has_answer {
            &self.passing.answer
        } else {
            &self.failed.answer
        };
        let input = VerifyInput {
            answer: answer.clone().filter(|_| task.judged_on.answer),
            parameters: task.parameters.clone(),
            ..VerifyInput::new(self.snapshot(task.start.tree.clone()), self.snapshot(end))
        };
        let graded = grade_loaded(sandbox, &task.judge, input, &task.verifier_limits, None);
        let Outcome::Graded { verdict, .. } = graded.outcome else {
            return Some(false);
        };
        let mut of_that_name = verdict
            .checks()
            .iter()
            .filter(|it| it.name == check)
            .peekable();
        Some(of_that_name.peek().is_some() && of_that_name.all(|it| it.passed))
    }

    fn snapshot(&self, tree: Tree) -> Snapshot {
        let blobs = Layered {
            memory: Arc::clone(&self.memory),
            store: Arc::clone(self.explainer.store),
        };
        Snapshot::new(tree, Arc::new(blobs))
    }

    /// Applies units to the failed state. Returns `None` if they are incompatible, for example a file in a directory
    /// that does not exist.
    fn with(&self, units: &[Unit]) -> Option<Tree> {
        let mut tree = TreeBuilder::from(self.failed.tree.clone());
        for unit in units {
            if let Unit::Entry { path, .. } = unit {
                tree.remove(path);
            }
        }
        for unit in units {
            let Unit::Entry { path, .. } = unit else {
                continue;
            };
            let put = match self.passing.tree.get(path) {
                None => Ok(()),
                Some(Node::File(file)) => tree.insert_file(path, file.clone()),
                Some(Node::Symlink(link)) => tree.insert_symlink(path, &link.target),
                Some(Node::Directory(_)) => tree.create_directory(path),
            };
            put.ok()?;
        }
        let chosen: BTreeSet<(usize, usize)> = units
            .iter()
            .filter_map(|unit| match unit {
                Unit::Lines { text, operation } => Some((*text, *operation)),
                _ => None,
            })
            .collect();
        let texts: BTreeSet<usize> = chosen.iter().map(|(text, _)| *text).collect();
        for number in texts {
            let text = &self.texts[number];
            let Some(Node::File(wanted)) = self.passing.tree.get(&text.path) else {
                return None;
            };
            let bytes = text.mixed(|operation| chosen.contains(&(number, operation)));
            let file = File {
                size: bytes.len() as u64,
                content: self.memory.put(bytes),
                ..wanted.clone()
            };
            tree.remove(&text.path);
            tree.insert_file(&text.path, file).ok()?;
        }
        Some(tree.finish())
    }

    fn told(&self, unit: &Unit) -> Difference {
        match unit {
            Unit::Answer => Difference {
                place: "answer".to_owned(),
                kind: match (&self.failed.answer, &self.passing.answer) {
                    (None, _) => DifferenceKind::Missing,
                    (_, None) => DifferenceKind::Stray,
                    _ => DifferenceKind::Other,
                },
                found: self.failed.answer.clone().unwrap_or_default(),
                wanted: self.passing.answer.clone().unwrap_or_default(),
                line: None,
            },
            Unit::Entry { path, kind } => Difference {
                place: path.to_string(),
                kind: match kind {
                    ChangeKind::Added => DifferenceKind::Missing,
                    ChangeKind::Removed => DifferenceKind::Stray,
                    ChangeKind::Modified => DifferenceKind::Other,
                },
                found: self.words(&self.failed.tree, path),
                wanted: self.words(&self.passing.tree, path),
                line: None,
            },
            Unit::Lines { text, operation } => {
                let text = &self.texts[*text];
                let operation = &text.script[*operation];
                let (found, wanted) = (operation.old_range(), operation.new_range());
                Difference {
                    place: text.path.to_string(),
                    kind: match (found.is_empty(), wanted.is_empty()) {
                        (true, _) => DifferenceKind::Missing,
                        (_, true) => DifferenceKind::Stray,
                        _ => DifferenceKind::Other,
                    },
                    line: Some(found.start + 1),
                    found: text.found[found].concat(),
                    wanted: text.wanted[wanted].concat(),
                }
            }
        }
    }

    /// Returns the content at a path if it is text of limited size, or else a description.
    fn words(&self, tree: &Tree, path: &TreePath) -> String {
        match tree.get(path) {
            None => String::new(),
            Some(Node::Directory(_)) => "a directory".to_owned(),
            Some(Node::Symlink(link)) => format!("a link to {}", link.target),
            Some(Node::File(file)) => {
                let text = if file.size <= TEXT_BYTES {
                    self.explainer.store.read(&file.content).ok()
                } else {
                    None
                };
                let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
                text.unwrap_or_else(|| format!("{} bytes, {}", file.size, file.content))
            }
        }
    }
}

impl Text {
    /// Returns the text of the failed state with the chosen operations applied.
    fn mixed(&self, is_chosen: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut lines: Vec<&str> = Vec::new();
        for (number, operation) in self.script.iter().enumerate() {
            let part = if is_chosen(number) {
                &self.wanted[operation.new_range()]
            } else {
                &self.found[operation.old_range()]
            };
            lines.extend(part.iter().map(String::as_str));
        }
        lines.concat().into_bytes()
    }
}
