//! Behaviours of scripted models.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::{Reaction, Request, Saying};

/// Behaviour of a model during an attempt. Each reaction depends only on the request, so that a run that is interrupted
/// and resumed has the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conduct {
    /// Makes the calls that solve the task.
    Solve,
    /// Makes the first half of these calls, then claims that everything is done.
    StopHalfway,
    /// Says at once that the task is impossible.
    GiveUp,
    /// Lists a directory in every turn and never ends.
    Wander,
    /// Sends arguments that are not JSON in four turns, then ends.
    Mumble,
    /// Calls tools that do not exist in three turns, then ends.
    Invent,
    /// Gets an error of a context overflow after three turns.
    Overflow,
    /// Solves the task, but reports a million input and output tokens in its second reply.
    Spend,
    /// Gets a content refusal after its first call.
    Refused,
    /// Is cut off at its token limit after its first call.
    Cut,
    /// Gets an authentication error after its first call.
    Broken,
    /// Waits a minute before each reply after its first call.
    Stall,
}

impl Conduct {
    /// All behaviours.
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

    /// Returns the next reaction.
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

/// Returns a pseudo-random number from 0 to 1 that depends only on the parts.
pub fn chance(parts: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish() as f64 / u64::MAX as f64
}

/// Calls that solve tasks, by instruction.
#[derive(Debug, Clone, Default)]
pub struct Solutions(HashMap<String, (Vec<(String, Value)>, String)>);

impl Solutions {
    /// Adds the calls of an oracle attempt from the output of `mcpmark show --json`. Returns false if the attempt has
    /// no instruction.
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

    /// Returns the index of an instruction among the known ones in alphabetical order.
    pub fn place(&self, instruction: &str) -> Option<usize> {
        let known = self.0.contains_key(instruction);
        known.then(|| {
            self.0
                .keys()
                .filter(|other| other.as_str() < instruction)
                .count()
        })
    }

    /// Returns the calls that solve the task of an instruction.
    pub fn calls(&self, instruction: &str) -> Option<&[(String, Value)]> {
        self.0.get(instruction).map(|(calls, _)| calls.as_slice())
    }

    /// Returns the known instruction that is a prefix of a text, with the calls that solve its task.
    pub fn calls_of_any(&self, text: &str) -> Option<(&str, &[(String, Value)])> {
        let mut known = self.0.iter();
        let found = known.find(|(instruction, _)| text.starts_with(instruction.as_str()));
        found.map(|(instruction, (calls, _))| (instruction.as_str(), calls.as_slice()))
    }

    /// Returns the next step of a solution, `ahead` steps after the request's turn.
    pub fn step(&self, request: &Request, ahead: usize) -> Reaction {
        // After a compaction the summary may follow in the same message.
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

    /// Returns a script that solves each attempt with a probability, drawn from its sampling seed, and otherwise stops
    /// halfway. Each reply takes the time `each`.
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
