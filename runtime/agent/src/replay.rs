use async_trait::async_trait;
use mcpmark_service::ToolOutput;
use serde_json::Value;

use crate::functions::play;
use crate::{Agent, Attempt, End, EndKind, Halt, Reply};

/// A turn of an earlier attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What was said and called.
    pub reply: Reply,
    /// What each call came to then; none where there was no result.
    pub results: Vec<Option<ToolOutput>>,
}

/// Plays the turns of an earlier attempt again, and notes where results differ.
#[derive(Debug, Clone)]
pub struct Replay {
    steps: Vec<Step>,
}

/// Characters of a result that a note shows.
const SHOWN: usize = 200;

impl Replay {
    /// An agent that plays these turns.
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
                    play(attempt, call, false).await?;
                    continue;
                }
                let now = attempt.call(call).await?.ok();
                played += 1;
                if now != *then {
                    different += 1;
                    let show = |output: &Option<ToolOutput>| match output {
                        Some(output) => {
                            let text = output.text();
                            Value::from(text.chars().take(SHOWN).collect::<String>()).to_string()
                        }
                        None => "no result".to_owned(),
                    };
                    attempt.note(&format!(
                        "the result of call {played} ({}) differs: it was {}, and is {}",
                        call.name,
                        show(then),
                        show(&now)
                    ))?;
                }
            }
        }
        let detail = format!("{different} of {played} results differ");
        Ok(End::with(EndKind::Completed, detail))
    }
}
