//! Pages, blocks, comments, users and search.

use serde_json::{Value, json};

use crate::support::{done, engine, id_of, refused, send};

fn text(content: &str) -> Value {
    json!([{"text": {"content": content}}])
}

#[test]
fn blocks_are_added_in_order_and_moved_to_the_trash() {
    let mut engine = engine();
    let page = id_of(&mut engine, "Ideas");
    let children = format!("/v1/blocks/{page}/children");
    let listed = done(&mut engine, "GET", &children, Value::Null);
    let first = listed["results"][0]["id"].as_str().unwrap().to_owned();
    let body = json!({"after": first, "children": [
        {"to_do": {"rich_text": text("one"), "checked": true, "children": [{"paragraph": {"rich_text": text("below")}}]}},
        {"type": "divider", "divider": {}},
    ]});
    let added = done(&mut engine, "PATCH", &children, body);
    assert_eq!(added["results"].as_array().unwrap().len(), 2);
    let todo = &added["results"][0];
    assert_eq!(todo["has_children"], true);
    assert_eq!(todo["to_do"]["rich_text"][0]["plain_text"], "one");
    assert_eq!(todo["created_time"], "2025-01-27T08:00:00.000Z");
    let kinds = |list: &Value| -> Vec<String> {
        let blocks = list["results"].as_array().unwrap().iter();
        blocks
            .map(|block| block["type"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed = done(&mut engine, "GET", &children, Value::Null);
    assert_eq!(
        kinds(&listed),
        ["paragraph", "to_do", "divider", "paragraph"]
    );

    let todo = format!("/v1/blocks/{}", todo["id"].as_str().unwrap());
    let changed = done(
        &mut engine,
        "PATCH",
        &todo,
        json!({"to_do": {"checked": false}}),
    );
    assert_eq!(changed["to_do"]["checked"], false);
    assert_eq!(changed["to_do"]["rich_text"][0]["plain_text"], "one");
    let deleted = done(&mut engine, "DELETE", &todo, Value::Null);
    assert_eq!(
        (&deleted["archived"], &deleted["in_trash"]),
        (&json!(true), &json!(true))
    );
    let listed = done(&mut engine, "GET", &children, Value::Null);
    assert_eq!(kinds(&listed), ["paragraph", "divider", "paragraph"]);
    let (code, message) = refused(
        &mut engine,
        "PATCH",
        &todo,
        json!({"to_do": {"checked": true}}),
    );
    assert_eq!(code, "validation_error");
    assert_eq!(
        message,
        "Can't edit block that is archived. You must unarchive the block before editing."
    );
    done(&mut engine, "PATCH", &todo, json!({"archived": false}));
    let listed = done(&mut engine, "GET", &children, Value::Null);
    assert_eq!(
        kinds(&listed),
        ["paragraph", "to_do", "divider", "paragraph"]
    );
}

#[test]
fn lists_have_pages() {
    let mut engine = engine();
    let page = id_of(&mut engine, "Handbook");
    let children = format!("/v1/blocks/{page}/children");
    let all = done(&mut engine, "GET", &children, Value::Null);
    let all = all["results"].as_array().unwrap().clone();
    let mut seen = Vec::new();
    let mut target = format!("{children}?page_size=7");
    loop {
        let list = done(&mut engine, "GET", &target, Value::Null);
        seen.extend(list["results"].as_array().unwrap().clone());
        assert_eq!(list["has_more"], list["next_cursor"].is_string());
        let Some(cursor) = list["next_cursor"].as_str() else {
            break;
        };
        target = format!("{children}?page_size=7&start_cursor={cursor}");
    }
    assert_eq!(seen, all);
    assert!(all.len() > 14);
    // The old rota notes are in the trash.
    assert!(
        !all.iter()
            .any(|block| block["child_page"]["title"] == "Rota notes 2023")
    );
}

#[test]
fn refusals_have_the_form_of_the_service() {
    let mut engine = engine();
    let page = id_of(&mut engine, "Ideas");
    let handbook = id_of(&mut engine, "Handbook");
    let children = format!("/v1/blocks/{page}/children");
    let unknown = "00000000-0000-4000-8000-000000000000";
    let invalid = |message: &str| ("validation_error".to_owned(), message.to_owned());
    let cases: [(&str, String, Value, (String, String)); 15] = [
        (
            "GET",
            "/v1/pages/abc".to_owned(),
            Value::Null,
            invalid(
                "path failed validation: path.page_id should be a valid uuid, instead was `\"abc\"`.",
            ),
        ),
        (
            "GET",
            format!("/v1/pages/{unknown}"),
            Value::Null,
            (
                "object_not_found".to_owned(),
                format!(
                    "Could not find page with ID: {unknown}. Make sure the relevant pages and databases are shared with your integration."
                ),
            ),
        ),
        (
            "GET",
            format!("/v1/databases/{page}"),
            Value::Null,
            invalid(&format!(
                "Provided ID {page} is a page, not a database. Use the retrieve page API instead."
            )),
        ),
        (
            "PATCH",
            children.clone(),
            json!({"children": [{"paragraph": {"rich_text": text(&"x".repeat(2_001))}}]}),
            invalid(
                "body failed validation: body.children[0].paragraph.rich_text[0].text.content.length should be ≤ `2000`, instead was `2001`.",
            ),
        ),
        (
            "PATCH",
            children.clone(),
            json!({"children": vec![json!({"divider": {}}); 101]}),
            invalid(
                "body failed validation: body.children.length should be ≤ `100`, instead was `101`.",
            ),
        ),
        (
            "PATCH",
            children.clone(),
            json!({}),
            invalid(
                "body failed validation: body.children should be defined, instead was `undefined`.",
            ),
        ),
        (
            "PATCH",
            children.clone(),
            json!({"children": [{"type": "paragraph", "heading_1": {}}]}),
            invalid(
                "body failed validation: body.children[0].paragraph should be defined, instead was `undefined`.",
            ),
        ),
        (
            "PATCH",
            children.clone(),
            json!({"children": [{"quote": {"rich_text": [], "children": [{"quote": {"rich_text": [], "children": [{"quote": {"rich_text": [], "children": []}}]}}]}}]}),
            invalid(
                "body failed validation: body.children[0].quote.children[0].quote.children[0].quote.children should be not present, instead was `[]`.",
            ),
        ),
        (
            "PATCH",
            children.clone(),
            json!({"children": [{"table_row": {"cells": []}}]}),
            invalid("Block of type table_row cannot be a child of a block of type paragraph."),
        ),
        (
            "POST",
            "/v1/pages".to_owned(),
            json!({"parent": {}, "properties": {}}),
            invalid(
                "body failed validation. Fix one:\nbody.parent.database_id should be defined, instead was `undefined`.\nbody.parent.page_id should be defined, instead was `undefined`.",
            ),
        ),
        (
            "POST",
            "/v1/pages".to_owned(),
            json!({"parent": {"page_id": page}, "properties": {"Name": {"title": []}}}),
            invalid("Name is not a property that exists."),
        ),
        (
            "PATCH",
            format!("/v1/pages/{handbook}"),
            json!({"archived": true}),
            invalid("Archiving workspace level pages via API not supported."),
        ),
        (
            "POST",
            "/v1/search".to_owned(),
            json!({"page_size": 101}),
            invalid("body failed validation: body.page_size should be ≤ `100`, instead was `101`."),
        ),
        (
            "POST",
            "/v1/search".to_owned(),
            json!({"start_cursor": unknown}),
            invalid(&format!("The start_cursor provided is invalid: {unknown}")),
        ),
        (
            "POST",
            "/v1/nowhere".to_owned(),
            json!({}),
            (
                "invalid_request_url".to_owned(),
                "Invalid request URL.".to_owned(),
            ),
        ),
    ];
    for (method, target, body, expected) in cases {
        assert_eq!(
            refused(&mut engine, method, &target, body.clone()),
            expected,
            "{method} {target} {body}"
        );
    }
    let (_, message) = refused(
        &mut engine,
        "PATCH",
        &children,
        json!({"children": [{"nonsense": {}}]}),
    );
    assert!(message.starts_with("body failed validation. Fix one:\nbody.children[0].embed should be defined, instead was `undefined`.\n"), "{message}");
}

#[test]
fn pages_below_the_trash_cannot_be_edited() {
    let mut engine = engine();
    let meetings = id_of(&mut engine, "Meetings");
    let body = json!({"parent": {"page_id": meetings}, "properties": {"title": text("Folder")}});
    let folder = done(&mut engine, "POST", "/v1/pages", body)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let body = json!({"parent": {"page_id": folder}, "properties": {"title": {"title": text("Leaf")}}, "icon": {"emoji": "🍃"}});
    let leaf = done(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(leaf["icon"], json!({"type": "emoji", "emoji": "🍃"}));
    assert_eq!(
        leaf["parent"],
        json!({"type": "page_id", "page_id": folder})
    );
    let leaf = format!("/v1/pages/{}", leaf["id"].as_str().unwrap());
    done(
        &mut engine,
        "PATCH",
        &format!("/v1/pages/{folder}"),
        json!({"in_trash": true}),
    );
    let (_, message) = refused(
        &mut engine,
        "PATCH",
        &leaf,
        json!({"properties": {"title": text("x")}}),
    );
    assert_eq!(
        message,
        "Can't edit page on block with an archived ancestor. You must unarchive the ancestor before editing page."
    );
    assert_eq!(
        done(&mut engine, "GET", &leaf, Value::Null)["in_trash"],
        true
    );
    let found = done(&mut engine, "POST", "/v1/search", json!({"query": "leaf"}));
    assert_eq!(found["results"], json!([]));
}

#[test]
fn search_is_ordered_by_the_last_edit() {
    let mut engine = engine();
    let ideas = id_of(&mut engine, "Ideas");
    done(
        &mut engine,
        "PATCH",
        &format!("/v1/pages/{ideas}"),
        json!({"icon": null}),
    );
    let found = done(&mut engine, "POST", "/v1/search", json!({"page_size": 1}));
    assert_eq!(found["results"][0]["id"], json!(ideas));
    assert_eq!(
        found["results"][0]["last_edited_by"]["id"],
        json!(engine.workspace.bot.to_string())
    );
    let databases = json!({"filter": {"property": "object", "value": "database"}});
    let found = done(&mut engine, "POST", "/v1/search", databases);
    assert_eq!(found["results"].as_array().unwrap().len(), 2);
}

#[test]
fn comments_belong_to_discussions() {
    let mut engine = engine();
    let page = id_of(&mut engine, "Rota notes");
    let list = format!("/v1/comments?block_id={page}");
    let comments = done(&mut engine, "GET", &list, Value::Null);
    let discussion = comments["results"][0]["discussion_id"].clone();
    let body = json!({"discussion_id": discussion, "rich_text": text("Ticked.")});
    let comment = done(&mut engine, "POST", "/v1/comments", body);
    assert_eq!(comment["discussion_id"], discussion);
    assert_eq!(
        comment["parent"],
        json!({"type": "page_id", "page_id": page})
    );
    let comments = done(&mut engine, "GET", &list, Value::Null);
    assert_eq!(comments["results"].as_array().unwrap().len(), 3);
}

#[test]
fn users_are_people_and_the_bot() {
    let mut engine = engine();
    let users = done(&mut engine, "GET", "/v1/users", Value::Null);
    assert_eq!(users["results"].as_array().unwrap().len(), 6);
    let me = done(&mut engine, "GET", "/v1/users/me", Value::Null);
    assert_eq!(me["bot"]["workspace_name"], "Marram Street Vets");
    let ines = users["results"][0]["id"].as_str().unwrap();
    let (status, user) = send(
        &mut engine,
        "GET",
        &format!("/v1/users/{ines}"),
        Value::Null,
    );
    assert_eq!(
        (status, &user["person"]["email"]),
        (200, &json!("ines@marramvets.example"))
    );
}
