//! Tests of the forms that are understood, and of hostile texts.

use std::time::{Duration, Instant};

use jiff::civil::date;
use proptest::prelude::*;
use rust_decimal::Decimal;

use super::*;

fn prose(text: &str) -> Found<Prose> {
    Found::new("the text", Prose::read(text))
}

/// Checks that each text states the fact, and that none of the others does.
#[track_caller]
fn check(fact: &Fact, right: &[&str], wrong: &[&str]) {
    for text in right {
        let condition = prose(text).states(fact);
        assert!(condition.passed(), "{text:?}: {}", condition.detail());
    }
    for text in wrong {
        let condition = prose(text).states(fact);
        assert!(!condition.passed(), "{text:?} states {}", fact.name);
    }
}

#[test]
fn numbers_in_their_usual_forms() {
    check(
        &Fact::number(1234),
        &[
            "1234 files",
            "1,234 files",
            "1 234 files",
            "1'234 files",
            "1.234 files",
            "1\u{a0}234 files",
            "one thousand two hundred and thirty-four files",
            "(1234)",
            "1234.",
        ],
        &[
            "1235 files",
            "12,34",
            "21234",
            "1234.5 files",
            "1 2345",
            "#1234 files",
            "v1234",
            "A1234",
            "1234 %",
            "€1234",
        ],
    );
    check(
        &Fact::number(21),
        &["twenty-one", "Twenty one people", "21", "the 21-day trial"],
        &["twenty, one", "twenty", "21st", "twenty-first", "121"],
    );
    check(
        &Fact::number(100),
        &["a hundred", "one hundred", "100", "hundred"],
        &["one hundred and one", "two hundred"],
    );
    check(
        &Fact::number(12),
        &["a dozen", "twelve", "12x"],
        &["dozens", "half a dozen"],
    );
    check(
        &Fact::number(12_000),
        &[
            "12k",
            "12 thousand",
            "twelve thousand",
            "12,000",
            "12.000",
            "12 000",
        ],
        &["12", "12,00"],
    );
    check(
        &Fact::number(Decimal::new(25, 1)),
        &["2.5", "2,5", "2½ of them", "2.50"],
        &["25", "2.05"],
    );
    check(&Fact::number(-5), &["it is -5 now", "(−5)"], &["5", "1-5"]);
    check(
        &Fact::number(0),
        &["no errors", "zero errors", "0 errors", "none"],
        &["one error"],
    );
    check(
        &Fact::number(14),
        &[
            "14 of them",
            "14/20 passed",
            "we won 14 games",
            "all 14 won",
            "it went 9 -> 14",
            "[x](docs/a.md) 14 files",
            "from 9 to 14 people",
            "14, then 15",
        ],
        &[
            "almost 14",
            "more than 14",
            "at least 14",
            "14 or 15",
            "between 14 and 20",
            "14–20",
            "10 to 14",
            "14 or so",
            "14+ people",
            "now >14",
            "now > 14 people",
            "now <14",
            "now >= 14",
            "≥ 14 people",
            "≤14",
        ],
    );
    check(
        &Fact::number(14).roughly(),
        &["almost 14", "at least 14", "14"],
        &["14 or 15", "13"],
    );
}

#[test]
fn percentages_amounts_and_quantities() {
    check(
        &Fact::percent(12),
        &[
            "12%",
            "12 %",
            "12 percent",
            "twelve per cent",
            "12,0 %",
            "12 percentage points",
        ],
        &["12", "12.5 %", "12 €", "at least 12 %"],
    );
    check(
        &Fact::amount(Decimal::new(123_450, 2), "EUR"),
        &[
            "€1,234.50",
            "€ 1234.50",
            "1.234,50 €",
            "1 234,50 EUR",
            "EUR 1,234.5",
            "1234.50 euros",
            "€1.2345k",
        ],
        &[
            "$1,234.50",
            "1,234.50",
            "1,234.50 USD",
            "€1,234",
            "-€1,234.50",
        ],
    );
    check(
        &Fact::amount(1_200_000, "usd"),
        &[
            "$1.2m",
            "1.2 million dollars",
            "US$1,200,000",
            "USD 1.2 million",
        ],
        &["$1.2", "$1.2k"],
    );
    check(
        &Fact::quantity(90, "minutes"),
        &[
            "90 minutes",
            "90min",
            "1.5 hours",
            "ninety minutes",
            "90-minute",
            "a 90 minute talk",
            "1½ h",
        ],
        &["90", "90 s", "9 minutes", "90 %"],
    );
    check(
        &Fact::quantity(30, "minutes"),
        &["half an hour", "30 minutes", "0.5 h"],
        &["an hour", "half an hour and a half"],
    );
    check(
        &Fact::quantity(150, "minutes"),
        &[
            "two and a half hours",
            "two hours and a half",
            "2.5 h",
            "2½ hours",
        ],
        &["two hours", "an hour and a half"],
    );
    check(
        &Fact::quantity(30, "days"),
        &["30 days", "thirty days", "a 30-day trial"],
        &["30", "3 days"],
    );
    check(
        &Fact::ordinal(3),
        &["the 3rd time", "the third time"],
        &["three", "3", "the 23rd", "thirty-third"],
    );
    check(
        &Fact::range(10, 15),
        &[
            "10–15",
            "10-15 people",
            "10 to 15",
            "between ten and fifteen",
            "from 10 to 15",
            "10—15",
        ],
        &["10, 15", "10 and 15", "10–16"],
    );
}

#[test]
fn an_end_of_a_range_has_the_unit_of_the_other() {
    let facts = [
        &Fact::amount(5, "EUR"),
        &Fact::amount(10, "EUR"),
        &Fact::quantity(-5, "degrees"),
    ];
    for text in ["€5–10", "5 to 10 euros", "€5-€10", "5-10 €", "-5 °C"] {
        let condition = prose(text).numbers_are_among(&facts);
        assert!(condition.passed(), "{text}: {}", condition.detail());
    }
    for text in ["5–10 USD", "€5–11", "-5 %", "-6 °C"] {
        assert!(!prose(text).numbers_are_among(&facts).passed(), "{text}");
    }
}

#[test]
fn dates_and_times_in_their_usual_forms() {
    check(
        &Fact::date(date(2025, 3, 1)),
        &[
            "2025-03-01",
            "1 March 2025",
            "1 March",
            "March 1",
            "March 1st, 2025",
            "the 1st of March",
            "the first of March",
            "1/3/2025",
            "3/1/2025",
            "01.03.2025",
            "01.03.25",
            "2025/03/01",
            "Saturday, 1 March",
            "Sat 1 Mar 2025",
            "Sat, Mar 1",
            "1-Mar-2025",
            "1. March",
            "on 1 and 5 March",
            "1–5 March",
            "2025-03-01T10:00Z",
            "sat, 1 mar",
            "March 1–3, 2025",
            "February 27 - March 1",
        ],
        &[
            "2025-03-02",
            "1 April",
            "1 March 2024",
            "Sunday, 1 March",
            "March 2025",
            "March",
            "21 March",
            "Saturday",
            "2025-03",
            "11 March",
        ],
    );
    check(
        &Fact::date(date(2025, 3, 1)).or_weekday(),
        &["on Saturday", "Saturday's shift", "1 March"],
        &["on Sunday", "Sunday, 1 March"],
    );
    check(
        &Fact::time(14, 30),
        &[
            "14:30",
            "at 2:30 pm",
            "2:30pm",
            "2.30 pm",
            "2.30pm",
            "14h30",
            "1430 hours",
            "half past two",
            "2:30 p.m. today",
            "14:30:00",
            "14:30h",
            "14:30Z",
            "2:30",
            "half past 2 pm",
        ],
        &[
            "14:31",
            "2:30 am",
            "02:30",
            "14.30",
            "half past three",
            "14:30–15:00 or 2:31 am"
                .split(' ')
                .next_back()
                .unwrap_or_default(),
        ],
    );
    check(
        &Fact::time(18, 0),
        &[
            "6pm",
            "6 pm",
            "18:00",
            "six pm",
            "six o'clock",
            "1800 hrs",
            "5-6pm",
            "17:00–18:00",
        ],
        &["6am", "6", "six"],
    );
    check(
        &Fact::time(12, 0),
        &["noon", "12:00", "12 pm", "midday"],
        &["midnight", "12 am", "0:00"],
    );
    check(
        &Fact::time(21, 20),
        &["2025-03-04T21:20:00.000Z", "2025-03-04T21:20:00+00:00"],
        &["2025-03-04T21:21:00.000Z"],
    );
    check(
        &Fact::time(14, 45),
        &["quarter to three", "14:45"],
        &["quarter past three"],
    );
}

#[test]
fn references_commits_versions_and_paths() {
    check(
        &Fact::reference(12),
        &[
            "#12",
            "(#12)",
            "see #12.",
            "GH-12",
            "o/r#12",
            "issue 12",
            "PR 12",
            "pull request 12",
            "PRs 11 and 12",
            "issues #11, #12 and #13",
            "https://github.com/o/r/issues/12",
            "[x](https://github.com/o/r/pull/12#note)",
            "`#12`",
            "#11/#12",
            "#11, 12 and 13",
            "#12's",
        ],
        &[
            "#123",
            "12",
            "#1 2",
            "12 issues",
            "https://github.com/o/r/issues/123",
            "# 12",
            "PRs: 12",
            "A#12b",
        ],
    );
    check(
        &Fact::commit("7f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a02"),
        &[
            "7f3c2ad",
            "`7f3c2ad91e04`",
            "commit 7f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a02.",
            "https://github.com/o/r/commit/7f3c2ad91e",
        ],
        &[
            "7f3c2a",
            "7f3c2ae",
            "7f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a03",
        ],
    );
    check(
        &Fact::version("2.4.0"),
        &["2.4.0", "v2.4.0", "Version 2.4.0.", "V2.4.0,"],
        &["2.4.1", "2.4", "12.4.0", "2.4.0-rc.1"],
    );
    check(
        &Fact::version("2.4"),
        &["version 2.4", "v2.4"],
        &["2.40", "2.4.0", "24"],
    );
    check(
        &Fact::version("2.4.10"),
        &["2.4.10", "v2.4.10", "Version 2.4.10 is out."],
        &["2.4.11", "2.4.1"],
    );
    let facts = Facts::new()
        .must("version", Fact::version("2.4.10"))
        .must("day", Fact::date(date(2025, 3, 14)).about(["release*"]));
    for (_, condition) in facts.conditions(&prose("We released 2.4.10 on 14 March 2025.")) {
        assert!(condition.passed(), "{}", condition.detail());
    }
    check(
        &Fact::path("docs/guide/set-up.md"),
        &[
            "docs/guide/set-up.md",
            "`set-up.md`",
            "`guide/set-up.md`.",
            "[guide](docs/guide/set-up.md)",
            "./docs/guide/set-up.md",
            "https://e.org/blob/main/docs/guide/set-up.md",
            "https://e.org/blob/main/docs/guide/set-up.md#L3",
            "/data/docs/guide/set-up.md",
        ],
        &[
            "docs/guide/setup.md",
            "docs/guide",
            "up.md",
            "set-up",
            "old/docs/guide/set-up.md",
            "not-docs/guide/set-up.md",
            "docs/guide/set-up.md.bak",
        ],
    );
    check(
        &Fact::path("01 Programme/running order.md"),
        &[
            "in 01 Programme/running order.md",
            "`01 Programme/running order.md`",
        ],
        &["01 Programme/order"],
    );
    check(
        &Fact::id("INC-2041"),
        &["INC-2041", "inc-2041.", "(INC-2041)"],
        &["INC-2042", "INC 2041x", "2041"],
    );
    check(
        &Fact::digits("0700555412"),
        &[
            "0700 555 412",
            "0700-555-412",
            "(0700) 555412",
            "0700 - 555 412",
            "+46 0700555412",
            "0700–555–412",
            "0700 555\n412",
            "[call](tel:+46-0700-555-412)",
        ],
        &["0700 555 413", "0700 and 555 412"],
    );
}

#[test]
fn people_by_their_names() {
    let person = Person::new("José Ruiz Peña").handle("jose-r").also("Pepe");
    check(
        &Fact::person(&person),
        &[
            "José Ruiz Peña",
            "jose ruiz pena",
            "José",
            "Jose's notes",
            "Peña wrote",
            "@jose-r",
            "by jose-r",
            "Pepe",
            "José Peña",
            "**José**",
            "Mr. Peña",
        ],
        &["Ruiz", "josé", "Josefine", "@jose", "the pena"],
    );
    let two = [
        Person::new("Ana Ruiz"),
        Person::new("Ana Lund").handle("lund"),
    ];
    let facts = Facts::new()
        .must("who", Fact::person(&two[0]))
        .people(two.clone());
    let results = |text: &str| {
        let conditions = facts.conditions(&prose(text)).into_iter();
        conditions
            .filter(|(_, condition)| !condition.passed())
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(results("Ana Ruiz did it"), Vec::<String>::new());
    assert_eq!(results("Ruiz did it"), Vec::<String>::new());
    assert_eq!(results("Ana did it"), ["who"]);
    assert_eq!(results("Ana Lund did it"), ["who", "no other people"]);
    assert_eq!(results("Ana Ruiz did it with @nobody"), ["no other people"]);
    let known = [Person::new("Ana Ruiz").also("ana@example.org")];
    let facts = Facts::new().may(Fact::person(&known[0])).people(known);
    let passes = |text: &str| {
        let conditions = facts.conditions(&prose(text));
        conditions.iter().all(|(_, condition)| condition.passed())
    };
    assert!(passes("Write to ana@example.org."));
    assert!(!passes("Write to bo@example.org."));
    let will = Fact::person(&Person::new("Will Stone"));
    check(
        &will,
        &["ask Will", "Will Stone"],
        &["Will it work?", "it will"],
    );
}

#[test]
fn phrases_and_their_negation() {
    let fact = Fact::words(["roll* back", "revert*"]);
    check(
        &fact,
        &[
            "We rolled back.",
            "it was reverted",
            "not only reverted, also tested",
            "We did not wait, and we rolled back",
            "Roll-back",
        ],
        &[
            "It was not rolled back",
            "We never reverted it",
            "we didn't roll back",
            "without reverting",
            "it failed to roll back",
            "back rolled",
            "instead of rolling back",
            "a rollback",
            "reverted is not",
            "nothing was reverted",
        ],
    );
    check(
        &fact.clone().denied(),
        &[
            "It was not rolled back",
            "The revert was not needed",
            "we cannot revert",
        ],
        &["It was rolled back"],
    );
    check(
        &fact.unopposed(),
        &["It was rolled back"],
        &["It was rolled back. It was not reverted."],
    );
    check(
        &Fact::words(["data .. lost"]).denied(),
        &["No data was lost.", "data has not been lost"],
        &["data was lost", "No. The data was lost"],
    );
    check(
        &Fact::words(["pull request"]),
        &["Pull  requests", "pull\nrequest"],
        &["pull. Request", "pullrequest"],
    );
}

#[test]
fn a_value_belongs_to_the_nearest_topic() {
    let facts = Facts::new()
        .must("pulls", Fact::number(14).about(["pull request", "merged"]))
        .must("people", Fact::number(5).about(["people", "contributor"]))
        .must("issues", Fact::number(9).about(["issue"]))
        .may(Fact::number(11))
        .may(Fact::quantity(3, "days"));
    let failed = |text: &str| {
        let conditions = facts.conditions(&prose(text)).into_iter();
        let failed = conditions.filter(|(_, condition)| !condition.passed());
        failed.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    };
    for text in [
        "14 pull requests by 5 people closed 9 issues.",
        "Pull requests merged: 14; issues closed: 9; contributors: 5.",
        "Of the 14 merged pull requests, 5 contributors wrote all, and 9 issues are gone.",
        "9 issues and 14 pull requests, 5 people",
        "The number of pull requests rose from 11 to 14, by 5 people, with 9 issues. All took 3 days.",
        "We had 14 pull requests, up from 11. There were 9 issues and 5 people.",
        "## Pull requests\n\n14\n\n## People\n\n5\n\n## Issues\n\nThere were 9.",
        "| Pull requests | People | Issues |\n|-|-|-|\n| 14 | 5 | 9 |",
        "| | |\n|-|-|\n| Pull requests | 14 |\n| People | 5 |\n| Issues | 9 |",
        "The pull requests were merged in 3 days. There were 14 of them. 5 people, 9 issues.",
    ] {
        assert_eq!(failed(text), "", "{text}");
    }
    for (text, names) in [
        (
            "5 pull requests by 14 people closed 9 issues.",
            "pulls, people",
        ),
        (
            "14 pull requests by 5 people closed 9 issues. In all, 9 pull requests are good.",
            "pulls",
        ),
        ("14, 5 and 9.", "pulls, people, issues"),
        ("14 issues, 9 pull requests, 5 people", "pulls, issues"),
    ] {
        assert_eq!(failed(text), names, "{text}");
    }
}

#[test]
fn a_topic_can_stand_on_one_side() {
    let (ana, bo) = (Person::new("Ana Ruiz"), Person::new("Bo Lund"));
    let facts = Facts::new()
        .must(
            "next",
            Fact::person(&bo)
                .after(["hand* over to", "next"])
                .before(["take* over"]),
        )
        .must(
            "last",
            Fact::person(&ana)
                .before(["hand* over"])
                .after(["take* over from"]),
        );
    let passes = |text: &str| {
        facts
            .conditions(&prose(text))
            .iter()
            .all(|(_, condition)| condition.passed())
    };
    for text in [
        "Ana hands over to Bo.",
        "Bo takes over from Ana.",
        "Ana Ruiz is handing over to Bo Lund",
    ] {
        assert!(passes(text), "{text}: {:?}", facts.conditions(&prose(text)));
    }
    for text in ["Bo hands over to Ana.", "Ana takes over from Bo."] {
        assert!(!passes(text), "{text}");
    }
}

#[test]
fn messages_name_the_fact_and_quote_the_sentence() {
    let facts = Facts::new().must(
        "merged pull requests",
        Fact::number(14).about(["pull request"]),
    );
    let failed = |text: &str| {
        let conditions = facts.conditions(&prose(text)).into_iter();
        let failed = conditions.filter(|(_, condition)| !condition.passed());
        failed
            .map(|(_, condition)| condition.detail().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        failed("All is well. We merged 15 pull requests."),
        [
            r#"the text: expected merged pull requests, found "15" for it in "We merged 15 pull requests.""#,
            r#"the text: expected no number that is not among the facts, found "15" in "We merged 15 pull requests.""#,
        ]
    );
    assert_eq!(
        failed("All is well."),
        ["the text: expected merged pull requests, found it nowhere in the text"]
    );
    let missing: Found<Prose> = Found::new("notes.md", Err("there is no such file".to_owned()));
    assert!(
        facts
            .conditions(&missing)
            .iter()
            .all(|(_, condition)| condition.detail() == "notes.md: there is no such file")
    );
}

#[test]
fn what_the_facts_do_not_have_is_found() {
    let facts = [
        &Fact::number(14),
        &Fact::date(date(2025, 3, 1)),
        &Fact::reference(12),
        &Fact::id("INC-2041"),
    ];
    for text in [
        "14 files",
        "one of the first",
        "1 March 2025",
        "March",
        "Saturday",
        "in 2025",
        "see #12",
        "https://github.com/o/r/issues/12",
        "https://e.org/13",
        "INC-2041",
        "UTF-8",
        "two things: a and b",
    ] {
        assert!(prose(text).numbers_are_among(&facts).passed(), "{text}");
        assert!(prose(text).times_are_among(&facts).passed(), "{text}");
        assert!(prose(text).references_are_among(&facts).passed(), "{text}");
    }
    for text in [
        "15 files",
        "fifteen",
        "14 %",
        "14 €",
        "15th",
        "٣ files",
        "2024",
        "99999999999999999999999999999999",
        "14 to 20",
        "⑮ files",
        "１５ files",
        "<p>\n14 < 15 files\n</p>",
    ] {
        assert!(!prose(text).numbers_are_among(&facts).passed(), "{text}");
    }
    for text in ["2 March", "April", "Monday", "14:00", "Sunday, 1 March"] {
        assert!(!prose(text).times_are_among(&facts).passed(), "{text}");
    }
    for text in [
        "#13",
        "issue 13",
        "https://github.com/o/r/issues/13",
        "https://github.com/o/r/commit/a1b2c3d4",
        "INC-2042",
        "a1b2c3d",
        "v1.2",
        "a@example.org",
    ] {
        assert!(!prose(text).references_are_among(&facts).passed(), "{text}");
    }
}

#[test]
fn a_forbidden_value_is_found_below_its_topic() {
    let code = Fact::number(7731).about(["code"]);
    for text in [
        "The code is 7731.",
        "The code:\n\n- 7731\n",
        "## Code\n\n7731\n",
    ] {
        assert!(!prose(text).does_not_state(&code).passed(), "{text:?}");
    }
    for text in ["Alarms: 7731", "The code:\n\n- 7732\n"] {
        assert!(prose(text).does_not_state(&code).passed(), "{text:?}");
    }
}

#[test]
fn a_literal_may_be_wrapped_and_have_other_quotes() {
    let facts = Facts::new().literal("Ana\u{2019}s Top 10 of 2024");
    for (_, condition) in facts.conditions(&prose("Read *Ana's Top 10\nof 2024* now.")) {
        assert!(condition.passed(), "{}", condition.detail());
    }
}

#[test]
fn long_words_are_cut_in_messages() {
    let condition = prose(&"1".repeat(5_000)).numbers_are_among(&[]);
    assert!(!condition.passed());
    assert!(condition.detail().len() < 500, "{}", condition.detail());
}

#[test]
#[should_panic(expected = "is not read as one name with digits")]
fn an_id_that_texts_cannot_state_panics() {
    let _ = Fact::id("PR-7");
}

#[test]
fn a_wrong_sample_may_leave_something_out() {
    let file = "=== right a\none\ntwo\n=== wrong b of a: c\ntwo\n=>\n=== right d\nx\n";
    let texts: Vec<String> = samples(file).into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["one\ntwo\n", "one\n\n", "x\n"]);
}

#[test]
fn what_follows_a_handle_is_read() {
    let text = prose("See @ana/99 and @ana/Mill Lane.");
    assert!(!text.numbers_are_among(&[]).passed());
    assert!(!text.does_not_state(&Fact::term(["Mill Lane"])).passed());
}

#[test]
fn one_of_two_dates_or_times_is_none() {
    check(
        &Fact::time(18, 0),
        &["at 18:00", "between 18:00 and 19:00"],
        &["at 18:00 or 19:00", "at 17:00 or 18:00"],
    );
    check(
        &Fact::date(date(2025, 3, 1)),
        &["on 1 and 2 March"],
        &["on 1 or 2 March", "on 1 March or 2 March"],
    );
}

#[test]
fn references_must_exist() {
    let text = prose(
        "See #12, https://github.com/o/r/pull/13, 7f3c2ad, `src/main.rs` and docs/a.md, and/or 24/7.",
    );
    assert!(text.references_exist(&[12, 13]).passed());
    assert_eq!(
        text.references_exist(&[13]).detail().split(" in ").next(),
        Some(r##"the text: expected each issue or pull request to exist, found "#12""##)
    );
    assert!(!text.references_exist(&[12]).passed());
    assert!(
        text.commits_exist(&["7f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a02"])
            .passed()
    );
    assert!(
        !text
            .commits_exist(&["8f3c2ad91e04b5c8d6a2f1e0937b4c5d8e6f1a02"])
            .passed()
    );
    assert!(
        text.paths_exist(&["crate/src/main.rs", "docs/a.md"])
            .passed()
    );
    assert!(!text.paths_exist(&["src/main.rs"]).passed());
}

#[test]
fn sections_length_and_language() {
    let text = prose(
        "# Notes\n\nintro\n\n## Fixed in 2.4\n\nThe bug is gone.\n\n### More\n\nx\n\n## Known\n\ny\n",
    );
    assert!(
        text.section(&["fixed"])
            .states(&Fact::words(["gone"]))
            .passed()
    );
    assert!(
        text.section(&["Solved", "Fixed"])
            .states(&Fact::words(["x"]))
            .passed()
    );
    assert!(
        !text
            .section(&["Known"])
            .states(&Fact::words(["x"]))
            .passed()
    );
    assert_eq!(
        text.section(&["Fix"]).exists().detail(),
        r#"section "Fix" of the text: there is no such heading among ["Notes", "Fixed in 2.4", "More", "Known"]"#
    );
    assert!(
        prose("one two, three-four (5)")
            .words_between(5, 5)
            .passed()
    );
    assert_eq!(
        prose("a b").words_between(3, 9).detail(),
        "the text: expected 3 to 9 words, found 2"
    );
    let sentences = [
        (
            Language::English,
            "The gauge was silent for a while, and it is back now with all of its data.",
        ),
        (
            Language::German,
            "Der Pegel war eine Weile still, und er ist jetzt mit allen Daten wieder da.",
        ),
        (
            Language::French,
            "Le capteur est resté muet pendant un moment, et il est de retour avec les données.",
        ),
        (
            Language::Spanish,
            "El sensor estuvo en silencio por un rato, y ya está de vuelta con los datos.",
        ),
        (
            Language::Italian,
            "Il sensore è rimasto muto per un poco, e ora è tornato con gli altri dati della notte.",
        ),
        (
            Language::Dutch,
            "De meter was een tijd stil, en hij is nu weer terug met het bericht van de nacht.",
        ),
    ];
    for (language, sentence) in sentences {
        for (other, _) in sentences {
            assert_eq!(
                prose(sentence).is_in(other).passed(),
                language == other,
                "{language:?} {other:?}"
            );
        }
    }
    assert!(
        !prose("14 23 PRs merged crash export")
            .is_in(Language::English)
            .passed()
    );
    assert!(!prose(&"word ".repeat(20_000)).exists().passed());
}

fn judge_all(text: &str) {
    let person = Person::new("Ana Ruiz").handle("ana-r");
    let facts = Facts::new()
        .must("number", Fact::number(14).about(["a", "pull request"]))
        .must("other", Fact::number(15).about(["b", "1"]))
        .must("person", Fact::person(&person).after(["a .. b"]))
        .must("phrase", Fact::words(["a* .. b .. c", "not*"]).denied())
        .must("digits", Fact::digits("1111"))
        .must("path", Fact::path("a/a.md"))
        .must("time", Fact::time(11, 11))
        .must("date", Fact::date(date(2011, 1, 11)))
        .must_not(
            "range",
            Fact::range(1, 2).or(Fact::amount(1, "EUR")).about(["a"]),
        )
        .people([person])
        .literal("1")
        .literal("a 1");
    let text = prose(text);
    facts.conditions(&text);
    text.references_exist(&[1]);
    text.commits_exist(&["1111111"]);
    text.paths_exist(&["a"]);
    text.is_in(Language::English);
    text.words_between(1, 2);
    let _ = text.section(&["a", "1"]);
}

proptest! {
    #[test]
    fn any_text_is_judged(text in "\\PC{0,80}") {
        judge_all(&text);
    }

    #[test]
    fn any_text_of_signs_is_judged(
        text in "([-#*`|>\\[\\]()<!.,:;'/@%$€–—½¼²٣é\u{a0}\u{200b}\r\n \t_~+=&^]|[0-9]|[a-e]|(and|to|pull request|PR|half|past|two|twenty|hundred|million|March|Mon|am|pm|http://|www\\.|INC-|v|T|h)){0,60}"
    ) {
        judge_all(&text);
    }
}

/// Eight times the text takes about eight times as long, whatever it repeats.
#[test]
fn hostile_texts_take_linear_time() {
    let patterns = [
        "1",
        "1 ",
        "1,",
        "1-",
        "1–",
        "1.",
        "1:",
        "1/",
        "#1",
        "#1/",
        "a",
        "a ",
        "a b ",
        "not ",
        "a 14 ",
        "14 pull requests ",
        "1 and ",
        "one ",
        "hundred ",
        "hundred and ",
        "million ",
        "twenty-one-",
        "(",
        "[",
        "![",
        "*",
        "**a ",
        "_",
        "`",
        "` ",
        "<",
        "<!--",
        "<a>",
        "> ",
        "- ",
        "-\n",
        "|",
        "|a",
        "|a|\n|-|\n",
        "\n",
        "\n\n",
        "a\n",
        "a: 1\n",
        "@a",
        "a@a.",
        "http://",
        "a/",
        "a.md/",
        "'",
        "'s",
        "€",
        "€1",
        "1€",
        "Ana ",
        "Ana Ruiz ",
        "March ",
        "1 March ",
        "Mon ",
        "11:11",
        "11:11 ",
        "11-11:",
        "1111 ",
        "0700 ",
        "½",
        "٣",
        "é",
        "\u{301}",
        "\u{200b}",
        "a1",
        "a1-",
        "from 1 to ",
        "between 1 and ",
        "PR 1, ",
        "e.g. ",
        "A. ",
        "a .. ",
        "& ",
        "— ",
        "\\",
        "[a](",
        "[a](b) ",
        "[a]: b\n",
        "# a\n",
        "1. ",
        "9. a\n",
    ];
    let time = |text: &str| {
        let once = || {
            let start = Instant::now();
            judge_all(text);
            start.elapsed()
        };
        (0..2).map(|_| once()).min().unwrap_or_default()
    };
    for pattern in patterns {
        let text = |length: usize| pattern.repeat(length / pattern.len());
        let (short, long) = (time(&text(2_000)), time(&text(16_000)));
        // Eight times the text: squares would take 64 times as long.
        assert!(
            long < short * 32 + Duration::from_millis(100),
            "{pattern:?}: {short:?}, then {long:?}"
        );
    }
}

#[test]
fn hidden_text_states_nothing() {
    let fact = Fact::number(14);
    check(
        &fact,
        &[
            "<p>14 files</p>",
            "<details>\n\n14 files\n\n</details>",
            "&#49;4 files",
            "1\u{200b}4 files",
            "```\n14 files\n```",
        ],
        &[
            "<!-- 14 files -->",
            "a <!-- 14 --> b",
            "<p title=\"14\">files</p>",
            "<a id='14'></a>",
            "[x]: https://e.org/14 '14'",
        ],
    );
    let private = Fact::term(["Mill Lane"]);
    let lacks = |text: &str| prose(text).does_not_state(&private).passed();
    assert!(lacks("He lives in a lane by the mill"));
    for text in [
        "12 Mill Lane",
        "not mill lane",
        "Mi\u{ad}ll **Lane**",
        "`Mill\u{a0}Lane`",
        "[Mill](x) Lane",
        "[Mill](https://e.org/a) Lane",
        "[Mill](docs/a.md) Lane",
        "mill\nlane",
    ] {
        assert!(!lacks(text), "{text:?}");
    }
}
