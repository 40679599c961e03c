//! The evening of the power cut at Canal Yard: bookings of each kind that the handbook tells apart.

use mcpmark_guest::jiff::civil::Date;

use crate::programme::{DARK, Show};
use crate::sales::{Payment, Sales, Voucher};

/// Turns some bookings of the cancelled shows into ones that were paid with a voucher, in cash, on account, or that got a
/// part of the money back before.
pub fn fill(sales: &mut Sales, shows: &[Show]) {
    let of_evening: Vec<usize> = (0..sales.bookings.len())
        .filter(|at| {
            let show = &shows[sales.bookings[*at].show];
            let booking = &sales.bookings[*at];
            show.cinema() == "CAN"
                && show.starts >= DARK.at(20, 0, 0, 0)
                && show.starts
                    <= DARK
                        .tomorrow()
                        .expect("a date of this century")
                        .at(1, 0, 0, 0)
                && booking.status == "paid"
                && booking.price() >= 1500
                && booking.tickets.iter().all(|ticket| ticket.status == "sold")
        })
        .collect();
    let kinds = [
        "voucher",
        "part",
        "cash",
        "whole voucher",
        "invoice",
        "door",
        "part",
        "voucher",
        "cash",
        "door",
    ];
    for (number, (at, kind)) in of_evening.iter().step_by(2).zip(kinds).enumerate() {
        let booking = &mut sales.bookings[*at];
        let price = booking.price();
        let on = booking.at.date();
        let pay = |kind, method, cents, on| Payment {
            kind,
            method,
            cents,
            on,
        };
        match kind {
            "voucher" | "whole voucher" => {
                let cents = if kind == "voucher" { 1000 } else { price };
                booking.payments = vec![pay("charge", "voucher", cents, on)];
                if price > cents {
                    booking
                        .payments
                        .push(pay("charge", "card", price - cents, on));
                }
                let issued = on
                    .checked_sub(mcpmark_guest::jiff::Span::new().days(40))
                    .expect("a date of this century");
                let code = format!("V-{}", 100_310 + 17 * number);
                // The whole voucher was worth more than the tickets, and the rest is forfeited.
                let worth = if kind == "voucher" {
                    cents
                } else {
                    cents.div_ceil(500) * 500
                };
                sales
                    .vouchers
                    .retain(|voucher| voucher.spent.as_ref() != Some(&booking.reference));
                sales.vouchers.push(Voucher {
                    code,
                    customer: booking.customer,
                    cents: worth,
                    issued,
                    expires: year_later(issued),
                    spent: Some(booking.reference.clone()),
                });
            }
            "part" => {
                booking.payments = vec![pay("charge", "card", price, on)];
                let last = booking.tickets.last_mut().expect("a booking has tickets");
                last.status = "refunded";
                let cents = last.cents;
                if cents > 0 {
                    booking.payments.push(pay("refund", "card", cents, on));
                }
            }
            "door" => {
                let sunday = DARK.tomorrow().expect("a date of this century");
                booking.status = "refunded";
                booking
                    .tickets
                    .iter_mut()
                    .for_each(|ticket| ticket.status = "refunded");
                booking.payments = vec![
                    pay("charge", "card", price, on),
                    pay("refund", "card", price, sunday),
                ];
            }
            "cash" => {
                booking.channel = "till";
                booking.payments = vec![pay("charge", "cash", price, on)];
            }
            _ => {
                booking.channel = "phone";
                booking.status = "invoiced";
                booking.payments.clear();
            }
        }
    }
    sales.vouchers.sort_by(|a, b| a.code.cmp(&b.code));
}

fn year_later(date: Date) -> Date {
    date.checked_add(mcpmark_guest::jiff::Span::new().years(1))
        .expect("a date of this century")
}
