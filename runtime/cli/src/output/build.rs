//! Progress of builds: a log line per compilation, and on a terminal a bar with the current status.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget};
use mcpmark_build::BuildEvent;

use super::{BOLD, DIM, count, interactive, note, paint, progress, sanitise};

/// Displays the events of a build on standard error. Prints nothing if nothing has to be built.
#[derive(Default)]
pub(crate) struct BuildDisplay {
    bar: Option<ProgressBar>,
    /// Timer of progress lines, if there is no bar.
    heartbeat: Option<Heartbeat>,
    compiled: String,
    made: usize,
    /// True after the message that another process is building.
    waits: bool,
}

/// Timer of progress lines in a log.
struct Heartbeat {
    began: Instant,
    last: Option<Instant>,
}

impl Heartbeat {
    const FIRST: Duration = Duration::from_secs(1);
    const EVERY: Duration = Duration::from_secs(30);

    fn new(now: Instant) -> Self {
        Self {
            began: now,
            last: None,
        }
    }

    /// Returns the elapsed time if a line is due.
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
    /// Displays one event.
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
            self.heartbeat
                .get_or_insert_with(|| Heartbeat::new(Instant::now()));
        } else if self.bar.is_none() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(progress::style("  {spinner} {wide_msg:.dim}"));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
    }

    /// Displays a transient status, in the bar or periodically as a line.
    fn passing(&mut self, text: &str) {
        if let Some(bar) = &self.bar {
            let parts = [self.compiled.as_str(), text.trim()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            bar.set_message(sanitise::line(&parts.join("  ")).into_owned());
        } else if let Some(since) = self
            .heartbeat
            .as_mut()
            .and_then(|it| it.due(Instant::now()))
        {
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
                format!("  built {}", count(self.made, "component")),
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
        let mut heartbeat = Heartbeat::new(began);
        let due: Vec<_> = [0, 1, 2, 30, 31, 32, 60, 61, 200, 201]
            .into_iter()
            .filter_map(|second| heartbeat.due(began + Duration::from_secs(second)))
            .map(|since| since.as_secs())
            .collect();
        assert_eq!(due, [1, 31, 61, 200]);
    }
}
