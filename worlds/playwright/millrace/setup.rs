//! The starting state of the repairs desk, made from a seed.

mod desk;
mod people;
mod reports;
mod schema;

use mcpmark_guest::World;
use mcpmark_guest_site::state::{FORMAT, Table};
use mcpmark_guest_site::{SESSIONS, Value};

mcpmark_guest::setup!(setup);

const SITE: &str = "sites/repairs.test";

/// Pages of the handbook: slug, title, text, days since the last change.
const PAGES: [(&str, &str, &str, i64); 6] = [
    (
        "triage",
        "Handling new jobs",
        include_str!("texts/triage.txt"),
        40,
    ),
    (
        "priorities",
        "Priorities",
        include_str!("texts/priorities.txt"),
        130,
    ),
    (
        "firms",
        "Which firm does what",
        include_str!("texts/firms.txt"),
        11,
    ),
    ("visits", "Visits", include_str!("texts/visits.txt"), 75),
    (
        "open-jobs",
        "Going through the open jobs",
        include_str!("texts/open-jobs.txt"),
        61,
    ),
    ("tone", "How we write", include_str!("texts/tone.txt"), 402),
];

fn setup(world: &mut World) {
    let now = world.now();
    let residents = people::residents(world.random());
    let desk = desk::Desk::create(world.random(), now, &residents);
    world.file("format", FORMAT);
    world.file(
        format!("{SITE}/tables.sql"),
        format!("{}{SESSIONS};\n", schema::TABLES),
    );
    world.file(format!("{SITE}/objects.sql"), schema::OBJECTS);
    world.file(
        format!("{SITE}/static/style.css"),
        include_str!("style.css"),
    );
    let mut pages = Table::new(&["slug", "title", "text", "changed"]);
    for (slug, title, text, days) in PAGES {
        let changed = now - days * 86_400;
        pages.push([slug.into(), title.into(), text.into(), changed.into()]);
    }
    for (name, table) in [
        ("accounts", accounts(&residents)),
        ("houses", houses()),
        ("firms", firms()),
        ("jobs", desk.jobs()),
        ("comments", desk.comments()),
        ("visits", desk.visits()),
        ("pages", pages),
    ] {
        world.file(format!("{SITE}/rows/{name}.jsonl"), table.text());
    }
}

fn accounts(residents: &[people::Resident]) -> Table {
    let mut table = Table::new(&[
        "login", "name", "role", "password", "house", "flat", "about",
    ]);
    for (login, name, password) in people::COORDINATORS {
        table.push([
            login.into(),
            name.into(),
            "coordinator".into(),
            password.into(),
            Value::Null,
            Value::Null,
            "".into(),
        ]);
    }
    for resident in residents {
        table.push([
            Value::from(&resident.login),
            (&resident.name).into(),
            "resident".into(),
            "".into(),
            resident.house.into(),
            resident.flat.to_string().into(),
            (&resident.about).into(),
        ]);
    }
    table
}

fn houses() -> Table {
    let mut table = Table::new(&["id", "name", "street", "built", "flats", "heating", "note"]);
    for (id, (name, street, built, flats, heating, note)) in (1_i64..).zip(people::HOUSES) {
        table.push([
            id.into(),
            name.into(),
            street.into(),
            built.into(),
            flats.into(),
            heating.into(),
            note.into(),
        ]);
    }
    table
}

fn firms() -> Table {
    let mut table = Table::new(&["id", "name", "trade", "phone", "note"]);
    for (id, (name, trade, phone, note)) in (1_i64..).zip(people::FIRMS) {
        table.push([
            id.into(),
            name.into(),
            trade.into(),
            phone.into(),
            note.into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::testing::set_up;

    use super::*;

    fn table(world: &mcpmark_guest::testing::MemoryTree, name: &str) -> Table {
        let bytes = world.read(&format!("{SITE}/rows/{name}.jsonl")).unwrap();
        Table::parse(std::str::from_utf8(bytes).unwrap()).unwrap()
    }

    #[test]
    fn a_seed_always_gives_the_same_world() {
        let world = set_up(setup, 11);
        assert_eq!(world, set_up(setup, 11));
        assert_ne!(world, set_up(setup, 12));
    }

    #[test]
    fn every_seed_gives_the_jobs_of_the_tasks_and_as_many_others() {
        for seed in 0..10 {
            let world = set_up(setup, seed);
            let jobs = table(&world, "jobs");
            assert_eq!(jobs.records().len(), 760, "seed {seed}");
            let new = jobs.records().filter(|job| {
                job.integer("house") == Some(people::TANNERS_ROW)
                    && job.text("status") == Some("new")
            });
            let places: Vec<_> = new.filter_map(|job| job.text("place")).collect();
            assert_eq!(
                places,
                [
                    "Flat 12",
                    "Lift",
                    "Flat 9",
                    "Back stairs",
                    "Flat 17",
                    "Lift",
                    "Flat 23",
                    "Flat 26"
                ],
                "seed {seed}"
            );
            assert!(
                table(&world, "comments").records().len() > 1200,
                "seed {seed}"
            );
            assert!(table(&world, "visits").records().len() > 100, "seed {seed}");
        }
    }

    #[test]
    fn no_firm_has_two_visits_at_once() {
        let world = set_up(setup, 11);
        let visits = table(&world, "visits");
        let mut slots: Vec<_> = visits
            .records()
            .map(|visit| (visit.integer("firm"), visit.text("day"), visit.text("slot")))
            .collect();
        slots.sort();
        let count = slots.len();
        slots.dedup();
        assert_eq!(slots.len(), count);
    }
}
