//! Cost of each tool parameter that can be large. The lists of the world grow with it, which reveals work for each pair
//! of a listed object and an argument.

use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use mcpmark_service::CallError;
use serde_json::{Map, Value, json};

use self::Large::{Entries, Keys, Names, Text};
use super::coverage::can_be_large;
use super::site::{Site, World};
use super::worlds::{Repo, issue, milestones, one, pull};
use super::{V0, V1, more_worlds, numbered};
use crate::measure::linear;

/// Way in which a parameter becomes large.
#[derive(Clone, Copy)]
pub(super) enum Large {
    /// Repetitions of a text.
    Text(&'static str),
    /// List of strings: repetitions of this one or of the first value in the schema, and different ones.
    Names(&'static str),
    /// List of objects: repetitions of one, and different ones.
    Entries(fn(usize) -> Value),
    /// Object with many keys, and with a long text for each of these keys.
    Keys(&'static [&'static str]),
}

/// Large parameters by name. Each tool with such a parameter is called with it.
pub(super) const PARAMETERS: &[(&str, Large)] = &[
    ("actor", Text("ann")),
    ("after", Text("Y3Vyc29y")),
    ("assignees", Names("ann")),
    ("author", Text("ann ")),
    ("base", Text("main/")),
    ("base_ref", Text("main/")),
    ("body", Text("`a` #1 @ann [b](c) ")),
    ("branch", Text("run/")),
    ("commitID", Text("0123456789abcdef")),
    ("commit_message", Text("fixes #1, `a`\n")),
    ("commit_title", Text("fixes #1 ")),
    ("content", Text("line\n")),
    ("custom_instructions", Text("words ")),
    ("description", Text("words ")),
    ("expectedHeadSha", Text("0123456789abcdef")),
    (
        "field_filters",
        Entries(|it| json!({"field_name": format!("Field {it}"), "value": "a"})),
    ),
    ("fields", Names("name")),
    (
        "files",
        Entries(|it| json!({"path": format!("many/{}/{it}", it % 20), "content": "a"})),
    ),
    ("from_branch", Text("main/")),
    ("gist_id", Text("0123456789abcdef")),
    ("head", Text("acme:topic")),
    ("inputs", Keys(&[])),
    (
        "issue_fields",
        Entries(|it| json!({"field_name": format!("Field {it}"), "value": "a"})),
    ),
    ("labels", Names("label 1")),
    ("message", Text("fixes #1, `a`\n")),
    ("method", Text("add")),
    ("name", Text("label ")),
    ("org", Text("acme")),
    ("organization", Text("acme")),
    ("owner", Text("acme")),
    ("path", Text("src/../")),
    ("query", Text("word -label:a OR ")),
    ("ref", Text("refs/heads/")),
    ("repo", Text("demo")),
    ("resource_id", Text("1001")),
    ("reviewers", Names("acme")),
    ("sha", Text("0123456789abcdef")),
    ("since", Text("2024-01-01T00:00:00Z")),
    ("sort", Text("indexed")),
    ("tag", Text("v1.")),
    ("team_slug", Text("all")),
    ("threadId", Text("PRRT_kwDO")),
    ("title", Text("`a` #1 ")),
    ("type", Text("Bug")),
    ("until", Text("2024-01-01T00:00:00Z")),
    ("user", Text("ann")),
    ("username", Text("ann")),
    ("workflow_id", Text("check.yml")),
    ("workflow_jobs_filter", Keys(&["filter"])),
    (
        "workflow_runs_filter",
        Keys(&["actor", "branch", "event", "status"]),
    ),
];

/// Parameters of nearly all tools, which read them first. All tools are measured in one run.
const OF_ALL: [&str; 2] = ["owner", "repo"];

/// Number of entries in each list of the smaller world. The larger world has as many as a page.
const SIZE: usize = 50;

/// Returns the value of a required parameter.
fn required(parameter: &str) -> Value {
    match parameter {
        "owner" => json!("acme"),
        "repo" => json!("demo"),
        "issue_number" | "issueNumber" => json!(1),
        "pullNumber" => json!(2),
        "sub_issue_id" => json!(3_000_000_003_u64),
        "commentId" => json!(2_100_000_001_u64),
        "run_id" => json!(1_001),
        "resource_id" => json!("1001"),
        "artifact_id" => json!(1),
        "path" => json!("1.txt"),
        "files" => json!([{"path": "new.txt", "content": "@N"}]),
        "head" => json!("topic-2"),
        "base" | "branch" | "ref" | "sha" => json!("main"),
        "name" => json!("label 1"),
        "tag" => json!("v1"),
        "org" => json!("acme"),
        "team_slug" => json!("all"),
        "subjectType" => json!("FILE"),
        "event" => json!("COMMENT"),
        "workflow_id" => json!("check.yml"),
        "gist_id" => json!(format!("{:032x}", 1)),
        "method" => json!("add"),
        "body" | "content" | "message" | "query" | "title" => json!("words"),
        other => panic!("no value of the required parameter {other}: add one"),
    }
}

/// Returns further arguments of a call, without which it would not read the measured parameter.
fn further(tool: &str, method: &str) -> Value {
    match (tool, method) {
        ("get_job_logs", _) => json!({"job_id": 500_001}),
        ("get_file_contents", _) => json!({"path": "/"}),
        // A word in the pull requests of the world, so that there are results with fields.
        ("search_pull_requests", _) => json!({"query": "see"}),
        ("add_comment_to_pending_review", _) => json!({"path": "topic-2.txt"}),
        ("submit_pending_pull_request_review", _) => json!({"body": "words"}),
        ("update_pull_request", _) => json!({"title": "words"}),
        ("create_branch", _) => json!({"branch": "made-@N"}),
        ("create_or_update_file", _) => json!({"path": "made-@N.txt"}),
        ("create_pull_request", _) => json!({"base": "other"}),
        // Pull request #2 has a pending review.
        ("create_and_submit_pull_request_review" | "create_pending_pull_request_review", _) => {
            json!({"pullNumber": 4})
        }
        ("pull_request_review_write", "create") => json!({"pullNumber": 4, "event": "COMMENT"}),
        ("pull_request_review_write", "submit_pending") => json!({"event": "COMMENT"}),
        ("pull_request_review_write", _) => json!({"threadId": "PRRT_1"}),
        ("add_issue_comment", _) => json!({"body": "words"}),
        ("add_reply_to_pull_request_comment", _) => json!({"pullNumber": 2, "body": "words"}),
        ("issue_write", "create") => json!({"title": "New"}),
        ("issue_write", _) => json!({"issue_number": 1}),
        ("actions_list", "list_workflow_runs") => json!({"resource_id": "check.yml"}),
        ("actions_list", "list_workflow_jobs" | "list_workflow_run_artifacts") => {
            json!({"resource_id": "1001"})
        }
        ("actions_get", "get_workflow") => json!({"resource_id": "check.yml"}),
        ("actions_get", "get_workflow_job") => json!({"resource_id": "500001"}),
        ("actions_run_trigger", "run_workflow") => {
            json!({"workflow_id": "check.yml", "ref": "main"})
        }
        ("actions_run_trigger", _) => json!({"run_id": 1_001}),
        _ => json!({}),
    }
}

/// Returns the required arguments of a tool for each of its methods, with the maximum page size.
fn least(tool: &str, schema: &Value) -> Vec<Value> {
    let methods = schema["properties"]["method"]["enum"].as_array().cloned();
    let of_method = |method: Option<Value>| {
        let mut with = Map::new();
        let all = schema["required"].as_array().into_iter().flatten();
        for parameter in all.filter_map(Value::as_str) {
            with.insert(parameter.to_owned(), required(parameter));
        }
        for pages in ["perPage", "per_page"] {
            if !schema["properties"][pages].is_null() {
                with.insert(pages.to_owned(), 100.into());
            }
        }
        let named = method.as_ref().and_then(Value::as_str).unwrap_or_default();
        with.extend(
            further(tool, named)
                .as_object()
                .cloned()
                .unwrap_or_default(),
        );
        with.extend(method.map(|method| ("method".to_owned(), method)));
        Value::from(with)
    };
    match methods {
        Some(methods) => methods.into_iter().map(|it| of_method(Some(it))).collect(),
        None => vec![of_method(None)],
    }
}

/// Function from a size to a value.
type Sized = Box<dyn Fn(usize) -> Value>;

impl Large {
    /// Returns true if the values have the type in the schema of the parameter.
    pub(super) fn fits(self, schema: &Value) -> bool {
        let is_of = |schema: &Value, kind: &str| schema["type"] == kind;
        match self {
            // A union of types has no `type`.
            Text(_) => is_of(schema, "string") || schema["type"].is_null(),
            Names(_) => is_of(schema, "array") && is_of(&schema["items"], "string"),
            Entries(_) => is_of(schema, "array") && is_of(&schema["items"], "object"),
            Keys(_) => is_of(schema, "object"),
        }
    }

    /// Returns functions for values of a parameter with this schema, each with a description.
    fn values(self, schema: &Value) -> Vec<(String, Sized)> {
        let text = |piece: &str, size: usize| piece.repeat(500 * size / piece.len());
        let value = |told: &str, value: Sized| (told.to_owned(), value);
        match self {
            Text(piece) => vec![value(
                "a long text",
                Box::new(move |size| text(piece, size).into()),
            )],
            Names(name) => {
                let first = schema["items"]["enum"][0].as_str();
                let name = first.unwrap_or(name).to_owned();
                let different = name.clone();
                let entry = move |it: usize| format!("{different} {it}");
                vec![
                    value(
                        "equal entries",
                        Box::new(move |size| vec![name.as_str(); 100 * size].into()),
                    ),
                    value(
                        "different entries",
                        Box::new(move |size| (0..100 * size).map(&entry).collect()),
                    ),
                ]
            }
            Entries(entry) => vec![
                value(
                    "equal entries",
                    Box::new(move |size| vec![entry(1); 20 * size].into()),
                ),
                value(
                    "different entries",
                    Box::new(move |size| (0..20 * size).map(entry).collect()),
                ),
            ],
            Keys(keys) => {
                let key = |it: usize| (format!("key {it}"), Value::from("a"));
                let many = value(
                    "many keys",
                    Box::new(move |size| (0..100 * size).map(key).collect::<Map<_, _>>().into()),
                );
                let long = keys.iter().map(|key| {
                    let sized: Sized = Box::new(move |size| json!({*key: text("a", size)}));
                    (format!("a long {key}"), sized)
                });
                std::iter::once(many).chain(long).collect()
            }
        }
    }
}

/// Returns one trial for each parameter.
pub(super) fn trials() -> Vec<Trial> {
    let worlds = Arc::new(OnceLock::new());
    let trial = |(name, large): &(&'static str, Large)| {
        let (name, large, worlds) = (*name, *large, Arc::clone(&worlds));
        Trial::test(format!("github::parameters::{name}"), move || {
            let worlds = worlds
                .get_or_init(|| [SIZE, 2 * SIZE].map(|size| World::new(|dir| world(dir, size))));
            measure(worlds, name, large)
        })
    };
    let mut trials: Vec<Trial> = PARAMETERS.iter().map(trial).collect();
    trials.push(Trial::test(
        "github::parameters::the_least_arguments_are_enough",
        the_least_arguments_are_enough,
    ));
    trials
}

/// Checks that a call with a large parameter is not refused because of another argument.
fn the_least_arguments_are_enough() -> Result<(), Failed> {
    let world = World::new(|dir| world(dir, 4));
    let mut refused = Vec::new();
    for profile in [V0, V1] {
        let accepted = super::accepted(profile);
        for (tool, schema) in Site::new(&world, profile).schemas() {
            let site = prepared(&world, profile);
            let answers: Vec<_> = least(&tool, &schema)
                .iter()
                .map(|with| site.until(&tool, &numbered(with, "1"), Duration::from_secs(60)))
                .collect();
            let is_answered = answers.iter().flatten().any(|answer| !answer.is_error);
            let all = schema["properties"].as_object().into_iter().flatten();
            let has_large = all
                .filter(|(name, _)| !OF_ALL.contains(&name.as_str()))
                .any(|(_, schema)| can_be_large(schema));
            let is_accepted = has_large && accepted.contains(tool.as_str());
            if is_accepted && !is_answered {
                refused.push(format!(
                    "{profile} {tool} refuses its least arguments: {answers:?}"
                ));
            }
        }
    }
    if refused.is_empty() {
        Ok(())
    } else {
        Err(refused.join("\n").into())
    }
}

fn measure(worlds: &[World; 2], name: &str, large: Large) -> Result<(), Failed> {
    let mut failures = Vec::new();
    for profile in [V0, V1] {
        let tools = Site::new(&worlds[0], profile).schemas().into_iter();
        let all: Vec<(String, Value)> = tools
            .filter(|(_, schema)| can_be_large(&schema["properties"][name]))
            .collect();
        let groups: Vec<&[(String, Value)]> = if OF_ALL.contains(&name) {
            vec![&all]
        } else {
            all.chunks(1).collect()
        };
        for group in groups {
            let sites = worlds
                .each_ref()
                .map(|world| Rc::new(prepared(world, profile)));
            for (told, value) in large.values(&group[0].1["properties"][name]) {
                let grown = linear(SIZE, |size| {
                    let site = Rc::clone(&sites[usize::from(size > SIZE)]);
                    let calls = with_value(group, name, &value(size));
                    let mut times = (1..).map(|time: usize| time.to_string());
                    move || {
                        let time = times.next().unwrap_or_default();
                        for (tool, with) in &calls {
                            ask(&site, tool, &numbered(with, &time));
                        }
                    }
                });
                if let Err(failed) = grown {
                    let tools: Vec<&str> = group.iter().map(|(tool, _)| tool.as_str()).collect();
                    let (tools, message) = (tools.join(", "), failed.message().unwrap_or_default());
                    failures.push(format!("{profile} {tools}: {told} in {name}: {message}"));
                }
            }
        }
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n").into())
    }
}

/// Returns the calls of the tools with this value of one parameter.
fn with_value(group: &[(String, Value)], name: &str, value: &Value) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for (tool, schema) in group {
        for mut with in least(tool, schema) {
            with[name] = value.clone();
            calls.push((tool.clone(), with));
        }
    }
    calls
}

/// Calls a tool, which may refuse but must answer.
fn ask(site: &Site, tool: &str, with: &Value) {
    let outcome = site.until(tool, with, Duration::from_secs(60));
    assert!(
        !matches!(outcome, Err(CallError::Timeout { .. })),
        "{tool} did not answer within a minute"
    );
}

/// Opens a session with a pending review of the first pull request.
fn prepared(world: &World, profile: &str) -> Site {
    let site = Site::new(world, profile);
    match profile {
        V0 => site.tool(
            "create_pending_pull_request_review",
            &json!({"pullNumber": 2}),
        ),
        _ => site.tool(
            "pull_request_review_write",
            &json!({"pullNumber": 2, "method": "create"}),
        ),
    }
    site
}

/// World in which each list has `size` entries. Issues have odd numbers and pull requests even ones.
pub(super) fn world(world: &Path, size: usize) {
    // Each of these functions also makes a repository, which is not needed.
    for make in [more_worlds::gists, more_worlds::releases, more_worlds::runs] {
        make(world, size);
        std::fs::remove_dir_all(world.join("repo")).expect("a repository");
    }
    let mut repo = Repo::new(world);
    let mut files: Vec<_> = (0..size)
        .map(|it| (format!("{it}.txt"), Some(format!("words {it}\n"))))
        .collect();
    files.push((
        ".github/workflows/check.yml".to_owned(),
        Some(more_worlds::workflow(1)),
    ));
    let first = repo.commit("main", &[], "Begin", &files);
    repo.commit("other", &[first], "Change", &one("other.txt", "words\n"));
    let mut tip = first;
    for it in 1..size {
        tip = repo.commit("main", &[tip], "Go on", &one("main.txt", &it.to_string()));
    }
    for it in 0..size {
        repo.tag(&format!("v{it}"), first);
    }
    milestones(world);
    let comments = vec!["words".to_owned(); size];
    let issues: Vec<Value> = (0..size)
        .map(|it| issue(2 * it + 1, "words", if it == 0 { &comments } else { &[] }))
        .collect();
    let mut pulls = Vec::new();
    for number in (1..=size).map(|it| 2 * it) {
        let branch = format!("topic-{number}");
        let file = one(&format!("topic-{number}.txt"), "new\n");
        let head = repo.commit(&branch, &[first], "Change", &file);
        let mut pull = pull(number, &branch);
        pull["review_comments"] = json!([{"id": number / 2, "user": "ann", "body": "words",
            "path": format!("topic-{number}.txt"), "line": 1, "side": "RIGHT", "commit_id": head.to_string(),
            "created_at": "2024-03-02T00:00:00Z"}]);
        pulls.push(pull);
    }
    repo.finish(world, &issues, &pulls);
}
