//! Seats that the web shop sold twice.

use std::collections::BTreeSet;

use crate::house::SCREENS;
use crate::programme::{CELLAR, FULL, Show};
use crate::sales::{Sales, Seat};

/// Number of seats that are sold twice in shows to come, apart from the full one, and in shows that have been.
const UPCOMING: usize = 8;
const PLAYED: usize = 7;

/// Gives tickets of later bookings the seats of earlier ones.
pub fn sell_twice(sales: &mut Sales, shows: &[Show]) {
    let mut left = [UPCOMING, PLAYED];
    let mut done = BTreeSet::new();
    // In the full show, three neighbours in a row without a free seat, and a seat of the last row but one.
    let full: Vec<usize> = (0..sales.bookings.len())
        .filter(|at| {
            shows[sales.bookings[*at].show].starts == FULL
                && shows[sales.bookings[*at].show].screen == CELLAR
        })
        .collect();
    for (later, earlier) in full.iter().rev().take(3).zip(full.iter()) {
        take_over(sales, *earlier, *later);
    }
    done.extend(full.iter().map(|at| sales.bookings[*at].show));
    for at in (0..sales.bookings.len()).rev() {
        let booking = &sales.bookings[at];
        let show = &shows[booking.show];
        let which = usize::from(!show.is_upcoming());
        if left[which] == 0
            || booking.channel != "web"
            || show.status == "cancelled"
            || done.contains(&booking.show)
        {
            continue;
        }
        if which == 1 && show.starts.date().day() % 3 != 0 {
            continue;
        }
        let earlier = sales.bookings[..at].iter().position(|other| {
            other.show == booking.show && is_sold(other) && other.status == "paid"
        });
        if let Some(earlier) = earlier.filter(|_| is_sold(booking)) {
            done.insert(booking.show);
            left[which] -= 1;
            take_over(sales, earlier, at);
        }
    }
    near_the_spaces(sales, shows, &done);
}

fn is_sold(booking: &crate::sales::Booking) -> bool {
    booking.tickets.iter().all(|ticket| ticket.status == "sold")
}

/// Seats the later booking from the first seat of the earlier one, as far as both have tickets.
fn take_over(sales: &mut Sales, earlier: usize, later: usize) {
    let seats: Vec<Option<Seat>> = sales.bookings[earlier]
        .tickets
        .iter()
        .map(|ticket| ticket.seat)
        .collect();
    for (ticket, seat) in sales.bookings[later].tickets.iter_mut().zip(seats).take(2) {
        ticket.seat = seat;
    }
}

/// Sells A3 of a show to come twice, with A4 taken and A5 free.
fn near_the_spaces(sales: &mut Sales, shows: &[Show], done: &BTreeSet<usize>) {
    for at in (0..sales.bookings.len()).rev() {
        let show = sales.bookings[at].show;
        let of_show: Vec<usize> = (0..sales.bookings.len())
            .filter(|other| sales.bookings[*other].show == show)
            .collect();
        let usable = shows[show].is_upcoming()
            && shows[show].status == "scheduled"
            && !done.contains(&show)
            && of_show.len() >= 2
            && of_show.iter().all(|other| is_sold(&sales.bookings[*other]))
            && SCREENS[shows[show].screen].seats >= 8;
        let Some((last, first)) = of_show.last().zip(of_show.first()).filter(|_| usable) else {
            continue;
        };
        if sales.bookings[*first].tickets.len() != 2
            || of_show.iter().any(|other| {
                sales.bookings[*other]
                    .tickets
                    .iter()
                    .any(|ticket| ticket.seat.is_some_and(|seat| seat.0 == 0))
            })
        {
            continue;
        }
        for (ticket, number) in sales.bookings[*first].tickets.iter_mut().zip([3, 4]) {
            ticket.seat = Some((0, number));
        }
        sales.bookings[*last].tickets[0].seat = Some((0, 3));
        return;
    }
}
