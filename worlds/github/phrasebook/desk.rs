//! The many changes by the seed: the source changes, and translations follow, late or never, sometimes with a
//! mistake. At the end some of it is arranged: what is proposed, what conflicts, and what has caught up.

use std::collections::BTreeSet;

use github_chronicle::Way::{Closed, Direct, Merge, Open, Rebase, Squash};
use github_chronicle::{Report, Section, Texts, Way, Work, Write};
use mcpmark_guest::Random;

use crate::pages::{LOCALES, PAGES, Page, column, page, path};
use crate::plans::CAUGHT_UP;
use crate::project::{PHRASEBOOK, language_label, translators};
use crate::story::NEVER;

/// From this day on the source changes only where it is arranged.
const SETTLED: i64 = 588;

/// The days before the release whose print has mistakes: translators were in a hurry.
const HURRY: std::ops::Range<i64> = 430..486;

/// Something that is arranged.
#[derive(Clone, Copy)]
enum Errand {
    /// The source changes these lines of a page.
    Source(&'static str, &'static [usize]),
    /// A translation follows.
    Follow(&'static str, &'static str),
    /// Other words for lines of a page, which are overtaken.
    Reword,
    /// A translation that somebody has to read, with these mistakes.
    Propose(&'static str, &'static [Mistake]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    Number,
    Word,
}

const ERRANDS: &[(i64, Errand)] = &[
    (572, Errand::Reword),
    (580, Errand::Follow("it", "arrival")),
    (580, Errand::Follow("it", "dormitory")),
    (581, Errand::Follow("it", "rescue")),
    (582, Errand::Follow("it", "weather")),
    (584, Errand::Source("meals", &[0, 2])),
    (585, Errand::Source("quiet-hours", &[1])),
    (586, Errand::Source("waste", &[3])),
    (588, Errand::Source("water", &[2, 3])),
    (590, Errand::Follow("fr", "fees")),
    (591, Errand::Follow("de", "water")),
    (592, Errand::Follow("fr", "meals")),
    (598, Errand::Source("meals", &[1])),
    (598, Errand::Propose("de", &[Mistake::Number])),
    (599, Errand::Propose("fr", &[Mistake::Word])),
    (600, Errand::Propose("es", &[])),
    (
        600,
        Errand::Propose("it", &[Mistake::Number, Mistake::Word]),
    ),
    (601, Errand::Propose("de", &[])),
    (
        602,
        Errand::Propose("es", &[Mistake::Number, Mistake::Number]),
    ),
    (603, Errand::Propose("it", &[])),
    // What is proposed by then is not what the source says any more.
    (608, Errand::Source("meals", &[3])),
];

/// A change of the source that may be taken back.
struct Change {
    id: String,
    title: String,
    page: &'static Page,
    revision: u64,
    before: Vec<i64>,
}

#[derive(Default)]
pub struct Desk {
    finished: BTreeSet<usize>,
    /// What changed last, by a pull request that was merged.
    last: Option<Change>,
    count: usize,
}

/// A page as it is in a language.
struct Standing {
    path: String,
    /// The revision that it has or follows.
    revision: u64,
    values: Vec<i64>,
    is_free: bool,
}

/// Everything as it is at a moment.
struct Now<'a> {
    day: i64,
    code: &'a Texts,
    is_free: &'a dyn Fn(&str) -> bool,
}

impl Now<'_> {
    /// Where a page lies in a language. Rubbish was called so before it was waste, Spanish before it was es.
    fn find(&self, locale: &str, page: &Page) -> Option<Standing> {
        let folders: &[&str] = if locale == "es" {
            &["es", "sp"]
        } else {
            &[locale]
        };
        let names: &[&str] = if page.name == "waste" {
            &["waste", "rubbish"]
        } else {
            &[page.name]
        };
        let mut places = folders
            .iter()
            .flat_map(|folder| names.iter().map(|name| path(folder, name)));
        let path = places.find(|path| self.code.get(path).is_some())?;
        let text = self.code.get(&path)?;
        let (revision, values) = page.read(column(locale), text);
        Some(Standing {
            revision,
            values,
            is_free: (self.is_free)(&path),
            path,
        })
    }

    /// A page in the source and in a language, where nobody is at either.
    fn pair(&self, locale: &str, page: &Page) -> Option<(Standing, Standing)> {
        let (source, own) = (self.find("en", page)?, self.find(locale, page)?);
        (source.is_free && own.is_free).then_some((source, own))
    }
}

impl Desk {
    pub fn changes(
        &mut self,
        random: &mut Random,
        day: i64,
        code: &Texts,
        is_free: &dyn Fn(&str) -> bool,
    ) -> Vec<Work<Write>> {
        let now = Now { day, code, is_free };
        for (at, (from, errand)) in ERRANDS.iter().enumerate() {
            if *from > day || self.finished.contains(&at) {
                continue;
            }
            if let Some(work) = run_errand(random, &now, *errand) {
                self.finished.insert(at);
                // One at a time: the next sees what it made.
                return vec![work];
            }
        }
        let work = match random.below(20) {
            0 => self.take_back(&now),
            1 | 2 => repair(random, &now),
            3..11 => self.change_source(random, &now),
            _ => follow_somewhere(random, &now),
        };
        work.into_iter().collect()
    }

    fn change_source(&mut self, random: &mut Random, now: &Now<'_>) -> Option<Work<Write>> {
        if now.day >= SETTLED {
            return None;
        }
        let page = random.pick(PAGES);
        let is_kept = now.day > 570 && (CAUGHT_UP.contains(&page.name) || page.name == "meals");
        let source = now.find("en", page).filter(|it| it.is_free && !is_kept)?;
        let lines: Vec<usize> = (0..page.lines.len())
            .filter(|at| !page.lines[*at].about.is_empty())
            .collect();
        let line = *random.pick(&lines);
        let way = *random.weighted(&[
            (Direct, 2),
            (Squash, 6),
            (Merge, 5),
            (Rebase, 4),
            (Closed, 1),
        ]);
        let before = source.values.clone();
        let revision = source.revision + 1;
        let work = change(random, now.day, page, source, &[line], way);
        if way == Closed {
            return Some(work);
        }
        self.count += 1;
        let work = work.id(&format!("source-{}", self.count));
        if matches!(way, Squash | Merge) {
            self.last = Some(Change {
                id: work.id.clone(),
                title: work.title.clone(),
                page,
                revision,
                before,
            });
        }
        Some(work)
    }

    /// Takes the last change back, if nothing came after it.
    fn take_back(&mut self, now: &Now<'_>) -> Option<Work<Write>> {
        let change = self.last.take()?;
        let source = now.find("en", change.page)?;
        if !source.is_free || source.revision != change.revision || now.day >= 570 {
            return None;
        }
        let revision = change.revision + 1;
        let title = format!("Revert \"{}\"", change.title);
        let branch = format!("undo-{}-{}", change.page.name, now.day);
        let text = change.page.write(0, revision, &change.before);
        let message = format!(
            "{title}\n\nThis reverts commit {{sha:{}}}.\nRevision {revision}.",
            change.id
        );
        let work = Work::new(now.day, "mlindqvist", Squash, &branch, &title)
            .step(&message, vec![Write::Whole(source.path, text)])
            .body("The huts had printed it already.")
            .section(Section::Changed)
            .label("source");
        Some(work)
    }
}

/// A change of values in the source.
fn change(
    random: &mut Random,
    day: i64,
    page: &'static Page,
    source: Standing,
    lines: &[usize],
    way: Way,
) -> Work<Write> {
    let mut values = source.values;
    let mut told = Vec::new();
    for at in lines {
        let line = &page.lines[*at];
        let before = values[*at];
        values[*at] = next(random, line, before);
        let (old, new) = (line.range.write(before), line.range.write(values[*at]));
        told.push(format!("{}, {new} instead of {old}", line.about));
    }
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(".md");
    let title = format!("{name}: {}", told.join("; "));
    let revision = source.revision + 1;
    let prefix = if way == Closed { "try/" } else { "" };
    let branch = format!("{prefix}{name}-{revision}");
    let why = *random.pick(&[
        "Decided at the meeting in the valley.",
        "Two huts asked for it.",
        "So that all huts do the same.",
        "As last season, it did not work.",
        "The valley office wants it so.",
    ]);
    let text = page.write(0, revision, &values);
    let author = *random.pick(translators("en"));
    let work = Work::new(day, author, way, &branch, &title)
        .step(
            &format!("{title}\n\nRevision {revision}."),
            vec![Write::Whole(source.path, text)],
        )
        .body(&format!(
            "{why}\n\nThis makes revision {revision} of the page."
        ))
        .section(Section::Changed)
        .label("source");
    if random.chance(1, 8) {
        work.contested()
    } else {
        work
    }
}

/// Another value in its bounds.
fn next(random: &mut Random, line: &crate::pages::Line, before: i64) -> i64 {
    let range = line.range;
    let step = range.step * random.between(1, 2);
    let (up, down) = (before + step, before - step);
    match (up <= range.high, down >= range.low) {
        (true, true) if random.chance(3, 5) => up,
        (true, false) => up,
        _ => down,
    }
}

/// A translation that lags behind follows, if its people have the time.
fn follow_somewhere(random: &mut Random, now: &Now<'_>) -> Option<Work<Write>> {
    let mut lagging = Vec::new();
    for locale in &LOCALES[1..] {
        // Spanish is written in winter, and nobody hurries at the end.
        let is_slow = now.day > 555 || (*locale == "es" && now.day > 460);
        if is_slow && !random.chance(1, 6) {
            continue;
        }
        for page in PAGES {
            let is_kept = now.day > 570 && *locale == "fr" && page.name == "meals";
            if let Some((source, own)) = now.pair(locale, page)
                && source.revision > own.revision
                && !is_kept
            {
                lagging.push((*locale, page, source, own));
            }
        }
    }
    if lagging.is_empty() {
        return None;
    }
    let at = random.below(lagging.len() as u64) as usize;
    let (locale, page, source, own) = lagging.swap_remove(at);
    let is_hasty = if HURRY.contains(&now.day) {
        random.chance(1, 2)
    } else {
        random.chance(1, 10)
    };
    Some(follow(random, now.day, locale, page, source, own, is_hasty))
}

fn follow(
    random: &mut Random,
    day: i64,
    locale: &'static str,
    page: &'static Page,
    source: Standing,
    own: Standing,
    is_hasty: bool,
) -> Work<Write> {
    let mut values = source.values.clone();
    if is_hasty {
        mistake(random, page, &mut values);
    }
    let text = page.write(column(locale), source.revision, &values);
    let name = own.path.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(".md");
    let revision = source.revision;
    let title = match random.below(3) {
        0 => format!("{locale}: {name} follows revision {revision}"),
        1 => format!("{locale}: {name} up to revision {revision}"),
        _ => format!("{locale}: revision {revision} of {name}"),
    };
    let way = *random.weighted(&[(Direct, 3), (Squash, 5), (Merge, 3), (Rebase, 3)]);
    let author = *random.pick(translators(locale));
    let changed = page.lines.iter().enumerate();
    let changed = changed.filter(|(at, _)| own.values[*at] != values[*at]);
    let told: String = changed
        .map(|(_, line)| format!("- {}\n", line.about))
        .collect();
    let body = format!("What changed since revision {}:\n\n{told}", own.revision);
    let work = Work::new(
        day,
        author,
        way,
        &format!("{locale}-{name}-{revision}"),
        &title,
    )
    .step(&title, vec![Write::Whole(own.path, text)])
    .body(body.trim_end())
    .label(language_label(locale));
    if random.chance(1, 9) {
        work.contested()
    } else {
        work
    }
}

/// Makes one value another.
fn mistake(random: &mut Random, page: &Page, values: &mut [i64]) {
    let lines: Vec<usize> = (0..page.lines.len())
        .filter(|at| !page.lines[*at].about.is_empty())
        .collect();
    let at = *random.pick(&lines);
    values[at] = next(random, &page.lines[at], values[at]);
}

/// Somebody in a hut found a wrong number.
fn repair(random: &mut Random, now: &Now<'_>) -> Option<Work<Write>> {
    if HURRY.contains(&now.day) {
        return None;
    }
    let mut wrong = Vec::new();
    for locale in &LOCALES[1..] {
        for page in PAGES {
            if let Some((source, own)) = now.pair(locale, page)
                && source.revision == own.revision
                && source.values != own.values
            {
                wrong.push((*locale, page, source, own));
            }
        }
    }
    if wrong.is_empty() {
        return None;
    }
    let at = random.below(wrong.len() as u64) as usize;
    let (locale, page, source, own) = wrong.swap_remove(at);
    let text = page.write(column(locale), source.revision, &source.values);
    let title = format!("{locale}: a wrong number in {}", page.name);
    let by = *random.pick(PHRASEBOOK.others);
    let report = Report::new(
        by,
        &format!(
            "{} says something else in English",
            page.titles[column(locale)]
        ),
        "A guest showed me both pages.",
    )
    .labels(&[language_label(locale)]);
    let author = *random.pick(translators(locale));
    let work = Work::new(
        now.day,
        author,
        Squash,
        &format!("{locale}-number-{}", now.day),
        &title,
    )
    .report(report)
    .step(&title, vec![Write::Whole(own.path, text)])
    .body("Closes #{issue}")
    .section(Section::Fixed)
    .label(language_label(locale));
    Some(work)
}

fn run_errand(random: &mut Random, now: &Now<'_>, errand: Errand) -> Option<Work<Write>> {
    match errand {
        Errand::Source(name, lines) => {
            let page = page(name);
            let source = now.find("en", page).filter(|it| it.is_free)?;
            let way = *random.pick(&[Squash, Merge, Rebase]);
            Some(change(random, now.day, page, source, lines, way))
        }
        Errand::Follow(locale, name) => {
            let page = page(name);
            let (source, own) = now.pair(locale, page)?;
            if source.revision == own.revision {
                return None;
            }
            Some(follow(random, now.day, locale, page, source, own, false))
        }
        Errand::Reword => {
            let own = now.find("fr", page("meals")).filter(|it| it.is_free)?;
            Some(reword(now.day, &own.path))
        }
        Errand::Propose(locale, mistakes) => propose(random, now, locale, mistakes),
    }
}

/// Other words for two lines of a French page.
fn reword(day: i64, path: &str) -> Work<Write> {
    let part = |old: &str, new: &str| vec![Write::part(path, old, new)];
    Work::new(
        day,
        "cmorel",
        Open,
        "fr-meals-words",
        "fr: meals as one says it in a hut",
    )
    .step(
        "fr: breakfast is ready",
        part(
            "Le petit-déjeuner est servi dès ",
            "Le petit-déjeuner est prêt dès ",
        ),
    )
    .step(
        "fr: the soup is at so many euros",
        part("La soupe du jour coûte ", "La soupe du jour est à "),
    )
    .body("Nobody serves anything at half past five.")
    .label("lang: fr")
    .overtaken()
}

/// A translation up to its source, with mistakes, that waits for somebody to read it.
fn propose(
    random: &mut Random,
    now: &Now<'_>,
    locale: &'static str,
    mistakes: &[Mistake],
) -> Option<Work<Write>> {
    let (_, word, never) = NEVER.iter().find(|it| it.0 == locale)?;
    let (page, source, own) = PAGES.iter().find_map(|page| {
        let (source, own) = now.pair(locale, page)?;
        let text = now.code.get(&own.path)?;
        let fits = !mistakes.contains(&Mistake::Word) || text.contains(word);
        // The French meals are left to who has begun with them.
        let is_kept = locale == "fr" && page.name == "meals";
        (fits && !is_kept && source.revision > own.revision).then_some((page, source, own))
    })?;
    let mut values = source.values.clone();
    let wanted = mistakes.iter().filter(|it| **it == Mistake::Number).count();
    while values
        .iter()
        .zip(&source.values)
        .filter(|(one, other)| one != other)
        .count()
        < wanted
    {
        mistake(random, page, &mut values);
    }
    let mut text = page.write(column(locale), source.revision, &values);
    if mistakes.contains(&Mistake::Word) {
        text = text.replacen(word, never, 1);
    }
    let revision = source.revision;
    let title = format!("{locale}: {} up to revision {revision}", page.name);
    let branch = format!("read/{locale}-{}", page.name);
    let author = *random.pick(translators(locale));
    let work = Work::new(now.day, author, Open, &branch, &title)
        .step(&title, vec![Write::Whole(own.path, text)])
        .body("Please read it beside the source, see docs/reading.md.")
        .label(language_label(locale))
        .label("second reading");
    Some(work)
}
