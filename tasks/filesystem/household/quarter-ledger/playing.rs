//! How the task is played with the tools.

use mcpmark_guest::{Tools, serde_json::json};

use crate::ledger::{self, LEDGER, LOG, Oversights, SUMMARY};

pub fn merge(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("README.md");
    tools.read_text("Bank/about the exports.md");
    tools.read_text("Budget/how we budget.md");
    for folder in ["Ostermoor Direkt", "Harbour & Vale", "Kittiwake"] {
        tools.list(&format!("Bank/{folder}"));
    }
    for (name, _) in tools.list("Notes") {
        tools.read_text(&format!("Notes/{name}"));
    }
    let quarter = ledger::quarter(|path| tools.read_text(path), &oversights);
    for (path, content) in [
        (LEDGER, ledger::table(&quarter.rows)),
        (SUMMARY, ledger::pretty(&quarter.summary)),
    ] {
        tools.text("write_file", &json!({"path": path, "content": content}));
    }
    let log = tools.read_text(LOG);
    let last = ledger::last_entry(&log);
    tools.edit(LOG, last, &format!("{last}{}", quarter.entry));
    format!("The ledger has {} lines.", quarter.rows.len())
}
