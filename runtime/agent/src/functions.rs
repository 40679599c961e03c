//! Agent that uses the function calling of a model.

use async_trait::async_trait;
use mcpmark_model::{AskedCall, CallResult, Conversation, Finish, ToolSpec};
use mcpmark_service::{Tool, ToolClient};
use serde_json::{Value, json};

use crate::{Agent, Asking, Attempt, End, EndKind, Halt, Reply, ResultView, ToolCall};

/// Agent that calls tools through the function calling of a model, until a reply contains no call.
pub struct Functions {
    asking: Asking,
}

const SYSTEM: &str = "\
You carry out a task in a workspace that you reach through tools. Work step by step: look before \
you change anything, use the results of your calls, and check what you did. You work alone: nobody \
answers questions, so decide for yourself where the task leaves a choice. When the task is done, \
reply without calling a tool; that reply ends your work and is your answer.";

/// Maximum number of calls of one reply that are made. Further calls are refused.
const MAX_CALLS_PER_REPLY: usize = 256;

const TOO_MANY_CALLS: &str =
    "the call was not made: one reply may have at most 256 calls; make it again in a later one";

impl Functions {
    /// Creates an agent that sends its requests to a model.
    pub fn new(asking: Asking) -> Self {
        Self { asking }
    }
}

#[async_trait]
impl Agent for Functions {
    fn name(&self) -> &'static str {
        "mcpmark"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let (tools, adapted) = tool_specs(attempt.client().tools());
        let view = self.asking.view(true);
        let told = tools_json(&tools, attempt.client());
        let system = self.asking.system_prompt.as_deref().unwrap_or(SYSTEM);
        attempt.setup(system, &told, &adapted, view)?;
        let mut conversation = Conversation::new(system, attempt.instruction());
        loop {
            let answer = self.asking.turn(attempt, &mut conversation, &tools).await?;
            let reply = Reply {
                text: answer.text.clone(),
                reasoning: answer.reasoning.clone(),
                calls: answer.calls.iter().map(tool_call).collect(),
                ..Reply::default()
            };
            attempt.reply(&reply)?;
            if let Some(end) = last(&answer.finish, answer.calls.is_empty()) {
                return Ok(end);
            }
            conversation.push_answer(&answer);
            attempt.hold(conversation.memory())?;
            let mut results = Vec::new();
            let mut memory = 0;
            for (number, (asked, call)) in answer.calls.iter().zip(&reply.calls).enumerate() {
                let result = if number < MAX_CALLS_PER_REPLY {
                    play(attempt, call, view).await?
                } else {
                    attempt.refuse(call, TOO_MANY_CALLS)?;
                    CallResult::error(TOO_MANY_CALLS)
                };
                memory += result.memory();
                attempt.hold(conversation.memory().saturating_add(memory))?;
                results.push((asked, result));
            }
            conversation.push_results(&results);
            self.asking
                .compact_if_long(attempt, &mut conversation, &answer)
                .await?;
        }
    }
}

/// Returns the end of the agent's part if a reply is the last one.
pub(crate) fn last(finish: &Finish, calls_nothing: bool) -> Option<End> {
    match finish {
        Finish::Refused(reason) => {
            let detail = format!("the model was stopped: {reason}");
            Some(End::with(EndKind::Completed, detail))
        }
        _ if !calls_nothing => None,
        Finish::Length => {
            let detail = "the last reply was cut off at its token limit";
            Some(End::with(EndKind::Completed, detail))
        }
        Finish::Stop => Some(End::new(EndKind::Completed)),
    }
}

/// Makes one tool call, or refuses it if its arguments are malformed or the tool is unknown. Both results are for the
/// model.
pub(crate) async fn play(
    attempt: &mut Attempt<'_>,
    call: &ToolCall,
    view: ResultView,
) -> Result<CallResult, Halt> {
    if let Some(text) = &call.malformed {
        let problem = match serde_json::from_str::<Value>(text) {
            Ok(_) => "they are no JSON object".to_owned(),
            Err(error) => error.to_string(),
        };
        let sent = quoted(text);
        let reason = format!(
            "the arguments cannot be read: {problem}; call the tool again; you sent: {sent}"
        );
        attempt.refuse(call, &reason)?;
        return Ok(view.error(&reason));
    }
    let tools = attempt.client().tools();
    if !tools.iter().any(|tool| tool.name == call.name) {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let reason = format!(
            "there is no tool named {:?}; there are {}",
            call.name,
            names.join(", ")
        );
        attempt.refuse(call, &reason)?;
        return Ok(view.error(&reason));
    }
    Ok(match attempt.call(call).await? {
        Ok(output) => view.output(output),
        Err(reason) => view.error(&reason),
    })
}

/// Maximum number of characters of malformed arguments that are quoted to the model.
const QUOTED: usize = 500;

/// Returns the beginning of a text, with `…` if the rest was cut.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn tool_call(asked: &AskedCall) -> ToolCall {
    ToolCall {
        id: asked.id.clone(),
        name: asked.name.clone(),
        arguments: match asked.malformed {
            Some(_) => serde_json::Map::new(),
            None => asked.arguments.clone(),
        },
        malformed: asked.malformed.clone(),
    }
}

/// Returns the tools in the form for models, and descriptions of the changes to their schemas. An empty `properties` is
/// added to schemas without it, because providers refuse them.
pub(crate) fn tool_specs(tools: &[Tool]) -> (Vec<ToolSpec>, Vec<String>) {
    let mut adapted = Vec::new();
    let specs = tools
        .iter()
        .map(|tool| {
            let mut schema = (*tool.input_schema).clone();
            if !schema.contains_key("properties") {
                schema.insert("properties".to_owned(), json!({}));
                adapted.push(format!("{}: an empty `properties` was added", tool.name));
            }
            ToolSpec {
                name: tool.name.to_string(),
                description: tool.description.as_deref().unwrap_or_default().to_owned(),
                input_schema: Value::Object(schema),
            }
        })
        .collect();
    (specs, adapted)
}

/// Returns the tools as JSON for the journal. A tool of an external server has the key `server` with the server's name.
pub(crate) fn tools_json(tools: &[ToolSpec], client: &ToolClient) -> Value {
    tools
        .iter()
        .map(|tool| {
            let mut told = json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema,
            });
            if let Some(server) = client.server_of(&tool.name) {
                told["server"] = server.into();
            }
            told
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_up_to_a_whole_character() {
        assert_eq!(quoted("{\"a\": "), "{\"a\": ");
        let (whole, longer) = ("ü".repeat(QUOTED), "ü".repeat(QUOTED + 1));
        assert_eq!(quoted(&whole), whole);
        assert_eq!(quoted(&longer), format!("{whole}…"));
    }
}
