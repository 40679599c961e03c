//! Partner agencies: the list, its stale copy, and a note each.

use mcpmark_guest::{Csv, NewFile, World};

use crate::people::Volunteer;
use crate::words::{day, morning, sloppy};

const TOWNS: [&str; 9] = [
    "Ashby",
    "Colne Bridge",
    "Dunmore",
    "Harrow St Mary",
    "Lower Penn",
    "Marlow Cross",
    "Tarn",
    "Wexley",
    "Wexley Heath",
];
const FIRST: [&str; 16] = [
    "All Saints",
    "Beacon",
    "Bridge Street",
    "Cedar",
    "Dunmore",
    "Elm Court",
    "Fairfield",
    "Good Neighbours",
    "Hillside",
    "Ivy House",
    "Jubilee",
    "Kingfisher",
    "Lantern",
    "Mill Lane",
    "New Leaf",
    "Open Door",
];
const SECOND: [&str; 8] = [
    "Shelter",
    "Lunch Club",
    "Family Centre",
    "Advice, Food & Fuel",
    "Community Fridge",
    "School Pantry",
    "Hostel",
    "Parish Kitchen",
];
const STATUS: [(&str, u32); 10] = [
    ("active", 12),
    ("Active", 6),
    ("live", 3),
    ("yes", 2),
    ("paused", 2),
    ("on hold", 2),
    ("resting", 1),
    ("closed", 2),
    ("gone", 1),
    ("ended", 1),
];
const DAYS: [&str; 5] = ["Mon", "Tue", "Wed", "Thu", "Fri"];

const HEADER: &str = "agency_id,name,town,status,visit_day,parcels_per_week,until\n";

pub fn write(world: &mut World, names: &[Volunteer]) {
    let random = world.random();
    let mut all: Vec<String> = FIRST
        .iter()
        .flat_map(|first| SECOND.iter().map(move |second| format!("{first} {second}")))
        .collect();
    random.shuffle(&mut all);
    all.truncate(46);

    let mut lines = Vec::new();
    let mut notes = Vec::new();
    for (index, name) in all.iter().enumerate() {
        let random = world.random();
        let id = format!("A{:03}", 104 + index * 7);
        let town = *random.pick(&TOWNS);
        let row = |random: &mut mcpmark_guest::Random| {
            let chosen = *random.weighted(&STATUS);
            let status = sloppy(random, chosen);
            let visit = *random.pick(&DAYS);
            let parcels = if random.chance(1, 11) {
                String::new()
            } else {
                random.between(2, 48).to_string()
            };
            let until = match random.below(9) {
                0 => "2025-06-30".to_owned(),
                1 => "2025-07-01".to_owned(),
                2 => day(random.between(2, 12) as i8, random.between(1, 28) as i8).to_string(),
                _ => String::new(),
            };
            Csv::line([id.as_str(), name, town, &status, visit, &parcels, &until])
        };
        lines.push(row(random));
        if random.chance(1, 6) {
            // Listed again further down, after a phone call.
            let again = row(random);
            lines.push(again);
        }
        if index % 2 == 0 {
            let keeper = &names[index % names.len()];
            let day = *random.pick(&DAYS);
            notes.push((id, format!(
                "# {name}\n\n- Town: {town}\n- Contact at our end: {} {}\n- Unloading: {}\n- Allergies to mind: {}\n\n## Log\n\n- {day}: {}\n- {}\n",
                keeper.forename,
                keeper.surname,
                random.pick(&["round the back, ring twice", "front door, mind the step", "side gate, code from the office", "car park, before ten"]),
                random.pick(&["none known", "nuts", "gluten, two families", "milk (ask)", "fish"]),
                random.pick(&["took four parcels less than last week", "asked for nappies, size 4", "freezer is mended", "keys handed over", "nobody there, parcels went back"]),
                random.pick(&["Says they may close for the summer, to be confirmed.", "Would like a visit on another day.", "Happy with the tins, less happy with the bread.", "No change."]),
            )));
        }
    }
    let random = world.random();
    // Second listings stand below the first, the order is otherwise that of the last clear-out.
    let mut order: Vec<(u64, usize)> = (0..lines.len())
        .map(|index| (random.below(1000), index))
        .collect();
    for pair in 1..order.len() {
        if lines[order[pair].1][..4] == lines[order[pair - 1].1][..4] {
            order[pair].0 = order[pair - 1].0 + 40;
        }
    }
    order.sort_unstable();
    let text: String = order
        .iter()
        .map(|(_, index)| lines[*index].as_str())
        .collect();
    let old: String = lines
        .iter()
        .step_by(2)
        .map(|line| line.replace("active", "paused"))
        .collect();
    world.file("partners/agencies.csv", format!("{HEADER}{text}"));
    world.add(
        NewFile::new("partners/agencies (old).csv", format!("{HEADER}{old}"))
            .modified(morning(day(2, 3))),
    );
    world.add(
        NewFile::new(
            "archive/2024/agencies.csv",
            format!(
                "{HEADER}{}",
                &text[..text.len() / 3]
                    .rsplit_once('\n')
                    .map_or("", |cut| cut.0)
            ),
        )
        .modified(morning(day(1, 6))),
    );
    world.file("partners/README.md", README);
    for (id, note) in notes {
        world.file(format!("partners/notes/{id}.md"), note);
    }
}

const README: &str = "\
# Partner agencies

`agencies.csv` is the list we work with. `agencies (old).csv` and what is in the archive are history.

- When an agency is listed twice, the lower line is the newer one and holds.
- `parcels_per_week` may be empty when nobody asked yet; count it as 0.
- `until` is the last day on which the agency works with us. Empty means no end in sight. After that day the
  agency is closed, whatever its status says.
- The notes of single agencies are for drivers. They decide nothing.

## Status

People type what they like. Case and white space around it mean nothing.

| Typed | Means |
|---|---|
| active, live, yes | active |
| paused, on hold, resting | paused |
| closed, gone, ended | closed |
";
