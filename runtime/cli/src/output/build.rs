//! What a person sees while guests are built: that a compiler works, and on a terminal what it
//! works on.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget};
use mcpmark_task::build::BuildEvent;

use super::{BOLD, DIM, count, interactive, note, paint, progress, sanitise};

/// Shows the events of a build on standard error. Nothing is said where nothing has to be built.
#[derive(Default)]
pub(crate) struct BuildDisplay {
    bar: Option<ProgressBar>,
    /// Where there is no bar.
    signs: Option<Signs>,
    compiled: String,
    made: usize,
    /// Whether it was told that another process builds.
    waits: bool,
}

/// When a log gets a sign of life.
struct Signs {
    began: Instant,
    last: Option<Instant>,
}

impl Signs {
    const FIRST: Duration = Duration::from_secs(1);
    const EVERY: Duration = Duration::from_secs(30);

    fn new(now: Instant) -> Self {
        Self {
            began: now,
            last: None,
        }
    }

    /// How long it has been, where it is time to say so.
    fn due(&mut self, now: Instant) -> Option<Duration> {
        let (last, wait) = match self.last {
            Some(last) => (last, Self::EVERY),
            None => (self.began, Self::FIRST),
        };
        if now.duration_since(last) < wait {
            return None;
        }
        self.last = Some(now);
        Some(now.duration_since(self.began))
    }
}

impl BuildDisplay {
    /// Shows one event.
    pub(crate) fn show(&mut self, event: BuildEvent) {
        let text = event.to_string();
        match event {
            BuildEvent::Asking { .. } => {}
            BuildEvent::Waiting { .. } if self.waits => self.passing(&text),
            BuildEvent::Preparing { .. } => {
                self.compiled = text;
                self.begin();
                self.passing("");
            }
            BuildEvent::Waiting { .. } => {
                self.waits = true;
                self.begin();
                self.line(&format!("{} {}", paint(BOLD, "·"), sanitise::line(&text)));
            }
            BuildEvent::Compiling { .. } => {
                self.begin();
                self.line(&format!("{} {}", paint(BOLD, "·"), sanitise::line(&text)));
            }
            BuildEvent::Compiled { .. } => {
                self.compiled = text;
                self.passing("");
            }
            BuildEvent::Componentized { .. } => {
                self.made += 1;
                self.passing(&text);
            }
            BuildEvent::Cargo { .. } => self.passing(&text),
            BuildEvent::Warning { .. } => self.line(&sanitise::block(&text)),
            _ => {
                self.line(&format!("{} {}", paint(BOLD, "·"), sanitise::block(&text)));
            }
        }
    }

    fn begin(&mut self) {
        if !interactive() {
            self.signs.get_or_insert_with(|| Signs::new(Instant::now()));
        } else if self.bar.is_none() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(progress::style("  {spinner} {wide_msg:.dim}"));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
    }

    /// Shows what is over in a moment, to who watches; to who does not, now and then how far it is.
    fn passing(&mut self, text: &str) {
        if let Some(bar) = &self.bar {
            let parts = [self.compiled.as_str(), text.trim()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            bar.set_message(sanitise::line(&parts.join("  ")).into_owned());
        } else if let Some(since) = self.signs.as_mut().and_then(|it| it.due(Instant::now())) {
            let far = match self.compiled.as_str() {
                "" => text.trim(),
                compiled => compiled,
            };
            let line = format!("  {}, after {}", sanitise::line(far), HumanDuration(since));
            note(&paint(DIM, line));
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(text)),
            None => note(text),
        }
    }
}

impl Drop for BuildDisplay {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if self.made > 0 {
            note(&paint(
                DIM,
                format!("  made {}", count(self.made, "component")),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_sign_of_life_now_and_then() {
        let began = Instant::now();
        let mut signs = Signs::new(began);
        let due: Vec<_> = [0, 1, 2, 30, 31, 32, 60, 61, 200, 201]
            .into_iter()
            .filter_map(|second| signs.due(began + Duration::from_secs(second)))
            .map(|since| since.as_secs())
            .collect();
        assert_eq!(due, [1, 31, 61, 200]);
    }
}
