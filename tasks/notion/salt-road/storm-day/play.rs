//! Searches a day for each scene of the storm and fills the day, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    CoverFirst,
    ByDays,
    LongerWords,
    ForgetsFriday,
    ForgetsAway,
    OldLimit,
    AnybodyCovers,
    StopsEarly,
    KeepsBase,
    SaysNothing,
}

/// Tables of the plan, as far as the rules need them.
struct Plan {
    days: Vec<Value>,
    scenes: BTreeMap<String, Value>,
    places: BTreeMap<String, Value>,
    cast: BTreeMap<String, Value>,
    storm: BTreeSet<String>,
    limit: u64,
    manner: Manner,
}

/// Scene with the day from which it goes and the day to which it comes.
struct Step {
    scene: String,
    from: usize,
    to: usize,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut plan = read(&mut notion, manner);
    let storm = plan
        .days
        .iter()
        .position(|it| title_of(it) == "Day 09")
        .expect("the day is there");
    let mut steps = Vec::new();
    let mut outside = plan.on(storm);
    outside.sort_by_key(|id| std::cmp::Reverse(plan.eighths(id)));
    for scene in outside {
        let later = storm + 1..plan.days.len();
        let to = later
            .into_iter()
            .find(|day| plan.holds(*day, &scene))
            .expect("a day is free");
        plan.put(&scene, to);
        steps.push(Step {
            scene,
            from: storm,
            to,
        });
    }
    let mut covers: Vec<String> = plan.scenes.keys().cloned().collect();
    covers.retain(|id| plan.scenes[id]["properties"]["Cover"]["checkbox"] == true);
    covers.sort_by_key(|id| title_of(&plan.scenes[id]));
    let mut base = String::new();
    for scene in covers {
        let is_there = manner == Manner::AnybodyCovers || plan.are_there(storm, &scene);
        if !is_there {
            continue;
        }
        if plan.load(storm) + plan.eighths(&scene) > plan.limit {
            if manner == Manner::StopsEarly {
                break;
            }
            continue;
        }
        base = plain(&plan.places[plan.place(&scene)]["properties"]["Base"]["rich_text"]);
        let from = plan.day_of(&scene);
        plan.put(&scene, storm);
        steps.push(Step {
            scene,
            from,
            to: storm,
        });
    }
    if manner == Manner::CoverFirst {
        steps.reverse();
    }
    write(&mut notion, &plan, &steps);
    if manner != Manner::KeepsBase {
        let base = json!({"Base": {"rich_text": rich_text(&base)}});
        notion.set(string(&plan.days[storm]["id"]), base);
    }
    format!("{} scenes have moved.", steps.len())
}

fn read(notion: &mut NotionTools<'_>, manner: Manner) -> Plan {
    let rules = notion.find("page", "Moving scenes");
    let rules = notion.lines(string(&rules["id"]));
    let limit = rules.iter().find_map(|it| {
        let (_, rest) = it.split_once("A day has ")?;
        rest.split(' ').next()?.parse().ok()
    });
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let mut rows = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        notion.rows(string(&table.expect("there is such a table")["id"]))
    };
    let by_id = |rows: Vec<Value>| -> BTreeMap<String, Value> {
        let rows = rows.into_iter();
        rows.map(|it| (string(&it["id"]).to_owned(), it)).collect()
    };
    let mut days = rows("Shooting days");
    days.sort_by_key(|it| string(&it["properties"]["Date"]["date"]["start"]).to_owned());
    let (scenes, places, cast) = (
        by_id(rows("Scenes")),
        by_id(rows("Places")),
        by_id(rows("Cast")),
    );
    let day = days
        .iter()
        .find(|it| title_of(it) == "Day 09")
        .expect("the day is there");
    let comments = notion.comments(string(&day["id"]));
    let warning = comments.iter().map(|it| plain(&it["rich_text"]));
    let warning = warning
        .filter(|it| it.contains("storm warning"))
        .collect::<String>();
    let mut storm = BTreeSet::new();
    for (name, date) in [("Thursday", "2026-05-14"), ("Friday", "2026-05-15")] {
        if warning.contains(name) && (name != "Friday" || manner != Manner::ForgetsFriday) {
            storm.insert(date.to_owned());
        }
    }
    let limit = if manner == Manner::OldLimit {
        38
    } else {
        limit.expect("the rules have a limit")
    };
    Plan {
        days,
        scenes,
        places,
        cast,
        storm,
        limit,
        manner,
    }
}

impl Plan {
    fn date(&self, day: usize) -> &str {
        string(&self.days[day]["properties"]["Date"]["date"]["start"])
    }

    fn day_of(&self, scene: &str) -> usize {
        let id = &self.scenes[scene]["properties"]["Day"]["relation"][0]["id"];
        let day = self.days.iter().position(|it| it["id"] == *id);
        day.expect("the scene has a day")
    }

    fn put(&mut self, scene: &str, day: usize) {
        let id = self.days[day]["id"].clone();
        let scene = self.scenes.get_mut(scene).expect("the scene is there");
        scene["properties"]["Day"]["relation"][0]["id"] = id;
    }

    /// The scenes of a day that will be shot.
    fn on(&self, day: usize) -> Vec<String> {
        let id = &self.days[day]["id"];
        let scenes = self.scenes.iter().filter(|(_, it)| {
            let properties = &it["properties"];
            properties["Day"]["relation"][0]["id"] == *id
                && properties["Status"]["status"]["name"] != "Dropped"
        });
        scenes.map(|(id, _)| id.clone()).collect()
    }

    fn eighths(&self, scene: &str) -> u64 {
        let eighths = &self.scenes[scene]["properties"]["Eighths"]["number"];
        eighths.as_f64().map_or(0, |it| it as u64)
    }

    fn load(&self, day: usize) -> u64 {
        self.on(day).iter().map(|it| self.eighths(it)).sum()
    }

    fn place(&self, scene: &str) -> &str {
        string(&self.scenes[scene]["properties"]["Place"]["relation"][0]["id"])
    }

    fn zone(&self, scene: &str) -> &Value {
        &self.places[self.place(scene)]["properties"]["Zone"]["select"]["name"]
    }

    fn are_there(&self, day: usize, scene: &str) -> bool {
        let date = self.date(day);
        let cast = self.scenes[scene]["properties"]["Cast"]["relation"].as_array();
        cast.into_iter().flatten().all(|person| {
            let away = &self.cast[string(&person["id"])]["properties"]["Away"]["date"];
            let (from, to) = (string(&away["start"]), string(&away["end"]));
            from.is_empty() || date < from || date > to
        })
    }

    /// Returns whether a day can take a scene.
    fn holds(&self, day: usize, scene: &str) -> bool {
        let date = self.date(day);
        let properties = &self.scenes[scene]["properties"];
        let permit = &self.places[self.place(scene)]["properties"];
        let is_outside = properties["Int/Ext"]["select"]["name"] == "EXT";
        let in_zone = self
            .on(day)
            .iter()
            .all(|it| self.zone(it) == self.zone(scene));
        in_zone
            && self.load(day) + self.eighths(scene) <= self.limit
            && (self.manner == Manner::ForgetsAway || self.are_there(day, scene))
            && permit["Permit"]["status"]["name"] == "Signed"
            && date <= string(&permit["Permit until"]["date"]["start"])
            && !(is_outside && self.storm.contains(date))
    }
}

fn write(notion: &mut NotionTools<'_>, plan: &Plan, steps: &[Step]) {
    if plan.manner == Manner::ByDays {
        let days: BTreeSet<usize> = steps.iter().flat_map(|it| [it.from, it.to]).collect();
        for day in days {
            let links: Vec<Value> = plan.on(day).iter().map(|it| json!({"id": it})).collect();
            let scenes = json!({"Scenes": {"relation": links}});
            notion.set(string(&plan.days[day]["id"]), scenes);
        }
    }
    for step in steps {
        if plan.manner != Manner::ByDays {
            let link = json!([{"id": plan.days[step.to]["id"]}]);
            notion.set(&step.scene, json!({"Day": {"relation": link}}));
        }
        let (from, to) = (
            title_of(&plan.days[step.from]),
            title_of(&plan.days[step.to]),
        );
        match plan.manner {
            Manner::SaysNothing => {}
            Manner::LongerWords => {
                let (was, is) = (plan.date(step.from), plan.date(step.to));
                let text = format!(
                    "Because of the storm: this was on {from} ({was}) and is on {to} ({is}) now."
                );
                notion.comment(&step.scene, &text);
            }
            _ => {
                notion.comment(&step.scene, &format!("Moved from {from} to {to}."));
            }
        }
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
