//! Comparison of values of JSON, YAML and TOML.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::Expected;
use crate::condition::{cut, show};
use crate::{Condition, Numbers, numbers};

/// Maximum length of a value in a detail, in characters.
const SHOWN: usize = 120;

/// Expected value of JSON, YAML or TOML; see the tables in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct Data {
    expected: Vec<Node>,
    /// Length of the expected values as text, in bytes.
    size: usize,
    read: fn(&str) -> Result<Vec<Node>, String>,
    /// Whether an integer differs from a number with a fraction of the same value.
    typed_numbers: bool,
    numbers: Numbers,
    keys_in_order: bool,
    any_order: Vec<Vec<String>>,
}

/// A value with the line on which it begins; 0 if the line is not known.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) content: NodeContent,
}

#[derive(Clone, Debug)]
pub(super) enum NodeContent {
    Null,
    Bool(bool),
    /// A whole number as it is written, and its value as decimal digits.
    Integer(Number),
    /// A number with a point or an exponent, or an infinite one.
    Float(Number),
    Text(String),
    /// A date or time of TOML, in one form.
    #[cfg_attr(
        not(feature = "toml"),
        expect(dead_code, reason = "only TOML has times")
    )]
    Time(String),
    List(Vec<Node>),
    /// The keys in the order of the text; no key occurs twice.
    Map(Vec<(String, Node)>),
}

/// A number: its spelling, and its value in decimal digits (or a word such as `inf`).
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) written: String,
    pub(super) value: String,
}

impl Number {
    pub(super) fn plain(written: impl Into<String>) -> Self {
        let written = written.into();
        Self {
            value: written.clone(),
            written,
        }
    }

    fn equals(&self, found: &Self, rule: Numbers) -> bool {
        match rule {
            Numbers::AsWritten => self.written == found.written,
            Numbers::ByValue => self.canonical() == found.canonical(),
            // Infinite numbers have no difference.
            Numbers::Within(tolerance) => {
                self.canonical() == found.canonical()
                    || match (self.value.parse::<f64>(), found.value.parse::<f64>()) {
                        (Ok(a), Ok(b)) => (a - b).abs() <= tolerance,
                        _ => false,
                    }
            }
        }
    }

    /// Returns a form that equal numbers have in common.
    fn canonical(&self) -> String {
        match numbers::canonical(&self.value) {
            Some((is_negative, digits, power)) => {
                let sign = if is_negative { "-" } else { "" };
                format!("{sign}{digits}e{power}")
            }
            None => self.value.trim_start_matches('+').to_owned(),
        }
    }
}

impl Data {
    pub(super) fn of_value(
        expected: &Value,
        read: fn(&str) -> Result<Vec<Node>, String>,
        typed_numbers: bool,
    ) -> Self {
        let size = expected.to_string().len();
        Self::new(vec![Node::from(expected)], size, read, typed_numbers)
    }

    fn new(
        expected: Vec<Node>,
        size: usize,
        read: fn(&str) -> Result<Vec<Node>, String>,
        typed_numbers: bool,
    ) -> Self {
        Self {
            expected,
            size,
            read,
            typed_numbers,
            numbers: Numbers::ByValue,
            keys_in_order: false,
            any_order: Vec::new(),
        }
    }

    /// Creates the expected content from a text of the same format.
    ///
    /// # Panics
    /// Panics if the text is not of the format.
    #[track_caller]
    pub(super) fn of_text(
        text: &str,
        read: fn(&str) -> Result<Vec<Node>, String>,
        typed_numbers: bool,
    ) -> Self {
        match read(text.strip_prefix('\u{feff}').unwrap_or(text)) {
            Ok(expected) => Self::new(expected, text.len(), read, typed_numbers),
            Err(reason) => panic!("the expected text: {reason}"),
        }
    }

    /// Sets the rule for numbers, which are compared by value by default.
    #[must_use]
    pub fn numbers(mut self, rule: Numbers) -> Self {
        self.numbers = rule;
        self
    }

    /// Expects the keys of all maps in the expected order.
    #[must_use]
    pub fn keys_in_order(mut self) -> Self {
        self.keys_in_order = true;
        self
    }

    /// Accepts any order in the lists at a pointer, such as `/labels` or `/stages/*/players`, where `*` stands
    /// for any one key or index. Numbers in these lists compare by value or as written.
    #[must_use]
    pub fn any_order_at(mut self, pointer: &str) -> Self {
        let keys = pointer.split('/').skip(1);
        self.any_order.push(
            keys.map(|key| key.replace("~1", "/").replace("~0", "~"))
                .collect(),
        );
        self
    }

    fn is_free(&self, path: &[String]) -> bool {
        self.any_order.iter().any(|pattern| {
            pattern.len() == path.len() && pattern.iter().zip(path).all(|(a, b)| a == "*" || a == b)
        })
    }

    fn difference(
        &self,
        expected: &Node,
        found: &Node,
        path: &mut Vec<String>,
    ) -> Result<(), String> {
        let differ = |path: &[String]| {
            Err(format!(
                "{}expected {}, found {}",
                place(found.line, path),
                shown(expected),
                shown(found)
            ))
        };
        match (&expected.content, &found.content) {
            (NodeContent::Null, NodeContent::Null) => Ok(()),
            (NodeContent::Bool(a), NodeContent::Bool(b)) if a == b => Ok(()),
            (NodeContent::Text(a), NodeContent::Text(b)) if a == b => Ok(()),
            (NodeContent::Text(a), NodeContent::Text(b)) => {
                let (a, b) = crate::condition::show_difference(a, b);
                let place = place(found.line, path);
                Err(format!("{place}expected {a}, found {b}"))
            }
            (NodeContent::Time(a), NodeContent::Time(b)) if a == b => Ok(()),
            (NodeContent::Integer(a), NodeContent::Integer(b))
            | (NodeContent::Float(a), NodeContent::Float(b))
                if a.equals(b, self.numbers) =>
            {
                Ok(())
            }
            (NodeContent::Integer(a), NodeContent::Float(b))
            | (NodeContent::Float(a), NodeContent::Integer(b))
                if !self.typed_numbers && a.equals(b, self.numbers) =>
            {
                Ok(())
            }
            (NodeContent::Map(a), NodeContent::Map(b)) => self.maps(a, b, found.line, path),
            (NodeContent::List(a), NodeContent::List(b)) if self.is_free(path) => {
                self.bags(a, b, found.line, path)
            }
            (NodeContent::List(a), NodeContent::List(b)) => {
                for (index, (a, b)) in a.iter().zip(b).enumerate() {
                    path.push(index.to_string());
                    self.difference(a, b, path)?;
                    path.pop();
                }
                let shared = a.len().min(b.len());
                match (a.get(shared), b.get(shared)) {
                    (Some(missing), _) => Err(format!(
                        "{}expected {} items, found {}; first missing: {}",
                        place(found.line, path),
                        a.len(),
                        b.len(),
                        shown(missing)
                    )),
                    (_, Some(extra)) => Err(format!(
                        "{}expected {} items, found {}; first extra: {}",
                        place(extra.line, path),
                        a.len(),
                        b.len(),
                        shown(extra)
                    )),
                    (None, None) => Ok(()),
                }
            }
            _ => differ(path),
        }
    }

    fn maps(
        &self,
        expected: &[(String, Node)],
        found: &[(String, Node)],
        line: u32,
        path: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut left: BTreeMap<&str, &Node> = found
            .iter()
            .map(|(key, node)| (key.as_str(), node))
            .collect();
        for (key, node) in expected {
            path.push(key.clone());
            let Some(other) = left.remove(key.as_str()) else {
                return Err(format!(
                    "{}expected {}, found no such key",
                    place(line, path),
                    shown(node)
                ));
            };
            self.difference(node, other, path)?;
            path.pop();
        }
        let extra = found
            .iter()
            .find(|(key, _)| left.contains_key(key.as_str()));
        if let Some((key, node)) = extra {
            return Err(format!(
                "{}expected no further key, found {}: {}",
                place(node.line, path),
                show(key),
                shown(node)
            ));
        }
        if self.keys_in_order {
            let mut pairs = expected.iter().zip(found);
            if let Some(((a, _), (b, node))) = pairs.find(|((a, _), (b, _))| a != b) {
                return Err(format!(
                    "{}expected the key {} here, found {}",
                    place(node.line, path),
                    show(a),
                    show(b)
                ));
            }
        }
        Ok(())
    }

    /// Compares two lists as multisets of canonical values.
    fn bags(
        &self,
        expected: &[Node],
        found: &[Node],
        line: u32,
        path: &[String],
    ) -> Result<(), String> {
        let mut wanted: BTreeMap<String, Vec<&Node>> = BTreeMap::new();
        let mut inside = path.to_vec();
        inside.push(String::new());
        for node in expected.iter().rev() {
            let key = self.canonical(node, &mut inside);
            wanted.entry(key).or_default().push(node);
        }
        let mut extra = None;
        for node in found {
            let place = wanted.get_mut(&self.canonical(node, &mut inside));
            if place.and_then(Vec::pop).is_none() && extra.is_none() {
                extra = Some(node);
            }
        }
        let missing = wanted.values().flatten().next();
        match (missing, extra) {
            (Some(missing), Some(extra)) => Err(format!(
                "{}expected {} in the list, found {} instead",
                place(extra.line, path),
                shown(missing),
                shown(extra)
            )),
            (Some(missing), None) => Err(format!(
                "{}expected {} in the list, found no such item",
                place(line, path),
                shown(missing)
            )),
            (None, Some(extra)) => Err(format!(
                "{}expected no such item, found {}",
                place(extra.line, path),
                shown(extra)
            )),
            (None, None) => Ok(()),
        }
    }

    /// Returns a text that equal values have in common, for lists in any order.
    fn canonical(&self, node: &Node, path: &mut Vec<String>) -> String {
        let number = |number: &Number| match self.numbers {
            Numbers::AsWritten => number.written.clone(),
            Numbers::ByValue | Numbers::Within(_) => number.canonical(),
        };
        match &node.content {
            NodeContent::Null => "null".to_owned(),
            NodeContent::Bool(value) => value.to_string(),
            NodeContent::Integer(value) => format!("n{}", number(value)),
            NodeContent::Float(value) if self.typed_numbers => format!("f{}", number(value)),
            NodeContent::Float(value) => format!("n{}", number(value)),
            NodeContent::Text(text) => format!("{text:?}"),
            NodeContent::Time(time) => format!("t{time}"),
            NodeContent::List(nodes) => {
                let is_free = self.is_free(path);
                let mut items = Vec::new();
                for (index, node) in nodes.iter().enumerate() {
                    path.push(index.to_string());
                    items.push(self.canonical(node, path));
                    path.pop();
                }
                if is_free {
                    items.sort_unstable();
                }
                format!("[{}]", items.join(","))
            }
            NodeContent::Map(entries) => {
                let mut items = Vec::new();
                for (key, node) in entries {
                    path.push(key.clone());
                    items.push(format!("{key:?}:{}", self.canonical(node, path)));
                    path.pop();
                }
                if !self.keys_in_order {
                    items.sort_unstable();
                }
                format!("{{{}}}", items.join(","))
            }
        }
    }
}

impl Expected for Data {
    fn size(&self) -> usize {
        self.size
    }

    fn compare(&self, found: &str) -> Condition {
        let found = match (self.read)(found.strip_prefix('\u{feff}').unwrap_or(found)) {
            Ok(found) => found,
            Err(reason) => return Condition::fail(reason),
        };
        if self.expected.len() != found.len() {
            return Condition::fail(format!(
                "expected {} documents, found {}",
                self.expected.len(),
                found.len()
            ));
        }
        for (number, (a, b)) in (1..).zip(self.expected.iter().zip(&found)) {
            if let Err(reason) = self.difference(a, b, &mut Vec::new()) {
                let condition = Condition::fail(reason);
                return if found.len() > 1 {
                    condition.at(format!("document {number}"))
                } else {
                    condition
                };
            }
        }
        Condition::pass("the values are as expected")
    }
}

/// Returns the place of a value for details: its line and its pointer.
fn place(line: u32, path: &[String]) -> String {
    let mut place = String::new();
    if line > 0 {
        place.push_str(&format!("line {line}"));
    }
    if !path.is_empty() {
        if line > 0 {
            place.push_str(", ");
        }
        let keys = path
            .iter()
            .map(|key| key.replace('~', "~0").replace('/', "~1"));
        let pointer: Vec<String> = keys.collect();
        place.push_str(&cut(&format!("/{}", pointer.join("/")), SHOWN));
    }
    if !place.is_empty() {
        place.push_str(": ");
    }
    place
}

/// Formats a value like JSON, cut to a readable length.
fn shown(node: &Node) -> String {
    let mut text = String::new();
    write(node, &mut text);
    cut(&text, SHOWN)
}

/// Appends a value to a text that becomes little longer than a detail can show.
fn write(node: &Node, text: &mut String) {
    if text.len() > 4 * SHOWN {
        return;
    }
    match &node.content {
        NodeContent::Null => text.push_str("null"),
        NodeContent::Bool(value) => text.push_str(&value.to_string()),
        NodeContent::Integer(number) | NodeContent::Float(number) => {
            text.push_str(&cut(&number.written, SHOWN));
        }
        NodeContent::Text(value) => text.push_str(&show(value)),
        NodeContent::Time(value) => text.push_str(value),
        NodeContent::List(nodes) => {
            text.push('[');
            for (index, node) in nodes.iter().enumerate().take(SHOWN) {
                if index > 0 {
                    text.push(',');
                }
                write(node, text);
            }
            text.push(']');
        }
        NodeContent::Map(entries) => {
            text.push('{');
            for (index, (key, node)) in entries.iter().enumerate().take(SHOWN) {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&format!("{}:", show(key)));
                write(node, text);
            }
            text.push('}');
        }
    }
}

/// Returns the first key that occurs twice.
pub(super) fn repeated_key(entries: &[(String, Node)]) -> Option<&(String, Node)> {
    let mut sorted: Vec<usize> = (0..entries.len()).collect();
    sorted.sort_by(|&a, &b| match entries[a].0.cmp(&entries[b].0) {
        Ordering::Equal => a.cmp(&b),
        other => other,
    });
    let pairs = sorted.windows(2);
    let repeated = pairs.filter(|pair| entries[pair[0]].0 == entries[pair[1]].0);
    repeated.map(|pair| pair[1]).min().map(|at| &entries[at])
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        let content = match value {
            Value::Null => NodeContent::Null,
            Value::Bool(value) => NodeContent::Bool(*value),
            Value::Number(number) if number.is_f64() => {
                NodeContent::Float(Number::plain(number.to_string()))
            }
            Value::Number(number) => NodeContent::Integer(Number::plain(number.to_string())),
            Value::String(text) => NodeContent::Text(text.clone()),
            Value::Array(items) => NodeContent::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                let entries = members.iter();
                NodeContent::Map(
                    entries
                        .map(|(key, value)| (key.clone(), Self::from(value)))
                        .collect(),
                )
            }
        };
        Self { line: 0, content }
    }
}
