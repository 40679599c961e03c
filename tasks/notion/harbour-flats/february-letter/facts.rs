//! Facts that the letter must state, may state and must not state.

#[path = "mistakes.rs"]
mod mistakes;

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person, Prose};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

/// Surnames and first names of tenants, now or soon, in the houses that the letter is about.
const TENANTS: [&str; 12] = [
    "Calloway",
    "Wrona",
    "Oakes",
    "Brandvold",
    "Siddiq",
    "Cutler",
    "Lindholm",
    "Petrov",
    "Mbeki",
    "Bruno",
    "Keller",
    "Voss",
];

fn euros(cents: i64) -> Fact {
    let amount = Decimal::new(cents, 2);
    Fact::amount(amount, "EUR").or(Fact::number(amount))
}

fn facts() -> Facts {
    let repairs = [
        "repair*",
        "job",
        "finish*",
        "complet*",
        "done",
        "thing*",
        "carried out",
    ];
    let open = [
        "open",
        "outstanding",
        "unfinished",
        "not finished",
        "not yet finished",
        "pending",
        "waiting",
        "still to",
        "in progress",
        "to be done",
        "under way",
    ];
    let pays = [
        "tenant* pay*",
        "tenant* is paying",
        "tenant* has paid",
        "tenant* paid",
        "tenant* will pay",
        "tenant* bear*",
        "tenant* cover*",
        "paid by .. tenant*",
        "paid for by .. tenant*",
        "charged to .. tenant*",
        "pay* .. herself",
        "pay* .. themselves",
        "tenant* .. pays",
        "tenant* .. pay*",
        "tenant*'s own",
        "borne by .. tenant*",
        "covered by .. tenant*",
        "billed to .. tenant*",
        "tenant* .. bill",
        "tenant* .. cost",
        "tenant* .. expense",
        "tenant* account",
        "on .. tenant*",
    ];
    let people = [
        "Maren Tolle",
        "Jonas Pike",
        "Alba Ferreira",
        "Wim Dekkers",
        "Runa Halvorsen",
    ];
    let mut facts = Facts::new()
        .must("whom it is for", Fact::term(["Quayle"]))
        .must(
            "how many were finished",
            Fact::number(5).about(repairs).besides(Fact::number(4)),
        )
        .must("what they cost her", euros(96_500))
        .must("what the tenant pays", Fact::words(pays))
        .must("the painted hall", Fact::term(["hall", "hallway"]))
        // The order of the letter tells this sum from the whole one.
        .must("what the hall cost", euros(61_000))
        .must("when she agreed", Fact::date(date(2026, 2, 3)))
        .must(
            "how many are open",
            Fact::number(4).about(open).besides(Fact::number(5)),
        )
        .must("the empty flat", Fact::term(["flat D"]))
        .must("from when it is let", Fact::date(date(2026, 4, 1)))
        .must_not("a tenant by name", Fact::term(TENANTS))
        .may(euros(9_650))
        .may(euros(24_000))
        .may(euros(1_850))
        .may(euros(14_800))
        // The whole invoice of the flue, and the part of another house.
        .may(euros(42_000))
        .may(euros(18_000))
        .may(Fact::number(3))
        .may(Fact::number(300))
        .may(euros(30_000))
        .may(Fact::number(1))
        .may(Fact::number(2))
        .may(Fact::date(date(2026, 2, 1)))
        .may(Fact::date(date(2026, 1, 31)))
        .may(Fact::date(date(2026, 3, 16)))
        .literal("Gull Row 3")
        .literal("Gull Row 5")
        .literal("Gull Row 3 and 5")
        .literal("Gull Row 3 and Gull Row 5")
        .people(people.map(Person::new));
    for day in [4, 6, 11, 20, 27] {
        facts = facts.may(Fact::date(date(2026, 2, day)));
    }
    for person in people {
        facts = facts.may(Fact::person(&Person::new(person)));
    }
    facts
}

/// All conditions on the letter, with their names.
pub fn conditions(text: &Found<String>) -> Vec<(String, Condition)> {
    let prose = text.map(|text| apart(text)).prose();
    let mut all = facts().conditions(&prose);
    for (name, condition) in mistakes::conditions(text) {
        for (_, found) in all.iter_mut().filter(|(fact, _)| fact == name) {
            *found = found.clone().and(condition.clone());
        }
    }
    all.push(("its length".to_owned(), prose.words_between(40, 350)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all
}

/// Whether the greeting comes first, then what was finished and cost, then the rest.
pub fn order(text: &Found<String>) -> Condition {
    text.satisfies(|text| {
        let text = apart(text);
        let lines: Vec<Found<Prose>> = text
            .lines()
            .filter(|it| !it.trim().is_empty())
            .map(|line| Found::new("a paragraph", Ok(line.to_owned())).prose())
            .collect();
        let at = |fact: Fact| lines.iter().position(|line| line.states(&fact).passed());
        let (greeting, sum) = (at(Fact::term(["Quayle"])), at(euros(96_500)));
        let others = [at(euros(61_000)), at(Fact::term(["flat D"]))];
        Condition::when(
            greeting == Some(0)
                && sum.is_some()
                && others.iter().all(|it| it.is_none() || sum <= *it),
            "expected the greeting, then what was finished and cost, then the rest",
        )
    })
}

/// Puts a comma between the month and a number of repairs, because "in February five repairs" has no date, and
/// letters in the place of the numbers of flats, because "Flat 4" counts nothing.
fn apart(text: &str) -> String {
    let mut text = text.replace("lat four", "lat 4");
    for (number, letter) in (1..=6).zip(["A", "B", "C", "D", "E", "F"]) {
        text = text.replace(&format!("lat {number}"), &format!("lat {letter}"));
    }
    for month in ["January", "February", "March"] {
        for number in ["two", "three", "four", "five", "six", "seven"] {
            text = text.replace(
                &format!("{month} {number} "),
                &format!("{month}, {number} "),
            );
        }
        for number in 2..=9 {
            for what in ["repairs", "jobs"] {
                let found = format!("{month} {number} {what}");
                text = text.replace(&found, &format!("{month}, {number} {what}"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    #[test]
    fn letters_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 20 && wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the letter", Ok(sample.text.clone()));
            let order = ("the order".to_owned(), order(&text));
            let failed: Vec<(String, String)> = conditions(&text)
                .into_iter()
                .chain([order])
                .filter(|(_, condition)| !condition.passed())
                .map(|(name, condition)| (name, condition.detail().to_owned()))
                .collect();
            let is_right = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|(name, _)| name == check),
            };
            if !is_right {
                mistakes.push(format!("{}: {failed:?}", sample.name));
            }
        }
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
