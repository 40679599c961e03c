//! Business days, service, periods.

use mcpmark_guest::Reader;

use std::collections::BTreeSet;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, Weekday, time};

use crate::office;

/// The days on which the court is open, and how days are counted.
pub struct Calendar {
    closed: BTreeSet<Date>,
    /// The longest period in days that counts business days only.
    short: i32,
}

impl Calendar {
    pub fn read(drive: &mut impl Reader, short: i32) -> Self {
        let table = office::table(&drive.text("00 Office/closed days.csv"));
        let rows = table.rows().iter();
        let closed = rows
            .filter(|row| row.get("closed") != "office")
            .map(|row| office::day(row.get("date")))
            .collect();
        Self { closed, short }
    }

    pub fn is_business_day(&self, day: Date) -> bool {
        let weekend = [Weekday::Saturday, Weekday::Sunday];
        !weekend.contains(&day.weekday()) && !self.closed.contains(&day)
    }

    /// This day, or the first business day after it.
    pub fn forward(&self, mut day: Date) -> Date {
        while !self.is_business_day(day) {
            day = next(day);
        }
        day
    }

    fn back(&self, mut day: Date) -> Date {
        while !self.is_business_day(day) {
            day = before(day);
        }
        day
    }

    /// The so-manieth business day before a day.
    pub fn business_days_before(&self, mut day: Date, count: i32) -> Date {
        for _ in 0..count {
            day = self.back(before(day));
        }
        day
    }

    /// The day on which something is deemed to be served.
    pub fn served(&self, how: &str, sent: &str) -> Date {
        let sent = office::in_london(sent);
        let day = sent.date();
        match how {
            "post" => self.forward(next(next(day))),
            _ if self.is_business_day(day) && sent.time() <= time(16, 30, 0, 0) => day,
            _ => self.forward(next(day)),
        }
    }

    /// The end of a period of days that begins after an event.
    pub fn days_after(&self, event: Date, days: i32) -> Date {
        if days > self.short {
            return self.forward(event + days.days());
        }
        (0..days).fold(event, |day, _| self.forward(next(day)))
    }

    pub fn months_after(&self, event: Date, months: i32) -> Date {
        self.forward(event + months.months())
    }

    /// The last day with so many clear days between it and a hearing.
    pub fn clear_days_before(&self, hearing: Date, days: i32) -> Date {
        if days > self.short {
            self.back(hearing - (days + 1).days())
        } else {
            self.business_days_before(hearing, days + 1)
        }
    }
}

fn next(day: Date) -> Date {
    day.tomorrow().expect("no calendar ends here")
}

fn before(day: Date) -> Date {
    day.yesterday().expect("no calendar begins here")
}
