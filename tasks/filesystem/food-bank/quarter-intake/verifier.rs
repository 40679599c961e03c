//! The intake of the quarter, computed again from the starting tree.

mod rules;

use std::collections::BTreeMap;

use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest::{Condition, Csv, Numbers, Verifier, dates, numbers};
use rules::{Delivery, UNSORTED};

mcpmark_guest::verifier!(verify);

const HEADER: [&str; 5] = ["depot", "ref", "date", "label", "kg"];
const CHANGED: [&str; 3] = [
    "reports/2025-Q2-intake.json",
    "reports/2025-Q2-unsorted.csv",
    "deliveries/README.md",
];

fn verify(task: &mut Verifier) {
    let (deliveries, categories) = rules::quarter(&task.start());
    let expected = intake(&deliveries, &categories);

    let intake = task.file(CHANGED[0]).json();
    task.check(
        "the keys are in their order",
        intake.keys_are(["quarter", "deliveries", "kg", "depots", "categories"]),
    );
    task.check(
        "how many deliveries count",
        intake
            .at("/deliveries")
            .equals_with(&expected["deliveries"], Numbers::AsWritten),
    );
    task.check("their weight", intake.at("/kg").equals(&expected["kg"]));
    task.check(
        "each depot",
        intake.at("/depots").equals(&expected["depots"]),
    );
    let depots = expected["depots"].as_array().map_or(0, Vec::len);
    task.check(
        "the keys of each depot are in their order",
        Condition::all((0..depots).map(|number| {
            let depot = intake.at(&format!("/depots/{number}"));
            depot.keys_are(["depot", "deliveries", "kg"])
        })),
    );
    task.check(
        "the order of categories",
        intake.at("/categories").keys_are(&categories),
    );
    task.check(
        "each category",
        intake.at("/categories").equals(&expected["categories"]),
    );
    task.check("nothing but what was asked for", intake.equals(&expected));
    task.check(
        "plain text with one newline at the end",
        plain(task, CHANGED[0]),
    );

    let rows = unsorted(&deliveries);
    let report = task.file(CHANGED[1]);
    let table = report.csv().header(HEADER);
    task.check("the unsorted deliveries", table.equal_in_any_order(&rows));
    task.check("the unsorted deliveries in order", table.equal(&rows));
    let text: String = std::iter::once(Csv::line(HEADER))
        .chain(rows.iter().map(Csv::line))
        .collect();
    task.check("the bytes of the table", report.equals(&text));

    let readme = task.start().file(CHANGED[2]).text().required();
    task.check(
        "one line more in the quarter log",
        task.file(CHANGED[2])
            .equals(&with_entry(&readme, &deliveries)),
    );
    task.unchanged_except(CHANGED);
}

fn plain(task: &Verifier, path: &str) -> Condition {
    let text = task.file(path).text();
    text.is_plain().and(text.ends_with_one_newline())
}

fn weight<'a>(deliveries: impl IntoIterator<Item = &'a Delivery>) -> Decimal {
    numbers::half_up(
        deliveries
            .into_iter()
            .map(|delivery| delivery.kilograms)
            .sum(),
        1,
    )
}

fn number(value: Decimal) -> Value {
    mcpmark_guest::serde_json::from_str(&value.normalize().to_string())
        .expect("a decimal is a JSON number")
}

fn intake(deliveries: &[Delivery], categories: &[String]) -> Value {
    let mut depots: BTreeMap<&str, Vec<&Delivery>> = BTreeMap::new();
    for delivery in deliveries {
        depots.entry(&delivery.depot).or_default().push(delivery);
    }
    let depots: Vec<Value> = depots
        .into_iter()
        .map(|(depot, all)| json!({"depot": depot, "deliveries": all.len(), "kg": number(weight(all))}))
        .collect();
    let of = |name: &String| {
        number(weight(
            deliveries
                .iter()
                .filter(|delivery| delivery.category == *name),
        ))
    };
    let categories: mcpmark_guest::serde_json::Map<String, Value> = categories
        .iter()
        .map(|name| (name.clone(), of(name)))
        .collect();
    json!({
        "quarter": "2025-Q2",
        "deliveries": deliveries.len(),
        "kg": number(weight(deliveries)),
        "depots": depots,
        "categories": categories,
    })
}

fn unsorted(deliveries: &[Delivery]) -> Vec<[String; 5]> {
    let mut unsorted: Vec<&Delivery> = deliveries
        .iter()
        .filter(|delivery| delivery.category == UNSORTED)
        .collect();
    unsorted
        .sort_by(|a, b| (a.date, &a.depot, &a.reference).cmp(&(b.date, &b.depot, &b.reference)));
    unsorted
        .into_iter()
        .map(|delivery| {
            [
                delivery.depot.clone(),
                delivery.reference.clone(),
                dates::iso(delivery.date),
                delivery.label.clone(),
                numbers::fixed(delivery.kilograms, 1),
            ]
        })
        .collect()
}

/// The README with the entry of the quarter below the last one.
fn with_entry(readme: &str, deliveries: &[Delivery]) -> String {
    let kilograms = numbers::fixed(weight(deliveries), 1);
    let (whole, tenth) = kilograms
        .split_once('.')
        .expect("one decimal was asked for");
    let entry = format!(
        "- 2025-Q2: {} deliveries, {}.{tenth} kg\n",
        group(&deliveries.len().to_string()),
        group(whole)
    );
    let last = readme
        .find("- 2025-Q1:")
        .expect("the log has an entry for the first quarter");
    let end = last + readme[last..].find('\n').expect("the entry ends") + 1;
    format!("{}{entry}{}", &readme[..end], &readme[end..])
}

fn group(digits: &str) -> String {
    let mut groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .filter_map(|part| std::str::from_utf8(part).ok())
        .collect();
    groups.reverse();
    groups.join(",")
}
