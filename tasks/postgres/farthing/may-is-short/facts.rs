//! Facts that the letters must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Person};
use mcpmark_guest::rust_decimal::Decimal;

/// Facts of a letter, and the last name of the person to whom it goes.
pub struct Letter {
    pub to: &'static str,
    pub facts: Facts,
}

/// Phrases for hours that have not been approved. Those of "approved" itself are looked for as denied ones.
const WAITS: [&str; 14] = [
    "unapproved",
    "yet to .. approve*",
    "yet to be approved",
    "still to be approved",
    "lack* .. approval",
    "no approval",
    "without .. approval",
    "wait* .. approv*",
    "await*",
    "pending",
    "approval .. missing",
    "once .. approve*",
    "as soon as .. approve*",
    "if .. approve*",
];

/// Phrases for a payment of nothing.
const NOTHING: [&str; 14] = [
    "nothing",
    "refuse*",
    "decline*",
    "reject*",
    "turn* down",
    "zero",
    "no difference",
    "no arrears",
    "no more",
    "no correction",
    "right* paid",
    "paid right*",
    "paid correct*",
    "correct* paid",
];

/// Phrases of which one is denied if nothing is paid.
const PAYMENT: [&str; 9] = [
    "pay*",
    "paid",
    "payment*",
    "due",
    "owe*",
    "grant*",
    "add*",
    "difference*",
    "short",
];

/// Phrases for a payment where nothing is due.
const PAYS: [&str; 8] = [
    "pay you the difference",
    "pay the difference",
    "we pay you",
    "you get the difference",
    "we owe you",
    "you are right",
    "difference of .. comes",
    "we add",
];

fn people() -> impl Iterator<Item = Person> {
    [
        "Agnes Pruett",
        "Bastian Holm",
        "Ceri Vaughan",
        "Dunja Marek",
        "Elias Finch",
        "Fenna Groot",
        "Hugo Lind",
        "Maeve Sands",
        "Rosa Adeyemi",
        "Tomas Brandl",
        "Iveta Lazar",
        "Marlon Pike",
    ]
    .into_iter()
    .map(Person::new)
}

fn common(name: &str) -> Facts {
    let mut facts = Facts::new()
        .must("whom it is for", Fact::person(&Person::new(name)))
        .must("who signs it", Fact::person(&Person::new("Ceri Vaughan")))
        .people(people())
        .may(Fact::number(2026));
    // The days of the letters, of today, and on which May and June are paid.
    for (month, day) in [(6, 5), (6, 11), (6, 12), (6, 15), (6, 22), (7, 3), (7, 5)] {
        facts = facts.may(Fact::date(date(2026, month, day)));
    }
    facts
}

/// Number with two decimals.
fn number(hundredths: i64) -> Fact {
    Fact::number(Decimal::new(hundredths, 2))
}

fn money(pennies: i64) -> Fact {
    let amount = Decimal::new(pennies, 2);
    number(pennies)
        .or(Fact::amount(amount, "GBP"))
        .or(Fact::amount(amount, "EUR"))
}

fn hours(hundredths: i64) -> Fact {
    let hours = Decimal::new(hundredths, 2);
    Fact::quantity(hours, "hours").or(number(hundredths))
}

/// Day of the year 2026, as a whole or as the day of a month that stands elsewhere.
fn day(month: i8, day: i8) -> Fact {
    Fact::date(date(2026, month, day))
        .or(Fact::ordinal(u64::from(day.unsigned_abs())))
        .or(Fact::number(i64::from(day)))
}

fn with(facts: Facts, allowed: impl IntoIterator<Item = Fact>) -> Facts {
    allowed.into_iter().fold(facts, Facts::may)
}

/// Hours of two days that were approved late, at two rates, and of a third day that nobody has approved.
fn rosa() -> Facts {
    let facts = common("Rosa Adeyemi")
        .must("the first day", day(5, 14))
        .must("the hours of the first day", hours(725))
        .must("the rate of the first day", money(1260))
        .must("the second day", day(5, 21))
        .must("the hours of the second day", hours(650))
        .must("the rate of the second day", money(1310))
        .must("what we pay", money(17650))
        .must("the third day", day(5, 28))
        .must(
            "why the third day waits",
            Fact::words(["approv*"]).denied().or(Fact::words(WAITS)),
        );
    let others = [
        money(9135),
        money(8515),
        hours(1375),
        hours(2400),
        hours(800),
        money(31440),
        day(5, 17),
        day(5, 18),
        day(6, 3),
        day(6, 9),
        Fact::number(2),
        Fact::number(3),
    ];
    with(facts, others)
}

/// Supplement for one of two public holidays.
fn tomas() -> Facts {
    let facts = common("Tomas Brandl")
        .must("the holiday", day(5, 25))
        .must("the hours of the holiday", hours(650))
        .must("the rate of an hour", money(1280))
        .must(
            "the share of the supplement",
            Fact::percent(60).or(Fact::number(60)).or(number(60)),
        )
        .must("what we pay", money(4992));
    let others = [
        money(8320),
        day(5, 4),
        hours(800),
        money(10240),
        money(6144),
        money(7680),
        money(768),
        day(5, 1),
        Fact::percent(75),
        Fact::percent(50),
        number(75),
        Fact::number(2),
        Fact::number(3),
    ];
    with(facts, others)
}

/// Rate that is higher from the next month on.
fn iveta() -> Facts {
    let first_of_june = Fact::date(date(2026, 6, 1)).or(Fact::words([
        "from June",
        "in June",
        "until June",
        "not before June",
    ]));
    let facts = common("Iveta Lazar")
        .must("when the new rate begins", first_of_june)
        .must("the new rate", money(1340))
        .must("the rate of May", money(1270))
        .must(
            "that nothing is due",
            Fact::words(NOTHING)
                .or(Fact::number(0))
                .or(Fact::words(PAYMENT).denied()),
        )
        .must_not("that something is paid", Fact::words(PAYS));
    let others = [
        day(4, 27),
        day(5, 1),
        day(5, 31),
        hours(10575),
        money(134_305),
        hours(500),
        money(3810),
        money(70),
        money(7403),
        Fact::number(0),
        Fact::number(2),
    ];
    with(facts, others)
}

/// Letters to the three, in the order of their queries.
pub fn all() -> [Letter; 3] {
    [
        Letter {
            to: "Rosa",
            facts: rosa(),
        },
        Letter {
            to: "Tomas",
            facts: tomas(),
        },
        Letter {
            to: "Iveta",
            facts: iveta(),
        },
    ]
}
