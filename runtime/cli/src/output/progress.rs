//! What a person sees while attempts run: a line for each that is over, and on a
//! terminal a bar and the last tool call of each that runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcpmark_experiment::{Cost, EndKind, Outcome, Planned, Progress};
use mcpmark_sandbox::Check;

use super::{BAD, DIM, GOOD, WARN, count, note, paint, sanitise};

/// Shows progress on standard error.
pub(crate) struct Display {
    bars: Option<Bars>,
    total: usize,
    began: Instant,
    state: Mutex<State>,
}

struct Bars {
    all: MultiProgress,
    overall: ProgressBar,
}

#[derive(Default)]
struct State {
    done: usize,
    running: BTreeMap<String, Running>,
    models: BTreeMap<String, Standing>,
}

struct Running {
    bar: Option<ProgressBar>,
    name: String,
    model: Option<String>,
}

/// How far a model has come.
#[derive(Default)]
struct Standing {
    bar: Option<ProgressBar>,
    planned: u32,
    done: u32,
    passed: u32,
    failed: u32,
    cost: Cost,
    unknown: bool,
}

impl Standing {
    fn show(&self, model: &str, since: Duration) {
        let Some(bar) = &self.bar else { return };
        let cost = match (self.cost, self.unknown) {
            (cost, false) => cost.to_string(),
            (Cost::ZERO, true) => "cost unknown".to_owned(),
            (cost, true) => format!("{cost}+"),
        };
        let left = match self.done {
            0 => String::new(),
            done => {
                let each = since.as_secs_f64() / f64::from(done);
                let left = each * f64::from(self.planned.saturating_sub(done));
                format!(
                    ", about {} left",
                    indicatif::HumanDuration(Duration::from_secs_f64(left))
                )
            }
        };
        bar.set_message(format!(
            "{}  {}/{} done, {} passed, {} failed, {cost}{left}",
            sanitise::line(model),
            self.done,
            self.planned,
            self.passed,
            self.failed
        ));
    }
}

impl Display {
    pub(crate) fn new(plan: &[Planned], interactive: bool) -> Self {
        let total = plan.len();
        let bars = (interactive && total > 0).then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
            let overall = all.add(ProgressBar::new(total as u64));
            overall.set_style(style("{bar:30.green} {pos}/{len}  {elapsed}"));
            overall.enable_steady_tick(Duration::from_millis(200));
            Bars { all, overall }
        });
        let mut state = State::default();
        for model in plan.iter().filter_map(|planned| planned.key.model.as_ref()) {
            let standing = state.models.entry(model.clone()).or_default();
            standing.planned += 1;
        }
        if let Some(bars) = &bars {
            for (model, standing) in &mut state.models {
                let bar = bars.all.add(ProgressBar::new_spinner());
                bar.set_style(style("  {msg}"));
                standing.bar = Some(bar);
                standing.show(model, Duration::ZERO);
            }
        }
        Self {
            bars,
            total,
            began: Instant::now(),
            state: Mutex::new(state),
        }
    }

    /// Shows one event.
    pub(crate) fn show(&self, progress: Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Started {
                attempt,
                task,
                model,
                k,
            } => {
                let name = label(&task, model.as_deref(), k);
                let bar = self.bars.as_ref().map(|bars| {
                    let bar = bars.all.add(ProgressBar::new_spinner());
                    bar.set_style(style("  {wide_msg:.dim}"));
                    bar.set_message(name.clone());
                    bar
                });
                state.running.insert(attempt, Running { bar, name, model });
            }
            Progress::Asked { attempt, cost } => {
                let State {
                    running, models, ..
                } = &mut *state;
                let model = running.get(&attempt).and_then(|one| one.model.as_ref());
                if let Some((model, standing)) =
                    model.and_then(|model| Some((model, models.get_mut(model)?)))
                {
                    match cost.and_then(|cost| standing.cost.checked_add(cost)) {
                        Some(sum) => standing.cost = sum,
                        None => standing.unknown = true,
                    }
                    standing.show(model, self.began.elapsed());
                }
            }
            Progress::ToolCall {
                attempt,
                number,
                tool,
            } => {
                if let Some(Running {
                    bar: Some(bar),
                    name,
                    ..
                }) = state.running.get(&attempt)
                {
                    bar.set_message(format!("{name}  {number} {}", sanitise::line(&tool)));
                }
            }
            Progress::Finished {
                attempt,
                task,
                model,
                k,
                end,
                outcome,
                tool_calls,
                ..
            } => {
                if let Some(bar) = state.running.remove(&attempt).and_then(|one| one.bar) {
                    bar.finish_and_clear();
                }
                if let Some((name, standing)) = model
                    .as_ref()
                    .and_then(|name| Some((name, state.models.get_mut(name)?)))
                {
                    standing.done += 1;
                    standing.passed += u32::from(outcome.passed() == Some(true));
                    standing.failed += u32::from(outcome.passed() == Some(false));
                    standing.show(name, self.began.elapsed());
                }
                state.done += 1;
                if let Some(bars) = &self.bars {
                    bars.overall.inc(1);
                    // Beside its ticks the bar draws by itself what it last drew.
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
                if let Some(end) = end.filter(|end| end.kind != EndKind::Completed) {
                    self.line(&format!("       {}", clip(&format!("agent: {end}"))));
                }
                for line in reasons(&outcome) {
                    self.line(&format!("       {line}"));
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
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            for bar in state.models.values().filter_map(|model| model.bar.as_ref()) {
                bar.finish();
            }
            // The bars of attempts that a failure cut off.
            let _ = bars.all.clear();
        }
    }
}

pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A task, the model that acts, and which repetition of it if there are several.
pub(crate) fn label(task: &str, model: Option<&str>, k: u32) -> String {
    let mut label = sanitise::line(task).into_owned();
    if k > 1 {
        label.push_str(&format!(" #{k}"));
    }
    if let Some(model) = model {
        label.push_str(&format!("  {}", sanitise::line(model)));
    }
    label
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
        .map(|check| clip(&format!("{}: {}", check.name, detail(check))))
        .collect();
    if failed.len() > SHOWN {
        lines.push(format!("… and {} more checks failed", failed.len() - SHOWN));
    }
    lines
}

/// The detail of a check without the place that its name has already.
pub(crate) fn detail(check: &Check) -> &str {
    let apart = |c: char| c.is_whitespace() || "\"'`(),:;".contains(c);
    let said = |place: &str| {
        !place.is_empty()
            && check.name.match_indices(place).any(|(at, _)| {
                let (before, after) = (&check.name[..at], &check.name[at + place.len()..]);
                before.chars().next_back().is_none_or(apart)
                    && after.chars().next().is_none_or(apart)
            })
    };
    // A path may have a colon of its own, so the longest place counts.
    check
        .detail
        .rmatch_indices(": ")
        .find(|(at, _)| said(&check.detail[..*at]))
        .map_or(check.detail.as_str(), |(at, colon)| {
            &check.detail[at + colon.len()..]
        })
}

/// One line of a terminal, roughly.
fn clip(text: &str) -> String {
    const CHARACTERS: usize = 160;
    let characters = super::columns_of(std::io::stderr()).map_or(CHARACTERS, |all| all - 8);
    shorten(&sanitise::line(text), characters)
}

/// At most so many characters. What is cut is the middle, for the fact stands at the end.
fn shorten(line: &str, characters: usize) -> String {
    let all = line.chars().count();
    if all <= characters {
        return line.to_owned();
    }
    let kept = characters.saturating_sub(1);
    let head = kept / 3;
    let start: String = line.chars().take(head).collect();
    let end: String = line.chars().skip(all - (kept - head)).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, detail: &str) -> Check {
        Check {
            name: name.to_owned(),
            passed: false,
            detail: detail.to_owned(),
        }
    }

    #[test]
    fn a_place_is_told_once() {
        for (name, told, shown) in [
            (
                "in its place: a/b.txt",
                "a/b.txt: there is no such file",
                "there is no such file",
            ),
            (
                "kept: a: b.txt",
                "a: b.txt: found 2: and 3",
                "found 2: and 3",
            ),
            (
                "a.txt to the last byte",
                "a.txt: other bytes",
                "other bytes",
            ),
            // Another file, and a place that the name does not have.
            (
                "in its place: a/b.txt",
                "b.txt: there is none",
                "b.txt: there is none",
            ),
            (
                "the total",
                "line 2 of a.txt: expected 1",
                "line 2 of a.txt: expected 1",
            ),
            ("a", "found nothing", "found nothing"),
        ] {
            assert_eq!(detail(&check(name, told)), shown, "{name}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_end() {
        assert_eq!(shorten("abcdefghij", 10), "abcdefghij");
        assert_eq!(shorten("abcdéfghijk", 10), "abc…fghijk");
        assert_eq!(shorten("ab", 1), "…");
    }
}
