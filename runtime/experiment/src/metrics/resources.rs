use serde::Serialize;

/// What one attempt took. None is unknown, and never counted as 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consumption {
    /// Replies of the agent.
    pub turns: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Tokens of all requests, cached ones too.
    pub input_tokens: Option<u64>,
    /// Tokens of all replies.
    pub output_tokens: Option<u64>,
    /// Money, in nano-dollars.
    pub cost_nano_usd: Option<u64>,
    /// Wall time of the agent's part, in microseconds.
    pub agent_us: Option<u64>,
}

/// A mean over the attempts of which the figure is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Mean {
    /// The mean; none where it is known of no attempt.
    pub mean: Option<f64>,
    /// Attempts of which it is known.
    pub known: usize,
    /// Attempts of which it is not.
    pub unknown: usize,
}

/// What attempts took, each on average: the sum over all tasks and runs by their number, as the
/// published tables have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Replies of the agent.
    pub turns: Mean,
    /// Tool calls.
    pub tool_calls: Mean,
    /// Tokens of all requests.
    pub input_tokens: Mean,
    /// Tokens of all replies.
    pub output_tokens: Mean,
    /// US dollars.
    pub cost_usd: Mean,
    /// Seconds of wall time.
    pub seconds: Mean,
}

impl Resources {
    /// The means over some attempts.
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
