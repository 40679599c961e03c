//! Agent that calls tools at random.

use async_trait::async_trait;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

use crate::{Agent, Attempt, End, EndKind, Halt, Reply, ToolCall};

/// Number of tool calls of one attempt.
const CALLS: u32 = 40;
/// Maximum number of remembered words.
const WORDS: usize = 1000;
/// Maximum nesting depth of generated arguments.
const DEPTH: u32 = 4;

/// Agent that calls tools at random. The arguments match the schemas of the tools, and their words are from the quotes
/// of the instruction and from tool results. A task that it passes can be solved by chance. The same seed in the same
/// world produces the same calls.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Creates an agent whose calls are derived from the seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

#[async_trait]
impl Agent for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let mut chance = Chance {
            rng: ChaCha20Rng::seed_from_u64(self.seed),
            words: quoted(attempt.instruction()),
        };
        for number in 1..=CALLS {
            let Some(call) = chance.call(attempt, number) else {
                break;
            };
            let reply = Reply {
                calls: vec![call],
                ..Reply::default()
            };
            attempt.reply(&reply)?;
            if let Ok(output) = attempt.call(&reply.calls[0]).await? {
                chance.learn(&reply.calls[0], &output.text());
            }
        }
        let text = chance.word();
        attempt.reply(&Reply {
            text,
            ..Reply::default()
        })?;
        Ok(End::new(EndKind::Completed))
    }
}

struct Chance {
    rng: ChaCha20Rng,
    words: Vec<String>,
}

impl Chance {
    /// Returns a random number below `bound`, which must not be 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound as u64) as usize
    }

    fn word(&mut self) -> String {
        if self.words.is_empty() {
            return ".".to_owned();
        }
        let index = self.below(self.words.len());
        self.words[index].clone()
    }

    fn call(&mut self, attempt: &Attempt<'_>, number: u32) -> Option<ToolCall> {
        let tools = attempt.client().tools();
        if tools.is_empty() {
            return None;
        }
        let tool = &tools[self.below(tools.len())];
        let schema = Value::Object((*tool.input_schema).clone());
        let arguments = match self.value(&schema, DEPTH) {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        Some(ToolCall {
            id: format!("call-{number}"),
            name: tool.name.to_string(),
            arguments,
            malformed: None,
        })
    }

    /// Generates a value that matches a schema, as far as it consists of types, properties, items and enums.
    fn value(&mut self, schema: &Value, depth: u32) -> Value {
        if let Some(allowed) = schema["enum"].as_array().filter(|list| !list.is_empty()) {
            return allowed[self.below(allowed.len())].clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.first().and_then(Value::as_str),
            kind => kind.as_str(),
        };
        match kind {
            Some("boolean") => json!(self.below(2) == 1),
            Some("integer" | "number") => json!(self.below(12)),
            Some("array") if depth > 0 => {
                let length = 1 + self.below(2);
                (0..length)
                    .map(|_| self.value(&schema["items"], depth - 1))
                    .collect()
            }
            Some("object") if depth > 0 => {
                let required = schema["required"].as_array();
                let is_required =
                    |name: &str| required.is_some_and(|list| list.iter().any(|key| key == name));
                let mut object = Map::new();
                for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                    if is_required(name) || self.below(3) == 0 {
                        object.insert(name.clone(), self.value(property, depth - 1));
                    }
                }
                Value::Object(object)
            }
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => Value::String(self.word()),
        }
    }

    /// Remembers the words of a result: whole lines, and names in a directory listing as paths below the listed
    /// directory.
    fn learn(&mut self, call: &ToolCall, text: &str) {
        let place = call.arguments.get("path").and_then(Value::as_str);
        for line in text.lines().filter(|line| !line.trim().is_empty()).take(60) {
            let line: String = line.chars().take(300).collect();
            if let Some((_, name)) = line.split_once("] ")
                && line.starts_with('[')
            {
                let path = match place {
                    Some(place) if place != "." => {
                        format!("{}/{name}", place.trim_end_matches('/'))
                    }
                    _ => name.to_owned(),
                };
                self.keep(path);
            } else {
                self.keep(line);
            }
        }
    }

    fn keep(&mut self, word: String) {
        if self.words.len() < WORDS {
            self.words.push(word);
        } else {
            let index = self.below(WORDS);
            self.words[index] = word;
        }
    }
}

/// Returns the root of the world, and the texts between backticks.
fn quoted(instruction: &str) -> Vec<String> {
    let quoted = instruction.split('`').skip(1).step_by(2);
    std::iter::once(".")
        .chain(quoted)
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_their_schema() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "edits": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "dryRun": {"type": "boolean"}},
                    "required": ["oldText"],
                }},
                "sortBy": {"type": "string", "enum": ["name", "size"]},
                "head": {"type": "number"},
            },
            "required": ["path", "edits", "sortBy"],
        });
        for seed in 0..50 {
            let mut chance = Chance {
                rng: ChaCha20Rng::seed_from_u64(seed),
                words: quoted("Write `a.txt` into `out/`."),
            };
            let value = chance.value(&schema, DEPTH);
            assert!([".", "a.txt", "out/"].contains(&value["path"].as_str().unwrap()));
            assert!(["name", "size"].contains(&value["sortBy"].as_str().unwrap()));
            for edit in value["edits"].as_array().unwrap() {
                assert!(edit["oldText"].is_string(), "{value}");
            }
            assert!(value["head"].is_null() || value["head"].is_number());
        }
    }
}
