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
mod git;
mod history;
mod hub;
mod layers;
mod people;
mod plan;
mod releases;
mod talk;
mod time;
mod tomato;
mod tuning;
mod work;

#[cfg(test)]
mod tests;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let works = plan::plan(world.random());
    let talks = talk::talks(world.random());
    let mut repository = world.repository();
    let hub = history::run(&mut repository, world.random(), &works, &talks);
    hub.write(world);
}
