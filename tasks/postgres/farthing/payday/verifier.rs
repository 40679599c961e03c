//! A function that pays runs out, called by people of the office in throw-away copies.

mod oracle;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::Database;
use mcpmark_guest_sql::{Error, FINAL, Results, Rows, Scratch, StepId, params};

use oracle::{Office, Outcome, Row};

mcpmark_guest::verifier!(verify);

const PAY: &str = "SELECT public.pay_out($1)";
const MONTH_END: Date = date(2026, 6, 30);
/// Runs of June by client.
const ANV: i64 = 59;
const COR: i64 = 61;
const FEN: i64 = 63;
const LIN: i64 = 65;
const OAK: i64 = 67;
const BRI: i64 = 60;
/// Thursday on which the runs are to be paid, and eight in the morning of it in seconds since 1970.
const THURSDAY: (Date, i64) = (date(2026, 6, 25), 1_782_374_400);
/// Monday on which the world is looked at, in the same way.
const MONDAY: (Date, i64) = (date(2026, 6, 22), THURSDAY.1 - 3 * 86_400);

const AMOUNTS: &str = "SELECT payslip_id::text, amount::text FROM public.payments p WHERE id > $1 ORDER BY p.payslip_id";
const ACCOUNTS: &str = "SELECT payslip_id::text, bank_account_id::text, status, created_on::text, sent_on::text FROM public.payments p WHERE id > $1 ORDER BY p.payslip_id";
const KEPT: &str = "SELECT advance_id::text, payslip_id::text, amount::text FROM public.advance_repayments r WHERE id > $1 ORDER BY r.advance_id, r.payslip_id";
const RUNS: &str = "SELECT id::text, status, paid_on::text, prepared_by, approved_by, approved_on::text FROM public.pay_runs WHERE month = '2026-06-01' ORDER BY id";
/// Digest of what a payment does not touch.
const REST: &str = "SELECT md5(string_agg(x, '|' ORDER BY x)) FROM (
    SELECT t::text AS x FROM public.payslips t UNION ALL SELECT t::text FROM public.advances t
    UNION ALL SELECT t::text FROM public.bank_accounts t UNION ALL SELECT t::text FROM public.adjustments t
    UNION ALL SELECT t::text FROM public.employees t UNION ALL SELECT t::text FROM public.payslip_lines t) y";

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    task.check("the function", function(&start, &end));
    task.check("who may execute it", rights(&start, &end));
    let last = |table: &str| start.rows(table).required().len() as i64;
    let before = (last("payments"), last("advance_repayments"));

    let refused = Refused::try_all(before);
    task.check("only cashiers", refused.strangers);
    task.check("nobody who has prepared or approved", refused.hands);
    task.check("only approved runs", refused.statuses);
    task.check("whole or not at all", refused.halves);
    task.check("nothing happens if it refuses", refused.nothing);

    let mut first = Office::of(&start);
    let thursday = first.pay_out(&[ANV, COR, LIN], THURSDAY.0, MONTH_END);
    let paid = Paid::on_thursday(before, &thursday);
    task.check("what comes back on Thursday", paid.numbers);
    task.check("the amounts on Thursday", paid.amounts);
    task.check("the accounts on Thursday", paid.accounts);
    task.check("what is kept back on Thursday", paid.kept);
    task.check("the runs", paid.runs);
    task.check("a run is paid once", paid.twice);

    let mut second = Office::of(&start);
    let paid = Paid::with_others(before, &mut second);
    task.check("other clients and advances", paid);
    task.unchanged_except(["schemas/public/functions/", "schemas/public/grants.sql"]);
}

/// Checks the definition, which fixes the search path and has a comment, and that the other functions stay.
fn function(start: &Database, end: &Database) -> Condition {
    let found = end.statements("functions", "pay_out");
    let text = found.join("\n").to_lowercase();
    let functions = text.matches("create or replace function").count();
    let has = [
        ("SECURITY DEFINER", "security definer"),
        ("a fixed search_path", "set search_path"),
        ("payroll as its owner", "owner to payroll"),
        ("a comment", "comment on function"),
    ];
    let missing = has.iter().find(|(_, part)| !text.contains(part));
    let others = ["check_pay_run", "pattern_days"];
    let is_kept = others
        .iter()
        .all(|name| start.statements("functions", name) == end.statements("functions", name));
    Condition::when(
        functions == 1 && missing.is_none() && is_kept,
        format!(
            "expected one function pay_out with {missing:?}, and the others as they were, found {functions}"
        ),
    )
}

/// Checks that the privileges are those of the start, and that functions are added for cashiers only.
fn rights(start: &Database, end: &Database) -> Condition {
    let lines = |database: &Database| {
        let mut lines: Vec<String> = database
            .grants("public")
            .iter()
            .map(|grant| format!("{grant:?}"))
            .collect();
        lines.extend(database.other_grants("public"));
        lines
    };
    let (before, after) = (lines(start), lines(end));
    let lost = before.iter().find(|line| !after.contains(line));
    let other = after.iter().find(|line| {
        let is_function = line.to_lowercase().contains("function");
        let is_for_cashiers = line.contains("cashiers") || line.starts_with("REVOKE");
        !before.contains(line) && !(is_function && is_for_cashiers)
    });
    Condition::when(
        lost.is_none() && other.is_none(),
        format!(
            "expected a function for cashiers as the only difference, found {lost:?} missing and {other:?}"
        ),
    )
}

fn copy() -> Scratch {
    let mut copy = FINAL.scratch();
    copy.clock(THURSDAY.1);
    for person in ["agnes", "bastian", "dunja", "elias", "fenna"] {
        copy.login(person, person);
    }
    copy.login("portal", "portal");
    copy.login_superuser("root");
    copy
}

struct Refused {
    strangers: Condition,
    hands: Condition,
    statuses: Condition,
    halves: Condition,
    nothing: Condition,
}

impl Refused {
    fn try_all(before: (i64, i64)) -> Self {
        let mut copy = copy();
        let runs = copy.execute("root", RUNS, params![]);
        let mut pay = |who: &str, run: i64| {
            (
                format!("{who} and run {run}"),
                copy.execute(who, PAY, params![run]),
            )
        };
        let strangers = [pay("bastian", LIN), pay("fenna", ANV), pay("portal", LIN)];
        let hands = [
            pay("agnes", ANV),
            pay("elias", COR),
            pay("dunja", LIN),
            pay("agnes", LIN),
        ];
        let statuses = [
            pay("elias", FEN),
            pay("agnes", BRI),
            pay("elias", OAK),
            pay("elias", 9999),
        ];
        // A payment in the middle of Linden and one of Anvil Street fail, and Cornelian fails when the run is marked.
        for sql in [
            "CREATE FUNCTION public.probe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$",
            "CREATE TRIGGER probe BEFORE INSERT ON public.payments FOR EACH ROW WHEN (NEW.payslip_id % 7 = 3) EXECUTE FUNCTION public.probe()",
            "CREATE TRIGGER zz_probe BEFORE UPDATE ON public.pay_runs FOR EACH ROW WHEN (NEW.client = 'COR') EXECUTE FUNCTION public.probe()",
        ] {
            copy.execute("root", sql, params![]);
        }
        let mut pay = |who: &str, run: i64| {
            (
                format!("{who} and run {run}"),
                copy.execute(who, PAY, params![run]),
            )
        };
        let halves = [pay("elias", LIN), pay("elias", ANV), pay("dunja", COR)];
        let rows = [
            copy.execute("root", AMOUNTS, params![before.0]),
            copy.execute("root", KEPT, params![before.1]),
        ];
        let runs_after = copy.execute("root", RUNS, params![]);
        let results = copy.run();
        let same_runs = match (results.of(runs), results.of(runs_after)) {
            (Ok(one), Ok(other)) => one.texts() == other.texts(),
            _ => false,
        };
        let rows: usize = rows
            .into_iter()
            .map(|step| results.of(step).map_or(1, Rows::len))
            .sum();
        let refused = |steps: &[(String, StepId)]| all_refused(&results, steps, false);
        Self {
            strangers: all_refused(&results, &strangers, true),
            hands: refused(&hands),
            statuses: refused(&statuses),
            halves: refused(&halves),
            nothing: Condition::when(
                same_runs && rows == 0,
                format!(
                    "expected no new row and the same runs, found {rows} new rows, same runs: {same_runs}"
                ),
            ),
        }
    }
}

/// Checks that steps fail, and not because the function does not exist.
fn all_refused(results: &Results, steps: &[(String, StepId)], by_rights: bool) -> Condition {
    for (name, step) in steps {
        let Some(error) = results.error(*step) else {
            return Condition::fail(format!("{name}: expected an error, found none"));
        };
        let is_missing = error.code == "42883";
        if is_missing || (by_rights && error.code != "42501") {
            return Condition::fail(format!("{name}: expected a refusal, found {error}"));
        }
    }
    Condition::pass("all are refused")
}

struct Paid {
    numbers: Condition,
    amounts: Condition,
    accounts: Condition,
    kept: Condition,
    runs: Condition,
    twice: Condition,
}

impl Paid {
    fn on_thursday(before: (i64, i64), expected: &Outcome) -> Self {
        let mut copy = copy();
        let rest = copy.execute("root", REST, params![]);
        // The settings of whoever calls it do not matter.
        copy.execute("agnes", "SET search_path TO pg_catalog", params![]);
        let calls = [("elias", ANV), ("agnes", COR), ("elias", LIN)]
            .map(|(who, run)| (run, copy.execute(who, PAY, params![run])));
        let again = [
            (
                "elias again".to_owned(),
                copy.execute("elias", PAY, params![ANV]),
            ),
            (
                "dunja again".to_owned(),
                copy.execute("dunja", PAY, params![COR]),
            ),
        ];
        let amounts = copy.execute("root", AMOUNTS, params![before.0]);
        let accounts = copy.execute("root", ACCOUNTS, params![before.0]);
        let kept = copy.execute("root", KEPT, params![before.1]);
        let runs = copy.execute("root", RUNS, params![]);
        let rest_after = copy.execute("root", REST, params![]);
        let results = copy.run();
        let found: Vec<Result<i64, String>> = calls
            .iter()
            .map(|(_, step)| number(results.of(*step)))
            .collect();
        let numbers: Vec<Result<i64, String>> =
            calls.iter().map(|(run, _)| Ok(expected.due[run])).collect();
        Self {
            numbers: Condition::when(
                found == numbers,
                format!("expected {numbers:?}, found {found:?}"),
            ),
            amounts: same(results.of(amounts), &expected.amounts),
            accounts: same(results.of(accounts), &expected.accounts),
            kept: same(results.of(kept), &expected.kept),
            runs: same(results.of(runs), &runs_of_june()).and(Condition::when(
                results.of(rest).map(Rows::texts) == results.of(rest_after).map(Rows::texts),
                "expected payslips, advances and accounts as they were",
            )),
            twice: all_refused(&results, &again, false),
        }
    }

    /// Pays a run on Monday that is approved in the copy, and people with further advances.
    fn with_others(before: (i64, i64), office: &mut Office) -> Condition {
        let lent = |office: &Office, run: i64, at: usize| office.people(run)[at].1.to_owned();
        let loans = [
            (9001, lent(office, COR, 2), date(2026, 6, 18), 5_000_00),
            (9002, lent(office, COR, 2), date(2026, 6, 1), 10_03),
            (9003, lent(office, FEN, 4), date(2026, 5, 4), 77_77),
            (9004, lent(office, FEN, 4), date(2026, 5, 3), 200_00),
        ];
        let mut copy = FINAL.scratch();
        copy.clock(MONDAY.1);
        for person in ["dunja", "elias"] {
            copy.login(person, person);
        }
        copy.login_superuser("root");
        for (id, employee, on, pennies) in &loans {
            copy.execute(
                "root",
                "INSERT INTO public.advances VALUES ($1, $2, $3, $4::numeric / 100, 'Car')",
                params![*id, employee.as_str(), on.to_string(), *pennies],
            );
            office.lend(*id, employee, *on, *pennies);
        }
        copy.execute(
            "root",
            "UPDATE public.pay_runs SET status = 'approved', approved_by = 'ceri', approved_on = '2026-06-22' WHERE id = $1",
            params![FEN],
        );
        let calls = [
            copy.execute("elias", PAY, params![FEN]),
            copy.execute("dunja", PAY, params![COR]),
        ];
        let amounts = copy.execute("root", AMOUNTS, params![before.0]);
        let accounts = copy.execute("root", ACCOUNTS, params![before.0]);
        let kept = copy.execute("root", KEPT, params![before.1]);
        let results = copy.run();
        let expected = office.pay_out(&[FEN, COR], MONDAY.0, MONTH_END);
        let found = calls.map(|step| number(results.of(step)));
        let numbers = [Ok(expected.due[&FEN]), Ok(expected.due[&COR])];
        Condition::when(
            found == numbers,
            format!("expected {numbers:?}, found {found:?}"),
        )
        .and(same(results.of(amounts), &expected.amounts))
        .and(same(results.of(accounts), &expected.accounts))
        .and(same(results.of(kept), &expected.kept))
    }
}

/// Returns the runs of June after three of them were paid.
fn runs_of_june() -> Vec<Row> {
    let open = |id: i64| row([&id.to_string(), "open", "", "", "", ""]);
    let paid = |id: i64, on: &str, prepared: &str, approved: &str, day: &str| {
        row([&id.to_string(), "paid", on, prepared, approved, day])
    };
    let thursday = THURSDAY.0.to_string();
    vec![
        paid(ANV, &thursday, "ceri", "agnes", "2026-06-19"),
        open(BRI),
        paid(COR, &thursday, "bastian", "elias", "2026-06-19"),
        open(62),
        row([&FEN.to_string(), "prepared", "", "bastian", "", ""]),
        open(64),
        paid(LIN, &thursday, "dunja", "agnes", "2026-06-19"),
        open(66),
        paid(OAK, "2026-06-19", "dunja", "agnes", "2026-06-18"),
        open(68),
        open(69),
    ]
}

fn row(cells: [&str; 6]) -> Row {
    cells
        .map(|cell| Some(cell.to_owned()).filter(|cell| !cell.is_empty()))
        .to_vec()
}

fn number(found: Result<&Rows, &Error>) -> Result<i64, String> {
    let rows = found.map_err(ToString::to_string)?;
    rows.value().map_err(|error| error.to_string())
}

fn same(found: Result<&Rows, &Error>, expected: &[Row]) -> Condition {
    let rows = match found {
        Ok(rows) => rows.texts(),
        Err(error) => return Condition::fail(error.to_string()),
    };
    let differs = expected.iter().zip(rows).find(|(one, other)| one != other);
    Condition::when(
        rows == expected,
        format!(
            "expected {} rows, found {}; first difference: {differs:?}",
            expected.len(),
            rows.len()
        ),
    )
}
