//! Formulas of the rows of a small workspace.

use std::sync::Arc;

use mcpmark_snapshot::{Blobs, File, MemoryBlobs, TreeBuilder, TreePath};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::cell::Cell;
use crate::model::{Id, Workspace};
use crate::world::{self, Opening};

fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Returns a workspace with two related databases. `formulas` are further properties of the first one.
fn workspace(formulas: &[(&str, &str)]) -> Workspace {
    let stamp = json!({"at": "2025-01-10T09:00:00Z", "by": id(3)});
    let mut properties = vec![
        json!({"id": "title", "name": "Job", "type": "title"}),
        json!({"id": "cost", "name": "Cost", "type": "number"}),
        json!({"id": "none", "name": "Nothing", "type": "number"}),
        json!({"id": "paid", "name": "Paid", "type": "checkbox"}),
        json!({"id": "dued", "name": "Due", "type": "date"}),
        json!({"id": "whos", "name": "Who", "type": "people"}),
        json!({"id": "tags", "name": "Tags", "type": "multi_select", "options": [
            {"id": "wet", "name": "wet"}, {"id": "loud", "name": "loud"},
        ]}),
        json!({"id": "flat", "name": "Flats", "type": "relation", "database": id(40), "synced": "jobs"}),
        json!({"id": "roof", "name": "Floors", "type": "rollup", "relation": "flat", "property": "floo", "function": "sum"}),
    ];
    for (name, expression) in formulas {
        properties
            .push(json!({"id": name, "name": name, "type": "formula", "expression": expression}));
    }
    let documents = [
        (
            "workspace.json",
            json!({
                "format": 1,
                "name": "Repairs",
                "bot": id(3),
                "users": [
                    {"id": id(1), "name": "Ines", "email": "ines@example.org"},
                    {"id": id(3), "name": "Helper", "bot": true},
                ],
                "top": [{"database": id(40)}, {"database": id(60)}],
            }),
        ),
        (
            "databases/flats.json",
            json!({
                "id": id(40),
                "title": "Flats",
                "created": stamp,
                "properties": [
                    {"id": "title", "name": "Flat", "type": "title"},
                    {"id": "floo", "name": "Floor", "type": "number"},
                    {"id": "jobs", "name": "Jobs", "type": "relation", "database": id(60), "synced": "flat"},
                    {"id": "back", "name": "Back", "type": "rollup", "relation": "jobs",
                     "property": if formulas.iter().any(|(name, _)| *name == "loop") { "loop" } else { "cost" },
                     "function": "sum"},
                ],
                "rows": [
                    {"id": id(41), "values": {"Flat": "A1", "Floor": 1, "Jobs": [id(61)]}},
                    {"id": id(42), "values": {"Flat": "B2", "Floor": 2, "Jobs": [id(61)]}},
                ],
            }),
        ),
        (
            "databases/jobs.json",
            json!({
                "id": id(60),
                "title": "Jobs",
                "created": stamp,
                "properties": properties,
                "rows": [{"id": id(61), "values": {
                    "Job": "Mend the tap",
                    "Cost": 40.5,
                    "Paid": true,
                    "Due": {"start": "2025-02-27", "end": "2025-03-02"},
                    "Who": [id(1)],
                    "Tags": ["wet", "loud"],
                    "Flats": [id(41), id(42)],
                }}],
            }),
        ),
    ];
    let blobs = Arc::new(MemoryBlobs::new());
    let mut tree = TreeBuilder::new();
    for (path, value) in documents {
        let bytes = value.to_string().into_bytes();
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(bytes),
        };
        tree.insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    let blobs: Arc<dyn Blobs> = blobs;
    let opening = Opening {
        seed: 1,
        clock: 1_737_964_800,
    };
    world::read(&tree.finish(), &blobs, opening).unwrap()
}

fn result(workspace: &Workspace, expression: &str) -> Result<Value, FormulaError> {
    let formula = Formula::parse(expression)?;
    let (node, page) = workspace.page(Id::parse(&id(61)).unwrap()).unwrap();
    evaluate(workspace, node, page, &formula, &Budget::default())
}

fn shown(workspace: &Workspace, expression: &str) -> String {
    match result(workspace, expression) {
        Ok(Value::Empty) => "empty".to_owned(),
        Ok(Value::Text(text)) => format!("{text:?}"),
        Ok(Value::Date(date)) => date.plain(),
        Ok(value @ Value::List(_)) => format!("[{}]", value.format(workspace)),
        Ok(value) => value.format(workspace),
        Err(error) => error.to_string(),
    }
}

fn check(cases: &[(&str, &str)]) {
    let workspace = workspace(&[]);
    for (expression, expected) in cases {
        assert_eq!(shown(&workspace, expression), *expected, "{expression}");
    }
}

#[test]
fn operators_have_their_precedence() {
    check(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("-2 ^ 2", "-4"),
        ("2 ^ 3 ^ 2", "512"),
        ("7 % 4 - 1 / 4", "2.75"),
        ("1 < 2 and 2 >= 2", "true"),
        ("1 == 2 or not false", "true"),
        ("!true || false", "false"),
        ("true ? 1 : false ? 2 : 3", "1"),
        ("false ? 1 : false ? 2 : 3", "3"),
        ("/* nothing */ 1.5e2 /* more */", "150"),
        ("\"a\" + 1 + true", "\"a1true\""),
        ("[1, 2, 3][-1]", "3"),
        ("", "empty"),
    ]);
}

#[test]
fn functional_forms_of_the_first_version_are_known() {
    check(&[
        ("add(1, multiply(prop(\"Cost\"), 2))", "82"),
        (
            "if(largerEq(prop(\"Cost\"), 40), \"dear\", \"cheap\")",
            "\"dear\"",
        ),
        ("concat(\"a\", \"b\", \"c\")", "\"abc\""),
        ("join(\", \", \"a\", \"b\")", "\"a, b\""),
        ("slice(\"hello\", 1, 3)", "\"el\""),
        ("unaryMinus(3)", "-3"),
        ("and(true, not(empty(prop(\"Tags\"))))", "true"),
        ("start(prop(\"Due\"))", "2025-02-27"),
        ("round(pi * 100) / 100", "3.14"),
        (
            "{{notion:block_property:cost:00000000-0000-0000-0000-000000000000:x}} / 2",
            "20.25",
        ),
    ]);
}

#[test]
fn properties_have_values() {
    check(&[
        ("prop(\"Job\").upper()", "\"MEND THE TAP\""),
        ("prop(\"Nothing\")", "empty"),
        ("prop(\"Nothing\") + 1", "1"),
        ("prop(\"Paid\") and prop(\"Cost\") > 40", "true"),
        ("prop(\"Tags\")", "[wet, loud]"),
        ("prop(\"Tags\").includes(\"loud\")", "true"),
        ("prop(\"Who\").first().email()", "\"ines@example.org\""),
        ("prop(\"Flats\").map(current.prop(\"Floor\")).sum()", "3"),
        (
            "prop(\"Flats\").filter(current.prop(\"Floor\") > 1)",
            "[B2]",
        ),
        ("prop(\"Flats\").length()", "2"),
        ("prop(\"Floors\") * 10", "30"),
        (
            "prop(\"Flats\").sort(-current.prop(\"Floor\")).map(current.name()).join(\"/\")",
            "\"B2/A1\"",
        ),
    ]);
}

#[test]
fn functions_of_numbers_texts_and_lists() {
    check(&[
        ("round(2.345, 2)", "2.35"),
        ("round(-2.5)", "-2"),
        ("[3, 1, 2].median()", "2"),
        ("max(1, [5, 2], 3)", "5"),
        ("mean(1, 2)", "1.5"),
        ("min()", "min has at least 1 argument, found 0"),
        ("toNumber(\"12.5 kg\")", "12.5"),
        (
            "formatNumber(1234567.5, \"dollar\", 2)",
            "\"$1,234,567.50\"",
        ),
        ("formatNumber(0.25, \"percent\")", "\"25%\""),
        (
            "replaceAll(\"a1b22\", \"[0-9]+\", \"<$&>\")",
            "\"a<1>b<22>\"",
        ),
        (
            "replace(\"John Doe\", \"(\\w+) (\\w+)\", \"$2 $1\")",
            "\"Doe John\"",
        ),
        ("\"a1b22\".match(\"[0-9]+\")", "[1, 22]"),
        ("test(\"abc\", \"^a.c$\")", "true"),
        ("padStart(\"7\", 3, \"0\")", "\"007\""),
        ("\"äöü\".substring(1, 2)", "\"ö\""),
        ("\"a,b\".split(\",\").reverse()", "[b, a]"),
        ("[1, [2, [3]]].flat()", "[1, 2, 3]"),
        ("[1, 2, 2, 1].unique()", "[1, 2]"),
        ("[5, 6].findIndex(current == 6)", "1"),
        ("[1, 2, 3].map(current * index)", "[0, 2, 6]"),
        (
            "[1, 2].every(current > 0) and [1, 2].some(current > 1)",
            "true",
        ),
        ("[1, 2, 3].count(current > 1)", "2"),
        ("ifs(false, 1, false, 2, 3)", "3"),
        ("let(x, 2, x * x)", "4"),
        ("lets(x, 2, y, x + 1, x * y)", "6"),
        (
            "style(link(\"a\", \"https://example.org\"), \"b\")",
            "\"a\"",
        ),
    ]);
}

#[test]
fn dates_are_computed() {
    check(&[
        ("now()", "2025-01-27T08:00:00.000+00:00"),
        ("today()", "2025-01-27"),
        (
            "dateAdd(parseDate(\"2024-01-31\"), 1, \"months\")",
            "2024-02-29",
        ),
        (
            "dateSubtract(parseDate(\"2024-03-01\"), 1, \"day\")",
            "2024-02-29",
        ),
        (
            "dateAdd(parseDate(\"2024-01-31\"), 90, \"minutes\")",
            "2024-01-31T01:30:00.000+00:00",
        ),
        ("dateBetween(prop(\"Due\"), today(), \"days\")", "31"),
        ("dateBetween(today(), prop(\"Due\"), \"weeks\")", "-4"),
        ("dateEnd(prop(\"Due\"))", "2025-03-02"),
        (
            "dateRange(today(), prop(\"Due\"))",
            "2025-01-27 → 2025-03-02",
        ),
        (
            "formatDate(today(), \"dddd, MMMM D, YYYY [at] HH:mm\")",
            "\"Monday, January 27, 2025 at 00:00\"",
        ),
        (
            "today().day() * 100 + today().month() * 10 + today().week()",
            "115",
        ),
        (
            "year(fromTimestamp(0)) + timestamp(parseDate(\"1970-01-02\"))",
            "86401970",
        ),
        (
            "format(prop(\"Due\"))",
            "\"February 27, 2025 → March 2, 2025\"",
        ),
        (
            "dateAdd(today(), 1, \"fortnight\")",
            "expected a unit of time such as \"days\", found \"fortnight\"",
        ),
        ("prop(\"Nothing\").formatDate(\"YYYY\")", "empty"),
    ]);
}

#[test]
fn errors_name_the_part() {
    check(&[
        ("1 +", "expected a value, found the end of the formula"),
        ("(1", "expected ), found the end of the formula"),
        ("1 2", "expected the end of the formula, found 2"),
        ("\"a", "the text has no end"),
        ("1 # 2", "unexpected character '#'"),
        ("frobnicate(1)", "undefined function \"frobnicate\""),
        ("x + 1", "undefined variable \"x\""),
        ("current", "undefined variable \"current\""),
        ("prop(\"Missing\")", "undefined property \"Missing\""),
        ("round(1, 2, 3)", "round has 1 to 2 arguments, found 3"),
        ("sqrt(\"a\")", "sqrt cannot use a text"),
        ("test(\"a\", \"(\")", "\"(\" is no regular expression"),
    ]);
}

#[test]
fn work_is_bounded() {
    let deep = format!("{}1{}", "(".repeat(5_000), ")".repeat(4_999));
    let minus = format!("{}1", "-".repeat(9_000));
    let chain = vec!["1"; 4_000].join("+");
    let text = "repeat(\"a\", 1000000000)".to_owned();
    let doubled = format!(
        "lets({}, x)",
        (0..20)
            .map(|_| "x, repeat(\"abcdefgh\", 100000)")
            .collect::<Vec<_>>()
            .join(", ")
    );
    let numbers = format!("[{}]", vec!["1"; 400].join(","));
    let nested = format!("{numbers}.map({numbers}.map({numbers}.map(1)))");
    let pattern = "test(\"a\", \"((a{1,99}){1,99}){1,99}\")".to_owned();
    let long = "1".repeat(20_000);
    let workspace = workspace(&[]);
    for expression in [deep, minus, chain, text, doubled, nested, long] {
        let error = result(&workspace, &expression).unwrap_err();
        assert!(matches!(error, FormulaError::Limit { .. }), "{error}");
    }
    let error = result(&workspace, &pattern).unwrap_err();
    assert!(matches!(error, FormulaError::Pattern(_)), "{error}");
}

#[test]
fn cycles_have_an_end() {
    let workspace = workspace(&[
        ("self", "prop(\"self\") + prop(\"self\")"),
        ("ping", "prop(\"pong\") + 1"),
        ("pong", "prop(\"ping\") + 1"),
        ("loop", "prop(\"Flats\").map(current.prop(\"Back\")).sum()"),
    ]);
    let row = Id::parse(&id(61)).unwrap();
    let (node, page) = workspace.page(row).unwrap();
    let (_, database) = workspace.database_of(row).unwrap();
    for name in ["self", "ping", "loop"] {
        let property = database.property(name).unwrap();
        let budget = Budget::default();
        let cell = Cell::within(&workspace, node, page, property, &budget);
        assert!(
            matches!(cell, Err(FormulaError::Limit { .. })),
            "{name}: {cell:?}"
        );
        assert_eq!(Cell::of(&workspace, node, page, property), Cell::Empty);
    }
}

#[test]
fn every_function_is_found_by_its_name() {
    for function in Function::ALL {
        assert_eq!(Function::parse(function.name()), Some(*function));
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in "[a-z0-9 \"()\\[\\].,+*/<>=!?:^-]{0,60}") {
        let workspace = workspace(&[]);
        let _ = shown(&workspace, &text);
    }

    #[test]
    fn functions_accept_or_refuse_any_values(
        name in proptest::sample::select(Function::ALL),
        values in proptest::collection::vec(
            proptest::sample::select(&["1", "-2.5", "\"a\"", "\"days\"", "true", "[]", "[1, \"b\"]",
                "today()", "prop(\"Due\")", "prop(\"Who\")", "prop(\"Flats\")", "prop(\"Nothing\")", "1/0"][..]),
            0..4,
        ),
    ) {
        let expression = format!("{}({})", name.name(), values.join(", "));
        let workspace = workspace(&[]);
        let _ = shown(&workspace, &expression);
    }
}
