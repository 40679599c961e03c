//! Houses, auditoriums, distributors, films, kinds of tickets and staff, which no seed changes.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::rows::{Rows, amount};

/// An auditorium.
pub struct Screen {
    pub cinema: &'static str,
    pub name: &'static str,
    pub rows: usize,
    pub seats: usize,
    pub can_3d: bool,
}

const fn screen(
    cinema: &'static str,
    name: &'static str,
    rows: usize,
    seats: usize,
    can_3d: bool,
) -> Screen {
    Screen {
        cinema,
        name,
        rows,
        seats,
        can_3d,
    }
}

/// All auditoriums. Their ids are their positions from 1.
pub const SCREENS: [Screen; 16] = [
    screen("ALD", "Great Hall", 12, 16, true),
    screen("ALD", "Balcony", 8, 12, true),
    screen("ALD", "Studio", 6, 9, false),
    screen("BRK", "One", 10, 14, true),
    screen("BRK", "Two", 9, 12, true),
    screen("BRK", "Three", 7, 10, false),
    screen("BRK", "Four", 6, 10, false),
    screen("CAN", "Lock", 9, 13, true),
    screen("CAN", "Quay", 8, 11, false),
    screen("CAN", "Boiler Room", 6, 8, false),
    screen("DOM", "Dome", 11, 15, false),
    screen("DOM", "Cellar", 5, 8, false),
    screen("EST", "Red", 9, 12, true),
    screen("EST", "Blue", 8, 11, true),
    screen("EST", "Green", 6, 9, false),
    screen("FER", "The Room", 7, 10, false),
];

/// Last day of business of Fern Lane.
pub const CLOSED: Date = date(2026, 1, 31);

/// A film. Its id is its position in [`films`] from 1.
pub struct Film {
    pub title: &'static str,
    pub distributor: usize,
    pub certificate: &'static str,
    pub running_time: &'static str,
    pub language: &'static str,
    pub released: Date,
}

const FILMS: &str = include_str!("texts/films.csv");

/// Returns the films of `texts/films.csv`.
pub fn films() -> Vec<Film> {
    let films = FILMS.lines().map(|line| {
        let cells: Vec<&str> = line.split(';').collect();
        let [
            title,
            distributor,
            certificate,
            running_time,
            language,
            released,
        ] = cells[..]
        else {
            panic!("six cells: {line}");
        };
        Film {
            title,
            distributor: distributor.parse().expect("a number"),
            certificate,
            running_time,
            language,
            released: released.parse().expect("a date"),
        }
    });
    films.collect()
}

/// Code, label, price in cents, part of returns.
pub const TICKET_TYPES: [(&str, &str, u32, bool); 8] = [
    ("ADULT", "Adult", 1150, true),
    ("CARER", "Companion of a guest with a disability", 0, true),
    ("CHILD", "Child under 14", 750, true),
    ("COMP", "Complimentary", 0, true),
    ("MEMBER", "Lantern Card", 800, true),
    ("SENIOR", "Senior", 900, true),
    ("STAFF", "Staff", 0, false),
    ("STUDENT", "Student", 850, true),
];

pub fn write(world: &mut World, films: &[Film]) {
    let mut cinemas = Rows::new("cinemas", "code,name,city,opened_on,closed_on");
    for (code, name, city, opened, closed) in [
        ("ALD", "Alder Street", "Norwell", date(1934, 10, 5), None),
        ("BRK", "Brook Hall", "Norwell", date(1988, 3, 18), None),
        ("CAN", "Canal Yard", "Tarnford", date(2009, 9, 11), None),
        ("DOM", "The Dome", "Selby Bay", date(1961, 6, 2), None),
        ("EST", "Eastgate", "Tarnford", date(2016, 11, 25), None),
        (
            "FER",
            "Fern Lane",
            "Holt Cross",
            date(1952, 4, 12),
            Some(CLOSED),
        ),
    ] {
        cinemas.add([
            code.into(),
            name.into(),
            city.into(),
            opened.into(),
            closed.into(),
        ]);
    }
    cinemas.write(world);

    let mut screens = Rows::new(
        "screens",
        "id,cinema_code,name,seat_rows,seats_per_row,can_3d",
    );
    for (at, screen) in SCREENS.iter().enumerate() {
        screens.add([
            (at + 1).into(),
            screen.cinema.into(),
            screen.name.into(),
            screen.rows.into(),
            screen.seats.into(),
            screen.can_3d.into(),
        ]);
    }
    screens.write(world);

    let mut distributors = Rows::new("distributors", "id,name,contact");
    for (at, (name, contact)) in [
        ("Halcyon Pictures", Some("returns@halcyon.example")),
        ("Halcyon Classics", Some("bookings@halcyonclassics.example")),
        ("Northlight", Some("boxoffice@northlight.example")),
        ("Pelican Releasing", None),
        ("Marguerite Films", Some("compta@marguerite.example")),
    ]
    .into_iter()
    .enumerate()
    {
        distributors.add([(at + 1).into(), name.into(), contact.into()]);
    }
    distributors.write(world);

    let mut table = Rows::new(
        "films",
        "id,title,distributor_id,certificate,running_time,language,released_on",
    );
    for (at, film) in films.iter().enumerate() {
        let certificate = (!film.certificate.is_empty()).then_some(film.certificate);
        table.add([
            (at + 1).into(),
            film.title.into(),
            film.distributor.into(),
            certificate.into(),
            film.running_time.into(),
            film.language.into(),
            film.released.into(),
        ]);
    }
    table.write(world);

    let mut types = Rows::new("ticket_types", "code,label,price,in_returns");
    for (code, label, cents, in_returns) in TICKET_TYPES {
        types.add([code.into(), label.into(), amount(cents), in_returns.into()]);
    }
    types.write(world);

    let mut staff = Rows::new(
        "staff",
        "login,full_name,job,cinema_code,started_on,left_on",
    );
    let left = |day: i8, month: i8| Some(date(2026, month, day));
    for (login, name, job, cinema, started, left) in [
        (
            "agnes",
            "Agnes Whitlock",
            "box office",
            Some("ALD"),
            date(2011, 5, 1),
            None,
        ),
        (
            "amara",
            "Amara Osei",
            "duty manager",
            Some("BRK"),
            date(2018, 9, 1),
            None,
        ),
        (
            "bruno",
            "Bruno Castellan",
            "usher",
            Some("CAN"),
            date(2023, 2, 1),
            None,
        ),
        (
            "celine",
            "Celine Aubert",
            "accounts",
            None,
            date(2015, 1, 1),
            None,
        ),
        (
            "dov",
            "Dov Lerner",
            "box office",
            Some("DOM"),
            date(2020, 10, 1),
            left(28, 2),
        ),
        (
            "edith",
            "Edith Pryce",
            "usher",
            Some("EST"),
            date(2022, 6, 1),
            left(8, 3),
        ),
        (
            "farid",
            "Farid Haddad",
            "accounts",
            None,
            date(2021, 4, 1),
            None,
        ),
        (
            "gwen",
            "Gwen Tarrant",
            "marketing",
            None,
            date(2019, 8, 1),
            left(31, 3),
        ),
        (
            "hale",
            "Hale Munro",
            "box office",
            Some("EST"),
            date(2017, 3, 1),
            None,
        ),
        (
            "ines",
            "Ines Barreto",
            "programme",
            None,
            date(2012, 11, 1),
            None,
        ),
        (
            "jonah",
            "Jonah Reed",
            "marketing",
            None,
            date(2022, 1, 1),
            None,
        ),
        (
            "kaya",
            "Kaya Lindgren",
            "house technician",
            None,
            date(2024, 5, 1),
            None,
        ),
        (
            "lorcan",
            "Lorcan Daly",
            "marketing",
            None,
            date(2025, 7, 1),
            None,
        ),
        (
            "mirela",
            "Mirela Kovac",
            "marketing",
            None,
            date(2014, 4, 1),
            None,
        ),
        (
            "tomasz",
            "Tomasz Zielinski",
            "programme",
            None,
            date(2026, 2, 1),
            None,
        ),
    ] {
        staff.add([
            login.into(),
            name.into(),
            job.into(),
            cinema.into(),
            started.into(),
            left.into(),
        ]);
    }
    staff.write(world);
}
