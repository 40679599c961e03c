//! The repository of a recipe book for a community kitchen, made from a seed.
//!
//! `recipes.rs` has what is cooked, `story.rs` what was decided in common, `talk.rs` what people ask for. The
//! seed decides the days and the many small corrections in between, and with them every number and id.

mod project;
mod recipes;
mod small;
mod story;
mod talk;

#[cfg(test)]
mod tests;

use github_chronicle::{Texts, plan, run};
use mcpmark_guest::World;

use crate::project::COMMONPLATE;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let random = world.random();
    let told = story::story();
    let works = plan::<Texts>(
        &COMMONPLATE,
        random,
        told,
        (12, 660),
        (1, 5),
        small::corrections,
    );
    let talks = talk::talks(random);
    let mut repository = world.repository();
    let random = world.random();
    let hub = run::<_, Texts>(&COMMONPLATE, &mut repository, random, &works, &talks);
    hub.write(&COMMONPLATE, world);
}
