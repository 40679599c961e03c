//! The repository of a small irrigation controller, made from a seed.
//!
//! What was built and mended, and the ways of the crops that tasks ask for, are told in `features.rs`,
//! `fixes.rs`, `tomato.rs` and `talk.rs`. The seed decides the days, the many small changes in
//! between, the numbers and the codes; so no number of an issue is the same for two seeds.

mod chores;
mod code_base;
mod features;
mod files;
mod fixes;
mod layers;
mod plan;
mod project;
mod talk;
mod tomato;
mod tuning;

#[cfg(test)]
mod tests;

use github_chronicle::run;
use mcpmark_guest::World;

use crate::code_base::CodeBase;
use crate::project::SLUICE;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let works = plan::plan(world.random());
    let talks = talk::talks(world.random());
    let mut repository = world.repository();
    let random = world.random();
    let hub = run::<_, CodeBase>(&SLUICE, &mut repository, random, &works, &talks);
    hub.write(&SLUICE, world);
}
