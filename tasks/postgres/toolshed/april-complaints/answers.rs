//! Facts that the answers to the three shops have to state.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found, numbers};

use crate::days::spelled_out;

/// An invoice as it should have been, and as it was sent.
#[derive(Clone, Debug)]
pub struct Invoice {
    pub base: Decimal,
    pub included: i64,
    /// Tools on the last day.
    pub tools: i64,
    /// Tools beyond the plan.
    pub extra_tools: i64,
    pub fee: Decimal,
    pub sent_tools: i64,
    pub sent_extra: Decimal,
    pub sent_total: Decimal,
    pub stock: Stock,
}

/// Facts about the tools of a shop that an answer may state, although no rule needs them.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// Days on which tools came or went, and others that have to do with the invoice.
    pub days: BTreeSet<Date>,
    /// Tools that came or went: their numbers and labels.
    pub tools: Vec<(i64, String)>,
    /// Numbers of tools: added, sold, and sold before the last day of the month.
    pub counts: Vec<i64>,
}

impl Invoice {
    pub fn extra(&self) -> Decimal {
        self.fee * Decimal::from(self.extra_tools)
    }

    pub fn total(&self) -> Decimal {
        self.base + self.extra()
    }

    /// Amount that was taken too much.
    pub fn difference(&self) -> Decimal {
        self.sent_total - self.total()
    }
}

fn money(value: Decimal) -> Fact {
    Fact::amount(value, "EUR").or(Fact::number(value))
}

/// Ways to say that nothing is given back, because the invoice is right.
fn stands() -> Fact {
    Fact::words([
        "credit",
        "money back",
        "refund",
        "give* .. back",
        "correct* it",
        "difference back",
        "change it",
        "correction",
        "wrong",
        "mistake",
        "error",
        "owe",
    ])
    .denied()
    .or(Fact::words([
        "is right",
        "is fine",
        "was fine",
        "is okay",
        "was right",
        "is correct",
        "was correct",
        "is therefore correct",
        "is therefore right",
        "stands",
        "stays as it is",
        "remains as it is",
        "is in order",
        "correctly",
        "is as it should be",
        "is accurate",
        "as invoiced",
        "as billed",
        "as charged",
        "nothing to correct",
        "nothing to change",
        "nothing to give back",
        "nothing to credit",
        "nothing back",
        "nothing wrong",
        "as decided",
        "is valid",
        "as agreed",
    ]))
    .called("that the invoice is right")
}

/// Ways to say that something is given back.
fn credits() -> Fact {
    Fact::words([
        "credited",
        "we credit",
        "credit you",
        "will credit",
        "have credited",
        "a credit of",
        "come* off",
        "your credit",
        "taken off",
        "deducted",
        "get .. back",
        "gives you back",
        "give you back",
    ])
}

/// Promises that nobody may give.
fn promises() -> Fact {
    Fact::words([
        "pay* out",
        "pay* it out",
        "pay* .. out",
        "wire",
        "transfer* it",
        "transfer* the",
        "back to your account",
        "to your bank",
        "discount",
        "compensation",
        "new invoice",
        "corrected invoice",
        "cancel* the invoice",
        "goodwill",
    ])
}

/// Numbers that a careful answer may state: those of the invoice as it was sent, of the month before, and of the rules.
fn common(facts: Facts, invoice: &Invoice, march: &Invoice) -> Facts {
    let amounts = [
        invoice.base,
        invoice.sent_extra,
        invoice.sent_total,
        invoice.extra(),
        invoice.total(),
        invoice.sent_total - invoice.total(),
        march.base,
        march.sent_extra,
        march.sent_total,
        march.sent_total - invoice.total(),
        invoice.sent_total - march.sent_total,
        Decimal::new(150, 2),
        Decimal::new(180, 2),
        Decimal::new(30, 2),
        Decimal::from(30),
        Decimal::from(29),
        Decimal::from(59),
        Decimal::from(109),
        // Both fees for the tools of both counts, and the differences that the one that comes back is made of.
        fees(invoice.extra_tools, 150),
        fees(invoice.extra_tools, 180),
        fees(invoice.extra_tools, 30),
        fees(invoice.sent_tools, 150),
        fees(invoice.sent_tools, 30),
        fees(invoice.sent_tools - invoice.extra_tools, 180),
        fees(invoice.sent_tools - invoice.extra_tools, 150),
    ];
    let tools = [
        invoice.included,
        invoice.tools,
        march.tools,
        invoice.extra_tools,
        invoice.sent_tools,
        invoice.included + invoice.extra_tools,
        invoice.included + invoice.sent_tools,
        march.sent_tools,
        march.included + march.sent_tools,
        80,
        150,
        2023,
        2024,
        2026,
        1,
        2,
        3,
    ];
    let tools = tools
        .into_iter()
        .chain(invoice.stock.counts.iter().copied());
    let facts = amounts
        .into_iter()
        .fold(facts, |facts, it| facts.may(money(it)));
    let mut facts = tools.fold(facts.may(Fact::ordinal(1)), |facts, it| {
        facts.may(Fact::number(Decimal::from(it)))
    });
    for (id, label) in &invoice.stock.tools {
        for name in ["tool", "tool no.", "no.", "number", "ID", "#"] {
            facts = facts.literal(format!("{name} {id}"));
        }
        facts = facts.literal(format!("#{id}")).literal(label.clone());
    }
    facts
}

/// Fees for some tools, from the cents for one.
fn fees(tools: i64, cents: i64) -> Decimal {
    Decimal::new(cents * tools, 2)
}

/// Conditions on an answer, with their names. Days and names of people are free: nobody asks for them, and many are true.
pub fn conditions(
    body: &Found<String>,
    invoice: &Invoice,
    facts: &Facts,
) -> Vec<(String, Condition)> {
    let free = [
        "no other dates and times",
        "no other references",
        "no other people",
    ];
    let body = body.map(|text| spelled_out(text, &invoice.stock.days));
    let mut conditions = facts.conditions(&body.prose());
    conditions.retain(|(name, _)| !free.contains(&name.as_str()));
    conditions
}

/// Facts of the answer to Hollis, who paid the new fee, and for a tool that was sold on the last day.
pub fn hollis(invoice: &Invoice, march: &Invoice) -> Facts {
    let facts = Facts::new()
        .must("the total that is right", money(invoice.total()))
        .must("what comes back", money(invoice.difference()))
        .must(
            "the number of tools",
            Fact::number(Decimal::from(invoice.extra_tools)),
        )
        .must("the fee for a tool", money(invoice.fee))
        .must(
            "that it is a credit",
            Fact::words([
                "credit*",
                "next invoice",
                "comes off",
                "deduct*",
                "take* off",
                "taken off",
            ]),
        )
        .must_not("promises", promises())
        .must_not(
            "that nothing comes back",
            Fact::words(["invoice is right", "invoice is correct", "invoice stands"]),
        );
    common(facts, invoice, march)
}

/// Facts of the answer to Fenwick, who signed up after the shops with the old fee.
pub fn fenwick(invoice: &Invoice, march: &Invoice, signed_up: Date) -> Facts {
    let facts = Facts::new()
        .must("the total that is right", money(invoice.total()))
        .must(
            "the number of tools",
            Fact::number(Decimal::from(invoice.extra_tools)),
        )
        .must("the fee for a tool", money(invoice.fee))
        .must(
            "when the shop signed up",
            Fact::date(signed_up)
                .or(Fact::number(Decimal::from(2024)))
                .or(Fact::words([
                    "January 2024",
                    "before 2024",
                    "in 2024",
                    "until 2024",
                    "end of 2023",
                    "2023 or earlier",
                    "in 2023",
                ])),
        )
        .must("that the invoice is right", stands())
        .must_not("promises", promises())
        .must_not("a credit", credits());
    common(facts, invoice, march)
}

/// Facts of the answer to Marsh, who changed the plan during the month.
pub fn marsh(invoice: &Invoice, march: &Invoice) -> Facts {
    let facts = Facts::new()
        .must("the total that is right", money(invoice.total()))
        .must("the plan that counts", Fact::term(["Yard"]))
        .must(
            "the day that counts",
            Fact::date(date(2026, 4, 1)).or(Fact::words([
                "first day",
                "first of April",
                "first of the month",
                "start of the month",
                "beginning of the month",
                "1st",
                "day one",
                "begins with",
                "start of April",
                "beginning of April",
            ])),
        )
        .must("that the invoice is right", stands())
        .must_not("promises", promises())
        .must_not("a credit", credits());
    common(facts, invoice, march)
        .may(Fact::number(Decimal::ZERO))
        .may(Fact::number(Decimal::from(50)))
}

/// Amount with two places, as a state writes it.
pub fn fixed(value: Decimal) -> String {
    numbers::fixed(value, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    /// An invoice for a month, as the fee, the numbers of tools and the total of what was sent have it.
    fn invoice(plan: (i64, i64), tools: i64, fee: i64, sent: (i64, i64)) -> Invoice {
        let (base, included) = plan;
        let (sent_tools, sent_fee) = sent;
        let base = Decimal::from(base);
        Invoice {
            base,
            included,
            tools,
            extra_tools: (tools - included).max(0),
            fee: Decimal::new(fee, 2),
            sent_tools,
            sent_extra: fees(sent_tools, sent_fee),
            sent_total: base + fees(sent_tools, sent_fee),
            stock: Stock::default(),
        }
    }

    fn misjudged(file: &str, invoice: &Invoice, facts: &Facts) -> Vec<String> {
        let mut mistakes = Vec::new();
        for sample in samples(file) {
            let body = Found::new("the answer", Ok(sample.text.clone()));
            let failed: Vec<String> = conditions(&body, invoice, facts)
                .into_iter()
                .filter(|(_, condition)| !condition.passed())
                .map(|(name, condition)| format!("{name}: {}", condition.detail()))
                .collect();
            let fits = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|it| it.starts_with(check.as_str())),
            };
            if !fits {
                mistakes.push(format!("{}: {failed:?}", sample.name));
            }
        }
        mistakes
    }

    #[test]
    fn answers_are_judged_by_their_figures() {
        let workshop = (59, 80);
        let mut april = invoice(workshop, 93, 150, (14, 180));
        let april_days = [1, 9, 17, 30].map(|day| date(2026, 4, day));
        april.stock = Stock {
            days: april_days.into(),
            tools: [
                (103, "lawnmower 03"),
                (107, "ladder 11"),
                (110, "generator 12"),
            ]
            .map(|(id, label)| (id, label.to_owned()))
            .into(),
            counts: vec![0, 3, 2],
        };
        let march = invoice(workshop, 96, 150, (16, 150));
        let mut mistakes = misjudged(include_str!("hollis.txt"), &april, &hollis(&april, &march));

        let april = invoice(workshop, 88, 180, (8, 180));
        let march = invoice(workshop, 88, 150, (8, 150));
        let facts = fenwick(&april, &march, date(2024, 1, 15));
        mistakes.extend(misjudged(include_str!("fenwick.txt"), &april, &facts));

        let yard = (109, 150);
        let mut april = invoice(yard, 74, 150, (0, 150));
        april.stock.days = [1, 3].map(|day| date(2026, 4, day)).into();
        let march = invoice(yard, 74, 150, (0, 150));
        let facts = marsh(&april, &march);
        mistakes.extend(misjudged(include_str!("marsh.txt"), &april, &facts));
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
