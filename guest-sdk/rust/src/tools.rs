//! Solutions: calls to the MCP tools of a task, as a model would make them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::host::{self, tools};
use crate::verifier;

pub use tools::{Content, Output, Tool};

/// Tools of the world, the argument of a solution function.
///
/// The methods that name a tool in parentheses are shorthands for the tools of the filesystem
/// service. Paths may be relative to the world's root, `/workspace`. These methods panic with the
/// tool's message if it reports an error, which ends the attempt.
#[derive(Debug, Default)]
pub struct Tools {
    created: BTreeSet<String>,
}

impl Tools {
    /// Returns all tools, in the order in which the servers list them.
    pub fn list_tools(&self) -> Vec<Tool> {
        host::list_tools()
    }

    /// Calls a tool; `arguments` is a JSON object.
    ///
    /// # Errors
    /// Returns the text of an error result, or the error of a call without a result.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Result<Output, String> {
        let output = host::call_tool(name, &arguments.to_string())?;
        if output.is_error {
            Err(join_text(&output))
        } else {
            Ok(output)
        }
    }

    /// Calls a tool that must succeed and returns the text of its result.
    ///
    /// # Panics
    /// Panics with the tool's message if the call fails.
    #[track_caller]
    pub fn text(&mut self, name: &str, arguments: &Value) -> String {
        match self.call(name, arguments) {
            Ok(output) => join_text(&output),
            Err(message) => panic!("{name} {arguments}: {message}"),
        }
    }

    /// Returns the text of a file (`read_text_file`).
    #[track_caller]
    pub fn read_text(&mut self, path: &str) -> String {
        self.text("read_text_file", &json!({"path": path}))
    }

    /// Returns the texts of many files in their order, with one call (`read_multiple_files`).
    #[track_caller]
    pub fn read_many(&mut self, paths: &[String]) -> Vec<String> {
        if paths.is_empty() {
            return Vec::new();
        }
        let joined = self.text("read_multiple_files", &json!({"paths": paths}));
        let mut rest = joined.as_str();
        let mut texts = Vec::new();
        for (at, path) in paths.iter().enumerate() {
            let Some(body) = rest.strip_prefix(&format!("{path}:\n")) else {
                panic!("read_multiple_files: {path:?} does not begin where it should");
            };
            let end = match paths.get(at + 1) {
                None => body.len(),
                Some(next) => match body.find(&format!("\n---\n{next}:\n")) {
                    Some(end) => end,
                    None => panic!("read_multiple_files: {next:?} does not follow on {path:?}"),
                },
            };
            let text = &body[..end];
            texts.push(text.strip_suffix('\n').unwrap_or(text).to_owned());
            rest = body.get(end + "\n---\n".len()..).unwrap_or_default();
        }
        texts
    }

    /// Creates or overwrites a file (`write_file`), and creates the directories above it.
    #[track_caller]
    pub fn write(&mut self, path: &str, content: &str) {
        self.create_parents(path);
        self.text("write_file", &json!({"path": path, "content": content}));
    }

    /// Replaces the first occurrence of a text in a file (`edit_file`).
    #[track_caller]
    pub fn edit(&mut self, path: &str, old: &str, new: &str) {
        self.text(
            "edit_file",
            &json!({"path": path, "edits": [{"oldText": old, "newText": new}]}),
        );
    }

    /// Creates a directory and its ancestors (`create_directory` for each).
    #[track_caller]
    pub fn create_directory(&mut self, path: &str) {
        self.create_parents(path);
        if self.created.insert(path.to_owned()) {
            self.text("create_directory", &json!({"path": path}));
        }
    }

    /// Moves or renames an entry (`move_file`), and creates the directories above the destination.
    #[track_caller]
    pub fn rename(&mut self, source: &str, destination: &str) {
        self.create_parents(destination);
        self.text(
            "move_file",
            &json!({"source": source, "destination": destination}),
        );
    }

    /// Returns the names in a directory (`list_directory`), each with true if it is a directory.
    #[track_caller]
    pub fn list(&mut self, path: &str) -> Vec<(String, bool)> {
        let listing = self.text("list_directory", &json!({"path": path}));
        listing
            .lines()
            .filter_map(|line| {
                let file = line
                    .strip_prefix("[FILE] ")
                    .map(|name| (name.to_owned(), false));
                file.or_else(|| {
                    line.strip_prefix("[DIR] ")
                        .map(|name| (name.to_owned(), true))
                })
            })
            .collect()
    }

    /// Returns the paths of all files below a directory, in the order of the tool
    /// (`directory_tree`).
    #[track_caller]
    pub fn files(&mut self, path: &str) -> Vec<String> {
        let text = self.text("directory_tree", &json!({"path": path}));
        let tree: Value = match serde_json::from_str(&text) {
            Ok(tree) => tree,
            Err(error) => panic!("directory_tree {path:?} gave no JSON: {error}"),
        };
        let mut files = Vec::new();
        let base = if path.is_empty() || path == "." {
            String::new()
        } else {
            format!("{}/", path.trim_end_matches('/'))
        };
        collect_files(&tree, &base, &mut files);
        files
    }

    /// Returns the parameters of the task, a JSON object.
    pub fn parameters(&self) -> Value {
        verifier::parameters()
    }

    /// Writes a line to the log, for readers of the attempt.
    pub fn log(&self, message: &str) {
        host::log(message);
    }

    /// Creates each directory above a path that this solution has not created yet, with one call
    /// each. `create_directory` also succeeds if the directory exists.
    #[track_caller]
    fn create_parents(&mut self, path: &str) {
        let root = if path.starts_with('/') {
            "/workspace/".len().min(path.len())
        } else {
            0
        };
        let ends: Vec<usize> = path
            .match_indices('/')
            .map(|(at, _)| at)
            .filter(|at| *at >= root)
            .collect();
        for end in ends {
            let parent = &path[..end];
            if !parent.is_empty() && self.created.insert(parent.to_owned()) {
                self.text("create_directory", &json!({"path": parent}));
            }
        }
    }
}

fn collect_files(tree: &Value, base: &str, files: &mut Vec<String>) {
    for entry in tree.as_array().into_iter().flatten() {
        let path = format!("{base}{}", entry["name"].as_str().unwrap_or_default());
        match entry["type"].as_str() {
            Some("directory") => collect_files(&entry["children"], &format!("{path}/"), files),
            _ => files.push(path),
        }
    }
}

fn join_text(output: &Output) -> String {
    let texts = output.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::testing::solve;

    fn text(text: &str) -> Output {
        Output {
            content: vec![Content::Text(text.into())],
            structured: None,
            is_error: false,
        }
    }

    #[test]
    fn directories_above_a_file_are_created_once() {
        let calls = Rc::new(RefCell::new(Vec::new()));
        let seen = calls.clone();
        let answer = solve(
            |tools| {
                tools.write("a/b/c.txt", "x");
                tools.write("/workspace/d/e.txt", "y");
                tools.write("a/b/f.txt", "z");
                tools.write("/workspace/g.txt", "z");
                "done".to_owned()
            },
            move |name, arguments| {
                seen.borrow_mut().push(format!(
                    "{name} {}",
                    arguments["path"].as_str().unwrap_or_default()
                ));
                Ok(text("ok"))
            },
        );
        assert_eq!(answer, "done");
        assert_eq!(
            *calls.borrow(),
            [
                "create_directory a",
                "create_directory a/b",
                "write_file a/b/c.txt",
                "create_directory /workspace/d",
                "write_file /workspace/d/e.txt",
                "write_file a/b/f.txt",
                "write_file /workspace/g.txt",
            ]
        );
    }

    #[test]
    fn listings_become_names_and_paths() {
        solve(
            |tools| {
                assert_eq!(
                    tools.list("a"),
                    [("b".to_owned(), true), ("c d.txt".to_owned(), false)]
                );
                assert_eq!(tools.files("a"), ["a/b/x.md", "a/c d.txt"]);
                assert_eq!(tools.files("."), ["b/x.md", "c d.txt"]);
                String::new()
            },
            |name, _| {
                Ok(text(match name {
                    "list_directory" => "[DIR] b\n[FILE] c d.txt",
                    _ => {
                        r#"[{"name":"b","type":"directory","children":[{"name":"x.md","type":"file"}]},{"name":"c d.txt","type":"file"}]"#
                    }
                }))
            },
        );
    }

    #[test]
    #[should_panic(expected = r#"read_text_file {"path":"no.txt"}: ENOENT"#)]
    fn errors_end_the_attempt_with_the_words_of_the_tool() {
        solve(
            |tools| tools.read_text("no.txt"),
            |_, _| {
                Ok(Output {
                    is_error: true,
                    ..text("ENOENT")
                })
            },
        );
    }
}
