//! The repository of a small library for lengths of time, made from a seed.
//!
//! `languages.rs` has the words, `story.rs` how the library came to be what it is, with the names in `renames.rs`,
//! the mistakes in `repairs.rs` and the little things in `upkeep.rs`. `open.rs` and `proposals.rs` have what is
//! not merged, `talk.rs` what people say, and `reviews.rs` who has looked at what is open. The seed decides
//! the days and the many small changes in between, and with them every number and id.

mod edits;
mod languages;
mod open;
mod project;
mod proposals;
mod renames;
mod repairs;
mod reviews;
mod small;
mod story;
mod talk;
mod upkeep;

#[cfg(test)]
mod tests;

use github_chronicle::{Git, Hub, Texts, plan, run};
use mcpmark_guest::{Random, World};

use crate::project::FORTNIGHT;
use crate::reviews::Ancestry;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let mut repository = world.repository();
    let hub = history(world.random(), &mut repository);
    hub.write(&FORTNIGHT, world);
}

fn history(random: &mut Random, git: &mut impl Git) -> Hub {
    let mut told = story::story();
    told.extend(open::unfinished());
    let works = plan::<Texts>(&FORTNIGHT, random, told, (8, 818), (1, 4), small::changes);
    let talks = talk::talks(random);
    let mut git = Ancestry::new(git);
    let mut hub = run::<_, Texts>(&FORTNIGHT, &mut git, random, &works, &talks);
    reviews::arrange(&mut hub, &git);
    talk::sort_into_milestones(&mut hub);
    hub
}
