//! Facts that the answer must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::{Condition, Found};

/// Phrases for a train that the production pays.
const WE_PAY: [&str; 51] = [
    "we'd pay",
    "we'd cover",
    "production picks up",
    "we pick up",
    "we pay",
    "we cover",
    "we will pay",
    "we will cover",
    "we do pay",
    "we'll pay",
    "we'll cover",
    "we are paying",
    "we're paying",
    "we are going to pay",
    "we can pay",
    "we have to pay",
    "we are covering",
    "we take over the cost*",
    "production pays",
    "production covers",
    "production will pay",
    "production will cover",
    "production is paying",
    "production office pays",
    "production has to pay",
    "company pays",
    "company covers",
    "company will pay",
    "paid by us",
    "paid for by us",
    "paid by the production",
    "paid by production",
    "paid for by the production",
    "paid for by production",
    "paid by the company",
    "covered by us",
    "covered by the production",
    "covered by production",
    "on us",
    "on the production",
    "on production",
    "at our expense",
    "at our cost",
    "our cost",
    "our expense",
    "production's cost",
    "production's expense",
    "us who pay*",
    "us that pay*",
    "we who pay*",
    "train: us",
];

/// Phrases for a train that she pays.
const SHE_PAYS: [&str; 19] = [
    "she pays",
    "she has to pay",
    "she must pay",
    "she will have to pay",
    "she would have to pay",
    "she'd pay",
    "she'd have to pay",
    "she has to cover",
    "she covers",
    "you pay",
    "pays .. herself",
    "pay .. herself",
    "paid by her",
    "her own expense",
    "her own cost",
    "own pocket",
    "tarn pays",
    "agency pays",
    "agent pays",
];

/// Phrases for a train of which the production pays a part or nothing, or of which nobody knows.
const IN_PART: [&str; 16] = [
    "whether",
    "perhaps",
    "maybe",
    "not sure",
    "unclear",
    "is open",
    "to be decided",
    "half",
    "one way only",
    "the train one way",
    "only one way",
    "one direction",
    "pay nothing",
    "pay a part",
    "pay part",
    "a share of",
];

fn facts() -> Facts {
    let colleagues = [
        "Ines Caldera",
        "Tobias Rehn",
        "Kofi Asante",
        "Greta Nyholm",
        "Oskar Linde",
    ];
    let day = |month, day| Fact::date(date(2026, month, day));
    Facts::new()
        .must("the evening", day(5, 19))
        .must("the first day", day(5, 20))
        .must("the second day", day(5, 28))
        .must("the third day", day(6, 1))
        .must("the last day", day(6, 12))
        .must("the morning", day(6, 13))
        .must("that we pay", Fact::words(WE_PAY))
        .must_not("that she pays", Fact::words(SHE_PAYS))
        .must_not("only in part or perhaps", Fact::words(IN_PART))
        .may(date_of_decision())
        .may(day(5, 29))
        .may(day(5, 30))
        .may(day(5, 31))
        .may(Fact::number(4))
        .may(Fact::number(3))
        .may(Fact::quantity(3, "days"))
        .may(Fact::quantity(4, "days"))
        .may(Fact::number(13))
        .may(Fact::number(18))
        .may(Fact::number(20))
        .may(Fact::number(29))
        .may(Fact::number(30))
        .may(Fact::number(31))
        .people(colleagues.map(Person::new))
}

/// Day of the meeting that decided on free days.
fn date_of_decision() -> Fact {
    Fact::date(date(2026, 4, 20))
}

/// Judges an answer.
pub fn conditions(text: &Found<String>) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts().conditions(&prose);
    all.push(("its length".to_owned(), prose.words_between(15, 220)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all.push((
        "arrival before departure".to_owned(),
        text.satisfies(|text| {
            let wrong = exchanged(text);
            Condition::when(
                wrong.is_none(),
                format!("found {:?}", wrong.unwrap_or_default()),
            )
        }),
    ));
    all
}

/// Words that lead to the day of the arrival, and words that lead to that of the departure.
const COMES: [&str; 6] = [
    "arriv", "come", "be here", "be there", "evening", "check in",
];
const LEAVES: [&str; 6] = [
    "leave",
    "free for good",
    "free again",
    "morning",
    "depart",
    "released",
];

/// Returns the part of a sentence in which arrival and departure have the day of the other, or a day on which she
/// shoots, if there is one.
fn exchanged(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    for part in text
        .split([',', ';', '.', '\n'])
        .flat_map(|it| it.split(" and "))
    {
        let has = |words: &[&str]| words.iter().any(|it| part.contains(it));
        let is_day = |month: &str, day: &str| {
            let mut words = part.split(|it: char| !it.is_alphanumeric());
            let is_named = part.contains(month);
            is_named && words.any(|it| it.trim_end_matches(|it: char| it.is_alphabetic()) == day)
        };
        let (comes, leaves) = (has(&COMES) && !has(&LEAVES), has(&LEAVES) && !has(&COMES));
        // "The evening before 20 May" is the right one, as is "the morning after 12 June".
        let same_day = has(&["evening", "arriv"])
            && comes
            && is_day("may", "20")
            && !is_day("may", "19")
            && !part.contains("before")
            || leaves && is_day("june", "12") && !is_day("june", "13") && !part.contains("after");
        let wrong = same_day || comes && is_day("june", "13") || leaves && is_day("may", "19");
        if wrong {
            return Some(part.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    #[test]
    fn answers_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 15 && wrong >= 18,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the answer", Ok(sample.text.clone()));
            let failed: Vec<(String, String)> = conditions(&text)
                .into_iter()
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
