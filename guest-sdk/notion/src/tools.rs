//! Tools of the notion service, as a solution calls them.

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{self, Value, json};

/// Tools of the published server. Each method panics with the answer if a call fails, which ends
/// the attempt.
#[derive(Debug)]
pub struct NotionTools<'a> {
    tools: &'a mut Tools,
}

impl<'a> NotionTools<'a> {
    /// Creates the tools.
    pub fn new(tools: &'a mut Tools) -> Self {
        Self { tools }
    }

    /// Calls a tool and returns its answer.
    ///
    /// # Panics
    /// Panics with the answer if it is an error.
    #[track_caller]
    pub fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let text = self.tools.text(name, arguments);
        let answer: Value = match serde_json::from_str(&text) {
            Ok(answer) => answer,
            Err(error) => panic!("{name} {arguments}: {error}: {text}"),
        };
        assert!(
            answer["object"] != "error" && answer["status"] != "error",
            "{name} {arguments}: {text}"
        );
        answer
    }

    /// Returns the results of a paged tool on all pages.
    #[track_caller]
    pub fn all(&mut self, name: &str, arguments: &Value) -> Vec<Value> {
        let mut arguments = arguments.clone();
        let mut all = Vec::new();
        loop {
            let mut answer = self.call(name, &arguments);
            if let Some(Value::Array(results)) = answer.get_mut("results").map(Value::take) {
                all.extend(results);
            }
            match answer["next_cursor"].take() {
                Value::Null => return all,
                cursor => arguments["start_cursor"] = cursor,
            }
        }
    }

    /// Returns the page or database with exactly this title (`API-post-search`).
    #[track_caller]
    pub fn find(&mut self, object: &str, title: &str) -> Value {
        let filter = json!({"property": "object", "value": object});
        let found = self.all(
            "API-post-search",
            &json!({"query": title, "filter": filter}),
        );
        let found = found.into_iter().find(|it| title_of(it) == title);
        found.unwrap_or_else(|| panic!("no {object} has the title {title:?}"))
    }

    /// Returns the rows of a database (`API-post-database-query`).
    #[track_caller]
    pub fn rows(&mut self, database: &str) -> Vec<Value> {
        self.all("API-post-database-query", &json!({"database_id": database}))
    }

    /// Returns the rows of a database that match a filter (`API-post-database-query`).
    #[track_caller]
    pub fn query(&mut self, database: &str, filter: Value) -> Vec<Value> {
        self.all(
            "API-post-database-query",
            &json!({"database_id": database, "filter": filter}),
        )
    }

    /// Returns the blocks directly below a page or block (`API-get-block-children`).
    #[track_caller]
    pub fn children(&mut self, id: &str) -> Vec<Value> {
        self.all("API-get-block-children", &json!({"block_id": id}))
    }

    /// Returns the texts of the blocks directly below a page or block, one per block.
    #[track_caller]
    pub fn lines(&mut self, id: &str) -> Vec<String> {
        self.children(id).iter().map(plain_of_block).collect()
    }

    /// Returns the comments on a page or block (`API-retrieve-a-comment`).
    #[track_caller]
    pub fn comments(&mut self, id: &str) -> Vec<Value> {
        self.all("API-retrieve-a-comment", &json!({"block_id": id}))
    }

    /// Returns the id of the user with a name (`API-get-users`).
    #[track_caller]
    pub fn users(&mut self) -> Vec<(String, String)> {
        let users = self.all("API-get-users", &json!({}));
        let of = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
        let users = users.iter();
        users.map(|it| (of(it, "name"), of(it, "id"))).collect()
    }

    /// Changes properties of a page or row (`API-patch-page`).
    #[track_caller]
    pub fn set(&mut self, page: &str, properties: Value) -> Value {
        self.call(
            "API-patch-page",
            &json!({"page_id": page, "properties": properties}),
        )
    }

    /// Adds blocks at the end of a page or block (`API-patch-block-children`).
    #[track_caller]
    pub fn append(&mut self, id: &str, children: Vec<Value>) -> Value {
        self.call(
            "API-patch-block-children",
            &json!({"block_id": id, "children": children}),
        )
    }

    /// Adds a comment to a page (`API-create-a-comment`).
    #[track_caller]
    pub fn comment(&mut self, page: &str, text: &str) -> Value {
        self.call(
            "API-create-a-comment",
            &json!({"parent": {"page_id": page}, "rich_text": rich_text(text)}),
        )
    }
}

/// Returns rich text of one piece without a style.
pub fn rich_text(text: &str) -> Value {
    json!([{"text": {"content": text}}])
}

/// Returns a block with a text.
pub fn block(kind: &str, text: &str) -> Value {
    json!({"type": kind, kind: {"rich_text": rich_text(text)}})
}

/// Returns the characters of rich text in an answer.
pub fn plain(rich_text: &Value) -> String {
    let pieces = rich_text.as_array().into_iter().flatten();
    pieces.filter_map(|it| it["plain_text"].as_str()).collect()
}

/// Returns the title of a page, row or database in an answer.
pub fn title_of(object: &Value) -> String {
    if object["object"] == "database" {
        return plain(&object["title"]);
    }
    let properties = object["properties"].as_object().into_iter().flatten();
    let mut titles = properties.filter(|(_, it)| it["type"] == "title");
    titles
        .next()
        .map(|(_, it)| plain(&it["title"]))
        .unwrap_or_default()
}

fn plain_of_block(block: &Value) -> String {
    let kind = block["type"].as_str().unwrap_or_default();
    let body = &block[kind];
    match body.get("title").and_then(Value::as_str) {
        Some(title) => title.to_owned(),
        None => plain(&body["rich_text"]),
    }
}
