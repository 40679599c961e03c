//! Bookings, tickets, payments, vouchers and the returns that have been sent.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, DateTime, Weekday, date};
use mcpmark_guest::{Random, World};

use crate::customers::People;
use crate::house::{Film, SCREENS, TICKET_TYPES};
use crate::programme::{CELLAR, DARK, FULL, MIDNIGHT, MIDNIGHT_SCREEN, NOW, Show};
use crate::rows::{Rows, amount};

/// Last Thursday of the returns that have been sent.
pub const SENT: Date = date(2026, 2, 26);

/// A seat: row from 0, number from 1.
pub type Seat = (usize, usize);

#[derive(Clone)]
pub struct Ticket {
    pub seat: Option<Seat>,
    pub kind: usize,
    pub cents: u32,
    pub status: &'static str,
}

#[derive(Clone)]
pub struct Payment {
    pub kind: &'static str,
    pub method: &'static str,
    pub cents: u32,
    pub on: Date,
}

#[derive(Clone)]
pub struct Booking {
    pub reference: String,
    pub show: usize,
    pub customer: Option<usize>,
    pub at: DateTime,
    pub channel: &'static str,
    pub status: &'static str,
    pub tickets: Vec<Ticket>,
    pub payments: Vec<Payment>,
}

impl Booking {
    pub fn price(&self) -> u32 {
        self.tickets.iter().map(|ticket| ticket.cents).sum()
    }
}

pub struct Voucher {
    pub code: String,
    pub customer: Option<usize>,
    pub cents: u32,
    pub issued: Date,
    pub expires: Date,
    /// Reference of the booking that it paid.
    pub spent: Option<String>,
}

pub struct Sales {
    /// Sorted by time. The id of a booking is its position from 1.
    pub bookings: Vec<Booking>,
    pub vouchers: Vec<Voucher>,
}

pub fn sales(random: &mut Random, shows: &[Show], films: &[Film], people: &mut People) -> Sales {
    let mut sales = Sales {
        bookings: Vec::new(),
        vouchers: Vec::new(),
    };
    let mut references = BTreeSet::new();
    let mut codes = BTreeSet::new();
    for (at, show) in shows.iter().enumerate() {
        let full = show.starts == FULL && show.screen == CELLAR;
        let dark = show.cinema() == "CAN"
            && show.starts >= DARK.at(17, 30, 0, 0)
            && show.starts < DARK.at(23, 59, 59, 0) + 1.hour();
        let evening = show.starts.hour() >= 17;
        let weeks = (show.starts.date() - films[show.film].released).get_days() / 7;
        let crowd = if evening { 4 } else { 2 } + u64::from(weeks < 2);
        let count = match () {
            () if full => 22,
            () if dark => 5 + random.below(3),
            () if is_pinned(show) => 3 + random.below(3),
            () if show.is_upcoming() => random.below(crowd.div_ceil(2) + 1),
            () => random.below(crowd + 2),
        };
        let mut free = Seating::new(show.screen);
        for _ in 0..count {
            let Some(booking) = one(random, at, show, people, &mut free, full) else {
                continue;
            };
            sales.bookings.push(booking);
        }
    }
    sales
        .bookings
        .sort_by_key(|booking| (booking.at, booking.show));
    for booking in &mut sales.bookings {
        booking.reference = loop {
            let letters: String = (0..6)
                .map(|_| {
                    *random.pick(&[
                        'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'K', 'L', 'M', 'N', 'P', 'R', 'T',
                        'W', 'X', '2', '3', '4', '7', '9',
                    ])
                })
                .collect();
            if references.insert(letters.clone()) {
                break letters;
            }
        };
    }
    let mut code = |random: &mut Random| loop {
        let code = format!("V-{:05}", random.below(100_000));
        if codes.insert(code.clone()) {
            return code;
        }
    };
    for booking in &mut sales.bookings {
        let price = booking.price();
        if booking.channel != "web"
            || booking.status != "paid"
            || price < 1000
            || booking.payments.len() != 1
            || !random.chance(1, 28)
        {
            continue;
        }
        let cents = *random.pick(&[500, 1000, 1000, 1500, 2000, 2500]);
        let on = booking.payments[0].on;
        let pay = |method, cents| Payment {
            kind: "charge",
            method,
            cents,
            on,
        };
        booking.payments = vec![pay("voucher", cents.min(price))];
        if price > cents {
            booking.payments.push(pay("card", price - cents));
        }
        let issued = on - random.between(3, 200).days();
        sales.vouchers.push(Voucher {
            code: code(random),
            customer: booking.customer,
            cents,
            issued,
            expires: issued + 1.year(),
            spent: Some(booking.reference.clone()),
        });
    }
    for _ in 0..140 {
        let issued = date(2025, 2, 1) + random.between(0, 400).days();
        let customer = random.chance(2, 3).then(|| {
            if random.chance(1, 6) {
                *random.pick(&people.doubles)
            } else {
                1 + random.below(people.accounts.len() as u64) as usize
            }
        });
        sales.vouchers.push(Voucher {
            code: code(random),
            customer: customer.filter(|id| people.accounts[id - 1].merged_into.is_none()),
            cents: *random.pick(&[500, 1000, 1500, 2000, 2500, 5000]),
            issued,
            expires: issued + 1.year(),
            spent: None,
        });
    }
    sales.vouchers.sort_by(|a, b| a.code.cmp(&b.code));
    sales
}

/// Returns true for a show after midnight at the end of a playing week, to which guests must come.
fn is_pinned(show: &Show) -> bool {
    show.screen == MIDNIGHT_SCREEN
        && show.starts.hour() == 0
        && MIDNIGHT.contains(&(show.starts - 6.hours()).date())
}

/// Free seats of a show.
struct Seating {
    rows: usize,
    seats: usize,
    taken: BTreeSet<Seat>,
}

impl Seating {
    fn new(screen: usize) -> Self {
        Self {
            rows: SCREENS[screen].rows,
            seats: SCREENS[screen].seats,
            taken: BTreeSet::new(),
        }
    }

    /// Takes adjacent seats, but no spaces for wheelchairs. A full house has its first and its last row free.
    fn take(&mut self, random: &mut Random, count: usize, fill: bool) -> Option<Vec<Seat>> {
        for attempt in 0..60 {
            let row = if fill {
                1 + attempt % (self.rows - 2)
            } else {
                random.below(self.rows as u64) as usize
            };
            let first = if fill {
                1 + attempt / (self.rows - 2)
            } else {
                1 + random.below(self.seats as u64) as usize
            };
            let seats: Vec<Seat> = (first..first + count).map(|number| (row, number)).collect();
            let fits = seats.iter().all(|seat| {
                seat.1 <= self.seats && !(seat.0 == 0 && seat.1 <= 2) && !self.taken.contains(seat)
            });
            if fits {
                self.taken.extend(&seats);
                return Some(seats);
            }
        }
        None
    }
}

fn one(
    random: &mut Random,
    at: usize,
    show: &Show,
    people: &People,
    free: &mut Seating,
    full: bool,
) -> Option<Booking> {
    let channel = if full {
        "web"
    } else {
        *random.weighted(&[("web", 6), ("till", 3), ("phone", 1)])
    };
    let before = match channel {
        "till" if !show.is_upcoming() => random.between(2, 45) * 60,
        _ => random.between(1, 20) * random.between(1, 20) * 3_000 + random.between(0, 3_599),
    };
    let mut booked = show.starts - before.seconds();
    if booked >= NOW {
        if !show.is_upcoming() || !(full || random.chance(1, 2)) {
            return None;
        }
        booked = NOW - random.between(1_800, 500_000).seconds();
    }
    let group = channel == "phone" && random.chance(1, 9);
    let count = if group {
        8
    } else {
        *random.weighted(&[(1, 4), (2, 9), (3, 3), (4, 3), (5, 1)])
    };
    let seats = free.take(random, count.min(SCREENS[show.screen].seats - 2), full)?;
    let child_friendly = show.starts.hour() < 17;
    let customer = (channel == "web" || random.chance(1, 8)).then(|| {
        if random.chance(1, 9) {
            *random.pick(&people.doubles)
        } else {
            1 + random.below(people.accounts.len() as u64) as usize
        }
    });
    let customer = customer.filter(|id| {
        people.accounts[id - 1].merged_into.is_none()
            && people.accounts[id - 1].joined <= booked.date()
    });
    let channel = if customer.is_none() && channel == "web" {
        "till"
    } else {
        channel
    };
    let in_3d = show.version.is_some_and(|version| {
        version
            .to_lowercase()
            .replace([' ', '-'], "")
            .contains("3d")
    });
    let surcharge = if !in_3d || !SCREENS[show.screen].can_3d {
        0
    } else if booked.date() >= date(2026, 3, 1) {
        300
    } else {
        250
    };
    let tickets: Vec<Ticket> = seats
        .iter()
        .map(|seat| {
            let kind = if group {
                7
            } else {
                *random.weighted(&[
                    (0, 40),
                    (1, 1),
                    (2, if child_friendly { 24 } else { 4 }),
                    (3, 2),
                    (4, 14),
                    (5, 8),
                    (6, 2),
                    (7, 9),
                ])
            };
            let price = TICKET_TYPES[kind].2;
            Ticket {
                seat: Some(*seat),
                kind,
                cents: if price == 0 { 0 } else { price + surcharge },
                status: "sold",
            }
        })
        .collect();
    let mut booking = Booking {
        reference: String::new(),
        show: at,
        customer,
        at: booked,
        channel,
        status: if group { "invoiced" } else { "paid" },
        tickets,
        payments: Vec::new(),
    };
    let method = if channel == "till" && random.chance(1, 3) {
        "cash"
    } else {
        "card"
    };
    if booking.price() > 0 && !group {
        let cents = booking.price();
        booking.payments.push(Payment {
            kind: "charge",
            method,
            cents,
            on: booked.date(),
        });
    }
    undo(random, show, &mut booking, free, full);
    Some(booking)
}

/// Refunds some bookings, or one ticket of them, and voids mistakes of the till.
fn undo(random: &mut Random, show: &Show, booking: &mut Booking, free: &mut Seating, full: bool) {
    let day = booking
        .at
        .date()
        .max(show.starts.date().min(NOW.date()) - 1.day());
    let cancelled = show.status == "cancelled" && random.chance(3, 4);
    let method = booking
        .payments
        .first()
        .map_or("card", |payment| payment.method);
    if cancelled || (!full && random.chance(1, 40)) {
        let cents = booking.price();
        for ticket in &mut booking.tickets {
            ticket.status = "refunded";
        }
        if booking.status == "paid" {
            booking.status = "refunded";
            if cents > 0 {
                booking.payments.push(Payment {
                    kind: "refund",
                    method,
                    cents,
                    on: day,
                });
            }
        }
        // The seat can be sold again.
        if random.chance(4, 5) {
            for ticket in &booking.tickets {
                free.taken.retain(|seat| Some(*seat) != ticket.seat);
            }
        }
        return;
    }
    let count = booking.tickets.len();
    if !full && count > 1 && booking.status == "paid" && random.chance(1, 25) {
        let ticket = &mut booking.tickets[count - 1];
        if ticket.cents > 0 && random.chance(2, 3) {
            ticket.status = "refunded";
            let cents = ticket.cents;
            booking.payments.push(Payment {
                kind: "refund",
                method,
                cents,
                on: day,
            });
        } else if ticket.cents == 0 {
            ticket.status = "void";
        }
        if ticket.status != "sold" {
            free.taken.retain(|seat| Some(*seat) != ticket.seat);
        }
    }
}

/// Name of a seat, such as `C7`.
pub fn name((row, number): Seat) -> String {
    format!("{}{number}", char::from(b'A' + row as u8))
}

impl Sales {
    /// Writes the tables and returns the id of the last payment.
    pub fn write(&self, world: &mut World, shows: &[Show]) -> usize {
        let mut bookings = Rows::new(
            "bookings",
            "id,reference,screening_id,customer_id,booked_at,channel,status",
        );
        let mut tickets = Rows::new(
            "tickets",
            "id,booking_id,screening_id,seat,ticket_type,price,status",
        );
        let mut payments: Vec<(Date, usize, &Payment)> = Vec::new();
        let mut ids = BTreeMap::new();
        let mut ticket_id = 0;
        for (at, booking) in self.bookings.iter().enumerate() {
            let id = at + 1;
            ids.insert(booking.reference.as_str(), id);
            bookings.add([
                id.into(),
                (&booking.reference).into(),
                (booking.show + 1).into(),
                booking.customer.into(),
                booking.at.into(),
                booking.channel.into(),
                booking.status.into(),
            ]);
            for ticket in &booking.tickets {
                ticket_id += 1;
                tickets.add([
                    ticket_id.into(),
                    id.into(),
                    (booking.show + 1).into(),
                    ticket.seat.map(name).into(),
                    TICKET_TYPES[ticket.kind].0.into(),
                    amount(ticket.cents),
                    ticket.status.into(),
                ]);
            }
            payments.extend(
                booking
                    .payments
                    .iter()
                    .map(|payment| (payment.on, id, payment)),
            );
        }
        assert!(
            shows.len() > 1000 && ticket_id > 10_000,
            "the world is large enough"
        );
        bookings.write(world);
        tickets.write(world);
        payments.sort_by_key(|(on, booking, _)| (*on, *booking));
        let mut table = Rows::new("payments", "id,booking_id,kind,method,amount,paid_on");
        for (at, (_, booking, payment)) in payments.iter().enumerate() {
            table.add([
                (at + 1).into(),
                (*booking).into(),
                payment.kind.into(),
                payment.method.into(),
                amount(payment.cents),
                payment.on.into(),
            ]);
        }
        table.write(world);
        let mut vouchers = Rows::new(
            "vouchers",
            "code,customer_id,value,issued_on,expires_on,spent_on",
        );
        for voucher in &self.vouchers {
            let spent = voucher.spent.as_deref().map(|reference| ids[reference]);
            vouchers.add([
                (&voucher.code).into(),
                voucher.customer.into(),
                amount(voucher.cents),
                voucher.issued.into(),
                voucher.expires.into(),
                spent.into(),
            ]);
        }
        vouchers.write(world);
        payments.len()
    }
}

/// Thursday of the playing week to which a show belongs.
fn week_ending(starts: DateTime) -> Date {
    let evening = (starts - 6.hours()).date();
    if evening.weekday() == Weekday::Thursday {
        evening
    } else {
        evening
            .nth_weekday(1, Weekday::Thursday)
            .expect("a date of this century")
    }
}

/// Writes the returns until [`SENT`], by the rules in the comment of the table.
pub fn write_returns(world: &mut World, sales: &Sales, shows: &[Show]) {
    let mut sums: BTreeMap<(Date, &str, usize), (usize, u32)> = BTreeMap::new();
    for booking in &sales.bookings {
        let show = &shows[booking.show];
        let week = week_ending(show.starts);
        if week > SENT || show.status == "cancelled" {
            continue;
        }
        for ticket in &booking.tickets {
            if ticket.status == "sold" && TICKET_TYPES[ticket.kind].3 {
                let sum = sums
                    .entry((week, show.cinema(), show.film + 1))
                    .or_default();
                sum.0 += 1;
                sum.1 += ticket.cents;
            }
        }
    }
    let mut table = Rows::new(
        "weekly_returns",
        "week_ending,cinema_code,film_id,admissions,gross",
    );
    for ((week, cinema, film), (admissions, gross)) in sums {
        table.add([
            week.into(),
            cinema.into(),
            film.into(),
            admissions.into(),
            amount(gross),
        ]);
    }
    table.write(world);
}
