//! Line diffs, and the patch text that `edit_file` returns.
//!
//! If several shortest diffs exist, the choice is that of jsdiff, the diff library of the published server, so that
//! models read the same patch.

mod lines;
mod search;

use crate::bounded::Bounded;
use crate::failure::Failure;
use crate::profile::Profile;
use lines::Lines;
use search::difference;

/// Number of context lines around a change.
const CONTEXT: usize = 4;

const MARK: &str = "\\ No newline at end of file\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Keep,
    Remove,
    Add,
}

/// Consecutive lines with the same kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    change: Change,
    lines: usize,
}

/// Returns the patch from `old` to `new` for the file name `path`, or only its header if they are equal. Fails if the
/// patch exceeds `limit` bytes.
pub(crate) fn patch(
    path: &str,
    old: &str,
    new: &str,
    profile: Profile,
    limit: u64,
) -> Result<String, Failure> {
    let rule = "=".repeat(67);
    let mut text = Bounded::new(limit);
    text.push(&format!(
        "Index: {path}\n{rule}\n--- {path}\toriginal\n+++ {path}\tmodified\n"
    ))?;
    let (old_lines, new_lines) = (Lines::of(old)?, Lines::of(new)?);
    let runs = difference(&old_lines, &new_lines, profile)?;
    for hunk in hunks(&runs) {
        text.push(&hunk.head())?;
        let marks = if hunk.reaches_end && !profile.removes_first() {
            hunk.end_marks(old, new)
        } else {
            EndMarks::default()
        };
        hunk.write(&old_lines, &new_lines, |index, sign, line| {
            if marks.before == Some(index) {
                text.push(MARK)?;
            }
            text.push(sign)?;
            text.push(line.strip_suffix('\n').unwrap_or(line))?;
            text.push("\n")?;
            if profile.removes_first() && !line.ends_with('\n') {
                text.push(MARK)
            } else {
                Ok(())
            }
        })?;
        if marks.last {
            text.push(MARK)?;
        }
    }
    Ok(text.into_text())
}

/// Positions of the mark "No newline at end of file" in a hunk.
#[derive(Default)]
struct EndMarks {
    /// Index of the line before which the mark is written.
    before: Option<usize>,
    /// Set if the mark is written at the end of the hunk.
    last: bool,
}

/// Runs with their context, and their start in both texts.
struct Hunk {
    runs: Vec<Run>,
    old: usize,
    new: usize,
    reaches_end: bool,
}

/// Groups runs into hunks. Changes whose contexts touch or overlap share a hunk.
fn hunks(runs: &[Run]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut open: Option<Hunk> = None;
    let (mut old, mut new) = (0, 0);
    for (index, &run) in runs.iter().enumerate() {
        if run.change == Change::Keep {
            if let Some(mut hunk) = open.take() {
                let last = index + 1 == runs.len();
                if run.lines <= 2 * CONTEXT && !last {
                    hunk.runs.push(run);
                    open = Some(hunk);
                } else {
                    let lines = run.lines.min(CONTEXT);
                    hunk.runs.push(Run { lines, ..run });
                    hunk.reaches_end = last && lines == run.lines;
                    hunks.push(hunk);
                }
            }
        } else {
            let hunk = open.get_or_insert_with(|| {
                let lines = match index.checked_sub(1).map(|before| runs[before]) {
                    Some(before) => before.lines.min(CONTEXT),
                    None => 0,
                };
                let change = Change::Keep;
                Hunk {
                    runs: vec![Run { change, lines }],
                    old: old - lines,
                    new: new - lines,
                    reaches_end: true,
                }
            });
            hunk.runs.push(run);
        }
        if run.change != Change::Add {
            old += run.lines;
        }
        if run.change != Change::Remove {
            new += run.lines;
        }
    }
    hunks.extend(open);
    hunks
}

impl Hunk {
    /// Returns the number of lines in the hunk, without lines of the kind `skipped`.
    fn count(&self, skipped: Change) -> usize {
        let runs = self.runs.iter().filter(|run| run.change != skipped);
        runs.map(|run| run.lines).sum()
    }

    fn head(&self) -> String {
        let (old, new) = (self.count(Change::Add), self.count(Change::Remove));
        // An empty side is numbered by the line before it.
        let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        format!(
            "@@ -{},{old} +{},{new} @@\n",
            start(self.old, old),
            start(self.new, new)
        )
    }

    /// Passes each line to `take`, with its index in the hunk and its sign.
    fn write<'t>(
        &self,
        old_lines: &Lines<'t>,
        new_lines: &Lines<'t>,
        mut take: impl FnMut(usize, &str, &'t str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (mut old, mut new, mut index) = (self.old, self.new, 0);
        for run in &self.runs {
            for _ in 0..run.lines {
                let (sign, line) = match run.change {
                    Change::Keep => (" ", old_lines.get(old)),
                    Change::Remove => ("-", old_lines.get(old)),
                    Change::Add => ("+", new_lines.get(new)),
                };
                old += usize::from(run.change != Change::Add);
                new += usize::from(run.change != Change::Remove);
                take(index, sign, line)?;
                index += 1;
            }
        }
        Ok(())
    }

    /// Returns the marks of the earlier library version. It writes the mark of the old side after as many lines as that
    /// side has, which is the wrong position if lines were added before it.
    fn end_marks(&self, old: &str, new: &str) -> EndMarks {
        let ends_in_change = self
            .runs
            .last()
            .is_some_and(|run| run.change != Change::Keep);
        let old_lines = self.count(Change::Add);
        let lines: usize = self.runs.iter().map(|run| run.lines).sum();
        let before_additions = ends_in_change && lines > old_lines;
        let old_ends = old.ends_with('\n');
        EndMarks {
            before: (!old_ends && before_additions && !old.is_empty()).then_some(old_lines),
            last: (!old_ends && !before_additions) || !new.ends_with('\n'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::search::{MAX_CHANGES, replaced, shortest};
    use super::*;
    use proptest::prelude::*;

    const PROFILE: Profile = Profile::V2025_12_18;

    /// Returns the two sides that the runs describe.
    fn sides<'a>(runs: &[Run], old: &[&'a str], new: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for run in runs {
            let (at_old, at_new) = (before.len(), after.len());
            match run.change {
                Change::Keep => {
                    before.extend(&old[at_old..at_old + run.lines]);
                    after.extend(&old[at_old..at_old + run.lines]);
                }
                Change::Remove => before.extend(&old[at_old..at_old + run.lines]),
                Change::Add => after.extend(&new[at_new..at_new + run.lines]),
            }
        }
        (before, after)
    }

    proptest! {
        #[test]
        fn runs_lead_from_one_side_to_the_other(old in "[abc\n]{0,40}", new in "[abc\n]{0,40}") {
            let (old_lines, new_lines) = (Lines::of(&old).unwrap(), Lines::of(&new).unwrap());
            let found = [
                difference(&old_lines, &new_lines, Profile::V2025_12_18).unwrap(),
                difference(&old_lines, &new_lines, Profile::V2026_8_31).unwrap(),
                replaced(&old_lines, &new_lines),
            ];
            let old: Vec<&str> = old.split_inclusive('\n').collect();
            let new: Vec<&str> = new.split_inclusive('\n').collect();
            for runs in found {
                prop_assert_eq!(sides(&runs, &old, &new), (old.clone(), new.clone()));
            }
        }
    }

    #[test]
    fn far_apart_changes_have_hunks_of_their_own() {
        let lines = |changed: &[usize]| -> String {
            let line = |n| {
                if changed.contains(&n) {
                    format!("changed {n}\n")
                } else {
                    format!("{n}\n")
                }
            };
            (1..=30).map(line).collect()
        };
        let heads = |changed: &[usize]| -> Vec<String> {
            let text = patch("f", &lines(&[]), &lines(changed), PROFILE, u64::MAX).unwrap();
            let heads = text.lines().filter(|line| line.starts_with("@@"));
            heads.map(str::to_owned).collect()
        };
        assert_eq!(heads(&[10, 19]), ["@@ -6,18 +6,18 @@"]);
        assert_eq!(heads(&[10, 20]), ["@@ -6,9 +6,9 @@", "@@ -16,9 +16,9 @@"]);
        assert_eq!(heads(&[1, 30]), ["@@ -1,5 +1,5 @@", "@@ -26,5 +26,5 @@"]);
    }

    #[test]
    fn a_file_that_is_all_new_is_replaced_as_a_whole() {
        let text = |word: &str| -> String {
            (0..3 * MAX_CHANGES)
                .map(|n| format!("{word} {n}\n"))
                .collect()
        };
        let (old, new) = (text("old"), text("new"));
        assert!(patch("f", &old, &new, PROFILE, 50_000).is_err());
        let patch = patch("f", &old, &new, PROFILE, u64::MAX).unwrap();
        assert!(patch.contains("\n@@ -1,6000 +1,6000 @@\n-old 0\n"));
        assert!(patch.contains("\n-old 5999\n+new 0\n"));
    }

    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        let text = |rare: &str| -> String {
            let line = |n| if n % 100 == 0 { rare } else { "a\n" };
            (0..10_000).map(line).collect()
        };
        let (old, new) = (text("b\n"), text("c\n"));
        let (old, new) = (Lines::of(&old).unwrap(), Lines::of(&new).unwrap());
        for (comparisons, found) in [(1_000, false), (10_000_000, true)] {
            let runs = shortest(&old, &new, PROFILE, comparisons).unwrap();
            assert_eq!(runs.is_some(), found, "{comparisons}");
        }
        assert_eq!(replaced(&old, &new).len(), 3);
    }
}
