//! Gaps found in the catalogue and closed, all of them or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from the decisions.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Only the table of the complaint.
    OnlyDeposits,
    /// A session without a shop still reads webhooks, as an old decision has it.
    KeepsNightJobs,
    /// Support finds the customers of all shops.
    KeepsTheSearch,
    /// Accounts lose the view and the function.
    TakesRights,
    /// All policies that admit every row are dropped.
    DropsEveryTrue,
    /// Each view is read with the rights of the caller.
    EveryView,
    /// The condition on written charges stays.
    ForgetsWrites,
    /// The view stays as it is.
    ForgetsTheView,
    /// The program of the calls reads no webhooks any more.
    StopsTheCalls,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Table by table, and options instead of new definitions.
    Plain,
    /// Functions first, tables last.
    TablesLast,
    /// New definitions in place of options, with conditions in the view and the function.
    Redefined,
    /// With a right of its own for the program of the calls.
    HooksByItself,
}

const DEPOSITS: &str = "ALTER TABLE deposits ENABLE ROW LEVEL SECURITY";
const IMPORT: &str = "DROP POLICY arun_import ON customers";
const CHARGES: &str = "ALTER POLICY app_own ON charges WITH CHECK (tenant_id = current_tenant())";
const WEBHOOKS: &str = "ALTER POLICY app_own ON webhooks USING (tenant_id = current_tenant())";
const VIEW: &str = "ALTER VIEW open_rentals SET (security_invoker = true)";
const LEAVE: &str = "REVOKE arun FROM hooks";
const SEARCH: &str = "ALTER FUNCTION find_customer(text) SECURITY INVOKER";

/// Closes the gaps.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::Redefined {
        for table in ["deposits", "customers", "charges", "webhooks"] {
            desk::describe(tools, table);
        }
        run(
            tools,
            "SELECT number, title, body FROM decisions WHERE superseded_by IS NULL ORDER BY number",
        );
    } else {
        desk::read_rules(tools);
    }
    run(
        tools,
        "SELECT relname, relrowsecurity, relkind, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname",
    );
    run(
        tools,
        "SELECT tablename, policyname, roles, cmd, qual, with_check FROM pg_policies WHERE schemaname = 'public' ORDER BY 1, 2",
    );
    run(
        tools,
        "SELECT proname, prosecdef, proacl, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
    );
    run(
        tools,
        "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
    );
    run(
        tools,
        "SELECT table_name, grantee, string_agg(privilege_type, ', ') FROM information_schema.table_privileges WHERE table_schema = 'public' AND grantee <> 'ops' GROUP BY 1, 2 ORDER BY 1, 2",
    );
    match mistake {
        None => right(tools, manner),
        Some(mistake) => wrong(tools, mistake),
    }
    run(
        tools,
        "SELECT tablename, policyname, qual, with_check FROM pg_policies WHERE qual = 'true' OR with_check = 'true' ORDER BY 1, 2",
    );
    "Six gaps are closed: four tables, the view of open hires, and the customer search.".to_owned()
}

fn right(tools: &mut Tools, manner: Manner) {
    match manner {
        Manner::Plain => run_all(tools, &[DEPOSITS, IMPORT, CHARGES, WEBHOOKS, VIEW, SEARCH]),
        Manner::HooksByItself => run_all(
            tools,
            &[
                DEPOSITS,
                IMPORT,
                CHARGES,
                WEBHOOKS,
                VIEW,
                SEARCH,
                "GRANT SELECT ON webhooks TO hooks",
                "CREATE POLICY hooks_active ON webhooks FOR SELECT TO hooks USING (is_active)",
                LEAVE,
            ],
        ),
        Manner::TablesLast => run_all(tools, &[SEARCH, VIEW, WEBHOOKS, CHARGES, IMPORT, DEPOSITS]),
        Manner::Redefined => run_all(
            tools,
            &[
                DEPOSITS,
                IMPORT,
                "DROP POLICY app_own ON charges",
                "CREATE POLICY app_own ON charges TO app USING (tenant_id = current_tenant())",
                "DROP POLICY app_own ON webhooks",
                "CREATE POLICY app_rows ON webhooks TO app USING (tenant_id = current_tenant())",
                "CREATE OR REPLACE VIEW open_rentals WITH (security_invoker = on) AS SELECT r.id, r.tenant_id, t.label, c.full_name, r.out_on, r.due_on FROM rentals r JOIN tools t ON t.id = r.tool_id JOIN customers c ON c.id = r.customer_id WHERE r.back_on IS NULL",
                "CREATE OR REPLACE FUNCTION find_customer(needle text) RETURNS TABLE(id integer, tenant_id integer, full_name text, phone text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO 'pg_catalog', 'public' AS $$ SELECT c.id, c.tenant_id, c.full_name, c.phone FROM public.customers c JOIN public.tenants s ON s.id = c.tenant_id WHERE c.full_name ILIKE '%' || needle || '%' AND CASE WHEN pg_has_role(session_user, 'support', 'member') AND session_user <> 'ops' THEN s.support_until >= CURRENT_DATE WHEN session_user = 'app' THEN s.id = public.current_tenant() ELSE s.id = public.reader_tenant() END ORDER BY c.id $$",
            ],
        ),
    }
}

fn wrong(tools: &mut Tools, mistake: Mistake) {
    let all = [DEPOSITS, IMPORT, CHARGES, WEBHOOKS, VIEW, SEARCH];
    let without = |left: &[&str]| -> Vec<&str> {
        all.iter()
            .copied()
            .filter(|it| !left.contains(it))
            .collect()
    };
    match mistake {
        Mistake::OnlyDeposits => run_all(tools, &[DEPOSITS]),
        Mistake::KeepsNightJobs => run_all(tools, &without(&[WEBHOOKS])),
        Mistake::ForgetsWrites => run_all(tools, &without(&[CHARGES])),
        Mistake::ForgetsTheView => run_all(tools, &without(&[VIEW])),
        Mistake::StopsTheCalls => {
            run_all(tools, &all);
            run(tools, LEAVE);
        }
        Mistake::KeepsTheSearch => {
            run_all(tools, &without(&[SEARCH]));
            run(
                tools,
                "CREATE OR REPLACE FUNCTION find_customer(needle text) RETURNS TABLE(id integer, tenant_id integer, full_name text, phone text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO 'pg_catalog', 'public' AS $$ SELECT c.id, c.tenant_id, c.full_name, c.phone FROM public.customers c WHERE c.full_name ILIKE '%' || needle || '%' AND (c.tenant_id = public.current_tenant() OR c.tenant_id = public.reader_tenant() OR pg_has_role(session_user, 'support', 'member')) ORDER BY c.id $$",
            );
        }
        Mistake::TakesRights => {
            run_all(tools, &without(&[VIEW, SEARCH]));
            run_all(
                tools,
                &[
                    "REVOKE ALL ON open_rentals FROM tenant_reader, support",
                    "REVOKE ALL ON FUNCTION find_customer(text) FROM tenant_reader, support",
                    VIEW,
                    SEARCH,
                ],
            );
        }
        Mistake::DropsEveryTrue => {
            run_all(tools, &all);
            for table in [
                "branches",
                "charges",
                "customers",
                "deposits",
                "rentals",
                "tools",
            ] {
                run(tools, &format!("DROP POLICY billing_reads ON {table}"));
                run(tools, &format!("DROP POLICY engineering_reads ON {table}"));
            }
        }
        Mistake::EveryView => {
            run_all(tools, &all);
            run(
                tools,
                "ALTER VIEW branch_load SET (security_invoker = true)",
            );
        }
    }
}
