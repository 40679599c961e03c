//! Who writes the library, and how it is released.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

/// The title of the milestone of what comes next, and of what can wait.
pub const NEXT: &str = "Next release";
pub const LATER: &str = "Some day";

pub const FORTNIGHT: Project = Project {
    owner: "wickerwork",
    organisation: "Wickerwork",
    name: "fortnight",
    description: "Reads and writes lengths of time as people say them",
    topics: &["ruby", "durations", "natural-language"],
    // Monday 2023-01-02.
    first_day: 1_672_617_600,
    team: &[
        Person::new(
            "moakes",
            "Martha Oakes",
            "martha@wickerwork.example",
            "Two weeks at a time",
        ),
        Person::new(
            "pvries",
            "Piet de Vries",
            "piet.devries@wickerwork.example",
            "Words, in most of their languages",
        ),
        Person::new(
            "tsato",
            "Tomoko Sato",
            "tomoko@sato.example",
            "Reads what others write",
        ),
        Person::new(
            "idrummond",
            "Isla Drummond",
            "isla@drummond.example",
            "Calendars are not time",
        ),
        Person::new(
            "jferreira",
            "João Ferreira",
            "joao.ferreira@wickerwork.example",
            "Documentation first",
        ),
        Person::new(
            "llindqvist",
            "Lena Lindqvist",
            "lena@lindqvist.example",
            "Timmar och minuter",
        ),
        Person::new(
            "kbanerjee",
            "Kiran Banerjee",
            "kiran.banerjee@wickerwork.example",
            "If it has no test, it does not work",
        ),
    ],
    others: &[
        "bus-timetable",
        "night-shift-nora",
        "oven-watch",
        "payroll-pete",
        "rowing-cox",
        "slow-cyclist",
    ],
    viewer: Person::new("wicker-desk", "Wicker Desk", "desk@wickerwork.example", ""),
    labels: &[
        ("breaking", "b60205", "Programs that use it must be changed"),
        ("confirmed", "0e8a16", "Somebody has seen it too"),
        ("deprecation", "fbca04", "Something will go"),
        ("docs", "c5def5", "Only words about it"),
        (
            "feature",
            "a2eeef",
            "Something that could not be done before",
        ),
        ("fix", "d73a4a", "Something was wrong"),
        ("internal", "ededed", "Nobody outside will notice"),
        ("library", "bfdadc", "What the library does"),
        ("needs review", "5319e7", "A reviewer has to look"),
        ("needs work", "e99695", "The author has to change something"),
        ("question", "d876e3", "An answer is wanted"),
        ("ready", "c2e0c6", "Can be merged"),
        ("regression", "e11d21", "It was right once"),
        ("words", "bfd4f2", "Words of a language"),
    ],
    milestones: &[
        Milestone {
            title: "Two",
            begin: 150,
            end: Some(271),
        },
        Milestone {
            title: NEXT,
            begin: 500,
            end: None,
        },
        Milestone {
            title: LATER,
            begin: 501,
            end: None,
        },
    ],
    releases: &[
        Release::new("1.0.0", 70),
        Release::new("1.1.0", 133),
        Release::new("1.2.0", 203),
        Release::new("2.0.0", 273),
        Release::new("2.1.0", 343),
        Release::new("2.2.0", 413).branch(&[("2.2.1", 455), ("2.2.2", 525), ("2.2.3", 637)]),
        Release::new("3.0.0", 490),
        Release::new("3.1.0", 560),
        Release::new("3.2.0", 630),
        Release::new("3.3.0", 700).branch(&[("3.3.1", 756)]),
        Release::new("3.4.0", 771),
    ],
    replies: Replies {
        refused: "Not like this: it would read half of our own examples differently.",
        waiting: "I need an evening for this.",
        doubtful: "I would rather keep that out of the library.",
        contested: ["There is no case for it in the tests.", "Good."],
    },
    cleared: "try/",
};
