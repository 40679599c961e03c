//! A function that pays a run out, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// A tenth is kept back, as the handbook says.
    ATenth,
    /// A fifth is kept back from people who leave, too.
    LeaversAsOthers,
    /// From people who leave all is kept back.
    BelowTheLimit,
    /// Only people who have left until today are people who leave.
    LeftUntilToday,
    /// Fifths are rounded to the nearest penny.
    RoundsHalfUp,
    /// Each advance takes a fifth.
    AFifthEach,
    /// The newest advance is kept back first.
    NewestFirst,
    /// What was kept back before is forgotten.
    ForgetsRepayments,
    /// Accounts about which nobody rang are paid to.
    UnverifiedAccounts,
    /// The oldest account is paid to.
    OldestAccount,
    /// Accounts of the past and the future are paid to.
    AnyDay,
    /// Nobody without an account gets a row.
    SkipsHeld,
    /// Nothing is kept back from payments that are held.
    HeldInFull,
    /// The function asks who it runs as, not who pressed the button.
    AsksTheOwner,
    /// Whoever prepared the run may pay it out.
    TwoAreEnough,
    /// Runs that nobody has approved are paid out.
    PaysPrepared,
    /// All clerks may execute it.
    ForClerks,
    /// Everybody may execute it.
    ForEverybody,
    /// It runs with the rights of who calls it.
    RunsAsCaller,
    /// A payslip that fails is left out.
    SkipsFailures,
    /// The run is not marked as paid.
    StaysApproved,
    /// Payments that are held are counted.
    CountsHeld,
    /// The runs are paid at once.
    PaysNow,
}

/// Way in which the function is made.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first, and three statements for all payslips.
    Plain,
    /// Notes first, and the rights before the comment.
    NotesFirst,
    /// Payslip by payslip.
    InALoop,
}

/// Makes the function.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    let sections = ["paying out", "advances", "bank accounts", "functions"];
    if manner == Manner::NotesFirst {
        office::notes(tools);
        office::handbook(tools, &sections);
    } else if manner == Manner::InALoop {
        run(tools, "SELECT * FROM handbook ORDER BY section");
        run(tools, "SELECT * FROM notes ORDER BY written_on");
    } else {
        office::handbook(tools, &sections);
        office::notes(tools);
    }
    for table in ["payments", "advance_repayments", "pay_runs"] {
        office::describe(tools, table);
    }
    run(
        tools,
        "SELECT p.amount, s.net, r.paid_on FROM payments p JOIN payslips s ON s.id = p.payslip_id
        JOIN pay_runs r ON r.id = s.run_id WHERE p.amount <> s.net ORDER BY p.id DESC LIMIT 10",
    );
    run(
        tools,
        "SELECT roleid::regrole, member::regrole FROM pg_auth_members",
    );
    let body = match manner {
        Manner::InALoop => LOOP.to_owned(),
        Manner::Plain | Manner::NotesFirst => body(mistake),
    };
    let security = if is(Mistake::RunsAsCaller) {
        ""
    } else {
        "SECURITY DEFINER"
    };
    run(
        tools,
        &format!(
            "CREATE FUNCTION pay_out(run_id integer) RETURNS integer LANGUAGE plpgsql {security}
            SET search_path = pg_catalog, public, pg_temp AS $body${body}$body$"
        ),
    );
    if manner == Manner::NotesFirst {
        rights(tools, mistake);
        comment(tools);
    } else {
        comment(tools);
        rights(tools, mistake);
    }
    if is(Mistake::PaysNow) {
        run(
            tools,
            "DO $$ BEGIN UPDATE pay_runs SET status = 'paid', paid_on = CURRENT_DATE WHERE status = 'approved'; END $$",
        );
    }
    run(
        tools,
        "SELECT proname, prosecdef, proacl FROM pg_proc WHERE proname = 'pay_out'",
    );
    "pay_out() is there, and nobody is paid yet.".to_owned()
}

fn comment(tools: &mut Tools) {
    run(
        tools,
        "COMMENT ON FUNCTION pay_out(integer) IS 'Pays a run out, for the button in the office app. Returns the number of payments that go to the bank.'",
    );
}

fn rights(tools: &mut Tools, mistake: Option<Mistake>) {
    if mistake != Some(Mistake::ForEverybody) {
        run(tools, "REVOKE ALL ON FUNCTION pay_out(integer) FROM PUBLIC");
    }
    let group = if mistake == Some(Mistake::ForClerks) {
        "clerks"
    } else {
        "cashiers"
    };
    run(
        tools,
        &format!("GRANT EXECUTE ON FUNCTION pay_out(integer) TO {group}"),
    );
}

fn body(mistake: Option<Mistake>) -> String {
    let is = |other| mistake == Some(other);
    let or =
        |other, wrong: &'static str, right: &'static str| if is(other) { wrong } else { right };
    let who = or(Mistake::AsksTheOwner, "current_user", "session_user");
    let others = match mistake {
        Some(Mistake::TwoAreEnough) => format!("{who} = r.approved_by"),
        _ => format!("{who} IN (r.prepared_by, r.approved_by)"),
    };
    let status = or(
        Mistake::PaysPrepared,
        "r.status NOT IN ('prepared', 'approved')",
        "r.status <> 'approved'",
    );
    let share = match mistake {
        Some(Mistake::ATenth) => "trunc(s.net / 10, 2)",
        Some(Mistake::RoundsHalfUp) => "round(s.net / 5, 2)",
        _ => "trunc(s.net / 5, 2)",
    };
    let leaves = match mistake {
        Some(Mistake::LeaversAsOthers) => "false",
        Some(Mistake::LeftUntilToday) => "e.left_on <= CURRENT_DATE",
        _ => "e.left_on < r.month + interval '1 month'",
    };
    let rest = or(
        Mistake::BelowTheLimit,
        "s.net - 0.01",
        "greatest(s.net - 600, 0)",
    );
    let order = or(
        Mistake::NewestFirst,
        "o.paid_on DESC, o.id",
        "o.paid_on, o.id",
    );
    let before = or(
        Mistake::AFifthEach,
        "0",
        "sum(o.outstanding) OVER (PARTITION BY o.employee_id ORDER BY {order}) - o.outstanding",
    )
    .replace("{order}", order);
    let advances = or(
        Mistake::ForgetsRepayments,
        "(SELECT id, employee_id, paid_on, amount AS outstanding FROM advances)",
        "open_advances",
    );
    let verified = or(
        Mistake::UnverifiedAccounts,
        "",
        "AND b.verified_on IS NOT NULL",
    );
    let today = or(
        Mistake::AnyDay,
        "",
        "AND b.since <= CURRENT_DATE AND (b.until IS NULL OR b.until >= CURRENT_DATE)",
    );
    let newest = or(Mistake::OldestAccount, "b.since", "b.since DESC");
    let held = or(Mistake::SkipsHeld, "AND account.id IS NOT NULL", "");
    let kept = or(
        Mistake::HeldInFull,
        "CASE WHEN account.id IS NULL THEN 0 ELSE COALESCE(k.amount, 0) END",
        "COALESCE(k.amount, 0)",
    );
    let count = or(
        Mistake::CountsHeld,
        "count(*)",
        "count(*) FILTER (WHERE status = 'due')",
    );
    let paid = or(
        Mistake::StaysApproved,
        "",
        "UPDATE pay_runs SET status = 'paid', paid_on = CURRENT_DATE WHERE id = r.id;",
    );
    let payments = format!(
        "INSERT INTO payments (payslip_id, bank_account_id, amount, status, created_on)
        SELECT s.id, account.id, s.net - {kept}, CASE WHEN account.id IS NULL THEN 'held' ELSE 'due' END, CURRENT_DATE
        FROM payslips s
        LEFT JOIN (SELECT payslip_id, sum(amount) AS amount FROM advance_repayments GROUP BY 1) k ON k.payslip_id = s.id
        LEFT JOIN LATERAL (
            SELECT b.id FROM bank_accounts b WHERE b.employee_id = s.employee_id {verified} {today}
            ORDER BY {newest} LIMIT 1
        ) account ON true
        WHERE s.run_id = r.id AND s.net > 0 {held}"
    );
    let payments = match mistake {
        Some(Mistake::SkipsFailures) => format!(
            "FOR one IN SELECT id FROM payslips WHERE payslips.run_id = r.id LOOP
                BEGIN {payments} AND s.id = one; EXCEPTION WHEN others THEN NULL; END;
            END LOOP;"
        ),
        _ => format!("{payments};"),
    };
    format!(
        "
        DECLARE
            r pay_runs%ROWTYPE;
            one integer;
            number integer;
        BEGIN
            SELECT * INTO r FROM pay_runs WHERE id = run_id FOR UPDATE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'there is no run %', run_id;
            END IF;
            IF {status} THEN
                RAISE EXCEPTION 'run % is %, and only approved runs are paid out', run_id, r.status;
            END IF;
            IF {others} THEN
                RAISE EXCEPTION 'you have prepared or approved run %, so somebody else has to pay it out', run_id;
            END IF;
            INSERT INTO advance_repayments (advance_id, payslip_id, amount)
            SELECT x.advance, x.payslip, least(x.outstanding, x.most - x.before)
            FROM (
                SELECT o.id AS advance, s.id AS payslip, o.outstanding, {before} AS before,
                    CASE WHEN {leaves} THEN {rest} ELSE {share} END AS most
                FROM payslips s JOIN employees e ON e.id = s.employee_id JOIN {advances} o ON o.employee_id = s.employee_id
                WHERE s.run_id = r.id AND s.net > 0
            ) x
            WHERE x.most > x.before;
            {payments}
            {paid}
            SELECT {count} INTO number FROM payments p JOIN payslips s ON s.id = p.payslip_id WHERE s.run_id = r.id;
            RETURN number;
        END "
    )
}

/// Body that goes from payslip to payslip, and from advance to advance.
const LOOP: &str = "
    DECLARE
        r record;
        slip record;
        debt record;
        rest numeric;
        kept numeric;
        account integer;
        number integer := 0;
    BEGIN
        UPDATE pay_runs SET status = 'paid', paid_on = CURRENT_DATE
        WHERE id = run_id AND status = 'approved' AND session_user NOT IN (prepared_by, approved_by)
        RETURNING * INTO r;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'run % is not approved, or you had a hand in it already', run_id;
        END IF;
        FOR slip IN SELECT s.*, e.left_on FROM payslips s JOIN employees e ON e.id = s.employee_id
            WHERE s.run_id = r.id AND s.net > 0 ORDER BY s.id
        LOOP
            rest := floor(slip.net * 20) / 100;
            IF slip.left_on <= (r.month + interval '1 month')::date - 1 THEN
                rest := greatest(0, slip.net - 600.00);
            END IF;
            kept := 0;
            FOR debt IN SELECT * FROM open_advances o WHERE o.employee_id = slip.employee_id ORDER BY o.paid_on LOOP
                EXIT WHEN rest = 0;
                INSERT INTO advance_repayments (advance_id, payslip_id, amount)
                VALUES (debt.id, slip.id, least(rest, debt.outstanding));
                kept := kept + least(rest, debt.outstanding);
                rest := rest - least(rest, debt.outstanding);
            END LOOP;
            SELECT b.id INTO account FROM bank_accounts b
            WHERE b.employee_id = slip.employee_id AND b.verified_on <= CURRENT_DATE
                AND CURRENT_DATE BETWEEN b.since AND COALESCE(b.until, 'infinity')
            ORDER BY b.since DESC LIMIT 1;
            IF account IS NULL THEN
                INSERT INTO payments (payslip_id, amount, status, created_on)
                VALUES (slip.id, slip.net - kept, 'held', CURRENT_DATE);
            ELSE
                INSERT INTO payments (payslip_id, bank_account_id, amount, status, created_on)
                VALUES (slip.id, account, slip.net - kept, 'due', CURRENT_DATE);
                number := number + 1;
            END IF;
        END LOOP;
        RETURN number;
    END ";
