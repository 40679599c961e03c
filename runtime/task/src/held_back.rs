use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::document::Place;

/// A verifier that whoever packed a task keeps to themselves: its digests stand in its place, so that
/// the task can be attempted, and its attempts be graded by who has the verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldBack {
    /// The component, or the script.
    pub verifier: Digest,
    /// The tree of all that a script sees beside the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Digest>,
}

impl HeldBack {
    /// The file in the directory of a task that says so.
    pub const FILE: &str = "held-back.json";

    /// What the directory of a task says of a verifier that is not there; none where it says nothing.
    pub(crate) fn find(dir: &Place) -> Result<Option<Self>, Error> {
        let file = dir.join(Self::FILE);
        let Some(text) = file.text()? else {
            return Ok(None);
        };
        let parsed = serde_json::from_str(&text);
        parsed
            .map(Some)
            .map_err(|error| file.layout(format!("does not name a verifier: {error}")))
    }
}
