use std::collections::HashSet;
use std::sync::{Arc, mpsc};
use std::{fmt, mem, thread};

use mcpmark_agent::failure::{Ending, Failure, classify};
use mcpmark_agent::{Cost, EndKind, Usage};
use rusqlite::{OptionalExtension, Row};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::sums::{ATTEMPT, compare_row, shown};
use super::{Journal, JournalError};
use crate::ScoreRule;

/// An attempt as far as tables and charts go: without its texts, states and checks. There may be
/// very many, so they share what most of them say alike.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyRow {
    /// Its id.
    pub id: String,
    /// Its place in the experiment's plan.
    pub position: usize,
    /// `<service>/<world>/<task>`.
    pub task: Arc<str>,
    /// The agent's name.
    pub agent: Arc<str>,
    /// The agent's settings, as canonical JSON.
    pub agent_settings: Arc<str>,
    /// The model, where one acts.
    pub model: Option<Arc<str>>,
    /// The model's settings, as canonical JSON.
    pub model_settings: Arc<str>,
    /// Which repetition, from 1.
    pub k: u32,
    /// `running`, `finished` or `abandoned`.
    pub status: Arc<str>,
    /// How the agent's part ended.
    pub ended: Option<Arc<str>>,
    /// What came of it.
    pub outcome: Option<Arc<str>>,
    /// Whether it passed; none unless there is a grade.
    pub passed: Option<bool>,
    /// How much of the task is done, from 0 to 1; none unless there is a grade.
    pub score: Option<f64>,
    /// The rule by which the score was computed; none without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// The kind of fault, where the state that it left stops the verifier.
    pub state_fault: Option<Arc<str>>,
    /// Replies of the agent.
    pub turns: u32,
    /// Tool calls of the agent.
    pub tool_calls: u32,
    /// Those whose arguments were no JSON object, and replies that cannot be read.
    pub malformed_calls: u32,
    /// Tokens of all its requests; none where no model acted or a reply does not say.
    pub usage: Option<Usage>,
    /// What they cost; none where that is not known.
    pub cost: Option<Cost>,
    /// Wall time of the agent's part, in microseconds, once it is over.
    pub agent_us: Option<u64>,
    /// The tools that it called: for each name the calls, and those of them without a good result.
    pub tools: Vec<(Arc<str>, u64, u64)>,
    /// The class of its failure, where it was graded and failed.
    pub failure: Option<Failure>,
}

/// The attempts of an experiment in short.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survey {
    /// The last try of each attempt, in the order of the plan.
    pub rows: Vec<SurveyRow>,
    /// What all tries cost, in nano-dollars, as far as that is known.
    pub spent_nano_usd: u64,
    /// Whether a model acted in a try whose cost is not known.
    pub spent_some_unknown: bool,
}

/// The query of a [`RawRow`], which reads columns by number: a look-up by name for each of so many cells would take
/// longer than the query.
fn columns() -> String {
    format!(
        "SELECT {}, sum,
                iif(outcome = 'state-fault', (SELECT fault_kind FROM grades WHERE id = attempts.grade), NULL),
                iif(outcome = 'graded', (SELECT scoring IS NOT NULL FROM grades WHERE id = attempts.grade), NULL)
         FROM attempts",
        ATTEMPT.join(", ")
    )
}

impl Journal {
    /// The attempts of an experiment in short, the last try of each. One pass, whatever their
    /// number.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, or the journal cannot be read.
    pub fn survey(&self, experiment: &str) -> Result<Survey, JournalError> {
        let connection = self.lock();
        let id: String = connection
            .query_row(
                "SELECT id FROM experiments WHERE name = ?1",
                [experiment],
                |row| row.get(0),
            )
            .optional()?
            .ok_or_else(|| JournalError::Unknown {
                what: "experiment",
                name: experiment.to_owned(),
            })?;
        let mut query = connection.prepare_cached(&format!(
            "{} WHERE experiment = ?1 ORDER BY position, try",
            columns()
        ))?;
        let mut rows = query.query([id])?;
        // What a row says is understood by another thread, while this one reads on.
        let (sender, receiver) = mpsc::sync_channel::<Vec<RawRow>>(CHUNKS_AHEAD);
        thread::scope(|scope| {
            let understanding = scope.spawn(move || {
                let mut survey = Survey::default();
                let mut tools = Shared::default();
                for raw in receiver.into_iter().flatten() {
                    survey.add(raw.understand(&mut tools)?);
                }
                Ok(survey)
            });
            let mut chunk = Vec::with_capacity(CHUNK);
            let mut columns = Columns::default();
            while let Some(row) = rows.next()? {
                chunk.push(RawRow::read(row, &mut columns)?);
                if chunk.len() == CHUNK {
                    let full = mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
                    // A thread that has gone says why when it is joined.
                    if sender.send(full).is_err() {
                        break;
                    }
                }
            }
            let _ = sender.send(chunk);
            drop(sender);
            understanding
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// One attempt in short, by its whole id.
    ///
    /// # Errors
    ///
    /// When there is no such attempt, or the journal cannot be read.
    pub fn survey_attempt(&self, id: &str) -> Result<SurveyRow, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&format!("{} WHERE id = ?1", columns()))?;
        let mut rows = query.query([id])?;
        match rows.next()? {
            Some(row) => {
                RawRow::read(row, &mut Columns::default())?.understand(&mut Shared::default())
            }
            None => Err(JournalError::Unknown {
                what: "attempt",
                name: id.to_owned(),
            }),
        }
    }
}

impl Survey {
    fn add(&mut self, row: SurveyRow) {
        match row.cost {
            Some(cost) => self.spent_nano_usd = self.spent_nano_usd.saturating_add(cost.nano_usd()),
            None => self.spent_some_unknown |= row.model.is_some() && row.turns > 0,
        }
        // A later try takes the place of an earlier one.
        match self.rows.last_mut() {
            Some(last) if last.position == row.position => *last = row,
            _ => self.rows.push(row),
        }
    }
}

/// Rows that go from thread to thread at once.
const CHUNK: usize = 512;

/// Chunks that may wait.
const CHUNKS_AHEAD: usize = 16;

/// A row whose texts are not understood yet.
struct RawRow {
    row: SurveyRow,
    tools: Option<String>,
    /// What the class of a failure follows from, where it failed.
    ending: Option<RawEnding>,
}

struct RawEnding {
    end: EndKind,
    detail: Option<String>,
    last_malformed: Option<String>,
    truncated: bool,
    answer: Option<String>,
}

impl RawRow {
    fn read(row: &Row<'_>, columns: &mut Columns) -> Result<Self, JournalError> {
        compare_row(row, ATTEMPT.len(), || format!("attempt {}", shown(row, 0)))?;
        let count = |index| -> rusqlite::Result<Option<u64>> {
            Ok(row.get::<_, Option<i64>>(index)?.map(i64::unsigned_abs))
        };
        let usage = match count(21)? {
            Some(input) => Some(Usage {
                input,
                cached: count(22)?.unwrap_or(0),
                output: count(23)?.unwrap_or(0),
                reasoning: count(24)?.unwrap_or(0),
            }),
            None => None,
        };
        let passed: Option<bool> = row.get(33)?;
        let ended = columns.ended.optional(row, 15)?;
        let failed = passed == Some(false);
        let end = ended.as_deref().filter(|_| failed).and_then(end_kind);
        let ending = match end {
            Some(end) => Some(RawEnding {
                end,
                detail: row.get(16)?,
                last_malformed: row.get(36)?,
                truncated: row.get(37)?,
                answer: row.get(17)?,
            }),
            None => None,
        };
        Ok(Self {
            row: SurveyRow {
                id: row.get(0)?,
                position: row.get::<_, i64>(2)? as usize,
                task: columns.task.get(row, 3)?,
                agent: columns.agent.get(row, 4)?,
                agent_settings: columns.agent_settings.get(row, 5)?,
                model: columns.model.optional(row, 6)?,
                model_settings: columns.model_settings.get(row, 7)?,
                k: row.get(8)?,
                status: columns.status.get(row, 12)?,
                outcome: columns.outcome.optional(row, 19)?,
                score: row.get(34)?,
                score_rule: row
                    .get::<_, Option<bool>>(ATTEMPT.len() + 2)?
                    .map(|is_earned| {
                        if is_earned {
                            ScoreRule::Earned
                        } else {
                            ScoreRule::Share
                        }
                    }),
                turns: row.get(26)?,
                tool_calls: row.get(27)?,
                malformed_calls: row.get(28)?,
                cost: count(25)?.map(Cost::from_nano_usd),
                agent_us: count(29)?,
                tools: Vec::new(),
                failure: None,
                state_fault: columns.state_fault.optional(row, ATTEMPT.len() + 1)?,
                ended,
                passed,
                usage,
            },
            tools: row.get(35)?,
            ending,
        })
    }

    fn understand(self, tools: &mut Shared) -> Result<SurveyRow, JournalError> {
        let mut row = self.row;
        if let Some(json) = &self.tools {
            row.tools = Tools(tools).deserialize(&mut serde_json::Deserializer::from_str(json))?;
        }
        if let Some(ending) = &self.ending {
            row.failure = classify(&Ending {
                end: ending.end,
                detail: ending.detail.as_deref(),
                turns: row.turns,
                tool_calls: row.tool_calls,
                last_malformed: ending.last_malformed.as_deref(),
                truncated: ending.truncated,
                answer: ending.answer.as_deref().unwrap_or_default(),
            });
        }
        Ok(row)
    }
}

fn end_kind(name: &str) -> Option<EndKind> {
    serde_json::from_value(Value::from(name)).ok()
}

/// The columns that say alike in very many rows.
#[derive(Default)]
struct Columns {
    task: Shared,
    agent: Shared,
    agent_settings: Shared,
    model: Shared,
    model_settings: Shared,
    status: Shared,
    ended: Shared,
    outcome: Shared,
    state_fault: Shared,
}

/// Texts of which there are few in very many places: each is kept once.
#[derive(Default)]
struct Shared {
    /// The one that was asked for last, for it is often asked for again.
    last: Option<Arc<str>>,
    all: HashSet<Arc<str>>,
}

impl Shared {
    fn of(&mut self, text: &str) -> Arc<str> {
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *text) {
            return Arc::clone(last);
        }
        let kept = match self.all.get(text) {
            Some(kept) => Arc::clone(kept),
            None => {
                let kept = Arc::from(text);
                self.all.insert(Arc::clone(&kept));
                kept
            }
        };
        self.last = Some(Arc::clone(&kept));
        kept
    }

    fn get(&mut self, row: &Row<'_>, column: usize) -> rusqlite::Result<Arc<str>> {
        Ok(self.of(row.get_ref(column)?.as_str()?))
    }

    fn optional(&mut self, row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Arc<str>>> {
        let text = row.get_ref(column)?.as_str_or_null()?;
        Ok(text.map(|text| self.of(text)))
    }
}

/// `{"name": [calls, errors], …}`, as [`SUMMARISE`](super::schema::SUMMARISE) writes it.
struct Tools<'a>(&'a mut Shared);

impl<'de> DeserializeSeed<'de> for Tools<'_> {
    type Value = Vec<(Arc<str>, u64, u64)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Tools<'_> {
    type Value = Vec<(Arc<str>, u64, u64)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("calls and errors of each tool")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut tools = Vec::new();
        while let Some(name) = map.next_key_seed(Name(self.0))? {
            let (calls, errors) = map.next_value()?;
            tools.push((name, calls, errors));
        }
        Ok(tools)
    }
}

struct Name<'a>(&'a mut Shared);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Arc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a tool")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Arc<str>, E> {
        Ok(self.0.of(name))
    }
}
