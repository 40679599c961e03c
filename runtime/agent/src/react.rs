//! Agent that reads tool calls from the text of a model, for models without function calling.

use async_trait::async_trait;
use mcpmark_model::{Conversation, ToolSpec};
use serde_json::{Map, Value};

use crate::functions::{last, play, tool_specs, tools_json};
use crate::{Agent, Asking, Attempt, End, Halt, Reply, ToolCall};

/// Agent for models without function calling: the model writes its thought and its tool call as JSON (ReAct, reasoning
/// and acting).
pub struct React {
    asking: Asking,
}

const SYSTEM: &str = "\
You carry out a task in a workspace that you reach through tools. You work alone: nobody answers \
questions.";

/// Description of the form of replies, with which every system prompt ends.
const FORM: &str = "\
Each of your replies is one JSON object and nothing else, in one of two forms.
To call a tool: {\"thought\": \"why\", \"action\": {\"tool\": \"name\", \"arguments\": {…}}}
To end, when the task is done: {\"thought\": \"why\", \"answer\": \"your answer\"}
Call one tool a reply. What it returns is told to you in the next message.";

impl React {
    /// Creates an agent that sends its requests to a model.
    pub fn new(asking: Asking) -> Self {
        Self { asking }
    }
}

#[async_trait]
impl Agent for React {
    fn name(&self) -> &'static str {
        "react"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let (tools, adapted) = tool_specs(attempt.client().tools());
        let view = self.asking.view(false);
        let told = tools_json(&tools, attempt.client());
        let system = match &self.asking.system_prompt {
            Some(own) => format!("{own}\n\n{FORM}"),
            None => format!("{SYSTEM} {FORM}"),
        };
        attempt.setup(&system, &told, &adapted, view)?;
        let user = format!("{}\n\n{}", attempt.instruction(), listing(&tools));
        let mut conversation = Conversation::new(&system, &user);
        loop {
            let answer = self.asking.turn(attempt, &mut conversation, &[]).await?;
            let step = Step::parse(&answer.text);
            let mut reply = Reply {
                reasoning: step.thought.or(answer.reasoning.clone()),
                ..Reply::default()
            };
            let (mut ends, mut correction) = (false, None);
            match step.act {
                Act::Answer(text) => (reply.text, ends) = (text, true),
                Act::Call(name, arguments) => reply.calls.push(ToolCall {
                    id: format!("call-{}", attempt.tool_calls() + 1),
                    name,
                    arguments,
                    malformed: None,
                }),
                Act::Malformed(problem) => {
                    reply.text.clone_from(&answer.text);
                    reply.unreadable = true;
                    correction = Some(format!(
                        "That reply cannot be used: {problem}. Reply with one JSON object in one of \
                         the two forms."
                    ));
                }
            }
            attempt.reply(&reply)?;
            if let Some(end) = last(&answer.finish, ends) {
                return Ok(end);
            }
            conversation.push_answer(&answer);
            let said = match correction {
                Some(text) => {
                    attempt.told(&text)?;
                    text
                }
                None => {
                    let result = play(attempt, &reply.calls[0], view).await?;
                    let kind = if result.is_error { "error" } else { "result" };
                    format!("The {kind} of {}:\n{}", reply.calls[0].name, result.text)
                }
            };
            conversation.push_user(&said);
            attempt.hold(conversation.memory())?;
            self.asking
                .compact_if_long(attempt, &mut conversation, &answer)
                .await?;
        }
    }
}

fn listing(tools: &[ToolSpec]) -> String {
    let mut text = "The tools, each with the JSON Schema of its arguments:".to_owned();
    for tool in tools {
        text.push_str(&format!(
            "\n- {}: {}\n  {}",
            tool.name, tool.description, tool.input_schema
        ));
    }
    text
}

/// Parsed reply.
struct Step {
    thought: Option<String>,
    act: Act,
}

enum Act {
    Answer(String),
    Call(String, Map<String, Value>),
    Malformed(String),
}

impl Step {
    fn parse(text: &str) -> Self {
        // The thought is not extracted, because the complete text is recorded.
        let malformed = |problem: &str| Self {
            thought: None,
            act: Act::Malformed(problem.to_owned()),
        };
        let object: Map<String, Value> = match serde_json::from_str(bare(text)) {
            Ok(object) => object,
            Err(error) => return malformed(&format!("it is no JSON object ({error})")),
        };
        let thought = object
            .get("thought")
            .and_then(Value::as_str)
            .map(str::to_owned);
        if thought.is_none() {
            return malformed("it has no `thought`");
        }
        if let Some(answer) = object.get("answer").or(object.get("result")) {
            let text = answer
                .as_str()
                .map_or_else(|| answer.to_string(), str::to_owned);
            return Self {
                thought,
                act: Act::Answer(text),
            };
        }
        let action = &object.get("action").cloned().unwrap_or_default();
        match (action["tool"].as_str(), &action["arguments"]) {
            (None, _) => malformed("it has neither an `answer` nor an `action` with a `tool`"),
            (Some(tool), Value::Null) => Self {
                thought,
                act: Act::Call(tool.to_owned(), Map::new()),
            },
            (Some(tool), Value::Object(arguments)) => Self {
                thought,
                act: Act::Call(tool.to_owned(), arguments.clone()),
            },
            (Some(_), _) => malformed("its `arguments` are no object"),
        }
    }
}

/// Returns the JSON of a reply without the Markdown code fence that many models add.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    inner.map_or(text, |inner| {
        inner.strip_prefix("json").unwrap_or(inner).trim()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_as_they_are_meant() {
        let act = |text| match Step::parse(text).act {
            Act::Answer(text) => format!("answer {text}"),
            Act::Call(name, arguments) => format!("call {name} {}", Value::Object(arguments)),
            Act::Malformed(problem) => problem,
        };
        for (text, read) in [
            (r#"{"thought":"t","answer":"42"}"#, "answer 42"),
            (r#"{"thought":"t","result":42}"#, "answer 42"),
            (
                "```json\n{\"thought\":\"t\",\"answer\":\"a\"}\n```",
                "answer a",
            ),
            (
                r#"{"thought":"t","action":{"tool":"x","arguments":{"a":1}}}"#,
                r#"call x {"a":1}"#,
            ),
            (r#"{"thought":"t","action":{"tool":"x"}}"#, "call x {}"),
            (
                r#"{"thought":"t","action":{"tool":"x","arguments":[]}}"#,
                "its `arguments` are no object",
            ),
            (r#"{"answer":"a"}"#, "it has no `thought`"),
            (
                r#"{"thought":"t"}"#,
                "it has neither an `answer` nor an `action` with a `tool`",
            ),
        ] {
            assert_eq!(act(text), read, "{text}");
        }
        assert!(act("I would look first.").starts_with("it is no JSON object"));
        assert_eq!(
            Step::parse(r#"{"thought":"why","answer":""}"#)
                .thought
                .as_deref(),
            Some("why")
        );
    }
}
