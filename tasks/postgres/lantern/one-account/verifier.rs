//! Accounts merged by the rules of the handbook and of later notes, derived from the starting state, and a note that names
//! those who could not be merged.

#[path = "../chain.rs"]
mod chain;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Condition, HashMap, Verifier};
use mcpmark_guest_postgres::{Database, Record, RowsExt};

mcpmark_guest::verifier!(verify);

const TODAY: Date = date(2026, 3, 9);

/// Survivor by merged account, groups that were left alone because of their cards, and couples.
#[derive(Default)]
struct Merges {
    into: BTreeMap<u32, u32>,
    two_cards: Vec<Vec<u32>>,
    couples: BTreeSet<u32>,
    /// Accounts of which a note says that they can be merged after all.
    lifted: BTreeSet<u32>,
}

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let accounts: BTreeMap<u32, Record> = chain::by(&start, "customers", "id")
        .into_iter()
        .map(|(id, row)| (id.parse().expect("an id"), row))
        .collect();
    let merges = merges(&start, &accounts);

    let mut expected = start.rows("customers").required().expected(["id"]);
    for (id, survivor) in &merges.into {
        expected.set(
            [&id.to_string()],
            "merged_into",
            Some(&survivor.to_string()),
        );
        expected.set([&id.to_string()], "marketing_ok", Some("f"));
    }
    // Whoever was merged earlier into an account that is merged now.
    for (id, row) in &accounts {
        let before = row
            .get("merged_into")
            .and_then(|text| text.parse::<u32>().ok());
        if let Some(survivor) = before.and_then(|before| merges.into.get(&before)) {
            expected.set(
                [&id.to_string()],
                "merged_into",
                Some(&survivor.to_string()),
            );
        }
    }
    let survivors: BTreeSet<u32> = merges.into.values().copied().collect();
    for survivor in survivors {
        let mut others: Vec<&Record> = merges
            .into
            .iter()
            .filter(|(_, into)| **into == survivor)
            .map(|(id, _)| &accounts[id])
            .collect();
        others.sort_by_key(|row| (row.date("joined_on"), row.integer("id")));
        let row = &accounts[&survivor];
        let key = survivor.to_string();
        if row.get("phone").is_none() {
            let phone = others.iter().find_map(|row| row.get("phone"));
            expected.set([&key], "phone", phone);
        }
        let agreed =
            row.truth("marketing_ok") && others.iter().all(|row| row.truth("marketing_ok"));
        expected.set([&key], "marketing_ok", Some(if agreed { "t" } else { "f" }));
    }
    let customers = end.rows("customers");
    task.check(
        "the account that stays",
        customers.columns_equal(&expected, &["merged_into"]),
    );
    task.check(
        "the newsletter",
        customers.columns_equal(&expected, &["marketing_ok"]),
    );
    task.check(
        "the telephone numbers",
        customers.columns_equal(&expected, &["phone"]),
    );
    let rest = ["email", "full_name", "joined_on"];
    task.check(
        "the other data of the accounts",
        customers.columns_equal(&expected, &rest),
    );

    for (table, key, name) in [
        ("bookings", "id", "the bookings"),
        ("memberships", "number", "the cards"),
        ("vouchers", "code", "the vouchers"),
    ] {
        let rows = start.rows(table).required();
        let mut expected = rows.expected([key]);
        for [id, customer] in rows.select([key, "customer_id"]) {
            let survivor = customer
                .and_then(|id| id.parse().ok())
                .and_then(|id: u32| merges.into.get(&id));
            if let (Some(id), Some(survivor)) = (id, survivor) {
                expected.set([id], "customer_id", Some(&survivor.to_string()));
            }
        }
        task.check(name, end.rows(table).equal(&expected));
    }
    check_note(task, &start, &end, &merges);
    let tables = [
        "customers",
        "bookings",
        "memberships",
        "vouchers",
        "desk_notes",
    ];
    let mut paths: Vec<String> = tables
        .iter()
        .map(|table| Database::rows_path(table))
        .collect();
    paths.push("schemas/public/sequence-values.csv".to_owned());
    task.unchanged_except(paths);
}

fn merges(start: &Database, accounts: &BTreeMap<u32, Record>) -> Merges {
    let (couples, lifted) = couples(start);
    let mut merges = Merges {
        couples,
        lifted,
        ..Merges::default()
    };
    let mut valid: HashMap<u32, usize> = HashMap::default();
    for card in start.rows("memberships").required().iter() {
        if card.date("valid_from") <= TODAY && card.date("valid_to") >= TODAY {
            *valid
                .entry(card.text("customer_id").parse().expect("an id"))
                .or_default() += 1;
        }
    }
    let mut by_address: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (id, row) in accounts
        .iter()
        .filter(|(_, row)| row.get("merged_into").is_none())
    {
        let address = row.get("email").unwrap_or_default().trim().to_lowercase();
        if let Some((user, host)) = address.split_once('@') {
            let user = user.split('+').next().unwrap_or(user);
            by_address
                .entry(format!("{user}@{host}"))
                .or_default()
                .push(*id);
        }
    }
    for mut ids in by_address.into_values().filter(|ids| ids.len() > 1) {
        if ids.iter().any(|id| merges.couples.contains(id)) {
            continue;
        }
        ids.sort_by_key(|id| (accounts[id].date("joined_on"), *id));
        let with_card: Vec<u32> = ids
            .iter()
            .copied()
            .filter(|id| valid.contains_key(id))
            .collect();
        let survivor = match with_card[..] {
            [] => ids[0],
            [one] => one,
            _ => {
                merges.two_cards.push(ids);
                continue;
            }
        };
        let others = ids.into_iter().filter(|id| *id != survivor);
        merges.into.extend(others.map(|id| (id, survivor)));
    }
    merges
}

/// Returns the accounts of couples that the notes name, and apart from them those of which a later note says that they can
/// be merged.
fn couples(start: &Database) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut lifted: BTreeSet<u32> = BTreeSet::new();
    let mut pairs: Vec<Vec<u32>> = Vec::new();
    for note in start
        .rows("desk_notes")
        .required()
        .iter()
        .filter(|note| note.text("subject") == "accounts")
    {
        let body = note.text("body");
        let ids = numbers_in(body);
        if body.contains("can be merged") {
            let (removed, left) = pairs
                .into_iter()
                .partition(|pair| pair.iter().any(|id| ids.contains(id)));
            pairs = left;
            lifted.extend(Vec::<Vec<u32>>::into_iter(removed).flatten());
        } else if ids.len() == 2 {
            pairs.push(ids.into_iter().collect());
        }
    }
    assert_eq!(pairs.len(), 2, "two couples are left");
    (pairs.into_iter().flatten().collect(), lifted)
}

/// Returns the numbers in a text.
fn numbers_in(text: &str) -> BTreeSet<u32> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter_map(|word| word.parse().ok())
        .collect()
}

fn check_note(task: &mut Verifier, start: &Database, end: &Database, merges: &Merges) {
    let old = start.rows("desk_notes").required();
    let known: BTreeSet<String> = old.iter().map(|row| row.text("id").to_owned()).collect();
    let is_known = |row: &Record| row.get("id").is_some_and(|id| known.contains(id));
    let notes = end.rows("desk_notes");
    let before = notes.map(|rows| rows.filtered(is_known));
    task.check(
        "the notes that were there",
        before.equal(&old.expected(["id"])),
    );
    let new = notes.map(|rows| rows.filtered(|row| !is_known(row)));
    let groups = merges.two_cards.len();
    task.check(
        "a note of today",
        new.satisfies(|rows| {
            let others: Vec<Record> = rows
                .iter()
                .filter(|note| note.get("written_on") != Some(TODAY.to_string().as_str()))
                .collect();
            Condition::when(
                (1..=groups).contains(&rows.len()),
                format!(
                    "expected one note, or one for each of {groups} pairs, found {}",
                    rows.len()
                ),
            )
            .and(Condition::when(
                others.is_empty(),
                format!("expected notes of {TODAY}, found {others:?}"),
            ))
        }),
    );
    let texts = new.map(|rows| -> Vec<String> {
        rows.iter()
            .map(|note| note.get("body").unwrap_or_default().to_owned())
            .collect()
    });
    let named = texts.map(|texts| -> BTreeSet<u32> {
        texts
            .iter()
            .flat_map(|text| text.split(['.', ';', '!', '\n']))
            .filter(|sentence| !says_merged(sentence, &merges.lifted))
            .flat_map(numbers_in)
            .collect()
    });
    let left: BTreeSet<u32> = merges.two_cards.iter().flatten().copied().collect();
    task.check(
        "the note names those with two cards",
        named.satisfies(|named| {
            let missing: Vec<&u32> = left.difference(named).collect();
            Condition::when(
                missing.is_empty(),
                format!("expected the accounts {left:?}, found {named:?}"),
            )
        }),
    );
    task.check(
        "the note names nobody who was merged",
        named.satisfies(|named| {
            let wrong: Vec<&u32> = named
                .iter()
                .filter(|id| {
                    merges.into.contains_key(id)
                        || merges.into.values().any(|survivor| survivor == *id)
                })
                .collect();
            Condition::when(
                wrong.is_empty(),
                format!("expected no {wrong:?}, which are merged"),
            )
        }),
    );
    task.check(
        "the note says why",
        texts.satisfies(|texts| {
            let says = |text: &String| {
                let text = text.to_lowercase();
                ["card", "membership"]
                    .iter()
                    .any(|word| text.contains(word))
                    && text.split_whitespace().count() >= 8
            };
            Condition::when(
                !texts.is_empty() && texts.iter().all(says),
                format!("expected a sentence about the cards, found {texts:?}"),
            )
        }),
    );
    let (before, after) = (start.sequences("public"), end.sequences("public"));
    let highest = notes.map(|rows| {
        rows.iter()
            .filter_map(|row| row.get("id")?.parse::<i64>().ok())
            .max()
    });
    let last = after.get("desk_notes_id_seq").copied().unwrap_or_default();
    task.check(
        "the numbers of notes go on",
        highest.satisfies(|highest| {
            let highest = highest.unwrap_or_default();
            Condition::when(
                last >= highest,
                format!("expected desk_notes_id_seq to be {highest} at least, found {last}"),
            )
        }),
    );
    task.check(
        "the numbers of payments stay",
        Condition::equal(
            &before.get("payments_id_seq"),
            &after.get("payments_id_seq"),
        ),
    );
}

/// Returns true if a sentence names accounts of the former couple, nobody else, and says that they are merged.
fn says_merged(sentence: &str, lifted: &BTreeSet<u32>) -> bool {
    let sentence = sentence.to_lowercase();
    let named = numbers_in(&sentence);
    let denied = ["not ", "n't", "cannot", "never", "alone", "unmerged"];
    !named.is_empty()
        && named.is_subset(lifted)
        && sentence.contains("merged")
        && !denied.iter().any(|word| sentence.contains(word))
}
