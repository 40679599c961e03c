//! Days off, and the leave of the people of some clients on a day.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::contracts::{ByPerson, Contract};
use crate::rows::{Rows, tenths};
use crate::staff::{Employee, TODAY};

/// Public holidays of two years.
pub const PUBLIC: [(Date, &str); 16] = [
    (date(2025, 1, 1), "New Year's Day"),
    (date(2025, 4, 18), "Good Friday"),
    (date(2025, 4, 21), "Easter Monday"),
    (date(2025, 5, 5), "Early May holiday"),
    (date(2025, 5, 26), "Spring holiday"),
    (date(2025, 8, 25), "Summer holiday"),
    (date(2025, 12, 25), "Christmas Day"),
    (date(2025, 12, 26), "Boxing Day"),
    (date(2026, 1, 1), "New Year's Day"),
    (date(2026, 4, 3), "Good Friday"),
    (date(2026, 4, 6), "Easter Monday"),
    (date(2026, 5, 4), "Early May holiday"),
    (date(2026, 5, 25), "Spring holiday"),
    (date(2026, 8, 31), "Summer holiday"),
    (date(2026, 12, 25), "Christmas Day"),
    (date(2026, 12, 28), "Boxing Day, moved"),
];

pub fn is_public(day: Date) -> bool {
    PUBLIC.iter().any(|(public, _)| *public == day)
}

/// Returns true if a pattern has the day.
pub fn has_day(pattern: &str, day: Date) -> bool {
    let at = day.weekday().to_monday_zero_offset() as usize;
    pattern.as_bytes()[at] != b'-'
}

/// Days off.
struct Absence {
    employee: usize,
    kind: &'static str,
    from: Date,
    to: Date,
    half: bool,
    certificate: bool,
    withdrawn: Option<Date>,
    entered: Date,
}

/// Day of this year.
const fn day(month: i8, day: i8) -> Date {
    date(2026, month, day)
}

/// Days off at Quill Bakery: place, kind, first and last day, half, certificate, taken back on, entered on.
type Baker = (
    usize,
    &'static str,
    Date,
    Date,
    bool,
    bool,
    Option<Date>,
    Date,
);

const BAKERS: [Baker; 27] = [
    (
        0,
        "holiday",
        day(2, 16),
        day(2, 18),
        false,
        false,
        None,
        day(1, 20),
    ),
    (
        0,
        "holiday",
        day(2, 17),
        day(2, 18),
        false,
        false,
        None,
        day(2, 10),
    ),
    (
        0,
        "holiday",
        day(4, 1),
        day(4, 10),
        false,
        false,
        None,
        day(3, 2),
    ),
    (
        0,
        "holiday",
        day(5, 15),
        day(5, 15),
        true,
        false,
        None,
        day(5, 12),
    ),
    (
        1,
        "holiday",
        day(5, 4),
        day(5, 8),
        false,
        false,
        None,
        day(4, 15),
    ),
    (
        1,
        "sick",
        day(3, 9),
        day(3, 11),
        false,
        true,
        None,
        day(3, 9),
    ),
    (
        2,
        "holiday",
        day(3, 10),
        day(3, 21),
        false,
        false,
        None,
        day(1, 12),
    ),
    (
        2,
        "holiday",
        day(5, 23),
        day(5, 26),
        false,
        false,
        None,
        day(4, 30),
    ),
    (
        3,
        "holiday",
        day(4, 13),
        day(4, 24),
        false,
        false,
        None,
        day(2, 3),
    ),
    (
        4,
        "holiday",
        day(5, 18),
        day(5, 29),
        false,
        false,
        None,
        day(5, 4),
    ),
    (
        6,
        "holiday",
        day(3, 23),
        day(4, 2),
        false,
        false,
        None,
        day(2, 2),
    ),
    (
        6,
        "sick",
        day(3, 26),
        day(3, 30),
        false,
        true,
        None,
        day(3, 31),
    ),
    (
        7,
        "holiday",
        day(5, 5),
        day(5, 16),
        false,
        false,
        None,
        day(3, 17),
    ),
    (
        7,
        "sick",
        day(5, 12),
        day(5, 13),
        false,
        false,
        None,
        day(5, 18),
    ),
    (
        7,
        "sick",
        day(5, 15),
        day(5, 15),
        false,
        true,
        Some(day(5, 20)),
        day(5, 18),
    ),
    (
        8,
        "holiday",
        day(3, 2),
        day(3, 13),
        false,
        false,
        Some(day(2, 24)),
        day(1, 26),
    ),
    (
        8,
        "holiday",
        day(5, 28),
        day(5, 29),
        false,
        false,
        None,
        day(5, 11),
    ),
    (
        8,
        "unpaid",
        day(4, 20),
        day(4, 24),
        false,
        false,
        None,
        day(3, 30),
    ),
    (
        9,
        "holiday",
        day(1, 8),
        day(1, 9),
        true,
        false,
        None,
        day(1, 6),
    ),
    (
        9,
        "holiday",
        day(5, 27),
        day(6, 5),
        false,
        false,
        None,
        day(3, 12),
    ),
    (
        10,
        "holiday",
        day(4, 3),
        day(4, 5),
        false,
        false,
        None,
        day(3, 10),
    ),
    (
        11,
        "holiday",
        date(2025, 12, 28),
        day(1, 6),
        false,
        false,
        None,
        date(2025, 11, 17),
    ),
    (
        11,
        "holiday",
        day(4, 27),
        day(4, 29),
        false,
        false,
        None,
        day(4, 7),
    ),
    (
        12,
        "holiday",
        day(3, 30),
        day(3, 31),
        false,
        false,
        None,
        day(4, 14),
    ),
    (
        12,
        "holiday",
        day(6, 8),
        day(6, 12),
        false,
        false,
        None,
        day(4, 14),
    ),
    (
        13,
        "holiday",
        day(1, 26),
        day(1, 30),
        false,
        false,
        None,
        day(1, 5),
    ),
    (
        14,
        "holiday",
        day(5, 1),
        day(5, 1),
        true,
        false,
        None,
        day(4, 28),
    ),
];

/// Days off of everybody, for whom they are away.
pub struct Away(Vec<Absence>);

impl Away {
    pub fn is_off(&self, employee: usize, day: Date) -> bool {
        let start = self.0.partition_point(|it| it.employee < employee);
        let own = self.0[start..]
            .iter()
            .take_while(|it| it.employee == employee);
        own.filter(|it| it.withdrawn.is_none() && !it.half)
            .any(|it| it.from <= day && day <= it.to)
    }
}

/// People whose pay is nothing, because they are on parental leave.
pub fn is_parent(person: &Employee) -> bool {
    person.is("ANV", 5) || person.is("COR", 4) || person.is("LIN", 4)
}

fn absences(random: &mut Random, staff: &[Employee]) -> Vec<Absence> {
    let mut all = Vec::new();
    for person in staff {
        if is_parent(person) {
            all.push(Absence {
                employee: person.id,
                kind: "parental",
                from: day(4, 1),
                to: day(9, 30),
                half: false,
                certificate: false,
                withdrawn: None,
                entered: day(2, 16),
            });
            continue;
        }
        if person.client().code == "QUI" {
            let own = BAKERS.iter().filter(|it| it.0 == person.place);
            all.extend(own.map(|it| Absence {
                employee: person.id,
                kind: it.1,
                from: it.2,
                to: it.3,
                half: it.4,
                certificate: it.5,
                withdrawn: it.6,
                entered: it.7,
            }));
            continue;
        }
        if person.client().code == "BRI" && person.place < 4 {
            continue;
        }
        let first = person.started.max(date(2025, 11, 1));
        let last = person.left.unwrap_or(day(9, 30)).min(day(9, 30));
        let mut at = first + random.between(5, 60).days();
        while at < last {
            let (kind, days) = *random.weighted(&[
                (("holiday", 12), 4),
                (("holiday", 5), 6),
                (("holiday", 1), 4),
                (("sick", 3), 3),
                (("sick", 9), 1),
                (("unpaid", 2), 1),
            ]);
            let to = at + random.between(0, days - 1).days();
            let is_future = at > TODAY;
            if kind == "holiday" || !is_future {
                let entered = match kind {
                    "holiday" => (at - random.between(6, 70).days()).min(TODAY),
                    _ => at + random.between(0, 3).days(),
                };
                all.push(Absence {
                    employee: person.id,
                    kind,
                    from: at,
                    to,
                    half: days == 1 && random.chance(1, 3),
                    certificate: kind == "sick" && (days > 3 || random.chance(1, 2)),
                    withdrawn: (kind == "holiday" && random.chance(1, 14))
                        .then(|| (at - random.between(1, 5).days()).min(TODAY)),
                    entered: entered.min(TODAY),
                });
            }
            at = to + random.between(15, 80).days();
        }
    }
    all
}

/// Returns the days off of everybody.
pub fn away(random: &mut Random, staff: &[Employee]) -> Away {
    Away(absences(random, staff))
}

/// Returns the days of leave on a day in tenths, entitled and taken, as somebody would count them who looks on another
/// day.
fn balance(
    away: &Away,
    person: &Employee,
    contracts: &ByPerson<'_>,
    as_of: Date,
    on: Date,
) -> (i64, i64) {
    let mut twelfths = 0;
    for month in 1..=12 {
        let (first, last) = (day(month, 1), day(month, 1).last_of_month());
        let is_whole = person.started <= first && person.left.is_none_or(|left| left >= last);
        if let Some(contract) = contracts.found(person.id, first, on).filter(|_| is_whole) {
            twelfths += contract.leave();
        }
    }
    // Rounded up to half days, which are five tenths.
    let entitled = (twelfths + 59) / 60 * 5;
    let own = |it: &&Absence| {
        it.employee == person.id && it.entered <= on && it.withdrawn.is_none_or(|day| day > on)
    };
    let own: Vec<&Absence> = away.0.iter().filter(own).collect();
    let mut taken = 0;
    let mut at = day(1, 1);
    while at <= as_of {
        let works = contracts
            .found(person.id, at, on)
            .is_some_and(|it| has_day(it.pattern, at));
        let here: Vec<&&Absence> = own
            .iter()
            .filter(|it| it.from <= at && at <= it.to)
            .collect();
        let is_sick = here.iter().any(|it| it.kind == "sick" && it.certificate);
        if works && !is_public(at) && !is_sick {
            let holidays = here.iter().filter(|it| it.kind == "holiday");
            taken += holidays
                .map(|it| if it.half { 5 } else { 10 })
                .max()
                .unwrap_or(0);
        }
        at = at + 1.day();
    }
    (entitled, taken)
}

/// Writes public holidays, days off, and the leave of the people of three clients at the end of March.
pub fn write(world: &mut World, away: &Away, staff: &[Employee], contracts: &[Contract]) {
    let mut table = Rows::new("public_holidays", "day,name");
    for (day, name) in PUBLIC {
        table.add([day.into(), name.into()]);
    }
    table.write(world);
    let mut order: Vec<&Absence> = away.0.iter().collect();
    order.sort_by_key(|it| it.entered);
    let columns =
        "id,employee_id,kind,from_day,to_day,half,certificate,withdrawn_on,entered_on,entered_by";
    let mut table = Rows::new("absences", columns);
    for (at, it) in order.into_iter().enumerate() {
        let client = staff[it.employee - 1].client();
        let by = if it.employee % 4 == 0 {
            client.clerk
        } else {
            "portal"
        };
        table.add([
            (at + 1).into(),
            it.employee.into(),
            it.kind.into(),
            it.from.into(),
            it.to.into(),
            it.half.into(),
            it.certificate.into(),
            it.withdrawn.into(),
            it.entered.into(),
            by.into(),
        ]);
    }
    table.write(world);
    let contracts = ByPerson::new(contracts);
    let (as_of, on) = (day(3, 31), day(4, 2));
    let mut table = Rows::new(
        "leave_balances",
        "as_of,employee_id,entitled,taken,remaining",
    );
    for person in staff {
        let is_asked = ["COR", "LIN", "QUI"].contains(&person.client().code);
        if is_asked && person.works_within(as_of, as_of) {
            let (entitled, taken) = balance(away, person, &contracts, as_of, on);
            table.add([
                as_of.into(),
                person.id.into(),
                tenths(entitled),
                tenths(taken),
                tenths(entitled - taken),
            ]);
        }
    }
    table.write(world);
}
