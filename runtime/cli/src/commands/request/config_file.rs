//! File of `--config`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use mcpmark_bundle::files;
use mcpmark_experiment::{AgentKind, ServerSpec};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::args::ResultBytes;
use crate::error::CommandError;

/// File of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct File {
    pub(super) experiment: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) tasks: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) tiers: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) tags: Vec<String>,
    #[serde(deserialize_with = "agents")]
    pub(super) agent: Vec<AgentKind>,
    #[serde(deserialize_with = "words")]
    pub(super) command: Vec<String>,
    #[serde(deserialize_with = "variables")]
    pub(super) agent_env: Vec<String>,
    pub(super) attempts: Option<u32>,
    pub(super) jobs: Option<u32>,
    pub(super) max_model_calls: Option<u32>,
    pub(super) max_grades: Option<u32>,
    pub(super) seed: Option<u64>,
    pub(super) compact_at: Option<u64>,
    pub(super) max_result_bytes: Option<ResultBytes>,
    pub(super) system_prompt: Option<PathBuf>,
    #[serde(deserialize_with = "globs")]
    pub(super) tools: Vec<String>,
    pub(super) retries: Option<u32>,
    pub(super) prices: Option<PathBuf>,
    pub(super) limits: Limits,
    #[serde(deserialize_with = "file_models")]
    pub(super) models: Vec<FileModel>,
    pub(super) servers: BTreeMap<String, ServerSpec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Limits {
    pub(super) turns: Option<u32>,
    pub(super) time: Option<u64>,
    pub(super) tool_time: Option<u64>,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) attempt_cost: Option<Amount>,
    pub(super) cost: Option<Amount>,
    pub(super) tokens: Option<u64>,
    pub(super) run_time: Option<u64>,
}

/// Amount of money, as a string or a number.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected an amount in US dollars, like \"2.50\""
)]
pub(super) enum Amount {
    Text(String),
    Whole(u64),
    Fraction(f64),
}

impl Amount {
    /// Returns the amount as a decimal number.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) => number.to_string(),
        }
    }
}

/// Model with its settings, which are in the same table as its name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct FileModel {
    pub(super) name: String,
    pub(super) max_calls: Option<u32>,
    pub(super) requests_per_minute: Option<u32>,
    #[serde(flatten)]
    pub(super) settings: toml::Table,
}

/// Visitor of a list. Its errors contain an example of the syntax.
struct List<T> {
    written: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

/// Visitor of one agent or a list of agents.
struct Agents;

impl<'de> Visitor<'de> for Agents {
    type Value = Vec<AgentKind>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an agent or a list of agents, as in [\"nop\", \"random\"]")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(vec![AgentKind::deserialize(name.into_deserializer())?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

fn agents<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<AgentKind>, D::Error> {
    value.deserialize_any(Agents)
}

fn texts<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"law-office\"]",
        of: PhantomData,
    })
}

fn globs<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"read_*\"]",
        of: PhantomData,
    })
}

fn words<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"./agent.sh\", \"{mcp_url}\"]",
        of: PhantomData,
    })
}

fn variables<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"MY_API_KEY\"]",
        of: PhantomData,
    })
}

fn file_models<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<FileModel>, D::Error> {
    value.deserialize_any(List {
        written: "a list of tables; write [[models]]",
        of: PhantomData,
    })
}

/// Reads a TOML file. Errors name the line.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    let wrong = |message: String| CommandError::usage(format!("{}: {message}", path.display()));
    let text = files::read_text(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        let place = error.span().map_or(String::new(), |span| {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: ", before.matches('\n').count() + 1)
        });
        wrong(format!("{place}{}", error.message().trim()))
    })
}
