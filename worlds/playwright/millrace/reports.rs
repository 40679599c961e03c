//! Texts of reports, each with the facts that decide about its job.

/// Text of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Category that the report is about.
    pub category: &'static str,
    /// Title.
    pub title: &'static str,
    /// Text.
    pub text: &'static str,
    /// Severity of the problem.
    pub severity: Severity,
}

/// Severity of a problem, before the household counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Urgent in every household.
    Urgent,
    /// Urgent in some households, high in others.
    Household,
    /// High.
    High,
    /// Normal.
    Normal,
}

const fn report(
    category: &'static str,
    severity: Severity,
    title: &'static str,
    text: &'static str,
) -> Report {
    Report {
        category,
        title,
        text,
        severity,
    }
}

/// Reports of the past.
pub const PAST: [Report; 28] = [
    report(
        "leak",
        Severity::High,
        "Tap drips in the kitchen",
        "The kitchen tap drips all day, about a cup an hour. I have put a bowl under it.",
    ),
    report(
        "leak",
        Severity::High,
        "Water under the sink",
        "There is a puddle under the bathroom sink every morning. The trap looks cracked.",
    ),
    report(
        "leak",
        Severity::Urgent,
        "Ceiling is wet",
        "Water comes through the ceiling of my bathroom, from the flat above I suppose. It is getting worse.",
    ),
    report(
        "leak",
        Severity::High,
        "Toilet keeps running",
        "The cistern never stops filling. I have turned the valve down for now.",
    ),
    report(
        "heating",
        Severity::Household,
        "Radiators cold",
        "All radiators are stone cold since last night. Neighbours have the same.",
    ),
    report(
        "heating",
        Severity::Normal,
        "Radiator knocks",
        "The radiator in the bedroom knocks when the heating starts, mostly at six in the morning.",
    ),
    report(
        "heating",
        Severity::Normal,
        "Only lukewarm",
        "The living room gets no warmer than 17 degrees. The radiator is lukewarm at the top.",
    ),
    report(
        "heating",
        Severity::Normal,
        "Valve stuck",
        "I cannot turn the radiator in the hall down. The valve is stuck.",
    ),
    report(
        "hot-water",
        Severity::Household,
        "No hot water",
        "There has been no hot water at all since yesterday evening, neither in the kitchen nor in the bath.",
    ),
    report(
        "hot-water",
        Severity::Normal,
        "Hot water takes long",
        "It takes four minutes until the water is hot. It used to be one.",
    ),
    report(
        "hot-water",
        Severity::Normal,
        "Water too hot",
        "The water in the shower is too hot to touch, whatever I set.",
    ),
    report(
        "electrics",
        Severity::Normal,
        "Socket without power",
        "Two sockets in the kitchen have no power. The fuse is in.",
    ),
    report(
        "electrics",
        Severity::Normal,
        "Light in the stairs flickers",
        "The light on the second landing flickers and hums.",
    ),
    report(
        "electrics",
        Severity::Normal,
        "Doorbell silent",
        "The bell does not ring. The button lights up, though.",
    ),
    report(
        "electrics",
        Severity::Normal,
        "Fuse trips",
        "The fuse trips when the oven and the kettle run at once.",
    ),
    report(
        "door",
        Severity::Urgent,
        "Flat door does not lock",
        "The bolt no longer goes in, so the door of my flat cannot be locked.",
    ),
    report(
        "door",
        Severity::Urgent,
        "House door stays open",
        "The lock of the house door is broken. Anybody can walk in.",
    ),
    report(
        "door",
        Severity::Normal,
        "Cellar door sticks",
        "The door to the cellar sticks. One has to lift it.",
    ),
    report(
        "door",
        Severity::Normal,
        "Letter box jammed",
        "The flap of my letter box is jammed and the key turns without opening.",
    ),
    report(
        "window",
        Severity::Normal,
        "Draught at the window",
        "The seal of the living room window is gone, and it draws.",
    ),
    report(
        "window",
        Severity::Normal,
        "Window handle loose",
        "The handle of the kitchen window turns freely. It still closes if one pushes.",
    ),
    report(
        "window",
        Severity::Normal,
        "Condensation in the glass",
        "The double glazing in the bedroom is foggy inside.",
    ),
    report(
        "lift",
        Severity::High,
        "Lift stands still",
        "The lift stands between two floors and does not move. Nobody is in it.",
    ),
    report(
        "lift",
        Severity::Normal,
        "Lift is loud",
        "The lift screeches on the way up. It does run.",
    ),
    report(
        "lift",
        Severity::Normal,
        "Button of the lift sticks",
        "The button for the third floor stays pressed.",
    ),
    report(
        "other",
        Severity::Normal,
        "Bin store unlit and dirty",
        "The bin store needs cleaning, and a hinge of the lid of the paper bin is broken.",
    ),
    report(
        "other",
        Severity::Normal,
        "Handrail loose",
        "The handrail between the first and second floor is loose.",
    ),
    report(
        "other",
        Severity::Normal,
        "Washing line torn",
        "One of the lines on the roof is torn.",
    ),
];

/// Job of Tanner's Row that is open when a task begins, or that matters for one.
#[derive(Debug, Clone, Copy)]
pub struct Planted {
    /// Login of the reporter.
    pub reporter: &'static str,
    /// Place.
    pub place: &'static str,
    /// Category that the reporter chose.
    pub chosen: &'static str,
    /// Text with its facts.
    pub report: Report,
    /// Status at the start.
    pub status: &'static str,
    /// Time before the clock of the world, in minutes.
    pub minutes: i64,
}

/// Jobs of Tanner's Row that tasks are about, in the order of their reports.
pub const PLANTED: [Planted; 10] = [
    Planted {
        reporter: "talia.brandt",
        place: "Flat 26",
        chosen: "electrics",
        report: report(
            "electrics",
            Severity::Normal,
            "Bathroom fan dead",
            "The fan in the bathroom no longer runs when the light is on.",
        ),
        status: "done",
        minutes: 47 * 1440,
    },
    Planted {
        reporter: "bram.coster",
        place: "Back stairs",
        chosen: "leak",
        report: report(
            "leak",
            Severity::High,
            "Damp patch in the back stairs",
            "There is a damp patch on the wall by the second landing of the back stairs, about as big as a door.",
        ),
        status: "passed-on",
        minutes: 9 * 1440 + 210,
    },
    Planted {
        reporter: "olive.tremblay",
        place: "Flat 12",
        chosen: "leak",
        report: report(
            "leak",
            Severity::Urgent,
            "Washing machine hose",
            "The hose of my washing machine burst on Friday. I have shut the tap, but Mr Osei in flat 8 says that it still drips from his kitchen lamp.",
        ),
        status: "new",
        minutes: 3 * 1440 + 95,
    },
    Planted {
        reporter: "henrike.aalto",
        place: "Lift",
        chosen: "lift",
        report: report(
            "lift",
            Severity::High,
            "Lift out of order",
            "The lift has stood on the ground floor with its doors open since Saturday. With my stick the stairs take me a quarter of an hour.",
        ),
        status: "new",
        minutes: 2 * 1440 + 40,
    },
    Planted {
        reporter: "jonas.weld",
        place: "Flat 9",
        chosen: "heating",
        report: report(
            "heating",
            Severity::Household,
            "No heating",
            "All our radiators have been cold since Saturday evening, and it is 14 degrees in the bedroom.",
        ),
        status: "new",
        minutes: 1440 + 320,
    },
    Planted {
        reporter: "marit.solheim",
        place: "Back stairs",
        chosen: "other",
        report: report(
            "leak",
            Severity::High,
            "Wall in the stairwell",
            "Somebody should look at the back stairs: the wall on the second landing is wet and the paint comes off in sheets.",
        ),
        status: "new",
        minutes: 1440 + 130,
    },
    Planted {
        reporter: "bram.coster",
        place: "Flat 17",
        chosen: "door",
        report: report(
            "door",
            Severity::Urgent,
            "Key turns and turns",
            "Since this morning the key of my flat door turns round and round and the bolt stays where it is. I can pull the door shut, but I cannot lock it.",
        ),
        status: "new",
        minutes: 1440 + 15,
    },
    Planted {
        reporter: "desmond.achebe",
        place: "Lift",
        chosen: "lift",
        report: report(
            "lift",
            Severity::High,
            "Lift!!",
            "The lift does not come. I have pressed the button for ten minutes on every floor.",
        ),
        status: "new",
        minutes: 700,
    },
    Planted {
        reporter: "desmond.achebe",
        place: "Flat 23",
        chosen: "other",
        report: report(
            "hot-water",
            Severity::Household,
            "Cold bath",
            "Only cold water comes from the taps in the kitchen and in the bath, since yesterday. The radiators are warm.",
        ),
        status: "new",
        minutes: 655,
    },
    Planted {
        reporter: "talia.brandt",
        place: "Flat 26",
        chosen: "electrics",
        report: report(
            "electrics",
            Severity::Normal,
            "Fan again",
            "The fan in the bathroom was mended in November, but now it hums so loud that we keep it off.",
        ),
        status: "new",
        minutes: 55,
    },
];
