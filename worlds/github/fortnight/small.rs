//! The many small changes, by the seed: words, cases, tests, and what people asked.

use github_chronicle::Way::{Closed, Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Section, Texts, Way, Work, Write};
use mcpmark_guest::Random;

use crate::languages::{LANGUAGES, Language, UNITS, cases_path, word_line, words_path};
use crate::project::FORTNIGHT;

const COOKBOOK: &str = "docs/cookbook.md";

/// A small change of something that nobody else is at.
pub fn changes(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Vec<Work<Write>> {
    let kind = *random.weighted(&[
        (word as Kind, 9),
        (cases as Kind, 6),
        (test as Kind, 3),
        (recipe as Kind, 3),
        (limit as Kind, 1),
    ]);
    kind(random, day, now, is_free).into_iter().collect()
}

type Kind = fn(&mut Random, i64, &Texts, &dyn Fn(&str) -> bool) -> Option<Work<Write>>;

fn way(random: &mut Random) -> Way {
    *random.weighted(&[
        (Direct, 3),
        (Squash, 5),
        (Merge, 4),
        (Rebase, 3),
        (Closed, 1),
    ])
}

fn language<'a>(random: &mut Random, is_free: &dyn Fn(&str) -> bool) -> Option<&'a Language> {
    let language = random.pick(&LANGUAGES);
    let is_ours = is_free(&words_path(language.code)) && is_free(&cases_path(language.code));
    is_ours.then_some(language)
}

fn branch(way: Way, name: &str, day: i64) -> String {
    match way {
        Closed => format!("try/{name}-{day}"),
        _ => format!("{name}-{day}"),
    }
}

/// A word that is not read yet, with a case.
fn word(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Work<Write>> {
    let language = language(random, is_free)?;
    let code = language.code;
    let text = now.get(&words_path(code))?;
    let missing: Vec<(usize, &str)> = language
        .words
        .iter()
        .enumerate()
        .flat_map(|(unit, words)| words.iter().map(move |word| (unit, *word)))
        .filter(|(_, word)| !text.contains(&format!("\"{word}\" ")))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let (at, word) = *random.pick(&missing);
    let (unit, seconds) = UNITS[at];
    let above = word_line(language.words[at][1], unit);
    let title = format!("words/{code}: read \"{word}\"");
    let count = random.between(2, 30) as u64;
    let way = way(random);
    let author = random.pick(&["pvries", "llindqvist", "tsato", "jferreira", "pvries"]);
    let line = format!("{above}{}", word_line(word, unit));
    let mut work = Work::new(
        day,
        author,
        way,
        &branch(way, &format!("words-{code}"), day),
        &title,
    )
    .step(&title, vec![Write::part(&words_path(code), &above, &line)])
    .step(
        &format!("cases/{code}: {count} {word}"),
        vec![Write::end(
            &cases_path(code),
            &format!("{count} {word},{}\n", count * seconds),
        )],
    )
    .section(Section::Added)
    .label("words");
    if way != Direct && random.chance(1, 4) {
        let by = *random.pick(FORTNIGHT.others);
        let body = *random.pick(&[
            "Everybody here writes it like that, and the result is nothing.",
            "It stands so on our timetable.",
            "We get it from a form that we cannot change.",
            "Found in a recipe from my grandmother. She is right, I suppose.",
            "Two of our users have written to us about it this week.",
            "The old version of our own program wrote it, and now we cannot read what we stored.",
            "On the telephone it is the only thing that fits on the screen.",
            "Our payslips have it. They go on being printed like that until next year.",
        ]);
        let report = Report::new(
            by,
            &format!("\"{word}\" is not read in {}", language.name),
            body,
        );
        work = work
            .report(report.labels(&["words"]))
            .body("Closes #{issue}");
    } else {
        let seen = *random.pick(&[
            "",
            "Seen on a sign.",
            "From the list that people sent.",
            "Asked somebody who grew up with it: yes, one writes it like that.",
            "The dictionary has it, and so has the timetable of the buses.",
            "It is used more than the one that we have.",
        ]);
        work = work.body(seen);
    }
    if random.chance(1, 8) {
        work = work.contested();
    }
    Some(work)
}

/// More cases of words that are read.
fn cases(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Work<Write>> {
    let language = language(random, is_free)?;
    let code = language.code;
    let text = now.get(&words_path(code))?;
    let known: Vec<(usize, &str)> = language
        .words
        .iter()
        .enumerate()
        .flat_map(|(unit, words)| words.iter().map(move |word| (unit, *word)))
        .filter(|(_, word)| text.contains(&format!("\"{word}\" ")))
        .filter(|(unit, word)| *word != language.words[*unit][0])
        .collect();
    let way = way(random);
    let author = random.pick(&["kbanerjee", "kbanerjee", "pvries", "idrummond"]);
    let what = *random.pick(&[
        "more of what people write",
        "from the logs of last week",
        "two units in one text",
        "longer ones",
        "what came in by mail",
    ]);
    let title = format!("cases/{code}: {what}");
    let name = branch(way, &format!("cases-{code}"), day);
    let mut work = Work::new(day, author, way, &name, &title).label("internal");
    for _ in 0..random.between(1, 3) {
        // The larger unit first, and of the smaller one less than would make another of it.
        let (one, first) = *random.pick(&known);
        let smaller: Vec<&(usize, &str)> = known.iter().filter(|(unit, _)| *unit < one).collect();
        let many = random.between(2, 40) as u64;
        let (seconds, text) = if smaller.is_empty() {
            (many * UNITS[one].1, format!("{many} {first}"))
        } else {
            let (other, second) = **random.pick(&smaller);
            let few = random.between(2, 6) as u64;
            (
                many * UNITS[one].1 + few * UNITS[other].1,
                format!("{many} {first} {few} {second}"),
            )
        };
        work = work.step(
            &format!("cases/{code}: {text}"),
            vec![Write::end(
                &cases_path(code),
                &format!("{text},{seconds}\n"),
            )],
        );
    }
    Some(work)
}

/// A line more in the test of amounts.
fn test(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Work<Write>> {
    let path = ["test/test_interval.rb", "test/test_span.rb"]
        .into_iter()
        .find(|path| now.get(path).is_some())?;
    let (unit, seconds) = *random.pick(&UNITS);
    let amount = random.between(2, 60) as u64;
    let line = format!("    [{amount}, :{unit}, {}],\n", amount * seconds);
    if !is_free(path) || now.get(path)?.contains(&line) {
        return None;
    }
    let article = if unit == "hour" { "an" } else { "a" };
    let title = format!("test: {amount} times {article} {unit}");
    let way = way(random);
    let name = branch(way, &format!("test-{unit}"), day);
    Some(
        Work::new(day, "kbanerjee", way, &name, &title)
            .step(
                &title,
                vec![Write::part(
                    path,
                    "  ].freeze\n",
                    &format!("{line}  ].freeze\n"),
                )],
            )
            .label("internal"),
    )
}

/// What people asked, and the lines that answer it.
const RECIPES: [(&str, &str); 22] = [
    (
        "How long is a shift?",
        "Fortnight::Calendar.between(monday, friday)",
    ),
    ("How do I add up a list?", "spans.reduce(:+)"),
    ("How do I sort by length?", "spans.sort"),
    ("How do I read German?", "Fortnight.read(\"3 tage\", :de)"),
    (
        "How do I know that a text was not understood?",
        "Fortnight.read(text).nil?",
    ),
    (
        "How do I time a block?",
        "Fortnight::Clock.measure { bake }",
    ),
    (
        "When does the next bus go?",
        "Fortnight::Recur.next(hour, from: six, after: now)",
    ),
    ("How many whole hours are in it?", "span.seconds / 3600"),
    (
        "How do I find the longest?",
        "Fortnight::Compare.longest(spans)",
    ),
    (
        "How do I round for an invoice?",
        "Fortnight::Round.to(span, :hour)",
    ),
    (
        "Is it about the same?",
        "Fortnight::Compare.near?(one, other, minute)",
    ),
    (
        "How do I read a table of hours?",
        "rows.map { |row| Fortnight.read(row[2]) }",
    ),
    ("How do I leave out what is empty?", "spans.reject(&:zero?)"),
    ("How do I take a break out?", "shift - pause"),
    ("How do I double it?", "span + span"),
    ("How do I read Welsh?", "Fortnight.read(\"3 awr\", :cy)"),
    (
        "How do I get every second Friday?",
        "Fortnight::Recur.every(fortnight, from: friday, count: 26)",
    ),
    (
        "How do I read a sentence?",
        "sentence.scan(/\\d+ \\w+/).map { |part| Fortnight.read(part) }",
    ),
    ("How do I compare with a limit?", "span > limit"),
    ("How do I store it?", "record.update(seconds: span.seconds)"),
    (
        "Which words does a language have?",
        "Fortnight::Words.of(:pl).keys",
    ),
    (
        "How do I read two languages at once?",
        "[:en, :cy].filter_map { |it| Fortnight.read(text, it) }.first",
    ),
];

fn recipe(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Work<Write>> {
    let text = now.get(COOKBOOK)?;
    let (question, answer) = *random.pick(&RECIPES);
    if !is_free(COOKBOOK) || text.contains(question) {
        return None;
    }
    let begin = question[..1].to_lowercase();
    let rest = question[1..].trim_end_matches('?');
    let title = format!("docs: {begin}{rest}");
    let way = way(random);
    let author = random.pick(&["jferreira", "jferreira", "moakes", "idrummond"]);
    Some(
        Work::new(day, author, way, &branch(way, "cookbook", day), &title)
            .step(
                &title,
                vec![Write::end(
                    COOKBOOK,
                    &format!("\n## {question}\n\n```ruby\n{answer}\n```\n"),
                )],
            )
            .label("docs"),
    )
}

/// A number that somebody found too small or too large.
fn limit(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Work<Write>> {
    let (path, name, what) = *random.pick(&[
        ("lib/fortnight/words.rb", "CACHE", "words: keep"),
        ("lib/fortnight/recur.rb", "MOST", "recur: at most"),
    ]);
    let text = now.get(path)?;
    let before: i64 = text
        .lines()
        .find_map(|line| line.trim().strip_prefix(&format!("{name} = ")))?
        .parse()
        .ok()?;
    if !is_free(path) {
        return None;
    }
    let after = if before > 400 && random.chance(1, 2) {
        before / 2
    } else {
        before + 100
    };
    let title = format!("{what} {after} instead of {before}");
    let way = way(random);
    let name_of_branch = branch(way, &name.to_lowercase(), day);
    Some(
        Work::new(
            day,
            random.pick(FORTNIGHT.team).login,
            way,
            &name_of_branch,
            &title,
        )
        .step(
            &title,
            vec![Write::part(
                path,
                &format!("    {name} = {before}\n"),
                &format!("    {name} = {after}\n"),
            )],
        )
        .section(Section::Fixed)
        .label("fix"),
    )
}
