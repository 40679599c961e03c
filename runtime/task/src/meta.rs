use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::document::Document;
use crate::freedom::{self, Freedom};
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

/// What one slot of the sandbox holds.
const MOST_MEMORY: u64 = 1 << 30;

/// How hard a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The easiest.
    L1,
    /// In between.
    L2,
    /// The hardest.
    L3,
}

impl Tier {
    /// `L1`, `L2` or `L3`.
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
                reason: "the tiers are L1, L2 and L3".to_owned(),
            })
    }
}

/// What the verifier of a task is given to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JudgedOn {
    /// The final state of the world.
    pub state: bool,
    /// The last message of the agent.
    pub answer: bool,
}

/// Limits that a task sets for itself; what it leaves out is up to the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Replies of the model.
    pub turns: Option<u64>,
    /// Seconds for the whole loop of the agent.
    pub time_seconds: Option<u64>,
    /// Seconds for one tool call.
    pub tool_call_seconds: Option<u64>,
    /// Fuel of the verifier.
    pub fuel: Option<u64>,
    /// Linear memory of the verifier, in bytes.
    pub memory_bytes: Option<u64>,
    /// Table elements of the verifier.
    pub table_elements: Option<u64>,
    /// Wall time of the verifier, in milliseconds.
    pub time_ms: Option<u64>,
    /// Bytes that pass between the verifier and the host, with a price for each call.
    pub copy_bytes: Option<u64>,
    /// Bytes of the verifier's log that are kept.
    pub log_bytes: Option<u64>,
    /// Bytes of the verdict.
    pub output_bytes: Option<u64>,
    /// Checks in the verdict.
    pub checks: Option<u64>,
    /// Size of the world with all that the agent adds, in bytes.
    pub world_bytes: Option<u64>,
    /// Files, directories and symlinks of the world with all that the agent adds.
    pub world_files: Option<u64>,
}

/// What `meta.json` says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Meta {
    /// The published id; unlike [`TaskId`] it need not be unique.
    pub task_id: String,
    /// The title.
    pub task_name: String,
    /// Id of the category.
    pub category_id: Option<String>,
    /// Title of the category.
    pub category_name: Option<String>,
    /// What the task is about, for people who look for one.
    pub description: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was written, as given.
    pub created_at: Option<String>,
    /// The tier.
    pub difficulty: Tier,
    /// Words to select tasks by.
    pub tags: Vec<String>,
    /// The services whose tools the agent gets; the task's own where the key is absent.
    pub mcp: Vec<String>,
    /// Published remarks on the world, as they are.
    pub meta_data: Map<String, Value>,
    /// What the verifier sees.
    pub judged_on: JudgedOn,
    /// The version of the published server whose tools the agent gets; the service's default
    /// where the key is absent.
    pub profile: Option<String>,
    /// Limits of its own.
    pub limits: Limits,
    /// Handed to the guests.
    pub parameters: Map<String, Value>,
    /// What may be done to a solved world without harm.
    pub freedoms: Vec<Freedom>,
    /// How the checks count towards the score.
    pub score: ScoreSettings,
    /// The whole document as written, unknown keys included.
    pub document: Map<String, Value>,
}

/// A parsed `meta.json` with what the task makes of it.
#[derive(Debug)]
pub(crate) struct ParsedMeta {
    pub(crate) meta: Meta,
    pub(crate) world: WorldId,
    pub(crate) warnings: Vec<String>,
}

/// Reads a document of the task `id`; `worlds` are the ids that exist.
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
            "does not name {:?}, the service under which the task lies",
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
        return Err(document.wrong("judged_on", "is empty; name \"state\", \"answer\" or both"));
    }
    Ok(judged_on)
}

/// The limits in a task's `meta.json`, wherever the task comes from.
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
        memory_bytes: object.number("memory_bytes", 1..=MOST_MEMORY)?,
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

/// `<service>/<world>`, or `<world>` of the task's service, or the directory the task lies in.
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
            "{full:?} is a world of another service; the task lies under {:?}",
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
