//! Formulas through the API: their configuration, results, filters and sorts.

use mcpmark_notion::world;
use serde_json::{Value, json};

use crate::support::{done, engine, id_of, open, refused};

const NET: &str = "if(prop(\"Kind\") == \"maker\", prop(\"Spent\") * 0.9, prop(\"Spent\"))";

#[test]
fn formulas_are_computed_filtered_and_sorted() {
    let mut engine = engine();
    let database = id_of(&mut engine, "Suppliers");
    let target = format!("/v1/databases/{database}");
    let changed = done(
        &mut engine,
        "PATCH",
        &target,
        json!({"properties": {
            "Net": {"formula": {"expression": NET}},
            "Host": {"formula": {"expression": "prop(\"E-mail\").split(\"@\").last()"}},
            "Late": {"formula": {"expression": "dateBetween(now(), prop(\"Next visit\"), \"days\") > 0"}},
        }}),
    );
    assert_eq!(
        changed["properties"]["Net"],
        json!({
            "id": changed["properties"]["Net"]["id"],
            "name": "Net",
            "type": "formula",
            "formula": {"expression": NET},
        })
    );
    let query = |engine: &mut mcpmark_notion::api::Engine, body: Value| {
        let found = done(engine, "POST", &format!("{target}/query"), body);
        found["results"].as_array().unwrap().clone()
    };
    let rows = query(
        &mut engine,
        json!({"sorts": [{"property": "Net", "direction": "descending"}]}),
    );
    let number = |row: &Value, name: &str, kind: &str| {
        let value = &row["properties"][name][kind];
        assert_eq!(value["type"], "number", "{value}");
        value["number"].as_f64().unwrap()
    };
    let mut last = f64::INFINITY;
    for row in &rows {
        let net = number(row, "Net", "formula");
        let spent = number(row, "Spent", "rollup");
        let is_maker = row["properties"]["Kind"]["select"]["name"] == "maker";
        let expected = if is_maker { spent * 0.9 } else { spent };
        assert!((net - expected).abs() < 1e-9 && net <= last, "{row}");
        last = net;
        assert_eq!(row["properties"]["Late"]["formula"]["type"], "boolean");
    }
    let most = number(&rows[0], "Net", "formula");
    let filter =
        json!({"property": "Net", "formula": {"number": {"greater_than_or_equal_to": most}}});
    assert_eq!(query(&mut engine, json!({"filter": filter})).len(), 1);
    let filter = json!({"property": "Host", "formula": {"string": {"equals": "halden.example"}}});
    let found = query(&mut engine, json!({"filter": filter}));
    assert_eq!(found.len(), 1);
    let page = found[0]["id"].as_str().unwrap();
    let id = changed["properties"]["Host"]["id"].as_str().unwrap();
    let item = done(
        &mut engine,
        "GET",
        &format!("/v1/pages/{page}/properties/{id}"),
        Value::Null,
    );
    assert_eq!(
        item["formula"],
        json!({"type": "string", "string": "halden.example"})
    );

    // A formula follows the new name of a property, and a world keeps it.
    let renamed = json!({"properties": {"E-mail": {"name": "Mail \"to\""}}});
    let renamed = done(&mut engine, "PATCH", &target, renamed);
    assert_eq!(
        renamed["properties"]["Host"]["formula"]["expression"],
        "prop(\"Mail \\\"to\\\"\").split(\"@\").last()"
    );
    let documents = world::write(&engine.workspace);
    let read = open(&documents).unwrap();
    assert!(world::write(&read.workspace) == documents);
    let is_set = json!({"property": "Host", "formula": {"string": {"is_not_empty": true}}});
    let again = query(&mut engine, json!({"filter": is_set}));
    let has_mail = |row: &&Value| row["properties"]["E-mail"]["email"].is_string();
    assert_eq!(again.len(), rows.iter().filter(has_mail).count());
    assert!(!again.is_empty());
}

#[test]
fn wrong_formulas_are_refused_by_name() {
    let mut engine = engine();
    let database = id_of(&mut engine, "Suppliers");
    let target = format!("/v1/databases/{database}");
    for (expression, problem) in [
        ("frobnicate(1)", "undefined function \"frobnicate\""),
        ("prop(\"Missing\") + 1", "undefined property \"Missing\""),
        ("1 +", "expected a value, found the end of the formula"),
    ] {
        let body = json!({"properties": {"New": {"formula": {"expression": expression}}}});
        let (code, message) = refused(&mut engine, "PATCH", &target, body);
        assert_eq!(code, "validation_error");
        assert_eq!(message, format!("Type error with formula: {problem}."));
    }
    let supplier = id_of(&mut engine, "Halden Medical");
    let body = json!({"properties": {"New": {"formula": {"expression": "1"}}}});
    done(&mut engine, "PATCH", &target, body);
    refused(
        &mut engine,
        "PATCH",
        &format!("/v1/pages/{supplier}"),
        json!({"properties": {"New": {"number": 2}}}),
    );
    refused(
        &mut engine,
        "POST",
        &format!("{target}/query"),
        json!({"filter": {"property": "New", "formula": {"equals": 1}}}),
    );
}
