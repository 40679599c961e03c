//! Score settings of a task: weights and gates of its checks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::document::Document;

const KEYS: &[&str] = &["weights", "gate"];

/// Maximum weight of a check.
const HEAVIEST: u64 = 1000;

/// Weights and gates of the checks in the score of a task: key `score` of `meta.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreSettings {
    /// Weights by name of the check; the default is 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, u64>,
    /// Names of gates: the score is 0 unless all of these checks pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gate: Vec<String>,
}

impl ScoreSettings {
    /// Returns the weight of a check.
    pub fn weight(&self, check: &str) -> u64 {
        self.weights.get(check).copied().unwrap_or(1)
    }

    /// Reports whether a check is a gate.
    pub fn is_gate(&self, check: &str) -> bool {
        self.gate.iter().any(|gate| gate == check)
    }

    /// Returns true if there are no weights and no gates, so that all checks count equally.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Iterates over the names of all checks with a weight or a gate, without duplicates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let gates = self
            .gate
            .iter()
            .filter(|name| !self.weights.contains_key(*name));
        self.weights.keys().chain(gates).map(String::as_str)
    }
}

/// Parses the key `score`.
pub(crate) fn score(document: &Document) -> Result<ScoreSettings, Error> {
    let Some(object) = document.object("score")? else {
        return Ok(ScoreSettings::default());
    };
    object.refuse_unknown(KEYS)?;
    let mut weights = BTreeMap::new();
    if let Some(given) = object.object("weights")? {
        for name in given.map.keys() {
            let weight = given.number(name, 1..=HEAVIEST)?;
            weights.insert(
                name.clone(),
                given.required(name, weight, "a whole number")?,
            );
        }
    }
    let mut gate = object.strings("gate")?.unwrap_or_default();
    gate.sort();
    gate.dedup();
    Ok(ScoreSettings { weights, gate })
}
