//! Written paraphrases of right texts, which pass, and texts with one false fact, which fail at the
//! check of that fact. The texts are in `tests/prose/*.txt`.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person, Prose, misjudged, samples};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

/// Results of all checks of a text, by name.
type Results = BTreeMap<String, Condition>;

fn release_note(text: &Found<Prose>) -> Results {
    let ana = Person::new("Ana Ruiz").handle("aruiz");
    let tom = Person::new("Tom Becker").handle("tbecker");
    let roster = [
        ana.clone(),
        Person::new("Anders Holm").handle("aholm"),
        Person::new("Priya Raman").handle("priya-r"),
        tom.clone(),
    ];
    let facts = Facts::new()
        .must("the version", Fact::version("2.4.0"))
        .must("the day of the release", Fact::date(date(2025, 3, 14)))
        .must(
            "merged pull requests",
            Fact::number(23).about(["pull request", "PR", "merge*", "change"]),
        )
        .must(
            "contributors",
            Fact::number(9).about(["contributor", "people", "person", "author", "developer"]),
        )
        .must(
            "the smaller download",
            Fact::percent(12).or(Fact::percent(-12)).about([
                "download",
                "installer",
                "package",
                "archive",
                "smaller",
                "shrink*",
                "shrank",
                "size",
            ]),
        )
        .must(
            "the crash",
            Fact::reference(118).about(["crash*", "empty feed"]),
        )
        .must(
            "the time zone",
            Fact::reference(131).about(["time zone", "timezone", "summer time", "daylight"]),
        )
        .must("the export", Fact::reference(127).about(["export*"]))
        .must(
            "the open problem",
            Fact::reference(140).about([
                "known",
                "open",
                "remain*",
                "still",
                "unfixed",
                "unsolved",
                "outstanding",
                "aware",
                "yet",
            ]),
        )
        .must("the dropped Python", Fact::version("3.8").about(["Python"]))
        .must(
            "it is dropped",
            Fact::words(["drop*", "remov*", "end*", "gone", "no more Python"])
                .or(Fact::words(["support*", "run", "work"]).denied())
                .about(["Python", "3.8"]),
        )
        .must("the new key", Fact::term(["interval"]))
        .must("the release manager", Fact::person(&ana))
        .must(
            "no migration",
            Fact::words(["migrat*", "convert*", "conversion"])
                .denied()
                .or(Fact::words([
                    "data stay* as .. is",
                    "database .. untouched",
                    "data .. untouched",
                ])),
        )
        .may(Fact::person(&tom))
        .may(Fact::version("3.9"))
        .may(Fact::commit("7f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a02"))
        .must_not("the customer", Fact::term(["Harbour Foods"]))
        .people(roster);
    let mut results: Results = facts.conditions(text).into_iter().collect();
    results.insert("the length".into(), text.words_between(50, 220));
    results.insert("the language".into(), text.is_in(Language::English));
    results.insert(
        "the references".into(),
        text.references_exist(&[118, 127, 131, 140, 141]),
    );
    results
}

fn handover(text: &Found<Prose>) -> Results {
    let bo = Person::new("Bo Lindqvist").handle("bol");
    let marta = Person::new("Marta Kowalczyk").handle("martak");
    let ines = Person::new("Inês Duarte").handle("iduarte");
    let facts = Facts::new()
        .must("from whom", Fact::person(&bo))
        .must("to whom", Fact::person(&marta))
        .must("the day", Fact::date(date(2025, 3, 4)))
        .must("the hour", Fact::time(18, 0))
        .must("the incident", Fact::id("INC-2041"))
        .must("the silence began", Fact::time(13, 42))
        .must("the silence ended", Fact::time(14, 10))
        .must("the gap", Fact::quantity(28, "minutes"))
        .must("the gauge", Fact::term(["Holm"]))
        .must("open alarms", Fact::number(2).about(["alarm", "alert"]))
        .must("sensors", Fact::number(3).about(["sensor", "probe"]))
        .must("the high water", Fact::quantity(Decimal::new(435, 2), "m"))
        .must("the time of the high water", Fact::time(21, 20))
        .must(
            "the battery",
            Fact::percent(62).about(["battery", "Norra", "charge"]),
        )
        .must(
            "whom to call",
            Fact::person(&ines).about([
                "call*",
                "ring*",
                "phone*",
                "contact*",
                "speak",
                "harbour master",
            ]),
        )
        .must("until when to call", Fact::time(19, 30))
        .must("the order", Fact::amount(Decimal::new(18450, 2), "EUR"))
        .must("the delivery", Fact::date(date(2025, 3, 6)).or_weekday())
        .must(
            "the backup",
            Fact::words(["succe*", "complet*", "finish*", "fine", "well", "clean"])
                .or(Fact::words(["fail*", "problem", "error"]).denied())
                .about(["backup"]),
        )
        .must_not(
            "the number of the harbour master",
            Fact::digits("0700555412"),
        )
        .must_not(
            "the code of the door",
            Fact::digits("7731").or(Fact::term(["door code"])),
        )
        .people([
            bo,
            marta,
            ines,
            Person::new("Björn Aalto").handle("baalto"),
            Person::new("Carla Mendes").handle("cmendes"),
        ]);
    let mut results: Results = facts.conditions(text).into_iter().collect();
    results.insert("the length".into(), text.words_between(60, 260));
    results.insert("the language".into(), text.is_in(Language::English));
    results
}

fn judge_all(file: &str, judge: fn(&Found<Prose>) -> Results) {
    let samples = samples(file);
    let wrong = samples
        .iter()
        .filter(|sample| sample.fails.is_some())
        .count();
    assert!(
        samples.len() - wrong >= 20 && wrong >= 20,
        "{} texts, {wrong} of them wrong",
        samples.len()
    );
    let mistakes = misjudged(&samples, judge);
    assert!(
        mistakes.is_empty(),
        "{}\n{}",
        mistakes.len(),
        mistakes.join("\n")
    );
}

#[test]
fn release_notes_are_judged_by_their_facts() {
    judge_all(include_str!("prose/release-note.txt"), release_note);
}

#[test]
fn handovers_are_judged_by_their_facts() {
    judge_all(include_str!("prose/handover.txt"), handover);
}

/// Exchanges the two numbers of each right text that has both.
fn exchange(file: &str, judge: fn(&Found<Prose>) -> Results, one: (&str, &str), two: (&str, &str)) {
    let mut survivors = Vec::new();
    for case in samples(file).iter().filter(|case| case.fails.is_none()) {
        let swapped: Vec<String> = case
            .text
            .split_inclusive([' ', '\n', '|', '*'])
            .map(|word| {
                let body = word.trim_end_matches([' ', '\n', '|', '*', '.', ',']);
                let tail = &word[body.len()..];
                let other = match body {
                    _ if body == one.0 => two.0,
                    _ if body == two.0 => one.0,
                    _ if body.eq_ignore_ascii_case(one.1) => two.1,
                    _ if body.eq_ignore_ascii_case(two.1) => one.1,
                    _ => body,
                };
                format!("{other}{tail}")
            })
            .collect();
        let text = swapped.concat();
        let results = judge(&Found::new("the text", Ok(text.clone())).prose());
        if text == case.text || results.values().all(Condition::passed) {
            survivors.push(format!("{}:\n{text}", case.name));
        }
    }
    assert!(
        survivors.is_empty(),
        "{} pass:\n{}",
        survivors.len(),
        survivors.join("\n")
    );
}

#[test]
fn counts_cannot_be_exchanged() {
    exchange(
        include_str!("prose/release-note.txt"),
        release_note,
        ("23", "twenty-three"),
        ("9", "nine"),
    );
    exchange(
        include_str!("prose/handover.txt"),
        handover,
        ("2", "two"),
        ("3", "three"),
    );
}

/// Texts of a review. The wrong ones are the first one with one change, with the check that fails.
#[test]
fn reviews_are_judged_by_their_facts() {
    let (ana, bo) = (
        Person::new("Ana Ruiz").handle("aruiz"),
        Person::new("Bo Lund").handle("blund"),
    );
    let facts = Facts::new()
        .must("function", Fact::term(["parse_feed"]))
        .must("file", Fact::path("src/feed.rs"))
        .must("line", Fact::number(88).about(["line"]))
        .must("tests", Fact::number(4).about(["test"]))
        .must(
            "they fail",
            Fact::words(["fail*", "red", "broke*"]).about(["test"]),
        )
        .must("earlier", Fact::reference(31))
        .must(
            "owner",
            Fact::person(&bo).about(["own*", "ask*", "approv*", "maintain*", "sign off"]),
        )
        .must(
            "no merge",
            Fact::words(["merge*", "ready", "land*", "go in"]).denied(),
        )
        .people([ana, bo]);
    let failed = |text: &str| {
        let text = Found::new("the review", Ok(text.to_owned())).prose();
        let conditions = facts.conditions(&text).into_iter();
        let failed = conditions.filter(|(_, condition)| !condition.passed());
        failed.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let right = [
        "Thanks for this! `parse_feed` in src/feed.rs, line 88, still unwraps the length, so 4 tests fail for me. #31 had the same bug. Please don't merge before Bo has approved, he owns this module.",
        "I don't think this is ready to be merged. On line 88 of `src/feed.rs`, `parse_feed` unwraps. Four of the tests are red because of it. We had that in #31. The maintainer is @blund; please ask him.",
        "**Not ready.** Four tests are failing (`cargo test`), all due to `parse_feed` (`src/feed.rs:88`, line 88). See #31 for the earlier fix. Needs a sign-off by Bo Lund as well.",
        "Running the tests, I see 4 failures. The reason is the unwrap at line 88 in `parse_feed` (feed.rs). Compare with #31. This should not be merged until the owner, Bo, has looked at it.",
        "Requesting changes: 4 tests fail with this branch. The cause is src/feed.rs line 88, where parse_feed() takes the length without a check, as it was in issue #31. It can't go in like this, and it needs Bo Lund's approval.",
        "Four failing tests here, sorry. `parse_feed` (line 88 of src/feed.rs) panics on an empty body. You can take the approach of #31. I would not merge this yet. Bo maintains the parser, so he has to approve.",
        "src/feed.rs\nLine 88: `parse_feed` panics on short input. The tests that fail: 4. Earlier: #31. Owner: Bo Lund. Verdict: cannot be merged.",
    ];
    for text in right {
        assert_eq!(failed(text), Vec::<String>::new(), "{text}");
    }
    for (old, new, check) in [
        ("4 tests", "5 tests", "tests"),
        ("line 88", "line 89", "line"),
        ("src/feed.rs", "src/feeds.rs", "file"),
        ("parse_feed", "parse_feeds_all", "function"),
        ("4 tests fail", "all 4 tests pass", "they fail"),
        ("4 tests fail", "4 tests don't fail", "they fail"),
        ("#31", "#13", "earlier"),
        ("don't merge before", "merge when", "no merge"),
        ("Bo has", "Ana has", "owner"),
        ("for me", "for @bolund", "no other people"),
        ("for me", "for 2 days", "no other numbers"),
    ] {
        assert!(
            failed(&right[0].replace(old, new)).contains(&check.to_owned()),
            "{new}"
        );
    }
}
