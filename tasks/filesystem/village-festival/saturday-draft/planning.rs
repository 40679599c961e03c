//! How the solution works out Saturday. The wrong solutions bend one rule each, and the variants act in another way.

use std::collections::BTreeMap;

use mcpmark_guest::{Tools, serde_json::json};

/// What a wrong solution overlooks, and how a solution acts.
#[derive(Default)]
pub struct Oversights {
    /// The end of music outdoors is taken from `stages.md`.
    pub overlooks_the_licence: bool,
    /// Brónach Quill is taken out of Sunday's table.
    pub tidies_sunday: bool,
    /// Grist get the hour that Denzil promised.
    pub keeps_denzils_promise: bool,
    /// Tomáš & Ludmila Hrubec get the length of the mail, although the meeting decided later.
    pub keeps_the_mail: bool,
    /// The note speaks of a fee.
    pub tells_the_fee: bool,
    /// There is no note.
    pub forgets_the_note: bool,
    pub manner: Manner,
}

/// How a solution calls the tools, and what it writes where the rules leave it open.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Manner {
    #[default]
    Plain,
    /// Reads the letters first, and writes the note before the running order.
    NoteFirst,
    /// Reads many files with one call, and writes the running order as a whole.
    WritesTheWhole,
    /// Reads many files with one call, and writes the rows without outer pipes, a capital as the tick, and the note with
    /// CRLF.
    BareTable,
    /// Compares Under the Scar with the minutes of the contract instead of those agreed to.
    NamesTheContract,
}

/// The orders after all decisions and agreements, by act id.
const BARN: [&str; 7] = ["A07", "A14", "A13", "A19", "A16", "A17", "A18"];
const BECK_STAGE: [&str; 6] = ["A06", "A10", "A08", "A09", "A11", "A12"];

/// Lengths that a decision or Ingrid changed.
const LENGTHS: [(&str, u32); 4] = [("A12", 80), ("A16", 45), ("A17", 50), ("A19", 40)];

/// Players of two acts on Saturday, sorted by surname.
const SHARED: [(&str, [&str; 2]); 3] = [
    ("Ffion Arkle", ["A09", "A17"]),
    ("Nell Ashby", ["A06", "A07"]),
    ("Józef Pardoe", ["A11", "A18"]),
];

struct Stage {
    name: &'static str,
    opens: u32,
    ends: u32,
    changeover: u32,
    pause: Option<(u32, u32)>,
    waiting: Vec<&'static str>,
}

struct Act {
    name: String,
    minutes: u32,
    checks_lines: bool,
}

#[derive(Clone)]
struct Set {
    start: u32,
    end: u32,
    stage: &'static str,
    id: &'static str,
}

pub fn plan(tools: &mut Tools, oversights: &Oversights) -> String {
    let acts = read_material(tools, oversights);
    let ends_outdoors = if oversights.overlooks_the_licence {
        22 * 60 + 30
    } else {
        22 * 60 + 15
    };
    let mut stages = [
        Stage {
            name: "Barn",
            opens: 12 * 60 + 30,
            ends: 23 * 60,
            changeover: 15,
            pause: Some((17 * 60, 18 * 60)),
            waiting: BARN.to_vec(),
        },
        Stage {
            name: "Beck Stage",
            opens: 15 * 60,
            ends: ends_outdoors,
            changeover: 20,
            pause: None,
            waiting: BECK_STAGE.to_vec(),
        },
    ];
    let mut sets: Vec<Set> = Vec::new();
    // The set that would start first is placed first: of two that share a player the later one waits.
    while let Some((stage, start)) = stages
        .iter()
        .enumerate()
        .filter(|(_, stage)| !stage.waiting.is_empty())
        .map(|(index, stage)| (index, earliest_start(stage, &acts, &sets)))
        .min_by_key(|(_, start)| *start)
    {
        let id = stages[stage].waiting.remove(0);
        let end = (start + acts[id].minutes).min(stages[stage].ends);
        sets.push(Set {
            start,
            end,
            stage: stages[stage].name,
            id,
        });
    }
    sets.sort_by_key(|set| (set.start, set.stage));

    let draft = |tools: &mut Tools| edit_running_order(tools, &acts, &sets, oversights);
    let note = note(&acts, &sets, ends_outdoors, oversights);
    let write_note = |tools: &mut Tools| {
        if !oversights.forgets_the_note {
            let path = "01 Programme/note on draft 4.md";
            let note = match oversights.manner {
                Manner::BareTable => note.replace('\n', "\r\n"),
                _ => note.clone(),
            };
            tools.text("write_file", &json!({"path": path, "content": note}));
        }
    };
    if oversights.manner == Manner::NoteFirst {
        write_note(tools);
        draft(tools);
    } else {
        draft(tools);
        write_note(tools);
    }
    "Draft 4 of Saturday is done, and the note for Maud is beside it.".to_owned()
}

/// Writes the note from the sets that were worked out: a line for each act that Maud rings.
fn note(
    acts: &BTreeMap<&'static str, Act>,
    sets: &[Set],
    ends_outdoors: u32,
    oversights: &Oversights,
) -> String {
    let minutes = |id: &str| {
        let set = sets.iter().find(|set| set.id == id);
        set.map_or(0, |set| set.end - set.start)
    };
    let start = |id: &str| {
        let set = sets.iter().find(|set| set.id == id);
        set.map_or(0, |set| set.start)
    };
    let agreed = if oversights.manner == Manner::NamesTheContract {
        "the 75 minutes of their contract".to_owned()
    } else {
        format!("the {} minutes that we agreed to", acts["A12"].minutes)
    };
    let mut lines = vec![
        format!(
            "- {} plays on Saturday at {}, because Järnvik Duo have cancelled.",
            acts["A19"].name,
            clock(start("A19"))
        ),
        format!(
            "- {} have {} minutes and not {agreed}.",
            acts["A12"].name,
            minutes("A12")
        ),
        format!("- The music outdoors ends at {}.", clock(ends_outdoors)),
        format!(
            "- {} have {} minutes, whatever Denzil wrote to them.",
            acts["A14"].name,
            minutes("A14")
        ),
        format!(
            "- {} have {} minutes, as the meeting decided after our mail.",
            acts["A16"].name,
            minutes("A16")
        ),
        format!(
            "- {} is the new name of Zoë and her band.",
            acts["A11"].name
        ),
        "- Open: who plays in the Barn on Sunday.".to_owned(),
    ];
    if oversights.tells_the_fee {
        lines.push("- Old Hob's Kettle take a smaller fee.".to_owned());
    }
    lines.join("\n") + "\n"
}

/// Reads what the rules speak of: names and lengths from the list, line checks from the riders.
fn read_material(tools: &mut Tools, oversights: &Oversights) -> BTreeMap<&'static str, Act> {
    let papers = [
        "how we build a running order.md",
        "stages.md",
        "running order.md",
        "phone notes.txt",
    ]
    .map(|name| format!("01 Programme/{name}"));
    let mut folders = ["01 Programme/meetings", "05 Correspondence/2025"];
    if oversights.manner == Manner::NoteFirst {
        folders.reverse();
    }
    if [Manner::WritesTheWhole, Manner::BareTable].contains(&oversights.manner) {
        tools.read_many(&papers);
        for folder in folders {
            let files = tools.files(folder);
            tools.read_many(&files);
        }
    } else {
        for path in papers {
            tools.read_text(&path);
        }
        for folder in folders {
            for (name, _) in tools.list(folder) {
                tools.read_text(&format!("{folder}/{name}"));
            }
        }
    }
    tools.list("01 Programme/riders");
    let list = tools.read_text("01 Programme/acts.csv");
    let mut acts = BTreeMap::new();
    for id in BARN.into_iter().chain(BECK_STAGE) {
        let line = list
            .lines()
            .find(|line| line.starts_with(id))
            .expect("each act is in the list");
        let fields: Vec<&str> = line.split(',').collect();
        let rider = match id {
            "A08" => "Larch Sisters",
            "A09" => "Three Stiles v2",
            "A11" => "Zoë Farrant",
            "A16" => "Hrubec",
            _ => fields[1],
        };
        let rider = tools
            .read_text(&format!("01 Programme/riders/{rider}.txt"))
            .to_lowercase();
        let agreed = LENGTHS
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, minutes)| *minutes);
        let agreed = match id {
            "A14" if oversights.keeps_denzils_promise => Some(60),
            "A16" if oversights.keeps_the_mail => Some(55),
            _ => agreed,
        };
        acts.insert(
            id,
            Act {
                name: if id == "A11" {
                    "Zoë Farrant Quartet".into()
                } else {
                    fields[1].into()
                },
                minutes: agreed
                    .unwrap_or_else(|| fields[4].parse().expect("the list has lengths in minutes")),
                checks_lines: rider.contains("full line check")
                    && !rider.contains("no full line check"),
            },
        );
    }
    acts
}

fn earliest_start(stage: &Stage, acts: &BTreeMap<&'static str, Act>, sets: &[Set]) -> u32 {
    let id = stage.waiting[0];
    let act = &acts[id];
    let previous = sets.iter().rfind(|set| set.stage == stage.name);
    let ready = previous.map_or(stage.opens, |set| set.end + stage.changeover)
        + if act.checks_lines { 10 } else { 0 };
    let mut start = ready.next_multiple_of(5);
    if let Some((from, to)) = stage.pause
        && start < to
        && start + act.minutes > from
    {
        start = to;
    }
    for (_, pair) in SHARED.iter().filter(|(_, pair)| pair.contains(&id)) {
        for set in sets.iter().filter(|set| pair.contains(&set.id)) {
            start = start.max((set.end + 30).next_multiple_of(5));
        }
    }
    start
}

fn edit_running_order(
    tools: &mut Tools,
    acts: &BTreeMap<&'static str, Act>,
    sets: &[Set],
    oversights: &Oversights,
) {
    const PATH: &str = "01 Programme/running order.md";
    const LAST: &str = "Saturday is worked out from the list of 2 June and the swap of 9 June.";
    let text = tools.read_text(PATH);
    let from = text
        .find("| 12:30 |")
        .expect("draft 3 begins Saturday at 12:30");
    let to = text
        .find(LAST)
        .expect("draft 3 says where Saturday comes from");
    let (outer, ticked) = match oversights.manner {
        Manner::BareTable => (["", ""], "- [X] Saturday:"),
        _ => (["| ", " |"], "- [x] Saturday:"),
    };
    let rows: String = sets
        .iter()
        .map(|set| {
            let [start, end] = [set.start, set.end].map(clock);
            let cells = [
                start.as_str(),
                end.as_str(),
                set.stage,
                acts[set.id].name.as_str(),
            ]
            .join(" | ");
            format!("{}{cells}{}\n", outer[0], outer[1])
        })
        .collect();
    let mut edits = vec![
        json!({"oldText": "Draft 3, 9 June 2025 (Ingrid)", "newText": "Draft 4, 20 June 2025 (Ingrid)"}),
        json!({"oldText": &text[from..to + LAST.len()], "newText": format!("{rows}\nSaturday is settled.")}),
        json!({"oldText": "- [ ] Saturday:", "newText": ticked}),
    ];
    if oversights.tidies_sunday {
        edits.push(json!({"oldText": "| 14:40 | 15:30 | Barn | Brónach Quill |\n", "newText": ""}));
    }
    if oversights.manner == Manner::WritesTheWhole {
        let mut whole = text.clone();
        for edit in &edits {
            let part = |key: &str| edit[key].as_str().unwrap_or_default();
            whole = whole.replacen(part("oldText"), part("newText"), 1);
        }
        tools.text("write_file", &json!({"path": PATH, "content": whole}));
    } else {
        tools.text("edit_file", &json!({"path": PATH, "edits": edits}));
    }
}

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
