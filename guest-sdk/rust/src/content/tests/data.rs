//! JSON, YAML and TOML.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Style, fails, passes};
use crate::Numbers;
use crate::content::{
    Data, Expected, json as of_json, json_text, toml, toml_text, yaml, yaml_text,
};

#[test]
fn long_keys_are_cut_in_messages() {
    let key = "k".repeat(10_000);
    for condition in [
        of_json(json!(1)).compare(&format!("{{\"{key}\": 1, \"{key}\": 1}}")),
        yaml(json!(1)).compare(&format!("{key}: 1\n? {key}\n: 1\n")),
        toml(json!({})).compare(&format!("{key} = 1\n{key} = 1\n")),
    ] {
        assert!(!condition.passed());
        assert!(condition.detail().len() < 500, "{}", condition.detail());
    }
}

#[test]
fn the_first_value_that_differs_is_named() {
    let expected = || of_json(json!({"loans": [{"id": 1, "fee": 2.5}], "total": 2.5}));
    passes(
        expected(),
        r#"{"total":2.50,"loans":[{"fee":25e-1,"id":1.0}]}"#,
    );
    passes(
        expected(),
        "\u{feff}{\n\"total\" : 2.5, \"lo\\u0061ns\": [ {\"id\":1,\"fee\":2.5} ] }\r\n\n",
    );
    let cases = [
        (
            r#"{"total":2.5,"loans":[{"fee":2.6,"id":1}]}"#,
            "/loans/0/fee: expected 2.5, found 2.6",
        ),
        (
            r#"{"total":2.5,"loans":[{"fee":2.5,"id":"1"}]}"#,
            r#"/loans/0/id: expected 1, found "1""#,
        ),
        (
            r#"{"total":2.5,"loans":[{"fee":2.5}]}"#,
            "/loans/0/id: expected 1, found no such key",
        ),
        (
            r#"{"total":2.5,"loans":[]}"#,
            r#"/loans: expected 1 items, found 0; first missing: {"id":1,"fee":2.5}"#,
        ),
        (
            r#"{"total":2.5,"loans":[{"fee":2.5,"id":1}, 7]}"#,
            "/loans: expected 1 items, found 2; first extra: 7",
        ),
        (
            r#"{"total":2.5,"loans":[{"fee":2.5,"id":1}],"x":null}"#,
            r#"expected no further key, found "x": null"#,
        ),
        (
            "[]",
            r#"expected {"loans":[{"id":1,"fee":2.5}],"total":2.5}, found []"#,
        ),
        (
            "{\"total\":1,\n\"total\":2.5}",
            "expected JSON, found an error: the key \"total\" twice at line 2 column 12",
        ),
    ];
    for (found, detail) in cases {
        fails(expected(), found, detail);
    }
    assert!(!expected().compare("{\"total\":2.5,}").passed());
    assert!(!expected().compare(&"[".repeat(100_000)).passed());
}

#[test]
fn options_ask_for_more_or_less() {
    let expected = || of_json(json!({"b": 1, "a": [3, {"x": [1, 2]}, 3.0]}));
    passes(
        expected().any_order_at("/a").any_order_at("/a/*/x"),
        r#"{"a":[3,3,{"x":[2,1]}],"b":1}"#,
    );
    fails(
        expected().any_order_at("/a"),
        r#"{"a":[3,3,{"x":[2,1]}],"b":1}"#,
        r#"/a: expected {"x":[1,2]} in the list, found {"x":[2,1]} instead"#,
    );
    fails(
        expected().any_order_at("/a"),
        r#"{"a":[{"x":[1,2]},3],"b":1}"#,
        "/a: expected 3.0 in the list, found no such item",
    );
    fails(
        expected().keys_in_order(),
        r#"{"a":[3,{"x":[1,2]},3],"b":1}"#,
        r#"expected the key "b" here, found "a""#,
    );
    fails(
        expected().numbers(Numbers::AsWritten),
        r#"{"a":[3,{"x":[1,2]},3],"b":1}"#,
        "/a/2: expected 3.0, found 3",
    );
    passes(of_json(json!(1)).numbers(Numbers::Within(0.1)), "1.05");
    passes(json_text("[1]"), "[1.0]");
}

#[test]
fn yaml_has_many_forms() {
    let expected = || {
        yaml(
            json!({"on": {"push": {"branches": ["main", "3.10"]}}, "n": 16, "no": null, "t": "a\nb\n"}),
        )
    };
    for found in [
        "on:\n  push:\n    branches: [main, '3.10']\nn: 0x10\nno: ~\nt: |\n  a\n  b\n",
        "# note\n---\n{t: \"a\\nb\\n\", 'no': , n: 16.0, on: {push: {branches: [\"main\", \"3.10\"]}}}\n...\n",
        "v: &b [main, !!str 3.10]\non: {push: {branches: *b}}\nn: 0o20\nno:\nt: \"a\\nb\\n\"\n",
    ] {
        let condition = expected().compare(found);
        let is_first = !found.starts_with('v');
        assert_eq!(
            condition.passed(),
            is_first,
            "{} {found}",
            condition.detail()
        );
    }
    fails(
        expected(),
        "on:\n  push:\n    branches:\n      - main\n      - 3.10\nn: 16\nno:\nt: |\n  a\n  b\n",
        r#"line 5, /on/push/branches/1: expected "3.10", found 3.10"#,
    );
    fails(
        yaml(json!({"a": true})),
        "a: yes\n",
        r#"line 1, /a: expected true, found "yes""#,
    );
    fails(
        yaml(json!({"a": 1})),
        "a: 1\nb: 2\na: 1\n",
        "expected YAML, found an error in line 3: the key \"a\" twice",
    );
    fails(
        yaml(json!(1)),
        "--- 1\n--- 2\n",
        "expected 1 documents, found 2",
    );
    fails(
        yaml_text("--- 1\n--- 2\n"),
        "--- 1\n--- 3\n",
        "document 2: line 2: expected 2, found 3",
    );
    fails(
        yaml(json!(1)),
        "!Ref 1",
        "expected YAML, found an error in line 1: the tag !Ref",
    );
    fails(
        yaml(json!(1)),
        "? [1]\n: 2",
        "expected YAML, found an error in line 1: a key that is a list or a map",
    );
    passes(
        yaml(json!([null, "x", 0.5, "1_0", -3])),
        "- \n- x\n- .5\n- 1_0\n- -3\n",
    );
    passes(yaml_text("[.inf, .nan]"), "- .Inf\n- .NaN");
    passes(yaml_text("[.inf]").numbers(Numbers::Within(0.1)), "- +.inf");
    passes(toml_text("a = inf"), "a = +inf");
    passes(json_text("\u{feff}[1]"), "[1]");
    assert!(!yaml(json!(1)).compare("a: [1\n").passed());
}

#[test]
fn yaml_that_would_grow_is_refused() {
    let mut bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
    for n in 1..9 {
        let list = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    let condition = yaml(json!(1)).compare(&bomb);
    assert!(
        condition.detail().contains("too many values"),
        "{}",
        condition.detail()
    );
    let mut deep = "a0: &a0 [1]\n".to_owned();
    for n in 1..200 {
        deep.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
    }
    let condition = yaml(json!(1)).compare(&deep);
    assert!(
        condition.detail().contains("too many levels"),
        "{}",
        condition.detail()
    );
    for deep in ["[", "- ", "{a: ", "? "] {
        assert!(!yaml(json!(1)).compare(&deep.repeat(20_000)).passed());
    }
    assert!(!yaml(json!(1)).compare("a: &a [*a]").passed());
}

#[test]
fn toml_has_many_forms() {
    let text = "name = 'x'\nn = 16\nf = 1.0\nwhen = 2025-03-01T07:00:00Z\n[a.b]\nc = [1, 2]\n";
    for found in [
        "a = {b = {c = [\n1,\n2,\n]}} # c\nwhen = 2025-03-01 07:00:00.000+00:00\nf = 1e0\nn = 0x1_0\nname = \"x\"",
        "a.b.c = [1,2]\nname = \"\"\"x\"\"\"\nn = 1_6\n\"f\" = 1.00\nwhen = 2025-03-01t07:00:00z\n",
    ] {
        passes(toml_text(text), found);
    }
    fails(
        toml_text(text),
        &text.replace("1.0", "1"),
        "line 3, /f: expected 1.0, found 1",
    );
    fails(
        toml_text(text),
        &text.replace("[1, 2]", "[1, 3]"),
        "line 6, /a/b/c/1: expected 2, found 3",
    );
    fails(
        toml_text(text),
        &text.replace("T07", "T08"),
        "line 4, /when: expected 2025-03-01T07:00:00Z, found 2025-03-01T08:00:00Z",
    );
    fails(
        toml_text(text).keys_in_order(),
        &format!("n = 16\nname = 'x'\n{}", text.split_once("16\n").unwrap().1),
        r#"line 1: expected the key "name" here, found "n""#,
    );
    passes(toml_text(text).keys_in_order(), text);
    passes(toml(json!({"a": {"b": 1}})), "[a]\nb = 1\n");
    let condition = toml(json!({})).compare("a = 1\nb = \n");
    assert!(
        condition
            .detail()
            .starts_with("expected TOML, found an error in line 2: "),
        "{}",
        condition.detail()
    );
    assert!(
        !toml(json!({}))
            .compare(&format!("a = {}", "[".repeat(20_000)))
            .passed()
    );
    assert!(
        !toml(json!({}))
            .compare(&format!("[{}a]", "a.".repeat(20_000)))
            .passed()
    );
    assert!(!toml(json!({})).compare("a = 1\na = 2\n").passed());
}

/// Values whose texts and keys need care in every format. TOML has no null.
fn values(has_null: bool) -> impl Strategy<Value = Value> {
    let null = if has_null {
        Just(Value::Null).boxed()
    } else {
        Just(json!(false)).boxed()
    };
    let leaf = prop_oneof![
        null,
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|n| json!(f64::from(n) / 8.0)),
        "[a-c1:#'\"\\\\\\-é \n]{0,6}".prop_map(Value::from),
        Just(json!("true")),
        Just(json!("1.0")),
        Just(json!("~")),
        Just(json!("")),
        Just(json!("2025-03-01")),
    ];
    let node = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c1:# .]{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map("[a-c1:# .]{1,3}", node, 1..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}

fn blank(style: &mut Style) -> &'static str {
    style.pick(&["", " ", "\n", "  "])
}

fn quoted(text: &str, style: &mut Style) -> String {
    let mut quoted = "\"".to_owned();
    for it in text.chars() {
        match it {
            '"' | '\\' => quoted.extend(['\\', it]),
            '\n' => quoted.push_str("\\n"),
            _ if style.below(4) == 0 => quoted.push_str(&format!("\\u{:04x}", it as u32)),
            _ => quoted.push(it),
        }
    }
    quoted + "\""
}

fn number(value: &Value, style: &mut Style) -> String {
    let end = if value.is_f64() {
        style.pick(&["", "0", "e0", "E+00"])
    } else {
        ""
    };
    format!("{value}{end}")
}

/// JSON in some layout; also YAML in flow style.
fn write_json(value: &Value, style: &mut Style) -> String {
    let text = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(_) if value.is_f64() => format!("{:?}", value.as_f64().unwrap()),
        Value::Number(_) => value.to_string() + style.pick(&["", ".0", "e0"]),
        Value::String(text) => quoted(text, style),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write_json(item, style)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut items: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    let key = quoted(key, style);
                    format!(
                        "{}{key}{}:{}",
                        blank(style),
                        blank(style),
                        write_json(value, style)
                    )
                })
                .collect();
            style.shuffle(&mut items);
            format!("{{{}}}", items.join(","))
        }
    };
    format!("{}{text}{}", blank(style), blank(style))
}

fn write_yaml(value: &Value, indent: usize, style: &mut Style) -> String {
    let pad = " ".repeat(indent);
    match value {
        Value::Array(items) if !items.is_empty() && style.below(4) > 0 => items
            .iter()
            .map(|item| {
                format!(
                    "\n{pad}-{}{}",
                    style.pick(&[" ", "  "]),
                    write_yaml(item, indent + 2, style)
                )
            })
            .collect(),
        Value::Object(members) if !members.is_empty() && style.below(4) > 0 => {
            let mut items: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    let key = if style.coin() {
                        quoted(key, style)
                    } else {
                        format!("'{key}'")
                    };
                    format!("\n{pad}{key}: {}", write_yaml(value, indent + 2, style))
                })
                .collect();
            style.shuffle(&mut items);
            items.concat()
        }
        Value::String(text) if !text.contains('\n') && style.coin() => format!(
            "'{}'{}",
            text.replace('\'', "''"),
            style.pick(&["", " # note"])
        ),
        Value::Null => style.pick(&["~", "null", ""]).to_owned(),
        Value::Bool(value) => style
            .pick(&[&*value.to_string(), if *value { "True" } else { "FALSE" }])
            .to_owned(),
        other => write_json(other, style).trim().replace('\n', " "),
    }
}

fn write_toml(value: &Value, style: &mut Style) -> String {
    match value {
        Value::Object(members) => {
            let mut items: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    format!("{} = {}", quoted(key, style), write_toml(value, style))
                })
                .collect();
            style.shuffle(&mut items);
            format!("{{{}}}", items.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| write_toml(item, style) + style.pick(&["", "\n", " # note\n"]))
                .collect();
            format!("[{}{}]", items.join(","), style.pick(&["", "\n"]))
        }
        Value::String(text) if !text.contains(['\n', '\'']) && style.coin() => format!("'{text}'"),
        Value::String(text) => quoted(text, style),
        Value::Number(_) => number(value, style),
        other => other.to_string(),
    }
}

/// A table with some of its tables under headers of their own.
fn write_toml_file(value: &Value, style: &mut Style) -> String {
    let (mut head, mut tail) = (String::new(), String::new());
    for (key, value) in value.as_object().unwrap() {
        let key = quoted(key, style);
        match value {
            Value::Object(members) if style.coin() => {
                tail.push_str(&format!("[{key}]\n"));
                for (key, value) in members {
                    tail.push_str(&format!(
                        "{} = {}\n",
                        quoted(key, style),
                        write_toml(value, style)
                    ));
                }
            }
            _ => head.push_str(&format!("{key} = {}\n", write_toml(value, style))),
        }
    }
    head + &tail
}

/// Changes the leaf that a number chooses, and returns its pointer.
fn change(value: &mut Value, choice: usize, path: &mut String) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = choice % items.len();
            path.push_str(&format!("/{at}"));
            change(&mut items[at], choice / 4, path);
        }
        Value::Object(members) if !members.is_empty() => {
            let at = choice % members.len();
            let key = members.keys().nth(at).unwrap().clone();
            path.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
            change(&mut members[&key], choice / 4, path);
        }
        Value::Number(number) if number.is_f64() => {
            *value = json!(number.as_f64().unwrap() + 0.125)
        }
        Value::Number(number) => *value = json!(number.as_i64().unwrap() + 1),
        Value::String(text) => text.push('c'),
        Value::Bool(flag) => *flag = !*flag,
        other => *other = json!("changed"),
    }
}

fn check(expected: Data, same: &str, changed: &str, path: &str) -> Result<(), TestCaseError> {
    let condition = expected.compare(same);
    prop_assert!(condition.passed(), "{}\n{}", condition.detail(), same);
    let condition = expected.compare(changed);
    prop_assert!(!condition.passed(), "{}\n{}", path, changed);
    prop_assert!(
        condition.detail().contains(&format!("{path}: ")),
        "{} {path}\n{changed}",
        condition.detail()
    );
    Ok(())
}

proptest! {
    #[test]
    fn every_json_is_equal_and_a_changed_value_is_named(value in values(true), seed: u64, choice: usize) {
        let mut style = Style(seed);
        let same = write_json(&value, &mut style);
        let same = style.dress(&same);
        let (mut changed, mut path) = (value.clone(), String::new());
        change(&mut changed, choice, &mut path);
        let changed = write_json(&changed, &mut style);
        check(of_json(value), &same, &changed, &path)?;
    }

    #[test]
    fn every_yaml_is_equal_and_a_changed_value_is_named(value in values(true), seed: u64, choice: usize) {
        let mut style = Style(seed);
        let same = write_yaml(&value, 0, &mut style);
        let same = style.dress(&same);
        let (mut changed, mut path) = (value.clone(), String::new());
        change(&mut changed, choice, &mut path);
        let changed = write_yaml(&changed, 0, &mut style);
        check(yaml(value), &same, &changed, &path)?;
    }

    #[test]
    fn every_toml_is_equal_and_a_changed_value_is_named(value in values(false), seed: u64, choice: usize) {
        let mut style = Style(seed);
        let same = write_toml_file(&value, &mut style);
        let same = style.dress(&same);
        let (mut changed, mut path) = (value.clone(), String::new());
        change(&mut changed, choice, &mut path);
        let changed = write_toml_file(&changed, &mut style);
        check(toml(value), &same, &changed, &path)?;
    }

    #[test]
    fn any_text_is_compared(text in "[a-c&*:\\[\\]{}\\-?!|>'\"#,~0-9=. \n\t\u{e9}]{0,80}") {
        of_json(json!(1)).compare(&text);
        yaml(json!(1)).compare(&text);
        toml(json!({})).compare(&text);
    }
}
