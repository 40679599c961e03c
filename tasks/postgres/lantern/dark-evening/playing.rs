//! Refunds by SQL, right or with one mistake. The shows were chosen by reading the running times.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Shows that had begun were played.
    OnlyLaterShows,
    /// All shows of the evening are cancelled.
    WholeEvening,
    /// The show after midnight belongs to the next day.
    ForgetsMidnight,
    /// Cash is entered as paid back.
    EntersCash,
    /// The whole payment goes back, although a part has gone back already.
    PaysTwice,
    /// Vouchers are paid out to cards.
    PaysVouchersOut,
    /// Vouchers get what the old one was worth.
    WholeVoucher,
    /// Vouchers are valid for one year.
    OneYear,
    /// Groups on account are left alone.
    ForgetsInvoices,
    /// Bookings and tickets stay as they are.
    OnlyMoney,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Shows, money, vouchers, bookings, tickets.
    Plain,
    /// Vouchers and money before the shows, tickets before bookings.
    MoneyFirst,
    /// One show after the other.
    ShowByShow,
}

/// Does what is owed.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    read(tools, manner);
    let is = |other| mistake == Some(other);
    let from = if is(Mistake::OnlyLaterShows) {
        "20:15"
    } else {
        "17:30"
    };
    let to = if is(Mistake::ForgetsMidnight) {
        "2026-03-07 23:59"
    } else {
        "2026-03-08 06:00"
    };
    // Of Quiet Engines, 18 of 128 minutes were missing; The Lamplighter's Daughter was over; of Nine Bridges, 55 of 165.
    let begun = if is(Mistake::WholeEvening) {
        "true"
    } else {
        "(s.starts_at >= '2026-03-07 19:00+00' OR f.title = 'Nine Bridges')"
    };
    let shows = format!(
        "SELECT s.id FROM screenings s JOIN screens a ON a.id = s.screen_id JOIN films f ON f.id = s.film_id
         WHERE a.cinema_code = 'CAN' AND s.starts_at BETWEEN '2026-03-07 {from}+00' AND '{to}+00' AND {begun}"
    );
    let cash = if is(Mistake::EntersCash) {
        "true"
    } else {
        "NOT EXISTS (SELECT FROM payments p WHERE p.booking_id = b.id AND p.method = 'cash')"
    };
    let mut left = vec!["b.status <> 'refunded'".to_owned(), cash.to_owned()];
    if is(Mistake::ForgetsInvoices) {
        left.push("b.status <> 'invoiced'".to_owned());
    }
    let conditions = left.join(" AND ");
    run(tools, &format!("CREATE TABLE dark AS {shows}"));
    run(
        tools,
        &format!(
            "CREATE TABLE due AS SELECT b.* FROM bookings b JOIN dark ON dark.id = b.screening_id WHERE {conditions}"
        ),
    );
    match manner {
        Manner::Plain => {
            run(
                tools,
                "UPDATE screenings SET status = 'cancelled' WHERE id IN (SELECT id FROM dark)",
            );
            money(tools, mistake);
            vouchers(tools, mistake);
            if !is(Mistake::OnlyMoney) {
                run(
                    tools,
                    "UPDATE bookings SET status = 'refunded' WHERE id IN (SELECT id FROM due)",
                );
                run(
                    tools,
                    "UPDATE tickets SET status = 'refunded' WHERE status = 'sold' AND booking_id IN (SELECT id FROM due)",
                );
            }
        }
        Manner::MoneyFirst => {
            vouchers(tools, mistake);
            money(tools, mistake);
            run(
                tools,
                "UPDATE tickets SET status = 'refunded' WHERE status = 'sold' AND booking_id IN (SELECT id FROM due)",
            );
            run(
                tools,
                "UPDATE bookings SET status = 'refunded' WHERE id IN (SELECT id FROM due)",
            );
            run(
                tools,
                "UPDATE screenings SET status = 'cancelled' WHERE id IN (SELECT id FROM dark)",
            );
        }
        Manner::ShowByShow => {
            money(tools, mistake);
            vouchers(tools, mistake);
            for screen in 8..=10 {
                let of_screen =
                    format!("IN (SELECT id FROM screenings WHERE screen_id = {screen})");
                run(
                    tools,
                    &format!(
                        "UPDATE screenings SET status = 'cancelled' WHERE id IN (SELECT id FROM dark) AND screen_id = {screen}"
                    ),
                );
                run(
                    tools,
                    &format!(
                        "UPDATE bookings SET status = 'refunded' WHERE id IN (SELECT id FROM due) AND screening_id {of_screen}"
                    ),
                );
                run(
                    tools,
                    &format!(
                        "UPDATE tickets SET status = 'refunded' WHERE status = 'sold' AND booking_id IN (SELECT id FROM due) AND screening_id {of_screen}"
                    ),
                );
            }
        }
    }
    run(tools, "DROP TABLE dark, due");
    "The shows are cancelled, and everybody gets what is owed.".to_owned()
}

fn read(tools: &mut Tools, manner: Manner) {
    let evening = "SELECT s.id, s.starts_at, a.name, f.title, f.running_time, s.status FROM screenings s JOIN screens a ON a.id = s.screen_id JOIN films f ON f.id = s.film_id WHERE a.cinema_code = 'CAN' AND s.starts_at::date BETWEEN '2026-03-07' AND '2026-03-08' ORDER BY 2, 3";
    match manner {
        Manner::Plain => {
            desk::notes(tools, Some("power cut"));
            desk::section(tools, "refunds");
            desk::section(tools, "late shows");
            desk::notes(tools, Some("vouchers"));
            desk::describe(tools, "payments");
            desk::describe(tools, "vouchers");
            run(tools, evening);
        }
        Manner::MoneyFirst => {
            desk::describe(tools, "vouchers");
            desk::describe(tools, "payments");
            desk::section(tools, "refunds");
            desk::section(tools, "late shows");
            desk::notes(tools, Some("vouchers"));
            desk::notes(tools, Some("power cut"));
            run(tools, evening);
        }
        Manner::ShowByShow => {
            desk::notes(tools, None);
            run(tools, "SELECT section, body FROM handbook ORDER BY section");
            run(tools, "SELECT * FROM screens WHERE cinema_code = 'CAN'");
            run(tools, evening);
        }
    }
}

fn money(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let sold = if is(Mistake::PaysTwice) {
        "true"
    } else {
        "t.status = 'sold'"
    };
    let voucher = if is(Mistake::PaysVouchersOut) {
        "0"
    } else {
        "coalesce((SELECT sum(p.amount) FROM payments p WHERE p.booking_id = due.id AND p.method = 'voucher'), 0)"
    };
    run(
        tools,
        &format!(
            "INSERT INTO payments (booking_id, kind, method, amount, paid_on)
             SELECT id, 'refund', 'card', amount, '2026-03-09' FROM (
                SELECT due.id, due.status, (SELECT sum(t.price) FROM tickets t WHERE t.booking_id = due.id AND {sold}) - {voucher} AS amount
                FROM due) x
             WHERE amount > 0 AND status = 'paid' ORDER BY id"
        ),
    );
}

fn vouchers(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    if is(Mistake::PaysVouchersOut) {
        return;
    }
    let value = if is(Mistake::WholeVoucher) {
        "v.value"
    } else {
        "p.amount"
    };
    let year = if is(Mistake::OneYear) { "2027" } else { "2028" };
    run(
        tools,
        &format!(
            "INSERT INTO vouchers (code, customer_id, value, issued_on, expires_on)
             SELECT v.code || '-R', v.customer_id, {value}, '2026-03-09', '{year}-03-09'
             FROM vouchers v JOIN due ON due.id = v.spent_on JOIN payments p ON p.booking_id = due.id AND p.method = 'voucher'"
        ),
    );
}
