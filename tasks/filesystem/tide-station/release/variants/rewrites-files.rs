//! Right by another route: writes the files with the number anew instead of editing them.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

const NOTES: &str = "\
ebbline 2.4.0
=============

* #47: the status page no longer gives away the key of the modem
* #53: the door alarm can be turned off
* #41: `ebb gaps` has a CSV output
* #36: `ebb --version` prints the version
* #38: frames longer than 255 bytes don't stop the listener
* #44, #45: leap days (29 February) are accepted
* #62: the display no longer dims at night
* #63: the `[modem]` section in your configuration is ignored

There is nothing that you have to do on the station before or after the update.
";

fn solve(tools: &mut Tools) -> String {
    plan::read_rules(tools);
    for (path, old, new) in plan::PLACES {
        let text = tools.read_text(path);
        tools.write(path, &text.replacen(old, new, 1));
    }
    for name in plan::ready(tools, "tracker/export-2024-05-03.txt") {
        tools.rename(
            &format!("changes/{name}"),
            &format!("{}/{name}", plan::FOLDER),
        );
    }
    tools.write(
        &format!("{}/notes.md", plan::FOLDER),
        &NOTES.replace('\n', "\r\n"),
    );
    "2.4.0 is ready.".to_owned()
}
