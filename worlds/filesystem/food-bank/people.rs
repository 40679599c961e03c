//! Volunteers: the roster, its backup, and the hours of each month.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::{Csv, NewFile, Random, World};

use crate::hours::{self, Shift, Who};
use crate::words::{Facts, day, morning};

pub struct Volunteer {
    pub id: String,
    pub surname: &'static str,
    pub forename: &'static str,
    pub known_as: &'static str,
    pub team: &'static str,
}

const SURNAMES: [&str; 22] = [
    "Okafor",
    "van Dael",
    "Pritchard",
    "Nowak",
    "O'Hara",
    "Lindqvist",
    "Ashdown",
    "Mbeki",
    "Castellani",
    "Yardley",
    "Thwaite",
    "Ozturk",
    "Fenn",
    "Halloran",
    "Dube",
    "Quist",
    "Rowntree",
    "Szabó",
    "Iqbal",
    "Merrow",
    "Tennant",
    "Blythe",
];

const FORENAMES: [(&str, &str); 18] = [
    ("Ngozi", ""),
    ("Margaret", "Peggy"),
    ("William", "Bill"),
    ("Zofia", ""),
    ("Siobhán", "Shiv"),
    ("Robert", "Bob"),
    ("Elizabeth", "Libby"),
    ("Thabo", ""),
    ("Lucia", ""),
    ("Henry", "Harry"),
    ("Katherine", "Kit"),
    ("Emre", ""),
    ("Dorothy", "Dot"),
    ("Patrick", "Paddy"),
    ("Amara", ""),
    ("Jürgen", ""),
    ("Frances", "Fran"),
    ("Joseph", "Joe"),
];

const TEAMS: [&str; 4] = ["Drivers", "Front desk", "Sorting", "Night collections"];
const ROLES: [(&str, u32); 6] = [
    ("sorting", 6),
    ("front desk", 4),
    ("driving", 3),
    ("shelves", 3),
    ("training", 2),
    ("cancelled", 1),
];
const VISITORS: [&str; 5] = [
    "Rotary helper",
    "Scouts (six of them)",
    "Open Day Guest",
    "Chapel youth",
    "Councillor on a visit",
];

/// Writes everything below `volunteers/` and gives the people on the roster.
pub fn volunteers(world: &mut World, facts: &Facts) -> Vec<Volunteer> {
    let people = choose(world.random());
    write_roster(world, &people);
    let mut shifts = Vec::new();
    for month in 1..=6 {
        let (text, of_month) = export(world.random(), &people, month);
        shifts.extend(of_month);
        let saved = day(month + 1, 1);
        world.add(
            NewFile::new(
                format!("volunteers/hours/2025-{month:02}.csv"),
                text.clone(),
            )
            .modified(morning(saved)),
        );
        if month == facts.ignored.month {
            // A copy taken in the middle of the month.
            let half: String = text.split_inclusive('\n').take(14).collect();
            world.file(format!("volunteers/hours/2025-{month:02} - Copy.csv"), half);
        }
    }
    world.file("volunteers/README.txt", README);
    hours::write(world, &people, &shifts);
    people
}

fn choose(random: &mut Random) -> Vec<Volunteer> {
    let mut pairs: Vec<(usize, usize)> = (0..SURNAMES.len())
        .flat_map(|surname| (0..FORENAMES.len()).map(move |forename| (surname, forename)))
        .collect();
    random.shuffle(&mut pairs);
    pairs.truncate(26);
    pairs
        .into_iter()
        .enumerate()
        .map(|(index, (surname, forename))| Volunteer {
            id: format!("V-{:03}", 11 + index * 3),
            surname: SURNAMES[surname],
            forename: FORENAMES[forename].0,
            known_as: FORENAMES[forename].1,
            team: TEAMS[random.below(TEAMS.len() as u64) as usize],
        })
        .collect()
}

fn write_roster(world: &mut World, people: &[Volunteer]) {
    let mut text = String::from("id,surname,forename,known as,team,joined\n");
    let mut backup = text.clone();
    for person in people {
        let joined = day(1, 1).saturating_sub(world.random().between(1, 2400).days());
        let line = Csv::line([
            person.id.as_str(),
            person.surname,
            person.forename,
            person.known_as,
            person.team,
            &joined.to_string(),
        ]);
        text.push_str(&line);
        if world.random().chance(2, 3) {
            let other = *world.random().pick(&TEAMS);
            backup.push_str(&Csv::line([
                person.id.as_str(),
                person.surname,
                person.forename,
                "",
                other,
                &joined.to_string(),
            ]));
        }
    }
    world.file("volunteers/roster.csv", text);
    world.add(
        NewFile::new("volunteers/roster_backup_2024.csv", backup).modified(morning(day(1, 2))),
    );
}

/// Returns one month's export and its shifts without repeated lines. Up to April the export leaves names unquoted,
/// although they have a comma.
fn export(random: &mut Random, people: &[Volunteer], month: i8) -> (String, Vec<Shift>) {
    let quoted = month >= 5;
    let mut dates: Vec<i64> = (0..random.between(34, 44))
        .map(|_| random.between(1, i64::from(day(month, 1).days_in_month())))
        .collect();
    dates.sort_unstable();
    let mut lines: Vec<String> = Vec::new();
    let mut shifts = Vec::new();
    for date in dates {
        let (who, name) = if random.chance(1, 18) {
            let visitor = *random.pick(&VISITORS);
            (Who::Visitor(visitor), visitor.to_owned())
        } else {
            let at = random.below(people.len() as u64) as usize;
            (Who::Person(at), written_name(random, &people[at], quoted))
        };
        let name = if quoted {
            Csv::line([name]).trim_end().to_owned()
        } else {
            name
        };
        let role = random.weighted(&ROLES);
        let (start, length) = if random.chance(1, 9) {
            (
                random.between(20 * 12, 23 * 12) * 5,
                random.between(60, 84) * 5,
            )
        } else {
            (
                random.between(7 * 12, 16 * 12) * 5,
                random.between(12, 72) * 5,
            )
        };
        let end = (start + length) % 1440;
        let rest = random.weighted(&[
            ("", 3),
            ("0", 1),
            ("15", 2),
            ("20", 1),
            ("30", 2),
            ("45", 1),
        ]);
        let date = day(month, date as i8);
        shifts.push(Shift {
            who,
            date,
            role,
            start,
            length,
            rest,
        });
        lines.push(format!(
            "{date},{name},{role},{:02}:{:02},{:02}:{:02},{rest}\n",
            start / 60,
            start % 60,
            end / 60,
            end % 60
        ));
    }
    for _ in 0..random.between(1, 3) {
        // The export ran twice for a line.
        let at = random.below(lines.len() as u64) as usize;
        let again = lines[at].clone();
        let to = random.between(at as i64 + 1, lines.len() as i64) as usize;
        lines.insert(to, again);
    }
    let text = format!("date,name,role,in,out,break\n{}", lines.concat());
    (text, shifts)
}

fn written_name(random: &mut Random, person: &Volunteer, free: bool) -> String {
    let forename = if !person.known_as.is_empty() && random.chance(1, 3) {
        person.known_as
    } else {
        person.forename
    };
    let name = if free && random.chance(1, 3) {
        format!("{forename} {}", person.surname)
    } else {
        format!("{}, {forename}", person.surname)
    };
    match random.below(12) {
        0 => name.to_uppercase(),
        1 => name.replace(' ', "  "),
        2 => name.to_lowercase(),
        _ => name,
    }
}

const README: &str = "\
Volunteers

roster.csv is kept by the office and is right. The backup of 2024 is not.

hours/ has one export per month from the sign-in tablet, named YYYY-MM.csv. Anything with
another name is a copy: leave it alone and do not count it.

Reading the exports
- The tablet writes a name as \"Surname, Forename\". Until April 2025 it did not put quotes around
  the name, so the name fills two fields of the line. Visitors have names without a comma.
- Since May 2025 names with a comma are quoted, and some people sign in as \"Forename Surname\".
- People use the forename or the known-as name of the roster, in any case, now and then with two
  spaces. Surname and one of the two names make the person.
- Times are 24-hour. When \"out\" is earlier than \"in\", the shift ended after midnight; it belongs to
  the day on which it began. \"break\" is in minutes, unpaid like everything else, and to be taken off;
  an empty one means none.
- A line that is the same, character for character, as an earlier line of its file was exported twice
  and counts once.
- The roles \"training\" and \"cancelled\" are not hours worked.

Forgotten shifts
Who forgot to sign in writes the shift on the sheet by the tablet, and the office types it into
\"forgotten shifts.csv\". It counts like one of the tablet once a team leader has put initials to it. Without
initials, or in a letter alone, it does not. Some people sign in and fill in the sheet as well: the same
person on the same day with the same times is one shift.

The report on the hours
The board gets one for every month, in two files, hours-YYYY-MM.csv and hours-YYYY-MM.md. It looks like the one
of the month before, so that they can lay the two side by side. Once the board has read a report, it moves to
the archive.
- The table of people has everybody on the roster who worked that month, and nobody who did not. Most time
  first; people with equal time by id.
- Add up minutes. Turn a sum into hours only at the end: one decimal, halves upwards.
- The table of teams has all teams of the roster by name, also one in which nobody worked.
- Whoever worked and is not on the roster is in the list below, each name once: we want to ask them whether they
  will join. Their time is in no sum.
";
