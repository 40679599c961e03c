//! How the solution works out Saturday. The wrong solutions bend one rule each.

use std::collections::BTreeMap;

use mcpmark_guest::{
    Tools,
    serde_json::{self, Value, json},
};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// The end of music outdoors is taken from `stages.md`.
    pub overlooks_the_licence: bool,
    /// Brónach Quill is taken out of Sunday's table.
    pub tidies_sunday: bool,
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
    let acts = read_material(tools);
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

    let schedule = serde_json::to_string_pretty(&schedule(&acts, &sets))
        .expect("a value in memory becomes JSON");
    tools.text(
        "write_file",
        &json!({"path": "01 Programme/saturday.json", "content": schedule + "\n"}),
    );
    edit_running_order(tools, &acts, &sets, oversights);
    "Draft 4 of Saturday is done.".to_owned()
}

/// Reads what the rules speak of: names and lengths from the list, line checks from the riders.
fn read_material(tools: &mut Tools) -> BTreeMap<&'static str, Act> {
    for name in [
        "how we build a running order.md",
        "stages.md",
        "running order.md",
        "phone notes.txt",
    ] {
        tools.read_text(&format!("01 Programme/{name}"));
    }
    for folder in ["01 Programme/meetings", "05 Correspondence/2025"] {
        for (name, _) in tools.list(folder) {
            tools.read_text(&format!("{folder}/{name}"));
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

fn schedule(acts: &BTreeMap<&'static str, Act>, sets: &[Set]) -> Value {
    let stage = |name: &str| {
        let on_stage = sets.iter().filter(|set| set.stage == name);
        let sets: Vec<Value> = on_stage
            .map(|set| {
                json!({
                    "act_id": set.id,
                    "act": acts[set.id].name,
                    "start": clock(set.start),
                    "end": clock(set.end),
                    "minutes": set.end - set.start,
                })
            })
            .collect();
        json!({"stage": name, "sets": sets})
    };
    let mut cut: Vec<&Set> = sets
        .iter()
        .filter(|set| set.end - set.start < acts[set.id].minutes)
        .collect();
    cut.sort_by_key(|set| set.id);
    let cut: Vec<Value> = cut
        .iter()
        .map(|set| json!({"act_id": set.id, "agreed": acts[set.id].minutes, "minutes": set.end - set.start}))
        .collect();
    json!({
        "date": "2025-07-12",
        "draft": 4,
        "stages": [stage("Barn"), stage("Beck Stage")],
        "cut": cut,
        "shared_players": SHARED.map(|(name, _)| name),
    })
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
    let rows: String = sets
        .iter()
        .map(|set| {
            format!(
                "| {} | {} | {} | {} |\n",
                clock(set.start),
                clock(set.end),
                set.stage,
                acts[set.id].name
            )
        })
        .collect();
    let mut edits = vec![
        json!({"oldText": "Draft 3, 9 June 2025 (Ingrid)", "newText": "Draft 4, 20 June 2025 (Ingrid)"}),
        json!({"oldText": &text[from..to + LAST.len()], "newText": format!("{rows}\nSaturday is settled.")}),
        json!({"oldText": "- [ ] Saturday:", "newText": "- [x] Saturday:"}),
    ];
    if oversights.tidies_sunday {
        edits.push(json!({"oldText": "| 14:40 | 15:30 | Barn | Brónach Quill |\n", "newText": ""}));
    }
    tools.text("edit_file", &json!({"path": PATH, "edits": edits}));
}

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
