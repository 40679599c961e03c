//! The many small changes of settings, by the seed.

use mcpmark_guest::Random;

use crate::code_base::{CodeBase, Edit};
use crate::project::SLUICE;
use github_chronicle::Way::{Closed, Merge, Rebase, Squash};
use github_chronicle::{Report, Section, Work};

/// A setting that is tuned now and then.
struct Setting {
    key: &'static str,
    name: &'static str,
    low: i64,
    high: i64,
    step: i64,
    /// Digits behind the point.
    decimals: usize,
    authors: &'static [&'static str],
}

const fn setting(
    key: &'static str,
    name: &'static str,
    (low, high, step, decimals): (i64, i64, i64, usize),
    authors: &'static [&'static str],
) -> Setting {
    Setting {
        key,
        name,
        low,
        high,
        step,
        decimals,
        authors,
    }
}

const AGRONOMIST: &[&str] = &["moyelaran", "moyelaran", "pdenholm"];
const HARDWARE: &[&str] = &["trell", "trell", "icalder"];

const SETTINGS: &[Setting] = &[
    setting(
        "schedule",
        "earliest_hour",
        (4, 7, 1, 0),
        &["pdenholm", "moyelaran"],
    ),
    setting("schedule", "latest_hour", (8, 11, 1, 0), &["pdenholm"]),
    setting(
        "schedule",
        "min_run_seconds",
        (20, 90, 10, 0),
        &["pdenholm", "icalder"],
    ),
    setting(
        "schedule",
        "rain_skip_mm",
        (20, 80, 5, 1),
        &["pdenholm", "moyelaran"],
    ),
    setting("valves", "prime_seconds", (2, 8, 1, 0), &["icalder"]),
    setting(
        "valves",
        "valve_retries",
        (1, 5, 1, 0),
        &["icalder", "trell"],
    ),
    setting("moisture", "smoothing", (20, 70, 5, 2), HARDWARE),
    setting("moisture", "stale_minutes", (30, 120, 15, 0), HARDWARE),
    setting("moisture", "outlier", (10, 40, 5, 2), HARDWARE),
    setting("weather", "forecast_hours", (6, 24, 6, 0), &["pdenholm"]),
    setting("weather", "forecast_timeout", (5, 30, 5, 0), &["pdenholm"]),
    setting("weather", "forecast_age", (3, 12, 1, 0), &["pdenholm"]),
    setting(
        "alerts",
        "quiet_minutes",
        (30, 180, 30, 0),
        &["pdenholm", "icalder"],
    ),
    setting("alerts", "repeat_limit", (3, 10, 1, 0), &["pdenholm"]),
    setting("store", "keep_days", (365, 1095, 365, 0), &["trell"]),
    setting("teros", "poll_seconds", (30, 120, 15, 0), HARDWARE),
    setting("teros", "timeout_ms", (600, 1500, 100, 0), HARDWARE),
    setting("capstick", "poll_seconds", (15, 60, 15, 0), HARDWARE),
    setting("capstick", "timeout_ms", (150, 500, 50, 0), HARDWARE),
    setting("capstick", "retries", (1, 6, 1, 0), HARDWARE),
    setting("loriot", "poll_seconds", (180, 900, 60, 0), HARDWARE),
    setting("loriot", "timeout_ms", (2000, 6000, 500, 0), HARDWARE),
    setting("huntley", "retries", (2, 6, 1, 0), HARDWARE),
    setting("pebble", "poll_seconds", (120, 600, 60, 0), HARDWARE),
    setting("pebble", "retries", (1, 6, 1, 0), HARDWARE),
    setting("arrowell", "timeout_ms", (200, 900, 100, 0), HARDWARE),
    setting("chart", "chart_width", (320, 640, 40, 0), &["jhalv"]),
    setting("api", "web_timeout", (4000, 15000, 1000, 0), &["jhalv"]),
    setting("tomato", "high", (46, 60, 2, 2), AGRONOMIST),
    setting("cucumber", "low", (30, 44, 2, 2), AGRONOMIST),
    setting("cucumber", "high", (50, 66, 2, 2), AGRONOMIST),
    setting("lettuce", "max_minutes", (6, 14, 1, 0), AGRONOMIST),
    setting("lettuce", "rest_hours", (4, 12, 2, 0), AGRONOMIST),
    setting("leek", "max_minutes", (10, 22, 2, 0), AGRONOMIST),
    setting("leek", "low", (22, 34, 2, 2), AGRONOMIST),
    setting("onion", "rest_hours", (16, 32, 4, 0), AGRONOMIST),
    setting("onion", "low", (18, 28, 2, 2), AGRONOMIST),
    setting("strawberry", "max_minutes", (8, 16, 1, 0), AGRONOMIST),
    setting("strawberry", "high", (46, 58, 2, 2), AGRONOMIST),
    setting("courgette", "rest_hours", (8, 20, 2, 0), AGRONOMIST),
    setting("runner-bean", "max_minutes", (12, 24, 2, 0), AGRONOMIST),
    setting("potato", "max_minutes", (24, 36, 2, 0), AGRONOMIST),
    setting("kale", "low", (24, 36, 2, 2), AGRONOMIST),
    setting("sweetcorn", "max_minutes", (20, 34, 2, 0), AGRONOMIST),
    setting("raspberry", "high", (42, 54, 2, 2), AGRONOMIST),
];

const REASONS: [&str; 8] = [
    "Tried for two weeks in bed 3.",
    "What most growers set it to anyway.",
    "The old number was a guess of mine.",
    "After the talk on Tuesday.",
    "Seen in the logs of Okonkwo's farm: the old value is at its limit.",
    "See the readings of last month.",
    "No harm on small controllers, a help on large ones.",
    "The data sheet says so, on page 14.",
];

const SYMPTOMS: [&str; 6] = [
    "Since the last update it does not fit our soil any more.",
    "We see this every other day, mostly in the afternoon.",
    "Not urgent, but the neighbours laugh.",
    "Works with another value, so I think that the default is off.",
    "Took me a while to find out where it comes from.",
    "Three of us in the association have changed it by hand.",
];

/// The change of one setting whose file is free, if the random choice finds one; with a revert of it now
/// and then.
pub fn tuning(
    random: &mut Random,
    day: i64,
    number: usize,
    now: &CodeBase,
    is_free: impl Fn(&str) -> bool,
) -> Vec<Work<Edit>> {
    let fitting: Vec<&Setting> = SETTINGS
        .iter()
        .filter(|it| now.shows(it.key, it.name) && is_free(it.key))
        .collect();
    if fitting.is_empty() {
        return Vec::new();
    }
    let setting = *random.pick(&fitting);
    let before = now.setting(setting.key, setting.name).to_owned();
    let Some(after) = next_value(random, setting, &before) else {
        return Vec::new();
    };
    let author = *random.pick(setting.authors);
    let verb = if value_of(&after) > value_of(&before) {
        "raise"
    } else {
        "lower"
    };
    let area = now.stem(setting.key);
    let title = format!("{area}: {verb} {} from {before} to {after}", setting.name);
    let branch = format!("{area}/{}-{number}", setting.name.replace('_', "-"));
    let way = *random.weighted(&[(Squash, 9), (Merge, 7), (Rebase, 3), (Closed, 1)]);
    let id = format!("tuning-{number}");
    let reason: &str = random.pick::<&str>(&REASONS);
    let mut work = Work::new(day, author, way, &branch, &title)
        .section(Section::Changed)
        .id(&id);
    if setting.key != "tomato" && random.chance(1, 3) {
        let by = *random.pick(SLUICE.others);
        let label = match setting.authors {
            AGRONOMIST => "area: crops",
            _ if crate::files::source(setting.key).path.contains("drivers") => "area: hardware",
            _ => "area: planning",
        };
        let subject = format!("{} of {area} does not fit", setting.name);
        work = work.body(&format!("Fixes #{{issue}}\n\n{reason}")).report(
            Report::new(by, &subject, random.pick::<&str>(&SYMPTOMS))
                .labels(&["enhancement", label]),
        );
    } else {
        work = work.body(reason);
    }
    let set = |value: &str| vec![Edit::Set(setting.key, setting.name, value.to_owned())];
    let detour = next_value(random, setting, &after).filter(|it| *it != before);
    match detour {
        Some(detour) if way == Merge && random.chance(1, 4) => {
            let first = format!("{area}: set {} to {detour}", setting.name);
            work = work.step(&first, set(&detour)).contested();
            work = work.step(&title, set(&after));
        }
        _ => work = work.step(&title, set(&after)),
    }
    if way == Closed {
        return vec![work.remark("icalder", "Let us wait for the readings of another month.")];
    }
    let mut works = vec![work];
    if random.chance(1, 14) {
        let undone = format!("Revert \"{title}\"");
        let branch = format!("revert-{id}");
        works.push(
            Work::new(
                day + random.between(8, 20),
                "icalder",
                Squash,
                &branch,
                &undone,
            )
            .body(&format!("Reverts #{{#{id}}}."))
            .step(
                &format!("{undone}\n\nThis reverts commit {{sha:{id}}}."),
                set(&before),
            )
            .section(Section::Changed),
        );
    }
    works
}

fn value_of(text: &str) -> i64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("settings are numbers")
}

/// One or two steps up or down, within the bounds.
fn next_value(random: &mut Random, setting: &Setting, before: &str) -> Option<String> {
    let value = value_of(before);
    let mut choices: Vec<i64> = [-2, -1, 1, 2]
        .iter()
        .map(|steps| value + steps * setting.step)
        .filter(|it| (setting.low..=setting.high).contains(it))
        .collect();
    if choices.is_empty() {
        choices.push(setting.low);
    }
    let chosen = *random.pick(&choices);
    (chosen != value).then(|| written(chosen, setting.decimals))
}

fn written(value: i64, decimals: usize) -> String {
    let scale = 10_i64.pow(decimals as u32);
    match decimals {
        0 => value.to_string(),
        _ => format!("{}.{:0decimals$}", value / scale, value % scale),
    }
}
