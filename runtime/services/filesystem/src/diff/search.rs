//! The search for the shortest difference.

use super::{Change, Run};
use crate::profile::Profile;

/// Beyond so many changed lines the passage that differs is replaced as a whole: the search for
/// the shortest difference takes time and memory quadratic in their number.
pub(super) const MOST_CHANGES: usize = 2000;

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
    profile: Profile,
    steps: Vec<Step>,
}

/// The shortest difference, found by Myers' greedy search over diagonals.
pub(super) fn difference(old: &[&str], new: &[&str], profile: Profile) -> Vec<Run> {
    let mut search = Search {
        old,
        new,
        profile,
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
        let lead = usize::from(!self.profile.removes_first());
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
                    (Some(remove), Some(add)) if remove.old + lead < add.old => {
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

    /// The runs up to a point, in order. Where additions are tried first, of neighbours the
    /// removal comes first nevertheless.
    fn path(&self, front: Front) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut step = front.step;
        while let Some(at) = step {
            runs.push(self.steps[at].run);
            step = self.steps[at].before;
        }
        runs.reverse();
        if self.profile.removes_first() {
            return runs;
        }
        for at in 1..runs.len() {
            if runs[at].change == Change::Remove && runs[at - 1].change == Change::Add {
                runs.swap(at - 1, at);
            }
        }
        runs
    }
}

/// The difference that replaces all between the first and the last lines that differ.
pub(super) fn replaced(old: &[&str], new: &[&str]) -> Vec<Run> {
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
