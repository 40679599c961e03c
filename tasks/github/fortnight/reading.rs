//! Reads files of commits that lie on a branch, by names that `main` may not have.

use mcpmark_guest::serde_json::{Value, from_str, json};
use mcpmark_guest::{Content, Tools};

/// A file of a commit; the branch must have it as well, since the tool looks for the path there.
pub fn read(tools: &mut Tools, branch: &str, commit: &str, path: &str) -> String {
    let arguments = json!({
        "owner": "wickerwork", "repo": "fortnight", "path": path, "ref": branch, "sha": commit,
    });
    let output = tools.call("get_file_contents", &arguments);
    let output = output.unwrap_or_else(|error| panic!("{path} of {commit}: {error:?}"));
    let text = output.content.iter().find_map(|content| match content {
        Content::Other(block) => {
            let block: Value = from_str(block).ok()?;
            Some(block["resource"]["text"].as_str()?.to_owned())
        }
        _ => None,
    });
    text.expect("a file has a text")
}
