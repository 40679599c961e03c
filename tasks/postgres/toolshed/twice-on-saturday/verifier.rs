//! Tools handed out by several counters in a copy of the final state: one after the other, at the same time, and in vain.

#[path = "../probes.rs"]
mod probes;
#[path = "../../unchanged.rs"]
mod unchanged;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Record, Rows};
use mcpmark_guest_sql::{Results, Scratch, StepId, params};
use probes::{failed, worked};
use unchanged::unchanged_except;

mcpmark_guest::verifier!(verify);

const SHOP: i64 = 7;
const OTHER: i64 = 3;
const GONE: &[&str] = &["TS001"];
const BLOCKED: &[&str] = &["TS002"];
/// Codes of a call that waits for a lock, or finds it taken, and of one that is refused.
const LATE: &[&str] = &["55P03", "40001", "TS001"];

/// Tools and customers of the starting state.
struct Stock {
    tools: Rows,
    customers: Rows,
    used: Vec<i64>,
}

impl Stock {
    /// Returns a tool that no step used before.
    fn tool(&mut self, shop: i64, state: &str, with_deposit: bool) -> Record {
        let found = self.tools.iter().find(|row| {
            row.integer("tenant_id") == shop
                && row.text("state") == state
                && row.get("deposit").is_some() == with_deposit
                && !self.used.contains(&row.integer("id"))
        });
        let found = found.expect("a shop has a tool of each kind");
        self.used.push(found.integer("id"));
        found
    }

    fn customer(&self, shop: i64, blocked: bool) -> i64 {
        let mut found = self
            .customers
            .iter()
            .filter(|row| row.integer("tenant_id") == shop && row.truth("is_blocked") == blocked);
        found
            .next()
            .expect("a shop has customers of both kinds")
            .integer("id")
    }
}

/// Trigger of the copy. In step `a` it reports that a call is about to write a hire. In step `b` another counter hands the
/// same tool out at this moment.
const PROBE: [&str; 2] = [
    "CREATE FUNCTION public.probe() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO pg_catalog, public AS $$
    BEGIN
        IF current_setting('probe.step', true) = 'a' THEN
            RAISE EXCEPTION 'about to write a hire' USING ERRCODE = 'TS900';
        ELSIF current_setting('probe.step', true) = 'b' AND pg_trigger_depth() = 1 THEN
            INSERT INTO public.rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate)
            VALUES (NEW.tenant_id, NEW.tool_id, NEW.customer_id, NEW.out_on, NEW.due_on, NEW.daily_rate);
            UPDATE public.tools SET state = 'out' WHERE id = NEW.tool_id;
        END IF;
        RETURN NEW;
    END $$",
    "CREATE TRIGGER probe BEFORE INSERT ON public.rentals FOR EACH ROW EXECUTE FUNCTION public.probe()",
];

/// Sets the step of the trigger for a session.
fn step(copy: &mut Scratch, session: &str, step: &str) -> StepId {
    copy.execute(
        session,
        "SELECT set_config('probe.step', $1, false)",
        params![step],
    )
}

fn check_out(copy: &mut Scratch, session: &str, tool: i64, customer: i64) -> StepId {
    let text = format!("SELECT check_out({tool}, {customer}, 3)");
    copy.execute(session, &text, params![])
}

/// Asks for the number of open hires of a tool from today, of their deposits, and for the state of the tool.
fn written(copy: &mut Scratch, tool: i64) -> StepId {
    let text = format!(
        "SELECT (SELECT count(*) FROM rentals WHERE tool_id = {tool} AND out_on = '2026-05-11' AND back_on IS NULL)
             || ' hires, ' || (SELECT count(*) FROM deposits JOIN rentals r ON r.id = rental_id WHERE tool_id = {tool} AND out_on = '2026-05-11')
             || ' deposits, ' || (SELECT state FROM tools WHERE id = {tool})"
    );
    copy.execute("all", &text, params![])
}

fn has(results: &Results, step: StepId, expected: &str, place: &str) -> Condition {
    let found = results
        .of(step)
        .map_err(ToString::to_string)
        .and_then(|rows| rows.value::<String>().map_err(|error| error.to_string()));
    Condition::equal(&Ok(expected.to_owned()), &found).at(place)
}

fn verify(task: &mut Verifier) {
    let start = Database::of(task.start());
    let mut stock = Stock {
        tools: start.rows("tools").required(),
        customers: start.rows("customers").required(),
        used: Vec::new(),
    };
    let mut copy = probes::copy();
    copy.login_superuser("all");
    copy.login("first", "app");
    copy.login("second", "app");
    copy.login("elsewhere", "app");
    copy.login("reader", "dl_fenwick");
    probes::work_for(&mut copy, "first", SHOP);
    probes::work_for(&mut copy, "second", SHOP);
    probes::work_for(&mut copy, "elsewhere", OTHER);
    let customer = stock.customer(SHOP, false);

    let simple = stock.tool(SHOP, "in", true);
    let id = simple.integer("id");
    let out = check_out(&mut copy, "first", id, customer);
    let hire = copy.execute(
        "all",
        &format!(
            "SELECT concat_ws(' ', r.tenant_id, tool_id, customer_id, out_on, due_on, back_on, daily_rate, d.tenant_id, d.amount, d.taken_on, d.returned_on, d.kept) FROM rentals r JOIN deposits d ON d.rental_id = r.id WHERE tool_id = {id} AND out_on = '2026-05-11'"
        ),
        params![],
    );
    let number = copy.execute(
        "all",
        &format!("SELECT id FROM rentals WHERE tool_id = {id} AND out_on = '2026-05-11'"),
        params![],
    );
    let again = check_out(&mut copy, "second", id, customer);
    let after = written(&mut copy, id);

    let mut race: Vec<StepId> = PROBE
        .iter()
        .map(|text| copy.execute("all", text, params![]))
        .collect();
    // The first counter has not committed yet.
    let wanted = stock.tool(SHOP, "in", true).integer("id");
    let near = stock.tool(SHOP, "in", true).integer("id");
    let far = stock.tool(OTHER, "in", true).integer("id");
    let guest = stock.customer(OTHER, false);
    race.push(copy.execute("first", "BEGIN", params![]));
    race.push(check_out(&mut copy, "first", wanted, customer));
    let meanwhile = check_out(&mut copy, "second", wanted, customer);
    race.push(step(&mut copy, "second", "a"));
    let reaches = check_out(&mut copy, "second", wanted, customer);
    race.push(step(&mut copy, "second", ""));
    let beside = [
        check_out(&mut copy, "second", near, customer),
        check_out(&mut copy, "elsewhere", far, guest),
    ];
    race.push(copy.execute("first", "COMMIT", params![]));
    let later = check_out(&mut copy, "second", wanted, customer);
    let once = written(&mut copy, wanted);

    // The other counter comes between the look at the tool and the hire.
    let contested = stock.tool(SHOP, "in", true).integer("id");
    race.push(step(&mut copy, "second", "b"));
    let between = check_out(&mut copy, "second", contested, customer);
    race.push(step(&mut copy, "second", ""));

    // The first counter gives up.
    let dropped = stock.tool(SHOP, "in", true).integer("id");
    race.push(copy.execute("first", "BEGIN", params![]));
    race.push(check_out(&mut copy, "first", dropped, customer));
    race.push(copy.execute("first", "ROLLBACK", params![]));
    let free = check_out(&mut copy, "second", dropped, customer);

    // A deposit above the limit of the table is refused.
    let dear = stock.tool(SHOP, "in", true).integer("id");
    let raise = format!("UPDATE tools SET deposit = 1600 WHERE id = {dear}");
    race.push(copy.execute("all", &raise, params![]));
    let broken = check_out(&mut copy, "first", dear, customer);
    let nothing = written(&mut copy, dear);

    let light = stock.tool(SHOP, "in", false).integer("id");
    let without = check_out(&mut copy, "first", light, customer);
    let bare = written(&mut copy, light);

    let refused_to = stock.tool(SHOP, "in", true).integer("id");
    let stop = stock.customer(SHOP, true);
    let blocked = check_out(&mut copy, "first", refused_to, stop);
    let untouched = written(&mut copy, refused_to);

    let mut absent = Vec::new();
    for (state, place) in [
        ("repair", "a tool in repair"),
        ("sold", "a sold tool"),
        ("out", "a tool that is out"),
    ] {
        let tool = stock.tool(SHOP, state, true).integer("id");
        absent.push((check_out(&mut copy, "first", tool, customer), place));
    }
    absent.push((
        check_out(&mut copy, "first", 999_999, customer),
        "an unknown tool",
    ));
    let foreign = stock.tool(OTHER, "in", true).integer("id");
    absent.push((
        check_out(&mut copy, "first", foreign, customer),
        "a tool of another shop",
    ));
    let login = check_out(&mut copy, "reader", dropped, customer);
    let results = copy.run();

    let row = format!(
        "{SHOP} {id} {customer} 2026-05-11 2026-05-14 {} {SHOP} {} 2026-05-11 0.00",
        simple.text("daily_rate"),
        simple.text("deposit")
    );
    let returned = match (results.of(out), results.of(number)) {
        (Ok(out), Ok(number)) => Condition::equal(&number.value::<i64>(), &out.value::<i64>())
            .at("the number of the hire"),
        (out, _) => Condition::fail(format!("expected a number, found {out:?}")),
    };
    task.check(
        "a hire, its deposit and the tool",
        returned.and(has(&results, hire, &row, "the hire")).and(has(
            &results,
            after,
            "1 hires, 1 deposits, out",
            "the tool",
        )),
    );
    // A call that neither waits before it writes nor notices the other hire would hand the tool out twice.
    let is_late = results
        .error(reaches)
        .is_some_and(|error| error.code == "TS900");
    let is_blind = results.of(between).is_ok();
    let noticed = Condition::when(
        !(is_late && is_blind),
        "expected a call that waits for the other counter, or notices its hire; found one that writes a second hire",
    );
    task.check(
        "one of two counters gets the tool",
        worked(&results, &race, "the first counter")
            .and(failed(
                &results,
                meanwhile,
                LATE,
                "the second counter, at the same time",
            ))
            .and(failed(&results, later, GONE, "the second counter, later"))
            .and(failed(&results, again, GONE, "a counter that comes later"))
            .and(has(&results, once, "1 hires, 1 deposits, out", "the tool"))
            .and(noticed),
    );
    task.check(
        "counters do not wait for other tools",
        worked(&results, &beside, "another tool at the same time"),
    );
    task.check(
        "a tool that was not handed out is free",
        worked(&results, &[free], "after a rollback"),
    );
    let refusal = Condition::when(
        results.error(broken).is_some(),
        "expected an error if the deposit cannot be written",
    );
    task.check(
        "all of it or nothing",
        refusal.and(has(
            &results,
            nothing,
            "0 hires, 0 deposits, in",
            "after a failed deposit",
        )),
    );
    task.check(
        "a tool without a deposit",
        worked(&results, &[without], "a tool without a deposit").and(has(
            &results,
            bare,
            "1 hires, 0 deposits, out",
            "the tool",
        )),
    );
    task.check(
        "a customer who is blocked",
        failed(&results, blocked, BLOCKED, "a blocked customer").and(has(
            &results,
            untouched,
            "0 hires, 0 deposits, in",
            "the tool",
        )),
    );
    task.check(
        "a tool that is not there",
        Condition::all(
            absent
                .iter()
                .map(|(step, place)| failed(&results, *step, GONE, place)),
        ),
    );
    task.check(
        "data logins hand nothing out",
        failed(&results, login, &["42501"], "a data login"),
    );
    unchanged_except(
        task,
        [
            "schemas/public/functions/",
            "schemas/public/indexes/rentals.sql",
            "schemas/public/triggers/rentals.sql",
        ],
    );
}
