//! Progress of attempts: a line for each finished attempt. On a terminal also bars for the run, for each model and for
//! each running attempt; otherwise periodic lines with the progress of the models.

mod labels;
mod model_progress;
mod outcome;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcpmark_experiment::journal::{AttemptRow, ModelSpending};
use mcpmark_experiment::{Cost, End, EndKind, Planned, Progress};

use self::labels::ModelLabels;
use self::model_progress::ModelProgress;
use self::outcome::clip;
pub(crate) use self::outcome::{detail, label, mark, reasons};
use super::waiting::{Doing, Running};
use super::{DIM, WARN, count, note, paint, sanitise};

/// Display of progress on standard error.
pub(crate) struct Display {
    bars: Option<ProgressBars>,
    total: usize,
    /// Number of attempts made before this run.
    before: usize,
    began: Instant,
    labels: ModelLabels,
    state: Mutex<State>,
}

/// Interval between lines with the progress of the models and the longest wait.
const STANDING: Duration = Duration::from_secs(30);

/// Delay of the first such line, if no attempt has ended yet.
const FIRST_SIGN: Duration = Duration::from_secs(1);

/// Maximum number of failures that are printed with their reasons. Later ones get one line each, so that they do not
/// flood the terminal.
const REASONED: usize = 10;

struct ProgressBars {
    all: MultiProgress,
    overall: ProgressBar,
}

#[derive(Default)]
struct State {
    done: usize,
    /// Number of failures that were printed with their reasons.
    reasoned: usize,
    /// True after the hint where to find the reasons of further failures.
    has_pointed: bool,
    /// Time of the last line with the progress of the models.
    told: Option<Instant>,
    running: BTreeMap<String, Running>,
    models: BTreeMap<String, ModelProgress>,
}

impl Display {
    /// Creates the display of a plan with `remaining` attempts. `rows` are the recorded attempts, and `spending` is
    /// their cost.
    pub(crate) fn new(
        plan: &[Planned],
        remaining: &[Planned],
        rows: &[AttemptRow],
        spending: &[ModelSpending],
        interactive: bool,
    ) -> Self {
        let total = plan.len();
        let done = total - remaining.len();
        let bars = (interactive && !remaining.is_empty()).then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
            let overall = all.add(ProgressBar::new(total as u64));
            overall.set_style(style("{bar:30.green} {pos}/{len}  {elapsed}"));
            overall.set_position(done as u64);
            overall.enable_steady_tick(Duration::from_millis(200));
            ProgressBars { all, overall }
        });
        let labels = ModelLabels::of(plan);
        let left: HashSet<usize> = remaining.iter().map(|planned| planned.position).collect();
        let rows: HashMap<usize, &AttemptRow> =
            rows.iter().map(|row| (row.position, row)).collect();
        let mut state = State {
            done,
            ..State::default()
        };
        for planned in plan {
            if let Some(name) = labels.get(planned.participant) {
                let progress = state.models.entry(name.clone()).or_default();
                progress.planned += 1;
                let row = rows.get(&planned.position);
                if let Some(row) = row.filter(|_| !left.contains(&planned.position)) {
                    progress.count(row);
                }
            }
        }
        for spent in spending {
            let name = labels.of_spending(spent);
            if let Some(progress) = name.and_then(|name| state.models.get_mut(name)) {
                // A model that was not used yet has no cost, so none is shown.
                progress.cost = (spent.known != Cost::ZERO).then_some(spent.known);
                progress.unknown = spent.unknown > 0;
            }
        }
        if let Some(bars) = &bars {
            for (model, progress) in &mut state.models {
                let bar = bars.all.add(ProgressBar::new_spinner());
                bar.set_style(style("  {msg}"));
                progress.bar = Some(bar);
                progress.show(model, Duration::ZERO);
            }
        }
        Self {
            bars,
            total,
            before: done,
            began: Instant::now(),
            labels,
            state: Mutex::new(state),
        }
    }

    /// Displays one event.
    pub(crate) fn show(&self, progress: Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Started {
                attempt,
                task,
                participant,
                k,
            } => {
                let model = self.labels.get(participant).cloned();
                let name = label(&task, model.as_deref(), k);
                let bar = self.bars.as_ref().map(|bars| {
                    let bar = bars.all.add(ProgressBar::new_spinner());
                    // The elapsed time is that of the current activity, because each event resets it.
                    bar.set_style(style("  {wide_msg:.dim} {elapsed:.dim}"));
                    bar.enable_steady_tick(Duration::from_secs(1));
                    bar
                });
                let running = Running::new(bar, name, model);
                state.running.insert(attempt, running);
            }
            Progress::Asked {
                attempt,
                turn,
                tokens,
                cost,
            } => {
                if let Some(running) = state.running.get_mut(&attempt) {
                    running.replied(turn, tokens);
                }
                let State {
                    running, models, ..
                } = &mut *state;
                let model = running.get(&attempt).and_then(|one| one.model.as_ref());
                if let Some((model, progress)) =
                    model.and_then(|model| Some((model, models.get_mut(model)?)))
                {
                    progress.spend(cost);
                    progress.show(model, self.began.elapsed());
                }
            }
            Progress::ToolCall {
                attempt,
                number,
                tool,
            } => {
                if let Some(running) = state.running.get_mut(&attempt) {
                    running.calls = number;
                    running.does(Doing::Tool(sanitise::line(&tool).into_owned()));
                }
            }
            Progress::ToolCalled { attempt } => {
                if let Some(running) = state.running.get_mut(&attempt) {
                    running.does(Doing::Agent);
                }
            }
            Progress::Retried {
                attempt,
                tries,
                error,
            } => {
                if let Some(running) = state.running.get_mut(&attempt) {
                    running.does(Doing::Retry { tries, error });
                }
            }
            Progress::Finished {
                attempt,
                task,
                participant,
                k,
                end,
                outcome,
                tool_calls,
                ..
            } => {
                let running = state.running.remove(&attempt);
                let model = self.labels.get(participant).cloned();
                if let Some(bar) = running.and_then(|one| one.bar) {
                    bar.finish_and_clear();
                }
                if let Some((name, progress)) = model
                    .as_ref()
                    .and_then(|name| Some((name, state.models.get_mut(name)?)))
                {
                    progress.done += 1;
                    progress.passed += u32::from(outcome.passed() == Some(true));
                    progress.failed += u32::from(outcome.passed() == Some(false));
                    progress.show(name, self.began.elapsed());
                }
                state.done += 1;
                if let Some(bars) = &self.bars {
                    bars.overall.inc(1);
                    // A bar with a steady tick does not redraw by itself when its position changes.
                    bars.overall.force_draw();
                }
                let width = self.total.to_string().len();
                let done = format!("{:>width$}/{}", state.done, self.total);
                self.line(&format!(
                    "{} {} {}{}",
                    paint(DIM, done),
                    mark(&outcome),
                    label(&task, model.as_deref(), k),
                    paint(
                        DIM,
                        format!("  {attempt}  {}", count(tool_calls as usize, "call"))
                    ),
                ));
                let says_more = |end: &End| end.kind != EndKind::Completed || end.detail.is_some();
                let end = end.filter(says_more);
                let end = end.map(|end| clip(&format!("agent: {end}")));
                let reasons: Vec<String> = end.into_iter().chain(reasons(&outcome)).collect();
                if outcome.passed() != Some(true) && !reasons.is_empty() {
                    state.reasoned += 1;
                }
                match state.reasoned {
                    ..=REASONED => {
                        for line in reasons {
                            self.line(&format!("       {line}"));
                        }
                    }
                    _ if reasons.is_empty() || state.has_pointed => {}
                    _ => {
                        state.has_pointed = true;
                        self.line(&paint(
                            DIM,
                            "       `mcpmark show ATTEMPT` shows the reasons of further failures",
                        ));
                    }
                }
                self.tell_standing(&mut state);
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

    /// Without bars, prints the longest wait if nothing was printed for a while.
    pub(crate) fn tick(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, pause) = match state.told {
            Some(told) => (told, STANDING),
            None if state.done == self.before => (self.began, FIRST_SIGN),
            None => (self.began, STANDING),
        };
        let longest = state.running.values().max_by_key(|one| one.age());
        let Some(longest) = longest.filter(|_| self.bars.is_none() && last.elapsed() >= pause)
        else {
            return;
        };
        let line = format!(
            "{}/{} done, {} running; longest: {longest}",
            state.done,
            self.total,
            count(state.running.len(), "attempt"),
        );
        self.line(&paint(DIM, line));
        self.tell_standing(&mut state);
        state.told = Some(Instant::now());
    }

    /// Without bars, prints the progress of the models periodically.
    fn tell_standing(&self, state: &mut State) {
        let last = state.told.unwrap_or(self.began);
        if self.bars.is_some() || last.elapsed() < STANDING {
            return;
        }
        state.told = Some(Instant::now());
        for (model, progress) in &state.models {
            self.line(&progress.line(model, self.began.elapsed()));
        }
    }

    /// Prints a line above the bars.
    pub(crate) fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.all.suspend(|| note(text)),
            None => note(text),
        }
    }

    /// Removes the bars.
    pub(crate) fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.overall.finish_and_clear();
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            for bar in state.models.values().filter_map(|model| model.bar.as_ref()) {
                bar.finish();
            }
            // Also removes the bars of attempts that an error interrupted.
            let _ = bars.all.clear();
        }
    }
}

pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests;
