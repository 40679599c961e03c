//! Tool descriptions in the form of published corpora: one line of text for each tool, with names that start with the
//! server.

use serde_json::Value;

/// Returns the signatures of tools, one in each line, such as `filesystem_read_text_file(path: string, tail?: number):
/// description`.
pub(super) fn signatures(tools: &[Value], service: &str) -> String {
    let lines = tools.iter().map(|tool| signature(tool, service));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the name of a tool with the prefix of its server: the service of the world, or the name of an external
/// server.
pub(super) fn full_name(tools: &[Value], service: &str, name: &str) -> String {
    let tool = tools.iter().find(|tool| tool["name"] == name);
    let server = tool.and_then(|tool| tool["server"].as_str());
    format!("{}_{name}", server.unwrap_or(service))
}

fn signature(tool: &Value, service: &str) -> String {
    let schema = &tool["input_schema"];
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let parameters: Vec<String> = properties
        .map(|(name, property)| {
            let mark = if is_required(name) { "" } else { "?" };
            format!("{name}{mark}: {}", type_of(property))
        })
        .collect();
    let name = tool["name"].as_str().unwrap_or_default();
    let server = tool["server"].as_str().unwrap_or(service);
    let signature = format!("{server}_{name}({})", parameters.join(", "));
    match tool["description"].as_str().unwrap_or_default().trim() {
        "" => one_line(&signature),
        description => one_line(&format!("{signature}: {description}")),
    }
}

/// Replaces each run of white space by one space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the JSON type of a property. Arrays are the type of their items with `[]`, and properties without a type are
/// `any`.
fn type_of(property: &Value) -> String {
    match &property["type"] {
        Value::String(kind) if kind == "array" && property["items"].is_object() => {
            format!("{}[]", type_of(&property["items"]))
        }
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join("|")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn signatures_name_the_server_and_the_types() {
        let tools = [
            json!({"name": "read_text_file", "description": "Read a file.\n  Text only.", "input_schema": {
                "required": ["path"],
                "properties": {"path": {"type": "string"}, "tail": {"type": ["number", "null"]},
                    "tags": {"type": "array", "items": {"type": "string"}}, "any": {}}}}),
            json!({"name": "now", "server": "clock", "description": "", "input_schema": {}}),
        ];
        assert_eq!(
            signatures(&tools, "filesystem"),
            "filesystem_read_text_file(path: string, tail?: number|null, tags?: string[], any?: any): Read a file. Text only.\n\
             clock_now()"
        );
        assert_eq!(full_name(&tools, "filesystem", "now"), "clock_now");
        assert_eq!(full_name(&tools, "filesystem", "gone"), "filesystem_gone");
    }
}
