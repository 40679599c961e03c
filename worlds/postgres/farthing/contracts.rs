//! Contracts, with those that the portal sent twice, never ended or called off.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::rows::{Rows, hundredths, tenths};
use crate::staff::Employee;

/// Terms on which somebody works.
#[derive(Clone)]
pub struct Contract {
    pub id: usize,
    pub employee: usize,
    pub since: Date,
    pub until: Option<Date>,
    pub temporary: bool,
    pub pattern: &'static str,
    pub hourly: bool,
    /// Salary or rate in pennies.
    pub pay: i64,
    pub signed: Date,
    pub source: &'static str,
    /// Day on which it came into the table, which decides its number.
    entered: Date,
}

impl Contract {
    /// Days of leave in a whole year, in tenths.
    pub fn leave(&self) -> i64 {
        50 * self.pattern.chars().filter(|char| *char != '-').count() as i64
    }

    pub fn holds_on(&self, day: Date) -> bool {
        self.since <= day && self.until.is_none_or(|until| until >= day)
    }

    fn is_known_on(&self, day: Date) -> bool {
        self.entered <= day
    }
}

const PATTERNS: [(&str, u32); 7] = [
    ("MTWTF--", 12),
    ("MTWT---", 3),
    ("MTW----", 2),
    ("--WTF--", 2),
    ("-TWTFS-", 2),
    ("MT-TF--", 2),
    ("----FSS", 1),
];

/// Deviation from one contract after the other.
#[derive(Clone, Copy)]
enum Case {
    /// A new one begins on this day, and the old one goes on.
    Open(Date),
    /// A new one begins on the first day, and the old one ends on the second.
    Longer(Date, Date),
    /// Two new ones begin, and none ended.
    Thrice(Date, Date),
    /// A temporary one from the first to the second day.
    Temporary(Date, Date),
    /// A temporary one within a contract that ends on the third day.
    TemporaryWithin(Date, Date, Date),
    /// A new one that came in twice, on the second day again.
    Twice(Date, Date),
    /// A new one that came in twice, and the old one ended rightly.
    TwiceEnded(Date, Date),
    /// A new one, and another one from the same day that was signed later. The flag tells that it came in first.
    SameDay(Date, bool),
    /// A new one that was called off.
    CalledOff(Date),
    /// A new one a while after the first day, on which the old one has ended.
    Return(Date, Date),
}

/// Cases that are the same for every seed, by client and place.
const CASES: [(&str, usize, Case); 36] = [
    ("ANV", 6, Case::Open(date(2026, 2, 1))),
    ("ANV", 7, Case::Twice(date(2026, 3, 1), date(2026, 3, 3))),
    ("ANV", 8, Case::CalledOff(date(2026, 5, 1))),
    ("DRO", 0, Case::Open(date(2026, 1, 12))),
    ("DRO", 1, Case::Open(date(2026, 4, 1))),
    (
        "DRO",
        2,
        Case::Temporary(date(2026, 5, 1), date(2026, 8, 31)),
    ),
    ("DRO", 3, Case::SameDay(date(2026, 3, 2), false)),
    ("DRO", 4, Case::Twice(date(2026, 4, 13), date(2026, 5, 20))),
    ("DRO", 5, Case::Longer(date(2026, 4, 1), date(2026, 6, 30))),
    ("DRO", 6, Case::CalledOff(date(2026, 4, 6))),
    ("HOL", 0, Case::Open(date(2026, 3, 1))),
    (
        "HOL",
        1,
        Case::Temporary(date(2026, 3, 1), date(2026, 4, 30)),
    ),
    ("HOL", 2, Case::Thrice(date(2026, 2, 2), date(2026, 5, 1))),
    ("HOL", 3, Case::SameDay(date(2026, 2, 1), true)),
    (
        "HOL",
        4,
        Case::TwiceEnded(date(2026, 3, 9), date(2026, 3, 10)),
    ),
    (
        "HOL",
        5,
        Case::TemporaryWithin(date(2026, 6, 1), date(2026, 8, 31), date(2026, 12, 31)),
    ),
    ("HOL", 6, Case::Open(date(2026, 6, 15))),
    ("LIN", 6, Case::Open(date(2026, 1, 1))),
    ("LIN", 7, Case::CalledOff(date(2026, 6, 1))),
    (
        "MAR",
        0,
        Case::Temporary(date(2026, 4, 1), date(2026, 9, 30)),
    ),
    (
        "MAR",
        1,
        Case::Temporary(date(2026, 5, 25), date(2026, 9, 6)),
    ),
    (
        "MAR",
        2,
        Case::TemporaryWithin(date(2026, 5, 1), date(2026, 9, 30), date(2026, 9, 30)),
    ),
    ("MAR", 3, Case::Open(date(2026, 4, 1))),
    ("MAR", 4, Case::Longer(date(2026, 5, 1), date(2026, 9, 30))),
    ("MAR", 5, Case::Thrice(date(2026, 1, 5), date(2026, 4, 6))),
    ("MAR", 6, Case::SameDay(date(2026, 4, 1), true)),
    ("MAR", 7, Case::Open(date(2026, 7, 1))),
    ("PEN", 0, Case::Open(date(2026, 1, 5))),
    ("PEN", 1, Case::Open(date(2026, 5, 11))),
    ("PEN", 2, Case::Twice(date(2026, 2, 2), date(2026, 2, 2))),
    ("PEN", 3, Case::SameDay(date(2026, 4, 6), false)),
    (
        "PEN",
        4,
        Case::TwiceEnded(date(2026, 5, 4), date(2026, 6, 8)),
    ),
    ("PEN", 5, Case::CalledOff(date(2026, 3, 1))),
    ("PEN", 6, Case::Longer(date(2026, 3, 16), date(2026, 4, 30))),
    ("PEN", 8, Case::Return(date(2025, 11, 14), date(2026, 3, 2))),
    ("HOL", 8, Case::Return(date(2025, 12, 5), date(2026, 2, 16))),
];

/// Patterns at Quill Bakery that are the same for every seed, by place.
const BAKERS: [&str; 12] = [
    "MTWTF--", "MTWTF--", "-TWTFS-", "MTWTF--", "MTWT---", "MTWTF--", "MTWTF--", "-TWTFS-",
    "MT-TF--", "MTWTF--", "----FSS", "MTW----",
];

/// Draws the contracts of all people, numbered as they came in.
pub fn contracts(random: &mut Random, staff: &[Employee]) -> Vec<Contract> {
    let mut all: Vec<Contract> = staff
        .iter()
        .flat_map(|person| of_person(random, person))
        .collect();
    all.sort_by_key(|contract| contract.entered);
    for (at, contract) in all.iter_mut().enumerate() {
        contract.id = at + 1;
    }
    all
}

fn of_person(random: &mut Random, person: &Employee) -> Vec<Contract> {
    let hourly = person.is_hourly();
    let pay = match hourly {
        true => 1170 + 10 * random.between(0, 45),
        false => 180_000 + 2500 * random.between(0, 56),
    };
    let mut pattern = *random.weighted(&PATTERNS);
    if person.client().code == "QUI" {
        pattern = BAKERS.get(person.place).copied().unwrap_or(pattern);
    } else if person.client().code == "BRI" && person.place < 4 {
        pattern = "MTWTF--";
    }
    let signed = person.started - random.between(9, 60).days();
    let first = Contract {
        id: 0,
        employee: person.id,
        since: person.started,
        until: person.left.filter(|_| random.chance(4, 5)),
        temporary: false,
        pattern,
        hourly,
        pay,
        signed,
        source: "office",
        entered: signed + random.between(0, 8).days(),
    };
    let case = CASES
        .iter()
        .find(|(code, place, _)| person.is(code, *place));
    if let Some((_, _, case)) = case {
        return with_case(random, first, *case);
    }
    if let Some(contracts) = fixed(person, &first) {
        return contracts;
    }
    let is_long = person.started < date(2025, 3, 1) && person.left.is_none();
    if is_long && random.chance(3, 5) {
        let since = date(2025, 4, 1) + (30 * random.between(0, 12)).days();
        return one_after_the_other(random, first, since, 103);
    }
    vec![first]
}

/// Contracts of people that a task mentions.
fn fixed(person: &Employee, first: &Contract) -> Option<Vec<Contract>> {
    let with_pay = |contract: &Contract, pay| Contract {
        pay,
        ..contract.clone()
    };
    let second = |since: Date, pay, pattern, signed: Date| {
        let old = Contract {
            until: Some(since - 1.day()),
            ..first.clone()
        };
        let new = Contract {
            since,
            pay,
            pattern,
            signed,
            source: "portal",
            entered: signed + 1.day(),
            ..first.clone()
        };
        vec![old, new]
    };
    let old = first.pattern;
    if person.is("BRI", 0) {
        let mut both = second(date(2026, 5, 18), 1310, old, date(2026, 5, 11));
        both[0].pay = 1260;
        return Some(both);
    }
    if person.is("BRI", 1) {
        return Some(vec![with_pay(first, 1280)]);
    }
    if person.is("BRI", 2) {
        let mut both = second(date(2026, 6, 1), 1340, old, date(2026, 4, 27));
        both[0].pay = 1270;
        return Some(both);
    }
    if person.is("QUI", 3) {
        return Some(second(
            date(2026, 4, 15),
            first.pay * 3 / 5,
            "MTW----",
            date(2026, 3, 30),
        ));
    }
    if person.client().code == "QUI" && person.place < 12 {
        return Some(vec![first.clone()]);
    }
    None
}

fn raised(random: &mut Random, old: &Contract, since: Date, percent: i64) -> Contract {
    let signed = since - random.between(4, 25).days();
    let step = if old.hourly { 5 } else { 500 };
    Contract {
        since,
        until: None,
        pay: old.pay * percent / 100 / step * step + step,
        signed,
        source: "portal",
        entered: signed + random.between(0, 3).days(),
        ..old.clone()
    }
}

fn one_after_the_other(
    random: &mut Random,
    old: Contract,
    since: Date,
    percent: i64,
) -> Vec<Contract> {
    let new = raised(random, &old, since, percent);
    let old = Contract {
        until: Some(since - 1.day()),
        ..old
    };
    vec![old, new]
}

fn with_case(random: &mut Random, first: Contract, case: Case) -> Vec<Contract> {
    match case {
        Case::Open(since) => {
            let new = raised(random, &first, since, 104);
            vec![first, new]
        }
        Case::Longer(since, until) => {
            let new = raised(random, &first, since, 106);
            let old = Contract {
                until: Some(until),
                ..first
            };
            vec![old, new]
        }
        Case::Thrice(second, third) => {
            let new = raised(random, &first, second, 103);
            let newest = raised(random, &new, third, 105);
            vec![first, new, newest]
        }
        Case::Temporary(since, until) => {
            let new = temporary(random, &first, since, until);
            vec![first, new]
        }
        Case::TemporaryWithin(since, until, end) => {
            let new = temporary(random, &first, since, until);
            let old = Contract {
                until: Some(end),
                ..first
            };
            vec![old, new]
        }
        Case::Twice(since, again) => {
            let new = raised(random, &first, since, 104);
            let twin = Contract {
                entered: again,
                ..new.clone()
            };
            vec![first, new, twin]
        }
        Case::TwiceEnded(since, again) => {
            let mut both = one_after_the_other(random, first, since, 104);
            let twin = Contract {
                entered: again,
                ..both[1].clone()
            };
            both.push(twin);
            both
        }
        Case::SameDay(since, is_first) => {
            let one = raised(random, &first, since, 103);
            let signed = one.signed + 2.days();
            let other = Contract {
                pattern: if one.pattern == "MTWT---" {
                    "MTWTF--"
                } else {
                    "MTWT---"
                },
                signed,
                entered: signed + 1.day(),
                ..one.clone()
            };
            // The one that was signed first was on paper, and is typed in later.
            let one = Contract {
                entered: if is_first {
                    signed + 3.days()
                } else {
                    one.signed
                },
                ..one
            };
            vec![first, one, other]
        }
        Case::Return(last, since) => {
            let new = raised(random, &first, since, 102);
            let old = Contract {
                until: Some(last),
                ..first
            };
            vec![old, new]
        }
        Case::CalledOff(since) => {
            let new = raised(random, &first, since, 108);
            let new = Contract {
                until: Some(since - 1.day()),
                ..new
            };
            vec![first, new]
        }
    }
}

fn temporary(random: &mut Random, old: &Contract, since: Date, until: Date) -> Contract {
    let new = raised(random, old, since, 100);
    Contract {
        until: Some(until),
        temporary: true,
        pattern: if old.pattern == "MTWTF--" {
            "MTWTFS-"
        } else {
            "MTWTF--"
        },
        ..new
    }
}

/// Contracts by the number of their person.
pub struct ByPerson<'a>(BTreeMap<usize, Vec<&'a Contract>>);

impl<'a> ByPerson<'a> {
    pub fn new(contracts: &'a [Contract]) -> Self {
        let mut all: BTreeMap<usize, Vec<&Contract>> = BTreeMap::new();
        for contract in contracts {
            all.entry(contract.employee).or_default().push(contract);
        }
        Self(all)
    }

    /// Returns the contract that somebody would find for a day who looks on another day: the newest of those that hold.
    pub fn found(&self, employee: usize, day: Date, on: Date) -> Option<&'a Contract> {
        let all = self.0.get(&employee)?;
        let holds = all
            .iter()
            .filter(|it| it.holds_on(day) && it.is_known_on(on));
        holds.max_by_key(|it| it.id).copied()
    }
}

/// Writes the contracts.
pub fn write(world: &mut World, contracts: &[Contract]) {
    let columns =
        "id,employee_id,since,until,temporary,pattern,pay_kind,pay,annual_leave,signed_on,source";
    let mut table = Rows::new("contracts", columns);
    for it in contracts {
        table.add([
            it.id.into(),
            it.employee.into(),
            it.since.into(),
            it.until.into(),
            it.temporary.into(),
            it.pattern.into(),
            if it.hourly { "hourly" } else { "salary" }.into(),
            hundredths(it.pay),
            tenths(it.leave()),
            it.signed.into(),
            it.source.into(),
        ]);
    }
    table.write(world);
}
