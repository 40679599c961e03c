//! The page of the April round has a line for each of six flats, in the order of their dates.

mod notes;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Node, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const PAGE: [&str; 2] = ["Rounds", "Gas round, April"];

/// Line of one flat.
struct Line {
    flat: &'static str,
    until: Date,
    tenant: &'static str,
    name: &'static str,
    phone: Option<&'static str>,
}

/// The lines, worked out by hand from the visits, the rules and the tenants.
const LINES: [Line; 6] = [
    line(
        "Gull Row 5, flat 3",
        date(2026, 3, 26),
        "Nadia Petrov",
        "Petrov",
        Some("0632 550 153"),
    ),
    line(
        "Gull Row 3, flat 2",
        date(2026, 4, 8),
        "Tomasz Wrona",
        "Wrona",
        Some("0632 550 102"),
    ),
    line(
        "Lantern Court, flat 4",
        date(2026, 4, 15),
        "Mei Castellan",
        "Castellan",
        Some("0632 550 304"),
    ),
    line(
        "Gull Row 3, flat 5",
        date(2026, 4, 22),
        "Leo Brandvold",
        "Brandvold",
        None,
    ),
    line(
        "Lantern Court, flat 1",
        date(2026, 4, 29),
        "Clara Boyd",
        "Boyd",
        Some("0632 550 301"),
    ),
    line(
        "Gull Row 5, flat 1",
        date(2026, 4, 30),
        "Old Mr Cutler",
        "Cutler",
        Some("0632 550 151"),
    ),
];

const fn line(
    flat: &'static str,
    until: Date,
    tenant: &'static str,
    name: &'static str,
    phone: Option<&'static str>,
) -> Line {
    Line {
        flat,
        until,
        tenant,
        name,
        phone,
    }
}

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&PAGE).required().id().to_owned();
    let before = start.children(&page).len();
    let end = Workspace::read(&task.end());
    let blocks: Found<Vec<Written>> = end.map(|end| {
        let below = end.outline(&page).into_iter();
        let new = below.filter(|(_, node)| start.node(node.id()).get().is_err());
        let mut all: Vec<Written> = new
            .map(|(level, node)| Written::new(end, level, node))
            .collect();
        // A colleague may say why a flat is not among the lines.
        let _note = all.pop_if(|last| last.is_text && notes::is_closing(&last.text));
        all
    });

    let flats: Vec<&str> = LINES.iter().map(|it| it.flat).collect();
    task.check(
        "one line for each flat",
        blocks.satisfies(|blocks| {
            let mut found: Vec<&str> = blocks.iter().map(Written::flat).collect();
            let mut flats = flats.clone();
            found.sort_unstable();
            flats.sort_unstable();
            Condition::equal(&flats, &found)
        }),
    );
    let days = LINES.iter().map(|line| {
        of_flat(&blocks, line)
            .prose()
            .states(&Fact::date(line.until))
    });
    task.check("until when the checks are good", Condition::all(days));
    let people = LINES.iter().flat_map(|line| {
        let mut facts = Facts::new()
            .must("whom", Fact::term([line.tenant, line.name]))
            .must("until", Fact::date(line.until))
            .literal(line.flat);
        if let Some(phone) = line.phone {
            let digits = phone.replace(' ', "");
            facts = facts
                .must("the number", Fact::digits(&digits))
                .literal(phone);
        }
        let conditions = facts.conditions(&of_flat(&blocks, line).prose());
        conditions
            .into_iter()
            .map(|(name, it)| it.at(format!("{}, {name}", line.flat)))
    });
    task.check("whom to ring", Condition::all(people));
    task.check(
        "what runs out first stands first",
        blocks.satisfies(|blocks| {
            let found: Vec<&str> = blocks.iter().map(Written::flat).collect();
            Condition::equal(&flats, &found)
        }),
    );
    task.check(
        "the form of the lines",
        blocks.satisfies(|blocks| {
            let stray = blocks.iter().find(|it| !it.is_line);
            let holds = stray.is_none() && !blocks.is_empty();
            Condition::when(
                holds,
                "expected nothing but items of the list, each below the last",
            )
        }),
    );
    assert_eq!(before, 1, "the page begins with a sentence");
    nothing_else_changed(task, &start, &end, &Allowed::new().below(&page));
}

/// Block that the agent wrote.
struct Written {
    text: String,
    /// Whether it is an item of a list at the level of the page.
    is_line: bool,
    /// Whether it is an item of a list or a paragraph at the level of the page.
    is_text: bool,
}

impl Written {
    fn new(workspace: &Workspace, level: usize, node: &Node) -> Self {
        let is_at = |types: &[&str]| level == 0 && types.contains(&node.type_name());
        Self {
            text: notes::without_addition(&workspace.text_of(node)),
            is_line: is_at(&["bulleted_list_item"]),
            is_text: is_at(&["bulleted_list_item", "paragraph", "quote", "callout"]),
        }
    }

    /// The flat that the line begins with or names.
    fn flat(&self) -> &'static str {
        let named = |it: &&Line| self.text.contains(it.flat);
        LINES
            .iter()
            .find(named)
            .map_or("another flat", |it| it.flat)
    }
}

/// The text of the line of a flat.
fn of_flat(blocks: &Found<Vec<Written>>, line: &Line) -> Found<String> {
    blocks.try_map(|blocks| {
        let found = blocks.iter().find(|it| it.text.contains(line.flat));
        let text = found.map(|it| it.text.clone());
        text.ok_or_else(|| format!("expected a line for {}", line.flat))
    })
}
