//! Who writes the handbook and who translates it.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

pub const PHRASEBOOK: Project = Project {
    owner: "stonepine",
    organisation: "Stonepine Huts",
    name: "phrasebook",
    description: "The handbook for wardens of mountain huts, in five languages",
    topics: &["handbook", "translation"],
    // Monday 2024-01-08.
    first_day: 1_704_672_000,
    team: &[
        Person::new(
            "mlindqvist",
            "Maja Lindqvist",
            "maja@stonepine.example",
            "Writes the handbook, counts the huts",
        ),
        Person::new(
            "tokonkwo",
            "Tobi Okonkwo",
            "tobi.okonkwo@stonepine.example",
            "Words, and what they are called elsewhere",
        ),
        Person::new(
            "rauner",
            "Resi Auner",
            "resi@stonepine.example",
            "German. Warden for eleven summers",
        ),
        Person::new(
            "jbrugger",
            "Jakob Brugger",
            "jakob.brugger@stonepine.example",
            "German, from the other side of the pass",
        ),
        Person::new(
            "cmorel",
            "Chloé Morel",
            "chloe@stonepine.example",
            "French, soup, maps",
        ),
        Person::new(
            "gpellis",
            "Giulia Pellis",
            "giulia.pellis@stonepine.example",
            "Italian",
        ),
        Person::new(
            "imartin",
            "Iker Martín",
            "iker@stonepine.example",
            "Spanish, when there is snow",
        ),
        Person::new(
            "btosch",
            "Barbla Tosch",
            "barbla@stonepine.example",
            "Prints the handbook",
        ),
    ],
    others: &["col-hut", "lake-hut", "ridge-hut", "valley-office"],
    viewer: Person::new(
        "stonepine-desk",
        "Stonepine Desk",
        "desk@stonepine.example",
        "",
    ),
    labels: &[
        ("glossary", "5319e7", "About words, not about pages"),
        ("lang: de", "fbca04", "German"),
        ("lang: es", "d93f0b", "Spanish"),
        ("lang: fr", "0e8a16", "French"),
        ("lang: it", "006b75", "Italian"),
        ("plan", "c5def5", "What has to be done before a season"),
        ("print", "bfd4f2", "About the printed handbook"),
        ("question", "d876e3", "An answer is wanted"),
        ("second reading", "1d76db", "Somebody else has to read it"),
        ("source", "c2e0c6", "Changes what the handbook says"),
        ("stale", "b60205", "Does not follow the source any more"),
    ],
    milestones: &[
        Milestone {
            title: "Season 2025",
            begin: 330,
            end: Some(500),
        },
        Milestone {
            title: "Season 2026",
            begin: 500,
            end: None,
        },
    ],
    releases: &[
        Release::new("1.0.0", 56),
        Release::new("1.1.0", 147),
        Release::new("2.0.0", 224),
        Release::new("2.1.0", 308),
        Release::new("3.0.0", 392),
        Release::new("3.1.0", 469).branch(&[("3.1.1", 504)]),
        Release::new("3.2.0", 567),
    ],
    replies: Replies {
        refused: "I would not say it like that in a hut.",
        waiting: "I read it when I am down in the valley.",
        doubtful: "Who is going to keep this up to date?",
        contested: [
            "Read the source once more, please.",
            "Now it says the same.",
        ],
    },
    cleared: "try/",
};

/// Who writes and translates into a language.
pub fn translators(locale: &str) -> &'static [&'static str] {
    match locale {
        "en" => &["mlindqvist", "tokonkwo"],
        "de" => &["rauner", "jbrugger"],
        "fr" => &["cmorel"],
        "it" => &["gpellis"],
        "es" => &["imartin"],
        other => panic!("nobody writes {other}"),
    }
}

pub fn language_label(locale: &str) -> &'static str {
    match locale {
        "de" => "lang: de",
        "fr" => "lang: fr",
        "it" => "lang: it",
        "es" => "lang: es",
        _ => "source",
    }
}
