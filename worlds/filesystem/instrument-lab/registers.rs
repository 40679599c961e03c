//! Samples, and where they come from.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{Random, World};

use crate::time::{at, hours, minutes, points};

/// Initials, name, role.
pub const STAFF: [(&str, &str, &str); 8] = [
    ("mt", "Maren Tolvik", "metals"),
    ("jo", "Jonas Oduya", "anions"),
    ("ep", "Élise Pradel", "TOC"),
    ("rk", "Renko Kask", "equipment"),
    ("sa", "Sabine Aldous", "head of laboratory"),
    ("td", "Tomás Duarte", "metals"),
    ("hv", "Hilde Vex", "sampling"),
    ("ni", "Nia Iversen", "reception"),
];

pub struct Project {
    pub id: &'static str,
    pub client: &'static str,
    pub title: &'static str,
    pub matrix: &'static str,
    /// Identifiers and names of its sites.
    pub sites: &'static [(&'static str, &'static str)],
    /// Parameter, unit, decimals, limit.
    pub parameters: &'static [(&'static str, &'static str, u32, Option<&'static str>)],
    weight: u32,
}

pub const PROJECTS: [Project; 5] = [
    Project {
        id: "P-2408",
        client: "C-07",
        title: "Effluent, dairy",
        matrix: "waste water",
        sites: &[("S-21", "Ormsel Dairy, outlet"), ("S-22", "Ormsel Bridge")],
        parameters: &[
            ("toc", "mg/L", 1, Some("30")),
            ("nitrate", "mg/L", 1, Some("20")),
            ("chloride", "mg/L", 0, None),
        ],
        weight: 3,
    },
    Project {
        id: "P-2411",
        client: "C-03",
        title: "Raw water, wells and weir",
        matrix: "raw water",
        sites: &[
            ("S-02", "Brackwater Works, intake"),
            ("S-03", "Hill well"),
            ("S-05", "Vexmoor Weir"),
        ],
        parameters: &[
            ("iron", "mg/L", 3, Some("0.2")),
            ("manganese", "µg/L", 1, Some("50")),
            ("lead", "µg/L", 1, Some("10")),
            ("zinc", "mg/L", 3, None),
            ("chloride", "mg/L", 1, Some("250")),
            ("nitrate", "mg/L", 1, Some("50")),
            ("toc", "mg/L", 2, Some("4")),
        ],
        weight: 5,
    },
    Project {
        id: "P-2413",
        client: "C-12",
        title: "River Skerne, monthly",
        matrix: "surface water",
        sites: &[
            ("S-11", "Skerne, old mill"),
            ("S-12", "Skerne, Kask's Ford"),
        ],
        parameters: &[
            ("iron", "mg/L", 2, None),
            ("zinc", "µg/L", 0, None),
            ("nitrate", "mg/L", 1, Some("25")),
            ("chloride", "mg/L", 0, None),
            ("toc", "mg/L", 1, None),
        ],
        weight: 4,
    },
    Project {
        id: "P-2415",
        client: "C-09",
        title: "Fish ponds",
        matrix: "surface water",
        sites: &[("S-31", "Upper pond"), ("S-32", "Lower pond")],
        parameters: &[
            ("nitrate", "mg/L", 1, Some("30")),
            ("zinc", "µg/L", 0, Some("30")),
        ],
        weight: 2,
    },
    Project {
        id: "P-2419",
        client: "C-15",
        title: "Seepage, quarry",
        matrix: "waste water",
        sites: &[("S-41", "Hollow Quarry, sump"), ("S-42", "Drain 4, north")],
        parameters: &[
            ("iron", "mg/L", 1, Some("3")),
            ("manganese", "mg/L", 2, Some("1")),
            ("lead", "µg/L", 1, Some("50")),
        ],
        weight: 3,
    },
];

impl Project {
    pub fn asks_for(&self, group: &str) -> bool {
        self.parameters
            .iter()
            .any(|(name, ..)| group_of(name) == group)
    }
}

pub fn group_of(parameter: &str) -> &'static str {
    match parameter {
        "chloride" | "nitrate" => "anions",
        "toc" => "toc",
        _ => "metals",
    }
}

#[derive(Clone)]
pub struct Sample {
    pub id: String,
    pub project: usize,
    pub site: usize,
    /// By the wall clock.
    pub taken: DateTime,
    /// When it passed the door, by the wall clock.
    pub received: DateTime,
}

pub fn samples(random: &mut Random) -> Vec<Sample> {
    let weights: Vec<(usize, u32)> = PROJECTS
        .iter()
        .enumerate()
        .map(|(index, project)| (index, project.weight))
        .collect();
    let mut samples = Vec::new();
    let mut day = at(2, 26, 0, 0);
    while day < at(4, 5, 0, 0) {
        // Monday to Thursday, and Good Friday because the river does not know it.
        let weekday = day.weekday().to_monday_one_offset();
        let count = match weekday {
            1..=4 => random.between(2, 3),
            _ if day == at(3, 29, 0, 0) => 3,
            _ => 0,
        };
        let is_monday_of_easter = day == at(4, 1, 0, 0);
        for _ in 0..(if is_monday_of_easter { 0 } else { count }) {
            let project = *random.weighted(&weights);
            let site = random.below(PROJECTS[project].sites.len() as u64) as usize;
            let taken = minutes(hours(day, random.between(7, 12)), random.between(0, 11) * 5);
            let received = minutes(hours(taken, random.between(1, 3)), random.between(3, 55));
            samples.push(Sample {
                id: String::new(),
                project,
                site,
                taken,
                received,
            });
        }
        day = day.saturating_add(1.day());
    }
    // Taken on Good Friday, measured on Tuesday: 96 hours, and 97 by the wall clock.
    if let Some(sample) = samples
        .iter_mut()
        .find(|sample| sample.taken >= at(3, 29, 0, 0))
    {
        *sample = Sample {
            project: 2,
            site: 1,
            taken: at(3, 29, 10, 0),
            received: at(3, 29, 11, 47),
            ..sample.clone()
        };
    }
    samples.sort_by_key(|sample| sample.received);
    for (index, sample) in samples.iter_mut().enumerate() {
        sample.id = format!("LQ24-{:04}", 101 + index);
    }
    samples
}

const REMARKS: [&str; 10] = [
    "",
    "",
    "",
    "",
    "bottle not full",
    "acidified on site",
    "cloudy; let it settle",
    "smells of whey",
    "second bottle kept",
    "client rang twice",
];

pub fn write(world: &mut World, samples: &[Sample]) {
    write_samples(world, samples);
    write_people(world);
    write_projects(world);
}

fn write_samples(world: &mut World, samples: &[Sample]) {
    let mut text =
        String::from("\u{feff}sample;client;project;site;matrix;taken;received;status;remark\r\n");
    let mut stale = text.clone();
    for (index, sample) in samples.iter().enumerate() {
        let project = &PROJECTS[sample.project];
        // Typed at the desk, sometimes late, sometimes not at all.
        let is_on_its_way = index + 1 == samples.len();
        let received = match world.random().below(5) {
            _ if is_on_its_way => String::new(),
            0 => String::new(),
            1 => points(minutes(sample.received, world.random().between(5, 90))),
            _ => points(sample.received),
        };
        let status = if sample.received < at(3, 11, 0, 0) {
            *world
                .random()
                .pick(&["analysed", "analysed", "in work", ""])
        } else {
            *world
                .random()
                .pick(&["received", "received", "in work", ""])
        };
        let mut remark = (*world.random().pick(&REMARKS)).to_owned();
        if remark.contains(';') {
            remark = format!("\"{remark}\"");
        }
        let line = format!(
            "{};{};{};{};{};{};{received};{status};{remark}\r\n",
            sample.id,
            project.client,
            project.id,
            project.sites[sample.site].0,
            project.matrix,
            points(sample.taken),
        );
        text.push_str(&line);
        if index < samples.len() / 2 {
            stale.push_str(&line.replace(";received;", ";;").replace("S-02", "S-03"));
        }
    }
    world.file("registers/samples.csv", text);
    world.file("registers/samples (14 March).csv", stale);
}

fn write_people(world: &mut World) {
    let mut staff = String::from("initials,name,role\n");
    for (initials, name, role) in STAFF {
        staff.push_str(&format!("{initials},{name},{role}\n"));
    }
    world.file("registers/staff.csv", staff);
    world.file("registers/clients.json", CLIENTS);
    let mut sites = String::from("site,name,project\n");
    for project in &PROJECTS {
        for (id, name) in project.sites {
            let name = if name.contains(',') {
                format!("\"{name}\"")
            } else {
                (*name).to_owned()
            };
            sites.push_str(&format!("{id},{name},{}\n", project.id));
        }
    }
    world.file("registers/sites.csv", sites);
}

fn write_projects(world: &mut World) {
    let mut items = Vec::new();
    for project in &PROJECTS {
        let parameters: Vec<String> = project
            .parameters
            .iter()
            .map(|(name, unit, decimals, limit)| {
                format!(
                    "      {{\"parameter\": \"{name}\", \"unit\": \"{unit}\", \"decimals\": {decimals}, \"limit\": {}}}",
                    limit.unwrap_or("null")
                )
            })
            .collect();
        items.push(format!(
            "  {{\n    \"project\": \"{}\",\n    \"client\": \"{}\",\n    \"title\": \"{}\",\n    \"parameters\": [\n{}\n    ]\n  }}",
            project.id,
            project.client,
            project.title,
            parameters.join(",\n")
        ));
    }
    world.file(
        "registers/projects.json",
        format!("[\n{}\n]\n", items.join(",\n")),
    );
}

const CLIENTS: &str = r#"[
  {
    "client": "C-03",
    "name": "Brackwater Supply Board",
    "also": ["Brackwater Supply", "BSB"],
    "contact": "Agathe Morrow",
    "mail": "a.morrow@bsb.example",
    "phone": "0555 201 44",
    "audit": true
  },
  {
    "client": "C-07",
    "name": "Ormsel Dairy",
    "also": ["Ormsel"],
    "contact": "Piers Holm",
    "mail": "holm@ormsel.example",
    "phone": "0555 318 90",
    "audit": true
  },
  {
    "client": "C-09",
    "name": "Tarrow Fish Farms",
    "also": ["Tarrow", "Tarrow Fish"],
    "contact": "Maren Quist",
    "mail": "office@tarrow.example",
    "phone": "0555 318 91",
    "audit": false
  },
  {
    "client": "C-12",
    "name": "Municipality of Skerne",
    "also": ["the municipality", "Skerne council"],
    "contact": "Ode Lindqvist",
    "mail": "water@skerne.example",
    "phone": "0555 100 10",
    "audit": true
  },
  {
    "client": "C-15",
    "name": "Hollow Quarry & Sons",
    "also": ["Hollow Quarry", "the quarry"],
    "contact": "Bo Hollow",
    "mail": "bo@hollow-quarry.example",
    "phone": "0555 771 02",
    "audit": true
  }
]
"#;
