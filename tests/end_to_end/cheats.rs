//! Each wrong solution that is shipped beside a task must fail it.

use std::fs;

use serde_json::Value;

use crate::environment::{Environment, components, copy_tree, repository, text};

#[test]
fn every_cheat_is_graded_and_fails() {
    let environment = Environment::new();
    let listed = environment.run(["task", "list", "--json"]).exits(0).json();
    // One library for all: each cheat is a task of its own, and the cheat is its solution.
    let root = environment.path("library");
    for world in ["food-bank", "village-festival"] {
        let place = format!("worlds/filesystem/{world}");
        let (from, to) = (repository().join(&place), root.join(&place));
        fs::create_dir_all(&to).unwrap();
        fs::copy(from.join("world.json"), to.join("world.json")).unwrap();
        match components().get(&format!("{place}/setup.rs")) {
            Some(setup) => drop(fs::copy(setup, to.join("setup.wasm")).unwrap()),
            None => copy_tree(&from.join("files"), &to.join("files")),
        }
    }
    let mut expected = 0;
    for task in listed.as_array().unwrap() {
        let dir = text(&task["dir"]);
        let cheats = task["cheats"].as_array().unwrap();
        assert!(cheats.len() >= 2, "{dir} has {} cheats", cheats.len());
        for cheat in cheats {
            let cheat = text(cheat);
            let to = root.join(format!("{dir}--{cheat}"));
            fs::create_dir_all(&to).unwrap();
            for name in ["meta.json", "description.md"] {
                fs::copy(repository().join(&dir).join(name), to.join(name)).unwrap();
            }
            let component = |source: String| &components()[&source];
            let verifier = component(format!("{dir}/verifier.rs"));
            let solution = component(format!("{dir}/cheats/{cheat}.rs"));
            fs::copy(verifier, to.join("verifier.wasm")).unwrap();
            fs::copy(solution, to.join("solution.wasm")).unwrap();
            expected += 1;
        }
    }
    assert!(expected >= 12);

    let mut command = environment.command(["run", "--agent", "oracle", "--json"]);
    let output = crate::environment::Output::of(command.env("MCPMARK_ROOT", &root));
    let report = output.exits(1).json();
    let attempts = report["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), expected);
    for attempt in attempts {
        let task = &attempt["task"];
        // A cheat that stumbles over its tools would fail for another reason than its own.
        assert_eq!(attempt["ended"], "completed", "{task}");
        assert_eq!(attempt["outcome"], "graded", "{task}");
        assert_eq!(attempt["passed"], false, "{task}");
        let checks = attempt["checks"].as_array().unwrap();
        assert!(checks.iter().any(|check| check["passed"] == false));
        assert!(
            checks.iter().any(|check| check["passed"] == true),
            "{task} fails everything, which shows nothing"
        );
        assert_eq!(attempt["fault"], Value::Null);
    }
}
