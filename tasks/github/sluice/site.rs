//! What the solutions on this repository share: calls of the tools and their results.
#![allow(dead_code, reason = "each task uses a part of it")]

use mcpmark_guest::serde_json::{self, Map, Value, json};
use mcpmark_guest::{Content, Tools};

const OWNER: &str = "lowfield";
const REPO: &str = "sluice";

pub struct Site<'a> {
    tools: &'a mut Tools,
}

impl<'a> Site<'a> {
    pub fn new(tools: &'a mut Tools) -> Self {
        Self { tools }
    }

    fn arguments(arguments: &Value) -> Value {
        let mut all = Map::new();
        all.insert("owner".to_owned(), OWNER.into());
        all.insert("repo".to_owned(), REPO.into());
        if let Value::Object(own) = arguments {
            all.extend(own.clone());
        }
        Value::Object(all)
    }

    /// The text of a result.
    pub fn text(&mut self, tool: &str, arguments: &Value) -> String {
        self.tools.text(tool, &Self::arguments(arguments))
    }

    /// A result that is JSON.
    pub fn json(&mut self, tool: &str, arguments: &Value) -> Value {
        let text = self.text(tool, arguments);
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => panic!("{tool} gave no JSON: {error}"),
        }
    }

    /// All pages of a list. Where the list is a part of the result, `part` names it.
    pub fn pages(&mut self, tool: &str, part: Option<&str>, arguments: &Value) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            let mut arguments = arguments.clone();
            arguments["page"] = page.into();
            arguments["perPage"] = 100.into();
            let mut result = self.json(tool, &arguments);
            let list = match part {
                Some(part) => result[part].take(),
                None => result,
            };
            let Value::Array(list) = list else { break };
            let is_last = list.len() < 100;
            all.extend(list);
            if is_last {
                break;
            }
        }
        all
    }

    /// All open issues, the oldest first.
    pub fn open_issues(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut after = String::new();
        loop {
            let mut arguments = json!({
                "state": "OPEN", "orderBy": "CREATED_AT", "direction": "ASC", "perPage": 100,
            });
            if !after.is_empty() {
                arguments["after"] = after.into();
            }
            let result = self.json("list_issues", &arguments);
            all.extend(result["issues"].as_array().into_iter().flatten().cloned());
            if result["pageInfo"]["hasNextPage"] != true {
                return all;
            }
            after = text(&result["pageInfo"]["endCursor"]).to_owned();
        }
    }

    /// A file at a branch or tag, if it is there.
    pub fn file_at(&mut self, reference: &str, path: &str) -> Option<String> {
        self.file(&json!({"path": path, "ref": reference}))
    }

    /// A file at a commit; it must be on the default branch as well.
    pub fn file_of(&mut self, commit: &str, path: &str) -> Option<String> {
        self.file(&json!({"path": path, "sha": commit}))
    }

    fn file(&mut self, arguments: &Value) -> Option<String> {
        let arguments = Self::arguments(arguments);
        let output = self.tools.call("get_file_contents", &arguments).ok()?;
        output.content.iter().find_map(|content| match content {
            Content::Other(block) => {
                let block: Value = serde_json::from_str(block).ok()?;
                Some(block["resource"]["text"].as_str()?.to_owned())
            }
            _ => None,
        })
    }

    pub fn create_branch(&mut self, name: &str, from: &str) {
        self.text(
            "create_branch",
            &json!({"branch": name, "from_branch": from}),
        );
    }

    /// One commit with these files.
    pub fn push(&mut self, branch: &str, message: &str, files: &[(String, String)]) {
        let files: Vec<Value> = files
            .iter()
            .map(|(path, content)| json!({"path": path, "content": content}))
            .collect();
        let arguments = json!({"branch": branch, "message": message, "files": files});
        self.text("push_files", &arguments);
    }

    /// Opens a pull request and gives its number, which is in its address only.
    pub fn open_pull(&mut self, title: &str, head: &str, base: &str, body: &str) -> u64 {
        let arguments = json!({"title": title, "head": head, "base": base, "body": body});
        let result = self.json("create_pull_request", &arguments);
        let number = text(&result["url"]).rsplit('/').next();
        number
            .and_then(|number| number.parse().ok())
            .expect("the address ends with the number")
    }

    pub fn comment(&mut self, number: u64, body: &str) {
        let arguments = json!({"issue_number": number, "body": body});
        self.text("add_issue_comment", &arguments);
    }

    pub fn ask_for_review(&mut self, number: u64, login: &str) {
        let arguments = json!({"pullNumber": number, "reviewers": [login]});
        self.text("update_pull_request", &arguments);
    }
}

/// A string, or nothing.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}
