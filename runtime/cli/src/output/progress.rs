//! What a person sees while attempts run: a line for each that is over, and on a
//! terminal a bar and the last tool call of each that runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcpmark_experiment::{EndKind, Outcome, Progress};

use super::{BAD, DIM, GOOD, WARN, count, note, paint, sanitise};

/// Shows progress on standard error.
pub(crate) struct Display {
    bars: Option<Bars>,
    total: usize,
    state: Mutex<State>,
}

struct Bars {
    all: MultiProgress,
    overall: ProgressBar,
}

#[derive(Default)]
struct State {
    done: usize,
    running: BTreeMap<String, (ProgressBar, String)>,
}

impl Display {
    pub(crate) fn new(total: usize, interactive: bool) -> Self {
        let bars = (interactive && total > 0).then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
            let overall = all.add(ProgressBar::new(total as u64));
            overall.set_style(style("{bar:30.green} {pos}/{len}  {elapsed}"));
            overall.enable_steady_tick(Duration::from_millis(200));
            Bars { all, overall }
        });
        Self {
            bars,
            total,
            state: Mutex::default(),
        }
    }

    /// Shows one event.
    pub(crate) fn show(&self, progress: Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Started { attempt, task, k } => {
                if let Some(bars) = &self.bars {
                    let bar = bars.all.add(ProgressBar::new_spinner());
                    bar.set_style(style("  {wide_msg:.dim}"));
                    let name = label(&task, k);
                    bar.set_message(name.clone());
                    state.running.insert(attempt, (bar, name));
                }
            }
            Progress::ToolCall {
                attempt,
                number,
                tool,
            } => {
                if let Some((bar, name)) = state.running.get(&attempt) {
                    bar.set_message(format!("{name}  {number} {}", sanitise::line(&tool)));
                }
            }
            Progress::Finished {
                attempt,
                task,
                k,
                end,
                outcome,
                tool_calls,
                ..
            } => {
                if let Some((bar, _)) = state.running.remove(&attempt) {
                    bar.finish_and_clear();
                }
                state.done += 1;
                let width = self.total.to_string().len();
                let done = format!("{:>width$}/{}", state.done, self.total);
                self.line(&format!(
                    "{} {} {}{}",
                    paint(DIM, done),
                    mark(&outcome),
                    label(&task, k),
                    paint(
                        DIM,
                        format!("  {attempt}  {}", count(tool_calls as usize, "call"))
                    ),
                ));
                if let Some(end) = end.filter(|end| end.kind != EndKind::Completed) {
                    self.line(&format!("       {}", clip(&format!("agent: {end}"))));
                }
                for line in reasons(&outcome) {
                    self.line(&format!("       {line}"));
                }
                if let Some(bars) = &self.bars {
                    bars.overall.inc(1);
                }
            }
            Progress::Warning(message) => {
                self.line(&format!(
                    "{} {}",
                    paint(WARN, "warning:"),
                    sanitise::line(&message)
                ));
            }
        }
    }

    /// Prints a line above the bars.
    pub(crate) fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.all.suspend(|| note(text)),
            None => note(text),
        }
    }

    /// Takes the bars away.
    pub(crate) fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.overall.finish_and_clear();
            // The bars of attempts that a failure cut off.
            let _ = bars.all.clear();
        }
    }
}

pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A task, and which repetition of it if there are several.
pub(crate) fn label(task: &str, k: u32) -> String {
    let task = sanitise::line(task);
    if k == 1 {
        task.into_owned()
    } else {
        format!("{task} #{k}")
    }
}

fn mark(outcome: &Outcome) -> String {
    match outcome.passed() {
        Some(true) => paint(GOOD, "pass"),
        Some(false) => paint(BAD, "fail"),
        None => paint(WARN, outcome.as_str()),
    }
}

/// Why an attempt did not pass, in a few lines.
fn reasons(outcome: &Outcome) -> Vec<String> {
    const SHOWN: usize = 3;
    if let Some(fault) = outcome.fault() {
        return vec![clip(&format!("{}: {}", fault.kind, fault.message))];
    }
    let failed: Vec<_> = outcome
        .checks()
        .iter()
        .filter(|check| !check.passed)
        .collect();
    let mut lines: Vec<String> = failed
        .iter()
        .take(SHOWN)
        .map(|check| clip(&format!("{}: {}", check.name, check.detail)))
        .collect();
    if failed.len() > SHOWN {
        lines.push(format!("… and {} more checks failed", failed.len() - SHOWN));
    }
    lines
}

/// One line of a terminal, roughly.
fn clip(text: &str) -> String {
    const CHARACTERS: usize = 160;
    let characters = super::columns_of(std::io::stderr()).map_or(CHARACTERS, |all| all - 8);
    let line = sanitise::line(text);
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}
