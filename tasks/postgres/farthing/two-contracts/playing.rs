//! Contracts put in order with a few statements, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::{run, run_all};

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The contract with the higher number of two equal ones stays.
    KeepsTheSecond,
    /// The one that was signed first holds.
    FirstSignedHolds,
    /// The one with the higher number holds, whenever it was signed.
    NumbersDecide,
    /// The old contract ends on the day on which the new one begins.
    EndsOnTheDay,
    /// An old contract that had ended earlier is prolonged.
    ClosesGaps,
    /// A contract that was called off ends the one before.
    CalledOffEnds,
    /// Contracts that were called off are deleted.
    DeletesCalledOff,
    /// Nothing goes on after a temporary contract.
    NothingGoesOn,
    /// What goes on has no end, whatever the old contract had.
    GoesOnForEver,
    /// What goes on is signed today by the office.
    SignsAgain,
    /// Payslips name the contract that holds on the first of their month.
    RenewsPayslips,
    /// A trigger that does not see what others are about to write.
    WithoutLock,
    /// A check refuses contracts that were called off.
    RefusesCalledOff,
    /// The old contract is ended by a trigger, and nothing is refused.
    EndsByTrigger,
    /// Nothing refuses a second contract.
    OrderOnly,
    /// No line in the log.
    ForgetsTheLog,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first; doubles, what goes on, ends, then a constraint.
    Plain,
    /// Notes first, and ends before doubles.
    NotesFirst,
    /// A trigger that locks the person.
    ByTrigger,
    /// The constraint leaves out contracts that were called off.
    WithCondition,
}

/// Puts the contracts in order.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    if manner == Manner::NotesFirst {
        office::notes(tools);
        office::handbook(tools, &["definitions", "contracts"]);
    } else if manner == Manner::Plain {
        office::handbook(tools, &["contracts", "definitions"]);
        run(
            tools,
            "SELECT * FROM notes WHERE body ILIKE '%contract%' ORDER BY id",
        );
    } else {
        run(tools, "SELECT * FROM handbook ORDER BY section");
        run(tools, "SELECT * FROM notes ORDER BY written_on");
    }
    office::describe(tools, "contracts");
    run(tools, DOUBLES);
    run(
        tools,
        "SELECT * FROM contracts WHERE temporary OR until < since",
    );
    if manner == Manner::NotesFirst {
        goes_on(tools, mistake);
        doubles(tools, mistake);
    } else {
        doubles(tools, mistake);
        goes_on(tools, mistake);
    }
    ends(tools, mistake);
    if is(Mistake::DeletesCalledOff) {
        run(tools, "DELETE FROM contracts WHERE until < since");
    }
    if is(Mistake::RenewsPayslips) {
        run(
            tools,
            "UPDATE payslips p SET contract_id = c.id FROM pay_runs r, contracts c
            WHERE r.id = p.run_id AND c.employee_id = p.employee_id
                AND r.month BETWEEN c.since AND COALESCE(c.until, 'infinity')",
        );
    }
    guard(tools, mistake, manner);
    if !is(Mistake::ForgetsTheLog) {
        run(
            tools,
            "INSERT INTO schema_log VALUES ('2026-06-22', 'contracts', 'A person has one contract at a time, because the app found the wrong one.')",
        );
    }
    run(tools, DOUBLES);
    "Each person has one contract at a time.".to_owned()
}

const DOUBLES: &str = "SELECT a.id, b.id AS other FROM contracts a JOIN contracts b ON b.employee_id = a.employee_id AND b.id > a.id
    WHERE a.since <= COALESCE(b.until, 'infinity') AND b.since <= COALESCE(a.until, 'infinity')
        AND (a.until IS NULL OR a.until >= a.since) AND (b.until IS NULL OR b.until >= b.since)";

/// Condition on contracts that were not called off.
const REAL: &str = "(until IS NULL OR until >= since)";

fn doubles(tools: &mut Tools, mistake: Option<Mistake>) {
    let order = match mistake {
        Some(Mistake::KeepsTheSecond) => "signed_on DESC, id DESC",
        Some(Mistake::FirstSignedHolds) => "signed_on, id",
        Some(Mistake::NumbersDecide) => {
            "CASE WHEN (SELECT count(DISTINCT x.signed_on) FROM contracts x WHERE x.employee_id = contracts.employee_id AND x.since = contracts.since) > 1 THEN -id ELSE id END"
        }
        _ => "signed_on DESC, id",
    };
    let twins = format!(
        "SELECT id, first_value(id) OVER (PARTITION BY employee_id, since ORDER BY {order}) AS holds FROM contracts WHERE {REAL}"
    );
    run_all(
        tools,
        &[
            &format!("CREATE TABLE twins AS SELECT * FROM ({twins}) x WHERE id <> holds"),
            "UPDATE payslips p SET contract_id = t.holds FROM twins t WHERE t.id = p.contract_id",
            "DELETE FROM contracts c USING twins t WHERE t.id = c.id",
            "DROP TABLE twins",
        ],
    );
}

fn goes_on(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    if is(Mistake::NothingGoesOn) {
        return;
    }
    let until = if is(Mistake::GoesOnForEver) {
        "NULL"
    } else {
        "a.until"
    };
    let signed = if is(Mistake::SignsAgain) {
        "date '2026-06-22', 'office'"
    } else {
        "a.signed_on, a.source"
    };
    run(
        tools,
        &format!(
            "INSERT INTO contracts (employee_id, since, until, temporary, pattern, pay_kind, pay, annual_leave, signed_on, source)
            SELECT a.employee_id, t.until + 1, {until}, false, a.pattern, a.pay_kind, a.pay, a.annual_leave, {signed}
            FROM contracts t JOIN contracts a ON a.employee_id = t.employee_id AND NOT a.temporary
                AND a.since < t.since AND (a.until IS NULL OR a.until > t.until)
            WHERE t.temporary"
        ),
    );
}

fn ends(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let real = if is(Mistake::CalledOffEnds) {
        "true"
    } else {
        REAL
    };
    let last = if is(Mistake::EndsOnTheDay) {
        "next"
    } else {
        "next - 1"
    };
    let earlier = if is(Mistake::ClosesGaps) {
        "true"
    } else {
        "(c.until IS NULL OR c.until >= n.next)"
    };
    run(
        tools,
        &format!(
            "UPDATE contracts c SET until = n.{last} FROM (
                SELECT id, lead(since) OVER (PARTITION BY employee_id ORDER BY since) AS next FROM contracts WHERE {real}
            ) n WHERE n.id = c.id AND n.next IS NOT NULL AND {earlier}"
        ),
    );
}

const EXCLUSION: &str =
    "ALTER TABLE contracts ADD CONSTRAINT one_contract_at_a_time EXCLUDE USING gist
    (int4range(employee_id, employee_id, '[]') WITH &&, daterange(since, until + 1) WITH &&)";

fn guard(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) {
    match (mistake, manner) {
        (Some(Mistake::OrderOnly), _) => {}
        (Some(Mistake::EndsOnTheDay), _) => {
            run(
                tools,
                "ALTER TABLE contracts ADD CONSTRAINT one_contract_at_a_time EXCLUDE USING gist
                (int4range(employee_id, employee_id, '[]') WITH &&, daterange(since, CASE WHEN until IS NOT NULL THEN greatest(since, until) END) WITH &&)",
            );
        }
        (Some(Mistake::RefusesCalledOff), _) => run_all(
            tools,
            &[
                EXCLUSION,
                "ALTER TABLE contracts ADD CHECK (until >= since) NOT VALID",
            ],
        ),
        (Some(Mistake::EndsByTrigger), _) => run_all(
            tools,
            &[
                "CREATE FUNCTION end_contract() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
                BEGIN
                    UPDATE contracts SET until = NEW.since - 1
                    WHERE employee_id = NEW.employee_id AND since < NEW.since AND (until IS NULL OR until >= NEW.since);
                    RETURN NEW;
                END $$",
                "CREATE TRIGGER end_contract BEFORE INSERT ON contracts FOR EACH ROW EXECUTE FUNCTION end_contract()",
            ],
        ),
        (Some(Mistake::WithoutLock), _) => by_trigger(tools, ""),
        (_, Manner::ByTrigger) => by_trigger(
            tools,
            "PERFORM FROM employees WHERE id = NEW.employee_id FOR UPDATE;",
        ),
        (_, Manner::WithCondition) => {
            run(
                tools,
                "ALTER TABLE contracts ADD CONSTRAINT contracts_once EXCLUDE USING gist
                (daterange(since, until, '[]') WITH &&, int4range(employee_id, employee_id, '[]') WITH &&)
                WHERE (until IS NULL OR until >= since)",
            );
        }
        _ => {
            run(tools, EXCLUSION);
        }
    }
}

fn by_trigger(tools: &mut Tools, lock: &str) {
    run(
        tools,
        &format!(
            "CREATE FUNCTION one_contract() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
            BEGIN
                {lock}
                IF EXISTS (SELECT FROM contracts c WHERE c.employee_id = NEW.employee_id AND c.id <> NEW.id
                    AND daterange(c.since, c.until + 1) && daterange(NEW.since, NEW.until + 1)) THEN
                    RAISE EXCEPTION 'person % has a contract for these days', NEW.employee_id;
                END IF;
                RETURN NEW;
            END $$"
        ),
    );
    run(
        tools,
        "CREATE TRIGGER one_contract BEFORE INSERT OR UPDATE ON contracts FOR EACH ROW EXECUTE FUNCTION one_contract()",
    );
}
