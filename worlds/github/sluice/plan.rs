//! When everything happens: what is told, and in between the small changes of settings and tools.

use github_chronicle::{Planner, Timed, Work};
use mcpmark_guest::Random;

use crate::code_base::{CodeBase, Edit};
use crate::project::SLUICE;
use crate::{chores, features, fixes, tomato, tuning};

/// The last day with changes of the settings.
const LAST_DAY: i64 = 706;

pub fn plan(random: &mut Random) -> Vec<Timed<Edit>> {
    let mut scripted: Vec<Work<Edit>> = features::features();
    scripted.extend(fixes::fixes());
    scripted.extend(tomato::tomato(random));
    scripted.sort_by_key(|work| work.day);
    let mut planner = Planner::<CodeBase>::new(&SLUICE);
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
            let is_free = |key: &str| planner.free(key) <= SLUICE.day(today);
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
