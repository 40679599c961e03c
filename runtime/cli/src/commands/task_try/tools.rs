//! `mcpmark task try tools`: the tools of an open attempt.

use anstyle::Style;
use mcpmark_metadata::{ExitCode, Tool};
use serde_json::Value;

use super::open::{self, OpenAttempt};
use super::protocol::{Request, Response};
use super::unexpected;
use crate::args::OpenArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Hint for the name of an unknown tool.
pub(super) const HINT: &str = "`mcpmark task try tools` lists the tools";

/// Lists the tools of an open attempt, or shows one.
pub(super) fn tools(
    context: &Context,
    name: Option<&str>,
    open: &OpenArgs,
) -> Result<ExitCode, CommandError> {
    let attempt = OpenAttempt::one(context, open.attempt.as_deref())?;
    let tools = match attempt.ask(&Request::Tools)? {
        Some(Response::Tools(tools)) => tools,
        Some(_) => return Err(unexpected(&attempt)),
        None => return Err(open::not_open(context, &attempt.id)),
    };
    match name {
        Some(name) => {
            let tool = tools.iter().find(|tool| tool["name"] == name);
            let tool = tool.ok_or_else(|| CommandError::usage(unknown(name)).hint(HINT))?;
            if open.json {
                output::print_document::<Tool>(tool)?;
            } else {
                output::print(&describe(tool)?)?;
            }
        }
        None if open.json => output::print_document::<Vec<Tool>>(&tools)?,
        None => output::print(&table(&tools).render())?,
    }
    Ok(ExitCode::Passed)
}

/// Returns the message for an unknown tool.
pub(super) fn unknown(name: &str) -> String {
    format!("there is no tool named {name:?}")
}

fn table(tools: &[Value]) -> Table {
    let mut table = Table::new(&["tool", "arguments", "~description"]);
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or_default();
        let description = tool["description"].as_str().unwrap_or_default();
        table.row(vec![
            (sanitise::line(name).into_owned(), Style::new()),
            (
                sanitise::line(&arguments(&tool["inputSchema"])).into_owned(),
                Style::new(),
            ),
            (
                sanitise::line(first_sentence(description)).into_owned(),
                output::DIM,
            ),
        ]);
    }
    table
}

/// Lists the arguments of a schema, the optional ones with a question mark.
fn arguments(schema: &Value) -> String {
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let properties = schema["properties"].as_object();
    let names = properties.into_iter().flat_map(|all| all.keys());
    let names: Vec<String> = names
        .map(|name| {
            if is_required(name) {
                name.clone()
            } else {
                format!("{name}?")
            }
        })
        .collect();
    names.join(", ")
}

/// Returns the first sentence of a description, without its period.
fn first_sentence(description: &str) -> &str {
    let line = description.trim().lines().next().unwrap_or_default();
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    sentence.strip_suffix('.').unwrap_or(sentence)
}

/// Formats a tool with its whole description and its schema.
fn describe(tool: &Value) -> Result<String, CommandError> {
    let name = tool["name"].as_str().unwrap_or_default();
    let description = tool["description"].as_str().unwrap_or_default();
    let schema =
        serde_json::to_string_pretty(&tool["inputSchema"]).map_err(CommandError::infrastructure)?;
    Ok(format!(
        "{}\n{}\n\n{}\n",
        output::paint(output::BOLD, sanitise::line(name)),
        sanitise::block(description.trim()),
        sanitise::json(&schema)
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn optional_arguments_have_a_question_mark() {
        let schema = json!({
            "type": "object",
            "properties": {"path": {}, "head": {}, "tail": {}},
            "required": ["path"],
        });
        assert_eq!(arguments(&schema), "path, head?, tail?");
        assert_eq!(arguments(&json!({"type": "object"})), "");
    }

    #[test]
    fn a_description_is_cut_after_its_first_sentence() {
        for (description, first) in [
            ("Reads a file. Fails if there is none.", "Reads a file"),
            ("Reads a.txt and b.txt.", "Reads a.txt and b.txt"),
            ("Reads a file\nFails if there is none.", "Reads a file"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(description), first);
        }
    }
}
