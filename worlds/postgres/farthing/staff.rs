//! The office, its clients, and the people whom they employ.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::rows::Rows;

/// Day on which the world is looked at.
pub const TODAY: Date = date(2026, 6, 22);

/// Client of the office.
pub struct Client {
    pub code: &'static str,
    pub name: &'static str,
    pub trade: &'static str,
    /// 25 for salaries, 5 for hours.
    pub pay_day: usize,
    pub clerk: &'static str,
    pub since: Date,
    pub left: Option<Date>,
    pub people: usize,
}

const fn client(
    code: &'static str,
    name: &'static str,
    trade: &'static str,
    pay_day: usize,
    clerk: &'static str,
    since: Date,
    people: usize,
) -> Client {
    Client {
        code,
        name,
        trade,
        pay_day,
        clerk,
        since,
        left: None,
        people,
    }
}

/// All clients, by their code.
pub const CLIENTS: [Client; 12] = [
    client(
        "ANV",
        "Anvil Street Garage",
        "Motor repairs",
        25,
        "ceri",
        date(2019, 4, 1),
        14,
    ),
    client(
        "BRI",
        "Brightwell Cleaning",
        "Cleaning",
        5,
        "ceri",
        date(2021, 9, 1),
        30,
    ),
    client(
        "COR",
        "Cornelian Dental",
        "Dentist",
        25,
        "bastian",
        date(2018, 1, 1),
        12,
    ),
    client(
        "DRO",
        "The Drover's Arms",
        "Pub and kitchen",
        5,
        "dunja",
        date(2020, 7, 1),
        18,
    ),
    client(
        "FEN",
        "Fenwright Joinery",
        "Joinery",
        25,
        "bastian",
        date(2022, 1, 1),
        16,
    ),
    client(
        "HOL",
        "Hollin Nursery Plants",
        "Plants",
        5,
        "dunja",
        date(2019, 10, 1),
        20,
    ),
    client(
        "LIN",
        "Linden Day Nursery",
        "Child care",
        25,
        "ceri",
        date(2023, 4, 1),
        17,
    ),
    client(
        "MAR",
        "Marram Caravans",
        "Holiday park",
        5,
        "bastian",
        date(2021, 3, 1),
        22,
    ),
    client(
        "OAK",
        "Oakum & Twine",
        "Shop",
        25,
        "dunja",
        date(2024, 2, 1),
        11,
    ),
    client(
        "PEN",
        "Pennant Couriers",
        "Deliveries",
        5,
        "ceri",
        date(2022, 11, 1),
        26,
    ),
    client(
        "QUI",
        "Quill Bakery",
        "Bakery",
        25,
        "dunja",
        date(2017, 6, 1),
        15,
    ),
    Client {
        left: Some(date(2026, 3, 31)),
        ..client(
            "VAL",
            "Vallance Printers",
            "Printing",
            25,
            "bastian",
            date(2016, 1, 1),
            9,
        )
    },
];

/// Person whom a client employs.
pub struct Employee {
    pub id: usize,
    /// Position of the client.
    pub client: usize,
    /// Position among the people of the client.
    pub place: usize,
    pub name: String,
    pub born: Date,
    pub started: Date,
    pub left: Option<Date>,
}

impl Employee {
    pub fn client(&self) -> &'static Client {
        &CLIENTS[self.client]
    }

    /// Returns true for a person of this client at this place.
    pub fn is(&self, code: &str, place: usize) -> bool {
        self.client().code == code && self.place == place
    }

    pub fn is_hourly(&self) -> bool {
        self.client().pay_day == 5
    }

    /// Returns true if the person is employed on at least one day of these.
    pub fn works_within(&self, first: Date, last: Date) -> bool {
        self.started <= last && self.left.is_none_or(|left| left >= first)
    }
}

const FIRST_NAMES: [&str; 48] = [
    "Ada", "Anselm", "Beata", "Bela", "Carys", "Colm", "Dafydd", "Delia", "Edda", "Emlyn", "Farah",
    "Ferenc", "Gita", "Goran", "Hana", "Hector", "Idris", "Ines", "Jamal", "Jutta", "Kamil",
    "Kezia", "Lorcan", "Ludmila", "Magda", "Marek", "Nesta", "Nils", "Odile", "Osman", "Petra",
    "Priya", "Quentin", "Ragna", "Rhys", "Sanne", "Selim", "Tamsin", "Teodor", "Una", "Uwe",
    "Vera", "Viktor", "Wanda", "Wynn", "Yara", "Zeno", "Zofia",
];

const LAST_NAMES: [&str; 52] = [
    "Abara", "Ainsley", "Barlow", "Bednar", "Calder", "Cruz", "Dobson", "Drury", "Eastman",
    "Ekwall", "Farrow", "Fodor", "Garrick", "Gupta", "Haddow", "Holub", "Ibarra", "Inman",
    "Jessop", "Jurek", "Kerr", "Kovac", "Lacey", "Lund", "Maddox", "Mensah", "Nagy", "Nettle",
    "Oakes", "Olsen", "Parry", "Popov", "Quayle", "Quirk", "Rahman", "Rudd", "Sage", "Sobol",
    "Tate", "Tran", "Upton", "Urban", "Vance", "Vogel", "Wade", "Wojcik", "Yates", "Yilmaz",
    "Zeller", "Ziegler", "Thorne", "Mistry",
];

/// Names at Brightwell Cleaning that a task mentions, by place.
const CLEANERS: [&str; 4] = ["Rosa Adeyemi", "Tomas Brandl", "Iveta Lazar", "Marlon Pike"];

/// Starts and ends that are the same for every seed: client, place, first day, last day.
const DATES: [(&str, usize, Date, Option<Date>); 21] = [
    ("ANV", 3, date(2020, 5, 4), Some(date(2026, 6, 12))),
    ("ANV", 4, date(2021, 2, 1), Some(date(2026, 7, 3))),
    ("BRI", 0, date(2023, 3, 6), None),
    ("BRI", 1, date(2022, 5, 2), None),
    ("BRI", 2, date(2024, 9, 2), None),
    ("BRI", 3, date(2023, 10, 2), None),
    ("COR", 3, date(2019, 8, 1), Some(date(2026, 6, 30))),
    ("COR", 5, date(2018, 10, 1), Some(date(2026, 6, 5))),
    ("LIN", 3, date(2024, 1, 8), Some(date(2026, 6, 30))),
    ("QUI", 0, date(2018, 3, 1), None),
    ("QUI", 1, date(2026, 2, 9), None),
    ("QUI", 2, date(2019, 5, 1), Some(date(2026, 8, 31))),
    ("QUI", 3, date(2021, 9, 1), None),
    ("QUI", 4, date(2020, 1, 6), Some(date(2026, 5, 29))),
    ("QUI", 5, date(2026, 6, 1), None),
    ("QUI", 6, date(2022, 4, 4), None),
    ("QUI", 7, date(2017, 11, 1), None),
    ("QUI", 8, date(2023, 7, 3), None),
    ("QUI", 9, date(2024, 3, 1), None),
    ("QUI", 10, date(2026, 3, 1), Some(date(2026, 9, 18))),
    ("QUI", 11, date(2016, 8, 1), Some(date(2026, 5, 31))),
];

/// Draws the people of all clients, each with a name of their own.
pub fn staff(random: &mut Random) -> Vec<Employee> {
    let mut names: Vec<String> = FIRST_NAMES
        .iter()
        .flat_map(|first| LAST_NAMES.iter().map(move |last| format!("{first} {last}")))
        .collect();
    random.shuffle(&mut names);
    let mut names = names.into_iter();
    let mut staff = Vec::new();
    for (at, client) in CLIENTS.iter().enumerate() {
        for place in 0..client.people {
            let drawn = names.next().expect("enough names");
            let name = match CLEANERS.get(place) {
                Some(name) if client.code == "BRI" => (*name).to_owned(),
                _ => drawn,
            };
            let mut started = date(2016, 1, 4) + random.between(0, 3500).days();
            let mut left = None;
            if random.chance(1, 9) {
                started = date(2026, 1, 5) + (7 * random.between(0, 20)).days();
            } else if place > 11 && random.chance(1, 8) {
                left = Some(date(2026, 1, 30) + (7 * random.between(0, 16)).days());
            }
            let fixed = DATES
                .iter()
                .find(|(code, of, ..)| *code == client.code && *of == place);
            if let Some((_, _, first, last)) = fixed {
                (started, left) = (*first, *last);
            } else if place < 12
                && started > date(2025, 12, 1)
                && !["QUI", "COR"].contains(&client.code)
            {
                started = date(2025, 3, 3) + (7 * random.between(0, 30)).days();
            }
            if let Some(end) = client.left {
                left = Some(left.unwrap_or(end).min(end));
                started = started.min(date(2025, 6, 2));
            }
            staff.push(Employee {
                id: staff.len() + 1,
                client: at,
                place,
                name,
                born: date(1961, 1, 1) + random.between(0, 16_000).days(),
                started,
                left,
            });
        }
    }
    staff
}

const PEOPLE: [(&str, &str, &str, Date, Option<Date>); 8] = [
    (
        "agnes",
        "Agnes Pruett",
        "Head of the office",
        date(2016, 1, 4),
        None,
    ),
    ("bastian", "Bastian Holm", "Clerk", date(2018, 9, 3), None),
    ("ceri", "Ceri Vaughan", "Clerk", date(2021, 2, 1), None),
    ("dunja", "Dunja Marek", "Clerk", date(2019, 6, 3), None),
    (
        "elias",
        "Elias Finch",
        "Cashier and clerk",
        date(2017, 4, 3),
        None,
    ),
    (
        "fenna",
        "Fenna Groot",
        "Database and office app, two days a week",
        date(2022, 1, 10),
        None,
    ),
    (
        "hugo",
        "Hugo Lind",
        "Clerk",
        date(2020, 10, 5),
        Some(date(2026, 3, 31)),
    ),
    (
        "maeve",
        "Maeve Sands",
        "Front desk",
        date(2024, 4, 15),
        None,
    ),
];

/// Writes the people of the office, the clients and their people.
pub fn write(world: &mut World, staff: &[Employee]) {
    let mut table = Rows::new("people", "login,full_name,job,started_on,left_on");
    for (login, name, job, since, until) in PEOPLE {
        table.add([
            login.into(),
            name.into(),
            job.into(),
            since.into(),
            until.into(),
        ]);
    }
    table.write(world);
    let columns = "code,name,trade,pay_day,looked_after_by,since,left_on";
    let mut table = Rows::new("clients", columns);
    for client in &CLIENTS {
        table.add([
            client.code.into(),
            client.name.into(),
            client.trade.into(),
            client.pay_day.into(),
            client.clerk.into(),
            client.since.into(),
            client.left.into(),
        ]);
    }
    table.write(world);
    let columns = "id,client,full_name,born_on,started_on,left_on";
    let mut table = Rows::new("employees", columns);
    for person in staff {
        table.add([
            person.id.into(),
            person.client().code.into(),
            (&person.name).into(),
            person.born.into(),
            person.started.into(),
            person.left.into(),
        ]);
    }
    table.write(world);
}
