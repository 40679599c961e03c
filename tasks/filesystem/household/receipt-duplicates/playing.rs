//! How the task is played with the tools.

use mcpmark_guest::{Tools, serde_json::json};

use crate::sorting::{self, DUPLICATES, EARLIER, INDEX, Oversights, SCANS, SHOPS, SLIPS, TOTALS};

pub fn sort(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("README.md");
    tools.read_text("Receipts/how we keep receipts.md");
    let shops = tools.read_text(SHOPS);
    let earlier = tools.read_text(EARLIER);
    tools.read_text(TOTALS);
    let scans: Vec<(String, String)> = tools
        .list(SCANS)
        .into_iter()
        .map(|(name, _)| {
            let text = tools.read_text(&format!("{SCANS}/{name}"));
            (name, text)
        })
        .collect();
    let sorted = sorting::sort(&scans, &shops, &earlier, &oversights);
    for (folder, names) in [(DUPLICATES, &sorted.duplicates), (SLIPS, &sorted.slips)] {
        for name in names {
            tools.rename(&format!("{SCANS}/{name}"), &format!("{folder}/{name}"));
        }
    }
    tools.text(
        "write_file",
        &json!({"path": INDEX, "content": sorting::index(&sorted.kept)}),
    );
    let (empty, filled) = sorting::december(&sorted.kept);
    tools.edit(TOTALS, empty, &filled);
    format!("{} receipts are kept.", sorted.kept.len())
}
