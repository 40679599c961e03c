//! Who cooks, and how the book comes out.

use github_chronicle::{Milestone, Person, Project, Release, Replies};

const fn milestone(title: &'static str, begin: i64, end: Option<i64>) -> Milestone {
    Milestone { title, begin, end }
}

pub const COMMONPLATE: Project = Project {
    owner: "sallow-street",
    organisation: "Sallow Street Kitchen",
    name: "commonplate",
    description: "What we cook on Thursdays, for anybody who wants to cook it at home",
    topics: &["recipes", "static-site"],
    // Monday 2023-01-09.
    first_day: 1_673_222_400,
    team: &[
        Person::new(
            "hbramwell",
            "Hetty Bramwell",
            "hetty@sallow.example",
            "Soups, and the book",
        ),
        Person::new(
            "odunsi",
            "Femi Odunsi",
            "femi.odunsi@sallow.example",
            "Bread before six",
        ),
        Person::new(
            "larkspur-j",
            "Jo Larkspur",
            "jo@larkspur.example",
            "The page and its style",
        ),
        Person::new(
            "mvandam",
            "Mieke van Dam",
            "mieke@sallow.example",
            "Puddings",
        ),
        Person::new(
            "rafiq-s",
            "Sami Rafiq",
            "sami@sallow.example",
            "Whatever is left over on Friday",
        ),
        Person::new(
            "tcoole",
            "Tess Coole",
            "tess.coole@sallow.example",
            "I weigh things",
        ),
    ],
    others: &[
        "chip-pan-alan",
        "nettle-and-dock",
        "ruth-from-27",
        "spoonbill",
        "thursday-regular",
    ],
    viewer: Person::new("sallow-desk", "Sallow Desk", "desk@sallow.example", ""),
    labels: &[
        ("allergens", "b60205", "What may make people ill"),
        ("change", "bfd4f2", "A recipe is cooked in another way"),
        ("chore", "ededed", "Nobody who cooks will notice"),
        ("correction", "d73a4a", "Something in the book is wrong"),
        ("new recipe", "0e8a16", "A recipe that was not there"),
        ("question", "d876e3", "An answer is wanted"),
        ("request", "a2eeef", "Somebody wishes for a recipe"),
        ("site", "c5def5", "Pages and style"),
    ],
    milestones: &[
        milestone("2023", 0, Some(357)),
        milestone("2024", 358, None),
    ],
    releases: &[
        Release::new("2023.1", 80),
        Release::new("2023.2", 168),
        Release::new("2023.3", 259),
        Release::new("2023.4", 350),
        Release::new("2024.1", 441),
        Release::new("2024.2", 532),
        Release::new("2024.3", 616),
    ],
    replies: Replies {
        refused: "I would not serve this. Less salt, please.",
        waiting: "Will try it on Thursday.",
        doubtful: "We have three of these already.",
        contested: ["Grams, not cups.", "Tastes right now."],
    },
    cleared: "try/",
};
