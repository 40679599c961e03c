//! Skeleton of a task: the structure of its solution's calls and of its verifier's rules.
//!
//! Two tasks that differ only in names, numbers and texts have the same skeleton. It is a digest, so that certificates
//! can store it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcpmark_agent::ToolCall;
use mcpmark_service::Tool;
use mcpmark_snapshot::Digest;
use mcpmark_task::GuestSource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tokens::{Tokens, without_repetitions};

/// Maximum number of calls in a repetition that counts once.
const LONGEST_LOOP: usize = 8;
/// Maximum length of the name of a file, in bytes.
const LONGEST_NAME: usize = 255;
/// Maximum length of the extension of a file name, in characters.
const LONGEST_EXTENSION: usize = 5;

/// Skeleton of a task. Two tasks with equal skeletons are solved and judged in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skeleton {
    /// Digest of the calls of the solution: tools, keys of the arguments, extensions of the files that they name, and
    /// values of enumerations. Repetitions count once.
    pub calls: Digest,
    /// Digest of the sources of the verifier without comments and literals.
    pub rules: Digest,
}

/// Sources of a verifier: their structure and their string literals.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Digest of the structure.
    pub(crate) digest: Digest,
    /// String literals. `None` if the verifier has no sources.
    pub(crate) strings: Option<BTreeSet<String>>,
}

impl Rules {
    /// Reads the rules of a verifier: those of its sources that are below `tasks`. The SDK is left out, because all tasks
    /// share it. The digest of a verifier without sources is that of its component.
    pub(crate) fn read(
        verifier: &GuestSource,
        compiled_from: &[PathBuf],
        component: Digest,
        tasks: &Path,
    ) -> io::Result<Self> {
        let GuestSource::Rust { .. } = verifier else {
            let digest = Digest::of(format!("component\0{component}").as_bytes());
            return Ok(Self {
                digest,
                strings: None,
            });
        };
        let tasks = fs::canonicalize(tasks)?;
        let mut files = BTreeSet::new();
        let mut strings = BTreeSet::new();
        for path in compiled_from {
            let path = fs::canonicalize(path)?;
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if !is_rust || !path.starts_with(&tasks) {
                continue;
            }
            let tokens = Tokens::of(&fs::read_to_string(&path)?);
            files.insert(Digest::of(tokens.structure.join("\n").as_bytes()).to_string());
            strings.extend(tokens.strings);
        }
        let files: Vec<String> = files.into_iter().collect();
        Ok(Self {
            digest: Digest::of(format!("sources\0{}", files.join("\n")).as_bytes()),
            strings: Some(strings),
        })
    }
}

/// Returns the digest of a sequence of calls. `tools` are the tools that were offered.
pub(crate) fn calls_digest(tools: &[Tool], calls: &[ToolCall]) -> Digest {
    Digest::of(shapes(tools, calls).join("\n").as_bytes())
}

/// Returns the shapes of calls, without repetitions.
fn shapes(tools: &[Tool], calls: &[ToolCall]) -> Vec<String> {
    let shapes = calls.iter().map(|call| {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let mut arguments: Vec<String> = call
            .arguments
            .iter()
            .map(
                |(key, value)| match tool.and_then(|tool| choice(tool, key, value)) {
                    Some(choice) => format!("{key}={choice}"),
                    None => format!("{key}{}", shape(value)),
                },
            )
            .collect();
        arguments.sort_unstable();
        format!("{}({})", call.name, arguments.join(","))
    });
    without_repetitions(shapes.collect(), LONGEST_LOOP, |_| true)
}

/// Returns the value of an argument if it is one of an enumeration in the tool's schema.
fn choice<'v>(tool: &Tool, key: &str, value: &'v Value) -> Option<&'v str> {
    let schema = tool.input_schema.get("properties")?.get(key)?;
    let choices = schema.get("enum")?.as_array()?;
    value.as_str().filter(|_| choices.contains(value))
}

/// Returns the shape of a value: the extension if it is the name of a file, the distinct shapes of the items of an array,
/// and the keys of an object with their shapes.
fn shape(value: &Value) -> String {
    match value {
        Value::String(text) => extension(text).map_or_else(String::new, |it| format!(".{it}")),
        Value::Array(items) => {
            let items: BTreeSet<String> = items.iter().map(shape).collect();
            let items: Vec<String> = items.into_iter().collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(object) => {
            let mut entries: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("{key}{}", shape(value)))
                .collect();
            entries.sort_unstable();
            format!("{{{}}}", entries.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// Returns the extension of a text that looks like the path of a file.
pub(crate) fn extension(text: &str) -> Option<&str> {
    let name = text.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= LONGEST_EXTENSION
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    let is_name = !stem.is_empty() && !text.contains('\n') && name.len() <= LONGEST_NAME;
    (is_extension && is_name).then_some(extension)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall {
            name: name.to_owned(),
            arguments: arguments.as_object().cloned().unwrap(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn calls_are_compared_by_their_shapes() {
        let tools: Vec<Tool> = serde_json::from_value(json!([{
            "name": "issue_write",
            "inputSchema": {"type": "object", "properties": {"method": {"enum": ["create", "update"]}}},
        }]))
        .unwrap();
        let read = |path| call("read_file", json!({ "path": path }));
        let write = |method| {
            call(
                "issue_write",
                json!({"method": method, "title": "See a.b.c now"}),
            )
        };
        let calls = [
            read("a/b.csv"),
            read("c/d e.csv"),
            write("create"),
            read("x.csv"),
            write("create"),
            call("read_many", json!({"paths": ["a.md", "b.md", "c"]})),
        ];
        assert_eq!(
            shapes(&tools, &calls),
            [
                "read_file(path.csv)",
                "issue_write(method=create,title)",
                "read_many(paths[,.md])"
            ]
        );
        // Another value of an enumeration is another call.
        assert_eq!(shapes(&tools, &[write("create"), write("update")]).len(), 2);
        assert_ne!(
            calls_digest(&tools, &[read("a.csv")]),
            calls_digest(&tools, &[read("a.json")])
        );
    }

    #[test]
    fn extensions_belong_to_names_of_files() {
        assert_eq!(extension("01 a/how we count.md"), Some("md"));
        for other in [
            "a/b",
            ".gitignore",
            "version 1.5",
            "a.b\nc.md",
            "a.longer",
            ".",
        ] {
            assert_eq!(extension(other), None, "{other}");
        }
    }

    #[test]
    fn rules_of_shipped_tasks_are_distinct() {
        let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks");
        let list = |dir: PathBuf| -> Vec<PathBuf> {
            let Ok(entries) = fs::read_dir(dir) else {
                return Vec::new();
            };
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        let mut seen: Vec<(Digest, PathBuf)> = Vec::new();
        let worlds = list(tasks.clone()).into_iter().flat_map(list);
        for task in worlds
            .flat_map(list)
            .filter(|dir| dir.join("verifier.rs").exists())
        {
            // Modules of the verifier, and those that it shares with the solution.
            let of_agents = ["solution.rs", "play.rs"].map(|name| task.join(name));
            let sources: Vec<PathBuf> = list(task.clone())
                .into_iter()
                .filter(|path| path.extension().is_some_and(|it| it == "rs"))
                .filter(|path| !of_agents.contains(path))
                .collect();
            let verifier = GuestSource::Rust {
                source: task.join("verifier.rs"),
                package_dir: task.clone(),
            };
            let rules = Rules::read(&verifier, &sources, Digest::of(b""), &tasks).unwrap();
            let twin = seen.iter().find(|(digest, _)| *digest == rules.digest);
            assert_eq!(
                twin,
                None,
                "{} has the rules of another task",
                task.display()
            );
            assert!(rules.strings.is_some_and(|strings| !strings.is_empty()));
            seen.push((rules.digest, task));
        }
        assert!(seen.len() >= 78, "{}", seen.len());
    }

    #[test]
    fn rules_depend_on_the_sources_below_the_tasks() {
        let home = tempfile::tempdir().unwrap();
        let tasks = home.path().join("tasks");
        fs::create_dir_all(tasks.join("a")).unwrap();
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let sdk = write("sdk.rs", "fn sdk() { \"of the SDK\" }");
        let component = Digest::of(b"component");
        let read = |source: GuestSource, compiled_from: &[PathBuf]| {
            Rules::read(&source, compiled_from, component, &tasks).unwrap()
        };
        let rust = |path: &Path| GuestSource::Rust {
            source: path.to_owned(),
            package_dir: tasks.join("a"),
        };
        let one = write("tasks/a/verifier.rs", "fn verify() { \"one\" }");
        let twin = write(
            "tasks/a/twin.rs",
            "// Other words.\nfn verify() { \"two\" }",
        );
        let other = write("tasks/a/other.rs", "fn verify() { both(\"one\") }");
        let of_one = read(rust(&one), &[one.clone(), sdk.clone()]);
        assert_eq!(of_one.strings, Some(BTreeSet::from(["one".to_owned()])));
        assert_eq!(
            of_one.digest,
            read(rust(&twin), &[sdk, twin.clone()]).digest
        );
        assert_ne!(
            of_one.digest,
            read(rust(&other), std::slice::from_ref(&other)).digest
        );
        let wasm = read(GuestSource::Wasm(tasks.join("a/verifier.wasm")), &[]);
        assert!(wasm.strings.is_none() && wasm.digest != of_one.digest);
    }
}
