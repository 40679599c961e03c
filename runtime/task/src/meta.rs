//! Metadata of a task: the keys of `meta.json`, their limits and defaults.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::declared::{self, Citation, DeclaredCheck, Split, VariantKind};
use crate::document::Document;
use crate::freedom::{self, AllowedMutation};
use crate::score::{self, ScoreSettings};
use crate::{Error, TaskId, WorldId};

const KEYS: &[&str] = &[
    "task_id",
    "task_name",
    "category_id",
    "category_name",
    "description",
    "author",
    "created_at",
    "difficulty",
    "tags",
    "mcp",
    "meta_data",
    "world",
    "judged_on",
    "profile",
    "limits",
    "parameters",
    "freedoms",
    "score",
    "checks",
    "context",
    "variants",
    "excluded",
    "split",
];

const LIMITS: &[&str] = &[
    "turns",
    "time_seconds",
    "tool_call_seconds",
    "fuel",
    "memory_bytes",
    "table_elements",
    "time_ms",
    "copy_bytes",
    "log_bytes",
    "output_bytes",
    "checks",
    "world_bytes",
    "world_files",
];

const WEEK: u64 = 7 * 24 * 60 * 60;

/// Maximum linear memory of a guest, in bytes: the size of a memory slot in the sandbox's pool.
const MAX_MEMORY: u64 = 1 << 30;

/// Tier: the difficulty of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Easiest tier.
    L1,
    /// Medium tier.
    L2,
    /// Hardest tier.
    L3,
}

impl Tier {
    /// Returns `L1`, `L2` or `L3`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Tier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        [Self::L1, Self::L2, Self::L3]
            .into_iter()
            .find(|tier| tier.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| Error::Name {
                text: text.to_owned(),
                what: "tier",
                reason: "expected L1, L2 or L3".to_owned(),
            })
    }
}

/// Inputs that the verifier of a task grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JudgedOn {
    /// The final state of the world.
    pub state: bool,
    /// The answer: the last message of the agent.
    pub answer: bool,
}

/// Limits that a task sets. For absent ones the caller's defaults apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of replies of the model.
    pub turns: Option<u64>,
    /// Time limit of the agent loop, in seconds.
    pub time_seconds: Option<u64>,
    /// Time limit of one tool call, in seconds.
    pub tool_call_seconds: Option<u64>,
    /// Fuel of the verifier.
    pub fuel: Option<u64>,
    /// Maximum linear memory of the verifier, in bytes.
    pub memory_bytes: Option<u64>,
    /// Maximum number of table elements of the verifier.
    pub table_elements: Option<u64>,
    /// Wall-clock time limit of the verifier, in milliseconds.
    pub time_ms: Option<u64>,
    /// Maximum number of bytes copied between the verifier and the host, including a fixed cost for each call.
    pub copy_bytes: Option<u64>,
    /// Maximum number of bytes kept of the verifier's log.
    pub log_bytes: Option<u64>,
    /// Maximum size of the verdict, in bytes.
    pub output_bytes: Option<u64>,
    /// Maximum number of checks in the verdict.
    pub checks: Option<u64>,
    /// Maximum size of the world including additions by the agent, in bytes.
    pub world_bytes: Option<u64>,
    /// Maximum number of files, directories and symlinks of the world, including additions by the agent.
    pub world_files: Option<u64>,
}

/// Content of `meta.json`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Meta {
    /// Published id; unlike [`TaskId`], it need not be unique. Default: the name of the task.
    pub task_id: String,
    /// Title. Default: the name of the task.
    pub task_name: String,
    /// Id of the category.
    pub category_id: Option<String>,
    /// Title of the category.
    pub category_name: Option<String>,
    /// Description of the task in listings.
    pub description: Option<String>,
    /// Author.
    pub author: Option<String>,
    /// Date of creation, as written.
    pub created_at: Option<String>,
    /// Difficulty.
    pub difficulty: Tier,
    /// Tags by which tasks are selected.
    pub tags: Vec<String>,
    /// Services whose tools the agent gets. Default: the task's own service.
    pub mcp: Vec<String>,
    /// Remarks on the world in the published format, as written.
    pub meta_data: Map<String, Value>,
    /// Inputs that the verifier grades.
    pub judged_on: JudgedOn,
    /// Version of the published server whose tools the agent gets. Default: that of the service.
    pub profile: Option<String>,
    /// Limits of the task.
    pub limits: Limits,
    /// Parameters, which the verifier and the solution can read.
    pub parameters: Map<String, Value>,
    /// Mutations of a solved world that the verifier must accept.
    pub freedoms: Vec<AllowedMutation>,
    /// Weights and gates of the checks in the score.
    pub score: ScoreSettings,
    /// Declared checks, by name.
    pub checks: BTreeMap<String, DeclaredCheck>,
    /// Sentences of the instruction that demand nothing, so that no check cites them.
    pub context: Vec<String>,
    /// Kinds of the variants of the solution, by name.
    pub variants: BTreeMap<String, VariantKind>,
    /// Sentences that exclude the readings of the instruction that cheats follow, by name of the cheat.
    pub excluded: BTreeMap<String, Citation>,
    /// Split of the data that the task belongs to. `None` if it is meant for neither training nor held-out evaluation.
    pub split: Option<Split>,
    /// The whole document as written, including unknown keys.
    pub document: Map<String, Value>,
}

/// Parsed `meta.json`, with the world it names and warnings.
#[derive(Debug)]
pub(crate) struct ParsedMeta {
    pub(crate) meta: Meta,
    pub(crate) world: WorldId,
    pub(crate) warnings: Vec<String>,
}

/// Parses the document of the task `id`; `worlds` are the ids of the existing worlds.
pub(crate) fn parse(
    document: Document,
    id: &TaskId,
    worlds: &[WorldId],
) -> Result<ParsedMeta, Error> {
    let difficulty = document.required(
        "difficulty",
        document.string("difficulty")?,
        "\"L1\", \"L2\" or \"L3\"",
    )?;
    let meta = Meta {
        task_id: document
            .string("task_id")?
            .unwrap_or_else(|| id.name().to_owned()),
        task_name: document
            .string("task_name")?
            .unwrap_or_else(|| id.name().to_owned()),
        category_id: document.string("category_id")?,
        category_name: document.string("category_name")?,
        description: document.string("description")?,
        author: document.string("author")?,
        created_at: document.string("created_at")?,
        difficulty: difficulty.parse().map_err(|_| {
            document.wrong(
                "difficulty",
                format!("expected \"L1\", \"L2\" or \"L3\", found {difficulty:?}"),
            )
        })?,
        tags: document.strings("tags")?.unwrap_or_default(),
        mcp: services(&document, id)?,
        meta_data: document
            .object("meta_data")?
            .map(|object| object.map)
            .unwrap_or_default(),
        judged_on: judged_on(&document)?,
        profile: document.string("profile")?,
        limits: limits(&document)?,
        parameters: document
            .object("parameters")?
            .map(|object| object.map)
            .unwrap_or_default(),
        freedoms: freedom::freedoms(&document)?,
        score: score::score(&document)?,
        checks: declared::checks(&document)?,
        context: document.strings("context")?.unwrap_or_default(),
        variants: declared::variants(&document)?,
        excluded: declared::excluded(&document)?,
        split: declared::split(&document)?,
        document: document.map.clone(),
    };
    let world = world(&document, id, worlds)?;
    Ok(ParsedMeta {
        meta,
        world,
        warnings: document.warn_unknown(KEYS),
    })
}

fn services(document: &Document, id: &TaskId) -> Result<Vec<String>, Error> {
    let services = document
        .strings("mcp")?
        .unwrap_or_else(|| vec![id.service().to_owned()]);
    if services.iter().any(|service| service == id.service()) {
        return Ok(services);
    }
    Err(document.wrong(
        "mcp",
        format!(
            "expected {:?}, the service of the task, to be in the list",
            id.service()
        ),
    ))
}

fn judged_on(document: &Document) -> Result<JudgedOn, Error> {
    let Some(words) = document.strings("judged_on")? else {
        return Ok(JudgedOn {
            state: true,
            answer: false,
        });
    };
    let mut judged_on = JudgedOn {
        state: false,
        answer: false,
    };
    for word in &words {
        match word.as_str() {
            "state" => judged_on.state = true,
            "answer" => judged_on.answer = true,
            other => {
                return Err(document.wrong(
                    "judged_on",
                    format!("expected \"state\" or \"answer\", found {other:?}"),
                ));
            }
        }
    }
    if words.is_empty() {
        return Err(document.wrong(
            "judged_on",
            "expected \"state\", \"answer\" or both, found an empty array",
        ));
    }
    Ok(judged_on)
}

/// Parses the key `limits` of a `meta.json`, of a library or of a published corpus.
pub(crate) fn limits(document: &Document) -> Result<Limits, Error> {
    let Some(object) = document.object("limits")? else {
        return Ok(Limits::default());
    };
    object.refuse_unknown(LIMITS)?;
    Ok(Limits {
        turns: object.number("turns", 1..=10_000)?,
        time_seconds: object.number("time_seconds", 1..=WEEK)?,
        tool_call_seconds: object.number("tool_call_seconds", 1..=WEEK)?,
        fuel: object.number("fuel", 1..=u64::MAX)?,
        memory_bytes: object.number("memory_bytes", 1..=MAX_MEMORY)?,
        table_elements: object.number("table_elements", 1..=u64::MAX)?,
        time_ms: object.number("time_ms", 1..=u64::MAX)?,
        copy_bytes: object.number("copy_bytes", 1..=u64::MAX)?,
        log_bytes: object.number("log_bytes", 1..=u64::MAX)?,
        output_bytes: object.number("output_bytes", 1..=u64::MAX)?,
        checks: object.number("checks", 1..=u64::MAX)?,
        world_bytes: object.number("world_bytes", 1..=u64::MAX)?,
        world_files: object.number("world_files", 1..=u64::MAX)?,
    })
}

/// Returns the world of a task: key `world` as `<service>/<world>` or `<world>`, by default the parent directory of the
/// task.
fn world(document: &Document, id: &TaskId, worlds: &[WorldId]) -> Result<WorldId, Error> {
    let written = document
        .string("world")?
        .unwrap_or_else(|| id.group().to_owned());
    let full = if written.contains('/') {
        written
    } else {
        format!("{}/{written}", id.service())
    };
    let world = full
        .parse::<WorldId>()
        .map_err(|error| document.wrong("world", error.to_string()))?;
    if world.service() != id.service() {
        let problem = format!(
            "expected a world of service {:?}, found {full:?}",
            id.service()
        );
        return Err(document.wrong("world", problem));
    }
    if !worlds.contains(&world) {
        let known = worlds
            .iter()
            .filter(|known| known.service() == id.service())
            .map(WorldId::to_string)
            .collect();
        return Err(document.wrong("world", Error::UnknownWorld { id: full, known }.to_string()));
    }
    Ok(world)
}
