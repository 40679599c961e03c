//! Tokens, cost and time of each turn.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpmark_experiment::journal::{ModelCallRow, Purpose, Trajectory};
use mcpmark_experiment::{Cost, Usage, decimals, report};
use mcpmark_metadata::TurnUsage;

use crate::commands::runs;

/// Tokens, cost and time of a turn, or of the compaction before it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Used {
    /// Number of requests to the model, including retries.
    requests: usize,
    /// Token usage, as far as the replies report it.
    usage: Option<Usage>,
    /// Cost, as far as it is known.
    cost: Option<Cost>,
    /// Wall time of the requests, in microseconds.
    model_us: u64,
    /// Wall time of the tool calls, in microseconds.
    tool_us: u64,
}

/// Usage by turn number and purpose. The compaction before a turn precedes the turn.
pub(super) struct ByTurn(BTreeMap<(u32, Reverse<Purpose>), Used>);

impl ByTurn {
    pub(super) fn of(trajectory: &Trajectory, requests: &[ModelCallRow]) -> Self {
        let mut turns: BTreeMap<(u32, Reverse<Purpose>), Used> = BTreeMap::new();
        for request in requests {
            let used = turns
                .entry((request.turn, Reverse(request.purpose)))
                .or_default();
            used.requests += 1;
            used.model_us = used
                .model_us
                .saturating_add(request.elapsed_us.unsigned_abs());
            if let Some(usage) = request.usage {
                let sum = used.usage.get_or_insert_default();
                sum.input = sum.input.saturating_add(usage.input);
                sum.cached = sum.cached.saturating_add(usage.cached);
                sum.output = sum.output.saturating_add(usage.output);
                sum.reasoning = sum.reasoning.saturating_add(usage.reasoning);
            }
            if let Some(cost) = request.cost {
                used.cost = used.cost.unwrap_or(Cost::ZERO).checked_add(cost);
            }
        }
        for call in &trajectory.calls {
            let used = turns
                .entry((call.turn, Reverse(Purpose::Turn)))
                .or_default();
            let elapsed = call.elapsed_us.map_or(0, i64::unsigned_abs);
            used.tool_us = used.tool_us.saturating_add(elapsed);
        }
        Self(turns)
    }

    /// Formats the usage of a turn as one line. Returns an empty text if no model was used.
    pub(super) fn words(&self, purpose: Purpose, turn: u32) -> String {
        let used = self.0.get(&(turn, Reverse(purpose)));
        let Some(used) = used.filter(|used| used.requests > 0) else {
            return String::new();
        };
        let mut parts = Vec::new();
        if let Some(usage) = used.usage {
            let cached = match usage.cached {
                0 => String::new(),
                cached => format!(" ({cached} cached)"),
            };
            let reasoning = match usage.reasoning {
                0 => String::new(),
                reasoning => format!(" ({reasoning} reasoning)"),
            };
            parts.push(format!("{} tokens in{cached}", usage.input));
            parts.push(format!("{} out{reasoning}", usage.output));
        }
        parts.extend(
            used.cost
                .map(|cost| format!("{} USD", decimals(cost.usd()))),
        );
        parts.push(format!("model {}", runs::seconds(used.model_us)));
        if used.tool_us > 0 {
            parts.push(format!("tools {}", runs::seconds(used.tool_us)));
        }
        if used.requests > 1 {
            parts.push(format!("{} tries", used.requests));
        }
        format!("  {}", parts.join(", "))
    }

    /// Returns the usage as an array of the JSON output.
    pub(super) fn document(&self) -> Vec<TurnUsage> {
        let turns = self
            .0
            .iter()
            .map(|((turn, Reverse(purpose)), used)| TurnUsage {
                turn: *turn,
                purpose: purpose.as_str().to_owned(),
                requests: used.requests,
                usage: used.usage.map(report::usage),
                cost_usd: used.cost.map(Cost::usd),
                model_us: used.model_us,
                tool_us: used.tool_us,
            });
        turns.collect()
    }
}
