//! The repository of a handbook in five languages, made from a seed.
//!
//! `pages.rs` has what the handbook says in each language, `story.rs` what was decided in common, `plans.rs` the
//! issues with parts, `talk.rs` what was asked. `desk.rs` makes the many changes in between by the seed: the source
//! changes, translations follow, late or never, sometimes with a mistake.

mod desk;
mod pages;
mod plans;
mod project;
mod story;
mod talk;

#[cfg(test)]
mod tests;

use github_chronicle::{Git, Hub, Texts, plan, run};
use mcpmark_guest::serde_json::json;
use mcpmark_guest::{Random, World};

use crate::desk::Desk;
use crate::project::PHRASEBOOK;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let mut repository = world.repository();
    let hub = history(world.random(), &mut repository);
    hub.write(&PHRASEBOOK, world);
}

fn history(random: &mut Random, git: &mut impl Git) -> Hub {
    let mut desk = Desk::default();
    let works = plan::<Texts>(
        &PHRASEBOOK,
        random,
        story::story(),
        (20, 632),
        (1, 2),
        |random, day, now, is_free| desk.changes(random, day, now, is_free),
    );
    let mut talks = talk::talks();
    talks.extend(plans::talks());
    let mut hub = run::<_, Texts>(&PHRASEBOOK, git, random, &works, &talks);
    plans::relate(&mut hub);
    hub.protect(
        "main",
        json!({"required_approvals": 1, "pull_requests_only": true, "up_to_date": true}),
    );
    hub.protect(
        "release/3.1",
        json!({"required_approvals": 1, "pull_requests_only": true, "up_to_date": false}),
    );
    hub
}
