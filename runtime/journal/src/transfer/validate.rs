//! Validation of imported values beyond the constraints of their table. Readers of the journal rely on it.

use std::collections::HashSet;

use mcpmark_agent::EndKind;
use mcpmark_json::canonical;
use mcpmark_snapshot::Digest;
use mcpmark_verdict::FaultKind;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::plan::Place;
use crate::{MAX_AMOUNT, MessageRole, Spec, words};

/// Range of numbers that are read as `u32`.
const COUNT: Rule = Rule::Number(0, u32::MAX as i64);
/// Range of tokens, nano-dollars and microseconds.
const AMOUNT: Rule = Rule::Number(0, MAX_AMOUNT);
/// Range of times, in milliseconds since 1970, up to the year 9999.
const TIME: Rule = Rule::Number(0, 253_402_300_799_999);
const FLAG: Rule = Rule::Number(0, 1);

enum Rule {
    /// Integer from the first to the second number, inclusive.
    Number(i64, i64),
    Json,
    /// Word of an enum: a description of the enum, and a function that reports whether it has a word.
    Word(&'static str, fn(&str) -> bool),
    /// Digest in hexadecimal, without its prefix.
    HexDigest,
}

fn is_word<T: DeserializeOwned>(text: &str) -> bool {
    words::parse::<T>(text).is_ok()
}

/// Rules for the values of columns that are not null.
const RULES: [(&str, &[(&str, Rule)]); 7] = [
    (
        "attempts",
        &[
            ("agent_settings", Rule::Json),
            ("model_settings", Rule::Json),
            // The number of the next try must fit as well.
            ("try", Rule::Number(1, 1_000_000)),
            ("started_ms", TIME),
            ("ended_ms", TIME),
            ("ended", Rule::Word("end of an attempt", is_word::<EndKind>)),
            ("input_tokens", AMOUNT),
            ("cached_tokens", AMOUNT),
            ("output_tokens", AMOUNT),
            ("reasoning_tokens", AMOUNT),
            ("cost_nano_usd", AMOUNT),
            ("turns", COUNT),
            ("tool_calls", COUNT),
            ("malformed_calls", COUNT),
            ("agent_us", AMOUNT),
            ("model_us", AMOUNT),
            ("tool_us", AMOUNT),
        ],
    ),
    (
        "messages",
        &[
            ("seq", COUNT),
            ("turn", COUNT),
            (
                "role",
                Rule::Word("role of a message", is_word::<MessageRole>),
            ),
            ("content", Rule::Json),
            ("at_ms", TIME),
        ],
    ),
    (
        "tool_calls",
        &[
            ("seq", COUNT),
            ("turn", COUNT),
            ("arguments", Rule::Json),
            ("started_ms", TIME),
            ("elapsed_us", AMOUNT),
            ("result", Rule::Json),
            ("is_error", FLAG),
        ],
    ),
    (
        "model_calls",
        &[
            ("seq", COUNT),
            ("turn", COUNT),
            ("try", COUNT),
            ("started_ms", TIME),
            ("elapsed_us", AMOUNT),
            ("request_digest", Rule::HexDigest),
            ("raw", Rule::Json),
            ("input_tokens", AMOUNT),
            ("cached_tokens", AMOUNT),
            ("output_tokens", AMOUNT),
            ("reasoning_tokens", AMOUNT),
            ("cost_nano_usd", AMOUNT),
        ],
    ),
    ("regrades", &[("begun_ms", TIME), ("ended_ms", TIME)]),
    (
        "grades",
        &[
            ("at_ms", TIME),
            ("passed", FLAG),
            (
                "fault_kind",
                Rule::Word("kind of fault", is_word::<FaultKind>),
            ),
        ],
    ),
    ("checks", &[("seq", COUNT), ("passed", FLAG)]),
];

/// Returns the problem of a row's values; none if all of them can be read back.
pub(super) fn problem(table: &str, row: &Map<String, Value>) -> Option<String> {
    let (_, rules) = RULES.iter().find(|(name, _)| *name == table)?;
    rules.iter().find_map(|(key, rule)| {
        let value = row.get(*key)?;
        match (rule, value) {
            (Rule::Number(least, most), Value::Number(number)) => {
                let fits = number
                    .as_i64()
                    .is_some_and(|it| (*least..=*most).contains(&it));
                (!fits).then(|| format!("its {key} is {number}; expected {least} to {most}"))
            }
            (Rule::Json, Value::String(text)) => {
                let parsed = serde_json::from_str::<Value>(text);
                parsed
                    .err()
                    .map(|error| format!("its {key} is not valid JSON: {error}"))
            }
            (Rule::Word(what, is_word), Value::String(text)) => {
                (!is_word(text)).then(|| format!("its {key} is not a known {what}"))
            }
            (Rule::HexDigest, Value::String(text)) => {
                let parsed = Digest::from_hex(text);
                parsed
                    .err()
                    .map(|_| format!("its {key} is not a digest in hexadecimal"))
            }
            // The table would convert a number to text, and digits to a number.
            (Rule::Word(..) | Rule::HexDigest | Rule::Json, value) if !value.is_null() => {
                Some(format!("its {key} is {value}; expected a text"))
            }
            (Rule::Number(..), value) if !value.is_null() => {
                Some(format!("its {key} is {value}; expected a number"))
            }
            _ => None,
        }
    })
}

/// Maximum number of planned attempts, far above any experiment.
pub const MAX_PLANNED: u64 = 2_000_000;
/// Maxima of attempts per task and participant, of concurrent attempts and grades, and of concurrent model requests.
/// They equal those of the command line.
const ATTEMPTS: u32 = 10_000;
const JOBS: u32 = 1024;
const MODEL_CALLS: u32 = 4096;

/// Returns the problem of a plan; none if the experiment can be resumed.
pub(super) fn plan_problem(spec: &Spec) -> Option<String> {
    let within = |what: &str, found: Option<u32>, most: u32| {
        let found = found.filter(|found| !(1..=most).contains(found))?;
        Some(format!("it has {found} {what}; expected 1 to {most}"))
    };
    let more = within("attempts of each task", Some(spec.attempts), ATTEMPTS)
        .or_else(|| within("concurrent attempts", spec.concurrency.jobs, JOBS))
        .or_else(|| within("concurrent grades", spec.concurrency.grades, JOBS))
        .or_else(|| {
            within(
                "concurrent requests",
                spec.concurrency.model_calls,
                MODEL_CALLS,
            )
        });
    if more.is_some() {
        return more;
    }
    let planned = if spec.steps.is_empty() {
        (spec.tasks.len() as u64)
            .saturating_mul(spec.participants.len() as u64)
            .saturating_mul(spec.attempts.into())
    } else {
        spec.planned() as u64
    };
    if !(1..=MAX_PLANNED).contains(&planned) {
        return Some(format!(
            "it plans {planned} attempts; expected 1 to {MAX_PLANNED}"
        ));
    }
    // The id of an attempt is derived from its task and participant, so none may be planned twice.
    let mut seen = HashSet::new();
    let twice = spec.tasks.iter().find(|task| !seen.insert((*task).clone()));
    let twice = twice.cloned().or_else(|| {
        let participant = spec
            .participants
            .iter()
            .find(|participant| !seen.insert(canonical(&json!(participant.identity()))));
        participant.map(|participant| participant.name().to_owned())
    });
    twice.map(|twice| format!("it lists {twice} twice"))
}

/// Specification with its attempts by position.
pub(super) struct Plan {
    spec: Spec,
    places: Vec<Place>,
}

impl Plan {
    pub(super) fn of(spec: Spec) -> Self {
        let places = spec.places();
        Self { spec, places }
    }

    /// Returns true if an attempt matches the plan at its position.
    pub(super) fn has(&self, row: &Map<String, Value>) -> bool {
        let number = |key: &str| row.get(key).and_then(Value::as_u64);
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let place = number("position").and_then(|position| usize::try_from(position).ok());
        let Some(place) = place.and_then(|position| self.places.get(position)) else {
            return false;
        };
        let participant = &self.spec.participants[place.participant as usize];
        let model = participant.model.as_ref();
        number("k") == Some(place.k.into())
            && text("task") == Some(self.spec.tasks[place.task as usize].as_str())
            && text("agent") == Some(participant.agent.as_str())
            && text("model") == model.map(|model| model.name.as_str())
    }
}
