//! When everything happens. Pieces of work that change the same file never overlap, so that what is
//! merged fits, and what is still open stays so; one of them is meant to conflict.

use std::collections::BTreeMap;

use mcpmark_guest::Random;

use crate::code_base::CodeBase;
use crate::time::{DAY, HOUR, day, working};
use crate::work::{Way, Work};
use crate::{chores, features, fixes, tomato, tuning};

/// The last day with changes of the settings.
const LAST_DAY: i64 = 706;

/// A piece of work with its times.
pub struct Timed {
    pub work: Work,
    /// When its issue was opened.
    pub reported: i64,
    pub steps: Vec<i64>,
    pub opened: i64,
    pub reviewed: i64,
    /// When it was merged, closed or pushed.
    pub finished: i64,
}

pub fn plan(random: &mut Random) -> Vec<Timed> {
    let mut scripted: Vec<Work> = features::features();
    scripted.extend(fixes::fixes());
    scripted.extend(tomato::tomato(random));
    scripted.sort_by_key(|work| work.day);
    let mut planner = Planner::default();
    let mut next_tuning = 34;
    let mut next_chore = 20;
    let mut number = 0;
    let mut scripted = scripted.into_iter().peekable();
    while let Some(work) = scripted.next() {
        planner.add(random, work);
        let until = scripted
            .peek()
            .map_or(LAST_DAY, |next| next.day)
            .min(LAST_DAY);
        while next_tuning.min(next_chore) < until {
            let today = next_tuning.min(next_chore);
            let is_free = |key: &str| planner.free(key) <= day(today);
            let works = if next_tuning <= next_chore {
                next_tuning += random.between(2, 8);
                number += 1;
                tuning::tuning(random, today, number, &planner.code, is_free)
            } else {
                next_chore += random.between(5, 14);
                chores::newer_tool(random, today, &planner.code, is_free)
            };
            for work in works {
                planner.add(random, work);
            }
        }
    }
    planner.timed
}

#[derive(Default)]
struct Planner {
    timed: Vec<Timed>,
    /// The main branch when all that is planned is done.
    code: CodeBase,
    /// Until when a file is being worked on.
    busy: BTreeMap<&'static str, i64>,
}

impl Planner {
    fn free(&self, key: &str) -> i64 {
        self.busy.get(key).copied().unwrap_or(i64::MIN)
    }

    fn add(&mut self, random: &mut Random, work: Work) {
        let keys: Vec<&'static str> = work.edits().filter_map(|edit| edit.key()).collect();
        let free = keys
            .iter()
            .map(|key| self.free(key))
            .max()
            .unwrap_or(i64::MIN);
        let wanted = day(work.day) + random.between(8 * 60, 17 * 60) * 60;
        let begin = working(wanted.max(free + HOUR));
        let timed = time(random, work, begin);
        if timed.work.lands() {
            for edit in timed.work.edits() {
                self.code.apply(edit);
            }
        }
        let until = match timed.work.way {
            // What is to conflict must not keep the others out.
            Way::Open if timed.work.id == "half-hour" => i64::MIN,
            Way::Open | Way::Draft => i64::MAX,
            _ => timed.finished,
        };
        for key in keys {
            let busy = self.busy.entry(key).or_insert(until);
            *busy = (*busy).max(until);
        }
        self.timed.push(timed);
    }
}

fn time(random: &mut Random, work: Work, begin: i64) -> Timed {
    let reported = working(begin - random.between(20, 120) * HOUR);
    let reported = reported.min(begin - HOUR / 2);
    if work.way == Way::Direct {
        return Timed {
            reported,
            steps: work.steps.iter().map(|_| begin).collect(),
            opened: begin,
            reviewed: begin,
            finished: begin,
            work,
        };
    }
    let mut at = begin;
    let mut steps = Vec::new();
    for _ in &work.steps {
        steps.push(at);
        at = working(at + random.between(20, 220) * 60 + random.between(0, 59));
    }
    let last = steps.last().copied().unwrap_or(begin);
    let opened = last + random.between(4, 50) * 60;
    let reviewed = working(opened + random.between(1, 26) * HOUR + random.between(0, 3599));
    let wait = if work.way == Way::Closed { 9 * DAY } else { 0 };
    let finished = working(reviewed + wait + random.between(10, 30 * 60) * 60);
    Timed {
        work,
        reported,
        steps,
        opened,
        reviewed,
        finished,
    }
}

/// A release of the main branch.
pub struct Release {
    pub number: &'static str,
    pub day: i64,
    /// Whether a release branch begins there.
    pub branches: bool,
    /// Releases of that branch: the number and the day.
    pub patches: &'static [(&'static str, i64)],
}

const fn release(number: &'static str, day: i64) -> Release {
    Release {
        number,
        day,
        branches: false,
        patches: &[],
    }
}

pub const RELEASES: [Release; 12] = [
    release("0.1.0", 51),
    release("0.2.0", 100),
    release("0.3.0", 149),
    release("0.4.0", 198),
    release("1.0.0", 247),
    release("1.1.0", 299),
    Release {
        number: "1.2.0",
        day: 352,
        branches: true,
        patches: &[("1.2.1", 380)],
    },
    release("1.3.0", 402),
    release("2.0.0", 457),
    Release {
        number: "2.1.0",
        day: 515,
        branches: true,
        patches: &[("2.1.1", 541), ("2.1.2", 590)],
    },
    release("2.2.0", 603),
    release("2.3.0", 674),
];
