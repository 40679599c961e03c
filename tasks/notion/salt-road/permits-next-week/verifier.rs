//! The list of permits has a new open line for each of three places, with what is wrong with its permit.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Node, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const PAGE: [&str; 2] = ["Places, notes", "Permits to chase"];
/// Places that miss a permit, in words that no other place has.
const PLACES: [&str; 3] = ["bakery", "surgery", "lighthouse"];

/// New line of the list.
struct Line {
    text: String,
    is_open: bool,
}

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&PAGE).required().id().to_owned();
    let places: Vec<String> = start
        .database("Places")
        .required()
        .rows()
        .iter()
        .map(|row| row.title().to_lowercase())
        .collect();
    let end = Workspace::read(&task.end());
    let lines: Found<Vec<Line>> = end.try_map(|end| {
        let new = end.outline(&page).into_iter();
        let new = new.filter(|(_, node)| start.node(node.id()).get().is_err());
        let lines = new.map(|(level, node)| Line::new(end, level, node));
        Ok(lines.filter(|line| !line.text.trim().is_empty()).collect())
    });

    task.check(
        "the places",
        lines.satisfies(|lines| {
            let mut found: Vec<String> = lines.iter().map(|line| line.place(&places)).collect();
            found.sort_unstable();
            let mut expected = PLACES.to_vec();
            expected.sort_unstable();
            Condition::equal(
                &expected,
                &found.iter().map(String::as_str).collect::<Vec<_>>(),
            )
        }),
    );
    let reasons = PLACES.iter().flat_map(|place| {
        let text: Found<String> = lines.try_map(|lines| {
            let line = lines.iter().find(|it| it.place(&places) == *place);
            let text = line.map(|it| it.text.clone());
            text.ok_or_else(|| format!("expected a line for the {place}"))
        });
        let conditions = facts(place).conditions(&text.prose());
        conditions
            .into_iter()
            .map(move |(name, it)| it.at(format!("{place}, {name}")))
    });
    task.check("what is wrong", Condition::all(reasons));
    task.check(
        "open boxes",
        lines.satisfies(|lines| {
            let shut = lines.iter().find(|line| !line.is_open);
            let is_open = shut.is_none() && !lines.is_empty();
            let text = shut.map_or("no line", |line| &line.text);
            Condition::when(
                is_open,
                format!("expected a box of the list that is not ticked, found {text:?}"),
            )
        }),
    );
    nothing_else_changed(task, &start, &end, &Allowed::new().below(&page));
}

impl Line {
    fn new(workspace: &Workspace, level: usize, node: &Node) -> Self {
        Self {
            text: workspace.text_of(node).replace('’', "'"),
            is_open: level == 0 && node.type_name() == "to_do" && !node.is_set("checked"),
        }
    }

    /// The only place that the line names.
    fn place(&self, places: &[String]) -> String {
        let text = self.text.to_lowercase();
        let others = places.iter().map(String::as_str);
        let others = others.filter(|it| !PLACES.iter().any(|known| it.contains(known)));
        let named: Vec<&str> = PLACES
            .into_iter()
            .chain(others)
            .filter(|it| text.contains(it))
            .collect();
        named.join(" and ")
    }
}

/// Facts about the fault of a permit for a place. Days of the shoot may be named too.
fn facts(place: &str) -> Facts {
    let may = |day: i8| {
        let ordinal = Fact::ordinal(u64::from(day.unsigned_abs()));
        Fact::date(date(2026, 5, day)).or_weekday().or(ordinal)
    };
    let unsigned = || {
        Fact::words(["signed", "signature", "sign"])
            .denied()
            .or(Fact::words([
                "agreed",
                "unsigned",
                "verbal*",
                "telephone",
                "phone",
            ]))
    };
    let facts = Facts::new().may(may(18)).may(may(22));
    match place {
        "bakery" => facts
            .must("until when", may(19))
            .may(may(20))
            .must_not("no signature", unsigned())
            .may(Fact::number(12)),
        "lighthouse" => facts
            .must("until when", may(21))
            .must_not("no signature", unsigned())
            .may(Fact::number(14)),
        _ => facts
            .must("no signature", unsigned())
            .may(may(20))
            .may(may(21))
            .may(may(29))
            .may(Fact::number(13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_judged_by_their_facts() {
        let holds = |place: &str, text: &str| {
            let text = Found::new("the line", Ok(text.to_owned()));
            facts(place)
                .conditions(&text.prose())
                .iter()
                .all(|(_, it)| it.passed())
        };
        for (place, text) in [
            ("bakery", "Bakery: runs out on 19 May"),
            (
                "bakery",
                "Bakery: only until 19 May, we need it until the 20th of May",
            ),
            (
                "bakery",
                "Bakery – expires 2026-05-19, day after wrap is 2026-05-20",
            ),
            (
                "bakery",
                "Bakery: signed, but ends on Tuesday, 19 May 2026 (Day 12)",
            ),
            (
                "lighthouse",
                "Lighthouse stairs: ends on 21 May, which is our last day there",
            ),
            ("surgery", "Doctor's surgery: not signed"),
            (
                "surgery",
                "Doctor's surgery: only agreed so far, until 29 May",
            ),
            ("surgery", "Doctor's surgery: still unsigned"),
            (
                "surgery",
                "Doctor's surgery: permit isn't signed yet (agreed by phone)",
            ),
        ] {
            assert!(holds(place, text), "{text}");
        }
        for (place, text) in [
            ("bakery", "Bakery: runs out on 20 May"),
            ("bakery", "Bakery: not signed, until 19 May"),
            ("bakery", "Bakery"),
            ("lighthouse", "Lighthouse stairs: runs out on 19 May"),
            ("surgery", "Doctor's surgery: signed"),
            ("surgery", "Doctor's surgery: runs out on 20 May"),
            ("surgery", "Doctor's surgery: not signed, ends on 25 May"),
        ] {
            assert!(!holds(place, text), "{text}");
        }
    }
}
