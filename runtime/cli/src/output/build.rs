//! What a person sees while guests are built: that a compiler works, and on a terminal what it
//! works on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use mcpmark_task::build::BuildEvent;

use super::{BOLD, DIM, count, interactive, note, paint, progress, sanitise};

/// Shows the events of a build on standard error. Nothing is said where nothing has to be built.
#[derive(Default)]
pub(crate) struct BuildDisplay {
    bar: Option<ProgressBar>,
    made: usize,
}

impl BuildDisplay {
    /// Shows one event.
    pub(crate) fn show(&mut self, event: BuildEvent) {
        let text = event.to_string();
        match event {
            BuildEvent::Asking { .. } => {}
            BuildEvent::Compiling { .. } => {
                self.begin();
                self.line(&format!("{} {}", paint(BOLD, "·"), sanitise::line(&text)));
            }
            BuildEvent::Componentized { .. } => {
                self.made += 1;
                self.passing(&text);
            }
            BuildEvent::Cargo { .. } => self.passing(&text),
            BuildEvent::Warning { .. } => self.line(&sanitise::block(&text)),
            _ => self.line(&format!("{} {}", paint(BOLD, "·"), sanitise::block(&text))),
        }
    }

    fn begin(&mut self) {
        if interactive() && self.bar.is_none() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(progress::style("  {spinner} {wide_msg:.dim}"));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
    }

    /// Shows what is over in a moment, to who watches.
    fn passing(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(sanitise::line(text.trim()).into_owned());
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
