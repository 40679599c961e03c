//! The function mended, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the decisions.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Only the lock.
    OnlyLocks,
    /// Everything but the lock.
    ForgetsTheLock,
    /// The whole table is locked.
    LocksTheTable,
    /// The customer is locked as well.
    LocksTheCustomer,
    /// An error of the deposit is still ignored.
    IgnoresTheDeposit,
    /// Each tool needs a deposit.
    NeedsADeposit,
    /// A blocked customer is refused with the code of a missing tool.
    OneCode,
    /// Runs with the rights of the owner.
    RunsAsOwner,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// The tool is locked when it is read.
    Plain,
    /// The function is read before the rules.
    FunctionFirst,
    /// The tool is taken by an update.
    ByUpdate,
    /// The tool is taken by the last statement, which fails if it is gone.
    AtTheEnd,
}

/// Parts of the function that mistakes change.
struct Parts {
    options: &'static str,
    before: &'static str,
    lock: &'static str,
    blocked: &'static str,
    deposit: &'static str,
    taken: &'static str,
}

const BLOCKED: &str =
    "IF EXISTS (SELECT FROM public.customers WHERE id = customer AND is_blocked) THEN
        RAISE EXCEPTION 'customer % is blocked', customer USING ERRCODE = 'TS002';
    END IF;";
const DEPOSIT: &str = "IF wanted.deposit IS NOT NULL THEN
        INSERT INTO public.deposits (tenant_id, rental_id, amount, taken_on)
        VALUES (wanted.tenant_id, hire, wanted.deposit, CURRENT_DATE);
    END IF;";
const IGNORED: &str = "BEGIN
        INSERT INTO public.deposits (tenant_id, rental_id, amount, taken_on)
        VALUES (wanted.tenant_id, hire, wanted.deposit, CURRENT_DATE);
    EXCEPTION WHEN others THEN
        RAISE NOTICE 'no deposit for hire %', hire;
    END;";

fn parts(mistake: Option<Mistake>) -> Parts {
    let mut parts = Parts {
        options: "",
        before: "",
        lock: "FOR UPDATE",
        blocked: BLOCKED,
        deposit: DEPOSIT,
        taken: ";",
    };
    match mistake {
        None => {}
        Some(Mistake::OnlyLocks) => {
            parts.blocked = "";
            parts.deposit = IGNORED;
        }
        Some(Mistake::ForgetsTheLock) => parts.lock = "",
        Some(Mistake::LocksTheTable) => {
            parts.before = "LOCK TABLE public.tools IN SHARE ROW EXCLUSIVE MODE;";
            parts.lock = "";
        }
        Some(Mistake::LocksTheCustomer) => {
            parts.before = "PERFORM FROM public.customers WHERE id = customer FOR UPDATE;";
        }
        Some(Mistake::IgnoresTheDeposit) => parts.deposit = IGNORED,
        Some(Mistake::NeedsADeposit) => {
            parts.deposit = "INSERT INTO public.deposits (tenant_id, rental_id, amount, taken_on)
    VALUES (wanted.tenant_id, hire, wanted.deposit, CURRENT_DATE);";
        }
        Some(Mistake::OneCode) => {
            parts.blocked =
                "IF EXISTS (SELECT FROM public.customers WHERE id = customer AND is_blocked) THEN
        RAISE EXCEPTION 'customer % is blocked', customer USING ERRCODE = 'TS001';
    END IF;";
        }
        Some(Mistake::RunsAsOwner) => parts.options = "SECURITY DEFINER",
    }
    parts
}

/// Reads the rules and defines the function anew.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    match manner {
        Manner::Plain => {
            desk::read_rules(tools);
            desk::source(tools, "check_out");
            desk::describe(tools, "deposits");
        }
        Manner::FunctionFirst => {
            desk::source(tools, "check_out");
            desk::describe(tools, "deposits");
            desk::read_rules(tools);
        }
        Manner::ByUpdate | Manner::AtTheEnd => {
            run(
                tools,
                "SELECT body FROM decisions WHERE body LIKE '%check_out%'",
            );
            run(
                tools,
                "SELECT body FROM team_notes WHERE topic IN ('check_out', 'locks')",
            );
            run(
                tools,
                "SELECT prosrc, prosecdef, proacl FROM pg_proc WHERE proname = 'check_out'",
            );
        }
    }
    if manner == Manner::AtTheEnd {
        define(tools, &at_the_end());
    } else if manner == Manner::ByUpdate {
        by_update(tools);
    } else {
        define(tools, &parts(mistake));
    }
    desk::source(tools, "check_out");
    "check_out() locks the tool, refuses blocked customers, and writes all of it or nothing."
        .to_owned()
}

/// The function without a lock, in which the update of the tool decides.
fn at_the_end() -> Parts {
    let mut parts = parts(Some(Mistake::ForgetsTheLock));
    parts.taken = "AND state = 'in';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'tool % is not here any more', tool USING ERRCODE = 'TS001';
    END IF;";
    parts
}

fn define(tools: &mut Tools, parts: &Parts) {
    let Parts {
        options,
        before,
        lock,
        blocked,
        deposit,
        taken,
    } = parts;
    run(
        tools,
        &format!(
            "CREATE OR REPLACE FUNCTION public.check_out(tool integer, customer integer, days integer)
 RETURNS integer LANGUAGE plpgsql {options} AS $function$
DECLARE
    wanted public.tools%ROWTYPE;
    hire integer;
BEGIN
    {before}
    SELECT * INTO wanted FROM public.tools WHERE id = tool {lock};
    IF NOT FOUND OR wanted.state <> 'in' THEN
        RAISE EXCEPTION 'tool % is not here', tool USING ERRCODE = 'TS001';
    END IF;
    {blocked}
    INSERT INTO public.rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate)
    VALUES (wanted.tenant_id, tool, customer, CURRENT_DATE, CURRENT_DATE + days, wanted.daily_rate)
    RETURNING id INTO hire;
    UPDATE public.tools SET state = 'out' WHERE id = tool {taken}
    {deposit}
    RETURN hire;
END
$function$"
        ),
    );
}

fn by_update(tools: &mut Tools) {
    run(
        tools,
        "CREATE OR REPLACE FUNCTION public.check_out(tool integer, customer integer, days integer)
 RETURNS integer LANGUAGE plpgsql AS $body$
DECLARE
    taken public.tools;
    hire integer;
BEGIN
    PERFORM 1 FROM public.customers c WHERE c.id = customer AND c.is_blocked;
    IF FOUND THEN
        RAISE SQLSTATE 'TS002' USING MESSAGE = 'this customer gets nothing';
    END IF;
    UPDATE public.tools t SET state = 'out' WHERE t.id = tool AND t.state = 'in' RETURNING t.* INTO taken;
    IF taken.id IS NULL THEN
        RAISE SQLSTATE 'TS001' USING MESSAGE = 'this tool is not here';
    END IF;
    INSERT INTO public.rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate)
    SELECT taken.tenant_id, taken.id, customer, CURRENT_DATE, CURRENT_DATE + days, taken.daily_rate
    RETURNING id INTO STRICT hire;
    INSERT INTO public.deposits (tenant_id, rental_id, amount, taken_on)
    SELECT taken.tenant_id, hire, taken.deposit, CURRENT_DATE WHERE taken.deposit IS NOT NULL;
    RETURN hire;
END
$body$",
    );
}
