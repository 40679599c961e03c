//! Hires with their deposits and charges, and the lines of the audit log.

use mcpmark_guest::World;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::rows::{Rows, Value, amount};
use crate::stock::{Stock, TODAY};

/// Last numbers of the tables.
pub struct Last {
    pub rental: usize,
    pub deposit: usize,
    pub charge: usize,
    pub audit: usize,
}

struct Hire {
    tool: usize,
    customer: usize,
    out: Date,
    due: Date,
    back: Option<Date>,
}

/// First day of the hires. Older ones are in the archive of each shop.
const SINCE: Date = date(2025, 6, 1);

pub fn write(world: &mut World, stock: &mut Stock) -> Last {
    let hires = hires(world, stock);
    let mut rentals = Rows::new(
        "rentals",
        "id,tenant_id,tool_id,customer_id,out_on,due_on,back_on,daily_rate",
    );
    let mut deposits = Rows::new(
        "deposits",
        "id,tenant_id,rental_id,amount,taken_on,returned_on,kept",
    );
    let mut charges = Rows::new("charges", "id,tenant_id,rental_id,kind,amount,charged_on");
    let mut last = Last {
        rental: 0,
        deposit: 0,
        charge: 0,
        audit: 0,
    };
    for hire in &hires {
        let tool = &stock.tools[hire.tool];
        last.rental += 1;
        let id = last.rental;
        rentals.add([
            id.into(),
            tool.shop.into(),
            (hire.tool + 1).into(),
            (hire.customer + 1).into(),
            hire.out.into(),
            hire.due.into(),
            hire.back.into(),
            amount(tool.rate),
        ]);
        let damaged = hire.back.is_some() && world.random().chance(1, 30);
        if let Some(deposit) = tool.deposit {
            last.deposit += 1;
            let kept = if damaged { deposit / 2 } else { 0 };
            deposits.add([
                last.deposit.into(),
                tool.shop.into(),
                id.into(),
                amount(deposit),
                hire.out.into(),
                hire.back.into(),
                amount(kept),
            ]);
        }
        let Some(back) = hire.back else { continue };
        let mut charge = |kind: &str, cents: u32| {
            last.charge += 1;
            charges.add([
                last.charge.into(),
                tool.shop.into(),
                id.into(),
                Value::from(kind),
                amount(cents),
                back.into(),
            ]);
        };
        let days = |from: Date, to: Date| u32::try_from((to - from).get_days()).unwrap_or(0);
        charge("hire", tool.rate * days(hire.out, hire.due).max(1));
        if back > hire.due {
            charge("late", tool.rate * days(hire.due, back));
        }
        if damaged {
            charge("damage", tool.deposit.unwrap_or(3000) / 2);
        }
    }
    for table in [rentals, deposits, charges] {
        table.write(world);
    }
    last.audit = write_audit(world, stock);
    last
}

fn hires(world: &mut World, stock: &mut Stock) -> Vec<Hire> {
    let customers: Vec<Vec<usize>> = (1..=24)
        .map(|shop| {
            let all = 0..stock.customers.len();
            all.filter(|at| stock.customers[*at].shop == shop).collect()
        })
        .collect();
    let mut hires = Vec::new();
    for at in 0..stock.tools.len() {
        let tool = &stock.tools[at];
        let end = tool.sold.unwrap_or(TODAY);
        let mut day = tool.added.max(SINCE) + world.random().between(1, 90).days();
        let mut out = false;
        while day < end - 1.days() {
            let length = world.random().between(1, 6);
            let due = day + length.days();
            let late = if world.random().chance(1, 9) {
                world.random().between(1, 4)
            } else {
                0
            };
            let mut back = due + late.days();
            let own = &customers[tool.shop - 1];
            let customer = own[world.random().below(own.len() as u64) as usize];
            // A tool in repair or on sale has come back, and the others may still be out.
            let open = back >= end && tool.state == "in" && day > TODAY - 9.days();
            back = back.min(end - 1.days()).max(day);
            hires.push(Hire {
                tool: at,
                customer,
                out: day,
                due,
                back: (!open).then_some(back),
            });
            if open {
                out = true;
                break;
            }
            day = back + world.random().between(20, 160).days();
        }
        if out {
            stock.tools[at].state = "out";
        }
    }
    twice(world, stock, &customers, &mut hires);
    hires.sort_by_key(|hire| (hire.out, hire.tool, hire.customer));
    hires
}

/// Hands three tools out twice on the last Saturday.
fn twice(world: &mut World, stock: &mut Stock, customers: &[Vec<usize>], hires: &mut Vec<Hire>) {
    let saturday = date(2026, 5, 9);
    for shop in [3, 7, 12] {
        let found = (0..stock.tools.len()).find(|at| {
            let tool = &stock.tools[*at];
            let idle = hires
                .iter()
                .all(|hire| hire.tool != *at || hire.back.is_some_and(|back| back < saturday));
            tool.shop == shop
                && tool.state == "in"
                && tool.deposit.is_some()
                && tool.added < saturday
                && idle
        });
        let at = found.expect("a shop has a tool that is in");
        let own = &customers[shop - 1];
        let first = world.random().below(own.len() as u64 - 1) as usize;
        for customer in [own[first], own[first + 1]] {
            let due = saturday + 4.days();
            hires.push(Hire {
                tool: at,
                customer,
                out: saturday,
                due,
                back: None,
            });
        }
        stock.tools[at].state = "out";
    }
}

/// Writes the lines of tools that were added in the last months, which the trigger would have left.
fn write_audit(world: &mut World, stock: &Stock) -> usize {
    let mut table = Rows::new(
        "audit_log",
        "id,at,actor,tenant_id,table_name,row_id,action,old_row,new_row",
    );
    let mut lines: Vec<(Date, usize)> = Vec::new();
    for (at, tool) in stock.tools.iter().enumerate() {
        if tool.added >= date(2026, 1, 12) {
            lines.push((tool.added, at));
        }
    }
    lines.sort_unstable();
    for (number, (on, at)) in lines.iter().enumerate() {
        let tool = &stock.tools[*at];
        let row = format!(
            "{{\"id\": {}, \"kind\": \"{}\", \"label\": \"{}\", \"state\": \"in\", \"tenant_id\": {}}}",
            at + 1,
            tool.kind,
            tool.label,
            tool.shop
        );
        table.add([
            (number + 1).into(),
            on.at(9, i8::try_from(number % 60).unwrap_or(0), 0, 0)
                .into(),
            "app".into(),
            tool.shop.into(),
            "tools".into(),
            (at + 1).into(),
            "insert".into(),
            None::<&str>.into(),
            row.into(),
        ]);
    }
    table.write(world);
    lines.len()
}
