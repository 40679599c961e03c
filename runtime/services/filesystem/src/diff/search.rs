//! Search for the shortest diff.

use std::num::NonZeroU32;

use mcpmark_service::{Interrupted, checkpoint};

use super::lines::Lines;
use super::{Change, Run};
use crate::profile::Profile;

/// Maximum number of changed lines. With more, the whole differing section is replaced, because the time and memory of
/// the search for the shortest diff are quadratic in this number.
pub(super) const MAX_CHANGES: usize = 2000;

/// Maximum number of line comparisons, to which [`COMPARISONS_A_LINE`] is added for each line. With more, the whole
/// differing section is replaced as well: if few rare lines are among many equal ones, each diagonal of the search runs
/// through the whole text. A long line counts once per [`BYTES_A_COMPARISON`].
const MAX_COMPARISONS: usize = 30_000_000;
const COMPARISONS_A_LINE: usize = 4;
const BYTES_A_COMPARISON: usize = 32;

/// Step on the path to a point of the search, linked to the previous step.
#[derive(Clone, Copy)]
struct Step {
    change: Change,
    lines: u32,
    before: Option<NonZeroU32>,
}

/// Furthest point of the search on one diagonal.
#[derive(Clone, Copy)]
struct Front {
    /// Number of lines of `old` that are consumed.
    old: usize,
    /// Number of the last step, from 1 on.
    step: Option<NonZeroU32>,
}

struct Search<'a> {
    old: &'a Lines<'a>,
    new: &'a Lines<'a>,
    profile: Profile,
    steps: Vec<Step>,
    /// Remaining comparisons.
    comparisons: usize,
}

/// Finds the shortest diff with Myers' greedy algorithm. Replaces the whole differing section if the search exceeds its
/// limits.
pub(super) fn difference(
    old: &Lines<'_>,
    new: &Lines<'_>,
    profile: Profile,
) -> Result<Vec<Run>, Interrupted> {
    let lines = old.len() + new.len();
    if u32::try_from(lines).is_err() {
        return Ok(replaced(old, new));
    }
    let sizes = lines + (old.bytes() + new.bytes()) / BYTES_A_COMPARISON;
    let comparisons = MAX_COMPARISONS + COMPARISONS_A_LINE * sizes;
    let found = shortest(old, new, profile, comparisons)?;
    Ok(found.unwrap_or_else(|| replaced(old, new)))
}

/// Finds the shortest diff, or returns `None` if the search exceeds its limits.
pub(super) fn shortest(
    old: &Lines<'_>,
    new: &Lines<'_>,
    profile: Profile,
    comparisons: usize,
) -> Result<Option<Vec<Run>>, Interrupted> {
    let mut search = Search {
        old,
        new,
        profile,
        steps: Vec::new(),
        comparisons,
    };
    search.run()
}

impl Search<'_> {
    fn run(&mut self) -> Result<Option<Vec<Run>>, Interrupted> {
        let (old_len, new_len) = (self.old.len(), self.new.len());
        let most = (old_len + new_len).min(MAX_CHANGES);
        // Diagonal d (consumed lines of `old` minus those of `new`) is at index d + most + 1.
        let mut fronts: Vec<Option<Front>> = vec![None; 2 * most + 3];
        let index = |diagonal: isize| (diagonal + most as isize + 1) as usize;
        let start = self.keep(Front { old: 0, step: None }, 0);
        if start.old == old_len && start.old == new_len {
            return Ok(Some(self.path(start)));
        }
        fronts[index(0)] = Some(start);
        let (mut lowest, mut highest) = (isize::MIN, isize::MAX);
        let lead = usize::from(!self.profile.removes_first());
        for changes in 1..=most as isize {
            checkpoint()?;
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
                    return Ok(Some(self.path(front)));
                }
                if self.comparisons == 0 {
                    return Ok(None);
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
        Ok(None)
    }

    fn step(&mut self, front: Front, change: Change) -> Front {
        let old = front.old + usize::from(change == Change::Remove);
        Front {
            old,
            step: self.extend(front.step, change, 1),
        }
    }

    /// Advances along the diagonal while the lines are equal.
    fn keep(&mut self, front: Front, diagonal: isize) -> Front {
        let (mut old, mut new) = (front.old, (front.old as isize - diagonal) as usize);
        while old < self.old.len() && new < self.new.len() {
            let (line, other) = (self.old.get(old), self.new.get(new));
            let price = 1 + line.len().min(other.len()) / BYTES_A_COMPARISON;
            self.comparisons = self.comparisons.saturating_sub(price);
            if line != other {
                break;
            }
            old += 1;
            new += 1;
        }
        Front {
            old,
            step: self.extend(front.step, Change::Keep, (old - front.old) as u32),
        }
    }

    fn extend(
        &mut self,
        step: Option<NonZeroU32>,
        change: Change,
        lines: u32,
    ) -> Option<NonZeroU32> {
        if lines == 0 {
            return step;
        }
        let extended = match step.map(|step| self.step_at(step)) {
            Some(last) if last.change == change => Step {
                lines: last.lines + lines,
                ..last
            },
            _ => Step {
                change,
                lines,
                before: step,
            },
        };
        self.steps.push(extended);
        u32::try_from(self.steps.len())
            .ok()
            .and_then(NonZeroU32::new)
    }

    fn step_at(&self, step: NonZeroU32) -> Step {
        self.steps[step.get() as usize - 1]
    }

    /// Returns the runs up to a point, in order. In the profile that tries additions first, an adjacent removal is
    /// still moved before the addition.
    fn path(&self, front: Front) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut step = front.step;
        while let Some(at) = step {
            let Step {
                change,
                lines,
                before,
            } = self.step_at(at);
            runs.push(Run {
                change,
                lines: lines as usize,
            });
            step = before;
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

/// Returns the diff that replaces everything between the first and the last differing line.
pub(super) fn replaced(old: &Lines<'_>, new: &Lines<'_>) -> Vec<Run> {
    let least = old.len().min(new.len());
    let first = (0..least).take_while(|line| old.get(*line) == new.get(*line));
    let first = first.count();
    let last = (1..=least - first)
        .take_while(|line| old.get(old.len() - line) == new.get(new.len() - line))
        .count();
    let runs = [
        (Change::Keep, first),
        (Change::Remove, old.len() - first - last),
        (Change::Add, new.len() - first - last),
        (Change::Keep, last),
    ];
    let runs = runs.into_iter().filter(|(_, lines)| *lines > 0);
    runs.map(|(change, lines)| Run { change, lines }).collect()
}
