//! Everything else on the drive: minutes, letters, counts, logs, leftovers.

use mcpmark_guest::{NewFile, World};

use crate::people::Volunteer;
use crate::words::{Facts, day, morning};

pub fn write(world: &mut World, facts: &Facts, names: &[Volunteer]) {
    minutes(world, facts, names);
    letters(world, names);
    counts(world, facts);
    cold_rooms(world, facts);
    leftovers(world);
}

fn minutes(world: &mut World, facts: &Facts, names: &[Volunteer]) {
    let (from, merged, into) = facts.merged;
    let (deferred, other) = facts.deferred;
    let meetings = [
        (1, 14, "The van passed its test. The roof at Tarn did not.\n\n## Decided\n\n- Buy two pallet trucks, second hand.".to_owned()),
        (2, 11, format!(
            "A long talk about what belongs on which shelf.\n\n## Proposed\n\n- Count {merged} as {into} from March on. \
             No vote, comes back in April."
        )),
        (3, 11, "Quarter's figures are due from all depots by the 10th of April.\n\n## Decided\n\n- Late entries stay late entries: \
             type them when they turn up, with the date on which the goods came.".to_owned()),
        (4, 8, format!(
            "The figures of the first quarter were read and accepted.\n\n## Decided\n\n- From {} on, everything of the category {merged}, \
             whatever its label, counts as {into}. What came in before that day stays where it was.\n- The depots go on using their labels.",
            from.strftime("%-d %B %Y")
        )),
        (5, 13, format!(
            "## Proposed\n\n- To count {deferred} as {other}. Put off until the autumn: nothing changes for now.\n\n## Decided\n\n\
             - Summer opening hours as last year."
        )),
        (6, 10, "Thanks to everybody who moved the freezer.\n\n## Decided\n\n- The quarter log in the deliveries folder is kept by \
             the office. One line per quarter, nothing else.\n- From 16 June 2025 on, training counts as hours worked. \
             People give us their time for it like for everything else. What was before that day stays as it is.\n\n\
             ## Proposed\n\n- Not to take breaks of up to 15 minutes off the volunteers' hours any more. No vote, comes back in July.".to_owned()),
    ];
    for (month, date, text) in meetings {
        let random = world.random();
        let present: Vec<String> = random
            .sample(names, 5)
            .into_iter()
            .map(|person| format!("{} {}", person.forename, person.surname))
            .collect();
        let held = day(month, date);
        let text = format!(
            "# Board meeting, {}\n\nPresent: {}.\n\n{text}\n\n## Next meeting\n\nSecond Tuesday, half past six, tea from six.\n",
            held.strftime("%-d %B %Y"),
            present.join(", ")
        );
        world.add(NewFile::new(format!("minutes/{held}.md"), text).modified(morning(held)));
    }
}

fn letters(world: &mut World, names: &[Volunteer]) {
    let subjects = [
        (
            "Bread on Thursdays",
            "could we have less bread and more of anything else? The freezer is full of baps.",
        ),
        (
            "Re: Re: keys",
            "the keys for the side gate are with me, not with the office. Sorry, all.",
        ),
        (
            "Summer fête",
            "we would like a stall again, two tables, and the banner if it has dried.",
        ),
        (
            "Invoice 2231",
            "please find the invoice for the pallet trucks attached. (There was no attachment.)",
        ),
        (
            "Weights",
            "a kind reminder that our scales are in whatever unit the notes of the depot say, not what you would like.",
        ),
        (
            "School harvest",
            "the children have collected 61 tins, 14 packets and one shoe. Collection Friday?",
        ),
        (
            "Rota",
            "I can do nights in June but not the 14th, the 15th, and the week after.",
        ),
        (
            "Delivery notes",
            "I typed last week's today. I put the real dates.",
        ),
        (
            "Cold room 2",
            "the alarm went off at 3:40 again. Nothing thawed.",
        ),
        ("Thank you", "for the parcels and for asking about mum."),
    ];
    for (index, (subject, body)) in subjects.iter().enumerate() {
        let random = world.random();
        let writer = random.pick(names);
        let month = random.between(3, 6) as i8;
        let sent = day(month, random.between(1, 28) as i8);
        let text = format!(
            "From: {} {}\nTo: office\nDate: {}\nSubject: {subject}\n\nHello,\n\n{body}\n\n{}\n",
            writer.forename,
            writer.surname,
            sent.strftime("%-d %b %Y"),
            writer.forename
        );
        world.add(
            NewFile::new(
                format!("inbox/{:02} {}.txt", index + 1, subject.replace(':', "")),
                text,
            )
            .modified(morning(sent)),
        );
    }
}

fn counts(world: &mut World, facts: &Facts) {
    let goods = [
        "beans",
        "soup",
        "rice 1 kg",
        "pasta",
        "UHT milk",
        "tuna",
        "chopped tomatoes",
        "tea bags",
        "nappies s4",
        "soap",
        "cereal",
        "jam",
    ];
    for depot in &facts.depots {
        for month in [3, 6] {
            let counted = day(month, 28);
            let mut text = format!(
                "Shelf count {}, {}\n\n",
                depot.name,
                depot.dates.write(counted)
            );
            for good in goods {
                let number = world.random().between(0, 240);
                let line = match world.random().below(4) {
                    0 => format!("{good} x {number}\n"),
                    1 => format!("{good}: {number}\n"),
                    2 => format!("{number} {good}\n"),
                    _ => format!("- {good}, {number} (some dented)\n"),
                };
                text.push_str(&line);
            }
            world.add(
                NewFile::new(format!("stock/{}/count {counted}.txt", depot.slug), text)
                    .modified(morning(counted)),
            );
        }
    }
}

fn cold_rooms(world: &mut World, facts: &Facts) {
    for depot in &facts.depots {
        let mut text = String::from("time;room 1;room 2\n");
        for date in 1..=30 {
            for hour in [0, 3, 6, 9, 12, 15, 18, 21] {
                let random = world.random();
                let (one, two) = (random.between(21, 58), random.between(-205, -171));
                text.push_str(&format!(
                    "2025-06-{date:02}T{hour:02}:00;{},{};-{},{}\n",
                    one / 10,
                    one % 10,
                    -two / 10,
                    -two % 10
                ));
            }
        }
        world.add(
            NewFile::new(format!("cold-rooms/{}-2025-06.csv", depot.slug), text)
                .modified(morning(day(7, 1))),
        );
    }
}

fn leftovers(world: &mut World) {
    world.file("README.md", README);
    world.directory("to-shred");
    world.file(
        ".sync.ini",
        "[sync]\nlast = 2025-07-03T22:14:09\nconflicts = 3\n",
    );
    world.file("archive/.keep", "");
    world.file(
        "archive/2024/leaflet, final FINAL.txt",
        "Harrow Vale Food Bank\n\nOpen Tuesdays and Fridays.\nBring a bag.\n",
    );
    world.file(
        "archive/2024/leaflet, final.txt",
        "Harrow Vale Food Bank\n\nOpen Tuesdays.\nBring a bag.\n",
    );
    world.file(
        "templates/receipt.txt",
        "Received from: ....................\nCrates: ........  Weight: ........\nSigned: ....................\n",
    );
    world.file(
        "templates/parcel card.md",
        "# Parcel for ....\n\n- [ ] tins\n- [ ] something fresh\n- [ ] something sweet\n",
    );
    world.file(
        ".trash/notes for tuesday.txt",
        "ask about the roof\nring the dairy\n",
    );
}

const README: &str = "\
# The shared drive

| Folder | What is in it |
|---|---|
| `deliveries/` | what came in, by depot and month |
| `volunteers/` | the roster and the hours |
| `partners/` | the agencies that hand out our parcels |
| `minutes/` | the board, once a month |
| `stock/`, `cold-rooms/` | counts and logs |
| `inbox/` | letters nobody has filed |
| `archive/`, `templates/`, `to-shred/` | as the names say |

Reports go into a folder `reports/`; make it if it is not there. What the board has read moves to `archive/`, by year.
Do not tidy other people's folders, please.
";
