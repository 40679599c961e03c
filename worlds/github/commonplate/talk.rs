//! What people ask for.

use github_chronicle::{Report, Talk};
use mcpmark_guest::Random;

use crate::project::COMMONPLATE;

/// The day, the words of the title, and what is said. Some of it is in the book by now.
const REQUESTS: [(i64, &str, &str); 14] = [
    (40, "Rhubarb fool", "Before it is over again, please."),
    (160, "Squash curry", "The one from the autumn fair."),
    (205, "Stollen", "Or is that a family secret?"),
    (300, "Bread dumplings", "We have so much old bread."),
    (333, "soda bread", "Without yeast, for those who have none."),
    (361, "Beef and ale pie", "With suet crust."),
    (400, "White fish stew", "That one in June."),
    (452, "Hazelnut Biscuits", "My son will not stop asking."),
    (500, "Ginger parkin", "Sticky, not dry."),
    (545, "Malt loaf", "As from the packet, but real."),
    (566, "Runner bean pickle", "We grew far too many."),
    (600, "Saffron buns", "For the first of March."),
    (612, "Quince jelly", "Our tree is full."),
    (640, "Damson cheese", "It is no cheese, I know."),
];

pub fn talks(random: &mut Random) -> Vec<Talk> {
    let mut all = settled();
    for (day, wanted, text) in REQUESTS {
        let by = *random.pick(COMMONPLATE.others);
        let day = day + random.between(0, 4);
        let report = Report::new(by, &format!("Request: {wanted}"), text).labels(&["request"]);
        all.push(Talk::new(day, report));
    }
    all.push(Talk::new(
        648,
        Report::new(
            "tcoole",
            "Say in every recipe what may make people ill",
            "We were asked twice on Thursday and had to guess. docs/allergens.md says what counts and how to write it down.",
        )
        .labels(&["allergens"])
        .comment("hbramwell", "Yes. All recipes that are on main, in one go."),
    ));
    all.push(Talk::new(
        655,
        Report::new(
            "mvandam",
            "Everything from the oven is pale",
            "Since some time this year. I looked at the tart: I wrote 200 in it, and the page says 180. The same in others, always 20 less. Nobody says that they did it.",
        )
        .labels(&["correction"])
        .comment("odunsi", "The rolls too. I had to look in my own notebook.")
        .comment("larkspur-j", "I only moved tags around, back in June.")
        .comment("rafiq-s", "So 20 on top of all of them, and we are done?")
        .comment(
            "hbramwell",
            "No. Only where that change is still what the page says. What one of us has set since was cooked like that, and what came into the book later was never wrong.",
        )
        .comment("chip-pan-alan", "Can the plum tart stay at 180? I like it pale.")
        .comment(
            "tcoole",
            "My cauliflower cheese stays at 190, please. At 210 I had to scrape the top off, twice.",
        ),
    ));
    all
}

fn settled() -> Vec<Talk> {
    vec![
        Talk::new(
            58,
            Report::new("spoonbill", "Cups?", "I have no scales.")
                .labels(&["question"])
                .comment("tcoole", "Scales cost less than the butter that you waste."),
        )
        .closed(3, "tcoole", "not_planned"),
        Talk::new(
            140,
            Report::new(
                "ruth-from-27",
                "A page that can be printed",
                "On one sheet.",
            )
            .labels(&["site"])
            .comment(
                "larkspur-j",
                "The browser does that since we have the new style.",
            ),
        )
        .id("print")
        .closed(60, "larkspur-j", "completed"),
        Talk::new(
            260,
            Report::new(
                "chip-pan-alan",
                "Printing",
                "The picture takes a whole sheet.",
            )
            .labels(&["site"])
            .comment("hbramwell", "As in #{issue:print}."),
        )
        .repeats(2, "hbramwell", "print"),
        Talk::new(
            345,
            Report::new(
                "nettle-and-dock",
                "Which nettles?",
                "There are two kinds here.",
            )
            .labels(&["question"])
            .comment("hbramwell", "The ones that sting."),
        )
        .closed(5, "hbramwell", "completed"),
        Talk::new(
            480,
            Report::new(
                "thursday-regular",
                "Request: Nettle soup",
                "Spring is here.",
            )
            .labels(&["request"])
            .comment("rafiq-s", "It has been in the book for a year."),
        )
        .closed(1, "rafiq-s", "completed"),
        Talk::new(
            620,
            Report::new("spoonbill", "Does the oat bread freeze?", "We are two.")
                .labels(&["question"]),
        ),
    ]
}
