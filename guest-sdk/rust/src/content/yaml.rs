//! Reader of YAML for comparisons.
//!
//! The schema is the core schema of YAML 1.2. Aliases are expanded within a limit, because a small text can
//! stand for a huge value.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::Value;

use super::data::{Data, Node, NodeContent, Number, repeated_key};
use crate::condition::{cut, show};

/// Maximum nesting depth.
const DEPTH: usize = 100;
/// Maximum number of values that aliases add.
const EXPANDED: usize = 100_000;
/// Maximum length of the texts that aliases add, in bytes.
const EXPANDED_TEXT: usize = 4 << 20;
/// Maximum length of the description of an error, which may quote the text, in characters.
const MAX_PROBLEM: usize = 300;

/// Expects one YAML document with this value, in any style and with its keys in any order.
pub fn yaml(expected: impl Into<Value>) -> Data {
    Data::of_value(&expected.into(), read, false)
}

/// Expects the same documents as those of a YAML text.
///
/// # Panics
/// Panics if the expected text is not YAML.
#[track_caller]
pub fn yaml_text(expected: &str) -> Data {
    Data::of_text(expected, read, false)
}

/// Incomplete list or map, with the anchor and the line of its beginning.
struct Open {
    anchor: usize,
    line: u32,
    depth: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    /// Entries, and the key whose value comes next.
    Map(Vec<(String, Node)>, Option<String>),
}

/// A value that an alias can stand for, with its size.
struct Anchored {
    node: Node,
    values: usize,
    bytes: usize,
    depth: usize,
}

fn read(text: &str) -> Result<Vec<Node>, String> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: BTreeMap<usize, Anchored> = BTreeMap::new();
    let (mut values, mut bytes) = (0, 0);
    let mut is_empty = true;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| refused(error.marker().line() as u32, error.info()))?;
        let line = span.start.line() as u32;
        let (node, anchor, depth) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(&text, style, tag.as_deref(), line)?, anchor, 0)
            }
            Event::Alias(anchor) => {
                let Some(anchored) = anchors.get(&anchor) else {
                    return Err(refused(line, "an alias of a value that is not complete"));
                };
                values += anchored.values;
                bytes += anchored.bytes;
                if values > EXPANDED || bytes > EXPANDED_TEXT {
                    return Err(refused(line, "aliases that stand for too many values"));
                }
                if open.len() + anchored.depth > DEPTH {
                    return Err(refused(line, "too many levels"));
                }
                let mut node = anchored.node.clone();
                node.line = line;
                (node, 0, anchored.depth)
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEPTH => {
                return Err(refused(line, "too many levels"));
            }
            Event::SequenceStart(_, Some(tag)) | Event::MappingStart(_, Some(tag))
                if is_foreign(Some(&tag)) =>
            {
                return Err(refused(line, &format!("the tag {tag}")));
            }
            Event::SequenceStart(anchor, _) => {
                open.push(Open::new(anchor, line, Kind::List(Vec::new())));
                continue;
            }
            Event::MappingStart(anchor, _) => {
                open.push(Open::new(anchor, line, Kind::Map(Vec::new(), None)));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(done) => {
                    let (anchor, depth) = (done.anchor, done.depth + 1);
                    (done.close()?, anchor, depth)
                }
                None => return Err(refused(line, "an end without a beginning")),
            },
            Event::DocumentStart(_) => {
                is_empty = true;
                anchors.clear();
                continue;
            }
            Event::DocumentEnd => {
                if is_empty {
                    documents.push(Node {
                        line,
                        content: NodeContent::Null,
                    });
                }
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd => continue,
        };
        is_empty = false;
        if anchor > 0 {
            let (size, text) = size(&node);
            values += size;
            bytes += text;
            if values > EXPANDED || bytes > EXPANDED_TEXT {
                return Err(refused(line, "anchors of too many values"));
            }
            let anchored = Anchored {
                node: node.clone(),
                values: size,
                bytes: text,
                depth,
            };
            anchors.insert(anchor, anchored);
        }
        match open.last_mut() {
            None => documents.push(node),
            Some(parent) => parent.add(node, depth)?,
        }
    }
    Ok(documents)
}

impl Open {
    fn new(anchor: usize, line: u32, kind: Kind) -> Self {
        Self {
            anchor,
            line,
            depth: 0,
            kind,
        }
    }

    fn add(&mut self, node: Node, depth: usize) -> Result<(), String> {
        self.depth = self.depth.max(depth);
        match &mut self.kind {
            Kind::List(nodes) => nodes.push(node),
            Kind::Map(entries, key) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => *key = Some(as_key(node)?),
            },
        }
        Ok(())
    }

    fn close(self) -> Result<Node, String> {
        let content = match self.kind {
            Kind::List(nodes) => NodeContent::List(nodes),
            Kind::Map(entries, _) => {
                if let Some((key, node)) = repeated_key(&entries) {
                    return Err(refused(node.line, &format!("the key {} twice", show(key))));
                }
                NodeContent::Map(entries)
            }
        };
        Ok(Node {
            line: self.line,
            content,
        })
    }
}

/// Returns the text of a key. A key is compared by its text, so `1` and `"1"` are one key.
fn as_key(node: Node) -> Result<String, String> {
    match node.content {
        NodeContent::Text(text) | NodeContent::Time(text) => Ok(text),
        NodeContent::Integer(number) | NodeContent::Float(number) => Ok(number.written),
        NodeContent::Bool(value) => Ok(value.to_string()),
        NodeContent::Null => Ok("null".to_owned()),
        NodeContent::List(_) | NodeContent::Map(_) => {
            Err(refused(node.line, "a key that is a list or a map"))
        }
    }
}

/// Returns the number of values of a node, and the length of its texts. Nodes are nested less than [`DEPTH`].
fn size(node: &Node) -> (usize, usize) {
    let sum = |one: (usize, usize), other: (usize, usize)| (one.0 + other.0, one.1 + other.1);
    match &node.content {
        NodeContent::List(nodes) => nodes.iter().map(size).fold((1, 0), sum),
        NodeContent::Map(entries) => entries
            .iter()
            .map(|(key, node)| sum(size(node), (0, key.len())))
            .fold((1, 0), sum),
        NodeContent::Text(text) => (1, text.len()),
        NodeContent::Integer(number) | NodeContent::Float(number) => (1, number.written.len()),
        NodeContent::Null | NodeContent::Bool(_) | NodeContent::Time(_) => (1, 0),
    }
}

fn refused(line: u32, problem: &str) -> String {
    let problem = cut(problem, MAX_PROBLEM);
    format!("expected YAML, found an error in line {line}: {problem}")
}

fn is_foreign(tag: Option<&Tag>) -> bool {
    tag.is_some_and(|tag| !tag.is_yaml_core_schema() && tag.to_string() != "!")
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, line: u32) -> Result<Node, String> {
    let as_text = || NodeContent::Text(text.to_owned());
    let content = match tag {
        None if style == ScalarStyle::Plain => plain(text),
        None => as_text(),
        Some(tag) if is_foreign(Some(tag)) => {
            return Err(refused(line, &format!("the tag {tag}")));
        }
        Some(tag) => {
            let resolved = plain(text);
            match (tag.suffix.as_str(), resolved) {
                ("int", content @ NodeContent::Integer(_))
                | ("float", content @ NodeContent::Float(_))
                | ("bool", content @ NodeContent::Bool(_))
                | ("null", content @ NodeContent::Null) => content,
                ("float", NodeContent::Integer(number)) => NodeContent::Float(number),
                ("int" | "float" | "bool" | "null", _) => {
                    return Err(refused(line, &format!("{} with the tag {tag}", show(text))));
                }
                _ => as_text(),
            }
        }
    };
    Ok(Node { line, content })
}

/// Returns the value of a plain scalar in the core schema.
fn plain(text: &str) -> NodeContent {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return NodeContent::Null,
        "true" | "True" | "TRUE" => return NodeContent::Bool(true),
        "false" | "False" | "FALSE" => return NodeContent::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return special(text, "nan"),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return special(text, "inf"),
        "-.inf" | "-.Inf" | "-.INF" => return special(text, "-inf"),
        _ => {}
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits(unsigned) {
        return NodeContent::Integer(Number::plain(text));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        let value = text
            .strip_prefix(prefix)
            .filter(|digits| !digits.starts_with('+'))
            .and_then(|digits| u128::from_str_radix(digits, radix).ok());
        if let Some(value) = value {
            return NodeContent::Integer(Number {
                written: text.to_owned(),
                value: value.to_string(),
            });
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    let is_empty_or_digits = |text: &str| text.is_empty() || digits(text);
    let is_mantissa = (digits(whole) || digits(fraction))
        && is_empty_or_digits(whole)
        && is_empty_or_digits(fraction);
    let is_exponent =
        exponent.is_none_or(|text| digits(text.strip_prefix(['-', '+']).unwrap_or(text)));
    if is_mantissa && is_exponent {
        NodeContent::Float(Number::plain(text))
    } else {
        NodeContent::Text(text.to_owned())
    }
}

fn special(written: &str, value: &str) -> NodeContent {
    NodeContent::Float(Number {
        written: written.to_owned(),
        value: value.to_owned(),
    })
}
