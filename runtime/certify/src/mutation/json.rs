//! Mutants of a JSON document: one value changed, or the same document in another layout.

use mcpmark_kinds::Mutation;
use serde_json::{Map, Value};

use super::text::MutatedText;

/// Returns mutants of a document, up to `most` for each mutation.
pub(super) fn mutate_json(text: &str, document: &Value, most: usize) -> Vec<MutatedText> {
    let mut places = Vec::new();
    visit(document, &mut Vec::new(), &mut places);
    let mut all = Vec::new();
    let is_pretty = text.trim_end().contains('\n');
    let write = |value: &Value| {
        let mut out = if is_pretty {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        }
        // A parsed value has only string keys, so it can be serialised.
        .unwrap_or_default();
        if text.ends_with('\n') {
            out.push('\n');
        }
        out
    };
    for (mutation, edit) in EDITS {
        let edited = places.iter().filter_map(|place| {
            let mut copy = document.clone();
            let what = edit(at(&mut copy, place)?)?;
            Some((place, what, copy))
        });
        let edited: Vec<_> = edited.collect();
        let step = edited.len().div_ceil(most).max(1);
        for (place, what, copy) in edited.into_iter().step_by(step) {
            all.push(MutatedText {
                mutation: *mutation,
                what: format!("{}: {what}", name(place)),
                text: write(&copy),
            });
        }
    }
    let compact = serde_json::to_string(document).unwrap_or_default();
    let pretty = serde_json::to_string_pretty(document).unwrap_or_default();
    let other = if is_pretty { compact } else { pretty };
    all.push(MutatedText {
        mutation: Mutation::JSON_LAYOUT,
        what: "other white space".to_owned(),
        text: other + if text.ends_with('\n') { "\n" } else { "" },
    });
    all
}

/// Step from a value to one of its children.
#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Index(usize),
}

type Edit = fn(&mut Value) -> Option<String>;

/// Edits of an array or object, each with its mutation. An edit returns `None` if it does not apply to the value.
const EDITS: &[(Mutation, Edit)] = &[
    (Mutation::DROP_ITEM, |value| match value {
        Value::Array(items) => items.pop().map(|_| "without its last element".to_owned()),
        Value::Object(map) => {
            let key = map.keys().next_back()?.clone();
            map.shift_remove(&key);
            Some(format!("without {key:?}"))
        }
        _ => None,
    }),
    (Mutation::DUPLICATE_ITEM, |value| {
        let items = value.as_array_mut()?;
        let first = items.first()?.clone();
        items.insert(0, first);
        Some("its first element twice".to_owned())
    }),
    (Mutation::SWAP_ITEMS, |value| match value {
        Value::Array(items) => {
            let index = (1..items.len()).find(|index| items[*index] != items[index - 1])?;
            items.swap(index - 1, index);
            Some(format!("elements {index} and {} swapped", index + 1))
        }
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let pair = keys
                .windows(2)
                .find(|pair| map[&pair[0]] != map[&pair[1]])?;
            let (first, second) = (map[&pair[0]].clone(), map[&pair[1]].clone());
            map[&pair[0]] = second;
            map[&pair[1]] = first;
            Some(format!("values of {:?} and {:?} swapped", pair[0], pair[1]))
        }
        _ => None,
    }),
    (Mutation::STRAY_ITEM, |value| match value {
        Value::Array(items) => {
            items.push(Value::Null);
            Some("null added".to_owned())
        }
        Value::Object(map) if !map.contains_key("stray") => {
            map.insert("stray".to_owned(), Value::from(1));
            Some("a key \"stray\" added".to_owned())
        }
        _ => None,
    }),
    (Mutation::KEY_ORDER, |value| {
        let map = value.as_object_mut().filter(|map| map.len() > 1)?;
        let reversed: Map<String, Value> = std::mem::take(map).into_iter().rev().collect();
        *map = reversed;
        Some("keys in reverse order".to_owned())
    }),
];

/// Collects the paths of all arrays and objects of a document.
fn visit(value: &Value, path: &mut Vec<Step>, places: &mut Vec<Vec<Step>>) {
    let mut below = |step, value: &Value| {
        path.push(step);
        visit(value, path, places);
        path.pop();
    };
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                below(Step::Index(index), item);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                below(Step::Key(key.clone()), item);
            }
        }
        _ => return,
    }
    places.push(path.clone());
}

fn at<'a>(value: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Formats a path, as in `.shifts[2]`.
fn name(path: &[Step]) -> String {
    if path.is_empty() {
        return "the document".to_owned();
    }
    path.iter()
        .map(|step| match step {
            Step::Key(key) => format!(".{key}"),
            Step::Index(index) => format!("[{index}]"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_array_and_object_is_mutated() {
        let text = "{\"a\":[1,2],\"b\":{\"c\":3,\"d\":4}}\n";
        let document = serde_json::from_str(text).unwrap();
        let found: Vec<_> = mutate_json(text, &document, 9)
            .into_iter()
            .map(|mutated| {
                format!(
                    "{} {} {}",
                    mutated.mutation,
                    mutated.what,
                    mutated.text.trim()
                )
            })
            .collect();
        for expected in [
            r#"drop-item .a: without its last element {"a":[1],"b":{"c":3,"d":4}}"#,
            r#"duplicate-item .a: its first element twice {"a":[1,1,2],"b":{"c":3,"d":4}}"#,
            r#"swap-items .b: values of "c" and "d" swapped {"a":[1,2],"b":{"c":4,"d":3}}"#,
            r#"stray-item the document: a key "stray" added {"a":[1,2],"b":{"c":3,"d":4},"stray":1}"#,
            r#"key-order .b: keys in reverse order {"a":[1,2],"b":{"d":4,"c":3}}"#,
        ] {
            assert!(found.iter().any(|found| found == expected), "{found:#?}");
        }
    }

    #[test]
    fn a_stray_key_replaces_no_existing_one() {
        let text = "{\"stray\":2,\"a\":{\"b\":3}}";
        let document = serde_json::from_str(text).unwrap();
        let mutated = mutate_json(text, &document, 9).into_iter();
        let strays: Vec<_> = mutated
            .filter(|mutated| mutated.mutation == Mutation::STRAY_ITEM)
            .map(|mutated| mutated.text)
            .collect();
        assert_eq!(strays, [r#"{"stray":2,"a":{"b":3,"stray":1}}"#]);
    }
}
