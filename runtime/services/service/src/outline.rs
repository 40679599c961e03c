//! Outline parser for malformed JSON-RPC messages, to find the id of the request that an error answers.
//!
//! It processes a message byte by byte and keeps only the id, so that messages of any length and depth have an outline.

use rmcp::model::RequestId;

use crate::flow::LONGEST_ID;

/// State of the outline parser.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    place: Place,
    /// Nesting depth of objects and arrays at the next byte.
    depth: u64,
    in_string: bool,
    escaped: bool,
    key: Key,
    /// Key or id that is being read, including its quotation marks.
    text: Vec<u8>,
    id: Id,
    has_method: bool,
    has_answer: bool,
}

/// Position of the next byte within the outermost object.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    Key,
    Colon,
    Value,
    /// Within a number or a literal.
    Scalar,
    Comma,
    End,
    /// The message is malformed from here on.
    Broken,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    #[default]
    Other,
    Id,
    Method,
    /// `result` or `error`.
    Answer,
}

#[derive(Debug, Default)]
enum Id {
    #[default]
    Absent,
    Found(Vec<u8>),
    /// Several ids, or one that is too long.
    Unclear,
}

impl Outline {
    /// Parses a complete message.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut outline = Self::default();
        outline.read(message);
        outline
    }

    /// Parses more bytes of the message.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.place == Place::Broken {
                return;
            }
            self.take(*byte);
        }
    }

    /// Reports whether the message has a result or an error.
    pub(crate) fn has_answer(&self) -> bool {
        self.has_answer
    }

    /// Returns the id if it is valid in a response.
    pub(crate) fn id(&self) -> Option<RequestId> {
        match &self.id {
            Id::Found(text) => serde_json::from_slice(text).ok(),
            Id::Absent | Id::Unclear => None,
        }
    }

    /// Reports whether no response is expected: the message is a notification or a response.
    pub(crate) fn is_one_way(&self) -> bool {
        let is_notification = self.has_method && matches!(self.id, Id::Absent);
        // The rest of a truncated message may have contained an id.
        let is_whole = self.place == Place::End;
        (is_notification && is_whole) || (self.has_answer && !self.has_method)
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.in_string(byte);
        } else if self.depth > 1 {
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 1 {
                        self.end_value();
                    }
                }
                _ => {}
            }
        } else {
            self.outermost(byte);
        }
    }

    fn in_string(&mut self, byte: u8) {
        if self.depth == 1 {
            self.keep(byte);
        }
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            match (self.depth, self.place) {
                (1, Place::Key) => {
                    self.key = match self.text.as_slice() {
                        b"\"id\"" => Key::Id,
                        b"\"method\"" => Key::Method,
                        b"\"result\"" | b"\"error\"" => Key::Answer,
                        _ => Key::Other,
                    };
                    self.place = Place::Colon;
                }
                (1, _) => self.end_value(),
                _ => {}
            }
        }
    }

    fn outermost(&mut self, byte: u8) {
        let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match (self.place, byte) {
            (Place::Scalar, b',' | b'}') => {
                self.end_value();
                self.outermost(byte);
            }
            (Place::Scalar, _) if is_space => self.end_value(),
            (Place::Scalar, _) => self.keep(byte),
            (_, _) if is_space => {}
            (Place::Start, b'{') => (self.depth, self.place) = (1, Place::Key),
            (Place::Key | Place::Value, b'"') => {
                self.text.clear();
                self.keep(byte);
                self.in_string = true;
            }
            (Place::Colon, b':') => self.place = Place::Value,
            (Place::Value, b'{' | b'[') => {
                // An object or an array is not a valid id.
                self.text.clear();
                self.depth += 1;
            }
            (Place::Value, b'}' | b']' | b',' | b':') => self.place = Place::Broken,
            (Place::Value, _) => {
                self.text.clear();
                self.keep(byte);
                self.place = Place::Scalar;
            }
            (Place::Comma, b',') => self.place = Place::Key,
            (Place::Comma | Place::Key, b'}') => (self.depth, self.place) = (0, Place::End),
            _ => self.place = Place::Broken,
        }
    }

    fn end_value(&mut self) {
        self.place = Place::Comma;
        match std::mem::take(&mut self.key) {
            Key::Id => {
                let is_first = matches!(self.id, Id::Absent);
                self.id = if is_first && self.text.len() <= LONGEST_ID {
                    Id::Found(std::mem::take(&mut self.text))
                } else {
                    Id::Unclear
                };
            }
            Key::Method => self.has_method = true,
            Key::Answer => self.has_answer = true,
            Key::Other => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.text.len() <= LONGEST_ID {
            self.text.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn id(message: &str) -> Option<Value> {
        let id = Outline::of(message.as_bytes()).id();
        id.map(|id| json!(id))
    }

    #[test]
    fn the_id_is_found_wherever_it_can_be_told() {
        for (message, expected) in [
            (r#"{"id":7,"method":"ping","params":[1]}"#, Some(json!(7))),
            (
                r#" { "method" : "ping" , "id" : "a\"}" } "#,
                Some(json!("a\"}")),
            ),
            (
                r#"{"params":{"id":1,"x":[{"id":2}]},"id":3}"#,
                Some(json!(3)),
            ),
            (r#"{"id":-4,"params":{"x":1e999}}"#, Some(json!(-4))),
            // Truncated messages, and invalid JSON after the id.
            (r#"{"id":5,"method":"tools/ca"#, Some(json!(5))),
            (r#"{"id":6,oops"#, Some(json!(6))),
            // No id, an id of another type, two ids, and an unfinished id.
            (r#"{"method":"ping"}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"id":1}}"#, None),
            (r#"{"id":[1]}"#, None),
            (r#"{"id":1.5}"#, None),
            (r#"{"id":1,"id":2}"#, None),
            (r#"{"id":12"#, None),
            (r#"[{"id":1}]"#, None),
            ("GET / HTTP/1.1", None),
            ("", None),
        ] {
            assert_eq!(id(message), expected, "{message}");
        }
        let deep = format!(
            r#"{{"params":{}{},"id":8}}"#,
            "[".repeat(9999),
            "]".repeat(9999)
        );
        assert_eq!(id(&deep), Some(json!(8)));
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(LONGEST_ID));
        assert_eq!(id(&long), None);
    }

    #[test]
    fn notifications_and_responses_have_no_answer() {
        for (message, expected) in [
            (r#"{"method":"notifications/progress","params":[1]}"#, true),
            (r#"{"id":1,"result":1e999}"#, true),
            (r#"{"id":1,"error":7}"#, true),
            (r#"{"id":1,"method":"ping"}"#, false),
            // The rest of the message may contain an id.
            (r#"{"method":"tools/call","params":"#, false),
            ("nonsense", false),
        ] {
            let outline = Outline::of(message.as_bytes());
            assert_eq!(outline.is_one_way(), expected, "{message}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key(), inner), 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    fn key() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("id".to_owned()),
            Just("method".to_owned()),
            Just("result".to_owned()),
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn an_outline_says_what_the_whole_message_says(message in value(), cut in any::<usize>()) {
            let text = message.to_string();
            let outline = Outline::of(text.as_bytes());
            let expected = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            prop_assert_eq!(outline.id(), expected);
            let is_object = message.is_object();
            prop_assert_eq!(outline.place == Place::End, is_object);
            prop_assert_eq!(outline.has_method, message.get("method").is_some());
            // Parsing in two pieces gives the same outline.
            let (first, second) = text.as_bytes().split_at(cut % (text.len() + 1));
            let mut pieces = Outline::default();
            pieces.read(first);
            pieces.read(second);
            prop_assert_eq!(format!("{pieces:?}"), format!("{outline:?}"));
        }

        #[test]
        fn any_bytes_have_an_outline(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let outline = Outline::of(&bytes);
            prop_assert!(outline.text.len() <= LONGEST_ID + 1);
        }
    }
}
