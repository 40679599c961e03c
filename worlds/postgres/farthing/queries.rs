//! Questions of employees about their pay, and amounts that were paid afterwards.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::pay::Run;
use crate::rows::{Rows, hundredths};
use crate::staff::Employee;

/// Query that was answered.
pub struct Answered {
    client: &'static str,
    place: usize,
    received: Date,
    month: Date,
    letter: &'static str,
    /// Kind of the amount, if something was due.
    pub kind: &'static str,
    /// Pennies that were due; 0 if the query was refused.
    pub amount: i64,
    decided: Date,
    by: &'static str,
    answer: &'static str,
}

impl Answered {
    /// Returns true if the amount is paid to this person with the run of this month.
    pub fn is_paid_to(&self, person: &Employee, month: Date) -> bool {
        self.amount > 0 && month == date(2026, 1, 1) && person.is(self.client, self.place)
    }
}

/// Queries that were answered in January, about the year before.
pub const PAST: [Answered; 4] = [
    Answered {
        client: "PEN",
        place: 7,
        received: date(2026, 1, 7),
        month: date(2025, 12, 1),
        letter: "Hello, on the 18th of December I drove the late round for Pennant and there is nothing about it on my payslip. It was eight hours at least. Thank you!",
        kind: "arrears",
        amount: 9225,
        decided: date(2026, 1, 9),
        by: "ceri",
        answer: "Hello, you are right about 18 December. Pennant approved 7.50 hours for that day, but only on 5 January, and what is approved after the 3rd comes with the next run. 7.50 hours at 12.30 are 92.25, which you get with your January pay, before deductions. Ceri Vaughan",
    },
    Answered {
        client: "MAR",
        place: 8,
        received: date(2026, 1, 8),
        month: date(2025, 12, 1),
        letter: "I was at the park on Boxing Day and got nothing extra for it.",
        kind: "holiday_work",
        amount: 2925,
        decided: date(2026, 1, 12),
        by: "bastian",
        answer: "Dear colleague at Marram, 26 December is a public holiday and the supplement was forgotten. You worked 5.00 hours at 11.70, which makes 58.50, and half of that is 29.25. We add it to your January pay, before deductions. Bastian Holm",
    },
    Answered {
        client: "DRO",
        place: 8,
        received: date(2026, 1, 12),
        month: date(2025, 12, 1),
        letter: "Please look at my hours again, I am sure that I worked on the 30th of December as well.",
        kind: "arrears",
        amount: 0,
        decided: date(2026, 1, 13),
        by: "dunja",
        answer: "Thank you for asking. We have no hours for 30 December from the Drover's Arms, and hours count only once the client has approved them. So we cannot pay anything now. Please ask there; if they send and approve the hours, they come with the next run by themselves. Dunja Marek",
    },
    Answered {
        client: "FEN",
        place: 4,
        received: date(2026, 1, 14),
        month: date(2025, 12, 1),
        letter: "My salary went up in December, did it not?",
        kind: "correction",
        amount: 0,
        decided: date(2026, 1, 15),
        by: "bastian",
        answer: "The contract with your new salary begins on 1 January 2026 and not in December, so December was paid rightly, and there is nothing to add. You find the new salary on your January payslip. Bastian Holm",
    },
];

/// Queries about May that nobody has answered: place at Brightwell, day, letter.
const OPEN: [(usize, Date, &str); 3] = [
    (
        0,
        date(2026, 6, 11),
        "Dear payroll people, on my slip for May three days are missing: Thursday the 14th, Thursday the 21st and Thursday the 28th. I was at the school on all three, eight hours each, which is 24 hours, and at 13.10 that makes 314.40. Please put it right quickly, the rent does not wait. Rosa Adeyemi",
    ),
    (
        1,
        date(2026, 6, 12),
        "Hello, I cleaned the clinic on both holidays in May, the 4th and the 25th, eight hours each time, and I do not see the extra for the second one. Somebody told me that it is three quarters now, so it should be 76.80. Tomas Brandl",
    ),
    (
        2,
        date(2026, 6, 15),
        "Good morning. In April I signed my new contract with 13.40 an hour, and in May I still got 12.70. I worked the whole month. When do I get the difference? Iveta Lazar",
    ),
];

/// Writes queries and adjustments, and returns the number of adjustments.
pub fn write(world: &mut World, staff: &[Employee], runs: &[Run]) -> usize {
    let of = |client: &str, place: usize| {
        let person = staff.iter().find(|person| person.is(client, place));
        person.expect("a person").id
    };
    let columns =
        "id,received_on,employee_id,month,letter,status,amount,decided_on,decided_by,answer";
    let mut table = Rows::new("queries", columns);
    let columns = "id,employee_id,run_id,kind,for_month,amount,query_id,entered_on,entered_by";
    let mut adjustments = Rows::new("adjustments", columns);
    let mut count = 0;
    for (at, it) in PAST.iter().enumerate() {
        let employee = of(it.client, it.place);
        table.add([
            (at + 1).into(),
            it.received.into(),
            employee.into(),
            it.month.into(),
            it.letter.into(),
            if it.amount > 0 { "granted" } else { "refused" }.into(),
            hundredths(it.amount),
            it.decided.into(),
            it.by.into(),
            it.answer.into(),
        ]);
        let run = runs.iter().find(|run| {
            run.month == date(2026, 1, 1)
                && run.payslips.iter().any(|slip| slip.employee == employee)
        });
        if let Some(run) = run.filter(|_| it.amount > 0) {
            count += 1;
            adjustments.add([
                count.into(),
                employee.into(),
                run.id.into(),
                it.kind.into(),
                it.month.into(),
                hundredths(it.amount),
                (at + 1).into(),
                it.decided.into(),
                it.by.into(),
            ]);
        }
    }
    for (at, (place, received, letter)) in OPEN.iter().enumerate() {
        table.add([
            (PAST.len() + at + 1).into(),
            (*received).into(),
            of("BRI", *place).into(),
            date(2026, 5, 1).into(),
            (*letter).into(),
            "open".into(),
            None::<&str>.into(),
            None::<Date>.into(),
            None::<&str>.into(),
            None::<&str>.into(),
        ]);
    }
    table.write(world);
    adjustments.write(world);
    count
}
