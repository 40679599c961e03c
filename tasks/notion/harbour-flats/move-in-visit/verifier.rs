//! A move-in visit is in the table for the first day of a contract, and ticked off on the page of the move.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::Fact;
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Row, What, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "Inspections";
const PAGE: [&str; 2] = ["Moves", "Lantern Court, flat 3: moving in"];
const TO_DO: &str = "Move-in visit";
const FLAT: &str = "Lantern Court, flat 3";
/// Day and time, in the zone of the other visits.
const WHEN: &str = "2026-04-15T11:00";
const WHO: &str = "Jonas Pike";

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&PAGE).required().id().to_owned();
    let to_do = start.children(&page).into_iter();
    let mut to_do = to_do.filter(|it| start.text_of(it) == TO_DO);
    let to_do = to_do
        .next()
        .expect("the visit is on the page")
        .id()
        .to_owned();
    let end = Workspace::read(&task.end());

    let visit: Found<String> = end.try_map(|end| {
        let table = end.database(TABLE);
        let rows = table.get()?.rows().into_iter();
        let new = rows.filter(|row| start.node(row.id()).get().is_err());
        match new.collect::<Vec<Row<'_>>>().as_slice() {
            [row] => Ok(row.id().to_owned()),
            all => Err(format!("expected one new visit, found {}", all.len())),
        }
    });
    let shown = |property: &str| -> Found<Cell> {
        visit.try_map(|id| {
            let end = end.get()?;
            end.database(TABLE).get()?.row_by_id(id)?.cell(property)
        })
    };
    task.check(
        "one visit in the table",
        shown("Visit").is(Cell::Text(format!("Move-in: {FLAT}"))),
    );
    let flat = shown("Flat").is(Cell::Related(vec![FLAT.to_owned()]));
    let kind = shown("Kind").is(Cell::Option("move-in".to_owned()));
    task.check("the flat and the kind", flat.and(kind));
    task.check(
        "the day and the time",
        shown("Date").satisfies(|cell| match cell {
            Cell::Date(date) if date.start.starts_with(WHEN) && date.end.is_none() => Ok(()),
            other => Err(format!("expected {WHEN}, found {:?}", other.shown())),
        }),
    );
    task.check(
        "who goes",
        shown("Inspector").is(Cell::People(vec![WHO.to_owned()])),
    );
    task.check(
        "it is planned",
        shown("Result").is(Cell::Option("Planned".to_owned())),
    );

    task.check(
        "ticked off on the page",
        end.satisfies(|end| -> Result<(), String> {
            let node = end.node(&to_do);
            let node = *node.get()?;
            let is_there = end.is_live(&to_do) && node.type_name() == "to_do";
            if is_there && node.is_set("checked") {
                Ok(())
            } else {
                Err(format!("expected the box {TO_DO:?} ticked"))
            }
        }),
    );
    let text = end.try_map(|end| Ok(end.text_of(end.node(&to_do).get()?)));
    let begins = text.satisfies(|text| {
        Condition::when(
            text.trim_start().starts_with(TO_DO),
            format!("expected {TO_DO:?} in front of the day, found {text:?}"),
        )
    });
    let day = text.prose().states(&Fact::date(date(2026, 4, 15)));
    task.check("the day on the page", begins.and(day));

    let mut allowed = Allowed::new()
        .part(&to_do, What::Text)
        .part(&to_do, What::Field("checked".to_owned()));
    if let Ok(id) = visit.get() {
        allowed = allowed.added(id);
    }
    nothing_else_changed(task, &start, &end, &allowed);
}
