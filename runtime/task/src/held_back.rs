use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::document::Place;

/// Verifier that is held back: a bundle contains only its digests, so that the task can be attempted, and the attempts
/// graded later by the owner of the verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldBack {
    /// Digest of the component or script.
    pub verifier: Digest,
    /// Digest of the tree with the script and the files that it can read, apart from the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Digest>,
}

impl HeldBack {
    /// File in the directory of a task that declares its verifier held back.
    pub const FILE: &str = "held-back.json";

    /// Reads the declaration from the directory of a task. Returns `None` if there is none.
    pub(crate) fn find(dir: &Place) -> Result<Option<Self>, Error> {
        let file = dir.join(Self::FILE);
        let Some(text) = file.text()? else {
            return Ok(None);
        };
        let parsed = serde_json::from_str(&text);
        parsed
            .map(Some)
            .map_err(|error| file.layout(format!("expected the digest of a verifier: {error}")))
    }
}
