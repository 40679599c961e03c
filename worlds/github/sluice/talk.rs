//! Issues that no commit closed: questions, wishes, what is still open, and what nobody has looked at yet.

use github_chronicle::{Report, Talk};
use mcpmark_guest::Random;

use crate::project::SLUICE;

fn talk(day: i64, report: Report) -> Talk {
    Talk::new(day, report)
}

fn form(component: &str, kind: &str, code: Option<&str>, text: &str) -> String {
    let code = code
        .map(|code| format!("Code: {code}\n"))
        .unwrap_or_default();
    format!("Component: {component}\nKind: {kind}\n{code}\n{text}")
}

pub fn talks(random: &mut Random) -> Vec<Talk> {
    let mut all = closed();
    let codes = Codes::choose(random);
    all.extend(open(&codes));
    all.extend(new(random, &codes));
    all
}

/// Codes of the log. Which fault has which follows from the seed.
struct Codes {
    checksum: String,
    pump: String,
    browser: String,
    closed: String,
    once: String,
}

impl Codes {
    fn choose(random: &mut Random) -> Self {
        let numbers: Vec<i64> = (500..560).collect();
        let mut chosen = random
            .sample(&numbers, 4)
            .into_iter()
            .map(|number| format!("E-{number}"));
        let mut next = || chosen.next().unwrap_or_default();
        Self {
            checksum: next(),
            pump: next(),
            browser: next(),
            once: next(),
            // That of a fault which is mended: see `fixes.rs`.
            closed: "E-311".to_owned(),
        }
    }
}

fn closed() -> Vec<Talk> {
    let question = &["question"];
    vec![
        talk(
            50,
            Report::new(
                "bramble-hill",
                "Does it run on a Pi Zero?",
                "Or do I need a larger one?",
            )
            .labels(question)
            .comment(
                "icalder",
                "The first Zero is too slow for the web page. The second is fine.",
            ),
        )
        .closed(3, "icalder", "completed"),
        talk(
            88,
            Report::new(
                "allotment52",
                "Support for Gardwell clocks",
                "They have a serial port.",
            )
            .labels(&["enhancement", "area: hardware"])
            .comment(
                "trell",
                "No documentation, and no two of them are alike. Sorry.",
            ),
        )
        .closed(20, "trell", "not_planned"),
        talk(
            150,
            Report::new(
                "greta-w",
                "Telegram instead of mail",
                "Nobody reads mail in the field.",
            )
            .labels(&["enhancement", "area: interface"])
            .comment("pdenholm", "Would need an account with them. Not for now."),
        )
        .id("telegram")
        .closed(40, "pdenholm", "not_planned"),
        talk(
            230,
            Report::new("sandro-orti", "Messenger for alerts", "Mail is slow here.")
                .labels(&["enhancement", "area: interface", "duplicate"])
                .comment("icalder", "Duplicate of #{issue:telegram}."),
        )
        .repeats(2, "icalder", "telegram"),
        talk(
            300,
            Report::new(
                "okonkwo-farm",
                "Why is frost guarded at different temperatures?",
                "Kale at -4?",
            )
            .labels(&["question", "area: crops"])
            .comment(
                "moyelaran",
                "It is about the pipes in that bed, not about the kale.",
            ),
        )
        .closed(80, "moyelaran", "completed"),
        talk(
            405,
            Report::new(
                "northfield-csa",
                "Water meter",
                "To see how much goes through.",
            )
            .labels(&["enhancement", "area: hardware"])
            .comment("trell", "Later, if somebody lends us one."),
        )
        .closed(200, "icalder", "not_planned"),
        talk(
            500,
            Report::new(
                "bramble-hill",
                "Chart is wrong after the change of the clock",
                "One hour twice.",
            )
            .labels(&["bug", "area: interface"])
            .comment(
                "jhalv",
                "Fixed itself the next day, as it does every year. I have no better idea.",
            ),
        )
        .closed(30, "jhalv", "not_planned"),
    ]
}

fn open(codes: &Codes) -> Vec<Talk> {
    vec![
        talk(
            455,
            Report::new("greta-w", "Frames of the Capstick fail their checksum", &form("drivers", "broken", Some(&codes.checksum), "Only with a cable of more than 50 m. I had this last year."))
                .labels(&["bug", "area: hardware"])
                .comment("trell", "That was the cable. Closing."),
        )
        .closed(25, "trell", "completed"),
        talk(
            560,
            Report::new("allotment52", "Capstick: bad checksum in the evening", &form("drivers", "broken", Some(&codes.checksum), "Begins at about six, ends at about nine."))
                .labels(&["bug", "area: hardware"])
                .assignee("trell")
                .comment("trell", "Is there a pump on the same line?")
                .comment("allotment52", "There is. A large one."),
        )
        .id("checksum"),
        talk(
            590,
            Report::new("okonkwo-farm", "The pump starts before the valve is open", &form("valves", "broken", Some(&codes.pump), "A bang in the pipe each morning."))
                .labels(&["bug", "area: hardware"])
                .assignee("icalder"),
        ),
        talk(
            615,
            Report::new("sandro-orti", "Checksum errors, Capstick", &form("drivers", "broken", Some(&codes.checksum), "Three probes of eight."))
                .labels(&["bug", "area: hardware"])
                .comment("trell", "Looks like #{issue:checksum}, but yours is there all day. Leaving it open.")
                .comment("trell", "On the bench: two faults with one code. With a pump on the line it is #{issue:checksum}. Reports without a pump belong here, that is our driver."),
        ),
        talk(
            640,
            Report::new("bramble-hill", "Chart stays empty in the old tablet", &form("web", "broken", Some(&codes.browser), "Safari 12. Worked until the summer."))
                .labels(&["bug", "area: interface"])
                .assignee("jhalv"),
        ),
        talk(
            660,
            Report::new("pdenholm", "Plan for a whole week", "So that people see what is coming. Needs a forecast that is longer than a day.")
                .labels(&["enhancement", "area: planning"]),
        ),
        talk(
            676,
            Report::new("northfield-csa", "Values for pumpkins?", &form("crops", "wish", None, "We have twelve beds of them this year."))
                .labels(&["enhancement", "area: crops"])
                .assignee("moyelaran"),
        ),
        talk(
            714,
            Report::new("moyelaran", "How did tomato come to its max_minutes?", "Before we change it once more I want to know what it was, since when, and why. The whole history on main, please, not what we remember.")
                .labels(&["question", "area: crops"]),
        ),
    ]
}

/// The labels of what came in during the last days; most of it has none yet.
fn labels_of(title: &str) -> &'static [&'static str] {
    match title {
        "Empty chart" => &["bug", "area: interface"],
        "Is moisture a share of volume or of weight?" => &["question", "area: readings"],
        "Shell completion" => &["enhancement", "area: interface"],
        "What does rest_hours count from?" => &["question", "area: crops"],
        _ => &[],
    }
}

/// What came in during the last days.
fn new(random: &mut Random, codes: &Codes) -> Vec<Talk> {
    let mut texts = vec![
        (
            "Capstick says bad checksum",
            form(
                "drivers",
                "broken",
                Some(&codes.checksum),
                "All day long, on every probe. Our water comes from the stream above the field, so there is no pump.",
            ),
        ),
        (
            "Bang in the pipe",
            form(
                "Valves",
                "Broken",
                Some(&codes.pump),
                "At six in the morning. The neighbours are awake now as well.",
            ),
        ),
        (
            "Valve open all night again",
            form(
                "valves",
                "broken",
                Some(&codes.closed),
                "I thought that this was mended? We are on 2.1.2.",
            ),
        ),
        (
            "Checksum errors with the Arrowell",
            form(
                "drivers",
                "broken",
                None,
                "Frames of the Capstick are fine, those of the Arrowell fail their checksum.",
            ),
        ),
        (
            "Install guide for the new image",
            form(
                "docs",
                "wish",
                None,
                "The picture shows the old connectors.",
            ),
        ),
        (
            "What does rest_hours count from?",
            form(
                "crops",
                "question",
                None,
                "From the begin or the end of a run?",
            ),
        ),
        (
            "Shell completion",
            form("CLI", "wish", None, "Would be nice."),
        ),
        (
            "Database is locked",
            form(
                "store",
                "broken",
                Some(&codes.once),
                "When I open the file with another program.",
            ),
        ),
        (
            "database is locked!!",
            form("Store", "broken", Some(&codes.once), "Every night at two."),
        ),
        (
            "Empty chart",
            form("web", "broken", None, "On the tablet in the tunnel."),
        ),
        (
            "Is moisture a share of volume or of weight?",
            form(
                "moisture",
                "Question",
                None,
                "The handbook says volume, my probe says weight.",
            ),
        ),
    ];
    random.shuffle(&mut texts);
    let mut all = Vec::new();
    for (index, (title, body)) in texts.into_iter().enumerate() {
        let by = *random.pick(SLUICE.others);
        let day = 716 + index as i64;
        all.push(talk(
            day,
            Report::new(by, title, &body).labels(labels_of(title)),
        ));
    }
    all
}
