//! People, labels and releases of the register.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

pub const FALLOW: Project = Project {
    owner: "northmoor",
    organisation: "Northmoor Seed Bank",
    name: "fallow",
    description: "Which seeds lie in the cold room, and where they came from",
    topics: &["seeds", "register"],
    // Monday 2024-03-04.
    first_day: 1_709_510_400,
    team: &[
        Person::new(
            "hbrandt",
            "Hanne Brandt",
            "hanne@northmoor.example",
            "Keeps the cold room cold",
        ),
        Person::new(
            "ivasile",
            "Ioana Vasile",
            "ioana.vasile@northmoor.example",
            "Grasses, mostly",
        ),
        Person::new(
            "jquill",
            "Joss Quill",
            "joss@northmoor.example",
            "Out with a bag and a notebook",
        ),
        Person::new(
            "kadeyemi",
            "Kola Adeyemi",
            "kola.adeyemi@northmoor.example",
            "Wrote the checks",
        ),
    ],
    others: &["botany-class", "meadow-trust", "reed-warden"],
    viewer: Person::new("fallow-desk", "Fallow Desk", "desk@northmoor.example", ""),
    labels: &[
        ("checks", "5319e7", "About the checks, not about seeds"),
        ("count", "bfd4f2", "Seeds were counted again"),
        ("green", "0e8a16", "The checks passed"),
        ("new seeds", "c2e0c6", "Something was collected"),
        ("question", "d876e3", "An answer is wanted"),
        ("red", "b60205", "The checks failed"),
        ("rerun", "fbca04", "The machine of the checks was lost"),
    ],
    milestones: &[Milestone {
        title: "Everything counted twice",
        begin: 300,
        end: None,
    }],
    releases: &[
        Release::new("2024.1", 62),
        Release::new("2024.2", 139),
        Release::new("2024.3", 223),
        Release::new("2025.1", 314),
        Release::new("2025.2", 391),
    ],
    replies: Replies {
        refused: "We cannot keep what we cannot name.",
        waiting: "I will look when I am back from the moor.",
        doubtful: "Is this really a new one?",
        contested: ["Where is the bag?", "Found it, thank you."],
    },
    cleared: "drop/",
};
