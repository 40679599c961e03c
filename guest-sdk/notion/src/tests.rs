use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest::testing::{self, MemoryTree};
use mcpmark_guest::{Check, Content, Found, Output, Verifier};

use super::*;

const WHO: &str = "u1";

fn stamp(at: &str) -> Value {
    json!({"at": at, "by": WHO})
}

/// Workspace with a page of four blocks, a page inside of it, and two linked databases.
fn documents() -> Vec<(&'static str, Value)> {
    let people = json!([
        {"id": "u1", "name": "Ada Byrne", "email": "ada@a.example"},
        {"id": "bot", "name": "Desk", "bot": true}
    ]);
    let top = json!([{"page": "p1"}]);
    let workspace = json!({"format": 1, "name": "W", "bot": "bot", "users": people, "top": top});
    let page = json!({
        "id": "p1", "title": "Handbook", "created": stamp("2025-01-01T00:00:00Z"),
        "comments": [
            {"id": "c1", "discussion": "d1", "created": stamp("2025-01-02T00:00:00Z"), "text": "Why?"}
        ],
        "blocks": [
            {"id": "b1", "heading_2": {"text": "Rules"}},
            {"id": "b2", "to_do": {"text": ["Ask ", {"user": "u1", "bold": true}], "checked": true},
             "blocks": [{"id": "b3", "paragraph": {"text": "soon"}}]},
            {"id": "b4", "column_list": {}, "blocks": [
                {"id": "b5", "column": {}, "blocks": [{"page": "p2"}]}
            ]},
            {"id": "b6", "paragraph": {"text": "gone"}, "trashed": true},
            {"database": "d1"}, {"database": "d2"}
        ]
    });
    let inner = json!({"id": "p2", "title": "Rota", "created": stamp("2025-01-01T00:00:00Z")});
    let things = json!({
        "id": "d1", "title": "Things", "created": stamp("2025-01-01T00:00:00Z"),
        "properties": [
            {"id": "title", "name": "Thing", "type": "title"},
            {"id": "s", "name": "State", "type": "status",
             "options": [{"id": "o1", "name": "Open"}, {"id": "o2", "name": "Done"}],
             "groups": [{"id": "g1", "name": "All", "options": ["Open", "Done"]}]},
            {"id": "t", "name": "Tags", "type": "multi_select",
             "options": [{"id": "o3", "name": "a"}, {"id": "o4", "name": "b", "color": "red"}]},
            {"id": "n", "name": "Cost", "type": "number"},
            {"id": "d", "name": "Due", "type": "date"},
            {"id": "k", "name": "Keeper", "type": "people"},
            {"id": "c", "name": "Seen", "type": "checkbox"},
            {"id": "r", "name": "Shop", "type": "relation", "database": "d2"}
        ],
        "rows": [
            {"id": "r1", "values": {
                "Thing": "Lamp", "State": "Open", "Tags": ["a", "b"], "Cost": 12.5,
                "Due": {"start": "2025-02-01", "end": "2025-02-03"}, "Keeper": ["u1"],
                "Seen": true, "Shop": ["r3"]
            }},
            {"id": "r2", "values": {"Thing": "Mat", "Due": "2025-03-01"}}
        ]
    });
    let shops = json!({
        "id": "d2", "title": "Shops", "created": stamp("2025-01-01T00:00:00Z"),
        "properties": [{"id": "title", "name": "Name", "type": "title"}],
        "rows": [{"id": "r3", "values": {"Name": "Osei"}}, {"id": "r4", "values": {"Name": "Low"}}]
    });
    vec![
        ("workspace.json", workspace),
        ("pages/p1.json", page),
        ("pages/p2.json", inner),
        ("databases/d1.json", things),
        ("databases/d2.json", shops),
    ]
}

fn tree(documents: &[(&str, Value)]) -> MemoryTree {
    let mut tree = MemoryTree::default();
    for (path, value) in documents {
        tree.write(path, format!("{value:#}\n"));
    }
    tree
}

/// Runs a verifier on the workspace as it is at the start and after `edit`.
fn after(
    edit: impl FnOnce(&mut Vec<(&'static str, Value)>),
    verify: fn(&mut Verifier),
) -> Vec<Check> {
    let mut edited = documents();
    edit(&mut edited);
    testing::verify(verify, &tree(&documents()), &tree(&edited), None)
}

/// Runs [`nothing_else_changed`] without exceptions, and returns its detail if it fails.
fn stray(edit: impl FnOnce(&mut Vec<(&'static str, Value)>)) -> Option<String> {
    let checks = after(edit, |task| {
        let start = Workspace::read(&task.start()).required();
        let end = Workspace::read(&task.end());
        nothing_else_changed(task, &start, &end, &Allowed::new());
    });
    let failed = checks.into_iter().find(|it| !it.passed);
    failed.map(|it| it.detail)
}

fn read(judge: fn(&Workspace)) {
    let judge_task = |task: &mut Verifier| {
        let workspace = Workspace::read(&task.start()).required();
        let judge: fn(&Workspace) = JUDGE.with(std::cell::Cell::get);
        judge(&workspace);
    };
    JUDGE.with(|it| it.set(judge));
    let tree = tree(&documents());
    testing::verify(judge_task, &tree, &tree, None);
}

thread_local! {
    static JUDGE: std::cell::Cell<fn(&Workspace)> = const { std::cell::Cell::new(|_| ()) };
}

#[test]
fn pages_are_found_by_the_titles_that_lead_to_them() {
    read(|it| {
        assert_eq!(it.page(&["Handbook", "Rota"]).required().id(), "p2");
        assert_eq!(
            it.page(&["Handbook", "Things", "Mat"]).required().id(),
            "r2"
        );
        let missing = it.page(&["Rota"]).get().map(|_| ());
        assert_eq!(
            missing,
            Err(r#"page ["Rota"]: expected one page "Rota", found 0"#.to_owned())
        );
    });
}

#[test]
fn blocks_are_in_order_with_their_levels_and_texts() {
    read(|it| {
        let shown: Vec<(usize, &str, String)> = it
            .outline("p1")
            .into_iter()
            .map(|(level, node)| (level, node.type_name(), it.text_of(node)))
            .take(5)
            .collect();
        assert_eq!(shown[0], (0, "heading_2", "Rules".to_owned()));
        assert_eq!(shown[1], (0, "to_do", "Ask @Ada Byrne".to_owned()));
        assert_eq!(shown[2], (1, "paragraph", "soon".to_owned()));
        assert_eq!(shown[4], (1, "column", String::new()));
        assert!(it.node("b2").required().is_set("checked"));
        assert!(!it.is_live("b6") && it.is_live("p2"));
        assert!(
            it.node("b2")
                .required()
                .text()
                .is_some_and(|it| !it.is_unstyled())
        );
    });
}

#[test]
fn rows_have_typed_cells() {
    read(|it| {
        let things = it.database("Things").required();
        let lamp = things.row("Lamp").required();
        let date = DateCell {
            start: "2025-02-01".to_owned(),
            end: Some("2025-02-03".to_owned()),
        };
        for (name, cell) in [
            ("Thing", Cell::Text("Lamp".to_owned())),
            ("State", Cell::Option("Open".to_owned())),
            ("Tags", Cell::Options(vec!["a".to_owned(), "b".to_owned()])),
            ("Cost", Cell::Number("12.5".parse().unwrap())),
            ("Due", Cell::Date(date)),
            ("Keeper", Cell::People(vec!["Ada Byrne".to_owned()])),
            ("Seen", Cell::Checked),
            ("Shop", Cell::Related(vec!["Osei".to_owned()])),
        ] {
            assert_eq!(lamp.cell(name), Ok(cell), "{name}");
        }
        assert_eq!(lamp.ids("Shop"), ["r3"]);
        assert_eq!(things.row("Mat").required().cell("Seen"), Ok(Cell::Empty));
        assert_eq!(
            lamp.cell("Colour"),
            Err(r#"the database has no property "Colour""#.to_owned())
        );
        assert_eq!(
            things.table(&["Thing", "Due", "Tags"]).unwrap(),
            [
                ["Lamp", "2025-02-01 → 2025-02-03", "a, b"],
                ["Mat", "2025-03-01", ""]
            ]
        );
        assert_eq!(things.property("Tags").unwrap().options(), ["a", "b"]);
    });
}

#[test]
fn runs_of_one_style_are_one_run() {
    let pieces =
        json!(["Ask ", "", "so", {"text": "on", "bold": true}, {"text": "!", "bold": true}]);
    let text = text::Text::read(Some(&pieces), "here").unwrap();
    assert_eq!(text.runs().len(), 2);
    assert_eq!(text.characters(|_| String::new()), "Ask soon!");
    let halves = text::Text::read(Some(&json!(["Ask", " so"])), "here").unwrap();
    assert_eq!(halves, Text::plain("Ask so"));
}

#[test]
fn times_of_edits_and_new_nodes_in_the_trash_are_no_changes() {
    assert_eq!(stray(|_| ()), None);
    let detail = stray(|all| {
        let page = &mut all[2].1;
        page["edited"] = stamp("2025-05-05T00:00:00Z");
        page["trashed"] = Value::Null;
        page.as_object_mut().unwrap().remove("trashed");
        page["blocks"] = json!([{"id": "n1", "paragraph": {"text": "slip"}, "trashed": true}]);
    });
    assert_eq!(detail, None);
}

#[test]
fn edits_are_made_by_users() {
    let mut other = documents();
    other[2].1["edited"] = json!({"at": "2025-05-05T00:00:00Z", "by": "nobody"});
    let checks = testing::verify(
        |task| {
            task.check("end", Workspace::read(&task.end()).exists());
        },
        &tree(&documents()),
        &tree(&other),
        None,
    );
    assert!(
        checks[0]
            .detail
            .contains("edited by nobody, who is no user")
    );
}

#[test]
fn every_other_difference_is_named() {
    type Edit = fn(&mut Vec<(&'static str, Value)>);
    let edits: [(Edit, &str); 12] = [
        (
            |all| all[1].1["blocks"][0]["heading_2"]["text"] = json!("Rule"),
            "Text of Handbook / heading_2 \"Rules\"",
        ),
        (
            |all| all[1].1["blocks"][1]["to_do"] = json!({"text": "Ask"}),
            "Text of Handbook / to_do",
        ),
        (
            |all| all[1].1["blocks"][0]["heading_2"]["color"] = json!("red"),
            "Field(\"color\")",
        ),
        (
            |all| {
                all[1].1["blocks"].as_array_mut().unwrap().swap(0, 1);
            },
            "Order of Handbook",
        ),
        (
            |all| {
                all[1].1["blocks"].as_array_mut().unwrap().remove(0);
            },
            "Removed of Handbook / heading_2",
        ),
        (
            |all| all[1].1["comments"][0]["text"] = json!("Who?"),
            "Comments of Handbook",
        ),
        (
            |all| all[3].1["rows"][0]["values"]["State"] = json!("Done"),
            "Value(\"State\") of Handbook / Things / Lamp",
        ),
        (
            |all| all[3].1["rows"][0]["values"]["Shop"] = json!(["r4"]),
            "Value(\"Shop\")",
        ),
        (
            |all| all[3].1["rows"][1]["trashed"] = json!(true),
            "Trashed of Handbook / Things / Mat",
        ),
        (|all| all[3].1["properties"][3]["name"] = json!("Price"), ""),
        (
            |all| all[4].1["rows"] = json!([{"id": "r3", "values": {"Name": "Osei"}}, {"id": "r4", "values": {"Name": "Low"}}, {"id": "r5", "values": {"Name": "New"}}]),
            "Added of Handbook / Shops / New",
        ),
        (
            |all| all[0].1["users"][0]["name"] = json!("Ada"),
            "Workspace of the workspace",
        ),
    ];
    for (at, (edit, expected)) in edits.into_iter().enumerate() {
        let detail = stray(edit).unwrap_or_else(|| panic!("edit {at} is not noticed"));
        assert!(detail.contains(expected), "{at}: {detail}");
    }
}

#[test]
fn allowed_differences_are_no_others() {
    let verify = |task: &mut Verifier| {
        let start = Workspace::read(&task.start()).required();
        let end = Workspace::read(&task.end());
        let allowed = Allowed::new()
            .value("r1", "State")
            .comments("p1")
            .below("p2");
        nothing_else_changed(task, &start, &end, &allowed);
        nothing_else_changed(task, &start, &end, &Allowed::new().node("r1"));
    };
    let checks = after(
        |all| {
            all[3].1["rows"][0]["values"]["State"] = json!("Done");
            let comments = all[1].1["comments"].as_array_mut().unwrap();
            comments.push(json!({
                "id": "c2", "discussion": "d2", "created": stamp("2025-02-02T00:00:00Z"), "text": "So."
            }));
            all[2].1["blocks"] = json!([{"id": "n1", "paragraph": {"text": "new"}}]);
        },
        verify,
    );
    assert!(checks[0].passed, "{}", checks[0].detail);
    assert!(
        checks[1].detail.contains("Commented of Handbook"),
        "{}",
        checks[1].detail
    );
}

#[test]
fn only_blocks_are_allowed_below_a_page() {
    let verify = |task: &mut Verifier| {
        let start = Workspace::read(&task.start()).required();
        let end = Workspace::read(&task.end());
        nothing_else_changed(task, &start, &end, &Allowed::new().below("p2"));
        nothing_else_changed(task, &start, &end, &Allowed::new().below("p2").added("p3"));
    };
    let checks = after(
        |all| {
            all[2].1["blocks"] = json!([{"page": "p3"}]);
            let comment = json!({
                "id": "c9", "discussion": "d9", "created": stamp("2025-02-02T00:00:00Z"), "text": "So."
            });
            all.push((
                "pages/p3.json",
                json!({
                    "id": "p3", "title": "New", "created": stamp("2025-02-02T00:00:00Z"),
                    "comments": [comment]
                }),
            ));
        },
        verify,
    );
    assert!(
        checks[0].detail.contains("Added of Handbook / Rota / New"),
        "{}",
        checks[0].detail
    );
    assert!(
        checks[1]
            .detail
            .contains("Commented of Handbook / Rota / New"),
        "{}",
        checks[1].detail
    );
}

#[test]
fn other_forms_of_documents_are_refused() {
    let refused = |edit: &dyn Fn(&mut MemoryTree)| -> String {
        let mut end = tree(&documents());
        edit(&mut end);
        let checks = testing::verify(
            |task| {
                let end: Found<Workspace> = Workspace::read(&task.end());
                task.check("end", end.exists());
            },
            &tree(&documents()),
            &end,
            None,
        );
        assert!(!checks[0].passed);
        checks[0].detail.clone()
    };
    let rewrite = |path: &'static str, edit: fn(String) -> String| {
        move |tree: &mut MemoryTree| {
            let text = String::from_utf8(tree.read(path).unwrap().to_vec()).unwrap();
            tree.write(path, edit(text));
        }
    };
    let layout = refused(&rewrite("pages/p2.json", |text| text + "\n"));
    assert_eq!(
        layout,
        "the workspace: pages/p2.json: not in the layout of the service"
    );
    for (edit, expected) in [
        (
            rewrite("pages/p2.json", |text| {
                text.replace("\"title\"", "\"titel\"")
            }),
            "unexpected key",
        ),
        (
            rewrite("pages/p2.json", |text| text.replace("p2", "p9")),
            "the document has the id p9",
        ),
        (
            rewrite("databases/d2.json", |text| text.replace("\"Low\"", "null")),
            "",
        ),
        (
            rewrite("workspace.json", |text| text.replace("\"p1\"", "\"p2\"")),
            "is in two places",
        ),
    ] {
        if expected.is_empty() {
            continue;
        }
        let detail = refused(&edit);
        assert!(detail.contains(expected), "{detail}");
    }
    assert!(refused(&|tree| tree.write("notes.txt", "x")).contains("notes.txt"));
    assert!(refused(&|tree| tree.create_directory("scratch")).contains("scratch"));
    assert!(refused(&|tree| tree.remove("pages/p2.json")).contains("p2 has no document"));
}

#[test]
fn answers_of_tools_are_read_on_all_pages() {
    testing::solve(
        |tools| {
            let mut notion = NotionTools::new(tools);
            let rows = notion.rows("d1");
            assert_eq!(
                rows.iter().map(title_of).collect::<Vec<_>>(),
                ["Lamp", "Mat"]
            );
            assert_eq!(notion.lines("p1"), ["Rules", "Rota"]);
            String::new()
        },
        |name, arguments| {
            let row = |title: &str| json!({"object": "page", "properties": {"Thing": {"type": "title", "title": [{"plain_text": title}]}}});
            let answer = match (name, arguments["start_cursor"].as_str()) {
                ("API-get-block-children", _) => json!({"results": [
                    {"type": "heading_2", "heading_2": {"rich_text": [{"plain_text": "Rul"}, {"plain_text": "es"}]}},
                    {"type": "child_page", "child_page": {"title": "Rota"}}
                ]}),
                (_, None) => json!({"results": [row("Lamp")], "next_cursor": "x"}),
                _ => json!({"results": [row("Mat")], "next_cursor": null}),
            };
            Ok(Output {
                content: vec![Content::Text(answer.to_string())],
                structured: None,
                is_error: false,
            })
        },
    );
}
