//! Coverage: each tool of each version has a case, and so does each parameter that can be large.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use super::parameters::{Large, PARAMETERS};
use super::site::{Site, World};
use super::{V0, V1, more_worlds};

pub(super) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = [V0, V1]
        .map(|profile| {
            let name = format!("github::{profile}::each_tool_has_a_case");
            Trial::test(name, move || each_tool_has_a_case(profile))
        })
        .into();
    trials.push(Trial::test(
        "github::each_large_parameter_has_a_case",
        each_large_parameter_has_a_case,
    ));
    trials
}

/// World with the documents that enable optional tools: workflow runs and gists.
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
    if missing.is_empty() && unknown.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(format!(
            "tools without a case: {missing:?}; cases of no tool: {unknown:?}"
        )))
    }
}

/// Returns true if the schema of a parameter allows values of any length. The schema of a missing parameter is null.
pub(super) fn can_be_large(schema: &Value) -> bool {
    let is_small = matches!(
        schema["type"].as_str(),
        Some("number" | "integer" | "boolean")
    );
    !schema.is_null() && !is_small && schema["enum"].is_null()
}

fn each_large_parameter_has_a_case() -> Result<(), Failed> {
    let world = World::new(with_all_tools);
    let cases: BTreeMap<&str, Large> = PARAMETERS.iter().copied().collect();
    let mut unknown = cases.clone();
    let mut missing = Vec::new();
    for profile in [V0, V1] {
        for (tool, schema) in Site::new(&world, profile).schemas() {
            let all = schema["properties"].as_object().into_iter().flatten();
            for (name, schema) in all.filter(|(_, schema)| can_be_large(schema)) {
                unknown.remove(name.as_str());
                if !cases.get(name.as_str()).is_some_and(|it| it.fits(schema)) {
                    missing.push(format!("{name} of {tool} in {profile}"));
                }
            }
        }
    }
    let unknown: Vec<&str> = unknown.into_keys().collect();
    if missing.is_empty() && unknown.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(format!(
            "parameters without a case of their type in parameters.rs: {missing:?}; cases of no parameter: {unknown:?}"
        )))
    }
}
