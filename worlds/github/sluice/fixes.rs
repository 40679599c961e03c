//! Faults that users of a release had, how they were mended, and where that was taken to.

use crate::code_base::Edit::{self, Set, Stage};
use github_chronicle::Section::Fixed;
use github_chronicle::Way::{Closed, Merge, Squash};
use github_chronicle::{Report, Work};

pub fn fixes() -> Vec<Work<Edit>> {
    vec![
        Work::new(250, "icalder", Merge, "valves/retry", "valves: try again before giving up")
            .body("Fixes #{issue}")
            .step("valves: try again before giving up", vec![Stage("valves", 3)])
            .report(
                Report::new("okonkwo-farm", "ValveStuck although the valve is fine", "Component: valves\nKind: broken\nCode: E-310\n\nOnce a week valve 6 is \"stuck\". By hand it opens at once.")
                    .labels(&["bug", "area: hardware"])
                    .assignee("icalder")
                    .comment("trell", "A lost frame on a long line. One retry would do, two are better."),
            )
            .section(Fixed),
        Work::new(364, "trell", Squash, "drivers/huntley-slow", "huntley: wait longer for an answer")
            .body("Fixes #{issue}\n\nThe maker says 300 ms for eight valves; 350 to be safe.")
            .step("huntley: wait longer for an answer", vec![Set("huntley", "timeout_ms", "350".to_owned())])
            .label("backport 1.2")
            .report(
                Report::new("northfield-csa", "Half of the frames of the Huntley line are lost", "Component: drivers\nKind: broken\nCode: E-204\n\nSince 1.2.0. Eight valves on the line, with four it works.")
                    .labels(&["bug", "area: hardware"])
                    .assignee("trell"),
            )
            .backport("1.2.1")
            .section(Fixed),
        Work::new(524, "pdenholm", Squash, "alerts/minutes", "alerts: quiet minutes are minutes")
            .body("Fixes #{issue}\n\n`now` is in seconds.")
            .step("alerts: quiet minutes are minutes", vec![Stage("alerts", 3), Stage("test-alerts", 3)])
            .label("backport 2.1")
            .report(
                Report::new("bramble-hill", "Forty mails in an hour", "Component: alerts\nKind: broken\nCode: E-402\n\nquiet_minutes is 60, the same alert comes every minute.")
                    .labels(&["bug", "area: interface"])
                    .comment("greta-w", "Here too, since 2.1.0."),
            )
            .backport("2.1.1")
            .section(Fixed),
        Work::new(556, "jhalv", Squash, "web/empty-chart", "web: an empty chart is no error")
            .body("Fixes #{issue}")
            .step("web: an empty chart is no error", vec![Stage("chart", 2)])
            .label("backport 2.1")
            .report(
                Report::new("allotment52", "Blank page for a new zone", "Component: web\nKind: broken\n\nA zone without readings shows a blank page and `Infinity` in the console.")
                    .labels(&["bug", "area: interface"])
                    .assignee("jhalv"),
            )
            .backport("2.1.2")
            .section(Fixed),
        Work::new(638, "pdenholm", Squash, "weather/null-rain", "weather: an hour without rain may say nothing")
            .id("null-rain")
            .body("Fixes #{issue}\n\nThe provider leaves the value out, or sends null, when it expects no rain.")
            .step(
                "weather: an hour without rain may say nothing",
                vec![Stage("weather", 5), Stage("test-forecast", 2)],
            )
            .label("backport 2.1")
            .report(
                Report::new("sandro-orti", "TypeError in the forecast on dry days", "Component: weather\nKind: broken\nCode: E-118\n\nunsupported operand type(s) for +: 'float' and 'NoneType'. Then the schedule waters as if nobody had asked.")
                    .labels(&["bug", "area: planning"])
                    .assignee("pdenholm")
                    .comment("bramble-hill", "We are on 2.1.2 and have it as well."),
            )
            .section(Fixed),
        Work::new(662, "icalder", Squash, "valves/never-forget", "valves: forget a valve only when it is closed")
            .id("never-forget")
            .body("Fixes #{issue}\n\nWhen closing failed, `watch` did not know of the valve any more.")
            .step(
                "valves: forget a valve only when it is closed",
                vec![Stage("valves", 4), Stage("test-valves", 4)],
            )
            .label("backport 2.1")
            .report(
                Report::new("okonkwo-farm", "A valve stayed open all night", "Component: valves\nKind: broken\nCode: E-311\n\nThe log has one ValveStuck in the evening and then nothing. Nobody tried again.")
                    .labels(&["bug", "area: hardware"])
                    .assignee("icalder")
                    .comment("icalder", "That must not happen. It goes to 2.1 as well."),
            )
            .section(Fixed),
        Work::new(690, "trell", Squash, "moisture/dead-probe", "moisture: a dead probe counts for nothing")
            .id("dead-probe")
            .body("Fixes #{issue}\n\nA cut wire reads 0. That is not a dry bed.")
            .step(
                "moisture: a dead probe counts for nothing",
                vec![Stage("moisture", 5), Stage("test-moisture", 5)],
            )
            .label("backport 2.1")
            .report(
                Report::new("greta-w", "Cut wire waters the bed", "Component: moisture\nKind: broken\nCode: E-127\n\nThe mouse that bit the wire has drowned.")
                    .labels(&["bug", "area: readings"])
                    .comment("trell", "Poor thing. 0 is what a cut wire gives."),
            )
            .section(Fixed),
        Work::new(697, "jhalv", Closed, "web/patience", "web: wait longer for the controller")
            .body("For slow cards.")
            .step("web: wait longer for the controller", vec![Set("api", "web_timeout", "20000".to_owned())])
            .label("backport 2.1")
            .remark("jhalv", "The cards were broken, not slow. Closing."),
    ]
}
