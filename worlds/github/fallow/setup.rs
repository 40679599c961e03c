//! The repository of a seed bank, made from a seed.
//!
//! `plants.rs` has what is kept, `story.rs` what was decided in common and what went wrong, `talk.rs` what was said,
//! `small.rs` the many changes in between, by the seed. `checks.rs` are the rules of the register: the guest that
//! runs the workflow uses them, and `runs.rs` makes of them what has run in the past.

mod checks;
mod plants;
mod project;
mod runs;
mod small;
mod story;
mod talk;

#[cfg(test)]
mod tests;

use github_chronicle::{Git, Hub, Texts, plan, run};
use mcpmark_guest::serde_json::{Value, to_string_pretty};
use mcpmark_guest::{Random, World};

use crate::project::FALLOW;
use crate::runs::Recorder;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let mut repository = world.repository();
    let now = world.now();
    let (hub, runs) = history(world.random(), &mut repository, now);
    hub.write(&FALLOW, world);
    let text = to_string_pretty(&runs).expect("runs are plain data");
    world.file("runs.json", format!("{text}\n"));
}

fn history(random: &mut Random, git: &mut impl Git, now: i64) -> (Hub, Value) {
    let mut recorder = Recorder::new(git);
    let works = plan::<Texts>(
        &FALLOW,
        random,
        story::story(),
        (8, 408),
        (1, 3),
        small::changes,
    );
    let hub = run::<_, Texts>(&FALLOW, &mut recorder, random, &works, &talk::talks());
    let runs = recorder.runs(&hub, now);
    (hub, runs)
}
