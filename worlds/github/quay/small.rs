//! The many small changes of settings and machines, by the seed.

use github_chronicle::Way::{Closed, Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Section, Texts, Way, Work, Write};
use mcpmark_guest::Random;

use crate::project::QUAY;

/// A change of one setting of a machine or role that nobody else is at.
pub fn changes(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Vec<Work<Write>> {
    let is_settings = |path: &&str| path.starts_with("hosts/") || path.ends_with("/settings.yml");
    let paths: Vec<&str> = now
        .below("")
        .filter(is_settings)
        .filter(|path| is_free(path))
        .collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let path = *random.pick(&paths);
    let text = now.get(path).unwrap_or_default();
    let Some((key, before)) = setting(random, text) else {
        return Vec::new();
    };
    let after = next(random, key, before);
    let owner = owner(path);
    let way: Way = *random.weighted(&[
        (Direct, 3),
        (Squash, 5),
        (Merge, 4),
        (Rebase, 3),
        (Closed, 2),
    ]);
    let author = random.pick(QUAY.team).login;
    let title = format!("{owner}: {key} from {before} to {after}");
    let prefix = if way == Closed && random.chance(1, 2) {
        "drop/"
    } else {
        ""
    };
    let branch = format!("{prefix}{owner}-{}-{day}", key.replace('_', "-"));
    let mut work = Work::new(day, author, way, &branch, &title).step(
        &title,
        vec![Write::part(
            path,
            &format!("\n{key}: {before}\n"),
            &format!("\n{key}: {after}\n"),
        )],
    );
    work = if path.starts_with("hosts/") {
        work.label("machines").section(Section::Changed)
    } else if random.chance(1, 3) {
        work.label("fix").section(Section::Fixed)
    } else {
        work.label("settings").section(Section::Changed)
    };
    if way != Direct && random.chance(1, 5) {
        let by = *random.pick(QUAY.others);
        let what = *random.pick(&[
            "It was slow the whole week.",
            "Stood still twice, came back by itself.",
            "The graph goes up and nobody knows why.",
        ]);
        let report = Report::new(by, &format!("{owner} is not well"), what).labels(&["fix"]);
        work = work
            .report(report)
            .body("Closes #{issue}\n\nWatched it for a day with the new value.");
    }
    if random.chance(1, 7) {
        work = work.contested();
    }
    vec![work]
}

/// The machine or role that a file is about.
fn owner(path: &str) -> &str {
    let mut parts = path.split('/').skip(1);
    parts.next().unwrap_or(path).trim_end_matches(".yml")
}

/// A setting that may change: a number or a version.
fn setting<'a>(random: &mut Random, text: &'a str) -> Option<(&'a str, &'a str)> {
    let all: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(key, value)| {
            let is_number = value.bytes().all(|it| it.is_ascii_digit() || it == b'.');
            is_number && *key != "host"
        })
        .collect();
    (!all.is_empty()).then(|| *random.pick(&all))
}

fn next(random: &mut Random, key: &str, before: &str) -> String {
    if key.ends_with("_version") {
        let (minor, patch) = before.rsplit_once('.').expect("versions have three parts");
        let patch: i64 = patch.parse().expect("versions are numbers");
        return format!("{minor}.{}", patch + random.between(1, 3));
    }
    let number: i64 = before.parse().expect("settings are numbers");
    let step = match number {
        0..10 => 1,
        10..100 => 4,
        100..500 => 20,
        _ => 100,
    };
    let after = if number > 2 * step && random.chance(2, 5) {
        number - step
    } else {
        number + step
    };
    after.to_string()
}
