//! Databases: schemas, values, queries, relations and rollups.

use mcpmark_notion::api::Engine;
use serde_json::{Value, json};

use crate::support::{done, engine, id_of, refused};

fn text(content: &str) -> Value {
    json!([{"text": {"content": content}}])
}

fn titles(list: &Value, name: &str) -> Vec<String> {
    let rows = list["results"].as_array().unwrap().iter();
    rows.map(|row| {
        row["properties"][name]["title"][0]["plain_text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    })
    .collect()
}

fn query(engine: &mut Engine, database: &str, body: Value) -> Value {
    done(
        engine,
        "POST",
        &format!("/v1/databases/{database}/query"),
        body,
    )
}

#[test]
fn filters_and_sorts_select_rows() {
    let mut engine = engine();
    let equipment = id_of(&mut engine, "Equipment");
    let cases = [
        (
            json!({"property": "Status", "status": {"equals": "Out for repair"}}),
            vec!["Dental unit", "ECG"],
        ),
        (
            json!({"property": "Status", "status": {"is_empty": true}}),
            vec!["Heat mat"],
        ),
        (
            json!({"property": "Cost", "number": {"greater_than": 4_000}}),
            vec!["Anaesthetic machine A", "Dental X-ray", "Ultrasound"],
        ),
        (
            json!({"property": "Item", "title": {"starts_with": "BLOOD"}}),
            vec!["Blood pressure monitor", "blood pressure monitor"],
        ),
        (
            json!({"and": [
                {"property": "Tags", "multi_select": {"contains": "gas"}},
                {"or": [{"property": "Room", "select": {"equals": "Prep"}}, {"property": "Inspected", "checkbox": {"equals": true}}]},
            ]}),
            vec!["Anaesthetic machine B", "Oxygen concentrator"],
        ),
        (
            json!({"property": "Next service", "date": {"before": "2024-11-01"}}),
            vec!["blood pressure monitor", "Dental unit"],
        ),
        (
            json!({"property": "Next service", "date": {"next_week": {}}}),
            vec!["Blood pressure monitor"],
        ),
        (
            json!({"property": "No.", "unique_id": {"less_than": 3}}),
            vec!["Anaesthetic machine A", "Anaesthetic machine B"],
        ),
        (
            json!({"property": "Keeper", "people": {"is_empty": true}}),
            vec![
                "Autoclave (old)",
                "Clippers 3 (kennels)",
                "Heat mat",
                "Surgical kit 2",
                "Warming cabinet",
            ],
        ),
    ];
    for (filter, expected) in cases {
        let found = query(&mut engine, &equipment, json!({"filter": filter}));
        assert_eq!(titles(&found, "Item"), expected, "{filter}");
    }
    let sorts = json!({"sorts": [{"property": "Cost", "direction": "descending"}], "page_size": 2});
    assert_eq!(
        titles(&query(&mut engine, &equipment, sorts), "Item"),
        ["Ultrasound", "Dental X-ray"]
    );
    // Rows without a value come last in both directions.
    let sorts = json!({"sorts": [{"property": "Cost", "direction": "ascending"}]});
    let sorted = titles(&query(&mut engine, &equipment, sorts), "Item");
    assert_eq!(sorted[0], "Fluid pump 3");
    assert_eq!(sorted[sorted.len() - 2..], ["Autoclave (old)", "Endoscope"]);
}

#[test]
fn invalid_filters_are_refused() {
    let mut engine = engine();
    let equipment = id_of(&mut engine, "Equipment");
    let target = format!("/v1/databases/{equipment}/query");
    let leaf = json!({"property": "Cost", "number": {"equals": 1}});
    let cases = [
        (
            json!({"filter": {"property": "Price", "number": {"equals": 1}}}),
            "Could not find property with name or id: Price",
        ),
        (
            json!({"filter": {"property": "Cost", "select": {"equals": "1"}}}),
            "database property number does not match filter select",
        ),
        (
            json!({"sorts": [{"property": "Price", "direction": "ascending"}]}),
            "Could not find sort property with name or id: Price",
        ),
        (
            json!({"filter": {"and": [{"or": [{"and": [leaf]}]}]}}),
            "body failed validation: body.filter.and[0].or[0].and should be not present, instead was `[{\"property\":\"Cost\",\"number\":{\"equals\":1}}]`.",
        ),
        (
            json!({"filter_properties": ["title"]}),
            "body failed validation: body.filter_properties should be not present, instead was `[\"title\"]`.",
        ),
        (
            json!({"filter": {"property": "Cost", "number": {"equals": "1"}}}),
            "body failed validation: body.filter.number.equals should be a number, instead was `\"1\"`.",
        ),
    ];
    for (body, expected) in cases {
        let (code, message) = refused(&mut engine, "POST", &target, body);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("validation_error", expected)
        );
    }
}

#[test]
fn values_are_checked_and_options_created() {
    let mut engine = engine();
    let equipment = id_of(&mut engine, "Equipment");
    let body = json!({"parent": {"database_id": equipment}, "properties": {
        "Item": {"title": text("Nebuliser")},
        "Room": {"select": {"name": "Isolation"}},
        "Cost": {"number": 88.5},
        "Bought": {"date": {"start": "2025-01-20"}},
    }});
    let row = done(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(
        row["properties"]["No."]["unique_id"],
        json!({"prefix": "EQ", "number": 39})
    );
    assert_eq!(row["properties"]["Room"]["select"]["name"], "Isolation");
    assert_eq!(row["properties"]["Cost"]["number"], 88.5);
    let database = done(
        &mut engine,
        "GET",
        &format!("/v1/databases/{equipment}"),
        Value::Null,
    );
    let options = database["properties"]["Room"]["select"]["options"]
        .as_array()
        .unwrap();
    assert_eq!(options.last().unwrap()["name"], "Isolation");
    let page = format!("/v1/pages/{}", row["id"].as_str().unwrap());
    let cases = [
        (
            json!({"Status": {"status": {"name": "Lost"}}}),
            "Invalid status option. Status option \"Lost\" does not exist\".",
        ),
        (
            json!({"Room": {"select": {"name": "a, b"}}}),
            "Invalid select option, commas not allowed: a, b",
        ),
        (
            json!({"Room": {"number": 4}}),
            "Room is expected to be select.",
        ),
        (
            json!({"Rooms": {"number": 4}}),
            "Rooms is not a property that exists.",
        ),
        (
            json!({"Cost": {"number": "4"}}),
            "body failed validation: body.properties.Cost.number should be a number or `null`, instead was `\"4\"`.",
        ),
        (
            json!({"Edited": {"last_edited_time": "x"}}),
            "Edited is a last_edited_time property, whose value cannot be set.",
        ),
    ];
    for (properties, expected) in cases {
        let (_, message) = refused(
            &mut engine,
            "PATCH",
            &page,
            json!({"properties": properties}),
        );
        assert_eq!(message, expected);
    }
    let item = done(
        &mut engine,
        "GET",
        &format!("{page}/properties/cOst"),
        Value::Null,
    );
    assert_eq!(
        (&item["object"], &item["number"]),
        (&json!("property_item"), &json!(88.5))
    );
    let item = done(
        &mut engine,
        "GET",
        &format!("{page}/properties/title"),
        Value::Null,
    );
    assert_eq!(item["results"][0]["title"]["plain_text"], "Nebuliser");
}

#[test]
fn two_way_relations_and_rollups_follow() {
    let mut engine = engine();
    let suppliers = id_of(&mut engine, "Suppliers");
    let rows = query(&mut engine, &suppliers, json!({}));
    let row = |name: &str| {
        let all = rows["results"].as_array().unwrap();
        let found = all
            .iter()
            .find(|row| row["properties"]["Name"]["title"][0]["plain_text"] == name);
        found.unwrap().clone()
    };
    let (good, doubled) = (row("Halden Medical"), row("Halden Medical "));
    let spent = |row: &Value| {
        row["properties"]["Spent"]["rollup"]["number"]
            .as_f64()
            .unwrap()
    };
    let (before, moved) = (spent(&good), spent(&doubled));
    assert_eq!(moved, 3_890.0);
    let next = &good["properties"]["Next visit"]["rollup"];
    assert_eq!(
        (&next["type"], &next["date"]["start"]),
        (&json!("date"), &json!("2024-10-05"))
    );

    let machine = doubled["properties"]["Equipment"]["relation"][0]["id"]
        .as_str()
        .unwrap();
    let body = json!({"properties": {"Supplier": {"relation": [{"id": good["id"]}]}}});
    done(&mut engine, "PATCH", &format!("/v1/pages/{machine}"), body);
    let target = |row: &Value| format!("/v1/pages/{}", row["id"].as_str().unwrap());
    let good = done(&mut engine, "GET", &target(&good), Value::Null);
    assert_eq!(spent(&good), before + moved);
    let doubled = done(&mut engine, "GET", &target(&doubled), Value::Null);
    assert_eq!(doubled["properties"]["Equipment"]["relation"], json!([]));
    let wrong = json!({"properties": {"Supplier": {"relation": [{"id": machine}]}}});
    let (_, message) = refused(&mut engine, "PATCH", &format!("/v1/pages/{machine}"), wrong);
    assert!(
        message.ends_with("is not in the database of relation Supplier."),
        "{message}"
    );
}

#[test]
fn schemas_change_with_their_values() {
    let mut engine = engine();
    let equipment = id_of(&mut engine, "Equipment");
    let page = id_of(&mut engine, "Ideas");
    let body = json!({
        "parent": {"type": "page_id", "page_id": page},
        "title": text("Jobs"),
        "properties": {
            "Job": {"title": {}},
            "On": {"relation": {"database_id": equipment, "dual_property": {}}},
            "Cost": {"rollup": {"relation_property_name": "On", "rollup_property_name": "Cost", "function": "max"}},
            "Kind": {"select": {"options": [{"name": "repair", "color": "red"}]}},
        },
    });
    let jobs = done(&mut engine, "POST", "/v1/databases", body);
    let names: Vec<&String> = jobs["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Job", "On", "Cost", "Kind"]);
    let jobs = jobs["id"].as_str().unwrap().to_owned();
    let machine =
        query(&mut engine, &equipment, json!({"page_size": 1}))["results"][0]["id"].clone();
    let body = json!({"parent": {"database_id": jobs}, "properties": {
        "Job": {"title": text("Service A")}, "On": {"relation": [{"id": machine}]}, "Kind": {"select": {"name": "repair"}},
    }});
    let row = done(&mut engine, "POST", "/v1/pages", body);
    assert_eq!(row["properties"]["Cost"]["rollup"]["number"], 4_120);
    let other = done(
        &mut engine,
        "GET",
        &format!("/v1/databases/{equipment}"),
        Value::Null,
    );
    assert_eq!(
        other["properties"]["Related to Jobs (On)"]["relation"]["type"],
        "dual_property"
    );

    let target = format!("/v1/databases/{jobs}");
    let (_, message) = refused(
        &mut engine,
        "PATCH",
        &target,
        json!({"properties": {"Due": {"place": {}}}}),
    );
    assert_eq!(
        message,
        "Properties of type place are not supported by this workspace."
    );
    let (_, message) = refused(
        &mut engine,
        "PATCH",
        &target,
        json!({"properties": {"Job": null}}),
    );
    assert_eq!(message, "Cannot delete the title property.");
    let changes = json!({"properties": {"Kind": {"multi_select": {}}, "Job": {"name": "Task"}, "On": null, "Due": {"date": {}}}});
    let changed = done(&mut engine, "PATCH", &target, changes);
    let names: Vec<&String> = changed["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["Task", "Kind", "Due"],
        "the rollup goes with its relation"
    );
    let row = done(
        &mut engine,
        "GET",
        &format!("/v1/pages/{}", row["id"].as_str().unwrap()),
        Value::Null,
    );
    assert_eq!(
        row["properties"]["Kind"]["multi_select"][0]["name"],
        "repair"
    );
    let other = done(
        &mut engine,
        "GET",
        &format!("/v1/databases/{equipment}"),
        Value::Null,
    );
    assert_eq!(
        other["properties"]["Related to Jobs (On)"]["relation"]["type"],
        "single_property"
    );
}
