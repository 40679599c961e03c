//! Facts that the letters must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

/// Facts of the flood that the decisions rest on, as derived from the starting state.
pub struct Flood {
    /// Time at which the warning was due, as hour and minute.
    pub due: (u32, u32),
    /// Time at which the message went out.
    pub sent: (u32, u32),
    /// Minutes between the two.
    pub late: i64,
    /// Amount for a household that was warned by the message.
    pub amount: i64,
    /// Time at which Mr Tanner answered the telephone.
    pub told: (u32, u32),
}

/// Words by which a reader knows that a time is the one at which the warning was due.
const DUE: [&str; 7] = [
    "due",
    "should have",
    "should .. have",
    "ought to",
    "had to",
    "supposed to",
    "was to",
];

/// Words by which a reader knows that a sum is the one that is paid.
const PAID: [&str; 16] = [
    "pay*",
    "paid",
    "get",
    "receive*",
    "goodwill",
    "grant*",
    "amount*",
    "owe*",
    "give",
    "send",
    "transfer*",
    "compensat*",
    "entitled",
    "come* to",
    "make*",
    "total",
];

/// Phrases for a clock that is one hour fast.
const FAST: [&str; 24] = [
    "hour fast",
    "hour too fast",
    "hour .. fast",
    "fast by .. hour",
    "fast .. hour",
    "hour ahead",
    "hour .. ahead",
    "ahead by .. hour",
    "hour forward",
    "hour in front",
    "hour too late",
    "hour later than",
    "hour off",
    "off by .. hour",
    "hour out",
    "out by .. hour",
    "hour wrong",
    "wrong by .. hour",
    "60 minutes fast",
    "60 minutes ahead",
    "hour too early",
    "hour early",
    "summer time",
    "summertime",
];

/// Phrases for a gauge that is compared with another one.
const LESS: [&str; 8] = [
    "4 cm less",
    "4 cm lower",
    "4.0 cm less",
    "4.0 cm lower",
    "four centimetre less",
    "four centimetre lower",
    "4 centimetre less",
    "4 centimetre lower",
];

/// Phrases for errors of the gauge in the other direction.
const OPPOSITE: [&str; 15] = [
    "hour slow",
    "hour behind",
    "clock .. slow",
    "clock .. behind",
    "cm too high",
    "cm too much",
    "centimetre* too high",
    "centimetre* too much",
    "centimeter* too high",
    "centimeter* too much",
    "gauge .. too high",
    "levels .. too high",
    "showed too much",
    "cm more than",
    "centimetre* more than",
];

/// Phrases for a payment that the damage decides.
const DAMAGE: [&str; 8] = [
    "pay .. carpet*",
    "pay .. dresser",
    "pay .. damage",
    "paid .. carpet*",
    "replace* .. carpet*",
    "for the carpets too",
    "for the carpets as well",
    "cover* .. damage",
];

/// Phrases for somebody who was warned early enough.
const IN_TIME: [&str; 13] = [
    "in time",
    "on time",
    "in good time",
    "before .. due",
    "before that",
    "before then",
    "minutes before",
    "minutes early",
    "minutes earlier",
    "earlier than",
    "ahead of",
    "before 15:30",
    "early enough",
];

/// Phrases for a payment of nothing.
const NOTHING: [&str; 10] = [
    "nothing",
    "refuse*",
    "decline*",
    "reject*",
    "turn* down",
    "pay 0",
    "pay you 0",
    "zero",
    "no goodwill",
    "no payment",
];

/// Phrases of which one is denied if nothing is paid.
const PAYMENT: [&str; 9] = [
    "pay*",
    "paid",
    "payment*",
    "money",
    "goodwill",
    "compensat*",
    "entitled",
    "give",
    "grant*",
];

fn people() -> impl Iterator<Item = Person> {
    [
        "Gil Ashdown",
        "Maud Ilic",
        "Nadia Ferris",
        "Owen Tull",
        "Perrin Agar",
        "Rafe Oduya",
        "Sunniva Dahl",
        "Tess Morrow",
        "Hilda Orrell",
        "Wilf Tanner",
        "Ruddock",
        "Beck",
        "Lisle",
        "Amberly",
        "Pym",
        "Weaver",
    ]
    .into_iter()
    .map(Person::new)
}

fn time((hour, minute): (u32, u32)) -> Fact {
    Fact::time(hour, minute)
}

/// Facts that both letters may state: what the readings were, rightly and on the map, and the rules.
fn common(household: &str, flood: &Flood) -> Facts {
    let at_hours = [14, 15, 16, 17].map(|hour| Fact::time(hour, 0));
    let on_the_map = Fact::time(17, 30);
    let mut due = time(flood.due).about(DUE);
    for other in at_hours.iter().chain([&on_the_map]) {
        due = due.besides(other.clone());
    }
    due = due
        .besides(time(flood.sent))
        .besides(time(flood.told))
        .besides(Fact::time(15, 35));
    let mut facts = Facts::new()
        .must("when the warning was due", due)
        .must("whom it is for", Fact::person(&Person::new(household)))
        .must("who signs it", Fact::person(&Person::new("Gil Ashdown")))
        .must_not(
            "an error of the gauge that it did not have",
            Fact::words(OPPOSITE),
        )
        .people(people());
    for fact in at_hours.into_iter().chain([on_the_map]) {
        facts = facts.may(fact);
    }
    for name in ["Sunniva Dahl", "Maud Ilic"] {
        facts = facts.may(Fact::person(&Person::new(name)));
    }
    for (month, day) in [(3, 17), (3, 24), (3, 30), (4, 7), (4, 13), (5, 4)] {
        facts = facts.may(Fact::date(date(2026, month, day)));
    }
    for level in [2071, 2100, 2111, 2129, 2169, 2214, 2254] {
        let level = Decimal::new(level, 1);
        facts = facts.may(Fact::quantity(level, "cm").or(Fact::number(level)));
    }
    for (number, unit) in [
        (1, "hours"),
        (2, "hours"),
        (3, "hours"),
        (30, "minutes"),
        (10, "minutes"),
        (5, "minutes"),
    ] {
        facts = facts.may(Fact::quantity(number, unit));
    }
    facts
        .may(money(60))
        .may(money(200))
        .may(Fact::number(0))
        .may(Fact::number(1))
        .may(Fact::number(2))
        .may(Fact::number(3))
        .may(Fact::ordinal(2))
        .may(Fact::id("L-131"))
}

fn money(amount: i64) -> Fact {
    Fact::number(amount)
        .or(Fact::amount(amount, "GBP"))
        .or(Fact::amount(amount, "EUR"))
}

fn to_orrell(flood: &Flood) -> Facts {
    let paid = money(flood.amount)
        .about(PAID)
        .besides(money(60))
        .besides(money(200))
        .besides(money(940))
        .besides(Fact::number(1))
        .besides(Fact::number(2))
        .besides(Fact::number(3));
    common("Hilda Orrell", flood)
        .must("when she was warned", time(flood.sent))
        .must("how late that was", Fact::quantity(flood.late, "minutes"))
        .must("what we pay", paid)
        .must("the clock of the gauge", Fact::words(FAST))
        .must(
            "the level of the gauge",
            Fact::quantity(4, "cm")
                .or(Fact::quantity(40, "mm"))
                .or(Fact::words(LESS)),
        )
        .must_not("that the damage is paid", Fact::words(DAMAGE))
        .may(money(940))
        .may(Fact::time(15, 35))
}

fn to_tanner(flood: &Flood) -> Facts {
    common("Wilf Tanner", flood)
        .must("when he was warned", time(flood.told))
        .must(
            "that this was not late",
            Fact::words(IN_TIME).or(Fact::words(["late", "delay*"]).denied()),
        )
        .must(
            "that we pay nothing",
            Fact::words(NOTHING)
                .or(Fact::number(0))
                .or(Fact::words(PAYMENT).denied()),
        )
        .may(time(flood.sent))
        .may(Fact::quantity(4, "cm"))
}

/// Checks that times are written like 14:30, without a word about their zone.
fn times_are_plain(text: &Found<String>, times: &[(u32, u32)]) -> Condition {
    text.satisfies(|text| {
        let missing = times
            .iter()
            .map(|(hour, minute)| format!("{hour:02}:{minute:02}"))
            .find(|time| !text.contains(time));
        let lower = text.to_lowercase().replace('.', "");
        let words: Vec<&str> = lower
            .split(|char: char| !char.is_alphanumeric() && char != ':' && char != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let is_zone = |word: &str| ["utc", "gmt", "bst", "cet", "o'clock", "pm"].contains(&word);
        let ends_in_half = |word: &str| {
            let digits = word.trim_end_matches("am").trim_end_matches("pm").trim_end_matches('z');
            digits != word && digits.ends_with(|char: char| char.is_ascii_digit())
        };
        let is_morning = |pair: &[&str]| {
            pair[1] == "am" && pair[0].ends_with(|char: char| char.is_ascii_digit())
        };
        let zone = words.iter().find(|word| is_zone(word) || ends_in_half(word));
        let is_plain = zone.is_none() && !words.windows(2).any(is_morning);
        Condition::when(
            missing.is_none() && is_plain,
            format!("expected times like 14:30 without their zone, found {missing:?} missing and {zone:?}"),
        )
    })
}

/// Checks that no time of a warning is called the one at which it was due. The pairing of topics and values does not tell
/// this, since the time of the message often stands next to the word.
fn has_one_due(text: &str, flood: &Flood) -> Condition {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_alphanumeric() && char != ':')
        .filter(|word| !word.is_empty())
        .collect();
    let others = [flood.sent, flood.told].map(|(hour, minute)| format!("{hour:02}:{minute:02}"));
    let is_other = |window: &[&str]| {
        window[0].eq_ignore_ascii_case("due")
            && ["at", "by", "for"].contains(&window[1])
            && others.iter().any(|time| time == window[2])
    };
    let found = words.windows(3).find(|window| is_other(window));
    Condition::when(
        found.is_none(),
        format!("expected one time at which the warning was due, found {found:?}"),
    )
}

/// All conditions on the letter to Mrs Orrell, with their names.
pub fn orrell(text: &Found<String>, flood: &Flood) -> Vec<(String, Condition)> {
    conditions(text, flood, &to_orrell(flood), &[flood.due, flood.sent])
}

/// All conditions on the letter to Mr Tanner, with their names.
pub fn tanner(text: &Found<String>, flood: &Flood) -> Vec<(String, Condition)> {
    conditions(text, flood, &to_tanner(flood), &[flood.due, flood.told])
}

fn conditions(
    text: &Found<String>,
    flood: &Flood,
    facts: &Facts,
    times: &[(u32, u32)],
) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts.conditions(&prose);
    all.push((
        "another time as the one at which it was due".to_owned(),
        text.satisfies(|text| has_one_due(text, flood)),
    ));
    all.push(("its form of times".to_owned(), times_are_plain(text, times)));
    all.push(("its length".to_owned(), prose.words_between(20, 260)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    const FLOOD: Flood = Flood {
        due: (15, 30),
        sent: (17, 40),
        late: 130,
        amount: 180,
        told: (15, 25),
    };

    #[test]
    fn letters_are_judged_by_their_facts() {
        let (mut right, mut wrong, mut mistakes) = (0, 0, Vec::new());
        for (file, is_orrell) in [
            (include_str!("orrell.txt"), true),
            (include_str!("tanner.txt"), false),
        ] {
            for sample in samples(file) {
                let text = Found::new("the letter", Ok(sample.text.clone()));
                let conditions = if is_orrell {
                    orrell(&text, &FLOOD)
                } else {
                    tanner(&text, &FLOOD)
                };
                let failed: Vec<(String, String)> = conditions
                    .into_iter()
                    .filter(|(_, condition)| !condition.passed())
                    .map(|(name, condition)| (name, condition.detail().to_owned()))
                    .collect();
                let fits = match &sample.fails {
                    None => failed.is_empty(),
                    Some(check) => failed.iter().any(|(name, _)| name == check),
                };
                match &sample.fails {
                    None => right += 1,
                    Some(_) => wrong += 1,
                }
                if !fits {
                    mistakes.push(format!("{}: {failed:?}", sample.name));
                }
            }
        }
        assert!(right >= 20 && wrong >= 20, "{right} right, {wrong} wrong");
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
