//! Solutions of github worlds: shorthands for the tools of one repository.

use serde_json::{Map, Value, json};

use crate::{Content, Tools};

/// Maximum number of items on one page of a list.
const PAGE: usize = 100;

/// Tools of one github repository.
///
/// The methods panic with the tool's message if it reports an error, which ends the attempt.
#[derive(Debug)]
pub struct RepoTools<'a> {
    tools: &'a mut Tools,
    owner: &'a str,
    name: &'a str,
}

impl<'a> RepoTools<'a> {
    /// Creates the tools of the repository with this owner and name.
    pub fn new(tools: &'a mut Tools, owner: &'a str, name: &'a str) -> Self {
        Self { tools, owner, name }
    }

    /// Calls a tool and returns the text of its result. Owner and repository are added to
    /// `arguments`.
    #[track_caller]
    pub fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let arguments = self.arguments(arguments);
        self.tools.text(tool, &arguments)
    }

    /// Calls a tool and parses its result as JSON.
    #[track_caller]
    pub fn json(&mut self, tool: &str, arguments: &Value) -> Value {
        let text = self.text(tool, arguments);
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => panic!("{tool} gave no JSON: {error}"),
        }
    }

    /// Returns the items of all pages of a list. If the list is a part of the result, `part` is its
    /// key.
    #[track_caller]
    pub fn pages(&mut self, tool: &str, part: Option<&str>, arguments: &Value) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            let mut arguments = arguments.clone();
            arguments["page"] = page.into();
            arguments["perPage"] = PAGE.into();
            let mut result = self.json(tool, &arguments);
            let list = match part {
                Some(part) => result[part].take(),
                None => result,
            };
            let Value::Array(list) = list else { break };
            let is_last = list.len() < PAGE;
            all.extend(list);
            if is_last {
                break;
            }
        }
        all
    }

    /// Returns all issues in a state, `OPEN` or `CLOSED`, the oldest first (`list_issues`).
    #[track_caller]
    pub fn issues(&mut self, state: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let mut after = String::new();
        loop {
            let mut arguments = json!({
                "state": state, "orderBy": "CREATED_AT", "direction": "ASC", "perPage": PAGE,
            });
            if !after.is_empty() {
                arguments["after"] = after.into();
            }
            let result = self.json("list_issues", &arguments);
            all.extend(result["issues"].as_array().into_iter().flatten().cloned());
            if result["pageInfo"]["hasNextPage"] != true {
                return all;
            }
            after = string(&result["pageInfo"]["endCursor"]).to_owned();
        }
    }

    /// Returns the number of the open issue with this title.
    #[track_caller]
    pub fn issue_titled(&mut self, title: &str) -> u64 {
        let issues = self.issues("OPEN");
        let issue = issues.iter().find(|it| string(&it["title"]) == title);
        match issue {
            Some(issue) => number(&issue["number"]),
            None => panic!("no open issue is called {title:?}"),
        }
    }

    /// Returns the comments of an issue or pull request, the oldest first.
    #[track_caller]
    pub fn comments(&mut self, number: u64) -> Vec<Value> {
        self.pages("get_issue_comments", None, &json!({"issue_number": number}))
    }

    /// Returns all pull requests in a state: `open`, `closed` or `all`.
    #[track_caller]
    pub fn pulls(&mut self, state: &str) -> Vec<Value> {
        self.pages("list_pull_requests", None, &json!({"state": state}))
    }

    /// Returns the commits of a branch or tag, the newest first.
    #[track_caller]
    pub fn commits(&mut self, reference: &str) -> Vec<Value> {
        self.pages("list_commits", None, &json!({"sha": reference}))
    }

    /// Returns one commit with the files that it changed.
    #[track_caller]
    pub fn commit(&mut self, id: &str) -> Value {
        self.json("get_commit", &json!({"sha": id, "include_diff": true}))
    }

    /// Returns the text of a file at a branch or tag, or `None` if there is no such file.
    #[track_caller]
    pub fn file_at(&mut self, reference: &str, path: &str) -> Option<String> {
        self.file(&json!({"path": path, "ref": reference}))
    }

    /// Returns the text of a file at a commit, or `None` if there is no such file.
    #[track_caller]
    pub fn file_of(&mut self, commit: &str, path: &str) -> Option<String> {
        self.file(&json!({"path": path, "sha": commit}))
    }

    /// Returns the paths of the files in a directory of a branch, in the order of the tool. The
    /// list is empty if the directory has no files.
    #[track_caller]
    pub fn files_in(&mut self, reference: &str, directory: &str) -> Vec<String> {
        let path = format!("{}/", directory.trim_end_matches('/'));
        let entries = self.json(
            "get_file_contents",
            &json!({"path": path, "ref": reference}),
        );
        let entries = entries.as_array().into_iter().flatten();
        entries
            .filter(|entry| string(&entry["type"]) == "file")
            .map(|entry| string(&entry["path"]).to_owned())
            .collect()
    }

    fn file(&mut self, arguments: &Value) -> Option<String> {
        let arguments = self.arguments(arguments);
        let output = self.tools.call("get_file_contents", &arguments).ok()?;
        output.content.iter().find_map(|content| match content {
            Content::Other(block) => {
                let block: Value = serde_json::from_str(block).ok()?;
                Some(block["resource"]["text"].as_str()?.to_owned())
            }
            _ => None,
        })
    }

    /// Creates a branch from another one (`create_branch`).
    #[track_caller]
    pub fn create_branch(&mut self, name: &str, from: &str) {
        self.text(
            "create_branch",
            &json!({"branch": name, "from_branch": from}),
        );
    }

    /// Adds one commit with these files, each a path and its text (`push_files`).
    #[track_caller]
    pub fn push(&mut self, branch: &str, message: &str, files: &[(String, String)]) {
        let files: Vec<Value> = files
            .iter()
            .map(|(path, content)| json!({"path": path, "content": content}))
            .collect();
        let arguments = json!({"branch": branch, "message": message, "files": files});
        self.text("push_files", &arguments);
    }

    /// Adds one commit that removes a file (`delete_file`).
    #[track_caller]
    pub fn remove(&mut self, branch: &str, message: &str, path: &str) {
        let arguments = json!({"branch": branch, "message": message, "path": path});
        self.text("delete_file", &arguments);
    }

    /// Opens a pull request and returns its number, which is taken from the URL in the result.
    #[track_caller]
    pub fn open_pull(&mut self, title: &str, head: &str, base: &str, body: &str) -> u64 {
        let arguments = json!({"title": title, "head": head, "base": base, "body": body});
        self.numbered("create_pull_request", &arguments)
    }

    /// Opens an issue with these labels and returns its number.
    #[track_caller]
    pub fn open_issue(&mut self, title: &str, body: &str, labels: &[&str]) -> u64 {
        let arguments = json!({"title": title, "body": body, "labels": labels});
        self.numbered("create_issue", &arguments)
    }

    #[track_caller]
    fn numbered(&mut self, tool: &str, arguments: &Value) -> u64 {
        let result = self.json(tool, arguments);
        let number = string(&result["url"]).rsplit('/').next();
        number
            .and_then(|number| number.parse().ok())
            .expect("the address ends with the number")
    }

    /// Merges a pull request with the method `merge`, `squash` or `rebase`.
    #[track_caller]
    pub fn merge(&mut self, number: u64, method: &str, title: &str, message: &str) {
        let arguments = json!({
            "pullNumber": number, "merge_method": method, "commit_title": title,
            "commit_message": message,
        });
        self.text("merge_pull_request", &arguments);
    }

    /// Adds a comment to an issue or pull request.
    #[track_caller]
    pub fn comment(&mut self, number: u64, body: &str) {
        let arguments = json!({"issue_number": number, "body": body});
        self.text("add_issue_comment", &arguments);
    }

    /// Changes an issue, or the fields that a pull request shares with issues (`update_issue`).
    #[track_caller]
    pub fn update_issue(&mut self, number: u64, changes: &Value) {
        let mut arguments = changes.clone();
        arguments["issue_number"] = number.into();
        self.text("update_issue", &arguments);
    }

    /// Changes a pull request (`update_pull_request`).
    #[track_caller]
    pub fn update_pull(&mut self, number: u64, changes: &Value) {
        let mut arguments = changes.clone();
        arguments["pullNumber"] = number.into();
        self.text("update_pull_request", &arguments);
    }

    /// Requests a review of a pull request from a user.
    #[track_caller]
    pub fn ask_for_review(&mut self, number: u64, login: &str) {
        self.update_pull(number, &json!({"reviewers": [login]}));
    }

    fn arguments(&self, arguments: &Value) -> Value {
        let mut all = Map::new();
        all.insert("owner".to_owned(), self.owner.into());
        all.insert("repo".to_owned(), self.name.into());
        if let Value::Object(own) = arguments {
            all.extend(own.clone());
        }
        Value::Object(all)
    }
}

/// Returns a JSON value as a string; empty if it is not a string.
pub fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a JSON value as a number.
///
/// # Panics
/// Panics if the value is not an unsigned integer.
#[track_caller]
pub fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// Returns the names of the labels of an issue or pull request.
pub fn labels(thread: &Value) -> Vec<String> {
    let labels = thread["labels"].as_array().into_iter().flatten();
    labels
        .map(|label| label.as_str().unwrap_or_else(|| string(&label["name"])))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn owner_and_repository_are_given_once() {
        let mut tools = Tools::default();
        let site = RepoTools::new(&mut tools, "lowfield", "sluice");
        assert_eq!(
            site.arguments(&json!({"pullNumber": 3})),
            json!({"owner": "lowfield", "repo": "sluice", "pullNumber": 3})
        );
    }

    #[test]
    fn labels_are_read_in_both_forms() {
        assert_eq!(
            labels(&json!({"labels": ["bug", {"name": "new"}]})),
            ["bug", "new"]
        );
        assert!(labels(&json!({})).is_empty());
    }

    #[test]
    #[should_panic(expected = "add_issue_comment")]
    fn an_error_ends_the_attempt() {
        testing::solve(
            |tools| {
                RepoTools::new(tools, "lowfield", "sluice").comment(1, "Hello.");
                String::new()
            },
            |_, _| Err("not found".to_owned()),
        );
    }
}
