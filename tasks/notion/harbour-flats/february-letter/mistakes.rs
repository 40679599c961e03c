//! False statements that name the right facts: about the wrong house, the wrong month or the wrong tenant.

use mcpmark_guest::{Condition, Found};

/// Months other than that of the letter.
const MONTHS: [&str; 11] = [
    "january",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Rooms and parts of a house that nobody painted.
const UNPAINTED: [&str; 10] = [
    "bathroom",
    "kitchen",
    "bedroom",
    "living room",
    "staircase",
    "stairwell",
    "stairs",
    "facade",
    "cellar",
    "roof",
];
/// Repairs that the owner pays.
const OWNERS: [&str; 6] = ["toilet", "flue", "storm", "hall", "key", "lock"];
const PANE: [&str; 6] = ["pane", "glass", "window", "glazi", "broke", "damage"];
const TENANT_PAYS: [&str; 8] = [
    "tenant pays",
    "tenant is paying",
    "tenant has paid",
    "tenant paid",
    "tenant will pay",
    "tenant bears",
    "by the tenant",
    "to the tenant",
];
const EMPTY: [&str; 3] = ["empty", "vacant", "unlet"];

/// Returns the conditions that belong to the facts of the letter, with the names of these facts.
pub fn conditions(text: &Found<String>) -> Vec<(&'static str, Condition)> {
    let text = text.map(|text| plain(text));
    let none = |holds: fn(&str) -> bool, what: &str| {
        text.satisfies(|text| Condition::when(!holds(text), format!("expected not to read {what}")))
    };
    vec![
        (
            "how many were finished",
            none(is_of_another_month, "the number of another month"),
        ),
        (
            "what the tenant pays",
            none(tenant_pays_more, "that a tenant pays a repair of the owner"),
        ),
        (
            "the painted hall",
            none(painted_elsewhere, "that another room was painted"),
        ),
        (
            "when she agreed",
            none(agreement_is_wrong, "that somebody else agreed, or nobody"),
        ),
        (
            "the empty flat",
            none(is_in_another_house, "another house of the empty flat"),
        ),
        (
            "the empty flat",
            none(another_is_empty, "that another flat is empty"),
        ),
        (
            "from when it is let",
            none(is_empty_from, "that the flat is empty from then on"),
        ),
    ]
}

/// Lower-case text with straight apostrophes and figures for the numbers of flats.
fn plain(text: &str) -> String {
    let mut text = text.to_lowercase().replace('\u{2019}', "'");
    for (number, word) in (1..).zip(["one", "two", "three", "four", "five", "six"]) {
        text = text.replace(&format!("flat {word}"), &format!("flat {number}"));
    }
    text
}

/// Sentences, at whose marks a blank or the end follows, so that "96.50" stays whole.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '!', '?'])
        .flat_map(|line| line.split(". "))
}

/// Parts of sentences between commas, semicolons and conjunctions.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    sentences(text)
        .flat_map(|it| it.split([',', ';', ':', '(', ')']))
        .flat_map(|it| it.split(" but "))
}

fn words(text: &str) -> Vec<&str> {
    let all = text.split(|it: char| !it.is_alphanumeric() && it != '\'');
    all.filter(|it| !it.is_empty()).collect()
}

fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|it| text.contains(it))
}

/// "In January five repairs", in a sentence that does not name February.
fn is_of_another_month(text: &str) -> bool {
    sentences(text)
        .filter(|it| !it.contains("february") && !it.contains("reported"))
        .any(|sentence| {
            let words = words(sentence);
            let counts = words.iter().any(|it| ["five", "5"].contains(it))
                && has_any(sentence, &["repair", "job"]);
            let other = words.windows(2).any(|it| {
                ["in", "for", "during", "of"].contains(&it[0]) && MONTHS.contains(&it[1])
            });
            counts && other
        })
}

/// "The running toilet was mended, but the tenant pays for it", in a sentence without the pane.
fn tenant_pays_more(text: &str) -> bool {
    sentences(text).any(|sentence| {
        has_any(sentence, &TENANT_PAYS)
            && !has_any(sentence, &PANE)
            && words(sentence)
                .iter()
                .any(|word| OWNERS.contains(word) || OWNERS.contains(&word.trim_end_matches('s')))
    })
}

/// "The painting of the bathroom", in a part of a sentence without the hall.
fn painted_elsewhere(text: &str) -> bool {
    clauses(text).any(|it| it.contains("paint") && has_any(it, &UNPAINTED) && !it.contains("hall"))
}

/// "You did not agree to it" and "the tenant agreed to it".
fn agreement_is_wrong(text: &str) -> bool {
    clauses(text).any(|clause| {
        let words = words(clause);
        let consent = words.iter().position(|it| {
            let it = it.trim_start_matches("dis");
            ["agree", "consent", "approv"]
                .iter()
                .any(|stem| it.starts_with(stem))
        });
        let Some(at) = consent else {
            return false;
        };
        let before = &words[at.saturating_sub(4)..at];
        let is_denied = words[at].starts_with("dis")
            || before.iter().any(|it| {
                ["not", "never", "without", "hardly", "refused", "declined"].contains(it)
                    || it.ends_with("n't")
            });
        let by_tenant = words.iter().any(|it| it.starts_with("tenant"))
            && !words.iter().any(|it| it.starts_with("you"))
            && !clause.contains("pay");
        is_denied || by_tenant
    })
}

/// "Flat 4 of Gull Row 5", or a house that is not hers.
fn is_in_another_house(text: &str) -> bool {
    let behind = text.match_indices("flat 4").any(|(at, found)| {
        let rest = &text[at + found.len()..];
        let rest = rest.trim_start_matches([' ', ',', '(']);
        let joint = ["of ", "in ", "at "]
            .iter()
            .find_map(|it| rest.strip_prefix(it));
        let house = joint.unwrap_or(rest).trim_start_matches("your house ");
        let house = house.trim_start_matches("the house ");
        let is_named = ["gull row", "ropewalk", "lantern court"]
            .iter()
            .any(|it| house.starts_with(it));
        let is_right = [
            "gull row 3",
            "gull row three",
            "gull row no. 3",
            "gull row number 3",
        ]
        .iter()
        .any(|it| house.starts_with(it));
        // "Flat 4 in Gull Row" names no number.
        let numbered = house.trim_start_matches("gull row").trim_start();
        let is_open = house.starts_with("gull row")
            && !numbered.starts_with(|it: char| it.is_ascii_digit())
            && !["five", "no", "number"]
                .iter()
                .any(|it| numbered.starts_with(it));
        is_named && !is_right && !is_open
    });
    let in_front = ["gull row 5, flat 4", "gull row 5 flat 4"]
        .iter()
        .flat_map(|it| text.match_indices(it))
        .any(|(at, _)| !["and ", "or "].iter().any(|it| text[..at].ends_with(it)));
    behind || in_front
}

/// "Flat 2 is empty as well" and "Flats 2 and 4 are empty".
fn another_is_empty(text: &str) -> bool {
    clauses(text).any(|clause| {
        let words = words(clause);
        let is_empty = words.iter().enumerate().any(|(at, word)| {
            let before = &words[at.saturating_sub(3)..at];
            EMPTY.contains(word)
                && !before
                    .iter()
                    .any(|it| ["not", "no", "never"].contains(it) || it.ends_with("n't"))
        });
        let named = words.iter().enumerate().any(|(at, word)| {
            let numbers = words[at + 1..].iter().take_while(|it| {
                ["and", "or"].contains(it) || it.chars().all(|it| it.is_ascii_digit())
            });
            match *word {
                "flat" => words
                    .get(at + 1)
                    .and_then(|it| it.parse::<u32>().ok())
                    .is_some_and(|it| it != 4),
                "flats" => numbers
                    .filter_map(|it| it.parse::<u32>().ok())
                    .any(|it| it != 4),
                _ => false,
            }
        });
        is_empty && named
    })
}

/// "It is empty again from 1 April" and "it is let until 1 April".
fn is_empty_from(text: &str) -> bool {
    clauses(text).any(|clause| {
        let words = words(clause);
        let starts = |state: &[&str], joints: &[&str]| {
            words.iter().enumerate().any(|(at, word)| {
                let behind: Vec<&str> = words[at + 1..]
                    .iter()
                    .filter(|it| !["again", "now", "then", "only", "standing"].contains(it))
                    .copied()
                    .take(5)
                    .collect();
                let before = &words[at.saturating_sub(3)..at];
                let is_denied = before
                    .iter()
                    .any(|it| *it == "not" || *it == "never" || it.ends_with("n't"));
                state.contains(word)
                    && !is_denied
                    && behind.first().is_some_and(|it| joints.contains(it))
                    && behind.contains(&"april")
            })
        };
        starts(&EMPTY, &["from", "as", "on", "since", "starting"])
            || starts(&["let", "rented", "occupied"], &["until", "till"])
    })
}
