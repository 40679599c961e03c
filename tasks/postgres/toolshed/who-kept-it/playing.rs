//! Triggers and rights of the audit log, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the decisions.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Charges have no triggers.
    OnlyDeposits,
    /// The app can still write the log.
    ForgetsTheRights,
    /// Each update leaves a line.
    LogsEverything,
    /// Rows that are added or deleted leave no line.
    OnlyChanges,
    /// The app cannot read the log any more.
    TakesReading,
    /// Only the rights to add are taken.
    LeavesUpdates,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Triggers first, as on the other tables.
    Plain,
    /// Rights first.
    RightsFirst,
    /// One trigger for each event, and a policy that admits reading alone.
    EventByEvent,
}

const REVOKE: &str = "REVOKE INSERT, UPDATE ON audit_log FROM app";

/// Sets the log up.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::EventByEvent {
        run(tools, "SELECT * FROM decisions WHERE body LIKE '%log%'");
        run(tools, "SELECT * FROM team_notes WHERE topic = 'audit'");
    } else {
        desk::read_rules(tools);
    }
    desk::source(tools, "audit_change");
    run(
        tools,
        "SELECT tgrelid::regclass, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2",
    );
    run(
        tools,
        "SELECT grantee, privilege_type FROM information_schema.table_privileges WHERE table_name = 'audit_log'",
    );
    run(
        tools,
        "SELECT policyname, roles, cmd, qual FROM pg_policies WHERE tablename = 'audit_log'",
    );
    if manner == Manner::RightsFirst {
        run(tools, REVOKE);
    }
    let mut tables = vec!["deposits"];
    if mistake != Some(Mistake::OnlyDeposits) {
        tables.push("charges");
    }
    for table in tables {
        triggers(tools, table, mistake, manner);
    }
    match (mistake, manner) {
        (Some(Mistake::ForgetsTheRights), _) | (None, Manner::RightsFirst) => {}
        (Some(Mistake::TakesReading), _) => {
            run(tools, "REVOKE ALL ON audit_log FROM app");
        }
        (Some(Mistake::LeavesUpdates), _) => {
            run(tools, "REVOKE INSERT ON audit_log FROM app");
        }
        (None, Manner::EventByEvent) => {
            run(tools, "DROP POLICY app_own ON audit_log");
            run(
                tools,
                "CREATE POLICY app_reads ON audit_log FOR SELECT TO app USING (tenant_id = current_tenant())",
            );
        }
        _ => {
            run(tools, REVOKE);
        }
    }
    run(
        tools,
        "SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2",
    );
    "Deposits and charges are in the audit log, and the app can only read it.".to_owned()
}

fn triggers(tools: &mut Tools, table: &str, mistake: Option<Mistake>, manner: Manner) {
    let changed = format!(
        "CREATE TRIGGER {table}_audit_change AFTER UPDATE ON {table} FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION audit_change()"
    );
    let ends = format!(
        "CREATE TRIGGER {table}_audit AFTER INSERT OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION audit_change()"
    );
    match (mistake, manner) {
        (Some(Mistake::LogsEverything), _) => {
            run(
                tools,
                &format!(
                    "CREATE TRIGGER {table}_audit AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION audit_change()"
                ),
            );
        }
        (Some(Mistake::OnlyChanges), _) => {
            run(tools, &changed);
        }
        (None, Manner::EventByEvent) => {
            for event in ["INSERT", "DELETE"] {
                run(
                    tools,
                    &format!(
                        "CREATE TRIGGER log_{} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION audit_change()",
                        event.to_lowercase()
                    ),
                );
            }
            run(
                tools,
                &format!(
                    "CREATE TRIGGER log_update AFTER UPDATE ON {table} FOR EACH ROW WHEN (to_jsonb(OLD) <> to_jsonb(NEW)) EXECUTE FUNCTION audit_change()"
                ),
            );
        }
        _ => {
            run(tools, &ends);
            run(tools, &changed);
        }
    }
}
