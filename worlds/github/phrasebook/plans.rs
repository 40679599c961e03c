//! Plans for a season: issues with an issue for each page below them.

use github_chronicle::{Hub, Report, Talk};

use crate::project::{language_label, translators};

/// The language, its name, who opened the plan, and the pages in it. Spanish has not been split up.
const PLANS: [(&str, &str, &str, &[&str]); 4] = [
    (
        "de",
        "German",
        "rauner",
        &[
            "arrival",
            "fees",
            "rescue",
            "water",
            "weather",
            "winter-room",
        ],
    ),
    (
        "fr",
        "French",
        "cmorel",
        &["dormitory", "fees", "quiet-hours", "waste", "water"],
    ),
    ("it", "Italian", "gpellis", CAUGHT_UP),
    ("es", "Spanish", "mlindqvist", &[]),
];

/// The pages of the Italian plan, all of which were done.
pub const CAUGHT_UP: &[&str] = &["arrival", "dormitory", "rescue", "weather"];

/// The day on which the plans were made.
const DAY: i64 = 541;

fn title(language: &str) -> String {
    format!("{language} before the season")
}

fn part(locale: &str, page: &str) -> String {
    format!("{locale}: {page}")
}

pub fn talks() -> Vec<Talk> {
    let mut all = Vec::new();
    for (locale, language, by, pages) in PLANS {
        let body = if pages.is_empty() {
            "Nobody has looked at what lags behind yet. docs/planning.md says how a plan is split up."
        } else {
            "The pages that have to follow the source before the huts open. docs/planning.md says when one is done."
        };
        all.push(Talk::new(
            DAY,
            Report::new(by, &title(language), body)
                .labels(&["plan", language_label(locale)])
                .assignee(by),
        ));
        for (at, page) in pages.iter().enumerate() {
            let owners = translators(locale);
            let owner = owners[at % owners.len()];
            let body = format!("Bring `handbook/{locale}/{page}.md` up to its source.");
            all.push(Talk::new(
                DAY + 1,
                Report::new(by, &part(locale, page), &body)
                    .labels(&["stale", language_label(locale)])
                    .assignee(owner),
            ));
        }
    }
    all
}

/// Puts the issues of pages below those of plans.
pub fn relate(hub: &mut Hub) {
    for (locale, language, _, pages) in PLANS {
        let number = |title: &str| {
            let found = hub.threads.iter().find(|it| it.title == title);
            found.expect("the plan was opened").number
        };
        let plan = number(&title(language));
        let parts = pages.iter().map(|page| number(&part(locale, page)));
        let parts: Vec<u64> = parts.collect();
        hub.thread(plan).sub_issues = parts;
    }
}
