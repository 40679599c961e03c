//! When everything happens. Pieces of work that change the same file never overlap, so that what is
//! merged fits, and what is still open stays so, unless it is meant to be overtaken.

use std::collections::BTreeMap;

use mcpmark_guest::Random;

use crate::code::Code;
use crate::project::Project;
use crate::time::{DAY, HOUR, working};
use crate::work::{Way, Work};

/// A piece of work with its times.
pub struct Timed<E> {
    pub work: Work<E>,
    /// When its issue was opened.
    pub reported: i64,
    pub steps: Vec<i64>,
    pub opened: i64,
    pub reviewed: i64,
    /// When it was merged, closed or pushed.
    pub finished: i64,
}

/// Plans what is told, and in between, every few days from a day to another, what `filler` makes of the code
/// base as it is then. It is given the day, and whether a file is free.
pub fn plan<C: Code>(
    project: &Project,
    random: &mut Random,
    mut told: Vec<Work<C::Edit>>,
    (first, last): (i64, i64),
    (least, most): (i64, i64),
    mut filler: impl FnMut(&mut Random, i64, &C, &dyn Fn(&str) -> bool) -> Vec<Work<C::Edit>>,
) -> Vec<Timed<C::Edit>> {
    told.sort_by_key(|work| work.day);
    let mut planner = Planner::<C>::new(project);
    let mut next = first;
    let mut told = told.into_iter().peekable();
    while let Some(work) = told.next() {
        planner.add(random, work);
        let until = told.peek().map_or(last, |next| next.day).min(last);
        while next < until {
            let is_free = |path: &str| planner.free(path) <= project.day(next);
            let works = filler(random, next, &planner.code, &is_free);
            for work in works {
                planner.add(random, work);
            }
            next += random.between(least, most);
        }
    }
    planner.timed
}

/// Gives pieces of work their times.
pub struct Planner<'a, C: Code> {
    project: &'a Project,
    pub timed: Vec<Timed<C::Edit>>,
    /// The main branch when all that is planned is done.
    pub code: C,
    /// Until when a file is being worked on.
    busy: BTreeMap<String, i64>,
}

impl<'a, C: Code> Planner<'a, C> {
    pub fn new(project: &'a Project) -> Self {
        Self {
            project,
            timed: Vec::new(),
            code: C::default(),
            busy: BTreeMap::new(),
        }
    }

    /// From when on a file is free.
    pub fn free(&self, key: &str) -> i64 {
        self.busy.get(key).copied().unwrap_or(i64::MIN)
    }

    /// Plans a piece of work, at its day or when its files are free.
    pub fn add(&mut self, random: &mut Random, work: Work<C::Edit>) {
        let keys: Vec<String> = work.edits().flat_map(C::keys).map(str::to_owned).collect();
        let free = keys
            .iter()
            .map(|key| self.free(key))
            .max()
            .unwrap_or(i64::MIN);
        let wanted = self.project.day(work.day) + random.between(8 * 60, 17 * 60) * 60;
        let begin = working(wanted.max(free + HOUR));
        let timed = time(random, work, begin);
        if timed.work.lands() {
            for edit in timed.work.edits() {
                self.code.apply(edit);
            }
        }
        let until = match timed.work.way {
            Way::Open if timed.work.is_overtaken => i64::MIN,
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

fn time<E>(random: &mut Random, work: Work<E>, begin: i64) -> Timed<E> {
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
