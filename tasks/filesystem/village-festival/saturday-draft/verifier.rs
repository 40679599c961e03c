//! Judges draft 4 of Saturday: the schedule as JSON and the running order that people read.

use mcpmark_guest::{
    Verifier,
    serde_json::{self, Value, json},
};

mcpmark_guest::verifier!(verify);

const SCHEDULE: &str = "01 Programme/saturday.json";
const RUNNING_ORDER: &str = "01 Programme/running order.md";

/// Start, end, stage, act id, name, minutes; in the order of the running order.
const SETS: [(&str, &str, &str, &str, &str, u32); 13] = [
    ("12:30", "13:00", "Barn", "A07", "Nettle Jigs", 30),
    // Ingrid agreed on 4 June that Grist and Mireille Ozanne change places; nobody who could agreed to an hour.
    ("13:15", "14:00", "Barn", "A14", "Grist", 45),
    ("14:15", "15:00", "Barn", "A13", "Mireille Ozanne", 45),
    (
        "15:00",
        "15:42",
        "Beck Stage",
        "A06",
        "Hollin Beck Silver",
        42,
    ),
    // In place of Järnvik Duo, with a full line check.
    ("15:25", "16:05", "Barn", "A19", "Brónach Quill", 40),
    // 15:42 and 30 minutes, up to the next five; in this place after the exchanges of 9 and 16 June.
    ("16:15", "17:05", "Beck Stage", "A10", "Café Ondine", 50),
    (
        "17:25",
        "18:10",
        "Beck Stage",
        "A08",
        "The Larch Sisters",
        45,
    ),
    // 16:20 to 17:05 would run into the pause.
    (
        "18:00",
        "18:45",
        "Barn",
        "A16",
        "Tomáš & Ludmila Hrubec",
        45,
    ),
    ("18:30", "19:20", "Beck Stage", "A09", "Three Stiles", 50),
    (
        "19:40",
        "20:40",
        "Beck Stage",
        "A11",
        "Zoë Farrant Quartet",
        60,
    ),
    // Ffion Arkle comes from Three Stiles.
    ("19:50", "20:40", "Barn", "A17", "Old Hob's Kettle", 50),
    // Józef Pardoe comes from the Zoë Farrant Quartet.
    (
        "21:10",
        "22:40",
        "Barn",
        "A18",
        "Pennyroyal Ceilidh Band",
        90,
    ),
    // 80 minutes were agreed, the licence ends music outdoors at 22:15.
    ("21:10", "22:15", "Beck Stage", "A12", "Under the Scar", 65),
];

fn verify(task: &mut Verifier) {
    let file = task.file(SCHEDULE);
    let schedule = file.json();
    let expected = expected_schedule();
    task.check(
        "keys of the schedule",
        schedule.keys_are(["date", "draft", "stages", "cut", "shared_players"]),
    );
    for (name, pointer) in [
        ("date", "/date"),
        ("draft", "/draft"),
        ("sets in the Barn", "/stages/0"),
        ("sets on the Beck Stage", "/stages/1"),
        ("sets cut short", "/cut"),
        ("players of two acts", "/shared_players"),
    ] {
        let expected = expected.pointer(pointer).unwrap_or(&Value::Null);
        task.check(name, schedule.at(pointer).equals(expected));
    }
    task.check("two stages", schedule.at("/stages").count_is(2));
    let layout =
        serde_json::to_string_pretty(&expected).expect("a value in memory becomes JSON") + "\n";
    task.check("the schedule to the last byte", file.equals(&layout));

    let start = task.start().file(RUNNING_ORDER).text().required();
    let document = task.file(RUNNING_ORDER);
    let saturday = document.markdown().section("Saturday 12 July");
    let rows = SETS.map(|(start, end, stage, _, act, _)| [start, end, stage, act]);
    let table: Vec<_> = [["Start", "End", "Stage", "Act"]]
        .iter()
        .chain(&rows)
        .map(|row| row.to_vec())
        .collect();
    task.check(
        "the draft is named",
        document.line(3).equals("Draft 4, 20 June 2025 (Ingrid)"),
    );
    task.check("Saturday's table", saturday.table().equal(table));
    task.check(
        "Saturday's sentence",
        saturday.paragraphs().equal(["Saturday is settled."]),
    );
    task.check("Saturday is ticked", document.text().contains_line(TICKED));
    task.check(
        "the running order to the last byte",
        document.equals(&expected_document(&start)),
    );

    task.unchanged_except([SCHEDULE, RUNNING_ORDER]);
}

const OPEN: &str = "- [ ] Saturday: next draft after the meeting of 16 June";
const TICKED: &str = "- [x] Saturday: next draft after the meeting of 16 June";

fn expected_schedule() -> Value {
    let stage = |name: &str| {
        let sets: Vec<Value> = SETS
            .iter()
            .filter(|set| set.2 == name)
            .map(|(start, end, _, act_id, act, minutes)| {
                json!({"act_id": act_id, "act": act, "start": start, "end": end, "minutes": minutes})
            })
            .collect();
        json!({"stage": name, "sets": sets})
    };
    json!({
        "date": "2025-07-12",
        "draft": 4,
        "stages": [stage("Barn"), stage("Beck Stage")],
        "cut": [{"act_id": "A12", "agreed": 80, "minutes": 65}],
        // Not Théo Lanvin, whose other act has cancelled, nor the drivers, managers and brothers.
        "shared_players": ["Ffion Arkle", "Nell Ashby", "Józef Pardoe"],
    })
}

/// The running order of the start with four places changed.
fn expected_document(start: &str) -> String {
    let mut section = "";
    let mut lines: Vec<String> = Vec::new();
    for line in start.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let is_row = |line: &str| line.starts_with("| 1") || line.starts_with("| 2");
        match line {
            _ if line.starts_with("Draft 3, ") => {
                lines.push("Draft 4, 20 June 2025 (Ingrid)".into())
            }
            OPEN => lines.push(TICKED.into()),
            _ if section != "Saturday 12 July" => lines.push(line.into()),
            _ if line.starts_with("Saturday is ") => lines.push("Saturday is settled.".into()),
            _ if is_row(line) => {}
            _ => lines.push(line.into()),
        }
        if section == "Saturday 12 July" && line.starts_with("|---") {
            lines.extend(SETS.map(|(start, end, stage, _, act, _)| {
                format!("| {start} | {end} | {stage} | {act} |")
            }));
        }
    }
    lines.join("\n") + "\n"
}
