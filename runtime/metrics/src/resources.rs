//! Mean consumption of attempts: turns, tool calls, tokens, cost and time.

use serde::Serialize;

/// Consumption of one attempt. None means unknown, and is never counted as 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consumption {
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// Input tokens of all requests, including cached tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens of all replies.
    pub output_tokens: Option<u64>,
    /// Cost, in nano-dollars.
    pub cost_nano_usd: Option<u64>,
    /// Wall time of the agent's part, in microseconds.
    pub agent_us: Option<u64>,
}

/// Mean over the attempts whose value is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Mean {
    /// Mean; none if no value is known.
    pub mean: Option<f64>,
    /// Number of attempts whose value is known.
    pub known: usize,
    /// Number of attempts whose value is unknown.
    pub unknown: usize,
}

/// Mean consumption of an attempt: the sum over all tasks and runs divided by their number, as in the published tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Number of replies of the agent.
    pub turns: Mean,
    /// Number of tool calls.
    pub tool_calls: Mean,
    /// Input tokens of all requests.
    pub input_tokens: Mean,
    /// Output tokens of all replies.
    pub output_tokens: Mean,
    /// Cost, in US dollars.
    pub cost_usd: Mean,
    /// Wall time of the agent's part, in seconds.
    pub seconds: Mean,
}

impl Resources {
    /// Computes the means over attempts.
    pub fn of(attempts: &[Consumption]) -> Self {
        let mean = |figure: fn(&Consumption) -> Option<f64>| {
            let known = attempts.iter().filter_map(figure);
            let (sum, known) = known.fold((0.0, 0), |(sum, known), value| (sum + value, known + 1));
            Mean {
                mean: (known > 0).then(|| sum / known as f64),
                known,
                unknown: attempts.len() - known,
            }
        };
        Self {
            turns: mean(|a| Some(f64::from(a.turns))),
            tool_calls: mean(|a| Some(f64::from(a.tool_calls))),
            input_tokens: mean(|a| Some(a.input_tokens? as f64)),
            output_tokens: mean(|a| Some(a.output_tokens? as f64)),
            cost_usd: mean(|a| Some(a.cost_nano_usd? as f64 / 1e9)),
            seconds: mean(|a| Some(a.agent_us? as f64 / 1e6)),
        }
    }
}
