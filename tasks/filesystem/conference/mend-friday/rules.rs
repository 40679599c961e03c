//! How Friday is mended, step by step.

use mcpmark_guest::Reader;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpmark_guest::serde_json::{self, Value, json};

#[path = "material.rs"]
pub mod material;

pub use material::{FRIDAY, Oversights, folder};
use material::{LENGTH, Material, Room, Talk};

pub const PAGE: &str = "08 Public/friday.html";
pub const ITEM: &str = "mend Friday (Matteo)";

/// A slot and a room.
type Place = (usize, usize);

pub struct Mended {
    /// Start, room and talk.
    pub draft: Vec<[String; 3]>,
    pub changes: Value,
    /// The rows of the page.
    pub rows: String,
}

impl Mended {
    pub fn changes_text(&self) -> String {
        serde_json::to_string_pretty(&self.changes).expect("a value in memory becomes JSON") + "\n"
    }

    /// The page of draft 3 with the rows of this draft.
    pub fn page(&self, before: &str) -> String {
        let (head, rest) = before
            .split_once("<th>Speaker</th></tr>\n")
            .expect("the table has a header");
        let (_, tail) = rest.split_once("  </table>").expect("the table ends");
        let head = head.replace("<p>Draft 3. ", "<p>Draft 4. ");
        format!("{head}<th>Speaker</th></tr>\n{}  </table>{tail}", self.rows)
    }
}

pub fn mend(folder: &mut dyn Reader, oversights: &Oversights) -> Mended {
    let material = material::read(folder, oversights);
    let cancelled: Vec<&str> = material
        .talks
        .values()
        .filter(|talk| talk.is_cancelled)
        .map(|talk| talk.number.as_str())
        .collect();
    let mut places: BTreeMap<Place, &Talk> = material
        .draft
        .iter()
        .filter(|(number, _)| !cancelled.contains(&number.as_str()))
        .map(|(number, place)| (*place, &material.talks[number]))
        .collect();
    let mut marked = mark(&material, &places, oversights);
    places.retain(|place, _| !marked.iter().any(|(_, from, _)| from == place));

    marked.sort_by_key(|(talk, _, _)| (Reverse(talk.listeners), talk.number.clone()));
    let (mut moved, mut unplaced) = (Vec::new(), Vec::new());
    for (talk, from, reasons) in marked {
        let mut change = json!({
            "talk": talk.number,
            "listeners": talk.listeners,
            "reasons": reasons,
            "from": name(&material, from),
        });
        if let Some(to) = find_place(&material, &places, talk) {
            places.insert(to, talk);
            change["to"] = name(&material, to);
            moved.push(change);
        } else {
            unplaced.push(change);
        }
    }
    unplaced.sort_by_key(|change| change["talk"].to_string());
    let cell = |text: &str| format!("<td>{}</td>", text.replace('&', "&amp;"));
    let row = |(place, talk): (&Place, &&Talk)| {
        let cells = [
            &clock(material.slots[place.0]),
            &material.rooms[place.1].name,
            &talk.title,
            &talk.speaker,
        ];
        let cells: String = cells.into_iter().map(|text| cell(text)).collect();
        format!("    <tr>{cells}</tr>\n")
    };
    let line = |(place, talk): (&Place, &&Talk)| {
        [
            clock(material.slots[place.0]),
            material.rooms[place.1].name.clone(),
            talk.number.clone(),
        ]
    };
    Mended {
        draft: places.iter().map(line).collect(),
        rows: places.iter().map(row).collect(),
        changes: json!({"cancelled": cancelled, "moved": moved, "unplaced": unplaced}),
    }
}

/// The talks that leave their places, and why.
fn mark<'a>(
    material: &Material,
    places: &BTreeMap<Place, &'a Talk>,
    oversights: &Oversights,
) -> Vec<(&'a Talk, Place, Vec<&'static str>)> {
    let broken = |place: &Place, talk: &Talk| {
        broken_rules(talk, &material.rooms[place.1], material.slots[place.0])
    };
    let mut marked: Vec<(&Talk, Place, Vec<&str>)> = places
        .iter()
        .map(|(place, talk)| (*talk, *place, broken(place, talk)))
        .filter(|(_, _, reasons)| !reasons.is_empty())
        .collect();
    // In the order of slots, then rooms.
    for (place, talk) in places {
        let is_marked = |place: &Place| marked.iter().any(|(_, other, _)| other == place);
        let clashes = places.iter().any(|(other, earlier)| {
            other.0 == place.0
                && other.1 < place.1
                && (oversights.marks_on_sight || !is_marked(other))
                && clash(talk, earlier)
        });
        if clashes && !is_marked(place) {
            marked.push((talk, *place, vec!["clash"]));
        }
    }
    marked
}

/// The rules 1 to 5 that a talk would break in a room at a time.
fn broken_rules(talk: &Talk, room: &Room, start: i64) -> Vec<&'static str> {
    let end = start + LENGTH;
    let has = |need: &String| room.equipment.contains(need);
    // The same day at the speaker's place, between 07:00 and 22:00.
    let fits = |ahead: i64| start + ahead >= 7 * 60 && end + ahead <= 22 * 60;
    let rules = [
        ("seats", talk.listeners <= room.seats),
        ("equipment", talk.needs.iter().all(has)),
        ("closed", room.opens <= start && end <= room.closes),
        ("hours", talk.ahead.is_none_or(fits)),
        ("wish", talk.not_before <= start && end <= talk.not_after),
    ];
    rules
        .into_iter()
        .filter(|(_, holds)| !holds)
        .map(|(rule, _)| rule)
        .collect()
}

fn clash(one: &Talk, other: &Talk) -> bool {
    one.address == other.address || one.theme == other.theme
}

fn find_place(material: &Material, places: &BTreeMap<Place, &Talk>, talk: &Talk) -> Option<Place> {
    let mut by_size: Vec<usize> = (0..material.rooms.len()).collect();
    by_size.sort_by_key(|room| material.rooms[*room].seats);
    for (slot, start) in material.slots.iter().enumerate() {
        let clashes = places
            .iter()
            .any(|(place, other)| place.0 == slot && clash(talk, other));
        let fitting = by_size.iter().find(|room| {
            !places.contains_key(&(slot, **room))
                && broken_rules(talk, &material.rooms[**room], *start).is_empty()
        });
        if let (false, Some(room)) = (clashes, fitting) {
            return Some((slot, *room));
        }
    }
    None
}

fn name(material: &Material, place: Place) -> Value {
    json!({"start": clock(material.slots[place.0]), "room": material.rooms[place.1].name})
}

fn clock(minutes: i64) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
