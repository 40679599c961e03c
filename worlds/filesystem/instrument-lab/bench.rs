//! Bench logs, and the records of the scanners at the doors.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{Random, World};

use crate::registers::{PROJECTS, STAFF, Sample};
use crate::runs::Batch;
use crate::time::{at, hours, minutes, utc_of};

/// What people write, with `{b}` for the batch, `{s}` for one of its samples and `{t}` for another.
const ENTRIES: [&str; 26] = [
    "{b} started, argon at 8 bar.",
    "{b}: torch cleaned by Tomás Duarte before the start.",
    "{b}: {s} looks high, Maren will dilute again.",
    "{b} interrupted for ten minutes, pump tube. Kask had a spare one.",
    "{b}: label of {s} was torn, read by Nia from the crate.",
    "{b}: {s} and {t} stood in the wrong order in the rack. Put right before the start.\n  Checked by Sabine Aldous.",
    "{b}: BSB rang about {s}, they want the iron today.\n  Agathe Morrow, a.morrow@bsb.example or 0555 201 44.",
    "{b}: {s} comes from Vexmoor Weir, not from the works. Hilde Vex confirms.",
    "{b}: whey in {s}. Ormsel Dairy says that their skimmer was off.",
    "{b}: Ormsel want a copy, holm@ormsel.example, not by post.",
    "{b}: bottle from Ormsel Bridge was frozen, Ormsel know.",
    "{b} done, data on the drive. Éllise is no name: it is Élise Pradel who exports.",
    "{b}: asked Maren Quist of Tarrow Fish Farms whether {s} may wait.",
    "{b}: {s} is from Skerne, Kask's Ford. Kask was not there.",
    "{b}: the municipality (Ode Lindqvist, 0555 100 10) asks for zinc as well.\n  Told water@skerne.example that zinc is in.",
    "{b}: repeat of {s} agreed with Skerne council.",
    "{b}: Hollow Quarry, sump: sludge in {s}, decanted.",
    "{b}: Hollow Quarry & Sons sent two crates; the quarry will fetch them.\n  Bo Hollow, bo@hollow-quarry.example, 0555 771 02.",
    "{b}: {s} left out, not enough. See {t}.",
    "{b}: check after the last sample within limits. Tolvik.",
    "{b}: moved behind {c} because of the argon.",
    "{b}: same rack as {c}; {s} measured in both.\n  Jonas wants to know why.\n  (So do I.)",
    "{b}: Tarrow rang, nothing urgent.",
    "{b}: tubing from Duarteville Ltd. fits. Duarte, though, doubts it.",
    "{b}: note for the BSBs of this world: 14 days means 14 days.",
    "{b}: Brackwater Supply is short for Brackwater Supply Board, says Iversen.",
];

const ASIDES: [&str; 8] = [
    "Fire drill. Nobody left.",
    "Cold room smells again.\n  Renko looks after it.",
    "Tea money is short by 3.40.",
    "Stick found in the lift, put into the inbox.",
    "New gloves, size S only. Sabine is informed.",
    "Window in 2.04 does not close.",
    "Visit by the school, 14 children, no losses.",
    "pH meter of the attic wanted by nobody.",
];

pub fn write_logs(world: &mut World, samples: &[Sample], batches: &[Batch]) {
    let metals: Vec<&Batch> = batches
        .iter()
        .filter(|batch| batch.group == "metals")
        .collect();
    let mut entries: Vec<(DateTime, String)> = Vec::new();
    let mut order: Vec<usize> = (0..ENTRIES.len()).collect();
    world.random().shuffle(&mut order);
    let mut next = 0;
    for (index, batch) in metals.iter().enumerate() {
        let random = world.random();
        let mut time = minutes(batch.started, -25);
        for number in 0..5 {
            let text = ENTRIES[order[next % order.len()]];
            next += 1;
            let other = metals[if index == 0 { 1 } else { index - 1 }];
            let text = fill(random, text, batch, other, samples);
            let initials = if number % 3 == 2 {
                random.pick(&STAFF).0
            } else {
                batch.operator
            };
            entries.push((time, format!("[{initials}] {text}")));
            time = minutes(time, random.between(9, 55));
        }
    }
    for batch in batches.iter().filter(|batch| batch.group != "metals") {
        let text = format!("[{}] {} started.", batch.operator, batch.number);
        entries.push((batch.started, text));
    }
    for (index, text) in ASIDES.iter().enumerate() {
        let random = world.random();
        let day = at(2, 26, 0, 0);
        let time = minutes(
            hours(day, (index as i64 * 5 + random.between(0, 3)) * 24 + 9),
            random.between(0, 480),
        );
        let initials = random.pick(&STAFF).0;
        entries.push((time, format!("[{initials}] {text}")));
    }
    entries.sort();
    let mut weeks: BTreeMap<i8, String> = BTreeMap::new();
    for (time, text) in entries {
        let week = weeks.entry(time.date().iso_week_date().week()).or_default();
        week.push_str(&format!("{} {text}\n", time.strftime("%Y-%m-%d %H:%M")));
    }
    for (week, text) in weeks {
        world.file(format!("logs/bench/2024-W{week:02}.log"), text);
    }
}

fn fill(
    random: &mut Random,
    text: &str,
    batch: &Batch,
    other: &Batch,
    samples: &[Sample],
) -> String {
    // What a client says is about a sample of that client where the batch has one.
    let client = [
        ("BSB", "C-03"),
        ("Vexmoor", "C-03"),
        ("Ormsel", "C-07"),
        ("whey", "C-07"),
        ("Tarrow", "C-09"),
        ("Skerne", "C-12"),
        ("municipality", "C-12"),
        ("Quarry", "C-15"),
    ]
    .into_iter()
    .find(|(word, _)| text.contains(word))
    .map(|(_, client)| client);
    let of_client = |id: &&String| {
        samples.iter().any(|sample| {
            sample.id == **id
                && client.is_none_or(|client| PROJECTS[sample.project].client == client)
        })
    };
    let mut ids: Vec<&String> = batch.samples.iter().filter(of_client).collect();
    if ids.is_empty() {
        ids = batch.samples.iter().collect();
    }
    let first = ids.get(random.below(ids.len().max(1) as u64) as usize);
    let second = batch
        .samples
        .iter()
        .rev()
        .find(|id| first.is_none_or(|first| first != id));
    text.replace("{b}", &batch.number)
        .replace("{c}", &other.number)
        .replace("{s}", first.map_or("the blank", |id| id))
        .replace("{t}", second.map_or("the blank", |id| id))
}

/// What the scanners at the doors saw. The clock of door A was an hour slow for three days.
pub fn write_scans(world: &mut World, samples: &[Sample]) {
    let mut scans: Vec<(DateTime, String)> = Vec::new();
    let mut add = |random: &mut Random, utc: DateTime, code: &str, door: &str| {
        let is_slow = door == "A" && utc >= at(3, 18, 1, 0) && utc < at(3, 21, 1, 0);
        let shown = if is_slow { hours(utc, -1) } else { utc };
        let second = random.between(0, 59);
        let stamp = format!("{}:{second:02}Z", shown.strftime("%Y-%m-%dT%H:%M"));
        scans.push((
            utc,
            format!("{{\"t\": \"{stamp}\", \"code\": \"{code}\", \"door\": \"{door}\"}}\n"),
        ));
    };
    for sample in samples {
        let random = world.random();
        let is_on_its_way = samples.last().is_some_and(|last| last.id == sample.id);
        if random.chance(1, 12) || is_on_its_way {
            continue;
        }
        let utc = utc_of(sample.received);
        let code = match random.below(6) {
            0 => sample.id.to_lowercase(),
            1 | 2 => sample.id.replace('-', ""),
            _ => sample.id.clone(),
        };
        add(random, utc, &code, "A");
        if random.chance(1, 7) {
            let later = minutes(utc, random.between(1, 240));
            add(random, later, &sample.id, "A");
        }
        if random.chance(1, 6) {
            // Through the back door on its way out; one was in a hurry.
            let out = if random.chance(1, 4) {
                minutes(utc, -random.between(5, 40))
            } else {
                hours(utc, random.between(50, 200))
            };
            add(random, out, &sample.id, "B");
        }
        if random.chance(1, 11) {
            add(random, minutes(utc, 2), "4006381333931", "A");
        }
    }
    scans.retain(|(utc, _)| *utc < at(4, 8, 0, 0));
    scans.sort();
    let mut weeks: BTreeMap<i8, String> = BTreeMap::new();
    for (utc, line) in scans {
        weeks
            .entry(utc.date().iso_week_date().week())
            .or_default()
            .push_str(&line);
    }
    for (week, text) in weeks {
        world.file(format!("receiving/scans 2024-W{week:02}.jsonl"), text);
    }
    world.file("receiving/README.txt", SCANNERS);
}

const SCANNERS: &str = "\
The scanners

Door A is where samples come in, door B is where they leave. Each scan is one line of JSON: t is the
time in UTC by the scanner's own clock, code is what it read.

Codes: capitals or not, with or without the dash, it is the same sample. Anything that is not in the
register is not a sample (it is usually somebody's lunch).

A sample that is carried past door A again is scanned again. The first time counts.

The clock of door A was one hour slow: everything that it stamped from 2024-03-18T00:00:00Z up to and
including 2024-03-20T23:59:59Z needs one hour more. It was set right after that. Door B was never wrong.
";
