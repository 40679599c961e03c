//! How the longest run of the tomato came to be what it is.
//!
//! The way there is fixed, the numbers follow from the seed. Changes come by every kind of merge, in a
//! pull request that does not name the crop, as a value that only a commit within a pull request had,
//! and go away by a revert.

use mcpmark_guest::Random;

use crate::code_base::Edit::{self, Set};
use github_chronicle::Section::Changed;
use github_chronicle::Way::{Closed, Merge, Open, Rebase, Squash};
use github_chronicle::{Report, Work};

fn minutes(key: &'static str, value: i64) -> Edit {
    Set(key, "max_minutes", value.to_string())
}

fn rest(key: &'static str, value: &str) -> Edit {
    Set(key, "rest_hours", value.to_owned())
}

pub fn tomato(random: &mut Random) -> Vec<Work<Edit>> {
    let first = random.between(24, 26);
    let hot = random.between(34, 38);
    let enough = random.between(29, 31);
    let winter = random.between(16, 18);
    let trial = random.between(22, 23);
    let summer = random.between(27, 28);
    let later = summer - random.between(1, 2);
    let last = later + random.between(3, 4);
    let proposed = last + random.between(2, 5);
    let raise = |from: i64, to: i64| format!("tomato: raise max_minutes from {from} to {to}");
    vec![
        Work::new(
            60,
            "moyelaran",
            Squash,
            "crops/tomato-longer",
            &raise(20, first),
        )
        .body("Fixes #{issue}")
        .step(&raise(20, first), vec![minutes("tomato", first)])
        .report(
            Report::new(
                "bramble-hill",
                "Tomatoes stay dry below the first hand's breadth",
                "20 minutes are over before the water gets down. Clay, drip lines of 2 l/h.",
            )
            .labels(&["bug", "area: crops"])
            .comment("moyelaran", "I dug a hole in ours: the same."),
        )
        .section(Changed),
        Work::new(
            118,
            "moyelaran",
            Merge,
            "crops/tomato-hot",
            "tomato: values for the hot weeks",
        )
        .step(&raise(first, hot), vec![minutes("tomato", hot)])
        .step(
            &format!("tomato: {enough} minutes are enough"),
            vec![minutes("tomato", enough)],
        )
        .contested()
        .remark(
            "icalder",
            &format!("{hot} minutes and the path is a creek. Have you tried less?"),
        )
        .section(Changed),
        Work::new(
            205,
            "moyelaran",
            Rebase,
            "crops/winter-values",
            "Winter values for the greenhouse",
        )
        .id("winter")
        .body("For those who heat.")
        .step(
            "cucumber: rest longer in winter",
            vec![rest("cucumber", "14")],
        )
        .step(
            &format!("tomato: lower max_minutes to {winter} for the winter"),
            vec![minutes("tomato", winter)],
        )
        .section(Changed),
        Work::new(
            268,
            "icalder",
            Squash,
            "revert-winter",
            "Revert \"Winter values for the greenhouse\"",
        )
        .body("Reverts #{#winter}: most beds are outdoors, and there is one file for all of them.")
        .step(
            "Revert \"Winter values for the greenhouse\"",
            vec![rest("cucumber", "8"), minutes("tomato", enough)],
        )
        .section(Changed),
        Work::new(322, "trell", Closed, "crops/tomato-45", &raise(enough, 45))
            .body("For the sandy beds at the back.")
            .step(&raise(enough, 45), vec![minutes("tomato", 45)])
            .remark("moyelaran", "That is what a second line is for. No."),
        Work::new(
            396,
            "moyelaran",
            Merge,
            "crops/trial-beds",
            "Values from the trial beds",
        )
        .body("A season with three beds each. The sheets are with me.")
        .step(
            "lettuce: a little drier",
            vec![Set("lettuce", "low", "0.38".to_owned())],
        )
        .step(
            &format!("tomato: {trial} minutes, as in bed 7"),
            vec![
                minutes("tomato", trial),
                Set("tomato", "low", "0.30".to_owned()),
            ],
        )
        .section(Changed),
        Work::new(
            470,
            "pdenholm",
            Squash,
            "crops/summer",
            "Summer values for the fruiting crops",
        )
        .body("Taken over from Marta's list of May.")
        .step("cucumber: longer runs", vec![minutes("cucumber", 24)])
        .step("tomato: longer runs", vec![minutes("tomato", summer)])
        .step("courgette: longer runs", vec![minutes("courgette", 27)])
        .section(Changed),
        Work::new(
            560,
            "moyelaran",
            Merge,
            "crops/tomato-september",
            &format!("tomato: lower max_minutes from {summer} to {later}"),
        )
        .step(
            &format!("tomato: lower max_minutes from {summer} to {later}"),
            vec![minutes("tomato", later)],
        )
        .section(Changed),
        Work::new(
            680,
            "moyelaran",
            Rebase,
            "crops/northfield",
            &raise(later, last),
        )
        .body("The trial at Northfield, 40 beds.")
        .step(&raise(later, last), vec![minutes("tomato", last)])
        .section(Changed),
        Work::new(
            712,
            "trell",
            Open,
            "crops/tomato-again",
            &raise(last, proposed),
        )
        .body("For discussion.")
        .step(&raise(last, proposed), vec![minutes("tomato", proposed)])
        .remark(
            "moyelaran",
            "I want to know how we came to the number that we have before I say anything.",
        ),
    ]
}
