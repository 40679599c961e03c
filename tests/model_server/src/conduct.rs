//! What scripted models do.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::{Reaction, Request, Saying};

/// A way to go through an attempt. Each follows from the request alone, so that a run that is cut
/// off and begun again comes to the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conduct {
    /// Makes the calls that solve the task.
    Solve,
    /// Makes the first half of them and then says that all is done.
    StopHalfway,
    /// Says that it cannot be done, at once.
    GiveUp,
    /// Looks around and never ends.
    Wander,
    /// Writes arguments that are no JSON, again and again, and then ends.
    Mumble,
    /// Calls tools that are not there, and then ends.
    Invent,
    /// Grows until its conversation no longer fits.
    Overflow,
    /// Solves the task, but says in its second reply that it used a million tokens.
    Spend,
    /// Is refused by its provider after its first call.
    Refused,
    /// Is cut off at its token limit after its first call.
    Cut,
    /// Is refused its key after its first call.
    Broken,
    /// Says nothing more for a minute after its first call.
    Stall,
}

impl Conduct {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Solve,
        Self::StopHalfway,
        Self::GiveUp,
        Self::Wander,
        Self::Mumble,
        Self::Invent,
        Self::Overflow,
        Self::Spend,
        Self::Refused,
        Self::Cut,
        Self::Broken,
        Self::Stall,
    ];

    /// What it does next.
    pub fn react(self, request: &Request, solutions: &Solutions) -> Reaction {
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        let turn = request.turns;
        let look = || Reaction::call("list_directory", &json!({"path": "."}));
        match self {
            Self::Solve => solutions.step(request, 0),
            Self::StopHalfway => match solutions.calls(&request.instruction) {
                Some(calls) if turn < calls.len() / 2 => solutions.step(request, 0),
                _ => Reaction::say("Everything is done."),
            },
            Self::GiveUp => Reaction::say("I cannot do this task."),
            Self::Wander => look(),
            Self::Mumble if turn < 4 => Reaction::Say(Saying {
                calls: vec![("write_file".to_owned(), "{\"path\": \"a.txt\", ".to_owned())],
                ..Saying::default()
            }),
            Self::Invent if turn < 3 => Reaction::call("save_everything", &json!({})),
            Self::Mumble | Self::Invent => Reaction::say("I am done."),
            Self::Overflow if turn < 3 => look(),
            Self::Overflow => Reaction::error(
                400,
                "context_length_exceeded",
                "This model's maximum context length is 8192 tokens.",
            ),
            Self::Spend => match solutions.step(request, 0) {
                Reaction::Say(saying) if turn == 1 => Reaction::Say(Saying {
                    usage: Some([1_000_000, 0, 1_000_000, 0]),
                    ..saying
                }),
                other => other,
            },
            Self::Refused | Self::Cut | Self::Broken | Self::Stall if turn == 0 => look(),
            Self::Refused => Reaction::Say(Saying {
                text: "I cannot help with that.".to_owned(),
                refused: true,
                ..Saying::default()
            }),
            Self::Cut => Reaction::Say(Saying {
                text: "First I would like to".to_owned(),
                cut: true,
                ..Saying::default()
            }),
            Self::Broken => Reaction::error(401, "invalid_api_key", "the key was revoked"),
            Self::Stall => {
                Reaction::After(Duration::from_secs(60), Box::new(Reaction::say("Sorry.")))
            }
        }
    }
}

/// A number from 0 to 1 that follows from the parts alone.
pub fn chance(parts: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish() as f64 / u64::MAX as f64
}

/// The calls that solve tasks, by instruction.
#[derive(Debug, Clone, Default)]
pub struct Solutions(HashMap<String, (Vec<(String, Value)>, String)>);

impl Solutions {
    /// Adds what `mcpmark show --json` says of an attempt of the oracle. False where that is no
    /// attempt with an instruction.
    pub fn add(&mut self, shown: &Value) -> bool {
        let messages = shown["messages"].as_array().map(Vec::as_slice);
        let instruction = messages
            .unwrap_or_default()
            .iter()
            .find(|message| message["role"] == "user")
            .and_then(|message| message["content"]["text"].as_str());
        let (Some(instruction), Some(calls)) = (instruction, shown["calls"].as_array()) else {
            return false;
        };
        let call = |call: &Value| {
            let name = call["name"].as_str().unwrap_or_default().to_owned();
            (name, call["arguments"].clone())
        };
        let answer = shown["answer"].as_str().unwrap_or_default().to_owned();
        let calls = calls.iter().map(call).collect();
        self.0.insert(instruction.to_owned(), (calls, answer));
        true
    }

    /// The place of a task's instruction among all that are known, by their letters.
    pub fn place(&self, instruction: &str) -> Option<usize> {
        let known = self.0.contains_key(instruction);
        known.then(|| {
            self.0
                .keys()
                .filter(|other| other.as_str() < instruction)
                .count()
        })
    }

    /// The calls that solve the task of an instruction.
    pub fn calls(&self, instruction: &str) -> Option<&[(String, Value)]> {
        self.0.get(instruction).map(|(calls, _)| calls.as_slice())
    }

    /// The instruction that a text begins with, and the calls that solve its task.
    pub fn calls_of_any(&self, text: &str) -> Option<(&str, &[(String, Value)])> {
        let mut known = self.0.iter();
        let found = known.find(|(instruction, _)| text.starts_with(instruction.as_str()));
        found.map(|(instruction, (calls, _))| (instruction.as_str(), calls.as_slice()))
    }

    /// The next step of a solution, some steps ahead of the request's turn.
    pub fn step(&self, request: &Request, ahead: usize) -> Reaction {
        // After a compaction the summary may stand in the same message.
        let known = self.0.iter();
        let mut known = known.filter(|(task, _)| request.instruction.starts_with(task.as_str()));
        let Some((_, (calls, answer))) = known.next() else {
            return Reaction::say("I do not know this task.");
        };
        match calls.get(request.turns + ahead) {
            Some((name, arguments)) => Reaction::call(name.clone(), arguments),
            None if answer.is_empty() => Reaction::say("Done."),
            None => Reaction::say(answer.clone()),
        }
    }

    /// A script in which each attempt is solved with a probability, by its sampling seed, and is
    /// otherwise stopped halfway; each reply takes a while.
    pub fn solved_with(
        self,
        probability: f64,
        each: Duration,
    ) -> impl Fn(&Request) -> Reaction + Send + Sync + 'static {
        move |request| {
            let drawn = chance((&request.model, &request.instruction, request.seed));
            let conduct = if drawn < probability {
                Conduct::Solve
            } else {
                Conduct::StopHalfway
            };
            Reaction::After(each, Box::new(conduct.react(request, &self)))
        }
    }
}
