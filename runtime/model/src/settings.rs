//! Settings of models.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{OpenError, additions};

/// Model with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Name of the model, as `provider/name`.
    pub name: String,
    /// Settings of requests.
    #[serde(default, skip_serializing_if = "ModelSettings::is_default")]
    pub settings: ModelSettings,
    /// Limits on concurrency and rate of requests. They do not change replies, so they are not part of the settings.
    #[serde(default, skip_serializing_if = "Pace::is_default")]
    pub pace: Pace,
}

/// Limits on concurrency and rate of requests to a model, for all attempts together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Pace {
    /// Maximum number of concurrent requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// Maximum number of requests that begin within a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
}

impl Pace {
    /// Reports whether there are no limits.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the lower of each limit.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self {
            max_calls: lower(self.max_calls, other.max_calls),
            requests_per_minute: lower(self.requests_per_minute, other.requests_per_minute),
        }
    }
}

/// Settings of requests to a model. The default of the provider applies to settings that are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelSettings {
    /// Base URL, if not the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Environment variable of the key, if not the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Interface, for providers compatible with OpenAI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Reasoning effort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<Effort>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of probability that tokens are sampled from (nucleus sampling).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Maximum number of tokens of one reply, including reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Seed from which the sampling seed of each attempt is derived, for providers that support one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_seed: Option<u64>,
    /// True if the model is shown images. If absent, the model catalog decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Additional headers of each request, with the environment variables of their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Additional fields of the body of each request.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

impl ModelSettings {
    /// Reports whether all settings are absent.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn check(&self) -> Result<(), OpenError> {
        let wrong = |name, value: String, allowed| {
            Err(OpenError::Setting {
                name,
                value,
                allowed,
            })
        };
        if self
            .api_key_env
            .as_deref()
            .is_some_and(|name| !additions::is_variable(name))
        {
            // The text may be the key itself, so the message does not contain it.
            return wrong(
                "api-key-env",
                "not the name of a variable".to_owned(),
                "letters, digits and `_`; give the name of the variable, not the key",
            );
        }
        additions::check(self)?;
        match (self.temperature, self.top_p, self.max_output_tokens) {
            (Some(value), _, _) if !(0.0..=2.0).contains(&value) => {
                wrong("temperature", value.to_string(), "a number from 0 to 2")
            }
            (_, Some(value), _) if !(value > 0.0 && value <= 1.0) => {
                wrong("top-p", value.to_string(), "a number above 0 and at most 1")
            }
            (_, _, Some(0)) => wrong(
                "max-output-tokens",
                "0".to_owned(),
                "an integer of at least 1",
            ),
            _ => Ok(()),
        }
    }
}

/// Interface of OpenAI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Chat Completions, which many servers support.
    Chat,
    /// Responses, in which models keep their reasoning between turns.
    Responses,
}

/// Reasoning effort of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning, if the model supports that.
    None,
    /// Minimal effort.
    Minimal,
    /// Low effort.
    Low,
    /// Medium effort.
    Medium,
    /// High effort.
    High,
}

impl Effort {
    /// All efforts, in ascending order.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
    ];

    /// Returns the name on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|effort| effort.as_str() == text);
        found.ok_or_else(|| {
            format!("invalid effort {text:?}: expected none, minimal, low, medium or high")
        })
    }
}
