//! Phrases that turn what the release brings into its opposite. A number and its topic stand together in such a sentence
//! too, so the facts of the notes do not notice it.
//!
//! A phrase about the present is needed each time: that something was broken before the release is true. Most phrases
//! are without gaps, because a gap would lead from one item of a list into the next.

use mcpmark_guest::prose::Fact;

/// Negations of the present.
const NOT: [&str; 16] = [
    "no longer",
    "cannot",
    "can not",
    "can't",
    "does not",
    "doesn't",
    "do not",
    "don't",
    "is not",
    "isn't",
    "are not",
    "aren't",
    "will not",
    "won't",
    "never",
    "not any more",
];

/// What is said of something that a release takes away.
const GONE: [&str; 18] = [
    "is gone",
    "are gone",
    "has gone",
    "is removed",
    "was removed",
    "were removed",
    "has been removed",
    "is dropped",
    "was dropped",
    "has been dropped",
    "was taken out",
    "was taken back",
    "has disappeared",
    "is no longer",
    "are no longer",
    "can no longer",
    "no longer",
    "will not",
];

/// Each first phrase with each second one behind it.
fn each(first: &[&str], second: &[&str]) -> Vec<String> {
    let phrases = first
        .iter()
        .flat_map(|one| second.iter().map(move |two| format!("{one} {two}")));
    phrases.collect()
}

fn strs(phrases: &[String]) -> Vec<&str> {
    phrases.iter().map(String::as_str).collect()
}

/// The opposite of what the release brings, as a fact that the notes must not state.
pub fn opposites() -> Fact {
    [
        csv(),
        version(),
        listener(),
        leap_days(),
        key(),
        door(),
        dimming(),
        section(),
    ]
    .into_iter()
    .fold(update(), Fact::or)
}

fn csv() -> Fact {
    let csv = [
        "CSV",
        "CSV output",
        "CSV export",
        "CSV format",
        "CSV file",
        "CSV list",
        "CSV support",
        "support for CSV",
        "output as CSV",
    ];
    let mut phrases = each(&csv, &GONE);
    let written = [
        "CSV",
        "as CSV",
        "in CSV",
        "to CSV",
        "writ* CSV",
        "writ* .. CSV",
        "offer* .. CSV",
        "come* .. CSV",
        "speak* CSV",
        "know* CSV",
        "produc* .. CSV",
        "export* .. CSV",
        "support* CSV",
        "giv* .. CSV",
        "available as CSV",
        "available in CSV",
        "be written .. CSV",
        "be had .. CSV",
        "be exported .. CSV",
        "have CSV",
        "has CSV",
    ];
    phrases.extend(each(&NOT, &written));
    let others = [
        "stop* writing CSV",
        "removed CSV",
        "removed the CSV",
        "dropped CSV",
        "dropped the CSV",
        "there is no CSV",
        "has no CSV",
        "no more CSV",
        "no CSV any more",
        "instead of CSV",
        "CSV is not",
        "CSV isn't",
        // Text is still written.
        "only CSV",
        "CSV only",
        "only as CSV",
        "CSV instead of text",
    ];
    Fact::term(phrases).or(Fact::term(others))
}

fn version() -> Fact {
    let command = ["ebb --version", "version option", "option --version"];
    let mut phrases = each(&command, &GONE);
    phrases.extend(each(&command, &NOT));
    let tell = [
        "tell*", "print*", "show*", "say*", "report*", "give*", "ask for", "know*",
    ];
    let what = [
        "the version",
        "its version",
        "their version",
        "your version",
        "which version",
        "you which version",
        "you the version",
        "what version",
    ];
    let told = each(&tell, &what);
    phrases.extend(each(&["no longer", "cannot", "can't"], &strs(&told)));
    Fact::term(phrases)
}

fn listener() -> Fact {
    let frames = ["frame", "bytes", "long ones", "long one"];
    let mut stops = each(
        &frames,
        &[
            "stops the listener",
            "stop the listener",
            "now stop*",
            "stops it",
            "will stop",
        ],
    );
    stops.extend(each(
        &["listener"],
        &["now stop*", "now end*", "now gives up", "stops now"],
    ));
    let mut phrases = each(
        &frames,
        &[
            "are refused",
            "is refused",
            "are rejected",
            "is rejected",
            "are no longer read",
            "are no longer accepted",
            "is no longer read",
            "is no longer accepted",
            "are not read",
            "are not accepted",
            "no longer reach*",
        ],
    );
    let unable = each(&["listener"], &NOT);
    phrases.extend(each(
        &strs(&unable),
        &[
            "surviv*", "take*", "accept*", "keep*", "read*", "go* on", "listen*", "run*",
            "continu*",
        ],
    ));
    // It is the long frames that stopped the listener.
    let short = ["less than", "fewer than", "shorter than", "under", "below"];
    phrases.extend(each(&short, &["255", "256"]));
    phrases.extend(each(
        &["short frame"],
        &["no longer stop*", "do not stop", "does not stop"],
    ));
    Fact::words(stops).or(Fact::term(phrases))
}

fn leap_days() -> Fact {
    let read = [
        "read",
        "accepted",
        "understood",
        "recognised",
        "recognized",
        "handled",
        "allowed",
        "supported",
        "known",
        "possible",
        "valid",
        "taken",
        "a day",
    ];
    let is_not = [
        "is no longer",
        "are no longer",
        "is not",
        "isn't",
        "are not",
        "aren't",
        "is never",
        "are never",
        "cannot be",
        "can't be",
        "can no longer be",
        "will not be",
        "will no longer be",
    ];
    let mut refused = each(&is_not, &read);
    refused.extend(each(
        &["is", "are", "is now", "are now", "will be"],
        &["refused", "rejected", "skipped", "lost", "turned away"],
    ));
    let mut phrases = each(
        &["February", "February 29", "leap day", "leap year"],
        &strs(&refused),
    );
    let not = [
        "no longer",
        "cannot",
        "can't",
        "do not",
        "don't",
        "does not",
        "doesn't",
        "will not",
    ];
    let mut refuse = each(
        &not,
        &[
            "read*",
            "accept*",
            "understand*",
            "know*",
            "handle*",
            "take*",
        ],
    );
    refuse.extend(["refuse", "reject", "skip"].map(|verb| format!("now {verb}*")));
    let days = [
        "29 February",
        "29th February",
        "the 29th of February",
        "February 29",
        "times on 29 February",
        "a time on 29 February",
        "readings of 29 February",
        "the leap day",
        "leap days",
        "leap years",
    ];
    phrases.extend(each(&strs(&refuse), &days));
    Fact::term(phrases)
}

fn key() -> Fact {
    let show = [
        "shows",
        "now shows",
        "displays",
        "reveals",
        "gives away",
        "tells",
        "prints",
        "can read",
        "can see",
        "can now read",
        "can now see",
    ];
    let key = [
        "the key",
        "its key",
        "your key",
        "the modem's key",
        "everybody the key",
        "everyone the key",
    ];
    let mut phrases = each(&show, &key);
    phrases.extend(each(
        &["key is", "key is now", "key stays", "key remains"],
        &["on the", "on your", "visible", "shown", "public"],
    ));
    let hidden = each(
        &["key"],
        &[
            "is no longer hidden",
            "is not hidden",
            "is no longer secret",
            "is no longer safe",
        ],
    );
    Fact::words(phrases).or(Fact::term(hidden))
}

fn door() -> Fact {
    let off = ["switch*", "turn*"];
    let alarm = [
        "off",
        "off the alarm",
        "the alarm of the door off",
        "the door alarm off",
        "the alarm off",
        "its alarm off",
        "it off",
    ];
    let mut silenced = each(&off, &alarm);
    for verb in ["disabl*", "mut*", "silenc*"] {
        silenced.extend(
            ["", " the", " its"]
                .iter()
                .map(|article| format!("{verb}{article}")),
        );
    }
    // "Do not switch it off" is advice.
    let not = [
        "no longer",
        "no longer be",
        "cannot",
        "cannot be",
        "can not",
        "can not be",
        "can't",
        "can't be",
        "can never be",
    ];
    let mut phrases = each(&not, &strs(&silenced));
    let door = ["door alarm", "alarm of the door", "door's alarm"];
    phrases.extend(each(
        &door,
        &[
            "is gone",
            "was removed",
            "has been removed",
            "was taken out",
            "is always on",
            "stays on",
            "is no longer there",
            "has no switch",
            "has no off switch",
            "has lost its",
        ],
    ));
    phrases.extend(each(&["can be switched on", "can be turned on"], &["#53"]));
    Fact::term(phrases)
}

fn dimming() -> Fact {
    let mut phrases = each(
        &["dims", "dims at night", "dims in the night", "dims now"],
        &["#62"],
    );
    phrases.extend(each(
        &["#62"],
        &[
            "the display dims",
            "the display now dims",
            "your display dims",
            "your display now dims",
            "display dims",
            "it dims",
        ],
    ));
    let again = [
        "dims again",
        "will dim",
        "dimming is back",
        "dimming stays",
        "dimming remains",
        "dimming is new",
    ];
    let bright = each(
        &["no longer", "does not", "doesn't", "will not"],
        &[
            "stay* bright",
            "stay* at full brightness",
            "remain* bright",
            "at full brightness",
        ],
    );
    Fact::words(phrases)
        .or(Fact::words(again))
        .or(Fact::term(bright))
}

fn section() -> Fact {
    let section = ["section modem", "modem section", "section", "it"];
    let read = [
        "is no longer ignored",
        "is not ignored",
        "isn't ignored",
        "is never ignored",
        "is not ignored any more",
    ];
    let mut phrases = each(&section, &read);
    phrases.extend(each(
        &section[..2],
        &[
            "is read",
            "is now read",
            "is used",
            "is now used",
            "is required",
            "is now required",
            "is needed",
            "is now needed",
            "is mandatory",
            "is back",
            "must be",
            "has to be",
            "needs to be",
            "must stay",
            "has to stay",
        ],
    ));
    phrases.extend(each(
        &[
            "no longer",
            "do not",
            "does not",
            "don't",
            "doesn't",
            "stop*",
        ],
        &["ignore*", "ignoring"],
    ));
    Fact::term(phrases)
}

/// No change of the release is a breaking one.
fn update() -> Fact {
    Fact::words([
        "you must change",
        "you have to change",
        "you need to change",
        "must be changed",
        "has to be changed",
    ])
}
