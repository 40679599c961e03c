//! What people report, ask and wish for.

use github_chronicle::{Hub, Report, Talk};
use mcpmark_guest::Random;

use crate::project::{FORTNIGHT, LATER, NEXT};

pub fn talks(random: &mut Random) -> Vec<Talk> {
    let mut all = settled(random);
    all.extend(removals());
    all.extend(waiting());
    all.push(
        Talk::new(
            806,
            Report::new(
                "payroll-pete",
                "Half a minute is rounded down since 3.4.0",
                "With 3.3.1 ninety seconds were two minutes. With 3.4.0 they are one, and nothing in the change log says why. `Round.to(span, :minute)` is all that I call.",
            )
            .labels(&["fix"])
            .comment("kbanerjee", "Seen it too. We even have a test that says it should be so."),
        ),
    );
    all.push(Talk::new(
        812,
        Report::new(
            "night-shift-nora",
            "Which releases lose the sign of a difference?",
            "Going home early counted as overtime with some of your releases, and with others it did not. I have to write to people about it. Which ones are it?",
        )
        .labels(&["question"])
        .comment("moakes", "We put it right, took that back, and put it right again. Somebody has to look at each of them."),
    ));
    all
}

/// Methods of which somebody has written already that they go.
fn removals() -> Vec<Talk> {
    let removal = |day, by, method: &str, since: &str, path: &str, instead: &str| {
        let text = format!("Deprecated since {since} in `{path}`. Use `{instead}` instead.");
        Talk::new(
            day,
            Report::new(by, &format!("Remove {method}"), &text).labels(&["deprecation"]),
        )
    };
    vec![
        removal(
            476,
            "tsato",
            "Interval",
            "2.2.0",
            "lib/fortnight/span.rb",
            "Span",
        )
        .closed(7, "tsato", "completed"),
        removal(
            651,
            "tsato",
            "Span#minutes_total",
            "2.1.0",
            "lib/fortnight/span.rb",
            "Span#in_minutes",
        ),
        removal(
            653,
            "idrummond",
            "Compare.same?",
            "2.2.0",
            "lib/fortnight/compare.rb",
            "Span#<=>",
        )
        .closed(20, "idrummond", "not_planned"),
        removal(
            655,
            "moakes",
            "Round.nearest",
            "3.0.0",
            "lib/fortnight/round.rb",
            "Round.to",
        ),
        removal(
            691,
            "moakes",
            "Format.plain",
            "3.3.0",
            "lib/fortnight/format.rb",
            "Format.long",
        ),
        removal(
            696,
            "moakes",
            "Clock.tick",
            "3.3.0",
            "lib/fortnight/clock.rb",
            "Span.new",
        ),
    ]
}

/// What waits for a release, by title.
const AWAITED: [(i64, &str, &str, &str); 5] = [
    (
        681,
        "oven-watch",
        "Read \"half an hour\"",
        "It is written so in each recipe that I have.",
    ),
    (
        713,
        "bus-timetable",
        "Write Polish plurals",
        "There are three of them, and we show the wrong one.",
    ),
    (
        729,
        "rowing-cox",
        "Tenths of a second",
        "A race is decided by them.",
    ),
    (
        761,
        "slow-cyclist",
        "Read \"2h30\"",
        "Without a unit behind the minutes.",
    ),
    (
        798,
        "payroll-pete",
        "Add up a column",
        "Of a table with hours, and skip the empty ones.",
    ),
];

fn waiting() -> Vec<Talk> {
    let mut all: Vec<Talk> = AWAITED
        .iter()
        .map(|(day, by, title, text)| {
            Talk::new(*day, Report::new(by, title, text).labels(&["feature"]))
        })
        .collect();
    all.push(
        Talk::new(
            765,
            Report::new(
                "moakes",
                "Write down how we choose a number",
                "For the next release.",
            )
            .labels(&["docs"]),
        )
        .closed(4, "moakes", "completed"),
    );
    all
}

/// What waits for the next release is in its milestone.
pub fn sort_into_milestones(hub: &mut Hub) {
    let number = |title: &str| {
        let at = FORTNIGHT.milestones.iter().position(|it| it.title == title);
        at.map(|at| at as u64 + 1)
    };
    for thread in &mut hub.threads {
        let is_awaited = AWAITED
            .iter()
            .any(|(_, _, title, _)| *title == thread.title);
        thread.milestone = match thread.title.as_str() {
            "Tenths of a second" => number(LATER),
            "Write down how we choose a number" | "Read 2-3 hours" => number(NEXT),
            _ if is_awaited => number(NEXT),
            _ => thread.milestone,
        };
    }
}

fn settled(random: &mut Random) -> Vec<Talk> {
    let mut someone = || *random.pick(FORTNIGHT.others);
    vec![
        Talk::new(
            38,
            Report::new(
                someone(),
                "Why is a month thirty days?",
                "Mine has thirty-one.",
            )
            .labels(&["question"])
            .comment(
                "moakes",
                "Because a length of time does not know when it begins. Ask the calendar.",
            ),
        )
        .id("month")
        .closed(2, "moakes", "not_planned"),
        Talk::new(
            97,
            Report::new(
                someone(),
                "February",
                "Two months from January are not sixty days.",
            )
            .labels(&["question"])
            .comment("idrummond", "The same as #{issue:month}."),
        )
        .repeats(1, "idrummond", "month"),
        Talk::new(
            142,
            Report::new(
                someone(),
                "A gem without C",
                "Does it run where no compiler is?",
            )
            .labels(&["question"])
            .comment("tsato", "It has never been anything but Ruby."),
        )
        .closed(1, "tsato", "completed"),
        Talk::new(
            206,
            Report::new(someone(), "Latin", "Our abbey would be glad.")
                .labels(&["words"])
                .comment(
                    "pvries",
                    "Tell me what you call a minute, and I begin tonight.",
                ),
        )
        .closed(40, "pvries", "not_planned"),
        Talk::new(
            318,
            Report::new(someone(), "Time zones", "When I fly, the hours change.")
                .labels(&["feature"])
                .comment("idrummond", "They do not. The clocks do."),
        )
        .id("zones")
        .closed(3, "idrummond", "not_planned"),
        Talk::new(
            385,
            Report::new(
                someone(),
                "Summer time",
                "A night in March is an hour short.",
            )
            .labels(&["question"])
            .comment("idrummond", "See #{issue:zones}, please."),
        )
        .repeats(2, "idrummond", "zones"),
        Talk::new(
            441,
            Report::new(
                someone(),
                "How do I say \"a while\"?",
                "Somebody wrote it into our form.",
            )
            .labels(&["question"])
            .comment("kbanerjee", "As nil."),
        )
        .closed(1, "kbanerjee", "completed"),
        Talk::new(
            533,
            Report::new(someone(), "Which Ruby?", "We are on an old one.")
                .labels(&["question"])
                .comment("moakes", "Three and up, as the gemspec says."),
        )
        .closed(2, "moakes", "completed"),
        Talk::new(
            618,
            Report::new(
                someone(),
                "Can it read aloud?",
                "For those who do not see well.",
            )
            .labels(&["feature"])
            .comment(
                "jferreira",
                "Others do that better with the text that we write.",
            ),
        )
        .closed(12, "jferreira", "not_planned"),
        Talk::new(
            789,
            Report::new(
                someone(),
                "Is a fortnight fourteen days or nights?",
                "Asking for a bet.",
            )
            .labels(&["question"]),
        ),
    ]
}
