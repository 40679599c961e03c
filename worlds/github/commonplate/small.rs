//! The many small corrections, by the seed.

use github_chronicle::Way::{Closed, Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Section, Texts, Way, Work, Write};
use mcpmark_guest::Random;

use crate::project::COMMONPLATE;

/// What is changed in one step: the words for it, and the line before and after.
struct Correction {
    words: String,
    old: String,
    new: String,
}

/// One or more corrections of a recipe that nobody else is at.
pub fn corrections(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Vec<Work<Write>> {
    let paths: Vec<&str> = now.below("recipes/").filter(|path| is_free(path)).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let path = *random.pick(&paths);
    let mut text = now.get(path).unwrap_or_default().to_owned();
    let name = title(&text).to_owned();
    let count = *random.weighted(&[(1, 6), (2, 4), (3, 2)]);
    let way: Way = *random.weighted(&[
        (Direct, 3),
        (Squash, 5),
        (Merge, 4),
        (Rebase, 2),
        (Closed, 1),
    ]);
    let author = random.pick(COMMONPLATE.team).login;
    let mut steps: Vec<Correction> = Vec::new();
    for _ in 0..count {
        let correction = correction(random, &text, &steps);
        text = text.replacen(&correction.old, &correction.new, 1);
        steps.push(correction);
    }
    let lower = name.to_lowercase();
    let headline = match steps.as_slice() {
        [one] => format!("{name}: {}", one.words),
        _ => format!("{name}: after the last cooking"),
    };
    let branch = match way {
        Closed => format!("try/{}-{day}", stem(path)),
        _ => format!("{}-{day}", stem(path)),
    };
    let mut work = Work::new(day, author, way, &branch, &headline);
    for step in &steps {
        work = work.step(
            &format!("{name}: {}", step.words),
            vec![Write::part(path, &step.old, &step.new)],
        );
    }
    work = if random.chance(1, 3) {
        work.section(Section::Fixed).label("correction")
    } else {
        work.section(Section::Changed).label("change")
    };
    if way != Direct && random.chance(1, 4) {
        let by = *random.pick(COMMONPLATE.others);
        let what = *random.pick(&[
            "I did all that is written. It was not what we had on Thursday.",
            "Too much of everything, or too little of one thing.",
            "My aunt says that the amounts cannot be right.",
        ]);
        let report = Report::new(by, &format!("{name} did not come out"), what);
        work = work.report(report.labels(&["correction"])).body(&format!(
            "Fixes #{{issue}}\n\nCooked {lower} again and wrote down what we did."
        ));
    }
    if random.chance(1, 6) {
        work = work.contested();
    }
    vec![work]
}

fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title: "));
    line.expect("each recipe has a title")
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_end_matches(".md")
}

fn correction(random: &mut Random, text: &str, done: &[Correction]) -> Correction {
    // What one step did, the next one leaves.
    let is_done = |line: &str| done.iter().any(|it| it.new.trim_end() == line);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("- ") || line.starts_with("minutes: "))
        .filter(|line| !is_done(line))
        .collect();
    let line = *random.pick(&lines);
    let (what, before) = match line.strip_prefix("minutes: ") {
        Some(minutes) => ("the time", minutes),
        None => {
            let rest = line.trim_start_matches("- ");
            let (amount, name) = rest.split_once(' ').unwrap_or((rest, ""));
            let name = name.trim_start_matches("g ").trim_start_matches("ml ");
            (name, amount)
        }
    };
    let number: i64 = before.parse().expect("amounts are numbers");
    let step = match number {
        0..10 => 1,
        10..100 => 5,
        100..400 => 10,
        _ => 50,
    };
    let is_more = number <= step * 2 || random.chance(1, 2);
    let after = if is_more {
        number + step
    } else {
        number - step
    };
    let change = if is_more { "more" } else { "less" };
    let words = match what {
        "the time" if is_more => format!("{step} minutes longer"),
        "the time" => format!("{step} minutes less"),
        _ => format!("{change} {what}"),
    };
    Correction {
        words,
        old: format!("{line}\n"),
        new: format!("{}\n", line.replacen(before, &after.to_string(), 1)),
    }
}
