//! Progress of attempts: a line for each finished attempt. On a terminal also bars for the run, for each model and for
//! each running attempt; otherwise periodic lines with the progress of the models.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcpmark_experiment::journal::{AttemptKey, AttemptRow, ModelSpending};
use mcpmark_experiment::report::program;
use mcpmark_experiment::{Cost, End, EndKind, Outcome, Planned, Progress};
use mcpmark_sandbox::Check;

use super::waiting::{Doing, Running};
use super::{BAD, DIM, GOOD, WARN, count, note, paint, sanitise};

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

/// Names of participants by their index in the spec. A single participant without a model has no name.
struct ModelLabels {
    names: HashMap<usize, String>,
    indices: HashMap<ParticipantKey, usize>,
}

/// Identity of a participant: agent, its settings, model, its settings.
type ParticipantKey = (String, String, Option<String>, String);

fn participant_key(key: &AttemptKey) -> ParticipantKey {
    (
        key.agent.to_string(),
        key.agent_settings.to_string(),
        key.model.as_deref().map(str::to_owned),
        key.model_settings.to_string(),
    )
}

impl ModelLabels {
    /// Names all participants. If a model acts with several settings, its name is extended by the reasoning effort, the
    /// agent, both, or all settings, until it is unique.
    fn of(plan: &[Planned]) -> Self {
        let mut indices = HashMap::new();
        let mut last = None;
        for Planned {
            participant, key, ..
        } in plan
        {
            // Consecutive entries mostly have the same participant, so the search is skipped for them.
            if last != Some(participant) && !indices.values().any(|known| known == participant) {
                indices.insert(participant_key(key), *participant);
            }
            last = Some(participant);
        }
        let plain = |who: &ParticipantKey| match (&who.2, program(&who.1)) {
            (Some(model), _) => model.clone(),
            (None, Some(program)) => format!("{} {program}", who.0),
            (None, None) => who.0.clone(),
        };
        let by_effort = |who: &ParticipantKey| {
            let settings: serde_json::Value = serde_json::from_str(&who.3).unwrap_or_default();
            let effort = settings["reasoning-effort"].as_str().unwrap_or("default");
            match &who.2 {
                Some(model) => format!("{model} ({effort})"),
                None => plain(who),
            }
        };
        let by_agent = |who: &ParticipantKey| format!("{}, {}", plain(who), who.0);
        let by_both = |who: &ParticipantKey| format!("{}, {}", by_effort(who), who.0);
        let by_model = |who: &ParticipantKey| format!("{} {}", plain(who), who.3);
        let forms: [&dyn Fn(&ParticipantKey) -> String; 5] =
            [&plain, &by_effort, &by_agent, &by_both, &by_model];
        let name = |own: &ParticipantKey| {
            let alone = forms.iter().find(|form| {
                let name = form(own);
                indices.keys().filter(|other| form(other) == name).count() == 1
            });
            match alone {
                Some(form) => form(own),
                None => format!("{} {} {}", by_agent(own), own.1, own.3),
            }
        };
        let has_name = |own: &&ParticipantKey| own.2.is_some() || indices.len() > 1;
        let names = indices.iter().filter(|(own, _)| has_name(own));
        Self {
            names: names.map(|(own, index)| (*index, name(own))).collect(),
            indices,
        }
    }

    fn get(&self, participant: usize) -> Option<&String> {
        self.names.get(&participant)
    }

    /// Returns the name of the participant that caused a spending.
    fn of_spending(&self, spent: &ModelSpending) -> Option<&String> {
        let who = (
            spent.agent.clone(),
            spent.agent_settings.clone(),
            Some(spent.model.clone()),
            spent.model_settings.clone(),
        );
        self.get(*self.indices.get(&who)?)
    }
}

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

/// Progress of a model.
#[derive(Default)]
struct ModelProgress {
    bar: Option<ProgressBar>,
    planned: u32,
    done: u32,
    /// Number of attempts made before this run.
    before: u32,
    passed: u32,
    failed: u32,
    /// Known cost; `None` until a request was made.
    cost: Option<Cost>,
    unknown: bool,
}

impl ModelProgress {
    fn show(&self, model: &str, since: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.line(model, since));
        }
    }

    /// Formats the progress as a line.
    fn line(&self, model: &str, since: Duration) -> String {
        let cost = match (self.cost, self.unknown) {
            (None, false) => String::new(),
            (Some(cost), false) => format!(", {cost}"),
            (None | Some(Cost::ZERO), true) => ", cost unknown".to_owned(),
            (Some(cost), true) => format!(", {cost}+"),
        };
        let left = match self.done - self.before {
            0 => String::new(),
            _ if self.done >= self.planned => String::new(),
            done => {
                let each = since.as_secs_f64() / f64::from(done);
                let left = each * f64::from(self.planned - self.done);
                format!(
                    ", about {} left",
                    indicatif::HumanDuration(Duration::from_secs_f64(left))
                )
            }
        };
        format!(
            "{}  {}/{} done, {} passed, {} failed{cost}{left}",
            sanitise::line(model),
            self.done,
            self.planned,
            self.passed,
            self.failed
        )
    }

    /// Counts an attempt that was made before this run.
    fn count(&mut self, row: &AttemptRow) {
        let passed = row.grade.as_ref().and_then(|grade| grade.passed);
        self.done += 1;
        self.before += 1;
        self.passed += u32::from(passed == Some(true));
        self.failed += u32::from(passed == Some(false));
    }

    fn spend(&mut self, cost: Option<Cost>) {
        let before = self.cost.unwrap_or(Cost::ZERO);
        match cost.and_then(|cost| before.checked_add(cost)) {
            Some(sum) => self.cost = Some(sum),
            None => self.unknown = true,
        }
    }
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

/// Formats a task with its model, and with its repetition if that is not the first.
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

pub(crate) fn mark(outcome: &Outcome) -> String {
    match outcome.passed() {
        Some(true) => paint(GOOD, "pass"),
        Some(false) => paint(BAD, "fail"),
        None => paint(WARN, outcome.as_str()),
    }
}

/// Returns the reasons why an attempt did not pass, in a few lines.
pub(crate) fn reasons(outcome: &Outcome) -> Vec<String> {
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

/// Returns the detail of a check without a leading place that its name contains.
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
    // A path may contain a colon, so the longest place is used.
    check
        .detail
        .rmatch_indices(": ")
        .find(|(at, _)| said(&check.detail[..*at]))
        .map_or(check.detail.as_str(), |(at, colon)| {
            &check.detail[at + colon.len()..]
        })
}

/// Truncates a text to about the width of the terminal.
fn clip(text: &str) -> String {
    const CHARACTERS: usize = 160;
    let characters = super::columns_of(std::io::stderr()).map_or(CHARACTERS, |all| all - 8);
    shorten(&sanitise::line(text), characters)
}

/// Shortens a line to a number of characters by cutting its middle, because the end usually has the cause.
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

    fn planned(position: usize, model: &str, settings: &str) -> Planned {
        Planned {
            position,
            task: 0,
            participant: position,
            key: AttemptKey {
                task: "s/w/t".into(),
                agent: "mcpmark".into(),
                agent_settings: "{}".into(),
                model: Some(model.into()),
                model_settings: settings.into(),
                k: 1,
            },
        }
    }

    fn without_model(position: usize, agent: &str) -> Planned {
        let mut planned = planned(position, "", "{}");
        planned.key.agent = agent.into();
        planned.key.model = None;
        planned
    }

    #[test]
    fn models_are_called_by_what_tells_them_apart() {
        let high = "{\"reasoning-effort\":\"high\"}";
        let hot = "{\"reasoning-effort\":\"high\",\"temperature\":1.0}";
        let low = "{\"reasoning-effort\":\"low\"}";
        let plan = [
            planned(0, "a/one", high),
            planned(1, "a/two", "{}"),
            planned(2, "a/two", low),
            planned(3, "a/three", high),
            planned(4, "a/three", hot),
        ];
        let labels = ModelLabels::of(&plan);
        let names = |labels: &ModelLabels, plan: &[Planned]| -> Vec<String> {
            let names = plan.iter().map(|one| labels.get(one.participant));
            names.flatten().cloned().collect()
        };
        let alone = [without_model(0, "nop")];
        assert_eq!(names(&ModelLabels::of(&alone), &alone), [""; 0]);
        let baselines = [without_model(0, "nop"), without_model(1, "random")];
        let called = names(&ModelLabels::of(&baselines), &baselines);
        assert_eq!(called, ["nop", "random"]);
        let mut react = planned(1, "a/one", "{}");
        react.key.agent = "react".into();
        let agents = [planned(0, "a/one", "{}"), react, without_model(2, "nop")];
        let called = names(&ModelLabels::of(&agents), &agents);
        assert_eq!(called, ["a/one, mcpmark", "a/one, react", "nop"]);
        let names = names(&labels, &plan);
        let [one, two, low] = ["a/one", "a/two (default)", "a/two (low)"].map(str::to_owned);
        let three = [format!("a/three {high}"), format!("a/three {hot}")];
        assert_eq!(names, [one, two, low, three[0].clone(), three[1].clone()]);
    }

    #[test]
    fn temporary_failures_cost_nothing_and_efforts_are_listed_separately() {
        let low = "{\"reasoning-effort\":\"low\"}";
        let plan = [planned(0, "a/m", "{}"), planned(1, "a/m", low)];
        let display = Display::new(&plan, &plan, &[], &[], false);
        let ids = ["1", "2"];
        for (id, one) in ids.iter().zip(&plan) {
            display.show(Progress::Started {
                attempt: (*id).to_owned(),
                task: one.key.task.to_string(),
                participant: one.participant,
                k: 1,
            });
        }
        let dollar = Cost::from_usd("1").unwrap();
        display.show(Progress::Asked {
            attempt: "2".to_owned(),
            turn: 1,
            tokens: None,
            cost: Some(dollar),
        });
        let state = display.state.lock().unwrap();
        let line = |name: &str| state.models[name].line(name, Duration::ZERO);
        assert_eq!(
            line("a/m (default)"),
            "a/m (default)  0/1 done, 0 passed, 0 failed"
        );
        assert_eq!(
            line("a/m (low)"),
            "a/m (low)  0/1 done, 0 passed, 0 failed, 1.00 USD"
        );
    }

    #[test]
    fn a_model_stands_where_all_its_tries_have_brought_it() {
        let plan = [planned(0, "a/m", "{}"), planned(1, "a/n", "{}")];
        let spent = |model: &str, usd, unknown| ModelSpending {
            agent: "mcpmark".to_owned(),
            agent_settings: "{}".to_owned(),
            model: model.to_owned(),
            model_settings: "{}".to_owned(),
            known: Cost::from_usd(usd).unwrap(),
            unknown,
        };
        let spending = [spent("a/m", "7.50", 0), spent("a/n", "1", 2)];
        let display = Display::new(&plan, &plan, &[], &spending, false);
        let state = display.state.lock().unwrap();
        let line = |name: &str| state.models[name].line(name, Duration::ZERO);
        assert_eq!(line("a/m"), "a/m  0/1 done, 0 passed, 0 failed, 7.50 USD");
        assert_eq!(line("a/n"), "a/n  0/1 done, 0 passed, 0 failed, 1.00 USD+");
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
            // Details with a place that the name does not contain.
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
