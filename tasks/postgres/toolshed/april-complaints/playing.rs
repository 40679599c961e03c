//! Invoices recalculated in SQL, credits and answers, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from the decisions.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The old fee, but the number of tools of the invoice.
    BelievesTheCount,
    /// The new fee, but the right number of tools.
    BelievesTheFee,
    /// Fenwick gets the old fee too.
    GivesFenwickBack,
    /// Marsh pays the new plan.
    GivesMarshBack,
    /// The plan of the last day counts.
    PlanOfTheEnd,
    /// The invoice itself is changed.
    ChangesTheInvoice,
    /// All shops with the old fee get their credit.
    CreditsEverybody,
    /// The money is promised to the account.
    PaysOut,
    /// Answers without the fee.
    SaysNoFee,
    /// Only Hollis gets an answer.
    AnswersOne,
    /// The tickets stay open.
    LeavesTicketsOpen,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Credit, answers, tickets.
    Plain,
    /// Answers first, credit last.
    AnswersFirst,
    /// One statement for everything, and other words.
    AtOnce,
}

const CREDIT: &str = "INSERT INTO credits (tenant_id, month, amount, reason, entered_on) VALUES (3, '2026-04-01', 5.70, 'Old fee, and one tool that was sold on 30 April', '2026-05-11')";

const TO_HOLLIS: &str = "You are right, and we are sorry. At the end of April you had 13 tools beyond the 80 of the Workshop plan, because the one that you sold on 30 April does not count any more. You keep the fee of 1.50 for each of them until your invoice for June 2026. So the total should have been 78.50 and not 84.20. The 5.70 are a credit and come off your next invoice.";
const TO_FENWICK: &str = "Your invoice is right. From April on a tool beyond the plan costs 1.80; only shops that signed up before 2024 keep the old 1.50 for some time, and you came to us on 15 January 2024. You had 8 tools beyond the 80 of your plan, which makes 14.40 and a total of 73.40, so we cannot give a difference back.";
const TO_MARSH: &str = "The plan of the first day of a month counts for the whole month. On 1 April you still had the Yard plan, with no tools beyond it, so the total of 109.00 is right and we do not correct it. The Workshop plan counts from May on.";

const DONE: &str = "UPDATE tickets SET state = 'answered' WHERE id IN (407, 408, 409)";

fn reply(ticket: u32, body: &str) -> String {
    format!(
        "INSERT INTO ticket_replies (ticket_id, written_on, author, body) VALUES ({ticket}, '2026-05-11', 'ottilie', '{}')",
        body.replace('\'', "''")
    )
}

/// Looks into the complaints, and answers them.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::AtOnce {
        run(
            tools,
            "SELECT number, body, superseded_by FROM decisions WHERE body ~ 'invoice|plan|fee|tool'",
        );
        run(
            tools,
            "SELECT body FROM team_notes WHERE topic IN ('fees', 'invoices')",
        );
        desk::describe(tools, "credits");
    } else {
        desk::read_rules(tools);
    }
    run(
        tools,
        "SELECT * FROM tickets WHERE subject = 'April invoice'",
    );
    run(
        tools,
        "SELECT * FROM invoices WHERE tenant_id IN (3, 7, 11) AND month >= '2026-03-01' ORDER BY tenant_id, month",
    );
    run(
        tools,
        "SELECT t.id, t.name, t.signed_up_on, p.from_on, p.plan FROM tenants t JOIN tenant_plans p ON p.tenant_id = t.id WHERE t.id IN (3, 7, 11) ORDER BY 1, 4",
    );
    // An invoice in one statement: the plan of the first day, the tools of the last, and the fee by the day of signing up.
    run(
        tools,
        "WITH months AS (SELECT DATE '2026-04-01' AS first, DATE '2026-04-30' AS last)
         SELECT t.id, p.monthly, count(k.id) - p.tools_included AS extra, CASE WHEN t.signed_up_on < '2024-01-01' THEN 1.50 ELSE 1.80 END AS fee
         FROM months CROSS JOIN tenants t
         JOIN LATERAL (SELECT plan FROM tenant_plans x WHERE x.tenant_id = t.id AND x.from_on <= first ORDER BY from_on DESC LIMIT 1) c ON true
         JOIN plans p ON p.code = c.plan
         JOIN tools k ON k.tenant_id = t.id AND k.added_on <= last AND COALESCE(k.sold_on, 'infinity') > last
         WHERE t.id IN (3, 7, 11) GROUP BY t.id, t.signed_up_on, p.monthly, p.tools_included ORDER BY 1",
    );
    match mistake {
        None => right(tools, manner),
        Some(mistake) => wrong(tools, mistake),
    }
    run(
        tools,
        "SELECT ticket_id, body FROM ticket_replies WHERE ticket_id > 405 ORDER BY 1",
    );
    "Hollis gets 5.70 back; the invoices of Fenwick and Marsh are right.".to_owned()
}

fn right(tools: &mut Tools, manner: Manner) {
    let replies = [
        reply(407, TO_HOLLIS),
        reply(408, TO_FENWICK),
        reply(409, TO_MARSH),
    ];
    let replies: Vec<&str> = replies.iter().map(String::as_str).collect();
    match manner {
        Manner::Plain => {
            run(tools, CREDIT);
            run_all(tools, &replies);
            run(tools, DONE);
        }
        Manner::AnswersFirst => {
            run_all(tools, &replies);
            run(tools, DONE);
            run(tools, CREDIT);
        }
        Manner::AtOnce => {
            run(
                tools,
                "WITH credit AS (INSERT INTO credits (tenant_id, month, amount, reason, entered_on) VALUES (3, DATE '2026-04-01', 5.7, 'Wrong fee and wrong count in April', CURRENT_DATE)),
                 answers AS (INSERT INTO ticket_replies (ticket_id, written_on, author, body) VALUES
                    (409, CURRENT_DATE, 'support', 'Hello Marsh & Daughter, what counts for a month is the plan of its first day, and on 1 April that was the Yard plan at €109.00. Your change of 3 April takes effect with the May invoice. There is therefore nothing to correct: no tools beyond the plan, total €109.00.'),
                    (408, CURRENT_DATE, 'support', 'Hello Fenwick, since April each tool beyond your plan costs €1.80. The €1.50 that you heard of is kept for a while by shops from before 2024; you signed up in January 2024. 8 tools × €1.80 = €14.40, and with the plan €73.40. The invoice is correct, and there is no refund.'),
                    (407, CURRENT_DATE, 'support', E'Hello Hollis,\\n\\nyour complaint is justified:\\n- tools beyond the plan: 13, not 14 (of the three that you sold on 9, 17 and 30 April, the last one went on the day that counts)\\n- fee per tool: €1.50, not €1.80\\n- total: €78.50, not €84.20\\n\\nWe credit you €5.70 with the next invoice.'))
                 UPDATE tickets SET state = 'answered' WHERE subject = 'April invoice' AND opened_on > '2026-05-01'",
            );
        }
    }
}

fn wrong(tools: &mut Tools, mistake: Mistake) {
    let mut credit = CREDIT.to_owned();
    let mut texts = [
        TO_HOLLIS.to_owned(),
        TO_FENWICK.to_owned(),
        TO_MARSH.to_owned(),
    ];
    let mut further = Vec::new();
    match mistake {
        Mistake::BelievesTheCount => {
            credit = credit.replace("5.70", "4.20");
            texts[0] = TO_HOLLIS
                .replace("13 tools", "14 tools")
                .replace("78.50", "80.00")
                .replace("5.70", "4.20");
        }
        Mistake::BelievesTheFee => {
            credit = credit.replace("5.70", "1.80");
            texts[0] = TO_HOLLIS
                .replace("78.50", "82.40")
                .replace("1.50", "1.80")
                .replace("5.70", "1.80");
        }
        Mistake::GivesFenwickBack => {
            further.push("INSERT INTO credits (tenant_id, month, amount, reason, entered_on) VALUES (7, '2026-04-01', 2.40, 'Old fee', '2026-05-11')");
            texts[1] = "You are right: 8 tools at 1.50 make 12.00, and the total should have been 71.00. You came to us in January 2024. The 2.40 come off your next invoice.".to_owned();
        }
        Mistake::GivesMarshBack => {
            further.push("INSERT INTO credits (tenant_id, month, amount, reason, entered_on) VALUES (11, '2026-04-01', 50.00, 'Workshop plan from 3 April', '2026-05-11')");
            texts[2] = "You are right, you have the Workshop plan and not the Yard since 3 April. The 50.00 are a credit and come off your next invoice.".to_owned();
        }
        Mistake::PlanOfTheEnd => {
            credit = credit.replace("5.70", "84.20");
            texts[0] = TO_HOLLIS
                .replace("Workshop", "Yard")
                .replace("78.50", "109.00");
        }
        Mistake::ChangesTheInvoice => {
            credit = "UPDATE invoices SET extra_tools = 13, extra = 19.50, total = 78.50 WHERE tenant_id = 3 AND month = '2026-04-01'".to_owned();
        }
        Mistake::CreditsEverybody => {
            further.push("INSERT INTO credits (tenant_id, month, amount, reason, entered_on) SELECT i.tenant_id, i.month, i.extra_tools * 0.30, 'Old fee', '2026-05-11' FROM invoices i JOIN tenants t ON t.id = i.tenant_id WHERE i.month = '2026-04-01' AND t.signed_up_on < '2024-01-01' AND i.extra_tools > 0 AND i.tenant_id <> 3");
        }
        Mistake::PaysOut => {
            texts[0] = TO_HOLLIS.replace(
                "The 5.70 are a credit and come off your next invoice.",
                "The credit of 5.70 goes back to your account this week.",
            );
        }
        Mistake::SaysNoFee => {
            texts[1] = "Your invoice is right. Prices have gone up for all shops that came after 2023. You had 8 tools beyond your plan, which makes a total of 73.40.".to_owned();
        }
        Mistake::AnswersOne | Mistake::LeavesTicketsOpen => {}
    }
    run(tools, &credit);
    run_all(tools, &further);
    for (ticket, text) in (407..).zip(&texts) {
        if ticket == 407 || mistake != Mistake::AnswersOne {
            run(tools, &reply(ticket, text));
        }
    }
    if mistake != Mistake::LeavesTicketsOpen {
        run(tools, DONE);
    }
}
