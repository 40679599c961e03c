//! The tools of the filesystem service.

use libtest_mimic::Trial;
use mcpmark_filesystem::PROFILES;
use serde_json::json;

use crate::measure::linear;
use crate::world::World;

/// One case for each profile.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &profile in PROFILES {
        trials.push(Trial::test(
            format!("filesystem::{profile}::write_file"),
            move || {
                linear(8 << 20, |size| {
                    let world = World::new(profile, []);
                    let write = json!({"path": "a.txt", "content": "x".repeat(size)});
                    move || {
                        world.ok("write_file", &write);
                    }
                })
            },
        ));
    }
    trials
}
