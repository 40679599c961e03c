//! Finds another room for everybody, tells families and writes the notice, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, plain, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    NoticeFirst,
    ByRooms,
    OtherWords,
    TowerPiano,
    BookClub,
    DampCellar,
    EndedBlocks,
    EndedToo,
    LessonByLesson,
    LosesHome,
    NineToday,
    FirstDate,
}

const CLOSED: &str = "Garden room";
const MONDAY: Date = date(2026, 9, 21);
const DAYS: [(&str, &str); 5] = [
    ("Mon", "Monday"),
    ("Tue", "Tuesday"),
    ("Wed", "Wednesday"),
    ("Thu", "Thursday"),
    ("Fri", "Friday"),
];

struct Room {
    id: String,
    name: String,
    chairs: u64,
    has_piano: bool,
}

struct Lesson {
    id: String,
    day: usize,
    from: u32,
    to: u32,
    kind: String,
    is_over: bool,
    teacher: String,
    pupils: Vec<String>,
    room: String,
    has_home: bool,
}

/// Lessons of a teacher on a day, with their new room.
struct Block {
    day: usize,
    teacher: String,
    lessons: Vec<usize>,
    room: usize,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "When a room is out");
    let rules = notion.lines(string(&rules["id"]));
    assert!(rules.iter().any(|it| it.contains("under ten")));
    let until = until(&mut notion, manner);
    let minutes = notion.find("page", "2026-09-07");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(
        minutes
            .iter()
            .any(|it| it.contains("Wednesdays from 14:00"))
    );
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let rooms = rooms(&mut notion, &table("Rooms"), manner);
    let mut lessons: Vec<Lesson> = notion
        .rows(&table("Timetable"))
        .iter()
        .map(lesson)
        .collect();
    lessons.sort_by_key(|it| (it.day, it.from));
    let teachers: BTreeMap<String, String> = notion
        .rows(&table("Teachers"))
        .iter()
        .map(|it| (string(&it["id"]).to_owned(), title_of(it)))
        .collect();
    let blocks = plan(&rooms, &lessons, manner);

    let teller = Teller {
        rooms: &rooms,
        lessons: &lessons,
        blocks: &blocks,
        manner,
    };
    if manner == Manner::NoticeFirst {
        teller.hang_up(&mut notion, &teachers, until);
    }
    let closed = rooms.iter().find(|it| it.name == CLOSED);
    let closed = &closed.expect("there is such a room").id;
    move_lessons(&mut notion, closed, &teller);
    let pupils = notion.rows(&table("Pupils"));
    teller.tell(&mut notion, &pupils);
    if manner != Manner::NoticeFirst {
        teller.hang_up(&mut notion, &teachers, until);
    }
    let count: usize = blocks.iter().map(|it| it.lessons.len()).sum();
    format!("{count} lessons are in other rooms.")
}

/// Returns the last day on which the room is closed.
fn until(notion: &mut NotionTools<'_>, manner: Manner) -> Date {
    let page = notion.find("page", "Garden room, water");
    let page = string(&page["id"]);
    let mut texts = notion.lines(page);
    if manner != Manner::FirstDate {
        let comments = notion.comments(page);
        texts.extend(comments.iter().map(|it| plain(&it["rich_text"])));
    }
    let text = texts.iter().rfind(|it| it.contains(" October"));
    let text = text.expect("a page with a day");
    let day = text.split(" October").next().unwrap_or_default();
    let day = day.rsplit(' ').next().and_then(|it| it.parse().ok());
    date(2026, 10, day.expect("a day"))
}

fn rooms(notion: &mut NotionTools<'_>, table: &str, manner: Manner) -> Vec<Room> {
    let rows = notion.rows(table);
    let mut all = Vec::new();
    for row in &rows {
        let properties = &row["properties"];
        let id = string(&row["id"]).to_owned();
        let has = properties["Has"]["multi_select"].as_array();
        let mut has_piano = has.into_iter().flatten().any(|it| it["name"] == "piano");
        if has_piano && manner != Manner::TowerPiano {
            let comments = notion.comments(&id);
            let is_sold = |it: &Value| plain(&it["rich_text"]).contains("is sold");
            has_piano = !comments.iter().any(is_sold);
        }
        all.push(Room {
            name: title_of(row),
            chairs: properties["Chairs"]["number"].as_u64().unwrap_or_default(),
            has_piano,
            id,
        });
    }
    all.sort_by_key(|it| it.chairs);
    if manner == Manner::TowerPiano {
        // Two rooms have four chairs. The Tower comes first here.
        all.sort_by_key(|it| (it.chairs, it.name != "Tower"));
    }
    all
}

fn lesson(row: &Value) -> Lesson {
    let properties = &row["properties"];
    let related = |name: &str| -> Vec<String> {
        let all = properties[name]["relation"].as_array();
        let all = all.into_iter().flatten();
        all.map(|it| string(&it["id"]).to_owned()).collect()
    };
    let first = |name: &str| related(name).into_iter().next().unwrap_or_default();
    let from = minutes_of(&plain(&properties["Start"]["rich_text"]));
    let lasts = properties["Minutes"]["number"].as_u64().unwrap_or_default();
    let day = string(&properties["Day"]["select"]["name"]);
    Lesson {
        id: string(&row["id"]).to_owned(),
        day: DAYS.iter().position(|it| it.0 == day).expect("a weekday"),
        from,
        to: from + u32::try_from(lasts).unwrap_or_default(),
        kind: string(&properties["Instrument"]["select"]["name"]).to_owned(),
        is_over: properties["State"]["status"]["name"] == "Ended",
        teacher: first("Teacher"),
        pupils: related("Pupils"),
        room: first("Room"),
        has_home: !related("Back to").is_empty(),
    }
}

fn minutes_of(time: &str) -> u32 {
    let (hours, minutes) = time.split_once(':').expect("a time");
    let number = |text: &str| text.parse::<u32>().expect("a number");
    number(hours) * 60 + number(minutes)
}

/// Finds a room for the lessons of each teacher and day.
fn plan(rooms: &[Room], lessons: &[Lesson], manner: Manner) -> Vec<Block> {
    let closed = rooms.iter().find(|it| it.name == CLOSED);
    let closed = closed.expect("there is such a room").id.as_str();
    let mut blocks: Vec<Block> = Vec::new();
    for (at, lesson) in lessons.iter().enumerate() {
        if lesson.room != closed || lesson.is_over && manner != Manner::EndedToo {
            continue;
        }
        let same = blocks
            .iter_mut()
            .find(|it| it.day == lesson.day && it.teacher == lesson.teacher);
        match same.filter(|_| manner != Manner::LessonByLesson) {
            Some(block) => block.lessons.push(at),
            None => blocks.push(Block {
                day: lesson.day,
                teacher: lesson.teacher.clone(),
                lessons: vec![at],
                room: 0,
            }),
        }
    }
    let mut taken: Vec<(usize, u32, u32, usize)> = Vec::new();
    for block in &mut blocks {
        let own = || block.lessons.iter().map(|it| &lessons[*it]);
        let from = own().map(|it| it.from).min().unwrap_or_default();
        let to = own().map(|it| it.to).max().unwrap_or_default();
        let people = own().map(|it| it.pupils.len()).max().unwrap_or_default() + 1;
        let needs_piano = own().any(|it| ["piano", "singing"].contains(&it.kind.as_str()));
        let overlaps = |begins: u32, ends: u32| begins < to && from < ends;
        let is_free = |at: usize| {
            let room = &rooms[at];
            let in_table = lessons.iter().any(|it| {
                it.day == block.day
                    && it.room == room.id
                    && (!it.is_over || manner == Manner::EndedBlocks)
                    && overlaps(it.from, it.to)
            });
            let in_plan = taken
                .iter()
                .any(|it| it.0 == block.day && it.3 == at && overlaps(it.1, it.2));
            let is_allowed = match room.name.as_str() {
                "Hall" => [1, 3].contains(&block.day) && to <= 18 * 60,
                "Cellar" => manner == Manner::DampCellar,
                "Library" if block.day == 2 => manner == Manner::BookClub,
                CLOSED => false,
                _ => true,
            };
            !in_table && !in_plan && is_allowed
        };
        let fits = |at: &usize| {
            let room = &rooms[*at];
            room.chairs >= people as u64 && (room.has_piano || !needs_piano) && is_free(*at)
        };
        let room = (0..rooms.len()).find(fits);
        block.room = room.expect("there is a room");
        taken.push((block.day, from, to, block.room));
    }
    blocks
}

/// Writes the new rooms and those to which lessons return.
fn move_lessons(notion: &mut NotionTools<'_>, closed: &str, teller: &Teller<'_>) {
    let moved: BTreeSet<usize> = teller
        .blocks
        .iter()
        .flat_map(|it| it.lessons.iter().copied())
        .collect();
    let by_rooms = teller.manner == Manner::ByRooms;
    if by_rooms {
        for room in teller.rooms {
            let mut links: Vec<Value> = Vec::new();
            let was = (0..teller.lessons.len()).filter(|it| teller.lessons[*it].room == room.id);
            links.extend(
                was.filter(|it| !moved.contains(it))
                    .map(|it| json!({"id": teller.lessons[it].id})),
            );
            let count = links.len();
            let here = teller
                .blocks
                .iter()
                .filter(|it| teller.rooms[it.room].id == room.id);
            let new = here.flat_map(|it| &it.lessons);
            links.extend(new.map(|it| json!({"id": teller.lessons[*it].id})));
            if links.len() != count || room.id == closed {
                notion.set(&room.id, json!({"Lessons": {"relation": links}}));
            }
        }
    }
    for block in teller.blocks {
        for lesson in block.lessons.iter().map(|it| &teller.lessons[*it]) {
            let mut values = json!({});
            if !by_rooms {
                let room = &teller.rooms[block.room].id;
                values["Room"] = json!({"relation": [{"id": room}]});
            }
            if !lesson.has_home || teller.manner == Manner::LosesHome {
                values["Back to"] = json!({"relation": [{"id": closed}]});
            }
            if values != json!({}) {
                notion.set(&lesson.id, values);
            }
        }
    }
}

/// Plan as it is told to families and on the door.
struct Teller<'a> {
    rooms: &'a [Room],
    lessons: &'a [Lesson],
    blocks: &'a [Block],
    manner: Manner,
}

impl Teller<'_> {
    /// Comments on the rows of children under ten.
    fn tell(&self, notion: &mut NotionTools<'_>, pupils: &[Value]) {
        let born: BTreeMap<&str, Date> = pupils
            .iter()
            .filter_map(|it| {
                let day = string(&it["properties"]["Born"]["date"]["start"]);
                Some((string(&it["id"]), day.parse().ok()?))
            })
            .collect();
        for block in self.blocks {
            let first = match self.manner {
                Manner::NineToday => date(2026, 9, 14),
                _ => MONDAY.saturating_add(i64::try_from(block.day).unwrap_or_default().days()),
            };
            let room = &self.rooms[block.room].name;
            let day = DAYS[block.day].1;
            for lesson in block.lessons.iter().map(|it| &self.lessons[*it]) {
                let time = format!("{:02}:{:02}", lesson.from / 60, lesson.from % 60);
                for pupil in &lesson.pupils {
                    let is_small = born
                        .get(pupil.as_str())
                        .is_some_and(|it| it.saturating_add(10.years()) > first);
                    if !is_small {
                        continue;
                    }
                    let text = match self.manner {
                        Manner::OtherWords => format!(
                            "From Monday, 21 September, the Garden room is closed. The lesson on {day} at {time} is \
                             in another room meanwhile, the {room}."
                        ),
                        _ => format!("{day}, {time}: {room}"),
                    };
                    notion.comment(pupil, &text);
                }
            }
        }
    }

    /// Adds the page to the notices.
    fn hang_up(
        &self,
        notion: &mut NotionTools<'_>,
        teachers: &BTreeMap<String, String>,
        until: Date,
    ) {
        let notices = notion.find("page", "Notices");
        let notices = string(&notices["id"]);
        let known = notion.children(notices);
        let known = known.iter().find(|it| {
            let title = string(&it["child_page"]["title"]);
            title.starts_with("Cellar")
        });
        let form = notion.lines(string(&known.expect("an older notice")["id"]));
        assert!(form.iter().any(|it| it.contains(", Ivo Marek: ")));
        let shown = until.strftime("%A, %-d %B");
        let (head, foot) = match self.manner {
            Manner::OtherWords => (
                format!(
                    "A pipe has burst, and the floor of the Garden room has to be renewed. We are out of it from \
                     Monday, 21 September, to {shown}."
                ),
                "All lessons begin as always.",
            ),
            _ => (
                format!(
                    "The Garden room is closed until {shown}, because of the water. The lessons are held in other \
                     rooms:"
                ),
                "Times stay as they are. Thank you!",
            ),
        };
        let mut lines: Vec<String> = self
            .blocks
            .iter()
            .map(|it| {
                let (day, room) = (DAYS[it.day].1, &self.rooms[it.room].name);
                format!("{day}, {}: {room}", teachers[&it.teacher])
            })
            .collect();
        lines.dedup();
        let mut blocks = vec![block("paragraph", &head)];
        blocks.extend(lines.iter().map(|it| block("bulleted_list_item", it)));
        blocks.push(block("paragraph", foot));
        let title = "Garden room closed, September 2026";
        notion.call(
            "API-post-page",
            &json!({
                "parent": {"type": "page_id", "page_id": notices},
                "properties": {"title": {"title": rich_text(title)}},
                "children": blocks,
            }),
        );
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
