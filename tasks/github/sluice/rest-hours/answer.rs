//! Facts of the answer: required, allowed and forbidden ones.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person, Prose};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

/// The setting, and the only file of the code that has it.
pub const SETTING: &str = "rest_hours";
pub const READ_IN: &str = "sluice/crops.py";
/// The file that decides about runs, without the setting.
pub const DECIDES: &str = "sluice/schedule.py";

/// Facts about the setting on main.
pub struct Setting {
    /// The question.
    pub issue: u64,
    /// The last commit of main.
    pub commit: String,
    /// The values in the files of crops.
    pub hours: BTreeSet<u64>,
    /// The constants of the file that decides about runs.
    pub constants: Vec<Decimal>,
    /// The newest release, which does not use it either.
    pub release: String,
    /// The days of the question and of the answer.
    pub days: [Date; 2],
    /// All paths of main.
    pub paths: Vec<String>,
    pub people: Vec<Person>,
}

/// Verbs for the use of the setting by the code, which count only if they are negated.
const USES: [&str; 89] = [
    "use",
    "used",
    "using",
    "usage",
    "read",
    "reads it",
    "look at",
    "looks at",
    "looked at",
    "looking at",
    "look it up",
    "looked up",
    "evaluat*",
    "consult*",
    "into account",
    "into consideration",
    "consider*",
    "enforc*",
    "effect",
    "influenc*",
    "affect*",
    "impact",
    "refer to",
    "refers to",
    "referred to",
    "referenc*",
    "respect*",
    "honour*",
    "honor*",
    "observ*",
    "implement*",
    "act on",
    "acts on",
    "acted on",
    "do anything",
    "does anything",
    "do something",
    "appl*",
    "difference",
    "attention",
    "notice",
    "wired",
    "connected",
    "hooked",
    "play* .. part",
    "play* .. role",
    "bearing",
    "checked",
    "checks it",
    "access*",
    "picked up",
    "picks it up",
    "touch*",
    "wait for it",
    "waits for it",
    "obey*",
    "know of it",
    "knows of it",
    "know about",
    "knows about",
    "care*",
    "go by it",
    "goes by it",
    "depend* on",
    "mention*",
    "appear*",
    "occur*",
    "from anything",
    "from either",
    "part of",
    "calculat*",
    "computation",
    "feed* into",
    "factor*",
    "figure in",
    "figures in",
    "enter",
    "comes into",
    "come into",
    "matter",
    "change anything",
    "change when",
    "changes when",
    "consequence*",
    "support*",
    "active",
    "passed on",
    "followed",
    "follows it",
];

/// The same without a negation.
const UNUSED: [&str; 31] = [
    "ignor*",
    "disregard*",
    "unused",
    "unread",
    "does nothing",
    "do nothing",
    "doing nothing",
    "nowhere",
    "dead",
    "inert",
    "without effect",
    "without any effect",
    "only loaded",
    "only stored",
    "only parsed",
    "only read in",
    "only appears in",
    "only occurs in",
    "only place",
    "from nothing",
    "only exist*",
    "exists only",
    "only defined",
    "only declared",
    "only a field",
    "just a field",
    "loaded but",
    "parsed but",
    "stored but",
    "no code",
    "no logic",
];

/// Claims of a careless reader: a moment from which hours are counted, or something that keeps the pause.
const COUNTS_FROM: [&str; 92] = [
    "from the end",
    "from its end",
    "from the start",
    "from its start",
    "from the begin*",
    "from its begin*",
    "from when",
    "from the moment",
    "from the time",
    "from the close",
    "from the finish*",
    "from the last run",
    "from the previous run",
    "count* from",
    "measure* from",
    "reckon* from",
    "calculat* from",
    "since the end",
    "since the start",
    "since the last run",
    "since the previous run",
    "after the end",
    "after the start",
    "after the begin*",
    "count* after",
    "count* when",
    "count* once",
    "start* to count",
    "start* counting",
    "begin* to count",
    "begin* counting",
    "counting start*",
    "counting begin*",
    "countdown",
    "the end of",
    "the start of",
    "the begin* of",
    "end of .. run",
    "start of .. run",
    "begin* of .. run",
    "end to start",
    "end to begin*",
    "start to start",
    "begin* to begin*",
    "use* the end",
    "use* the start",
    "use* the begin*",
    "count* the end",
    "the end that",
    "the start that",
    "the begin* that",
    "end counts",
    "start counts",
    "beginning counts",
    "is the end",
    "is the start",
    "is the begin*",
    "run end*",
    "run finish*",
    "run start*",
    "run begin*",
    "run is over",
    "run is finished",
    "run is done",
    "run has ended",
    "run has finished",
    "valve close*",
    "valve open*",
    "valve is closed",
    "hours after",
    "hours between",
    "hours pass*",
    "hours have passed",
    "hours apart",
    "pause between",
    "rest between",
    "gap between",
    "shortest pause",
    "minimum pause",
    "waits",
    "is enforced",
    "are enforced",
    "enforces it",
    "respects it",
    "honours it",
    "honors it",
    "takes it into account",
    "adds it",
    "adds rest_hours",
    "added to",
    "is applied",
    "applies it",
];

/// False claims about the past: no release has used the setting.
const USED_ONCE: [&str; 12] = [
    "no longer",
    "not .. any longer",
    "not .. anymore",
    "not .. any more",
    "used to be",
    "used to count",
    "used to work",
    "stopped",
    "was dropped",
    "were dropped",
    "has been dropped",
    "earlier releases did",
];

/// Claims of work that nobody has done.
const DONE: [&str; 14] = [
    "have fixed",
    "has been fixed",
    "is fixed",
    "was fixed",
    "have mended",
    "has been mended",
    "is mended",
    "have opened",
    "opened an issue",
    "opened a pull request",
    "have added",
    "has been added",
    "have removed",
    "has been removed",
];

/// Promises that nobody has given.
const PROMISED: [&str; 22] = [
    "will mend",
    "will fix",
    "will repair",
    "will change",
    "will add",
    "will implement",
    "will support",
    "will correct",
    "will be mended",
    "will be fixed",
    "will be changed",
    "will be added",
    "will be implemented",
    "will be supported",
    "will be corrected",
    "we'll mend",
    "we'll fix",
    "we'll add",
    "we'll implement",
    "going to mend",
    "going to fix",
    "going to implement",
];

/// Advice that breaks the file of a crop, which is refused without the line.
const REMOVING: [&str; 18] = [
    "you can remove",
    "you can delete",
    "you can drop",
    "you can omit",
    "you can leave",
    "you may remove",
    "you may delete",
    "you may drop",
    "you could remove",
    "you could delete",
    "you could drop",
    "please remove",
    "please delete",
    "just remove",
    "just delete",
    "can be removed",
    "can be left out",
    "is optional",
];

/// Words of a part of a sentence that does not say what is so: it denies, asks, supposes, or tells what is written.
const NOT_STATED: [&str; 69] = [
    "not",
    "no",
    "never",
    "nothing",
    "nobody",
    "none",
    "neither",
    "nor",
    "nowhere",
    "without",
    "cannot",
    "either",
    "whether",
    "if",
    "ask",
    "asked",
    "question",
    "would",
    "could",
    "should",
    "might",
    "suggest",
    "suggests",
    "sound",
    "sounds",
    "meant",
    "mean",
    "intended",
    "supposed",
    "describe",
    "describes",
    "described",
    "say",
    "says",
    "call",
    "calls",
    "claims",
    "promises",
    "reads",
    "handbook",
    "docs",
    "ignored",
    "ignores",
    "regardless",
    "irrespective",
    "whatever",
    "even",
    "although",
    "though",
    "documented",
    "documentation",
    "table",
    "document",
    "documents",
    "lists",
    "listed",
    "defined",
    "defines",
    "expect",
    "expects",
    "expected",
    "imply",
    "implies",
    "implied",
    "unused",
    "missing",
    "absent",
    "lacks",
    "lack",
];

/// Joints at which a part of a sentence ends without a mark.
const JOINTS: [&str; 8] = [
    " but ",
    " and counts ",
    " and it ",
    " and uses ",
    " and then ",
    " so it ",
    " then ",
    " because ",
];

fn facts(setting: &Setting) -> Facts {
    let unused = Fact::words(USES).denied().or(Fact::words(UNUSED));
    let file = Fact::path(DECIDES)
        .or(Fact::path(READ_IN))
        .or(Fact::term(["sluice.schedule", "sluice.crops"]));
    let mut facts = Facts::new()
        .must("that nothing uses the setting", unused)
        .must("the file in which one can check it", file)
        .must_not("that it was used once", Fact::words(USED_ONCE))
        .must_not(
            "what nobody has done",
            Fact::words(DONE).or(Fact::words(PROMISED)),
        )
        .must_not("that the line may be removed", Fact::words(REMOVING))
        .may(Fact::reference(setting.issue))
        .may(Fact::commit(&setting.commit))
        .may(Fact::version(&setting.release))
        .may(Fact::time(6, 0).or(Fact::time(9, 0)))
        // Begin and end are two, and so are the runs before and after a pause.
        .may(Fact::number(2))
        .people(setting.people.iter().cloned());
    for hours in &setting.hours {
        facts = facts.may(Fact::number(*hours));
    }
    for constant in &setting.constants {
        facts = facts.may(Fact::number(*constant));
    }
    for day in setting.days {
        facts = facts.may(Fact::date(day).or_weekday());
    }
    for person in &setting.people {
        facts = facts.may(Fact::person(person));
    }
    facts
}

/// All conditions on the answer, with their names.
pub fn conditions(setting: &Setting, text: &Found<String>) -> Vec<(String, Condition)> {
    let text = text.map(|text| without_lines(text));
    let prose = text.prose();
    let mut all = facts(setting).conditions(&prose);
    let stated: Found<Prose> = text.map(|text| statements(text)).prose();
    let from = Fact::words(COUNTS_FROM).called("a time from which it counts");
    let exception = text.satisfies(|text| {
        Condition::when(
            !excepts_schedule(text),
            "expected no exception for the schedule, which does not use it",
        )
    });
    all.extend([
        (
            "a time from which it counts".to_owned(),
            stated.does_not_state(&from).and(exception),
        ),
        ("its paths".to_owned(), prose.paths_exist(&setting.paths)),
        ("its length".to_owned(), prose.words_between(10, 130)),
        ("its language".to_owned(), prose.is_in(Language::English)),
    ]);
    all
}

/// Whether a text says that nothing but the schedule uses the setting.
fn excepts_schedule(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "except",
        "apart from",
        "other than",
        "outside",
        "besides",
        "but for",
    ]
    .iter()
    .flat_map(|word| {
        text.match_indices(word)
            .map(|(at, _)| &text[at + word.len()..])
    })
    .any(|rest| {
        let end = rest.find([',', ';', '\n', '!', '?']);
        let part = &rest[..end.unwrap_or(rest.len())];
        let words = part.split_whitespace().take(5);
        words
            .into_iter()
            .any(|it| it.contains("schedule") || it.contains("plan"))
    })
}

/// Returns a text without the numbers of lines: behind the word, behind a path, and in the address of a file.
fn without_lines(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let lower = result.to_ascii_lowercase();
        let is_behind_word = ["line ", "lines "].iter().any(|it| lower.ends_with(it));
        let head = ["#L", ":"].into_iter().find(|it| rest.starts_with(it));
        let head = head.filter(|it| *it == "#L" || lower.ends_with(".py"));
        let number = match head {
            Some(head) => rest[head.len()..].trim_start_matches(|it: char| it.is_ascii_digit()),
            None if is_behind_word => rest.trim_start_matches(|it: char| it.is_ascii_digit()),
            None => rest,
        };
        if number.len() + head.map_or(0, str::len) < rest.len() {
            let more = ["-L", "-", "–", " to ", " and "].into_iter();
            let mut more = more.filter_map(|it| number.strip_prefix(it));
            rest = match more.find(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
                Some(more) => more.trim_start_matches(|it: char| it.is_ascii_digit()),
                None => number,
            };
            continue;
        }
        result.push(next);
        rest = &rest[next.len_utf8()..];
    }
    result
}

/// Whether a text begins with a negation.
fn denies(text: &str) -> bool {
    let text = text.trim_start().to_lowercase();
    let word = text.split(|it: char| !it.is_alphanumeric()).next();
    matches!(word, Some("no" | "not" | "neither" | "none" | "nothing"))
}

/// Returns the parts of sentences that say what is so.
fn statements(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut start = 0;
    let marks: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, mark)) in marks.iter().enumerate() {
        let next = marks.get(index + 1).map_or(' ', |(_, next)| *next);
        let is_end = match mark {
            ',' | ';' | '!' | '\n' | '(' | ')' | '|' | '—' => true,
            '.' => next.is_whitespace() || next == '*',
            // "Begin of a run: no" is one part.
            ':' => next.is_whitespace() && !denies(&text[at + 1..]),
            _ => false,
        };
        if is_end {
            parts.push(text[start..*at].to_owned());
            start = at + mark.len_utf8();
        } else if *mark == '?' {
            start = at + 1;
        }
    }
    parts.push(text[start..].to_owned());
    for joint in JOINTS {
        parts = parts
            .iter()
            .flat_map(|part| part.split(joint))
            .map(str::to_owned)
            .collect();
    }
    parts.retain(|part| {
        let lower = part.to_lowercase().replace('\u{2019}', "'");
        let mut words = lower.split(|it: char| !it.is_alphanumeric() && it != '\'');
        !words.any(|word| NOT_STATED.contains(&word) || word.ends_with("n't"))
    });
    parts.join(".\n\n")
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::jiff::civil::date;
    use mcpmark_guest::prose::samples;

    use super::*;

    fn setting() -> Setting {
        let people = [
            ("Ines Calder", "icalder"),
            ("Marta Oyelaran", "moyelaran"),
            ("okonkwo-farm", "okonkwo-farm"),
            ("Lowfield Desk", "lowfield-desk"),
        ];
        let paths = [
            "docs/crops.md",
            "crops/tomato.toml",
            "sluice/crops.py",
            "sluice/schedule.py",
            "sluice/valves.py",
        ];
        Setting {
            issue: 298,
            commit: "303ac1c7967d2e8cf38ab8486d4ccc92fe396151".to_owned(),
            hours: [8, 10, 14, 24].into(),
            constants: vec![6.into(), 9.into(), 20.into(), Decimal::new(45, 1)],
            release: "2.3.0".to_owned(),
            days: [date(2025, 2, 28), date(2025, 3, 3)],
            paths: paths.map(str::to_owned).into(),
            people: people
                .map(|(name, login)| Person::new(name).handle(login))
                .into(),
        }
    }

    #[test]
    fn answers_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 20 && wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the comment", Ok(sample.text.clone()));
            let failed: Vec<(String, String)> = conditions(&setting(), &text)
                .into_iter()
                .filter(|(_, condition)| !condition.passed())
                .map(|(name, condition)| (name, condition.detail().to_owned()))
                .collect();
            let is_right = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|(name, _)| name == check),
            };
            if !is_right {
                mistakes.push(format!(
                    "{} (must fail: {:?}): {failed:?}",
                    sample.name, sample.fails
                ));
            }
        }
        assert!(
            mistakes.is_empty(),
            "{}\n{}",
            mistakes.len(),
            mistakes.join("\n")
        );
    }

    #[test]
    fn numbers_of_lines_are_not_judged() {
        for (text, without) in [
            ("See sluice/schedule.py:29-43.", "See sluice/schedule.py."),
            ("See lines 29–43 of it.", "See lines  of it."),
            ("See lines 29 to 43, 7 in all.", "See lines , 7 in all."),
            ("a/schedule.py#L29-L43)", "a/schedule.py)"),
            ("Beds 3 and 4: 5 #Low", "Beds 3 and 4: 5 #Low"),
        ] {
            assert_eq!(without_lines(text), without);
        }
    }
}
