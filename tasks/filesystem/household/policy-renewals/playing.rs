//! How the task is played with the tools.

use mcpmark_guest::{Tools, serde_json::json};

use crate::policies::{self, FOLDER, LIST, Oversights, SUMMARY};

pub fn list(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("README.md");
    tools.read_text("Insurance/README.txt");
    let names = tools.list(FOLDER);
    let texts: Vec<String> = names
        .iter()
        .filter(|(name, _)| policies::holds(name))
        .map(|(name, _)| tools.read_text(&format!("{FOLDER}/{name}")))
        .collect();
    let renewing = policies::renewing(&texts, &oversights);
    for (path, content) in [
        (LIST, policies::list(&renewing)),
        (
            SUMMARY,
            policies::summary_lines(&renewing).join("\n") + "\n",
        ),
    ] {
        tools.text("write_file", &json!({"path": path, "content": content}));
    }
    format!("{} policies renew.", renewing.len())
}
