//! Accounts of people, and advances that they had.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::rows::{Rows, hundredths};
use crate::staff::{Employee, TODAY};

/// Account of a person.
pub struct Account {
    employee: usize,
    iban: String,
    since: Date,
    until: Option<Date>,
    verified: Option<(Date, &'static str)>,
}

/// Money that was paid before pay day.
pub struct Advance {
    pub employee: usize,
    pub on: Date,
    pub amount: i64,
    reason: &'static str,
}

/// Day of this year.
const fn day(month: i8, day: i8) -> Date {
    date(2026, month, day)
}

/// Accounts that are the same for every seed, beside the first one: client, place, end of the first one, first day of the
/// second one, and when somebody rang about it.
type Second = (
    &'static str,
    usize,
    Option<Date>,
    Option<Date>,
    Option<Date>,
);

const SECOND: [Second; 9] = [
    (
        "ANV",
        2,
        Some(day(6, 30)),
        Some(day(6, 15)),
        Some(day(6, 16)),
    ),
    ("ANV", 9, None, Some(day(3, 2)), Some(day(3, 4))),
    ("COR", 2, None, Some(day(6, 10)), None),
    ("COR", 6, None, Some(TODAY), Some(day(6, 19))),
    (
        "COR",
        8,
        Some(day(5, 31)),
        Some(day(6, 1)),
        Some(day(5, 28)),
    ),
    ("LIN", 1, None, Some(day(7, 1)), Some(day(6, 17))),
    ("LIN", 5, Some(day(6, 15)), None, None),
    ("LIN", 8, Some(TODAY), None, None),
    ("LIN", 9, Some(day(6, 15)), Some(day(6, 16)), None),
];

/// People about whose account nobody has rung.
const UNVERIFIED: [(&str, usize); 2] = [("ANV", 12), ("COR", 1)];

/// Advances that are the same for every seed: client, place, day, pounds, reason.
const ADVANCES: [(&str, usize, Date, i64, &str); 17] = [
    ("LIN", 2, day(1, 12), 100, "Boiler"),
    ("COR", 0, day(3, 16), 1500, "Moving house"),
    ("LIN", 0, day(4, 7), 800, "Car"),
    ("ANV", 0, day(4, 10), 300, "Tools"),
    ("COR", 1, day(4, 20), 260, "Rent"),
    ("FEN", 2, day(4, 27), 400, "Car"),
    ("ANV", 0, day(5, 12), 650, "Deposit for a flat"),
    ("LIN", 3, day(5, 13), 2400, "Moving house"),
    ("ANV", 3, day(5, 20), 900, "Funeral"),
    ("ANV", 4, day(5, 27), 700, "Car"),
    ("COR", 3, day(5, 28), 350, "Travel"),
    ("LIN", 5, day(6, 2), 500, "Dentist"),
    ("COR", 5, day(6, 2), 150, "Glasses"),
    ("ANV", 5, day(6, 3), 200, "Pram"),
    ("ANV", 1, day(6, 10), 120, "Bicycle"),
    ("LIN", 1, day(6, 11), 90, "Course"),
    ("LIN", 1, day(6, 16), 700, "Car"),
];

fn iban(random: &mut Random) -> String {
    format!(
        "GB{:02}FRTH{:06}{:08}",
        random.between(10, 98),
        random.below(1_000_000),
        random.below(100_000_000)
    )
}

/// Draws the accounts of everybody.
pub fn accounts(random: &mut Random, staff: &[Employee]) -> Vec<Account> {
    let mut all = Vec::new();
    for person in staff {
        let second = SECOND
            .iter()
            .find(|(code, place, ..)| person.is(code, *place));
        let is_verified = !UNVERIFIED
            .iter()
            .any(|(code, place)| person.is(code, *place));
        let clerk = person.client().clerk;
        let mut until = second.and_then(|it| it.2);
        let mut next = second
            .and_then(|it| it.3)
            .map(|since| (since, second.and_then(|it| it.4)));
        if second.is_none() && person.started < date(2025, 1, 1) && random.chance(1, 6) {
            let since = date(2025, 2, 3) + (7 * random.between(0, 50)).days();
            until = Some(since - 1.day());
            next = Some((since, Some(since - 2.days())));
        }
        all.push(Account {
            employee: person.id,
            iban: iban(random),
            since: person.started,
            until,
            verified: is_verified.then_some((person.started + 1.day(), clerk)),
        });
        if let Some((since, rang)) = next {
            all.push(Account {
                employee: person.id,
                iban: iban(random),
                since,
                until: None,
                verified: rang.map(|on| (on, clerk)),
            });
        }
    }
    all
}

/// Draws the advances, from the oldest to the newest.
pub fn advances(random: &mut Random, staff: &[Employee]) -> Vec<Advance> {
    let mut all = Vec::new();
    for person in staff {
        let own = ADVANCES
            .iter()
            .filter(|(code, place, ..)| person.is(code, *place));
        all.extend(own.map(|(_, _, on, pounds, reason)| Advance {
            employee: person.id,
            on: *on,
            amount: pounds * 100,
            reason,
        }));
        let is_fixed = ["ANV", "COR", "LIN"].contains(&person.client().code);
        if !is_fixed
            && person.started < date(2025, 11, 1)
            && person.left.is_none()
            && random.chance(1, 9)
        {
            all.push(Advance {
                employee: person.id,
                on: date(2026, 1, 7) + random.between(0, 150).days(),
                amount: 5000 * random.between(2, 16),
                reason: *random.pick(&["Car", "Rent", "Boiler", "Travel", "Washing machine"]),
            });
        }
    }
    all.sort_by_key(|advance| advance.on);
    all
}

/// Returns the number of the account to which money goes on a day. The first account has always been paid to.
pub fn account_on(accounts: &[Account], employee: usize, on: Date) -> usize {
    let own = || {
        accounts
            .iter()
            .enumerate()
            .filter(|(_, it)| it.employee == employee)
    };
    let holds = own().filter(|(_, it)| {
        it.verified.is_some_and(|(day, _)| day <= on)
            && it.since <= on
            && it.until.is_none_or(|until| until >= on)
    });
    let newest = holds.max_by_key(|(_, it)| it.since);
    newest.or_else(|| own().next()).map_or(0, |(at, _)| at + 1)
}

/// Writes accounts and advances.
pub fn write(world: &mut World, accounts: &[Account], advances: &[Advance]) {
    let columns = "id,employee_id,iban,since,until,verified_on,verified_by";
    let mut table = Rows::new("bank_accounts", columns);
    for (at, account) in accounts.iter().enumerate() {
        table.add([
            (at + 1).into(),
            account.employee.into(),
            (&account.iban).into(),
            account.since.into(),
            account.until.into(),
            account.verified.map(|it| it.0).into(),
            account.verified.map(|it| it.1).into(),
        ]);
    }
    table.write(world);
    let mut table = Rows::new("advances", "id,employee_id,paid_on,amount,reason");
    for (at, advance) in advances.iter().enumerate() {
        table.add([
            (at + 1).into(),
            advance.employee.into(),
            advance.on.into(),
            hundredths(advance.amount),
            advance.reason.into(),
        ]);
    }
    table.write(world);
}
