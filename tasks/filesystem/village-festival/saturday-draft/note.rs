//! Facts that the note for Maud must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Person};

pub fn facts() -> Facts {
    let minutes = |number: i64| Fact::quantity(number, "minutes");
    let quill = ["Brónach", "Quill"];
    let mut facts = Facts::new()
        .must(
            "who dropped out",
            Fact::words([
                "cancel*",
                "drop* out",
                "pull* out",
                "withdr*",
                "is out",
                "are out",
                "call* off",
                "gone",
                "replac*",
                "instead of",
                "in place of",
                "in the place of",
                "step* in for",
                "stand* in for",
                "take* over from",
                "missing",
            ])
            .or(Fact::words(["come", "coming", "play", "playing", "make it", "get here"]).denied())
            .about(["Järnvik"]),
        )
        .must("who plays instead", Fact::term(quill))
        .must(
            "when that set begins",
            Fact::time(15, 25).about(quill).besides(
                Fact::time(16, 5)
                    .or(Fact::time(14, 40))
                    .or(Fact::time(15, 30)),
            ),
        )
        .must(
            "the set that is cut",
            minutes(65)
                .or(Fact::number(65))
                .about(["Scar"])
                .besides(minutes(80).or(minutes(75)).or(minutes(15))),
        )
        .must("the end of music", Fact::time(22, 15))
        .must(
            "the length of Grist",
            minutes(45)
                .or(Fact::number(45))
                .about(["Grist"])
                .besides(minutes(60)),
        )
        .must(
            "the length of the Hrubecs",
            minutes(45)
                .or(Fact::number(45))
                .about(["Hrubec"])
                .besides(minutes(55).or(minutes(40))),
        )
        .must("the new name", Fact::term(["Farrant Quartet"]))
        .must("the open day", Fact::date(date(2025, 7, 13)).or_weekday())
        .must_not("fees", Fact::term(["fee", "pound"]));
    // The other sets of the draft, the changeovers, and what came before.
    for (hour, minute) in [
        (12, 30),
        (13, 0),
        (13, 15),
        (14, 0),
        (14, 15),
        (15, 0),
        (15, 42),
        (16, 5),
        (16, 15),
        (17, 5),
        (17, 25),
        (18, 10),
        (18, 0),
        (18, 45),
        (18, 30),
        (19, 20),
        (19, 40),
        (20, 40),
        (19, 50),
        (21, 10),
        (22, 40),
        (14, 40),
        (15, 30),
        (17, 0),
        (23, 0),
    ] {
        facts = facts.may(Fact::time(hour, minute));
    }
    for length in [10, 15, 20, 30, 40, 42, 50, 60, 75, 80] {
        facts = facts.may(minutes(length));
    }
    for (month, day) in [
        (6, 4),
        (6, 9),
        (6, 11),
        (6, 12),
        (6, 14),
        (6, 15),
        (6, 16),
        (6, 18),
        (6, 20),
        (6, 23),
        (7, 12),
    ] {
        facts = facts.may(Fact::date(date(2025, month, day)).or_weekday());
    }
    for number in [4, 13] {
        facts = facts.may(Fact::number(number));
    }
    // Small numbers in words count acts, calls and promises.
    for literal in [
        "draft 3",
        "Three Stiles",
        "two",
        "Two",
        "three",
        "Three",
        "five",
        "Five",
        "six",
        "Six",
    ] {
        facts = facts.literal(literal);
    }
    let ours = [
        "Maud Threlkeld",
        "Ingrid Maltravers",
        "Denzil Okafor-Pym",
        "Ffion Arkle",
        "Józef Pardoe",
    ];
    let ours = ours.map(Person::new);
    for person in &ours {
        facts = facts.may(Fact::person(person));
    }
    let others = [
        "Casimir Bright",
        "Hester Quayle",
        "Sunita Vail",
        "Garrick Sowerby",
        "Théo Lanvin",
    ];
    facts.people(ours).people(others.map(Person::new))
}
