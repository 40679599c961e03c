//! The branch of hires added and filled, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the message and the decisions.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Old hires get the branch where the tool is today.
    BranchOfToday,
    /// A tool is in its new branch on the day of a move already.
    MovesTooEarly,
    /// Old hires get the branch of their tool, and no move counts backwards.
    MissesTheFirst,
    /// The column may be empty.
    MayBeEmpty,
    /// Any branch is accepted.
    AnyBranch,
    /// New hires get no branch.
    ForgetsNewHires,
    /// The branch that the app names is ignored.
    KnowsBetter,
    /// Support and data logins read the view too.
    OpensTheView,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Column, rows, rules, then the view.
    Plain,
    /// The trigger before the rows.
    TriggerFirst,
    /// One trigger that fills and checks, in place of a reference with two columns.
    ByTrigger,
    /// A trigger that knows where the tool was on the day of the hire, with a trial that leaves a gap in the numbers.
    ByDate,
}

const BACKFILL: &str = "UPDATE rentals r SET branch_id = COALESCE(
    (SELECT m.to_branch FROM tool_moves m WHERE m.tool_id = r.tool_id AND m.moved_on < r.out_on ORDER BY m.moved_on DESC LIMIT 1),
    (SELECT m.from_branch FROM tool_moves m WHERE m.tool_id = r.tool_id AND m.moved_on >= r.out_on ORDER BY m.moved_on LIMIT 1),
    (SELECT t.branch_id FROM tools t WHERE t.id = r.tool_id))";

const FILL: &str = "CREATE FUNCTION fill_branch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.branch_id := COALESCE(NEW.branch_id, (SELECT t.branch_id FROM public.tools t WHERE t.id = NEW.tool_id));
    RETURN NEW;
END $$";

const FILL_BY_DATE: &str = "CREATE FUNCTION fill_branch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.branch_id := COALESCE(
        NEW.branch_id,
        (SELECT m.to_branch FROM public.tool_moves m WHERE m.tool_id = NEW.tool_id AND m.moved_on < NEW.out_on ORDER BY m.moved_on DESC LIMIT 1),
        (SELECT m.from_branch FROM public.tool_moves m WHERE m.tool_id = NEW.tool_id AND m.moved_on >= NEW.out_on ORDER BY m.moved_on LIMIT 1),
        (SELECT t.branch_id FROM public.tools t WHERE t.id = NEW.tool_id));
    RETURN NEW;
END $$";

/// Adds a hire and takes it back, which uses up its number.
const TRIAL: &str = "DO $$
BEGIN
    INSERT INTO rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate)
        SELECT tenant_id, tool_id, customer_id, out_on, due_on, daily_rate FROM rentals ORDER BY id LIMIT 1;
    RAISE EXCEPTION 'a trial';
EXCEPTION WHEN raise_exception THEN
    NULL;
END $$";

const TRIGGER: &str = "CREATE TRIGGER rentals_branch BEFORE INSERT ON rentals FOR EACH ROW EXECUTE FUNCTION fill_branch()";

const VIEW: &str = "CREATE VIEW hires_by_branch AS SELECT branch_id, date_trunc('month', out_on::timestamp)::date AS month, count(*) AS hires FROM rentals GROUP BY 1, 2";

/// Adds the column, fills it, and makes the view.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::ByTrigger {
        run(
            tools,
            "SELECT body FROM decisions WHERE body LIKE '%branch%'",
        );
        run(
            tools,
            "SELECT body FROM team_notes WHERE topic IN ('moves', 'branch_load')",
        );
        run(
            tools,
            "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute WHERE attrelid = 'rentals'::regclass AND attnum > 0",
        );
    } else {
        desk::read_rules(tools);
        desk::describe(tools, "rentals");
        desk::describe(tools, "tool_moves");
    }
    run(
        tools,
        "SELECT count(*) FROM tool_moves m JOIN rentals r USING (tool_id) WHERE moved_on = out_on",
    );
    run(tools, "ALTER TABLE rentals ADD COLUMN branch_id integer");
    let has_trigger = mistake != Some(Mistake::ForgetsNewHires);
    if manner == Manner::TriggerFirst {
        run(tools, FILL);
        run(tools, TRIGGER);
    }
    match mistake {
        Some(Mistake::BranchOfToday) => run(
            tools,
            "UPDATE rentals r SET branch_id = t.branch_id FROM tools t WHERE t.id = r.tool_id",
        ),
        Some(Mistake::MovesTooEarly) => run(
            tools,
            &BACKFILL
                .replace("moved_on < r.out_on", "moved_on <= r.out_on")
                .replace("moved_on >= r.out_on", "moved_on > r.out_on"),
        ),
        Some(Mistake::MissesTheFirst) => run(
            tools,
            "UPDATE rentals r SET branch_id = COALESCE((SELECT m.to_branch FROM tool_moves m WHERE m.tool_id = r.tool_id AND m.moved_on < r.out_on ORDER BY m.moved_on DESC LIMIT 1), (SELECT t.branch_id FROM tools t WHERE t.id = r.tool_id))",
        ),
        _ => run(tools, BACKFILL),
    };
    if mistake != Some(Mistake::MayBeEmpty) {
        run(
            tools,
            "ALTER TABLE rentals ALTER COLUMN branch_id SET NOT NULL",
        );
    }
    match (mistake, manner) {
        (Some(Mistake::AnyBranch), _) => {
            run(
                tools,
                "ALTER TABLE rentals ADD FOREIGN KEY (branch_id) REFERENCES branches (id)",
            );
        }
        (None, Manner::ByTrigger) => {
            run(
                tools,
                "ALTER TABLE rentals ADD CONSTRAINT began_in FOREIGN KEY (branch_id) REFERENCES branches (id)",
            );
            run(
                tools,
                "CREATE FUNCTION check_branch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'public' AS $$
BEGIN
    IF NEW.branch_id IS NULL THEN
        SELECT branch_id INTO NEW.branch_id FROM public.tools WHERE id = NEW.tool_id;
    END IF;
    PERFORM FROM public.branches WHERE id = NEW.branch_id AND tenant_id = NEW.tenant_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'branch % is not one of this shop', NEW.branch_id;
    END IF;
    RETURN NEW;
END $$",
            );
            run(
                tools,
                "CREATE TRIGGER branch_of_hire BEFORE INSERT OR UPDATE ON rentals FOR EACH ROW EXECUTE FUNCTION check_branch()",
            );
        }
        _ => {
            run(tools, "ALTER TABLE branches ADD UNIQUE (tenant_id, id)");
            run(
                tools,
                "ALTER TABLE rentals ADD FOREIGN KEY (tenant_id, branch_id) REFERENCES branches (tenant_id, id)",
            );
        }
    }
    if manner == Manner::Plain && has_trigger {
        if mistake == Some(Mistake::KnowsBetter) {
            run(tools, &FILL.replace("COALESCE(NEW.branch_id, (SELECT t.branch_id FROM public.tools t WHERE t.id = NEW.tool_id))", "(SELECT t.branch_id FROM public.tools t WHERE t.id = NEW.tool_id)"));
        } else {
            run(tools, FILL);
        }
        run(tools, TRIGGER);
    }
    if manner == Manner::ByDate {
        run(tools, FILL_BY_DATE);
        run(tools, TRIGGER);
        run(tools, TRIAL);
    }
    run(tools, VIEW);
    run(tools, "GRANT SELECT ON hires_by_branch TO analytics");
    if mistake == Some(Mistake::OpensTheView) {
        run(
            tools,
            "GRANT SELECT ON hires_by_branch TO support, tenant_reader",
        );
    }
    run(
        tools,
        "SELECT * FROM hires_by_branch ORDER BY 1, 2 LIMIT 20",
    );
    "rentals.branch_id is filled, new hires get theirs, and hires_by_branch is there.".to_owned()
}
