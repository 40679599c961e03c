//! Plays the task with the notes of the solution, or with those of a wrong solution.

use mcpmark_guest::Tools;

#[path = "plan.rs"]
mod plan;

/// Notes of the release.
pub const NOTES: &str = "\
# ebbline 2.4.0

6 May 2024

What you may notice first: the display does not dim at night any more, because nobody found the knob in the dark (#62).
And the alarm of the door can be switched off, which your postman will like (#53).

If you use the tools:

- `ebb gaps` can write CSV, so that a spreadsheet opens it (#41)
- `ebb --version` tells you which version you have (#36)
- Times on 29 February are read, as they should have been this year (#44)
- A frame of more than 255 bytes no longer stops the listener (#38)

The status page used to show the key of the modem to everybody (#47). That is mended, and the reason to update soon.
The section `[modem]` of the configuration is ignored from now on, you can leave it or take it out (#63).

You can update without changing anything on your station.
";

/// Makes the release with these notes.
pub fn play(tools: &mut Tools, export: &str, notes: &str) -> String {
    plan::read_rules(tools);
    for (path, old, new) in plan::PLACES {
        tools.edit(path, old, new);
    }
    for name in plan::ready(tools, export) {
        tools.rename(
            &format!("changes/{name}"),
            &format!("{}/{name}", plan::FOLDER),
        );
    }
    tools.write(&format!("{}/notes.md", plan::FOLDER), notes);
    "Release 2.4.0 is ready to be tagged.".to_owned()
}
