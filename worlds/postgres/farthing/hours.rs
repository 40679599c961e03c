//! Hours of people who are paid by the hour.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::contracts::ByPerson;
use crate::leave::{Away, has_day, is_public};
use crate::rows::{Rows, hundredths};
use crate::staff::{Employee, TODAY};

/// Last day for which the clients have sent hours.
const LAST: Date = date(2026, 6, 19);
/// Day on which the supervisor at Brightwell was well again.
const WELL: Date = date(2026, 6, 9);

/// Hours of a day.
pub struct Sheet {
    pub employee: usize,
    pub day: Date,
    /// Hundredths of an hour.
    pub hours: i64,
    pub approved: Option<Date>,
}

/// Hours that are the same for every seed: place at Brightwell, day, hours, approved on.
const CLEANERS: [(usize, Date, i64, Option<Date>); 16] = [
    (0, date(2026, 5, 4), 600, Some(date(2026, 5, 8))),
    (0, date(2026, 5, 14), 725, Some(WELL)),
    (0, date(2026, 5, 20), 800, Some(date(2026, 5, 26))),
    (0, date(2026, 5, 21), 650, Some(WELL)),
    (0, date(2026, 5, 25), 400, Some(date(2026, 6, 1))),
    (0, date(2026, 5, 28), 800, None),
    (0, date(2026, 5, 29), 750, Some(date(2026, 6, 3))),
    (1, date(2026, 5, 4), 800, Some(date(2026, 5, 8))),
    (1, date(2026, 5, 22), 775, Some(date(2026, 5, 29))),
    (1, date(2026, 5, 25), 650, Some(date(2026, 6, 2))),
    (1, date(2026, 5, 26), 800, Some(date(2026, 6, 2))),
    (2, date(2026, 5, 5), 700, Some(date(2026, 5, 8))),
    (2, date(2026, 5, 25), 500, Some(date(2026, 6, 2))),
    (3, date(2026, 5, 19), 750, Some(WELL)),
    (3, date(2026, 5, 20), 600, Some(WELL)),
    (3, date(2026, 5, 27), 800, Some(date(2026, 6, 2))),
];

/// Returns the last day on which hours of a month are approved that are paid with it.
pub fn cutoff(month: Date) -> Date {
    month.last_of_month() + 3.days()
}

/// Draws the hours of everybody, by person and day.
pub fn sheets(
    random: &mut Random,
    staff: &[Employee],
    contracts: &ByPerson<'_>,
    away: &Away,
) -> Vec<Sheet> {
    let mut all = Vec::new();
    for person in staff.iter().filter(|person| person.is_hourly()) {
        let is_cleaner = person.client().code == "BRI" && person.place < 4;
        let mut day = date(2026, 1, 1).max(person.started);
        while day <= LAST.min(person.left.unwrap_or(LAST)) {
            let drawn = drawn(random, person, contracts, away, day, is_cleaner);
            let fixed = CLEANERS
                .iter()
                .find(|(place, on, ..)| is_cleaner && *place == person.place && *on == day);
            let sheet = fixed
                .map(|(_, _, hours, approved)| (*hours, *approved))
                .or(drawn);
            if let Some((hours, approved)) = sheet {
                all.push(Sheet {
                    employee: person.id,
                    day,
                    hours,
                    approved,
                });
            }
            day = day + 1.day();
        }
    }
    all
}

fn drawn(
    random: &mut Random,
    person: &Employee,
    contracts: &ByPerson<'_>,
    away: &Away,
    day: Date,
    is_cleaner: bool,
) -> Option<(i64, Option<Date>)> {
    let contract = contracts.found(person.id, day, TODAY)?;
    let works = has_day(contract.pattern, day)
        && !away.is_off(person.id, day)
        && (!is_public(day) || random.chance(1, 3))
        && random.chance(19, 20);
    let hours = 25 * random.between(16, 34);
    let soon = day + random.between(1, 4).days();
    let late = cutoff(day.first_of_month()) + random.between(1, 9).days();
    let approved = match random.below(100) {
        0 if !is_cleaner => None,
        1 | 2 if !is_cleaner => Some(late),
        _ => Some(soon.min(cutoff(day.first_of_month()))),
    };
    works.then_some((hours, approved.filter(|on| *on < TODAY)))
}

/// Writes the hours.
pub fn write(world: &mut World, sheets: &[Sheet]) {
    let mut order: Vec<&Sheet> = sheets.iter().collect();
    order.sort_by_key(|sheet| (sheet.day, sheet.employee));
    let columns = "id,employee_id,day,hours,approved_on";
    let mut table = Rows::new("timesheets", columns);
    for (at, sheet) in order.into_iter().enumerate() {
        table.add([
            (at + 1).into(),
            sheet.employee.into(),
            sheet.day.into(),
            hundredths(sheet.hours),
            sheet.approved.into(),
        ]);
    }
    table.write(world);
}
