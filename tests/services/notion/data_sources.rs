//! Version 2025-09-03 of the API: databases and their data sources, and moves of pages.

use mcpmark_notion::api::{Body, Engine, Method, Request};
use mcpmark_notion::model::Version;
use mcpmark_notion::world;
use serde_json::{Value, json};

use crate::support::{done as done_before, engine, id_of, open, refused as refused_before};

fn request(method: &str, target: &str, body: Value) -> Request {
    let body = match body {
        Value::Null => Body::Absent,
        body => Body::Json(body),
    };
    let method = Method::parse(method).expect("a method");
    Request::new(method, target, body).at_version(Version::V2025_09_03)
}

fn done(engine: &mut Engine, method: &str, target: &str, body: Value) -> Value {
    let response = engine.answer(&request(method, target, body));
    assert_eq!(response.status, 200, "{method} {target}: {}", response.body);
    response.body
}

fn refused(engine: &mut Engine, method: &str, target: &str, body: Value) -> (String, String) {
    let before = world::write(&engine.workspace);
    let response = engine.answer(&request(method, target, body));
    assert_ne!(response.status, 200, "{method} {target}: {}", response.body);
    assert!(
        before == world::write(&engine.workspace),
        "a refused request changed the world"
    );
    let text = |key: &str| response.body[key].as_str().unwrap_or_default().to_owned();
    (text("code"), text("message"))
}

fn title(text: &str) -> Value {
    json!({"title": [{"text": {"content": text}}]})
}

/// Returns the ids of a database and of its first data source.
fn ids(engine: &mut Engine, name: &str) -> (String, String) {
    let database = id_of(engine, name);
    let shown = done(
        engine,
        "GET",
        &format!("/v1/databases/{database}"),
        Value::Null,
    );
    let sources = shown["data_sources"].as_array().expect("data sources");
    assert_eq!(sources.len(), 1);
    assert_eq!(sources[0]["name"], name);
    assert!(shown.get("properties").is_none(), "{shown}");
    let source = sources[0]["id"].as_str().expect("an id").to_owned();
    assert_ne!(source, database);
    (database, source)
}

#[test]
fn a_database_has_one_data_source_with_its_properties_and_rows() {
    let mut engine = engine();
    let (database, source) = ids(&mut engine, "Equipment");
    let shown = done(
        &mut engine,
        "GET",
        &format!("/v1/data_sources/{source}"),
        Value::Null,
    );
    assert_eq!(shown["object"], "data_source");
    assert_eq!(
        shown["parent"],
        json!({"type": "database_id", "database_id": database})
    );
    let (suppliers, supplier_source) = ids(&mut engine, "Suppliers");
    let relation = &shown["properties"]["Supplier"]["relation"];
    assert_eq!(relation["database_id"], suppliers.as_str());
    assert_eq!(relation["data_source_id"], supplier_source.as_str());
    let target = format!("/v1/data_sources/{source}/query");
    let rows = done(&mut engine, "POST", &target, json!({"page_size": 2}));
    assert_eq!(rows["type"], "page_or_data_source");
    let parent = json!({
        "type": "data_source_id", "data_source_id": source, "database_id": database,
    });
    assert_eq!(rows["results"][0]["parent"], parent);
    let before = done_before(
        &mut engine,
        "POST",
        &format!("/v1/databases/{database}/query"),
        json!({"page_size": 2}),
    );
    assert_eq!(before["results"][0]["id"], rows["results"][0]["id"]);
    let (code, _) = refused(
        &mut engine,
        "POST",
        &format!("/v1/databases/{database}/query"),
        Value::Null,
    );
    assert_eq!(code, "invalid_request_url");
    let (code, _) = refused_before(
        &mut engine,
        "GET",
        &format!("/v1/data_sources/{source}"),
        Value::Null,
    );
    assert_eq!(code, "invalid_request_url");
}

#[test]
fn the_search_finds_data_sources() {
    let mut engine = engine();
    let (_, source) = ids(&mut engine, "Equipment");
    let filter = |value: &str| json!({"filter": {"property": "object", "value": value}});
    let found = done(&mut engine, "POST", "/v1/search", filter("data_source"));
    let results = found["results"].as_array().expect("results");
    assert!(results.iter().all(|it| it["object"] == "data_source"));
    assert!(results.iter().any(|it| it["id"] == source.as_str()));
    let (code, _) = refused(&mut engine, "POST", "/v1/search", filter("database"));
    assert_eq!(code, "validation_error");
}

#[test]
fn pages_are_created_below_data_sources() {
    let mut engine = engine();
    let (database, source) = ids(&mut engine, "Suppliers");
    for parent in [
        json!({"type": "data_source_id", "data_source_id": source}),
        json!({"database_id": database}),
    ] {
        let body = json!({"parent": parent, "properties": {"Name": title("Norvet")}});
        let page = done(&mut engine, "POST", "/v1/pages", body);
        assert_eq!(page["parent"]["data_source_id"], source.as_str());
    }
    let body = json!({"parent": {"data_source_id": database}, "properties": {}});
    let (code, message) = refused(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(code, "object_not_found");
    assert!(
        message.starts_with("Could not find data source with ID"),
        "{message}"
    );
    let body = json!({"parent": {"type": "workspace"}, "properties": {}});
    let (code, _) = refused(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(code, "validation_error");
}

#[test]
fn a_database_may_get_further_data_sources() {
    let mut engine = engine();
    let (database, first) = ids(&mut engine, "Suppliers");
    let body = json!({
        "parent": {"type": "database_id", "database_id": database},
        "title": [{"text": {"content": "Former suppliers"}}],
        "properties": {
            "Name": {"title": {}},
            "Now": {"relation": {"data_source_id": first, "single_property": {}}},
        },
    });
    let made = done(&mut engine, "POST", "/v1/data_sources", body);
    let second = made["id"].as_str().expect("an id").to_owned();
    let body = json!({"parent": {"data_source_id": second}, "properties": {"Name": title("Old")}});
    let row = done(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(row["parent"]["database_id"], database.as_str());
    let shown = done(
        &mut engine,
        "GET",
        &format!("/v1/databases/{database}"),
        Value::Null,
    );
    assert_eq!(shown["data_sources"][1]["id"], second.as_str());

    // Requests that mean a single data source are refused.
    let body = json!({"parent": {"database_id": database}, "properties": {}});
    let (_, message) = refused(&mut engine, "POST", "/v1/pages", body);
    assert!(message.contains("multiple data sources"), "{message}");
    let target = format!("/v1/databases/{database}");
    let (_, message) = refused_before(&mut engine, "GET", &target, Value::Null);
    assert!(message.contains("multiple data sources"), "{message}");

    // The state is read again to an equal workspace.
    let documents = world::write(&engine.workspace);
    let mut again = open(&documents).expect("a valid world");
    assert_eq!(world::write(&again.workspace), documents);
    let target = format!("/v1/data_sources/{second}/query");
    let rows = done(&mut again, "POST", &target, Value::Null);
    assert_eq!(rows["results"][0]["id"], row["id"]);
    let body = json!({"parent": {"page_id": database}, "properties": {"Name": {"title": {}}}});
    let (code, _) = refused(&mut again, "POST", "/v1/data_sources", body);
    assert_eq!(code, "validation_error");
}

#[test]
fn properties_change_through_the_data_source() {
    let mut engine = engine();
    let (database, source) = ids(&mut engine, "Suppliers");
    let body = json!({"properties": {"Since": {"date": {}}}});
    let target = format!("/v1/data_sources/{source}");
    let shown = done(&mut engine, "PATCH", &target, body.clone());
    assert_eq!(shown["properties"]["Since"]["description"], Value::Null);
    let target = format!("/v1/databases/{database}");
    let (code, _) = refused(&mut engine, "PATCH", &target, body);
    assert_eq!(code, "validation_error");
    let target = format!("/v1/data_sources/{source}/templates");
    let found = done(&mut engine, "GET", &target, Value::Null);
    assert_eq!(found["templates"], json!([]));
}

#[test]
fn moved_pages_keep_their_title() {
    let mut engine = engine();
    let (_, source) = ids(&mut engine, "Suppliers");
    let (_, equipment) = ids(&mut engine, "Equipment");
    let target = format!("/v1/data_sources/{equipment}/query");
    let rows = done(&mut engine, "POST", &target, json!({"page_size": 1}));
    let row = rows["results"][0]["id"].as_str().expect("an id").to_owned();
    let values = rows["results"][0]["properties"]
        .as_object()
        .expect("values");
    let name = values.values().find(|value| value["type"] == "title");
    let name = name.expect("a title")["title"].clone();
    let target = format!("/v1/pages/{row}/move");
    let body = json!({"parent": {"type": "data_source_id", "data_source_id": source}});
    let moved = done(&mut engine, "POST", &target, body);
    assert_eq!(moved["properties"]["Name"]["title"], name);
    assert_eq!(moved["parent"]["data_source_id"], source.as_str());
    open(&world::write(&engine.workspace)).expect("relations agree after the move");
    let body = json!({"parent": {"page_id": row}});
    let (code, _) = refused(&mut engine, "POST", &target, body);
    assert_eq!(code, "validation_error");
}
