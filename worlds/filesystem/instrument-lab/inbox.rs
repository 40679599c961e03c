//! Exports that nobody has filed.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{NewFile, World};

use crate::dialects::export;
use crate::registers::Sample;
use crate::runs::{Batch, count};
use crate::time::{at, seconds};

pub fn write(
    world: &mut World,
    samples: &[Sample],
    batches: &[Batch],
    archive: &BTreeMap<String, String>,
) {
    let of = |number: &str| {
        batches
            .iter()
            .find(|batch| batch.number == number)
            .expect("a planned batch")
    };
    let names = ["export.csv", "icp friday.csv", "0405.csv", "data.txt"];
    let exports: Vec<String> = ["ICP-0239", "ICP-0240", "IC-0126", "TOC-0077"]
        .map(|number| export(world.random(), of(number)))
        .into();
    for (name, text) in names.iter().zip(&exports) {
        put(world, name, text);
    }
    put(world, "export (1).csv", &exports[0]);
    // The same batch, exported before the last samples were measured.
    put(world, "EXPORT~1.CSV", &earlier(&exports[1]));
    // Copies that were cut off.
    let end = exports[3].find("\n-- ").expect("an end line");
    put(world, "data_part.txt", &exports[3][..end + 1]);
    put(world, "0405 second try.csv", &without_one_line(&exports[2]));

    // What is in the archive already, once as it is and once exported again.
    put(world, "ICP-0236 (copy).csv", &archive["ICP-0236"]);
    let again = archive["ICP-0233"]
        .replace("Exported;13.03.2024 11:35", "Exported;02.04.2024 08:10")
        .replace(";SAMPLE;5;", ";SAMPLE;10;");
    put(world, "icp 0233 corrected.csv", &again);

    // Runs of the night and of the weekend.
    let night = batch(
        "icp-1",
        "metals",
        "ICP-0241",
        "td",
        at(3, 31, 3, 5),
        samples,
    );
    let text = export(world.random(), &night);
    put(world, "usb stick/weekend.csv", &text);
    let night = batch("ic-2", "anions", "IC-0127", "jo", at(3, 31, 1, 40), samples);
    let text = export(world.random(), &night);
    put(world, "usb stick/IC run.csv", &text);
    let night = batch("toc-3", "toc", "TOC-0078", "ep", at(4, 5, 0, 30), samples);
    let text = export(world.random(), &night);
    put(world, "usb stick/toc, night.txt", &text);
    put(world, "usb stick/toc, night (2).txt", &text);
    world.file("inbox/usb stick/._weekend.csv", "\u{0}\u{5}\u{16}\u{7}");

    // Tests, and instruments that are not ours any more or never were.
    let test = batch(
        "icp-1",
        "metals",
        "TEST-0007",
        "mt",
        at(4, 3, 7, 50),
        samples,
    );
    let text = export(world.random(), &test);
    put(world, "TEST.csv", &text);
    let old = batch(
        "icp-0",
        "metals",
        "ICP-0088",
        "mt",
        at(1, 15, 9, 0),
        samples,
    );
    let text = export(world.random(), &old).replace("HX-20417", "HX-10093");
    put(world, "from the attic.csv", &text);
    let other = batch(
        "icp-1",
        "metals",
        "ICP-0242",
        "mt",
        at(4, 4, 14, 5),
        samples,
    );
    let text = export(world.random(), &other).replace("HX-20417", "HX-20471");
    put(world, "export (2).csv", &text);
    world.file("inbox/notes from Tomás.txt", "Batch ICP-0241 ran by itself on Easter night. Nobody was in. I do not know either.\n\nTomás\n");
    world.file(
        "inbox/done/export_old.csv",
        exports[0].replace("ICP-0239", "ICP-0228"),
    );
}

fn batch(
    instrument: &'static str,
    group: &'static str,
    number: &str,
    operator: &'static str,
    started: DateTime,
    samples: &[Sample],
) -> Batch {
    Batch {
        instrument,
        group,
        number: number.to_owned(),
        operator,
        started,
        samples: samples
            .iter()
            .rev()
            .step_by(7)
            .take(4)
            .map(|sample| sample.id.clone())
            .collect(),
        in_inbox: true,
    }
}

/// A complete export of fewer lines, half an hour before.
fn earlier(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let kept = count(text) - 3;
    let head = lines.len() - 1 - count(text);
    let mut short: Vec<String> = lines[..head + kept]
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    short.push(format!("End;{kept}"));
    for line in &mut short {
        if line.starts_with("Exported;") {
            *line = "Exported;05.04.2024 02:40".to_owned();
        }
    }
    short.join("\r\n") + "\r\n"
}

fn without_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let drop = lines.len() - 6;
    let kept = lines
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != drop)
        .map(|(_, line)| *line);
    kept.collect::<Vec<&str>>().join("\n") + "\n"
}

fn put(world: &mut World, name: &str, text: &str) {
    world.add(NewFile::new(format!("inbox/{name}"), text).modified(seconds(at(4, 5, 15, 20))));
}
