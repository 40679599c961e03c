//! Questions of people, and those that still wait for an answer.

use github_chronicle::{Report, Talk};

pub fn talks() -> Vec<Talk> {
    vec![
        Talk::new(
            20,
            Report::new("meadow-trust", "Do you lend seeds?", "A handful, for the new hedge.")
                .labels(&["question"])
                .comment("hbrandt", "We give them away, and write down to whom. Not here."),
        )
        .closed(4, "hbrandt", "completed"),
        Talk::new(
            110,
            Report::new("botany-class", "Common names as well?", "For the children.")
                .labels(&["question"])
                .comment("ivasile", "There is one name for each plant, and it is Latin."),
        )
        .closed(9, "ivasile", "not_planned"),
        Talk::new(
            207,
            Report::new("reed-warden", "The page on drying is missing", "It says 404.")
                .labels(&["checks"])
                .comment("kadeyemi", "The checks say so too."),
        )
        .closed(5, "kadeyemi", "completed"),
        Talk::new(
            352,
            Report::new("hbrandt", "How often were the checks red?", "Once a year I have to tell the board. A page for all of it, see docs/checks.md.")
                .labels(&["checks"]),
        ),
        Talk::new(
            411,
            Report::new("kadeyemi", "main is red", "And for some time. More than one thing is wrong, I think, and not all of it from one hand.")
                .labels(&["checks"])
                .comment("hbrandt", "Nobody is to blame who mends it. But who was it?"),
        ),
        Talk::new(
            413,
            Report::new("kadeyemi", "Which pull requests are red by themselves?", "Some have failed because a machine went away. Nobody looks any more.")
                .labels(&["checks"]),
        ),
    ]
}
