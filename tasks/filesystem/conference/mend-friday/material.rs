//! What is known about Friday: talks, rooms, the poll, mails and minutes.

use mcpmark_guest::Reader;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::DateTime;

#[path = "../folder.rs"]
pub mod folder;

use folder::{later, moment, offset, paper, table};

pub const FRIDAY: &str = "03 Programme/friday";
/// Minutes that a talk takes.
pub const LENGTH: i64 = 25;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    pub polls_add_up: bool,
    pub marks_on_sight: bool,
}

/// What mails and minutes say that may bind us: the file, the words in it, their meaning.
const SAID: [(&str, &str, Says); 19] = [
    (
        "2024-01-10 Eldjárn",
        "on Friday I cannot be there before 12:00",
        Says::Here(Some("12:00"), None),
    ),
    (
        "2024-01-12 Karaca",
        "cannot be in the room after 11:00",
        Says::Here(None, Some("11:00")),
    ),
    ("2024-01-13 Pym", "I withdraw F11", Says::Cancels("F11")),
    // A wish that binds nobody.
    (
        "2024-01-15 Teague",
        "I would rather not",
        Says::Here(None, None),
    ),
    // Not the speaker's address.
    (
        "2024-01-16 about Nunes",
        "please cancel F15",
        Says::Cancels("F15"),
    ),
    (
        "2024-01-17 Rowe",
        "I have to cancel F20",
        Says::Cancels("F20"),
    ),
    (
        "2024-01-18 keepers",
        "On Friday the Boathouse is closed until 12:00.",
        Says::ClosedUntil("Boathouse", "12:00"),
    ),
    (
        "2024-01-18 keepers",
        "The Chart Room is closed on Friday from 14:30 on;",
        Says::ClosedFrom("Chart Room", "14:30"),
    ),
    (
        "2024-01-19 Karaca",
        "On Friday I cannot be in the room after 14:30",
        Says::Here(None, Some("14:30")),
    ),
    (
        "2024-01-20 Sarr",
        "I cannot begin before 06:00 by the clock here",
        Says::There("06:00"),
    ),
    (
        "2024-01-21 Stanciu",
        "I cannot begin before 16:00 by the clock here",
        Says::There("16:00"),
    ),
    (
        "2024-01-22 Eldjárn",
        "I cannot begin before 10:00 on Friday",
        Says::Here(Some("10:00"), None),
    ),
    (
        "2024-01-22 Fitz",
        "I cannot be there before 11:00, and I cannot stay beyond 14:30",
        Says::Here(Some("11:00"), Some("14:30")),
    ),
    (
        "2024-01-23 Rowe",
        "I cannot begin before 10:00, and I cannot stay beyond\n12:30",
        Says::Here(Some("10:00"), Some("12:30")),
    ),
    (
        "2024-01-23 Sablin",
        "I cannot be in a room before 11:30",
        Says::Here(Some("11:30"), None),
    ),
    (
        "2024-01-24 keepers",
        "the Boathouse is closed only until 09:30",
        Says::ClosedUntil("Boathouse", "09:30"),
    ),
    // Neither the keepers nor sure.
    (
        "2024-01-25 Hedvig",
        "the Bell Room might be closed on Friday before 11:00",
        Says::ClosedUntil("Bell Room", "11:00"),
    ),
    // Not the speaker.
    (
        "2024-01-26 sponsor",
        "we expect F02 in the Lantern Hall",
        Says::Here(None, None),
    ),
    // A decision of the committee, and the only one about Friday.
    (
        "",
        "- F21 comes off Friday's programme;",
        Says::Cancels("F21"),
    ),
];

#[derive(Clone, Copy)]
enum Says {
    /// Not before, not after; by the clock of the venue.
    Here(Option<&'static str>, Option<&'static str>),
    /// Not before, by the clock of the speaker.
    There(&'static str),
    Cancels(&'static str),
    ClosedUntil(&'static str, &'static str),
    ClosedFrom(&'static str, &'static str),
}

pub struct Talk {
    pub number: String,
    pub title: String,
    pub speaker: String,
    pub address: String,
    pub needs: Vec<String>,
    pub theme: String,
    pub listeners: usize,
    pub is_cancelled: bool,
    /// Where the speaker's clock is ahead of the venue's, in minutes, if the speaker is online.
    pub ahead: Option<i64>,
    pub not_before: i64,
    pub not_after: i64,
}

/// Minutes of the day between which it is open.
pub struct Room {
    pub name: String,
    pub seats: usize,
    pub equipment: Vec<String>,
    pub opens: i64,
    pub closes: i64,
}

pub struct Material {
    pub talks: BTreeMap<String, Talk>,
    pub rooms: Vec<Room>,
    /// Starts of the slots, in minutes of the day.
    pub slots: Vec<i64>,
    /// Slot and room of each talk in draft 3.
    pub draft: BTreeMap<String, (usize, usize)>,
}

pub fn read(folder: &mut dyn Reader, oversights: &Oversights) -> Material {
    let mut rooms = read_rooms(folder);
    let mut talks = read_talks(folder);
    for (number, listeners) in count_listeners(folder, oversights) {
        if let Some(talk) = talks.get_mut(&number) {
            talk.listeners = listeners;
        }
    }
    heed_mails(folder, &mut talks, &mut rooms);
    let mut slots = Vec::new();
    for row in table(folder, &format!("{FRIDAY}/slots.csv")).rows() {
        slots.push(minutes(row.get("start")));
    }
    let mut draft = BTreeMap::new();
    for row in table(folder, &format!("{FRIDAY}/draft 3.csv")).rows() {
        let start = minutes(row.get("start"));
        let slot = slots.iter().position(|slot| *slot == start);
        let room = rooms.iter().position(|room| room.name == row.get("room"));
        let place = (slot.expect("a slot"), room.expect("a room"));
        draft.insert(row.get("talk").to_owned(), place);
    }
    Material {
        talks,
        rooms,
        slots,
        draft,
    }
}

/// Minutes of the day for `HH:MM`.
pub fn minutes(clock: &str) -> i64 {
    let (hours, minutes) = clock.split_once(':').expect("a time has a colon");
    let number = |text: &str| text.parse::<i64>().expect("a time has two numbers");
    number(hours) * 60 + number(minutes)
}

fn read_rooms(folder: &mut dyn Reader) -> Vec<Room> {
    let mut rooms = Vec::new();
    for row in table(folder, "03 Programme/rooms.csv").rows() {
        rooms.push(Room {
            name: row.get("room").to_owned(),
            seats: row.get("seats").parse().expect("a number of seats"),
            equipment: list(row.get("equipment")),
            opens: 0,
            closes: 24 * 60,
        });
    }
    rooms
}

fn read_talks(folder: &mut dyn Reader) -> BTreeMap<String, Talk> {
    let mut clocks = BTreeMap::new();
    for row in table(folder, "03 Programme/zones.csv").rows() {
        clocks.insert(
            row.get("place").to_owned(),
            offset(row.get("conference week")),
        );
    }
    let mut talks = BTreeMap::new();
    for row in table(folder, &format!("{FRIDAY}/talks.csv")).rows() {
        let is_online = row.get("mode") == "online";
        let talk = Talk {
            number: row.get("talk").to_owned(),
            title: row.get("title").to_owned(),
            speaker: row.get("speaker").to_owned(),
            address: row.get("email").to_lowercase(),
            needs: list(row.get("needs")),
            theme: row.get("theme").to_owned(),
            listeners: 0,
            is_cancelled: false,
            ahead: is_online.then(|| clocks[row.get("place")] - clocks["Brennhavn"]),
            not_before: 0,
            not_after: 24 * 60,
        };
        talks.insert(talk.number.clone(), talk);
    }
    talks
}

fn list(text: &str) -> Vec<String> {
    text.split("; ")
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn count_listeners(folder: &mut dyn Reader, oversights: &Oversights) -> BTreeMap<String, usize> {
    let mut answers: BTreeMap<String, (DateTime, BTreeSet<String>)> = BTreeMap::new();
    for row in table(folder, &format!("{FRIDAY}/poll.csv")).rows() {
        let answered = moment("%d/%m/%Y %H:%M", row.get("answered"));
        let person = row.get("email").trim().to_lowercase();
        let mut ticks: BTreeSet<String> = row
            .get("ticks")
            .split([';', ',', ' '])
            .filter_map(paper)
            .collect();
        match answers.get(&person) {
            Some((_, others)) if oversights.polls_add_up => ticks.extend(others.iter().cloned()),
            Some((other, _)) if *other > answered => continue,
            _ => {}
        }
        answers.insert(person, (answered, ticks));
    }
    let mut listeners = BTreeMap::new();
    for talk in answers.into_values().flat_map(|(_, ticks)| ticks) {
        *listeners.entry(talk).or_default() += 1;
    }
    listeners
}

struct Mail {
    sender: String,
    sent: DateTime,
    says: Vec<Says>,
}

fn heed_mails(folder: &mut dyn Reader, talks: &mut BTreeMap<String, Talk>, rooms: &mut [Room]) {
    let decided: String = folder
        .names("06 Minutes")
        .into_iter()
        .filter(|name| name.ends_with("committee.md"))
        .filter_map(|name| {
            let text = folder.text(&format!("06 Minutes/{name}"));
            let mut parts = text.split("## ");
            parts
                .find(|part| part.starts_with("Decided"))
                .map(str::to_owned)
        })
        .collect();
    for (file, words, says) in SAID {
        if let (true, Says::Cancels(number)) = (file.is_empty(), says) {
            assert!(decided.contains(words), "{words:?} is decided");
            cancel(talks, number);
        }
    }
    let mut mails: Vec<Mail> = folder
        .names("05 Mail")
        .into_iter()
        .map(|name| read_mail(&name, &folder.text(&format!("05 Mail/{name}"))))
        .collect();
    mails.sort_by_key(|mail| mail.sent);

    // Later mails of the keepers overwrite earlier ones about the same room.
    for mail in mails
        .iter()
        .filter(|mail| mail.sender == "keepers@old-lighthouse.example")
    {
        for says in &mail.says {
            for room in rooms.iter_mut() {
                match says {
                    Says::ClosedUntil(name, time) if *name == room.name => {
                        (room.opens, room.closes) = (minutes(time), 24 * 60);
                    }
                    Says::ClosedFrom(name, time) if *name == room.name => {
                        (room.opens, room.closes) = (0, minutes(time));
                    }
                    _ => {}
                }
            }
        }
    }
    let numbers: Vec<String> = talks.keys().cloned().collect();
    for number in numbers {
        let address = talks[&number].address.clone();
        let Some(latest) = mails.iter().rfind(|mail| mail.sender == address) else {
            continue;
        };
        let talk = talks.get_mut(&number).expect("this is its number");
        for says in &latest.says {
            match says {
                Says::Here(from, until) => {
                    talk.not_before = from.map_or(0, minutes);
                    talk.not_after = until.map_or(24 * 60, minutes);
                }
                Says::There(from) => {
                    let ahead = talk.ahead.expect("only who is elsewhere has another clock");
                    talk.not_before = minutes(from) - ahead;
                }
                Says::Cancels(cancelled) if *cancelled == number => talk.is_cancelled = true,
                _ => {}
            }
        }
    }
}

fn cancel(talks: &mut BTreeMap<String, Talk>, number: &str) {
    let talk = talks.get_mut(number).expect("what is cancelled is a talk");
    talk.is_cancelled = true;
}

fn read_mail(name: &str, text: &str) -> Mail {
    let field = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap_or_else(|| panic!("{name} has no {key}"))
    };
    let (_, sender) = field("From: ")
        .split_once('<')
        .expect("a sender has an address");
    let (local, zone) = field("Date: ").rsplit_once(' ').expect("a date has a zone");
    let about: Vec<_> = SAID
        .iter()
        .filter(|(file, _, _)| name == format!("{file}.txt"))
        .collect();
    assert!(!about.is_empty(), "{name} has been read");
    for (_, words, _) in &about {
        assert!(text.contains(words), "{name} says {words:?}");
    }
    Mail {
        sender: sender.trim_end_matches('>').to_lowercase(),
        sent: later(moment("%a, %d %b %Y %H:%M:%S", local), -offset(zone)),
        says: about.into_iter().map(|(_, _, says)| *says).collect(),
    }
}
