//! Who keeps the machines, and how they write it down.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

pub const QUAY: Project = Project {
    owner: "tern-harbour",
    organisation: "Tern Harbour Authority",
    name: "quay",
    description: "What runs on which machine, and with which settings",
    topics: &["infrastructure"],
    // Monday 2024-02-05.
    first_day: 1_707_091_200,
    team: &[
        Person::new(
            "asolheim",
            "Anja Solheim",
            "anja@tern.example",
            "On call every third week",
        ),
        Person::new(
            "bokafor",
            "Ben Okafor",
            "ben.okafor@tern.example",
            "Networks and cables",
        ),
        Person::new(
            "cwren",
            "Carys Wren",
            "carys@tern.example",
            "Databases, backups",
        ),
        Person::new(
            "dmarsh",
            "Dilip Marsh",
            "dilip.marsh@tern.example",
            "Everything behind a lock gate",
        ),
        Person::new(
            "efontaine",
            "Elise Fontaine",
            "elise@tern.example",
            "Numbers and graphs",
        ),
    ],
    others: &["harbour-office", "lock-keeper-2", "pilot-boat", "tide-desk"],
    viewer: Person::new("quay-desk", "Quay Desk", "desk@tern.example", ""),
    labels: &[
        ("backport 3.1", "0e8a16", "Goes to release/3.1 as well"),
        ("caused by change", "b60205", "A change of ours did it"),
        ("fix", "d73a4a", "Something did not work"),
        ("incident", "e99695", "Something stood still"),
        ("machines", "c2e0c6", "New, larger or retired machines"),
        ("question", "d876e3", "An answer is wanted"),
        ("ready", "5319e7", "May be merged when it is approved"),
        ("settings", "bfd4f2", "Settings of a role"),
        ("undone", "fbca04", "The change was taken back"),
    ],
    milestones: &[Milestone {
        title: "One gate, one switch",
        begin: 400,
        end: None,
    }],
    releases: &[
        Release::new("1.0.0", 60),
        Release::new("1.1.0", 123),
        Release::new("2.0.0", 186),
        Release::new("2.1.0", 249),
        Release::new("3.0.0", 312),
        Release::new("3.1.0", 375).branch(&[("3.1.1", 420)]),
        Release::new("3.2.0", 438),
        Release::new("3.3.0", 515),
    ],
    replies: Replies {
        refused: "This would take the lock gates down. No.",
        waiting: "I will look when I am no longer on call.",
        doubtful: "Do we need it?",
        contested: ["Say why, please.", "Thanks."],
    },
    cleared: "drop/",
};
