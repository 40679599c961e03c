//! The repository of the machines of a small harbour, made from a seed.
//!
//! `fleet.rs` has the machines and their roles, `story.rs` what was decided in common, `talk.rs` what went
//! wrong. The seed decides the days and the many small changes in between, and with them every number and id.

mod fleet;
mod project;
mod small;
mod story;
mod talk;

#[cfg(test)]
mod tests;

use github_chronicle::{Git, Hub, Texts, plan, run};
use mcpmark_guest::{Random, World};

use crate::project::QUAY;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let mut repository = world.repository();
    let hub = history(world.random(), &mut repository);
    hub.write(&QUAY, world);
}

fn history(random: &mut Random, git: &mut impl Git) -> Hub {
    let told = story::story();
    let works = plan::<Texts>(&QUAY, random, told, (9, 600), (1, 4), small::changes);
    let talks = talk::talks(random);
    run::<_, Texts>(&QUAY, git, random, &works, &talks)
}
