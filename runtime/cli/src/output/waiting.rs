//! Current activity of a running attempt, with its duration.

use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar};

use super::count;

/// Running attempt.
pub(super) struct Running {
    pub(super) bar: Option<ProgressBar>,
    pub(super) name: String,
    pub(super) model: Option<String>,
    pub(super) calls: u32,
    turn: u32,
    tokens: u64,
    doing: Doing,
    since: Instant,
}

/// Activity that is waited for.
pub(super) enum Doing {
    /// Agent, or its request to the model.
    Agent,
    /// Call of a tool.
    Tool(String),
    /// Repeated request to the model.
    Retry {
        /// Number of failed tries.
        tries: u32,
        /// Kind of the last error.
        error: &'static str,
    },
}

impl Running {
    pub(super) fn new(bar: Option<ProgressBar>, name: String, model: Option<String>) -> Self {
        let running = Self {
            bar,
            name,
            model,
            calls: 0,
            turn: 0,
            tokens: 0,
            doing: Doing::Agent,
            since: Instant::now(),
        };
        running.draw();
        running
    }

    /// Changes the current activity.
    pub(super) fn does(&mut self, doing: Doing) {
        self.doing = doing;
        self.since = Instant::now();
        self.draw();
    }

    /// Records a reply of the model.
    pub(super) fn replied(&mut self, turn: u32, tokens: Option<u64>) {
        self.turn = turn;
        self.tokens += tokens.unwrap_or(0);
        self.does(Doing::Agent);
    }

    /// Returns the duration of the current activity.
    pub(super) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    fn draw(&self) {
        if let Some(bar) = &self.bar {
            bar.reset_elapsed();
            bar.set_message(self.state());
        }
    }

    /// Formats the current activity, then the progress, because a narrow terminal cuts off the end.
    fn state(&self) -> String {
        let doing = match (&self.doing, &self.model) {
            (Doing::Agent, Some(_)) => "waiting for the model".to_owned(),
            (Doing::Agent, None) => String::new(),
            (Doing::Tool(tool), _) => tool.clone(),
            (Doing::Retry { tries, error }, _) => format!(
                "retrying the model request after {} ({error})",
                count(*tries as usize, "failure")
            ),
        };
        let mut parts = Vec::new();
        if self.turn > 0 {
            parts.push(format!("turn {}", self.turn));
        }
        if self.calls > 0 {
            parts.push(count(self.calls as usize, "call"));
        }
        if self.tokens > 0 {
            parts.push(count(self.tokens as usize, "token"));
        }
        let mut state = self.name.clone();
        for text in [doing, parts.join(", ")] {
            if !text.is_empty() {
                state.push_str("  ");
                state.push_str(&text);
            }
        }
        state
    }
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.state(), HumanDuration(self.age()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_progress_and_what_is_awaited() {
        let mut running = Running::new(None, "s/w/t".to_owned(), Some("a/m".to_owned()));
        assert_eq!(running.state(), "s/w/t  waiting for the model");
        running.does(Doing::Retry {
            tries: 2,
            error: "rate-limited",
        });
        assert_eq!(
            running.state(),
            "s/w/t  retrying the model request after 2 failures (rate-limited)"
        );
        running.replied(1, Some(1200));
        running.calls = 1;
        running.does(Doing::Tool("read_text_file".to_owned()));
        assert_eq!(
            running.state(),
            "s/w/t  read_text_file  turn 1, 1 call, 1200 tokens"
        );
        running.does(Doing::Agent);
        running.replied(2, None);
        assert_eq!(
            running.to_string(),
            "s/w/t  waiting for the model  turn 2, 1 call, 1200 tokens, 0 seconds"
        );
        let alone = Running::new(None, "s/w/t".to_owned(), None);
        assert_eq!(alone.state(), "s/w/t");
    }
}
