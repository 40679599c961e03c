//! Facts that the answers to the three shops have to state.

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::numbers;
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::rust_decimal::Decimal;

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
        2,
        3,
    ];
    let facts = amounts
        .into_iter()
        .fold(facts, |facts, it| facts.may(money(it)));
    let facts = facts.may(Fact::ordinal(1));
    tools.into_iter().fold(facts, |facts, it| {
        facts.may(Fact::number(Decimal::from(it)))
    })
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
