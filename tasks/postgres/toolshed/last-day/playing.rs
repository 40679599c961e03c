//! The rights of the account taken, and those of the programs given, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from the decision.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Only the group.
    OnlyTheGroup,
    /// The program loses what it had through the account.
    StopsTheCalls,
    /// The program sees rows that it does not need.
    ShowsAllRows,
    /// The program gets the group of the engineers.
    HooksAsEngineer,
    /// The function stays with the account.
    KeepsTheFunction,
    /// The function is dropped with everything else of the account.
    DropsTheFunction,
    /// The program stays in the account.
    KeepsTheMember,
    /// The policy stays.
    KeepsThePolicy,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// The programs first, then the account.
    Plain,
    /// The account first.
    AccountFirst,
    /// With the statements for everything that an account owns.
    Owned,
    /// With the policy of an import that he promised to take back, although it is for the app.
    DropsTheImport,
}

const HOOKS: [&str; 2] = [
    "GRANT SELECT ON webhooks TO hooks",
    "CREATE POLICY hooks_reads ON webhooks FOR SELECT TO hooks USING (is_active)",
];
const FUNCTION: &str = "ALTER FUNCTION unpaid(integer) OWNER TO ops";
const MEMBER: &str = "REVOKE arun FROM hooks";
const GROUP: &str = "REVOKE engineering FROM arun";
const POLICY: &str = "DROP POLICY arun_reads ON webhooks";
const RIGHT: &str = "REVOKE ALL ON webhooks FROM arun";

/// Looks for all that the account has, and takes it.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::Owned {
        run(
            tools,
            "SELECT body FROM decisions WHERE title = 'Who leaves'",
        );
        run(
            tools,
            "SELECT * FROM team_notes WHERE author = 'Arun' OR body LIKE '%Arun%'",
        );
        run(
            tools,
            "SELECT classid::regclass, objid, deptype FROM pg_shdepend WHERE refobjid = 'arun'::regrole",
        );
    } else {
        desk::read_rules(tools);
        run(
            tools,
            "SELECT proname, proowner::regrole FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        );
        run(
            tools,
            "SELECT relname, relowner::regrole, relacl FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relacl::text LIKE '%arun%'",
        );
    }
    run(
        tools,
        "SELECT roleid::regrole, member::regrole FROM pg_auth_members WHERE 'arun'::regrole IN (roleid, member)",
    );
    run(
        tools,
        "SELECT tablename, policyname, roles, cmd FROM pg_policies WHERE 'arun' = ANY (roles) OR policyname LIKE '%arun%'",
    );
    match (mistake, manner) {
        (Some(mistake), _) => wrong(tools, mistake),
        (None, Manner::Plain) => {
            run_all(tools, &HOOKS);
            run_all(tools, &[FUNCTION, MEMBER, GROUP, POLICY, RIGHT]);
        }
        (None, Manner::DropsTheImport) => {
            run_all(tools, &HOOKS);
            run_all(tools, &[FUNCTION, MEMBER, GROUP, POLICY, RIGHT]);
            run(tools, "DROP POLICY arun_import ON customers");
        }
        (None, Manner::AccountFirst) => {
            run_all(tools, &[RIGHT, POLICY, GROUP, MEMBER, FUNCTION]);
            run_all(tools, &HOOKS);
        }
        (None, Manner::Owned) => run_all(
            tools,
            &[
                "REASSIGN OWNED BY arun TO ops",
                "ALTER POLICY arun_reads ON webhooks TO hooks USING (is_active = true)",
                "GRANT SELECT (id, tenant_id, url, secret, is_active) ON webhooks TO hooks",
                "DROP OWNED BY arun",
                "REVOKE arun FROM hooks",
                "REVOKE engineering FROM arun",
            ],
        ),
    }
    run(
        tools,
        "SELECT roleid::regrole, member::regrole FROM pg_auth_members WHERE 'arun'::regrole IN (roleid, member)",
    );
    "Arun's account can do nothing any more, and both programs have rights of their own.".to_owned()
}

fn wrong(tools: &mut Tools, mistake: Mistake) {
    let mut statements: Vec<&str> = HOOKS.to_vec();
    statements.extend([FUNCTION, MEMBER, GROUP, POLICY, RIGHT]);
    match mistake {
        Mistake::OnlyTheGroup => statements.retain(|it| *it == GROUP),
        Mistake::StopsTheCalls => statements.retain(|it| !HOOKS.contains(it)),
        Mistake::ShowsAllRows => {
            statements.push("ALTER POLICY hooks_reads ON webhooks USING (true)")
        }
        Mistake::HooksAsEngineer => statements.push("GRANT engineering TO hooks"),
        Mistake::KeepsTheFunction => statements.retain(|it| *it != FUNCTION),
        Mistake::DropsTheFunction => {
            statements.retain(|it| *it != FUNCTION);
            statements.push("DROP OWNED BY arun");
        }
        Mistake::KeepsTheMember => statements.retain(|it| *it != MEMBER),
        Mistake::KeepsThePolicy => statements.retain(|it| *it != POLICY),
    }
    run_all(tools, &statements);
}
