//! What the huts asked, and what still waits for an answer.

use github_chronicle::{Report, Talk};

pub fn talks() -> Vec<Talk> {
    vec![
        Talk::new(
            33,
            Report::new("lake-hut", "May I write on the pages?", "With a pencil.")
                .labels(&["question"])
                .comment("mlindqvist", "Please do, and tell us what you wrote."),
        )
        .closed(2, "mlindqvist", "completed"),
        Talk::new(
            88,
            Report::new("ridge-hut", "A Dutch handbook", "Every third guest is from there.")
                .labels(&["question"])
                .comment("tokonkwo", "As soon as somebody keeps it up to date, not before."),
        )
        .id("dutch")
        .closed(40, "tokonkwo", "not_planned"),
        Talk::new(
            310,
            Report::new("col-hut", "Dutch?", "They asked again.").labels(&["question"]),
        )
        .repeats(1, "tokonkwo", "dutch"),
        Talk::new(
            352,
            Report::new("valley-office", "The print of spring has old prices", "On the French page.")
                .labels(&["print"])
                .comment("btosch", "I printed what was there on the day. It is all in the tag."),
        )
        .closed(6, "btosch", "completed"),
        Talk::new(
            509,
            Report::new(
                "valley-office",
                "Which numbers in the print of 3.1 are wrong?",
                "We have 400 copies. Some pages say another number than the English page beside them. If there is a list we can put a sticker on each. docs/errata.md says how it goes.",
            )
            .labels(&["print"])
            .comment("btosch", "The print is what `release/3.1` has. Main has gone on since."),
        ),
        Talk::new(
            583,
            Report::new("lake-hut", "Does the winter room need a warden?", "It is never locked.")
                .labels(&["question"]),
        ),
        Talk::new(
            611,
            Report::new(
                "mlindqvist",
                "What lags behind, and since when?",
                "Before we print again I want to know which page follows what. All languages, on one page please.",
            )
            .labels(&["stale"])
            .comment("tokonkwo", "And by which pull requests the source went on."),
        ),
    ]
}
