//! Line differences, and the patch text that `edit_file` answers with.
//!
//! Where several shortest differences exist, the choice is that of the diff library of the real
//! server, so that models read the same patch.

/// Lines of context around a change.
const CONTEXT: usize = 4;

/// Beyond so many changed lines the passage that differs is replaced as a whole: the search for
/// the shortest difference takes time and memory quadratic in their number.
const MOST_CHANGES: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Keep,
    Remove,
    Add,
}

/// A run of lines that share their fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    change: Change,
    lines: usize,
}

/// The patch from `old` to `new` under the name `path`; the head alone when they are equal.
pub(crate) fn patch(path: &str, old: &str, new: &str) -> String {
    let rule = "=".repeat(67);
    let mut text = format!("Index: {path}\n{rule}\n--- {path}\toriginal\n+++ {path}\tmodified\n");
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let runs = difference(&old_lines, &new_lines);
    for hunk in hunks(&runs) {
        let mut lines = hunk.lines(&old_lines, &new_lines);
        if hunk.reaches_end {
            hunk.mark_end(&mut lines, old, new);
        }
        text += &hunk.head();
        text += &lines.concat();
    }
    text
}

/// Some runs with the context around them, and where they start.
struct Hunk {
    runs: Vec<Run>,
    old: usize,
    new: usize,
    reaches_end: bool,
}

/// Changes whose context touches or overlaps share a hunk.
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
    /// Lines of the hunk, those of one kind not counted.
    fn count(&self, skipped: Change) -> usize {
        let runs = self.runs.iter().filter(|run| run.change != skipped);
        runs.map(|run| run.lines).sum()
    }

    fn head(&self) -> String {
        let (old, new) = (self.count(Change::Add), self.count(Change::Remove));
        // An empty side is named by the line before it.
        let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        format!(
            "@@ -{},{old} +{},{new} @@\n",
            start(self.old, old),
            start(self.new, new)
        )
    }

    fn lines(&self, old_lines: &[&str], new_lines: &[&str]) -> Vec<String> {
        let (mut old, mut new) = (self.old, self.new);
        let mut lines = Vec::new();
        for run in &self.runs {
            for _ in 0..run.lines {
                let (sign, line) = match run.change {
                    Change::Keep => (' ', old_lines[old]),
                    Change::Remove => ('-', old_lines[old]),
                    Change::Add => ('+', new_lines[new]),
                };
                old += usize::from(run.change != Change::Add);
                new += usize::from(run.change != Change::Remove);
                lines.push(format!(
                    "{sign}{}\n",
                    line.strip_suffix('\n').unwrap_or(line)
                ));
            }
        }
        lines
    }

    /// Says that a side ends without a line feed. The real library puts the mark of the old side
    /// behind as many lines as that side has, which is amiss where lines were added before.
    fn mark_end(&self, lines: &mut Vec<String>, old: &str, new: &str) {
        const MARK: &str = "\\ No newline at end of file\n";
        let ends_in_change = self
            .runs
            .last()
            .is_some_and(|run| run.change != Change::Keep);
        let old_lines = self.count(Change::Add);
        let before_additions = ends_in_change && lines.len() > old_lines;
        let old_ends = old.ends_with('\n');
        if !old_ends && before_additions && !old.is_empty() {
            lines.insert(old_lines, MARK.to_owned());
        }
        if (!old_ends && !before_additions) || !new.ends_with('\n') {
            lines.push(MARK.to_owned());
        }
    }
}

/// The way that led to a point of the search, newest run first.
#[derive(Clone, Copy)]
struct Step {
    run: Run,
    before: Option<usize>,
}

/// How far the search has come on one diagonal.
#[derive(Clone, Copy)]
struct Front {
    /// Lines of `old` that are behind.
    old: usize,
    step: Option<usize>,
}

struct Search<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    steps: Vec<Step>,
}

/// The shortest difference, found by Myers' greedy search over diagonals.
fn difference(old: &[&str], new: &[&str]) -> Vec<Run> {
    let mut search = Search {
        old,
        new,
        steps: Vec::new(),
    };
    search.run().unwrap_or_else(|| replaced(old, new))
}

impl Search<'_> {
    fn run(&mut self) -> Option<Vec<Run>> {
        let (old_len, new_len) = (self.old.len(), self.new.len());
        let most = (old_len + new_len).min(MOST_CHANGES);
        // Diagonal d (lines of `old` behind, less those of `new`) is at index d + most + 1.
        let mut fronts: Vec<Option<Front>> = vec![None; 2 * most + 3];
        let index = |diagonal: isize| (diagonal + most as isize + 1) as usize;
        let start = self.keep(Front { old: 0, step: None }, 0);
        if start.old == old_len && start.old == new_len {
            return Some(self.path(start));
        }
        fronts[index(0)] = Some(start);
        let (mut lowest, mut highest) = (isize::MIN, isize::MAX);
        for changes in 1..=most as isize {
            let mut diagonal = lowest.max(-changes);
            while diagonal <= highest.min(changes) {
                let remove = fronts[index(diagonal - 1)]
                    .take()
                    .filter(|front| front.old < old_len);
                let add = fronts[index(diagonal + 1)].filter(|front| {
                    let behind = front.old as isize - (diagonal + 1);
                    behind >= 0 && (behind as usize) < new_len
                });
                let front = match (remove, add) {
                    (None, None) => {
                        fronts[index(diagonal)] = None;
                        diagonal += 2;
                        continue;
                    }
                    (Some(remove), Some(add)) if remove.old + 1 < add.old => {
                        self.step(add, Change::Add)
                    }
                    (Some(remove), _) => self.step(remove, Change::Remove),
                    (None, Some(add)) => self.step(add, Change::Add),
                };
                let front = self.keep(front, diagonal);
                let new = (front.old as isize - diagonal) as usize;
                if front.old == old_len && new == new_len {
                    return Some(self.path(front));
                }
                fronts[index(diagonal)] = Some(front);
                if front.old == old_len {
                    highest = highest.min(diagonal - 1);
                }
                if new == new_len {
                    lowest = lowest.max(diagonal + 1);
                }
                diagonal += 2;
            }
        }
        None
    }

    fn step(&mut self, front: Front, change: Change) -> Front {
        let old = front.old + usize::from(change == Change::Remove);
        Front {
            old,
            step: self.extend(front.step, Run { change, lines: 1 }),
        }
    }

    /// Goes on as long as the lines are equal.
    fn keep(&mut self, front: Front, diagonal: isize) -> Front {
        let new = (front.old as isize - diagonal) as usize;
        let pairs = self.old[front.old..].iter().zip(&self.new[new..]);
        let lines = pairs.take_while(|(old, new)| old == new).count();
        let change = Change::Keep;
        Front {
            old: front.old + lines,
            step: self.extend(front.step, Run { change, lines }),
        }
    }

    fn extend(&mut self, step: Option<usize>, run: Run) -> Option<usize> {
        if run.lines == 0 {
            return step;
        }
        let last = step.map(|at| self.steps[at]);
        let extended = match last {
            Some(last) if last.run.change == run.change => Step {
                run: Run {
                    lines: last.run.lines + run.lines,
                    ..run
                },
                before: last.before,
            },
            _ => Step { run, before: step },
        };
        self.steps.push(extended);
        Some(self.steps.len() - 1)
    }

    /// The runs up to a point, in order; of neighbours the removal comes first.
    fn path(&self, front: Front) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut step = front.step;
        while let Some(at) = step {
            runs.push(self.steps[at].run);
            step = self.steps[at].before;
        }
        runs.reverse();
        for at in 1..runs.len() {
            if runs[at].change == Change::Remove && runs[at - 1].change == Change::Add {
                runs.swap(at - 1, at);
            }
        }
        runs
    }
}

/// The difference that replaces all between the first and the last lines that differ.
fn replaced(old: &[&str], new: &[&str]) -> Vec<Run> {
    let first = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[first..], &new[first..]);
    let backwards = old.iter().rev().zip(new.iter().rev());
    let last = backwards.take_while(|(a, b)| a == b).count();
    let runs = [
        (Change::Keep, first),
        (Change::Remove, old.len() - last),
        (Change::Add, new.len() - last),
        (Change::Keep, last),
    ];
    let runs = runs.into_iter().filter(|(_, lines)| *lines > 0);
    runs.map(|(change, lines)| Run { change, lines }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The two sides that the runs describe.
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
            let old: Vec<&str> = old.split_inclusive('\n').collect();
            let new: Vec<&str> = new.split_inclusive('\n').collect();
            for runs in [difference(&old, &new), replaced(&old, &new)] {
                prop_assert_eq!(sides(&runs, &old, &new), (old.clone(), new.clone()));
            }
        }
    }

    #[test]
    fn far_apart_changes_have_hunks_of_their_own() {
        let lines = |changed: &[usize]| -> String {
            let line = |n| match changed.contains(&n) {
                true => format!("changed {n}\n"),
                false => format!("{n}\n"),
            };
            (1..=30).map(line).collect()
        };
        let heads = |changed: &[usize]| -> Vec<String> {
            let text = patch("f", &lines(&[]), &lines(changed));
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
            (0..3 * MOST_CHANGES)
                .map(|n| format!("{word} {n}\n"))
                .collect()
        };
        let patch = patch("f", &text("old"), &text("new"));
        assert!(patch.contains("\n@@ -1,6000 +1,6000 @@\n-old 0\n"));
        assert!(patch.contains("\n-old 5999\n+new 0\n"));
    }
}
