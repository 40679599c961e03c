//! Agents that act as if they worked on a task. A task that one of them passes does not measure work.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::{Agent, Attempt, End, EndKind, Halt, Reply, ToolCall};

/// Agent that answers with the instruction, without a tool call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Echo;

#[async_trait]
impl Agent for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let text = attempt.instruction().to_owned();
        answer(attempt, text)
    }
}

/// Agent that gives a fixed answer, without a tool call.
#[derive(Debug, Clone)]
pub struct AnswerOnly {
    answer: String,
}

impl AnswerOnly {
    /// Creates an agent that gives this answer.
    pub fn new(answer: String) -> Self {
        Self { answer }
    }
}

#[async_trait]
impl Agent for AnswerOnly {
    fn name(&self) -> &'static str {
        "answer-only"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        answer(attempt, self.answer.clone())
    }
}

/// Agent that calls every tool once, with arguments of types that the schema of the tool does not allow, and answers
/// with the last error.
#[derive(Debug, Clone, Copy, Default)]
pub struct ErrorOnly;

#[async_trait]
impl Agent for ErrorOnly {
    fn name(&self) -> &'static str {
        "error-only"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let tools = attempt.client().tools().iter();
        let calls: Vec<ToolCall> = tools
            .enumerate()
            .map(|(index, tool)| ToolCall {
                id: format!("call-{}", index + 1),
                name: tool.name.to_string(),
                arguments: invalid_arguments(&tool.input_schema),
                malformed: None,
            })
            .collect();
        // All calls are in one turn, because there may be more tools than turns.
        let reply = Reply {
            calls,
            ..Reply::default()
        };
        attempt.reply(&reply)?;
        let mut text = String::new();
        for call in &reply.calls {
            match attempt.call(call).await? {
                Ok(output) if output.is_error => text = output.text(),
                Err(error) => text = error,
                Ok(_) => {}
            }
        }
        answer(attempt, text)
    }
}

fn answer(attempt: &mut Attempt<'_>, text: String) -> Result<End, Halt> {
    attempt.reply(&Reply {
        text,
        ..Reply::default()
    })?;
    Ok(End::new(EndKind::Completed))
}

/// Returns arguments that contain every property of a schema, each with a value of a type that is not allowed.
fn invalid_arguments(schema: &Map<String, Value>) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties
        .map(|(name, property)| (name.clone(), invalid_value(property)))
        .collect()
}

/// Returns a value of the first type that a schema does not allow.
fn invalid_value(schema: &Value) -> Value {
    let allows = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|it| it == kind),
        allowed => allowed == kind,
    };
    if !allows("array") {
        json!([[]])
    } else if !allows("string") {
        json!("?")
    } else if !allows("boolean") {
        json!(true)
    } else {
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_have_types_that_the_schema_does_not_allow() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "paths": {"type": "array", "items": {"type": "string"}},
                "body": {"type": ["array", "string"]},
                "any": {},
            },
            "required": ["path"],
        });
        let invalid = invalid_arguments(schema.as_object().unwrap());
        assert_eq!(
            Value::Object(invalid),
            json!({"path": [[]], "paths": "?", "body": true, "any": [[]]})
        );
        assert!(invalid_arguments(&Map::new()).is_empty());
    }
}
