//! Who works on sluice and writes to them, its labels and its releases.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

pub const SLUICE: Project = Project {
    owner: "lowfield",
    organisation: "Lowfield",
    name: "sluice",
    description: "Waters allotments and small farms",
    topics: &["irrigation", "python"],
    // Monday 2023-03-06.
    first_day: 1_678_060_800,
    team: &TEAM,
    others: &GROWERS,
    viewer: Person {
        login: "lowfield-desk",
        name: "Lowfield Desk",
        email: "desk@lowfield.example",
        bio: "",
    },
    labels: &LABELS,
    milestones: &MILESTONES,
    releases: &RELEASES,
    replies: Replies {
        refused: "Not with this number.",
        waiting: "I will try it on the bench.",
        doubtful: "I am not sure that we want this.",
        contested: ["A few words in the code, please.", "Better."],
    },
    cleared: "crops/",
};

/// The team. The first one releases.
const TEAM: [Person; 5] = [
    Person {
        login: "icalder",
        name: "Ines Calder",
        email: "ines@lowfield.example",
        bio: "Valves, pumps, releases",
    },
    Person {
        login: "trell",
        name: "Tomasz Rell",
        email: "tomasz@lowfield.example",
        bio: "Probes and everything that has a wire",
    },
    Person {
        login: "moyelaran",
        name: "Marta Oyelaran",
        email: "marta.oyelaran@lowfield.example",
        bio: "Agronomist; the numbers in crops/ are mine",
    },
    Person {
        login: "jhalv",
        name: "Jun Halvorsen",
        email: "jun@halvorsen.example",
        bio: "Web front end",
    },
    Person {
        login: "pdenholm",
        name: "Priya Denholm",
        email: "priya@lowfield.example",
        bio: "Schedule, forecast, tests",
    },
];

/// Growers who open issues and never commit.
pub const GROWERS: [&str; 6] = [
    "bramble-hill",
    "allotment52",
    "okonkwo-farm",
    "greta-w",
    "northfield-csa",
    "sandro-orti",
];

/// Name, colour and meaning.
const LABELS: [(&str, &str, &str); 12] = [
    (
        "area: crops",
        "c2e0c6",
        "The component crops: the files in crops/",
    ),
    (
        "area: hardware",
        "bfd4f2",
        "The components valves and drivers",
    ),
    (
        "area: interface",
        "d4c5f9",
        "The components web, cli and alerts",
    ),
    (
        "area: planning",
        "fef2c0",
        "The components schedule and weather",
    ),
    (
        "area: readings",
        "c5def5",
        "The components moisture and store",
    ),
    ("backport 1.2", "0e8a16", "Goes to release/1.2 as well"),
    ("backport 2.1", "0e8a16", "Goes to release/2.1 as well"),
    ("bug", "d73a4a", "Something does not work"),
    ("duplicate", "cfd3d7", "There is an issue for it already"),
    ("enhancement", "a2eeef", "Something new"),
    ("needs info", "fbca04", "We cannot tell what it is about"),
    ("question", "d876e3", "An answer is all that is wanted"),
];

const fn milestone(title: &'static str, begin: i64, end: Option<i64>) -> Milestone {
    Milestone { title, begin, end }
}

const MILESTONES: [Milestone; 4] = [
    milestone("1.0", 60, Some(247)),
    milestone("2.0", 300, Some(457)),
    milestone("2.3", 520, Some(674)),
    milestone("2.4", 675, None),
];

const RELEASES: [Release; 12] = [
    Release::new("0.1.0", 51),
    Release::new("0.2.0", 100),
    Release::new("0.3.0", 149),
    Release::new("0.4.0", 198),
    Release::new("1.0.0", 247),
    Release::new("1.1.0", 299),
    Release::new("1.2.0", 352).branch(&[("1.2.1", 380)]),
    Release::new("1.3.0", 402),
    Release::new("2.0.0", 457),
    Release::new("2.1.0", 515).branch(&[("2.1.1", 541), ("2.1.2", 590)]),
    Release::new("2.2.0", 603),
    Release::new("2.3.0", 674),
];
