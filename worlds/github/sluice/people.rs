//! Who works on sluice, and who writes to them.

pub const OWNER: &str = "lowfield";
pub const NAME: &str = "sluice";
/// Whom the tools act as.
pub const VIEWER: &str = "lowfield-desk";

pub struct Person {
    pub login: &'static str,
    pub name: &'static str,
    pub email: &'static str,
    pub bio: &'static str,
}

/// The team. The first two merge and release.
pub const TEAM: [Person; 5] = [
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

pub fn person(login: &str) -> &'static Person {
    TEAM.iter()
        .find(|person| person.login == login)
        .expect("only members of the team commit")
}
