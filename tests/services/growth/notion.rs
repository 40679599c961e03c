//! Cost of the notion tools as workspaces and arguments grow.

#[path = "notion/worlds.rs"]
mod worlds;

use std::collections::BTreeSet;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use mcpmark_notion::NotionService;
use mcpmark_notion::model::Id;
use mcpmark_service::{CallError, Service};
use serde_json::{Value, json};

use self::worlds::{HOME, LINKED, TABLE, id, plain};
use crate::filesystem::larges;
use crate::measure::{cost, linear};
use crate::world::{Entry, World, clipped};

/// Documents of a world.
type Documents = Vec<(String, Entry)>;
/// Tool with its arguments.
type Step = (&'static str, Value);

/// Calls on worlds that grow in one dimension.
struct Case {
    name: &'static str,
    size: usize,
    make: fn(usize) -> Documents,
    /// Calls in sequence. Either the last one undoes the first, or each adds a single object to a large world.
    calls: fn(usize) -> Vec<Step>,
}

/// Number of bytes of a long argument.
const MIB: usize = 1 << 20;

/// Timeout after which a call is cancelled. It takes seconds without it.
const PATIENCE: Duration = Duration::from_millis(100);

fn profile() -> &'static str {
    NotionService.profiles()[0]
}

/// Version of the published server with data sources.
const LATER: &str = "2.5.2";

fn open(documents: Documents) -> World {
    World::of(&NotionService, profile(), documents)
}

/// Returns the id of the first data source of a database with this number.
fn source(number: usize) -> String {
    let database = Id::parse(&id(number)).expect("an id");
    database.data_source().to_string()
}

/// Returns the trials. A trial of a dimension makes all its calls on one world for each size.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = CASES
        .iter()
        .map(|case| Trial::test(format!("notion::{}", case.name), || run(case, profile())))
        .collect();
    trials.extend(LATER_CASES.iter().map(|case| {
        Trial::test(format!("notion::{LATER}::{}", case.name), || {
            run(case, LATER)
        })
    }));
    trials.push(Trial::test(
        "notion::each_tool_has_a_case",
        each_tool_has_a_case,
    ));
    trials.push(Trial::test("notion::cancelled_query", cancelled));
    trials.extend(parameters());
    trials
}

fn run(case: &'static Case, profile: &str) -> Result<(), Failed> {
    linear(case.size, |size| {
        let world = World::of(&NotionService, profile, (case.make)(size));
        let calls = (case.calls)(size);
        move || {
            for (tool, arguments) in &calls {
                answered(&world, tool, arguments);
            }
        }
    })
}

/// Makes a call that must succeed. Refusals of the API are no errors of the tool.
fn answered(world: &World, tool: &str, arguments: &Value) {
    let text = world.ok(tool, arguments);
    assert!(
        !text.contains("\"object\":\"error\""),
        "{tool}: {}",
        clipped(&text)
    );
}

fn each_tool_has_a_case() -> Result<(), Failed> {
    let mut tools = NotionService.tools(Some(profile()));
    tools.extend(NotionService.tools(Some(LATER)));
    let cases = CASES.iter().chain(LATER_CASES);
    let calls: Vec<Step> = cases.flat_map(|case| (case.calls)(1)).collect();
    tools.retain(|tool| calls.iter().all(|(called, _)| called != tool));
    if tools.is_empty() {
        Ok(())
    } else {
        Err(format!("tools without a case: {tools:?}").into())
    }
}

/// Returns a trial for each parameter of the published schemas that can be large: a long string or a long list. The
/// API refuses most of them, but each call must be answered.
fn parameters() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (tool, schema) in open(worlds::pages(1)).schemas() {
        // Parameters with the same name inside each other are the same.
        let names = larges("arguments", &schema, 1).into_iter();
        let names: BTreeSet<String> = names.map(|(name, _)| name).collect();
        for large in names {
            let name = format!("notion::{tool}::large {large}");
            let (tool, schema) = (tool.clone(), schema.clone());
            let run = move || {
                linear(MIB, |size| {
                    let mut all = larges("arguments", &schema, size).into_iter();
                    let found = all.find(|(name, _)| *name == large);
                    let (_, arguments) = found.expect("as many for each size");
                    let world = open(worlds::pages(1));
                    let tool = tool.clone();
                    move || drop(world.call(&tool, &arguments))
                })
            };
            trials.push(Trial::test(name, run));
        }
    }
    assert!(trials.len() > 20, "{} parameters", trials.len());
    trials
}

/// Cancels a query whose filter computes a rollup again and again. The session remains usable.
fn cancelled() -> Result<(), Failed> {
    let world = open(worlds::grid(400));
    let before = world.digest();
    let condition = json!({"property": "Total", "rollup": {"number": {"equals": -1}}});
    let arguments = json!({
        "database_id": id(TABLE),
        "filter": {"or": vec![condition; 100]},
    });
    let query = "API-post-database-query";
    let stopped = cost(|| {
        let outcome = world.call_within(query, &arguments, PATIENCE);
        assert!(
            matches!(outcome, Err(CallError::Timeout { .. })),
            "{outcome:?}"
        );
        // Calls run one at a time, so this one waits for the end of the cancelled one.
        answered(&world, "API-get-self", &json!({}));
    });
    assert_eq!(world.digest(), before, "a query changed the world");
    let whole = cost(|| answered(&world, query, &arguments));
    if stopped.time * 2 < whole.time {
        Ok(())
    } else {
        Err(Failed::from(format!(
            "the query took {stopped} when it was cancelled after {PATIENCE:?}, and {whole} else"
        )))
    }
}

const CASES: &[Case] = &[
    Case {
        name: "users",
        size: 20_000,
        make: worlds::users,
        calls: |size| {
            vec![
                ("API-get-users", json!({"page_size": 100})),
                (
                    "API-get-user",
                    json!({"user_id": id(worlds::USER + size - 1)}),
                ),
                ("API-get-self", json!({})),
            ]
        },
    },
    Case {
        name: "blocks",
        size: 20_000,
        make: worlds::blocks,
        calls: |size| {
            let last = id(worlds::BLOCK + size - 1);
            let paragraph = json!({"paragraph": {"rich_text": plain("more")}});
            vec![
                (
                    "API-get-block-children",
                    json!({"block_id": id(HOME), "page_size": 100}),
                ),
                (
                    "API-patch-block-children",
                    json!({"block_id": id(HOME), "children": [paragraph], "after": last}),
                ),
                (
                    "API-update-a-block",
                    json!({"block_id": last, "paragraph": {"rich_text": plain("other")}}),
                ),
                ("API-delete-a-block", json!({"block_id": last})),
                (
                    "API-update-a-block",
                    json!({"block_id": last, "archived": false}),
                ),
            ]
        },
    },
    Case {
        name: "pieces of a text",
        size: 5_000,
        make: worlds::text,
        calls: |_| {
            vec![(
                "API-retrieve-a-block",
                json!({"block_id": id(worlds::BLOCK)}),
            )]
        },
    },
    Case {
        name: "pages",
        size: 10_000,
        make: worlds::pages,
        calls: |_| {
            vec![
                ("API-post-search", json!({"query": "page 7"})),
                (
                    "API-post-search",
                    json!({"sort": {"timestamp": "last_edited_time", "direction": "ascending"}}),
                ),
                (
                    "API-create-a-database",
                    json!({
                        "parent": {"type": "page_id", "page_id": id(HOME)},
                        "properties": {"Name": {"title": {}}},
                    }),
                ),
            ]
        },
    },
    Case {
        name: "comments",
        size: 10_000,
        make: worlds::comments,
        calls: |_| {
            vec![
                ("API-retrieve-a-comment", json!({"block_id": id(HOME)})),
                (
                    "API-create-a-comment",
                    json!({"parent": {"page_id": id(HOME)}, "rich_text": plain("one more")}),
                ),
            ]
        },
    },
    Case {
        name: "rows",
        size: 10_000,
        make: worlds::rows,
        calls: |_| {
            let filter = json!({"and": [
                {"property": "Cost", "number": {"greater_than": 10}},
                {"or": [
                    {"property": "Name", "title": {"contains": "7"}},
                    {"property": "Kind", "select": {"equals": "big"}},
                ]},
            ]});
            let sorts = json!([{"property": "Cost", "direction": "descending"}]);
            let kind = |kind: &str| json!({"Kind": {kind: {}}});
            vec![
                (
                    "API-post-database-query",
                    json!({"database_id": id(TABLE), "filter": filter, "sorts": sorts}),
                ),
                (
                    "API-post-page",
                    json!({
                        "parent": {"database_id": id(TABLE)},
                        "properties": {"Name": {"title": plain("new")}},
                    }),
                ),
                (
                    "API-update-a-database",
                    json!({"database_id": id(TABLE), "properties": kind("multi_select")}),
                ),
                (
                    "API-update-a-database",
                    json!({"database_id": id(TABLE), "properties": kind("select")}),
                ),
            ]
        },
    },
    Case {
        name: "options",
        size: 10_000,
        make: worlds::options,
        calls: |_| vec![("API-retrieve-a-database", json!({"database_id": id(TABLE)}))],
    },
    Case {
        name: "related rows",
        size: 5_000,
        make: worlds::related,
        calls: |_| {
            let page = id(worlds::ROW);
            vec![
                ("API-retrieve-a-page", json!({"page_id": page})),
                (
                    "API-retrieve-a-page-property",
                    json!({"page_id": page, "property_id": "link"}),
                ),
                (
                    "API-retrieve-a-page-property",
                    json!({"page_id": page, "property_id": "totl"}),
                ),
                (
                    "API-patch-page",
                    json!({
                        "page_id": id(worlds::OTHER),
                        "properties": {"Cost": {"number": 5}, "Back": {"relation": []}},
                    }),
                ),
                (
                    "API-patch-page",
                    json!({
                        "page_id": id(worlds::OTHER),
                        "properties": {"Back": {"relation": [{"id": page}]}},
                    }),
                ),
                (
                    "API-post-database-query",
                    json!({
                        "database_id": id(LINKED),
                        "filter": {"property": "Back", "relation": {"contains": page}},
                    }),
                ),
            ]
        },
    },
];

/// Cases of the tools that only the later version has.
const LATER_CASES: &[Case] = &[
    Case {
        name: "blocks",
        size: 10_000,
        make: worlds::blocks,
        calls: |_| {
            let insert = json!({"content": "- more", "position": {"type": "end"}});
            let updates = json!([{"old_str": "- more", "new_str": "- other"}]);
            vec![
                ("API-retrieve-page-markdown", json!({"page_id": id(HOME)})),
                (
                    "API-update-page-markdown",
                    json!({"page_id": id(HOME), "type": "insert_content", "insert_content": insert}),
                ),
                (
                    "API-update-page-markdown",
                    json!({
                        "page_id": id(HOME),
                        "type": "update_content",
                        "update_content": {"content_updates": updates},
                    }),
                ),
            ]
        },
    },
    Case {
        name: "rows",
        size: 10_000,
        make: worlds::rows,
        calls: |_| {
            let table = source(TABLE);
            let row = id(worlds::ROW);
            vec![
                (
                    "API-retrieve-a-data-source",
                    json!({"data_source_id": table}),
                ),
                (
                    "API-list-data-source-templates",
                    json!({"data_source_id": table}),
                ),
                (
                    "API-query-data-source",
                    json!({
                        "data_source_id": table,
                        "filter": {"property": "Cost", "number": {"greater_than": 10}},
                    }),
                ),
                (
                    "API-update-a-data-source",
                    json!({"data_source_id": table, "properties": {"Kind": {"multi_select": {}}}}),
                ),
                (
                    "API-move-page",
                    json!({"page_id": row, "parent": {"type": "page_id", "page_id": id(HOME)}}),
                ),
                (
                    "API-move-page",
                    json!({"page_id": row, "parent": {"data_source_id": table}}),
                ),
                (
                    "API-create-a-data-source",
                    json!({
                        "parent": {"type": "database_id", "database_id": id(TABLE)},
                        "properties": {"Name": {"title": {}}},
                    }),
                ),
            ]
        },
    },
];
