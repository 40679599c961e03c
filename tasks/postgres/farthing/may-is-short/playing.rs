//! Three queries decided and answered, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules, or from what the tables say.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Hours that nobody has approved are paid.
    AllThreeDays,
    /// The newest rate holds for all days.
    OneRate,
    /// The sum of the letter is paid.
    BelievesTheLetter,
    /// The supplement of the handbook.
    HandbookHalf,
    /// The supplement that was asked for.
    ThreeQuarters,
    /// The hours of the letter.
    EightHours,
    /// The new rate is paid for May.
    PaysTheDifference,
    /// Nothing goes into the next run.
    ForgetsTheRun,
    /// The amounts go into the run of May.
    RunOfMay,
    /// Kinds are all the same.
    OneKind,
    /// Others at the client are paid as well.
    PaysOthers,
    /// A refused query has no amount.
    LeavesTheAmount,
    /// Somebody else decides.
    DecidedByAgnes,
    /// The letter says nothing about the third day.
    WithoutTheThirdDay,
    /// The letter names somebody else.
    NamesOthers,
    /// The letter has no hours and rates.
    WithoutFigures,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first, and the letters in the order of the queries.
    Plain,
    /// The last query first.
    IvetaFirst,
    /// Letters and amounts in one statement.
    InOneStatement,
    /// Letters that say more.
    LongerLetters,
}

/// Decision about a query: number, status, amount, kind, letter.
type Decision = (u32, &'static str, &'static str, &'static str, &'static str);

/// Answers the three queries.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    look(tools, manner);
    let mut all = vec![
        rosa(mistake, manner),
        tomas(mistake, manner),
        iveta(mistake, manner),
    ];
    if manner == Manner::IvetaFirst {
        all.reverse();
    }
    let by = if mistake == Some(Mistake::DecidedByAgnes) {
        "agnes"
    } else {
        "ceri"
    };
    if manner == Manner::InOneStatement {
        in_one_statement(tools, &all);
    } else {
        for decision in all {
            decide(tools, mistake, by, decision);
        }
    }
    if mistake == Some(Mistake::PaysOthers) {
        run(
            tools,
            "INSERT INTO adjustments (employee_id, run_id, kind, for_month, amount, entered_on, entered_by)
            SELECT id, 60, 'arrears', '2026-05-01', 207.90, '2026-06-22', 'ceri' FROM employees WHERE full_name = 'Marlon Pike'",
        );
    }
    run(tools, "SELECT * FROM queries WHERE id > 4 ORDER BY id");
    "The three letters are in queries.".to_owned()
}

/// People whose queries are open, as a subquery.
const PEOPLE: &str = "(SELECT employee_id FROM queries WHERE status = 'open')";

fn look(tools: &mut Tools, manner: Manner) {
    if manner == Manner::IvetaFirst {
        office::notes(tools);
        office::handbook(tools, &["hours", "queries"]);
    } else if manner == Manner::InOneStatement {
        run(tools, "SELECT * FROM handbook ORDER BY section");
        run(tools, "SELECT * FROM notes ORDER BY written_on");
    } else {
        office::handbook(tools, &["queries", "hours"]);
        office::notes(tools);
    }
    run(tools, "SELECT * FROM queries ORDER BY id");
    run(
        tools,
        &format!("SELECT * FROM contracts WHERE employee_id IN {PEOPLE}"),
    );
    run(
        tools,
        &format!(
            "SELECT * FROM timesheets WHERE employee_id IN {PEOPLE} AND day BETWEEN '2026-05-01' AND '2026-05-31' ORDER BY employee_id, day"
        ),
    );
    run(
        tools,
        &format!(
            "SELECT s.employee_id, l.* FROM payslips s JOIN payslip_lines l ON l.payslip_id = s.id JOIN pay_runs r ON r.id = s.run_id
            WHERE r.month = '2026-05-01' AND s.employee_id IN {PEOPLE}"
        ),
    );
    run(
        tools,
        "SELECT * FROM public_holidays WHERE day > '2026-01-01'",
    );
    run(tools, "SELECT * FROM adjustments");
    run(
        tools,
        "SELECT * FROM pay_runs WHERE client = 'BRI' AND status = 'open'",
    );
}

fn rosa(mistake: Option<Mistake>, manner: Manner) -> Decision {
    let (amount, letter) = match (mistake, manner) {
        (Some(Mistake::AllThreeDays), _) => (
            "281.30",
            "Dear Ms Adeyemi, these days came late: 14 May with 7.25 hours at 12.60, and 21 May with 6.50 and 28 May with 8.00 hours at 13.10. Together they are 281.30, which you get with the next run. Ceri Vaughan",
        ),
        (Some(Mistake::OneRate), _) => (
            "180.13",
            "Dear Ms Adeyemi, for 14 May you have 7.25 hours and for 21 May 6.50, at 13.10, which makes 180.13. The hours of 28 May have not been approved. Ceri Vaughan",
        ),
        (Some(Mistake::BelievesTheLetter), _) => (
            "314.40",
            "Dear Ms Adeyemi, you are right about 14, 21 and 28 May. You get 24 hours at 13.10, which is 314.40, with the next run. We are sorry that this happened. Ceri Vaughan",
        ),
        (Some(Mistake::WithoutTheThirdDay), _) => (
            "176.50",
            "Dear Ms Adeyemi, your hours of 14 May (7.25 at 12.60) and 21 May (6.50 at 13.10) were approved late. They make 176.50, which you get with the next run, before deductions. Ceri Vaughan",
        ),
        (Some(Mistake::NamesOthers), _) => (
            "176.50",
            "Dear Ms Adeyemi, unlike Marlon Pike you have a part of it approved: 7.25 hours at 12.60 on 14 May and 6.50 hours at 13.10 on 21 May, which make 176.50. The hours of 28 May have not been approved. Ceri Vaughan",
        ),
        (Some(Mistake::WithoutFigures), _) => (
            "176.50",
            "Dear Ms Adeyemi, some of your hours in May were approved late, and so 176.50 come with the next run, before deductions. The hours of 28 May have not been approved. Ceri Vaughan",
        ),
        (_, Manner::LongerLetters) => (
            "176.50",
            "Dear Ms Adeyemi,

thank you for your letter of 11 June. We have looked at the three days that you name:

- 14 May: 7.25 hours, approved on 9 June. At 12.60, the rate until 17 May, this is 91.35.
- 21 May: 6.50 hours, approved on 9 June. At 13.10, the rate since 18 May, this is 85.15.
- 28 May: 8.00 hours, which Brightwell has not approved.

What is approved after the 3rd comes with the next run. So you get 176.50 with your pay for June, before deductions, and not the 314.40 that you ask for. As soon as the third day is approved, it comes by itself.

Yours sincerely,
Ceri Vaughan",
        ),
        _ => (
            "176.50",
            "Dear Ms Adeyemi, Brightwell approved your hours of 14 May and 21 May only on 9 June, so they come with the next run: 7.25 hours at 12.60 are 91.35, and 6.50 hours at 13.10 are 85.15. Together this is 176.50 before deductions. Your 8.00 hours of 28 May have not been approved, so we cannot pay them yet. Ceri Vaughan",
        ),
    };
    (5, "granted", amount, "arrears", letter)
}

fn tomas(mistake: Option<Mistake>, manner: Manner) -> Decision {
    let (amount, letter) = match (mistake, manner) {
        (Some(Mistake::HandbookHalf), _) => (
            "41.60",
            "Dear Mr Brandl, the supplement for 25 May was forgotten. You worked 6.50 hours at 12.80, which is 83.20, and half of it is 41.60. You get that with the next run. Ceri Vaughan",
        ),
        (Some(Mistake::ThreeQuarters), _) => (
            "62.40",
            "Dear Mr Brandl, the supplement for 25 May was forgotten. You worked 6.50 hours at 12.80, which is 83.20, and 75 % of it is 62.40. You get that with the next run. Ceri Vaughan",
        ),
        (Some(Mistake::EightHours), _) => (
            "61.44",
            "Dear Mr Brandl, the supplement for 25 May was forgotten. You worked 8.00 hours at 12.80, which is 102.40, and 60 % of it is 61.44. You get that with the next run. Ceri Vaughan",
        ),
        (_, Manner::LongerLetters) => (
            "49.92",
            "Dear Mr Brandl,

both holidays in May were public ones. For 4 May your payslip has the supplement: 61.44 for 8.00 hours. For 25 May it was forgotten. Brightwell has approved 6.50 hours for that day, not eight, and since 1 May the supplement there is 60 % of the pay, not three quarters.

6.50 hours at 12.80 are 83.20, and 60 % of that are 49.92. We add this to your pay for June, before deductions.

Yours sincerely,
Ceri Vaughan",
        ),
        _ => (
            "49.92",
            "Dear Mr Brandl, the supplement for 25 May was forgotten, the one for 4 May is on your payslip. You worked 6.50 hours at 12.80, which is 83.20, and the supplement is 60 % of that: 49.92. You get it with the next run, before deductions. Ceri Vaughan",
        ),
    };
    let kind = if mistake == Some(Mistake::OneKind) {
        "arrears"
    } else {
        "holiday_work"
    };
    (6, "granted", amount, kind, letter)
}

fn iveta(mistake: Option<Mistake>, manner: Manner) -> Decision {
    if mistake == Some(Mistake::PaysTheDifference) {
        let letter = "Dear Ms Lazar, you had 105.75 hours in May at 12.70, and your contract says 13.40. The difference is 74.03, which you get with the next run, together with your pay from 1 June on. Ceri Vaughan";
        return (7, "granted", "74.03", "correction", letter);
    }
    let letter = match manner {
        Manner::LongerLetters => {
            "Dear Ms Lazar,

your contract with 13.40 an hour was signed on 27 April, as you write, but it holds from 1 June only. Hours are paid at the rate of the contract that holds on the day, and in May this was the old one with 12.70. Your 105.75 hours were paid rightly, and no difference is due for May.

From your next payslip on you get 13.40.

Yours sincerely,
Ceri Vaughan"
        }
        _ => {
            "Dear Ms Lazar, your new contract was signed in April, but it begins on 1 June. From then on the rate is 13.40. In May the old one of 12.70 still held, so your hours were paid rightly, and there is nothing to add. Ceri Vaughan"
        }
    };
    let amount = if mistake == Some(Mistake::LeavesTheAmount) {
        "NULL"
    } else {
        "0"
    };
    (7, "refused", amount, "", letter)
}

fn decide(tools: &mut Tools, mistake: Option<Mistake>, by: &str, decision: Decision) {
    let (query, status, amount, kind, letter) = decision;
    run(
        tools,
        &format!(
            "UPDATE queries SET status = '{status}', amount = {amount}, decided_on = '2026-06-22', decided_by = '{by}', answer = '{letter}' WHERE id = {query}"
        ),
    );
    let pay_run = if mistake == Some(Mistake::RunOfMay) {
        "49"
    } else {
        "60"
    };
    if !kind.is_empty() && mistake != Some(Mistake::ForgetsTheRun) {
        run(
            tools,
            &format!(
                "INSERT INTO adjustments (employee_id, run_id, kind, for_month, amount, query_id, entered_on, entered_by)
                SELECT employee_id, {pay_run}, '{kind}', month, amount, id, decided_on, decided_by FROM queries WHERE id = {query}"
            ),
        );
    }
}

fn in_one_statement(tools: &mut Tools, all: &[Decision]) {
    let values: Vec<String> = all
        .iter()
        .map(|(query, status, amount, _, letter)| {
            format!("({query}, '{status}', {amount}, '{letter}')")
        })
        .collect();
    run(
        tools,
        &format!(
            "WITH answered AS (
                UPDATE queries q SET status = v.status, amount = v.amount, answer = v.letter,
                    decided_on = CURRENT_DATE, decided_by = 'ceri'
                FROM (VALUES {}) AS v (id, status, amount, letter) WHERE v.id = q.id RETURNING q.*
            )
            INSERT INTO adjustments (employee_id, run_id, kind, for_month, amount, query_id, entered_on, entered_by)
            SELECT a.employee_id, r.id, CASE a.id WHEN 5 THEN 'arrears' ELSE 'holiday_work' END, a.month, a.amount, a.id, CURRENT_DATE, 'ceri'
            FROM answered a JOIN pay_runs r ON r.client = 'BRI' AND r.status = 'open' WHERE a.amount > 0",
            values.join(", ")
        ),
    );
}
