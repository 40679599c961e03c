//! Houses, firms, coordinators and residents.

use std::collections::BTreeSet;

use mcpmark_guest::Random;

/// House: name, street, year, number of flats, heating, note.
pub type House = (
    &'static str,
    &'static str,
    i64,
    i64,
    &'static str,
    &'static str,
);

const DISTRICT: &str = "District heating";
const BOILERS: &str = "Boilers of its own, in the cellar";

/// Houses, whose ids count from 1.
pub const HOUSES: [House; 10] = [
    ("Bobbin House", "1 Weir Street", 1931, 24, DISTRICT, ""),
    (
        "Carders' Court",
        "7 Weir Street",
        1934,
        18,
        DISTRICT,
        "The cellar is shared with Bobbin House.",
    ),
    (
        "Dyeworks",
        "2 Madder Lane",
        1908,
        31,
        BOILERS,
        "Listed building: windows are repaired, not replaced.",
    ),
    ("Fuller's Yard", "14 Madder Lane", 1962, 40, DISTRICT, ""),
    (
        "Heddle House",
        "3 Loom Square",
        1958,
        36,
        DISTRICT,
        "The lift was renewed in 2019.",
    ),
    (
        "Millrace Tower",
        "9 Loom Square",
        1971,
        54,
        DISTRICT,
        "Two lifts.",
    ),
    ("Selvedge", "22 Selvedge Row", 1999, 20, BOILERS, ""),
    ("Shuttle House", "5 Loom Square", 1958, 36, DISTRICT, ""),
    (
        "Tanner's Row",
        "11 Bark Street",
        1926,
        28,
        BOILERS,
        "One lift, in the back stairs.",
    ),
    ("Warp and Weft", "16 Bark Street", 2011, 33, DISTRICT, ""),
];

/// Id of the house that the tasks are about.
pub const TANNERS_ROW: i64 = 9;

/// Firms: name, trade, telephone, note. Their ids count from 1.
pub const FIRMS: [(&str, &str, &str, &str); 10] = [
    ("Brandt Glazing", "Windows", "555 0141", ""),
    (
        "Calder Heat",
        "Heating and hot water",
        "555 0117",
        "District heating only.",
    ),
    (
        "Elevate",
        "Lifts",
        "555 0190",
        "No contract since 1 January 2026.",
    ),
    ("Fennimore Electric", "Electrics", "555 0128", ""),
    ("Halvorsen Plumbing", "Leaks", "555 0163", ""),
    ("Handy Hands", "Small repairs", "555 0106", ""),
    (
        "Keyes Locksmiths",
        "Doors and locks",
        "555 0172",
        "Closed from 12 to 16 January 2026. Tolliver Locks stands in.",
    ),
    (
        "Pilot Flame Boilers",
        "Heating and hot water",
        "555 0155",
        "Boilers only.",
    ),
    (
        "Tolliver Locks",
        "Doors and locks",
        "555 0179",
        "Stands in for Keyes Locksmiths.",
    ),
    (
        "Upright Lifts",
        "Lifts",
        "555 0134",
        "Contract since 1 January 2026.",
    ),
];

/// Coordinators: login, name, password.
pub const COORDINATORS: [(&str, &str, &str); 3] = [
    ("ines.okoro", "Ines Okoro", "heron-42-lattice"),
    ("piet.vermeer", "Piet Vermeer", "gravel-17-plum"),
    ("saoirse.daly", "Saoirse Daly", "copper-63-tide"),
];

const FIRST: [&str; 48] = [
    "Abel", "Adaeze", "Agnes", "Amir", "Anneke", "Arjun", "Astrid", "Bela", "Carys", "Chidi",
    "Clara", "Dario", "Deniz", "Edda", "Elif", "Emeka", "Esme", "Fatima", "Femke", "Gwen", "Hakan",
    "Hanna", "Idris", "Ilse", "Ivo", "Jana", "Joost", "Kaito", "Lena", "Lotte", "Maeve", "Malik",
    "Mira", "Nadia", "Niall", "Noor", "Oskar", "Priya", "Quinn", "Rafael", "Rhea", "Rosa", "Samir",
    "Signe", "Tomas", "Una", "Yusuf", "Zofia",
];

const LAST: [&str; 40] = [
    "Achterberg",
    "Adeyemi",
    "Almeida",
    "Asante",
    "Bakker",
    "Bergstrom",
    "Brennan",
    "Castellan",
    "Chaudhry",
    "Cobb",
    "Dumitru",
    "Eklund",
    "Farrow",
    "Ferreira",
    "Gallagher",
    "Grabowski",
    "Haddad",
    "Hartigan",
    "Holm",
    "Ibarra",
    "Jansen",
    "Kaya",
    "Kowalski",
    "Lindqvist",
    "Lozano",
    "Maas",
    "Mbeki",
    "Moreau",
    "Nakamura",
    "Novak",
    "Oyelaran",
    "Petrov",
    "Quist",
    "Rahman",
    "Sandoval",
    "Szabo",
    "Thorne",
    "Ueda",
    "Vance",
    "Whelan",
];

const ABOUT: [&str; 8] = [
    "Lives alone. Works nights.",
    "Two adults. Has a dog.",
    "Two adults and a child of eleven.",
    "Retired, 71. Prefers letters.",
    "Flat share of four.",
    "Two adults and a child of four.",
    "Widower, 79. Hard of hearing: ring twice.",
    "One adult and twins of two.",
];

/// Resident of a house.
#[derive(Debug, Clone)]
pub struct Resident {
    /// Login.
    pub login: String,
    /// Name.
    pub name: String,
    /// Id of the house.
    pub house: i64,
    /// Number of the flat.
    pub flat: i64,
    /// Note about the household, which may be empty.
    pub about: String,
}

/// Residents of Tanner's Row whose reports the tasks are about: login, name, flat, note.
pub const PLANTED: [(&str, &str, i64, &str); 7] = [
    (
        "marit.solheim",
        "Marit Solheim",
        4,
        "Two adults. Vegetable garden in the yard.",
    ),
    (
        "jonas.weld",
        "Jonas Weld",
        9,
        "Two adults and a child of three. Somebody is there only in the afternoon.",
    ),
    (
        "olive.tremblay",
        "Olive Tremblay",
        12,
        "Two adults and a child of eight.",
    ),
    (
        "bram.coster",
        "Bram Coster",
        17,
        "Lives alone. Works from home.",
    ),
    (
        "henrike.aalto",
        "Henrike Aalto",
        20,
        "Retired, 74. Walks with a stick.",
    ),
    (
        "desmond.achebe",
        "Desmond Achebe",
        23,
        "Retired, 81. Hard of hearing: ring twice.",
    ),
    ("talia.brandt", "Talia Brandt", 26, "Flat share of three."),
];

/// Returns the residents: those of the tasks, and 233 others.
pub fn residents(random: &mut Random) -> Vec<Resident> {
    let mut residents: Vec<Resident> = PLANTED
        .iter()
        .map(|(login, name, flat, about)| Resident {
            login: (*login).to_owned(),
            name: (*name).to_owned(),
            house: TANNERS_ROW,
            flat: *flat,
            about: (*about).to_owned(),
        })
        .collect();
    let mut logins: BTreeSet<String> = residents.iter().map(|it| it.login.clone()).collect();
    let mut homes: Vec<(i64, i64)> = Vec::new();
    for (house, (_, _, _, flats, _, _)) in (1..).zip(HOUSES) {
        homes.extend((1..=flats).map(|flat| (house, flat)));
    }
    homes.retain(|home| !residents.iter().any(|it| (it.house, it.flat) == *home));
    random.shuffle(&mut homes);
    while residents.len() < 240 {
        let (first, last) = (*random.pick(&FIRST), *random.pick(&LAST));
        let login = format!("{}.{}", first.to_lowercase(), last.to_lowercase());
        let (house, flat) = homes[residents.len()];
        let has_note = random.chance(2, 3);
        let about = *random.pick(&ABOUT);
        if logins.insert(login.clone()) {
            residents.push(Resident {
                login,
                name: format!("{first} {last}"),
                house,
                flat,
                about: if has_note {
                    about.to_owned()
                } else {
                    String::new()
                },
            });
        }
    }
    residents
}
