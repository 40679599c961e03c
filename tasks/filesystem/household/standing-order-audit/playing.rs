//! How the task is played with the tools.

use mcpmark_guest::{Tools, serde_json::json};

use crate::audit::{self, FINDINGS, FOLDER, HOLIDAYS, Oversights, REGISTER, SUMS};

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("README.md");
    tools.read_text("Bank/about the exports.md");
    tools.list(FOLDER);
    tools.read_text(&format!("{FOLDER}/how the bank does it.md"));
    tools.read_text(&format!("{FOLDER}/changes.md"));
    let register = tools.read_text(REGISTER);
    let holidays = tools.read_text(HOLIDAYS);
    tools.list("Bank/Ostermoor Direkt");
    let months: Vec<String> = audit::months().map(|path| tools.read_text(&path)).collect();
    let audit = audit::audit(&register, &holidays, &months, &oversights);
    for (path, content) in [
        (FINDINGS, audit::table(&audit.findings)),
        (SUMS, audit::pretty(&audit.sums)),
        (REGISTER, audit.register),
    ] {
        tools.text("write_file", &json!({"path": path, "content": content}));
    }
    format!("There are {} findings.", audit.findings.len())
}
