use mcpmark_snapshot::Digest;
use serde_json::{Value, json};

use crate::published::PublishedTask;
use crate::{Task, WorldManifest};

/// Version of the document that [`BundleParts::digest`] hashes.
const SCHEMA: u32 = 1;

/// All that decides what an attempt at a task starts from and how it is judged.
#[derive(Debug)]
pub struct BundleParts<'a> {
    /// The task: its id, metadata and instruction count.
    pub task: &'a Task,
    /// The manifest of its world: the clock counts.
    pub world: &'a WorldManifest,
    /// The seed that the world was made with.
    pub seed: u64,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// Digest of the verifier component.
    pub verifier: Digest,
    /// Digest of the solution component, where there is one.
    pub solution: Option<Digest>,
    /// Digest of the guest that runs the world's workflows, where it has one.
    pub ci: Option<Digest>,
}

impl BundleParts<'_> {
    /// SHA-256 of [`document`](Self::document) in canonical form: same parts, same digest.
    pub fn digest(&self) -> Digest {
        Digest::of(canonical_json(&self.document()).as_bytes())
    }

    /// The parts as a JSON document.
    pub fn document(&self) -> Value {
        let mut document = json!({
            "schema": SCHEMA,
            "task": self.task.id.to_string(),
            "meta": self.task.meta.document,
            "instruction": Digest::of(self.task.instruction.as_bytes()),
            "verifier": self.verifier,
            "solution": self.solution,
            "world": {
                "id": self.task.world.to_string(),
                "snapshot": self.snapshot,
                "clock": self.world.clock.as_second(),
                "seed": self.seed,
            },
        });
        if let Some(ci) = &self.ci {
            document["world"]["ci"] = json!(ci);
        }
        document
    }
}

/// All that decides what an attempt at a published task starts from and how it is judged.
#[derive(Debug)]
pub struct PublishedParts<'a> {
    /// The task: its id, metadata and instruction count.
    pub task: &'a PublishedTask,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// The world's instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Digest of the script that judges.
    pub script: Digest,
    /// Digest of all that the script sees beside the state.
    pub beside: Digest,
    /// Digest of the solution component, where there is one.
    pub solution: Option<Digest>,
}

impl PublishedParts<'_> {
    /// SHA-256 of [`document`](Self::document) in canonical form: same parts, same digest.
    pub fn digest(&self) -> Digest {
        Digest::of(canonical_json(&self.document()).as_bytes())
    }

    /// The parts as a JSON document.
    pub fn document(&self) -> Value {
        json!({
            "schema": SCHEMA,
            "task": self.task.id.to_string(),
            "meta": self.task.metadata,
            "instruction": Digest::of(self.task.instruction.as_bytes()),
            "script": self.script,
            "beside": self.beside,
            "solution": self.solution,
            "world": {
                "snapshot": self.snapshot,
                "clock": self.clock,
            },
        })
    }
}

/// Digest of the whole of a task, as `run --json` reports it.
pub fn bundle_digest(parts: &BundleParts<'_>) -> Digest {
    parts.digest()
}

/// JSON without white space and with the keys of every object sorted by their bytes.
pub fn canonical_json(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                out.push('{');
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(key.as_str()).to_string());
                    out.push(':');
                    write(value, out);
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write(item, out);
                }
                out.push(']');
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .rev()
                    .map(|(key, value)| (key.clone(), reversed(value)))
                    .collect(),
            ),
            Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn canonical_form_ignores_the_order_of_keys_and_loses_nothing(value in json()) {
            let text = canonical_json(&value);
            prop_assert_eq!(&canonical_json(&reversed(&value)), &text);
            prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &value);
        }
    }

    #[test]
    fn canonical_form_is_fixed() {
        let value = json!({"b": [1, 2.5, {"z": null, "a": "é\n\""}], "a": true, "B": {}});
        assert_eq!(
            canonical_json(&value),
            r#"{"B":{},"a":true,"b":[1,2.5,{"a":"é\n\"","z":null}]}"#
        );
    }
}
