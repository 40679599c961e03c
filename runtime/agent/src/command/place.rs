//! Private directory of an agent program, with its placeholders and environment variables.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

/// Maximum number of bytes that are read from the answer file.
const MAX_ANSWER: u64 = 1024 * 1024;

/// Private directory of a program with its input files. It is removed on drop.
pub(crate) struct Place {
    dir: TempDir,
    /// Placeholders without braces, and their values.
    values: Vec<(&'static str, String)>,
}

impl Place {
    /// Creates a directory with the instruction and a configuration file for MCP clients.
    pub(crate) fn new(instruction: &str, mcp_url: &str) -> io::Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix("mcpmark-agent-")
            .tempdir()?;
        let file = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let values = vec![
            ("instruction_file", file("instruction.md")),
            ("mcp_config", file("mcp.json")),
            ("answer_file", file("answer.txt")),
            ("mcp_url", mcp_url.to_owned()),
            ("instruction", instruction.to_owned()),
            ("dir", dir.path().to_string_lossy().into_owned()),
        ];
        fs::write(dir.path().join("instruction.md"), instruction)?;
        // The form that most clients read. A client that uses only one of the keys `type` and `url` ignores the other.
        let world = json!({"type": "http", "url": mcp_url});
        let config = json!({"mcpServers": {"world": world}});
        fs::write(dir.path().join("mcp.json"), format!("{config:#}\n"))?;
        Ok(Self { dir, values })
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Opens the file with the instruction.
    pub(crate) fn instruction(&self) -> io::Result<File> {
        File::open(self.path().join("instruction.md"))
    }

    /// Expands the placeholders in a word. Other text in braces stays.
    pub(crate) fn filled(&self, word: &str) -> String {
        let mut filled = String::new();
        let mut rest = word;
        while let Some(at) = rest.find('{') {
            let (before, braced) = rest.split_at(at);
            filled.push_str(before);
            let value = self.values.iter().find_map(|(name, value)| {
                let after = braced
                    .strip_prefix('{')?
                    .strip_prefix(name)?
                    .strip_prefix('}')?;
                Some((value, after))
            });
            match value {
                Some((value, after)) => {
                    filled.push_str(value);
                    rest = after;
                }
                None => {
                    filled.push('{');
                    rest = &braced[1..];
                }
            }
        }
        filled + rest
    }

    /// Returns the environment variables with the values of the placeholders. The instruction is omitted, because it
    /// may be too long for a variable.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (String, &str)> {
        let values = self
            .values
            .iter()
            .filter(|(name, _)| *name != "instruction");
        values.map(|(name, value)| (format!("MCPMARK_{}", name.to_uppercase()), value.as_str()))
    }

    /// Returns the content of the answer file, if the program wrote one.
    pub(crate) fn answer(&self) -> Option<String> {
        let file: PathBuf = self.path().join("answer.txt");
        // A symbolic link may point to any file of the host.
        if !fs::symlink_metadata(&file).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(file)
            .ok()?
            .take(MAX_ANSWER)
            .read_to_end(&mut bytes)
            .ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_placeholders_are_filled_in_and_other_braces_stay() {
        let place = Place::new("Say {mcp_url}.", "http://127.0.0.1:1/x").unwrap();
        for (word, filled) in [
            ("{mcp_url}", "http://127.0.0.1:1/x"),
            (
                r#"{"url":"{mcp_url}"}"#,
                r#"{"url":"http://127.0.0.1:1/x"}"#,
            ),
            // Values are not expanded again.
            ("{instruction}", "Say {mcp_url}."),
            (
                "{other} {{mcp_url}} {mcp_url",
                "{other} {http://127.0.0.1:1/x} {mcp_url",
            ),
            ("plain", "plain"),
        ] {
            assert_eq!(place.filled(word), filled, "{word}");
        }
        let file = place.filled("{instruction_file}");
        assert_eq!(fs::read_to_string(file).unwrap(), "Say {mcp_url}.");
        let config = fs::read_to_string(place.filled("{mcp_config}")).unwrap();
        assert!(
            config.contains(r#""url": "http://127.0.0.1:1/x""#),
            "{config}"
        );
        assert_eq!(place.answer(), None);
        fs::write(place.filled("{answer_file}"), "42\n").unwrap();
        assert_eq!(place.answer().as_deref(), Some("42\n"));
    }
}
