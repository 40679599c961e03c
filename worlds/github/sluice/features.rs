//! What was built, in order: the story that the rest hangs on.

use crate::code_base::Edit::{self, Add, Move, Set, Stage};
use github_chronicle::Section::{Added, Changed};
use github_chronicle::Way::{Closed, Direct, Draft, Merge, Open, Rebase, Squash};
use github_chronicle::{Report, Work};

const CROPS: [&str; 12] = [
    "tomato",
    "cucumber",
    "lettuce",
    "leek",
    "onion",
    "strawberry",
    "courgette",
    "runner-bean",
    "potato",
    "kale",
    "sweetcorn",
    "raspberry",
];

fn adds(keys: &[&'static str]) -> Vec<Edit> {
    keys.iter().map(|key| Add(key)).collect()
}

pub fn features() -> Vec<Work<Edit>> {
    let mut all = beginnings();
    all.extend(first_year());
    all.extend(second_year());
    all.extend(unfinished());
    all
}

fn beginnings() -> Vec<Work<Edit>> {
    vec![
        Work::new(0, "icalder", Direct, "", "")
            .step("Begin", adds(&["readme", "pyproject", "contributing"])),
        Work::new(0, "moyelaran", Direct, "", "").step(
            "crops: a loader and the first three",
            adds(&["crops", "tomato", "lettuce", "leek"]),
        ),
        Work::new(
            2,
            "trell",
            Squash,
            "moisture/probes",
            "moisture: read calibrated probes",
        )
        .body("Linear between air and water. Good enough for the probes we have.")
        .step(
            "moisture: read calibrated probes",
            adds(&["moisture", "test-moisture"]),
        )
        .section(Added),
        Work::new(
            4,
            "pdenholm",
            Merge,
            "schedule/one-run",
            "schedule: plan the next run of a zone",
        )
        .body("One run a day, in the morning. Rain comes later.")
        .step("schedule: plan the next run of a zone", adds(&["schedule"]))
        .step("schedule: tests", adds(&["test-schedule"]))
        .section(Added),
        Work::new(
            8,
            "icalder",
            Merge,
            "valves/first",
            "valves: open, close, watch",
        )
        .body("`watch` is the one thing that must never fail.")
        .step("valves: open, close, watch", adds(&["valves"]))
        .step("valves: tests with a fake line", adds(&["test-valves"]))
        .section(Added),
        Work::new(12, "pdenholm", Squash, "cli/check", "cli: check the crops")
            .step("cli: check the crops", adds(&["cli"]))
            .section(Added),
        Work::new(15, "icalder", Direct, "", "").step("docs: how to install", adds(&["install"])),
        Work::new(
            18,
            "trell",
            Merge,
            "drivers/base",
            "drivers: a base, Teros and Capstick",
        )
        .body("Frames have no checksum yet; see the notes of the makers.")
        .step("drivers: what they have in common", adds(&["base"]))
        .step("drivers: Teros 11", adds(&["teros"]))
        .step("drivers: Capstick C2", adds(&["capstick"]))
        .step("docs: a table of drivers", adds(&["drivers-doc"]))
        .section(Added),
        Work::new(
            24,
            "moyelaran",
            Rebase,
            "crops/salad",
            "crops: cucumber, onion, strawberry",
        )
        .body("Numbers from the beds behind the shed, 2021 and 2022.")
        .step("cucumber: first values", adds(&["cucumber"]))
        .step("onion: first values", adds(&["onion"]))
        .step("strawberry: first values", adds(&["strawberry"]))
        .section(Added),
        Work::new(27, "pdenholm", Direct, "", "")
            .step("crops: a test that reads every file", adds(&["test-crops"])),
        Work::new(
            30,
            "trell",
            Squash,
            "store/sqlite",
            "store: keep readings and runs in SQLite",
        )
        .step("store: keep readings and runs in SQLite", adds(&["store"]))
        .section(Added),
        Work::new(
            36,
            "pdenholm",
            Merge,
            "schedule/low-mark",
            "schedule: water below the low mark only",
        )
        .body("Watering up to `high` whenever we are below `high` kept the pump busy all morning.")
        .step(
            "schedule: water below the low mark only",
            vec![Stage("schedule", 2)],
        )
        .step(
            "schedule: tests for the low mark",
            vec![Stage("test-schedule", 2)],
        )
        .section(Changed),
        Work::new(42, "moyelaran", Direct, "", "")
            .step("docs: what the crop files mean", adds(&["crops-doc"])),
    ]
}

fn first_year() -> Vec<Work<Edit>> {
    vec![
        Work::new(
            55,
            "pdenholm",
            Merge,
            "alerts/mail",
            "alerts: tell people by mail",
        )
        .step("alerts: tell people by mail", adds(&["alerts"]))
        .step("alerts: tests", adds(&["test-alerts"]))
        .section(Added),
        Work::new(
            63,
            "trell",
            Merge,
            "store/history",
            "cli: print the readings of a zone",
        )
        .body("Needs the index, or it takes a minute on the small controllers.")
        .step("store: an index and `history`", vec![Stage("store", 2)])
        .step("cli: history", vec![Stage("cli", 2)])
        .section(Added),
        Work::new(
            70,
            "jhalv",
            Merge,
            "web/first",
            "web: a chart of the readings",
        )
        .body("Plain TypeScript, no framework. It has to run on old tablets.")
        .step("web: tooling", adds(&["package"]))
        .step("web: fetch readings", adds(&["api"]))
        .step("web: draw them", adds(&["chart"]))
        .contested()
        .remark(
            "icalder",
            "Old tablets in the greenhouse run Safari 12. Please no `at()`.",
        )
        .section(Added),
        Work::new(
            80,
            "moyelaran",
            Squash,
            "crops/marks",
            "crops: refuse marks that do not ascend",
        )
        .body("Fixes #{issue}.")
        .step(
            "crops: refuse marks that do not ascend",
            vec![Stage("crops", 2), Stage("test-crops", 2)],
        )
        .report(
            Report::new(
                "greta-w",
                "Lettuce never gets water",
                "I had typed low = 0.6 and high = 0.4. No complaint from `sluice check`.",
            )
            .labels(&["bug", "area: crops"])
            .comment("moyelaran", "It should have refused that. I will look."),
        )
        .section(Changed),
        Work::new(
            90,
            "pdenholm",
            Squash,
            "weather/forecast",
            "meteo: read the forecast",
        )
        .step(
            "meteo: read the forecast",
            adds(&["weather", "test-forecast"]),
        )
        .section(Added),
        Work::new(
            105,
            "trell",
            Squash,
            "moisture/stale",
            "moisture: know when a zone has gone silent",
        )
        .step(
            "moisture: know when a zone has gone silent",
            vec![Stage("moisture", 2)],
        )
        .section(Added),
        Work::new(
            112,
            "pdenholm",
            Merge,
            "schedule/rain",
            "schedule: skip a run when rain is coming",
        )
        .body("Closes #{issue}")
        .step(
            "schedule: skip a run when rain is coming",
            vec![Stage("schedule", 3)],
        )
        .report(
            Report::new(
                "okonkwo-farm",
                "Do not water before a thunderstorm",
                "Twice last week the beds were flooded an hour after the morning run.",
            )
            .labels(&["enhancement", "area: planning"])
            .assignee("pdenholm")
            .comment(
                "icalder",
                "The forecast is there since the last release, the schedule only has to ask.",
            ),
        )
        .section(Added),
        Work::new(
            120,
            "moyelaran",
            Rebase,
            "crops/field",
            "crops: courgette, runner bean, potato",
        )
        .step("courgette: first values", adds(&["courgette"]))
        .step("runner-bean: first values", adds(&["runner-bean"]))
        .step("potato: first values", adds(&["potato"]))
        .section(Added),
        Work::new(
            128,
            "icalder",
            Squash,
            "valves/prime",
            "valves: prime the pump before the first valve",
        )
        .step(
            "valves: prime the pump before the first valve",
            vec![Stage("valves", 2)],
        )
        .section(Added),
        Work::new(135, "icalder", Direct, "", "").step(
            "docs: say how we use pull requests",
            vec![Stage("contributing", 2), Stage("readme", 2)],
        ),
        Work::new(
            160,
            "trell",
            Merge,
            "drivers/lora",
            "drivers: Loriot and the Huntley valve line",
        )
        .step("drivers: Loriot LT-4", adds(&["loriot"]))
        .step("drivers: Huntley HV", adds(&["huntley"]))
        .step("docs: two more drivers", vec![Stage("drivers-doc", 2)])
        .section(Added),
        Work::new(
            170,
            "jhalv",
            Squash,
            "web/errors",
            "web: say when the controller does not answer",
        )
        .step(
            "web: say when the controller does not answer",
            vec![Stage("api", 2)],
        )
        .section(Changed),
        Work::new(
            180,
            "trell",
            Squash,
            "moisture/outliers",
            "moisture: leave odd probes out",
        )
        .body("Fixes #{issue}\n\nThe one that is far from the middle one does not count.")
        .step(
            "moisture: leave odd probes out",
            vec![Stage("moisture", 3), Stage("test-moisture", 3)],
        )
        .report(
            Report::new(
                "allotment52",
                "One loose probe and the whole zone is dry",
                "Probe 2 fell out of the ground. The zone got water for two days.",
            )
            .labels(&["bug", "area: readings"]),
        )
        .section(Changed),
        Work::new(
            190,
            "pdenholm",
            Merge,
            "alerts/settle",
            "alerts: stop after a while, start again when settled",
        )
        .step(
            "alerts: at most so many of a kind",
            vec![Stage("alerts", 2)],
        )
        .section(Added),
        Work::new(212, "trell", Squash, "drivers/crc", "drivers: checksums")
            .step("drivers: checksums", vec![Stage("base", 2)])
            .section(Added),
        Work::new(216, "icalder", Direct, "", "").step("docs: updating", vec![Stage("install", 2)]),
        Work::new(
            225,
            "moyelaran",
            Rebase,
            "crops/winter",
            "crops: kale, sweetcorn, raspberry",
        )
        .step("kale: first values", adds(&["kale"]))
        .step("sweetcorn: first values", adds(&["sweetcorn"]))
        .step("raspberry: first values", adds(&["raspberry"]))
        .section(Added),
        Work::new(
            262,
            "trell",
            Merge,
            "store/prune",
            "store: forget old readings",
        )
        .body("Closes #{issue}.")
        .step("store: prune", vec![Stage("store", 3)])
        .step("cli: history of so many days", vec![Stage("cli", 3)])
        .report(
            Report::new(
                "northfield-csa",
                "Card full",
                "sluice.db has 3 GB after a year. Is there a way to throw old readings away?",
            )
            .labels(&["enhancement", "area: readings"]),
        )
        .section(Added),
        Work::new(
            275,
            "icalder",
            Squash,
            "docs/rules",
            "docs: triage and releasing",
        )
        .step(
            "docs: triage and releasing",
            adds(&["triage-doc", "releasing-doc"]),
        )
        .step("docs: name them in the readme", vec![Stage("readme", 4)]),
        Work::new(
            290,
            "pdenholm",
            Squash,
            "weather/age",
            "meteo: know how old a forecast is",
        )
        .step(
            "meteo: know how old a forecast is",
            vec![Stage("weather", 2)],
        )
        .section(Added),
        Work::new(303, "icalder", Direct, "", "").step(
            "docs: rename setup.md to install.md",
            vec![Move("install", "docs/install.md")],
        ),
        Work::new(
            312,
            "trell",
            Merge,
            "drivers/alive",
            "drivers: tell whether a device is alive",
        )
        .step("teros: is_alive", vec![Stage("teros", 2)])
        .step("capstick: is_alive", vec![Stage("capstick", 2)])
        .step("loriot: is_alive", vec![Stage("loriot", 2)])
        .step("huntley: is_alive", vec![Stage("huntley", 2)])
        .section(Added),
        Work::new(
            338,
            "moyelaran",
            Merge,
            "crops/frost",
            "crops: a frost guard for every crop",
        )
        .body("Temperatures from the growers' handbook, two degrees on the safe side.")
        .step("meteo: frost_expected", vec![Stage("weather", 3)])
        .step(
            "crops: frost_guard",
            vec![Stage("crops", 3), Stage("crops-doc", 2)],
        )
        .step(
            "crops: a frost guard for every crop",
            CROPS.iter().map(|key| Stage(key, 2)).collect(),
        )
        .section(Added),
    ]
}

fn second_year() -> Vec<Work<Edit>> {
    vec![
        Work::new(366, "moyelaran", Direct, "", "")
            .step("docs: values need a reason", vec![Stage("contributing", 3), Stage("crops-doc", 3)]),
        Work::new(374, "trell", Merge, "drivers/ble", "drivers: Pebble and Arrowell")
            .step("drivers: Pebble P1", adds(&["pebble"]))
            .step("drivers: Arrowell A7", adds(&["arrowell"]))
            .step("docs: Pebble and Arrowell", vec![Stage("drivers-doc", 3)])
            .contested()
            .section(Added),
        Work::new(388, "icalder", Squash, "docs/backports", "docs: how backports are made")
            .step("docs: how backports are made", vec![Stage("releasing-doc", 2)]),
        Work::new(412, "pdenholm", Merge, "schedule/queue", "schedule: one zone at a time")
            .body("Fixes #{issue}\n\nThe driest zone goes first.")
            .step("schedule: next_slot without microseconds", vec![Stage("schedule", 4)])
            .step("schedule: tests for the queue", vec![Stage("test-schedule", 4)])
            .report(
                Report::new("northfield-csa", "Two zones at once, no pressure", "Zones 3 and 4 are opened in the same minute and neither gets enough.")
                    .labels(&["bug", "area: planning"])
                    .assignee("pdenholm")
                    .comment("bramble-hill", "Same here with a small pump."),
            )
            .section(Changed),
        Work::new(430, "icalder", Direct, "", "").step("docs: where things are", vec![Stage("install", 3)]),
        Work::new(436, "trell", Squash, "drivers/alive-2", "drivers: Pebble and Arrowell know whether they are alive")
            .step("drivers: Pebble and Arrowell know whether they are alive", vec![Stage("pebble", 2), Stage("arrowell", 2)])
            .section(Added),
        Work::new(536, "jhalv", Merge, "weather/rename", "Rename meteo to weather")
            .body("Nobody finds `meteo`. No change of what it does.\n\nRefs #{issue}")
            .step(
                "Rename meteo to weather",
                vec![
                    Move("weather", "sluice/weather.py"),
                    Set("schedule", "weather_module", "weather".to_owned()),
                    Set("test-forecast", "weather_module", "weather".to_owned()),
                ],
            )
            .report(
                Report::new("jhalv", "Names of modules", "`meteo` is the only module with a name that one has to look up. Rename it?")
                    .labels(&["question", "area: planning"])
                    .comment("pdenholm", "Yes, after 2.1."),
            )
            .section(Changed),
        Work::new(546, "pdenholm", Squash, "weather/rounding", "weather: round coordinates")
            .body("The forecast is for a square of a kilometre anyway, and nobody has to know which bed is ours.")
            .step("weather: round coordinates", vec![Stage("weather", 4)])
            .section(Changed),
        Work::new(576, "trell", Squash, "moisture/clamp", "moisture: keep values between 0 and 1")
            .step("moisture: keep values between 0 and 1", vec![Stage("moisture", 4), Stage("test-moisture", 4)])
            .section(Changed),
        Work::new(612, "moyelaran", Squash, "crops/keys", "crops: name the file when a key is wrong")
            .body("Fixes #{issue}")
            .step("crops: name the file when a key is wrong", vec![Stage("crops", 4)])
            .report(
                Report::new("sandro-orti", "TypeError: unexpected keyword argument 'max_minute'", "I made a typing error in one of forty files. Which one, it does not say.")
                    .labels(&["bug", "area: crops"]),
            )
            .section(Changed),
        Work::new(655, "pdenholm", Merge, "schedule/stale", "schedule: do not believe an old forecast")
            .step("schedule: do not believe an old forecast", vec![Stage("schedule", 5)])
            .section(Changed),
    ]
}

/// What was still going on, or given up.
fn unfinished() -> Vec<Work<Edit>> {
    vec![
        Work::new(140, "jhalv", Closed, "web/react", "web: move to a framework")
            .step("web: a first try", vec![Set("chart", "chart_width", "600".to_owned())])
            .remark("icalder", "Too much for the tablets, I measured it. Let us stay with what we have."),
        Work::new(420, "trell", Closed, "store/postgres", "store: PostgreSQL")
            .step("store: sketch of a second backend", vec![Edit::Write(
                "docs/postgres.md".to_owned(),
                "# PostgreSQL\n\nA sketch. SQLite stays the default.\n".to_owned(),
            )])
            .contested()
            .remark("trell", "Nobody needs it. Closing; the branch stays for reference."),
        Work::new(600, "icalder", Open, "valves/half-hour", "valves: at most half an hour")
            .id("half-hour")
            .overtaken()
            .body("Closes #{issue}\n\nNo bed of ours takes longer.")
            .step("valves: at most half an hour", vec![Set("valves", "max_open_seconds", "1800".to_owned())])
            .report(
                Report::new("greta-w", "A stuck hose ran for 45 minutes", "The valve was closed in the end, but the path is gone. 45 minutes is long.")
                    .labels(&["enhancement", "area: hardware"])
                    .assignee("icalder"),
            )
            .contested()
            .remark("moyelaran", "Potatoes in sand need up to 35 minutes, see their file."),
        Work::new(634, "moyelaran", Squash, "valves/forty", "valves: at most forty minutes")
            .body("What the longest run in `crops/` needs, and a few minutes more. See the discussion in #{#half-hour}.")
            .step("valves: at most forty minutes", vec![Set("valves", "max_open_seconds", "2400".to_owned())])
            .section(Changed),
        Work::new(700, "jhalv", Open, "web/band", "web: show the band in which a crop is content")
            .body("Closes #{issue}")
            .step("web: show the band in which a crop is content", vec![Stage("chart", 3)])
            .report(
                Report::new("bramble-hill", "Show low and high in the chart", "Then I could see at a glance whether a bed is fine.")
                    .labels(&["enhancement", "area: interface"])
                    .assignee("jhalv"),
            ),
        Work::new(708, "trell", Draft, "docs/backup", "docs: how to back the readings up")
            .body("Not finished: the part about restoring is missing.")
            .step("docs: how to back the readings up", vec![Edit::Write(
                "docs/backup.md".to_owned(),
                "# Backup\n\n`sqlite3 /var/lib/sluice/sluice.db \".backup copy.db\"`\n".to_owned(),
            )]),
    ]
}
