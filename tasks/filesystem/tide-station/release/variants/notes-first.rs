//! Right in another order: writes notes in other words, then files the fragments, then raises the number.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

const NOTES: &str = "\
# Release 2.4.0 of ebbline

Dear keepers of gauges, here is what the spring brought. You need not change anything.

**Security.** Everybody who opened the status page could read the key of the modem. This is over (#47); please update.

**New.** You can switch the alarm of the door off, see #53. Gaps come as CSV too if you ask `ebb gaps` for it, see #41. To
find out which version runs, type `ebb --version`, see #36.

**Mended.** Long frames (over 255 bytes) do not stop the listener any more, see #38. The tools read the 29th of February
again, see #44 and #45.

**Otherwise.** We took out the dimming of the display at night, see #62. What stands in the section `[modem]` is ignored, see #63.
";

fn solve(tools: &mut Tools) -> String {
    plan::read_rules(tools);
    tools.create_directory(plan::FOLDER);
    tools.write(&format!("{}/notes.md", plan::FOLDER), NOTES);
    for name in plan::ready(tools, "tracker/export-2024-05-03.txt")
        .into_iter()
        .rev()
    {
        tools.rename(
            &format!("changes/{name}"),
            &format!("{}/{name}", plan::FOLDER),
        );
    }
    for (path, old, new) in plan::PLACES.into_iter().rev() {
        tools.edit(path, old, new);
    }
    "2.4.0 is ready.".to_owned()
}
