//! What stood still, and what people asked.

use github_chronicle::{Report, Talk};
use mcpmark_guest::Random;

use crate::project::QUAY;

/// The day, what stood still, and the work that did it, by its id.
const INCIDENTS: [(i64, &str, &str); 9] = [
    (452, "Gates of the south lock did not answer", "gate-listen"),
    (466, "No tide for two hours", "tide-smooth"),
    (489, "Night without a backup", "backup-prune"),
    (500, "Cameras on the pier lost a day", "camera-sweep"),
    (531, "The page of arrivals was gone", "web-reload"),
    (548, "Alarms without a reason", "metrics-partial"),
    (560, "Replica two hours behind", "database-replica"),
    (571, "Tide jumps by a metre", "tide-raw"),
    (590, "Gates slow after midnight", "gate-restart"),
];

pub fn talks(random: &mut Random) -> Vec<Talk> {
    let mut all = settled();
    for (day, title, id) in INCIDENTS {
        let by = *random.pick(QUAY.others);
        let minutes = random.between(12, 170);
        let text = format!(
            "Stood still for {minutes} minutes.\nChange: {{sha:{id}}}\n\nFound in the log of the machine; that is what it ran when it began."
        );
        let report = Report::new(by, &format!("Incident: {title}"), &text);
        let report = report.labels(&["incident"]);
        all.push(Talk::new(day, discussed(report, id, by, minutes)));
    }
    all.push(Talk::new(
        585,
        Report::new(
            "dmarsh",
            "Retire what should be gone by now",
            "Some machines are past the day in their own file. docs/retiring.md says how it is done.",
        )
        .labels(&["machines"])
        .comment("asolheim", "All of them in one pull request, please. I carry them out afterwards."),
    ));
    all.push(Talk::new(
        594,
        Report::new(
            "efontaine",
            "Machines that set what their role sets already",
            "While we tried things we set values in files of machines. Many are the same as that of the role by now, or older. See docs/settings.md.",
        )
        .labels(&["settings"]),
    ));
    all
}

/// What was said about an incident, some of it by people who cannot know.
fn discussed(report: Report, id: &str, by: &'static str, minutes: i64) -> Report {
    match id {
        "tide-smooth" => report.comment("dmarsh", "I will ask for raw values again one of these days."),
        "web-reload" => report.comment("lock-keeper-2", "Was that not the storm? All the lamps flickered."),
        "metrics-partial" => report.comment(
            by,
            &format!(
                "It was {} minutes in all. The second alarm came when we had written this.",
                minutes + 25
            ),
        ),
        "database-replica" => report
            .comment("efontaine", "My graphs bend at the minute of the change.")
            .comment(
                "cwren",
                "They bend where the check began to look. The disk of fulmar-1 had been dying since noon, I have its log. No change of ours, and the disk is replaced.",
            ),
        "gate-restart" => report.comment(
            "efontaine",
            "I would say that this is no change of ours. The nights are cold by now.",
        ),
        _ => report,
    }
}

fn settled() -> Vec<Talk> {
    vec![
        Talk::new(
            45,
            Report::new("tide-desk", "Which machine is the tide on?", "")
                .labels(&["question"])
                .comment("dmarsh", "Those with the role `tide`."),
        )
        .closed(1, "dmarsh", "completed"),
        Talk::new(
            205,
            Report::new("harbour-office", "A second screen", "For the arrivals.")
                .labels(&["machines"])
                .comment("bokafor", "There is no cable."),
        )
        .closed(30, "bokafor", "not_planned"),
        Talk::new(
            330,
            Report::new(
                "pilot-boat",
                "Incident: No picture from the pier",
                "All night.\n\nNobody knows why.",
            )
            .labels(&["incident"])
            .comment("cwren", "A gull on the lens. Nothing that we changed."),
        )
        .closed(2, "cwren", "completed"),
        Talk::new(
            540,
            Report::new(
                "lock-keeper-2",
                "Can the gate tell me on the telephone?",
                "When it is stuck.",
            )
            .labels(&["question"]),
        ),
    ]
}
