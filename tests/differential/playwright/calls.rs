//! Generated calls: what a model might do on the forum, including mistakes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

const URLS: [&str; 9] = [
    "http://forum.test/",
    "http://forum.test/thread/1",
    "http://forum.test/thread/2",
    "http://forum.test/thread/99",
    "http://forum.test/login",
    "http://forum.test/broken",
    "http://forum.test/away?to=/login",
    "http://help.test/",
    "http://elsewhere.example/",
];

const TEXTS: [&str; 5] = ["ann", "tulip", "Rye & <wheat>", "", "zwei\nZeilen"];

const CODE: [&str; 4] = [
    "() => document.title",
    "() => document.querySelectorAll('a').length",
    "() => { throw new Error('on purpose') }",
    "() => new Date(0).toISOString()",
];

const KEYS: [&str; 4] = ["Tab", "Enter", "a", "NoSuchKey"];

/// Source of calls.
pub(crate) struct Draw {
    random: ChaCha8Rng,
    number: u64,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            number: 0,
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = limit as u64;
        usize::try_from(self.random.next_u64() % limit).expect("a small number")
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Returns the reference of an element of a snapshot with one of these roles, or an unknown one.
    fn element(&mut self, snapshot: &str, roles: &[&str]) -> String {
        let lines = snapshot.lines().map(str::trim_start);
        let found: Vec<&str> = lines
            .filter(|line| {
                roles
                    .iter()
                    .any(|role| line.starts_with(&format!("- {role}")))
            })
            .filter_map(|line| Some(line.split_once("[ref=")?.1.split_once(']')?.0))
            .collect();
        if found.is_empty() || self.below(12) == 0 {
            return "e999".to_owned();
        }
        found[self.below(found.len())].to_owned()
    }

    /// Returns the next call, for a page of which a snapshot was seen last.
    pub(crate) fn call(&mut self, snapshot: &str) -> (&'static str, Value) {
        self.number += 1;
        if self.number == 1 {
            return ("browser_navigate", json!({ "url": URLS[0] }));
        }
        match self.below(16) {
            0..3 => ("browser_navigate", json!({ "url": self.of(&URLS) })),
            3..7 => {
                let target = self.element(snapshot, &["link", "button"]);
                ("browser_click", json!({ "element": "it", "ref": target }))
            }
            7..10 => {
                let target = self.element(snapshot, &["textbox"]);
                let (text, submit) = (self.of(&TEXTS), self.below(3) == 0);
                let arguments =
                    json!({ "element": "it", "ref": target, "text": text, "submit": submit });
                ("browser_type", arguments)
            }
            10 => ("browser_snapshot", json!({})),
            11 => ("browser_evaluate", json!({ "function": self.of(&CODE) })),
            12 => ("browser_press_key", json!({ "key": self.of(&KEYS) })),
            13 => ("browser_navigate_back", json!({})),
            14 => ("browser_tabs", json!({ "action": "list" })),
            _ => match self.below(4) {
                0 => ("browser_click", json!({ "ref": 7 })),
                1 => ("browser_unknown", json!({})),
                2 => ("browser_hover", json!({ "element": "it", "ref": "e1" })),
                _ => (
                    "browser_wait_for",
                    json!({ "text": "No such text", "time": 0 }),
                ),
            },
        }
    }
}
