//! Parser of workflow files from YAML to JSON.
//!
//! Agents write these files, so a small file must not become a large value. Aliases of anchors are therefore rejected,
//! and so is deep nesting. GitHub did not support anchors for a long time, either.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Maximum nesting depth.
const DEPTH: usize = 64;

/// Error of parsing a workflow file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct YamlError {
    line: usize,
    problem: String,
}

/// Incomplete sequence or mapping.
enum Open {
    List(Vec<Value>),
    /// Entries of a mapping, and the key whose value comes next.
    Map(Map<String, Value>, Option<String>),
}

/// Parses the first document of a file. Null if there is none.
pub(super) fn parse(text: &str) -> Result<Value, YamlError> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            problem: error.info().to_owned(),
        })?;
        let wrong = |problem: &str| YamlError {
            line: span.start.line(),
            problem: problem.to_owned(),
        };
        let done = match event {
            Event::Alias(_) => return Err(wrong("anchors are not supported")),
            Event::Scalar(text, style, _, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                if plain {
                    scalar(&text)
                } else {
                    Value::String(text.into_owned())
                }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == DEPTH {
                    return Err(wrong("too deeply nested"));
                }
                open.push(match event {
                    Event::SequenceStart(..) => Open::List(Vec::new()),
                    _ => Open::Map(Map::new(), None),
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(values)) => Value::Array(values),
                Some(Open::Map(entries, _)) => Value::Object(entries),
                None => return Err(wrong("an end without a beginning")),
            },
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {
                continue;
            }
        };
        match open.last_mut() {
            None => return Ok(done),
            Some(Open::List(values)) => values.push(done),
            Some(Open::Map(entries, key)) => match key.take() {
                Some(key) => {
                    if entries.contains_key(&key) {
                        return Err(wrong(&format!("{key:?} is already defined")));
                    }
                    entries.insert(key, done);
                }
                None => {
                    *key = Some(match done {
                        Value::String(text) => text,
                        Value::Array(_) => {
                            return Err(wrong("expected a text as a key, found a list"));
                        }
                        Value::Object(_) => {
                            return Err(wrong("expected a text as a key, found a mapping"));
                        }
                        other => other.to_string(),
                    });
                }
            },
        }
    }
    Ok(Value::Null)
}

/// Value of a plain scalar in the core schema of YAML 1.2, except for octal, hexadecimal and special numbers, which
/// stay strings.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => {
            let number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            let whole = text.parse::<i64>().ok().filter(|_| number);
            let broken = text.parse::<f64>().ok().filter(|_| number);
            match (whole, broken.and_then(serde_json::Number::from_f64)) {
                (Some(whole), _) => whole.into(),
                (None, Some(broken)) => Value::Number(broken),
                (None, None) => Value::String(text.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_workflow_is_read() {
        let text = "# comment\nname: check\non:\n  push:\n    branches: [main, 'release/**']\n  pull_request:\njobs:\n  \
                    data:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n      - uses: actions/checkout@v4\n      \
                    - name: Look\n        run: |\n          one\n          two\n";
        assert_eq!(
            parse(text).unwrap(),
            json!({
                "name": "check",
                "on": {"push": {"branches": ["main", "release/**"]}, "pull_request": null},
                "jobs": {"data": {"runs-on": "ubuntu-24.04", "timeout-minutes": 5, "steps": [
                    {"uses": "actions/checkout@v4"},
                    {"name": "Look", "run": "one\ntwo\n"},
                ]}},
            })
        );
    }

    #[test]
    fn scalars_have_their_types() {
        let text = "[1, -2, 1.5, true, 'true', ~, no, 0x, v1, 1e400, \"\"]";
        assert_eq!(
            parse(text).unwrap(),
            json!([
                1, -2, 1.5, true, "true", null, "no", "0x", "v1", "1e400", ""
            ])
        );
        assert_eq!(parse("").unwrap(), Value::Null);
    }

    #[test]
    fn documents_that_would_grow_are_refused() {
        let bomb = "a: &a [1, 1]\nb: [*a, *a]\n";
        assert_eq!(
            parse(bomb).unwrap_err().to_string(),
            "line 2: anchors are not supported"
        );
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert!(parse(&deep).unwrap_err().to_string().contains("nested"));
        assert!(
            parse("a: 1\na: 2\n")
                .unwrap_err()
                .to_string()
                .contains("already")
        );
        assert!(parse("a: [1\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-c&*:\\[\\]{}\\-?!|>'\"#,~0-9 \n\t\u{e9}]{0,80}") {
            let _ = parse(&text);
        }
    }
}
