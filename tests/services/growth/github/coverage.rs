//! Each tool of each version has a case.

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::{Failed, Trial};

use super::site::{Site, World};
use super::{V0, V1, more_worlds};

pub(super) fn trials() -> Vec<Trial> {
    [V0, V1]
        .map(|profile| {
            let name = format!("github::{profile}::each_tool_has_a_case");
            Trial::test(name, move || each_tool_has_a_case(profile))
        })
        .into()
}

/// A world that has whatever makes further tools be there: workflows and gists.
fn with_all_tools(world: &Path) {
    more_worlds::runs(world, 1);
    let gists = serde_json::json!([{"owner": "ann", "public": true, "files": {"a": "a"}}]);
    std::fs::write(world.join("gists.json"), gists.to_string()).expect("a document");
}

fn each_tool_has_a_case(profile: &str) -> Result<(), Failed> {
    let world = World::new(with_all_tools);
    let there: BTreeSet<String> = Site::new(&world, profile).tools().into_iter().collect();
    let optional = ["get_job_logs", "list_gists"];
    assert!(
        optional.iter().all(|tool| there.contains(*tool)),
        "{there:?}"
    );
    let calls = super::cases().into_iter().flat_map(|growth| growth.calls);
    let called = calls.filter(|call| call.is_of(profile));
    let called: BTreeSet<String> = called
        .flat_map(|call| call.tools())
        .map(str::to_owned)
        .collect();
    let missing: Vec<&String> = there.difference(&called).collect();
    let unknown: Vec<&String> = called.difference(&there).collect();
    match missing.is_empty() && unknown.is_empty() {
        true => Ok(()),
        false => Err(Failed::from(format!(
            "tools without a case: {missing:?}; cases of no tool: {unknown:?}"
        ))),
    }
}
