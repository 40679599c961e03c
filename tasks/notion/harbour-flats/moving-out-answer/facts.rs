//! Facts that the answer must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::{Condition, Found};

/// Phrases for walls that need no paint.
const STAYS: [&str; 24] = [
    "stay* blue",
    "stay* as",
    "stay* the way",
    "can stay",
    "may stay",
    "leave .. blue",
    "leave .. as",
    "leave it",
    "left blue",
    "left as",
    "keep* .. blue",
    "keep* .. colour",
    "keep* .. color",
    "remain* blue",
    "can remain",
    "remain* as",
    "no painting",
    "no need .. paint*",
    "fine as",
    "no paint",
    "wants .. blue",
    "likes .. blue",
    "like* .. colour",
    "take* .. blue",
];

/// Phrases for walls that need paint.
const PAINTS: [&str; 14] = [
    "has to paint",
    "have to paint",
    "has to be painted",
    "have to be painted",
    "must paint",
    "must be painted",
    "should paint",
    "should be painted",
    "needs to paint",
    "need to paint",
    "needs to be painted",
    "paint* it white",
    "paint* .. white again",
    "back to white",
];

fn facts() -> Facts {
    let people = ["Maren Tolle", "Jonas Pike", "Wim Dekkers"].map(Person::new);
    let runa = Person::new("Runa Halvorsen");
    let known = ["Alba Ferreira", "Daniel Okafor", "Layla Haddad"].map(Person::new);
    let paint = ["paint*", "repaint*"];
    let mut facts = Facts::new()
        .must("the day of the visit", Fact::date(date(2026, 3, 30)))
        .must("the time of the visit", Fact::time(14, 0))
        .must("who comes", Fact::person(&runa))
        .must(
            "the deposit",
            Fact::amount(1140, "EUR").or(Fact::number(1140)),
        )
        .must("by when it is paid back", Fact::date(date(2026, 4, 13)))
        .must(
            "the blue walls may stay",
            Fact::words(STAYS).or(Fact::words(paint).denied()),
        )
        .must_not("that he has to paint", Fact::words(PAINTS))
        .may(Fact::quantity(14, "days"))
        .may(Fact::quantity(2, "weeks"))
        .may(Fact::date(date(2026, 3, 31)))
        .may(Fact::date(date(2026, 4, 15)))
        .may(Fact::number(3))
        .literal("Lantern Court, flat 3")
        .literal("flat 3")
        .people(people.into_iter().chain([runa]).chain(known.clone()));
    for person in &known {
        facts = facts.may(Fact::person(person));
    }
    // Wim pays the deposits back.
    facts.may(Fact::person(&Person::new("Wim Dekkers")))
}

/// All conditions on the answer, with their names.
pub fn conditions(text: &Found<String>) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts().conditions(&prose);
    all.push((
        "the visit as the day of the payment".to_owned(),
        text.satisfies(|text| Condition::when(!pays_on_the_visit(text), "found it as a limit")),
    ));
    all.push(("its length".to_owned(), prose.words_between(15, 200)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all
}

/// Returns whether a text has the day of the visit as a limit. Topics cannot tell this, because the visit is often
/// named in the sentence after the one about the deposit.
fn pays_on_the_visit(text: &str) -> bool {
    let text = text.to_lowercase().replace(',', "");
    let days = ["30 march", "march 30", "30th of march", "30th march"];
    let limits = ["by", "until", "no later than", "not later than"];
    limits.iter().any(|limit| {
        days.iter().any(|day| {
            let (near, far) = (format!(" {limit} {day}"), format!(" {limit} monday {day}"));
            text.contains(&near) || text.contains(&far)
        })
    })
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
            samples.len() - wrong >= 20 && wrong >= 20,
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
