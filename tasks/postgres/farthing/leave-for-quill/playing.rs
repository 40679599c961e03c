//! The leave of the people of Quill Bakery, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// A month that is only begun gives a twelfth, too.
    BegunMonths,
    /// Rounded to the nearest half day.
    RoundsHalfUp,
    /// The contract of today decides about the whole year.
    LatestContract,
    /// Public holidays are days of leave.
    CountsPublic,
    /// All days from Monday to Friday count, whatever the pattern.
    MondayToFriday,
    /// Days that were entered twice are taken twice.
    CountsTwice,
    /// Leave that was taken back counts.
    CountsWithdrawn,
    /// Sick days without a certificate come back, too.
    WithoutCertificate,
    /// Sick days do not come back.
    KeepsSickDays,
    /// Half days are whole ones.
    WholeDays,
    /// Leave that begins by the day counts to its end.
    WithJune,
    /// People who are gone or still to come have a row.
    Everybody,
    /// March is counted again.
    RenewsMarch,
    /// Entitlement until the day only.
    UntilTheDay,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Table first, and one statement for all.
    Plain,
    /// Handbook first.
    HandbookFirst,
    /// One statement for each person.
    OneByOne,
}

/// Adds the rows of the end of May.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::Plain {
        office::describe(tools, "leave_balances");
        office::handbook(tools, &["leave"]);
    } else {
        office::handbook(tools, &["leave"]);
        run(tools, "SELECT obj_description('leave_balances'::regclass)");
    }
    run(
        tools,
        "SELECT e.id, e.full_name, e.started_on, e.left_on, b.entitled, b.taken FROM employees e
        LEFT JOIN leave_balances b ON b.employee_id = e.id WHERE e.client = 'QUI' ORDER BY e.id",
    );
    run(
        tools,
        "SELECT c.* FROM contracts c JOIN employees e ON e.id = c.employee_id WHERE e.client = 'QUI'",
    );
    run(
        tools,
        "SELECT a.* FROM absences a JOIN employees e ON e.id = a.employee_id WHERE e.client = 'QUI' AND a.to_day >= '2026-01-01'",
    );
    match manner {
        Manner::OneByOne => {
            let ids = run(
                tools,
                "SELECT string_agg(id::text, ' ') AS ids FROM employees WHERE client = 'QUI'",
            );
            for id in ids.split(|char: char| !char.is_ascii_digit()) {
                if !id.is_empty() {
                    insert(tools, mistake, "2026-05-31", &format!("AND e.id = {id}"));
                }
            }
        }
        Manner::Plain | Manner::HandbookFirst => insert(tools, mistake, "2026-05-31", ""),
    }
    if mistake == Some(Mistake::RenewsMarch) {
        run(
            tools,
            "DELETE FROM leave_balances b USING employees e WHERE e.id = b.employee_id AND e.client = 'QUI' AND b.as_of = '2026-03-31'",
        );
        insert(tools, None, "2026-03-31", "");
    }
    run(
        tools,
        "SELECT * FROM leave_balances WHERE as_of = '2026-05-31'",
    );
    "The leave of Quill Bakery is in leave_balances.".to_owned()
}

fn insert(tools: &mut Tools, mistake: Option<Mistake>, as_of: &str, only: &str) {
    let is = |other| mistake == Some(other);
    let or =
        |other, wrong: &'static str, right: &'static str| if is(other) { wrong } else { right };
    let whole = or(
        Mistake::BegunMonths,
        "e.started_on <= m + interval '1 month' - interval '1 day' AND (e.left_on IS NULL OR e.left_on >= m)",
        "e.started_on <= m AND (e.left_on IS NULL OR e.left_on >= m + interval '1 month' - interval '1 day')",
    );
    let months = or(Mistake::UntilTheDay, "'2026-05-01'", "'2026-12-01'");
    let round = or(Mistake::RoundsHalfUp, "round", "ceil");
    let of_month = or(
        Mistake::LatestContract,
        "c.id = (SELECT max(id) FROM contracts x WHERE x.employee_id = e.id)",
        "m BETWEEN c.since AND COALESCE(c.until, 'infinity')",
    );
    let public = or(
        Mistake::CountsPublic,
        "true",
        "NOT EXISTS (SELECT FROM public_holidays p WHERE p.day = d)",
    );
    let works = or(
        Mistake::MondayToFriday,
        "extract(isodow FROM d) < 6",
        "substr(c.pattern, extract(isodow FROM d)::integer, 1) <> '-'",
    );
    let withdrawn = or(Mistake::CountsWithdrawn, "true", "a.withdrawn_on IS NULL");
    let sick = match mistake {
        Some(Mistake::KeepsSickDays) => "false",
        Some(Mistake::WithoutCertificate) => "s.kind = 'sick'",
        _ => "s.kind = 'sick' AND s.certificate",
    };
    let half = or(Mistake::WholeDays, "false", "a.half");
    let (group, sum) = match mistake {
        Some(Mistake::CountsTwice) => ("a.id, d", "max"),
        _ => ("d", "max"),
    };
    let last = match mistake {
        Some(Mistake::WithJune) => "'2026-06-30'".to_owned(),
        _ => format!("'{as_of}'"),
    };
    let there = match mistake {
        Some(Mistake::Everybody) => "true".to_owned(),
        _ => format!("'{as_of}' BETWEEN e.started_on AND COALESCE(e.left_on, 'infinity')"),
    };
    let begins = match mistake {
        Some(Mistake::WithJune) => format!("AND a.from_day <= '{as_of}'"),
        _ => String::new(),
    };
    let sql = format!(
        "INSERT INTO leave_balances
        SELECT '{as_of}', e.id, y.entitled, t.taken, y.entitled - t.taken
        FROM employees e
        CROSS JOIN LATERAL (
            SELECT {round}(COALESCE(sum(c.annual_leave), 0) / 12 * 2) / 2 AS entitled
            FROM generate_series(timestamp '2026-01-01', timestamp {months}, interval '1 month') AS m
            JOIN contracts c ON c.employee_id = e.id AND {of_month}
            WHERE {whole}
        ) y
        CROSS JOIN LATERAL (
            SELECT COALESCE(sum(days), 0) AS taken FROM (
                SELECT {sum}(CASE WHEN {half} THEN 0.5 ELSE 1 END) AS days
                FROM absences a
                CROSS JOIN generate_series(greatest(a.from_day, '2026-01-01'), least(a.to_day, {last}), interval '1 day') AS d
                JOIN contracts c ON c.employee_id = e.id AND d BETWEEN c.since AND COALESCE(c.until, 'infinity')
                WHERE a.employee_id = e.id AND a.kind = 'holiday' AND {withdrawn} AND {works} AND {public} {begins}
                    AND NOT EXISTS (SELECT FROM absences s WHERE s.employee_id = e.id AND {sick}
                        AND s.withdrawn_on IS NULL AND d BETWEEN s.from_day AND s.to_day)
                GROUP BY {group}
            ) x
        ) t
        WHERE e.client = 'QUI' AND {there} {only}"
    );
    run(tools, &sql);
}
