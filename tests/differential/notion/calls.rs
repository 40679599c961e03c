//! Generated calls. They use the ids and names of earlier answers, so that most of them reach the rules.

use serde_json::{Value, json};

use crate::draw::Draw;

/// Maximum number of remembered ids of each kind.
const MAX_KNOWN: usize = 400;

/// Call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// Generator of a sequence of calls.
pub(crate) struct Player {
    draw: Draw,
    /// Whether calls are those of version 2.5.2.
    is_later: bool,
    sources: Vec<String>,
    pages: Vec<String>,
    databases: Vec<String>,
    blocks: Vec<String>,
    users: Vec<String>,
    cursors: Vec<String>,
    discussions: Vec<String>,
    /// Databases with their properties, as in the last answer about each.
    schemas: Vec<(String, Value)>,
}

const WORDS: &[&str] = &[
    "Autoclave",
    "rota",
    "Ünïcode 😀",
    "",
    "a, b",
    "\"quoted\"",
    "line\nbreak",
    "Scales",
    "2025-02-03",
    "Store",
    "In use",
];

const BLOCKS: &[&str] = &[
    "paragraph",
    "heading_1",
    "bulleted_list_item",
    "numbered_list_item",
    "quote",
    "to_do",
    "toggle",
    "callout",
    "divider",
    "code",
    "table",
    "column_list",
    "bookmark",
    "image",
    "equation",
    "link_to_page",
    "synced_block",
    "child_page",
    "table_row",
    "nonsense",
];

impl Player {
    pub(crate) fn new(seed: u64, is_later: bool) -> Self {
        Self {
            draw: Draw::new(seed),
            is_later,
            sources: Vec::new(),
            pages: Vec::new(),
            databases: Vec::new(),
            blocks: Vec::new(),
            users: Vec::new(),
            cursors: Vec::new(),
            discussions: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// Remembers the ids of an answer.
    pub(crate) fn learn(&mut self, text: &str) {
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            self.learn_value(&value);
        }
    }

    fn learn_value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.learn_value(item)),
            Value::Object(object) => {
                let text = |key: &str| object.get(key).and_then(Value::as_str);
                if let (Some(id), Some(kind)) = (text("id"), text("object")) {
                    let known = match kind {
                        "page" => &mut self.pages,
                        "database" => &mut self.databases,
                        "data_source" => &mut self.sources,
                        "block" => &mut self.blocks,
                        "user" => &mut self.users,
                        _ => return,
                    };
                    if known.len() < MAX_KNOWN && !known.iter().any(|it| it == id) {
                        known.push(id.to_owned());
                    }
                    if let (Some(properties), "database" | "data_source") =
                        (object.get("properties"), kind)
                    {
                        self.schemas.retain(|(known, _)| known != id);
                        self.schemas.push((id.to_owned(), properties.clone()));
                    }
                    let database = object
                        .get("parent")
                        .and_then(|it| it["database_id"].as_str());
                    if let (Some(database), "data_source") = (database, kind)
                        && !self.databases.iter().any(|it| it == database)
                    {
                        self.databases.push(database.to_owned());
                    }
                }
                if let Some(cursor) = text("next_cursor") {
                    self.cursors.push(cursor.to_owned());
                }
                if let Some(discussion) = text("discussion_id") {
                    self.discussions.push(discussion.to_owned());
                }
                if text("object") == Some("list") {
                    self.learn_value(&object["results"]);
                }
            }
            _ => {}
        }
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.draw.below(100) < percent
    }

    fn word(&mut self) -> String {
        (*self.draw.of(WORDS)).to_owned()
    }

    fn id(&mut self, of: fn(&Self) -> &Vec<String>) -> Value {
        const ODD: &[&str] = &[
            "",
            "undefined",
            "..",
            "00000000-0000-4000-8000-000000000000",
            "me",
        ];
        if self.chance(6) {
            return match self.draw.below(8) {
                0 => Value::Null,
                1 => json!(7),
                2 => json!(["a", 1]),
                _ => json!(self.draw.of(ODD)),
            };
        }
        let known = if self.chance(5) {
            self.pages.clone()
        } else {
            of(self).clone()
        };
        if known.is_empty() {
            return json!("none yet");
        }
        let id = self.draw.of(&known).clone();
        json!(if self.chance(20) {
            id.replace('-', "")
        } else {
            id
        })
    }

    fn paged(&mut self, mut arguments: Value) -> Value {
        if self.chance(40) {
            arguments["page_size"] = self
                .draw
                .of(&[
                    json!(1),
                    json!(3),
                    json!(100),
                    json!(0),
                    json!(101),
                    json!("5"),
                    json!(2.5),
                ])
                .clone();
        }
        if self.chance(15) && !self.cursors.is_empty() {
            let cursors = self.cursors.clone();
            arguments["start_cursor"] = json!(self.draw.of(&cursors));
        }
        arguments
    }

    fn text(&mut self) -> Value {
        let mut pieces = Vec::new();
        for _ in 0..=self.draw.below(2) {
            let mut piece = match self.draw.below(10) {
                0 => json!({"type": "equation", "equation": {"expression": "x^2"}}),
                1 => {
                    json!({"type": "mention", "mention": {"user": {"id": self.id(|it| &it.users)}}})
                }
                2 => json!({"mention": {"page": {"id": self.id(|it| &it.pages)}}}),
                3 => json!({"mention": {"date": {"start": "2025-02-03", "end": null}}}),
                4 => {
                    json!({"text": {"content": self.word(), "link": {"url": "https://x.example/a"}}})
                }
                5 => json!({"text": {"content": "x".repeat(2_000 + usize::from(self.chance(30)))}}),
                _ => json!({"type": "text", "text": {"content": self.word()}}),
            };
            if self.chance(30) {
                piece["annotations"] = self
                    .draw
                    .of(&[
                        json!({"bold": true}),
                        json!({"color": "red"}),
                        json!({"color": "puce"}),
                        json!({"italic": 1}),
                    ])
                    .clone();
            }
            pieces.push(piece);
        }
        if self.chance(3) {
            json!("plain")
        } else {
            json!(pieces)
        }
    }

    fn block(&mut self, levels: u64) -> Value {
        let kind = *self.draw.of(BLOCKS);
        let mut content = match kind {
            "divider" => json!({}),
            "code" => {
                json!({"rich_text": self.text(), "language": self.draw.of(&["rust", "plain text", "klingon"])})
            }
            "table" => json!({"table_width": 2, "has_column_header": true, "children": [
                {"table_row": {"cells": [self.text(), []]}},
                {"table_row": {"cells": if self.chance(20) { json!([[]]) } else { json!([[], []]) }}},
            ]}),
            "table_row" => json!({"cells": [[], []]}),
            "column_list" => json!({"children": [
                {"column": {"children": [{"paragraph": {"rich_text": []}}]}},
                {"column": {"children": [{"divider": {}}]}},
            ]}),
            "bookmark" => json!({"url": "https://x.example"}),
            "image" => json!({"type": "external", "external": {"url": "https://x.example/i.png"}}),
            "equation" => json!({"expression": "a+b"}),
            "link_to_page" => json!({"page_id": self.id(|it| &it.pages)}),
            "synced_block" => json!({"synced_from": null}),
            "callout" => {
                json!({"rich_text": self.text(), "icon": {"emoji": "💡"}, "color": "blue_background"})
            }
            "to_do" => json!({"rich_text": self.text(), "checked": self.chance(50)}),
            "heading_1" => json!({"rich_text": self.text(), "is_toggleable": self.chance(30)}),
            _ => json!({"rich_text": self.text()}),
        };
        if levels > 0 && self.chance(20) {
            content["children"] = json!([self.block(levels - 1)]);
        }
        let mut block = json!({kind: content});
        if self.chance(60) {
            block["type"] = json!(kind);
        }
        if self.chance(60) {
            block["object"] = json!("block");
        }
        block
    }

    fn blocks(&mut self) -> Value {
        let count = 1 + self.draw.below(3);
        let blocks: Vec<Value> = (0..count).map(|_| self.block(3)).collect();
        if self.chance(3) {
            json!(["text"])
        } else {
            json!(blocks)
        }
    }

    /// Draws a value for a property of this type.
    fn value(&mut self, kind: &str) -> Value {
        let inner = match kind {
            "title" | "rich_text" => self.text(),
            "number" => self
                .draw
                .of(&[
                    json!(3),
                    json!(1.5),
                    json!(1e21),
                    json!(-0.0),
                    json!(null),
                    json!("4"),
                ])
                .clone(),
            "select" => json!({"name": self.word()}),
            "status" => json!({"name": self.draw.of(&["In use", "Retired", "Lost"])}),
            "multi_select" => json!([{"name": self.word()}, {"name": "loan"}]),
            "date" => self
                .draw
                .of(&[
                    json!({"start": "2025-02-03"}),
                    json!({"start": "2025-02-03T10:00:00+02:00", "end": "2025-02-04"}),
                    json!({"start": "2025-02-03T10:00:00", "time_zone": "Europe/Berlin"}),
                    json!({"start": "soon"}),
                    json!(null),
                ])
                .clone(),
            "people" => json!([{"object": "user", "id": self.id(|it| &it.users)}]),
            "relation" => json!([{"id": self.id(|it| &it.pages)}, {"id": self.id(|it| &it.pages)}]),
            "checkbox" => json!(self.chance(50)),
            "files" => json!([{"name": "f", "external": {"url": "https://x.example/f"}}]),
            _ => json!(
                self.draw
                    .of(&["https://x.example", "a@b.example", "", "+1 2"])
            ),
        };
        if self.chance(85) {
            json!({kind: inner})
        } else {
            inner
        }
    }

    /// Draws values for the properties of a known database.
    fn properties(&mut self) -> (Value, Value) {
        if self.schemas.is_empty() {
            return (json!("none"), json!({"title": self.text()}));
        }
        let schemas = self.schemas.clone();
        let (id, schema) = self.draw.of(&schemas).clone();
        let all: Vec<(&String, &Value)> = schema.as_object().into_iter().flatten().collect();
        let mut values = json!({});
        for _ in 0..=self.draw.below(3) {
            if all.is_empty() {
                break;
            }
            let (name, property) = *self.draw.of(&all);
            let kind = property["type"].as_str().unwrap_or("title");
            let key = if self.chance(20) {
                property["id"].as_str().unwrap_or("x")
            } else {
                name.as_str()
            };
            let kind = if self.chance(8) { "number" } else { kind };
            values[key] = self.value(kind);
        }
        (json!(id), values)
    }

    fn filter(&mut self, schema: &Value, levels: u64) -> Value {
        if levels > 0 && self.chance(30) {
            let parts = json!([
                self.filter(schema, levels - 1),
                self.filter(schema, levels - 1)
            ]);
            return if self.chance(50) {
                json!({"and": parts})
            } else {
                json!({"or": parts})
            };
        }
        let all: Vec<(&String, &Value)> = schema.as_object().into_iter().flatten().collect();
        if all.is_empty() || self.chance(10) {
            return json!({"timestamp": "created_time", "created_time": {"past_year": {}}});
        }
        let (name, property) = *self.draw.of(&all);
        let kind = property["type"].as_str().unwrap_or("title");
        let condition = match kind {
            "title" | "rich_text" | "url" | "email" | "phone_number" => {
                let key = *self
                    .draw
                    .of(&["contains", "equals", "starts_with", "does_not_contain"]);
                json!({key: self.word()})
            }
            "number" | "unique_id" => {
                json!({*self.draw.of(&["greater_than", "less_than_or_equal_to", "equals"]): 300})
            }
            "checkbox" => json!({"equals": true}),
            "select" | "status" => {
                json!({*self.draw.of(&["equals", "does_not_equal"]): self.word()})
            }
            "multi_select" => json!({"contains": "electrical"}),
            "date" | "created_time" | "last_edited_time" => {
                json!({*self.draw.of(&["before", "on_or_after", "equals"]): "2025-01-20"})
            }
            "people" | "relation" => json!({"contains": self.id(|it| &it.users)}),
            "rollup" => json!({"number": {"greater_than": 1_000}}),
            _ => json!({"is_not_empty": true}),
        };
        let condition = if self.chance(15) {
            json!({"is_empty": true})
        } else {
            condition
        };
        let kind = if self.chance(5) { "number" } else { kind };
        json!({"property": name, kind: condition})
    }

    fn query(&mut self) -> Value {
        let schemas = self.schemas.clone();
        if schemas.is_empty() {
            return json!({"database_id": "none"});
        }
        let (id, schema) = self.draw.of(&schemas).clone();
        let mut arguments = json!({"database_id": id});
        if self.chance(70) {
            arguments["filter"] = self.filter(&schema, 3);
        }
        if self.chance(50) {
            let names: Vec<String> = schema
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect();
            let name = if names.is_empty() {
                "none".to_owned()
            } else {
                self.draw.of(&names).clone()
            };
            arguments["sorts"] = json!([{"property": name, "direction": self.draw.of(&["ascending", "descending", "up"])}]);
        }
        if self.chance(20) {
            arguments["filter_properties"] = self
                .draw
                .of(&[
                    json!(["title"]),
                    json!("cOst"),
                    json!(["title", "sTAt"]),
                    json!([]),
                ])
                .clone();
        }
        self.paged(arguments)
    }

    fn schema(&mut self) -> Value {
        let mut config = self
            .draw
            .of(&[
                json!({"rich_text": {}}),
                json!({"number": {"format": "euro"}}),
                json!({"number": {"format": "doubloon"}}),
                json!({"select": {"options": [{"name": "a", "color": "red"}, {"name": "b"}]}}),
                json!({"multi_select": {"options": []}}),
                json!({"date": {}}),
                json!({"checkbox": {}}),
                json!({"unique_id": {"prefix": "X"}}),
                json!({"formula": {"expression": "prop(\"title\").length() + 0.5"}}),
                json!({"formula": {"expression": "frobnicate(1)"}}),
                json!({"status": {}}),
                json!({"nonsense": {}}),
            ])
            .clone();
        if self.chance(25) {
            let side = if self.chance(50) {
                "dual_property"
            } else {
                "single_property"
            };
            config = if self.is_later {
                json!({"relation": {"data_source_id": self.id(|it| &it.sources), side: {}}})
            } else {
                json!({"relation": {"database_id": self.id(|it| &it.databases), side: {}}})
            };
        }
        config
    }

    fn changes(&mut self) -> Value {
        let schemas = self.schemas.clone();
        let mut changes = json!({});
        let (id, schema) = if schemas.is_empty() {
            ("none".to_owned(), json!({}))
        } else {
            self.draw.of(&schemas).clone()
        };
        let names: Vec<String> = schema
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        let old = if names.is_empty() {
            "none".to_owned()
        } else {
            self.draw.of(&names).clone()
        };
        match self.draw.below(5) {
            0 => changes[old.as_str()] = Value::Null,
            1 => changes[old.as_str()] = json!({"name": self.word()}),
            2 => changes[old.as_str()] = self.schema(),
            _ => changes[self.word()] = self.schema(),
        }
        json!({"database_id": id, "properties": changes})
    }

    /// Draws the next call.
    pub(crate) fn next(&mut self) -> Call {
        if !self.is_later {
            return self.earlier();
        }
        let mut call = if self.chance(30) {
            self.new_call()
        } else {
            let call = self.earlier();
            self.renamed(call)
        };
        // Some clients send JSON in strings.
        if self.chance(15)
            && let Some(arguments) = call.arguments.as_object_mut()
        {
            for value in arguments.values_mut() {
                if value.is_object() || value.is_array() {
                    *value = json!(value.to_string());
                }
            }
        }
        call
    }

    /// Returns the call of version 2.5.2 that corresponds to one of version 1.9.1.
    fn renamed(&mut self, mut call: Call) -> Call {
        let arguments = &mut call.arguments;
        let rename = |arguments: &mut Value| {
            if let Some(arguments) = arguments.as_object_mut()
                && let Some(id) = arguments.remove("database_id")
            {
                arguments.insert("data_source_id".to_owned(), id);
            }
        };
        match call.tool {
            "API-post-database-query" => {
                call.tool = "API-query-data-source";
                rename(arguments);
            }
            "API-update-a-database" => {
                call.tool = "API-update-a-data-source";
                rename(arguments);
            }
            "API-create-a-database" => {
                call.tool = "API-create-a-data-source";
                if self.chance(70) {
                    arguments["parent"] =
                        json!({"type": "database_id", "database_id": self.id(|it| &it.databases)});
                }
            }
            "API-post-page" => match self.draw.below(8) {
                0 => arguments["parent"] = json!({"database_id": self.id(|it| &it.databases)}),
                1 => arguments["parent"] = json!({"type": "workspace"}),
                _ => rename(&mut arguments["parent"]),
            },
            _ => {}
        }
        call
    }

    /// Draws a call of a tool that only version 2.5.2 has.
    fn new_call(&mut self) -> Call {
        let of = |tool, arguments| Call { tool, arguments };
        match self.draw.below(10) {
            0 => of(
                "API-retrieve-a-data-source",
                json!({"data_source_id": self.id(|it| &it.sources)}),
            ),
            1 => {
                let it = json!({"data_source_id": self.id(|it| &it.sources)});
                let it = self.paged(it);
                of("API-list-data-source-templates", it)
            }
            2 | 3 => {
                let parent = match self.draw.below(4) {
                    0 => json!({"type": "database_id", "database_id": self.id(|it| &it.databases)}),
                    1 => {
                        json!({"type": "data_source_id", "data_source_id": self.id(|it| &it.sources)})
                    }
                    2 => json!({"type": "workspace"}),
                    _ => json!({"type": "page_id", "page_id": self.id(|it| &it.pages)}),
                };
                of(
                    "API-move-page",
                    json!({"page_id": self.id(|it| &it.pages), "parent": parent}),
                )
            }
            4..=6 => {
                let mut it = json!({"page_id": self.id(|it| &it.pages)});
                if self.chance(20) {
                    it["include_transcript"] = json!(self.chance(50));
                }
                of("API-retrieve-page-markdown", it)
            }
            _ => {
                let it = self.markdown();
                of("API-update-page-markdown", it)
            }
        }
    }

    fn markdown(&mut self) -> Value {
        const TEXTS: &[&str] = &[
            "# Title\n- one\n\t- two\n- [x] done",
            "Some **bold** and *italic* `code` [link](https://x.example) text",
            "<callout icon=\"💡\" color=\"gray_background\">\n\tNote\n</callout>",
            "<details>\n<summary>More</summary>\n\tBelow\n</details>",
            "<columns>\n\t<column>\n\t\tA\n\t</column>\n\t<column>\n\t\tB\n\t</column>\n</columns>",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "```rust\nfn main() {}\n```\n---\n> quote",
            "<details>\nno summary",
            "<page url=\"https://www.notion.so/00000000000040008000000000000000\">x</page>",
            "",
        ];
        let text = *self.draw.of(TEXTS);
        let may_delete = self.chance(50);
        let (kind, change) = match self.draw.below(4) {
            0 => (
                "replace_content",
                json!({"new_str": text, "allow_deleting_content": may_delete}),
            ),
            1 => (
                "update_content",
                json!({"content_updates": [{"old_str": self.draw.of(&["e", "the", "Title", "zzz"]), "new_str": text, "replace_all_matches": self.chance(20)}]}),
            ),
            2 => (
                "insert_content",
                json!({"content": text, "position": {"type": self.draw.of(&["start", "end", "middle"])}}),
            ),
            _ => (
                "replace_content_range",
                json!({"content": text, "content_range": self.draw.of(&["a...e", "Title", "zz...y"])}),
            ),
        };
        json!({"page_id": self.id(|it| &it.pages), "type": kind, kind: change})
    }

    /// Draws the next call of version 1.9.1.
    fn earlier(&mut self) -> Call {
        let of = |tool, arguments| Call { tool, arguments };
        match self.draw.below(30) {
            0 => of("API-get-user", json!({"user_id": self.id(|it| &it.users)})),
            1 => {
                let it = self.paged(json!({}));
                of("API-get-users", it)
            }
            2 => of(
                "API-get-self",
                if self.chance(10) {
                    json!({"a": [1, null]})
                } else {
                    json!({})
                },
            ),
            3..=6 => {
                let it = self.query();
                of("API-post-database-query", it)
            }
            7 => {
                let mut it = json!({"query": self.word()});
                if self.chance(40) {
                    it["filter"] = json!({"property": "object", "value": self.draw.of(&["page", "database", "data_source", "block"])});
                }
                if self.chance(40) {
                    it["sort"] = json!({"direction": "ascending", "timestamp": "last_edited_time"});
                }
                let it = self.paged(it);
                of("API-post-search", it)
            }
            8 | 9 => {
                let it = json!({"block_id": self.id(|it| &it.blocks)});
                let it = self.paged(it);
                of("API-get-block-children", it)
            }
            10..=13 => {
                let mut it =
                    json!({"block_id": self.id(|it| &it.blocks), "children": self.blocks()});
                if self.chance(50) {
                    it["block_id"] = self.id(|it| &it.pages);
                }
                if self.chance(20) {
                    it["after"] = self.id(|it| &it.blocks);
                }
                of("API-patch-block-children", it)
            }
            14 => of(
                "API-retrieve-a-block",
                json!({"block_id": self.id(|it| &it.blocks)}),
            ),
            15 | 16 => {
                let mut it = json!({"block_id": self.id(|it| &it.blocks)});
                let block = self.block(0);
                if let (Some(it), Value::Object(block)) = (it.as_object_mut(), block) {
                    it.extend(block);
                }
                if let Some(it) = it.as_object_mut() {
                    it.remove("object");
                }
                if self.chance(20) {
                    it["archived"] = json!(self.chance(50));
                }
                of("API-update-a-block", it)
            }
            17 => of(
                "API-delete-a-block",
                json!({"block_id": self.id(|it| &it.blocks)}),
            ),
            18 => {
                let mut it = json!({"page_id": self.id(|it| &it.pages)});
                if self.chance(20) {
                    it["filter_properties"] = json!("title");
                }
                of("API-retrieve-a-page", it)
            }
            19 | 20 => {
                let mut it =
                    json!({"page_id": self.id(|it| &it.pages), "properties": self.properties().1});
                if self.chance(15) {
                    it["archived"] = json!(self.chance(50));
                }
                if self.chance(15) {
                    it["in_trash"] = json!(self.chance(50));
                }
                if self.chance(15) {
                    it["icon"] = self
                        .draw
                        .of(&[json!({"emoji": "🐇"}), json!(null), json!("🐇")])
                        .clone();
                }
                if self.chance(15) {
                    it["cover"] =
                        json!({"type": "external", "external": {"url": "https://x.example/c"}});
                }
                of("API-patch-page", it)
            }
            21..=23 => {
                let (database, properties) = self.properties();
                let mut it = json!({"parent": {"database_id": database}, "properties": properties});
                if self.chance(40) {
                    it = json!({"parent": {"page_id": self.id(|it| &it.pages)}, "properties": {"title": self.text()}});
                }
                if self.chance(30) {
                    it["children"] = self.blocks();
                }
                of("API-post-page", it)
            }
            24 => {
                let properties = json!({"Name": {"title": {}}, self.word(): self.schema()});
                of(
                    "API-create-a-database",
                    json!({
                        "parent": {"type": "page_id", "page_id": self.id(|it| &it.pages)},
                        "properties": properties, "title": self.text(),
                    }),
                )
            }
            25 => {
                let it = self.changes();
                of("API-update-a-database", it)
            }
            26 => of(
                "API-retrieve-a-database",
                json!({"database_id": self.id(|it| &it.databases)}),
            ),
            27 => {
                let property = *self.draw.of(&[
                    "title", "sUpp", "oWnr", "sPnt", "cOst", "eQup", "nope", "..",
                ]);
                let it = json!({"page_id": self.id(|it| &it.pages), "property_id": property});
                let it = self.paged(it);
                of("API-retrieve-a-page-property", it)
            }
            28 => {
                let it = json!({"block_id": self.id(|it| &it.pages)});
                let it = self.paged(it);
                of("API-retrieve-a-comment", it)
            }
            _ => {
                let mut it = json!({"parent": {"page_id": self.id(|it| &it.pages)}, "rich_text": self.text()});
                if self.chance(30) && !self.discussions.is_empty() {
                    let discussions = self.discussions.clone();
                    it = json!({"discussion_id": self.draw.of(&discussions), "rich_text": self.text()});
                }
                of("API-create-a-comment", it)
            }
        }
    }
}

/// Calls with which a sequence begins, so that ids are known.
pub(crate) fn opening(is_later: bool) -> Vec<Call> {
    let database = if is_later { "data_source" } else { "database" };
    let search = |arguments| Call {
        tool: "API-post-search",
        arguments,
    };
    vec![
        Call {
            tool: "API-get-users",
            arguments: json!({}),
        },
        search(json!({})),
        search(json!({"filter": {"property": "object", "value": database}})),
        Call {
            tool: "no-such-tool",
            arguments: json!({}),
        },
    ]
}
