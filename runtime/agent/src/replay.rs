//! Agent that repeats an earlier attempt.

use async_trait::async_trait;
use mcpmark_service::ToolOutput;
use serde_json::Value;

use crate::functions::play;
use crate::{Agent, Attempt, End, EndKind, Halt, Reply, ResultView};

/// Turn of an earlier attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Text and calls of the turn.
    pub reply: Reply,
    /// Earlier result of each call, or the reason for which there was none; `None` if the call did not return.
    pub results: Vec<Option<Result<ToolOutput, String>>>,
}

/// Agent that repeats the turns of an earlier attempt, and notes differences between results.
#[derive(Debug, Clone)]
pub struct Replay {
    steps: Vec<Step>,
}

/// Maximum number of characters of a result in a note.
const SHOWN: usize = 200;

impl Replay {
    /// Creates an agent that repeats these turns.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

#[async_trait]
impl Agent for Replay {
    fn name(&self) -> &'static str {
        "replay"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let (mut played, mut different) = (0_u32, 0_u32);
        for step in &self.steps {
            attempt.reply(&step.reply)?;
            for (call, then) in step.reply.calls.iter().zip(&step.results) {
                if call.malformed.is_some() {
                    play(attempt, call, ResultView::default()).await?;
                    continue;
                }
                let tools = attempt.client().tools();
                let now = if tools.iter().any(|tool| tool.name == call.name) {
                    attempt.call(call).await?
                } else {
                    // An unknown tool is refused without a request to the server, as in the earlier attempt.
                    Err(play(attempt, call, ResultView::default()).await?.text)
                };
                played += 1;
                if then.as_ref() != Some(&now) {
                    different += 1;
                    attempt.note(&format!(
                        "the result of call {played} ({}) differs: expected {}, found {}",
                        call.name,
                        then.as_ref().map_or_else(|| "no result".to_owned(), shown),
                        shown(&now)
                    ))?;
                }
            }
        }
        let detail = format!("{different} of {played} results differ");
        Ok(End::with(EndKind::Completed, detail))
    }
}

/// Returns the beginning of a result or of an error, in quotes.
fn shown(result: &Result<ToolOutput, String>) -> String {
    let quoted = |text: &str| Value::from(text.chars().take(SHOWN).collect::<String>()).to_string();
    match result {
        Ok(output) if output.is_error => format!("the error {}", quoted(&output.text())),
        Ok(output) => quoted(&output.text()),
        Err(error) => format!("the error {}", quoted(error)),
    }
}
