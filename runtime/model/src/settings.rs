use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{OpenError, additions};

/// A model and how it is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// `provider/name`.
    pub name: String,
    /// How it is asked.
    #[serde(default, skip_serializing_if = "ModelSettings::is_default")]
    pub settings: ModelSettings,
    /// How often it is asked at most. That changes no reply, and so is none of its settings.
    #[serde(default, skip_serializing_if = "Pace::is_default")]
    pub pace: Pace,
}

/// How often a model is asked at most, by all attempts together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Pace {
    /// Requests at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// Requests that begin within a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
}

impl Pace {
    /// Whether nothing is bounded.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The lower of each bound.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self {
            max_calls: lower(self.max_calls, other.max_calls),
            requests_per_minute: lower(self.requests_per_minute, other.requests_per_minute),
        }
    }
}

/// How a model is asked. What is not set is left to the provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelSettings {
    /// Where the provider's interface is, if not at its usual place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The variable of the environment that holds the key, if not the provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Which of OpenAI's interfaces it is asked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// How much it thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<Effort>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of probability that is sampled from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Tokens of one reply, reasoning among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Draws a sampling seed for each attempt, for providers that take one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_seed: Option<u64>,
    /// Whether it is shown images; if not set, the catalog of models says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Further headers of each request, each with the variable of the environment that holds its value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Fields that are added to the body of each request.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

impl ModelSettings {
    /// Whether all is left to the provider.
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
            // It may be the key itself, which is told nowhere.
            return wrong(
                "api-key-env",
                "not the name of a variable".to_owned(),
                "made of letters, digits and `_`; write the variable's name, and not the key",
            );
        }
        additions::check(self)?;
        match (self.temperature, self.top_p, self.max_output_tokens) {
            (Some(value), _, _) if !(0.0..=2.0).contains(&value) => {
                wrong("temperature", value.to_string(), "0 to 2")
            }
            (_, Some(value), _) if !(value > 0.0 && value <= 1.0) => {
                wrong("top-p", value.to_string(), "above 0 and at most 1")
            }
            (_, _, Some(0)) => wrong("max-output-tokens", "0".to_owned(), "1 or more"),
            _ => Ok(()),
        }
    }
}

/// One of OpenAI's interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Chat Completions, which many servers speak.
    Chat,
    /// Responses, where models keep their reasoning between turns.
    Responses,
}

/// How much a model thinks before it replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all, where the model can be told so.
    None,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
    ];

    /// The name on the command line and in reports.
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
        found.ok_or_else(|| format!("{text:?} is none of none, minimal, low, medium, high"))
    }
}
