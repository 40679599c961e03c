//! Compact rows of attempts for tables and charts of large experiments.

use std::collections::HashSet;
use std::sync::{Arc, mpsc};
use std::{fmt, mem, thread};

use mcpmark_agent::EndKind;
use mcpmark_agent::failure::{Ending, Failure, classify};
use mcpmark_model::{Cost, Usage};
use mcpmark_verdict::FaultKind;
use rusqlite::{OptionalExtension, Row};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::columns::{optional_word, word_at};
use super::sums::{ATTEMPT, compare_row, shown};
use super::{Journal, JournalError};
use crate::{AttemptStatus, OutcomeKind, ScoreRule};

/// Attempt without its texts, states and checks, for tables and charts. There may be very many, so equal strings are
/// shared.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyRow {
    /// Id of the attempt.
    pub id: String,
    /// Position in the experiment's plan.
    pub position: usize,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: Arc<str>,
    /// Name of the agent.
    pub agent: Arc<str>,
    /// Settings of the agent, as canonical JSON.
    pub agent_settings: Arc<str>,
    /// Model, if the agent uses one.
    pub model: Option<Arc<str>>,
    /// Settings of the model, as canonical JSON.
    pub model_settings: Arc<str>,
    /// Number of the repetition, from 1.
    pub k: u32,
    /// Status.
    pub status: AttemptStatus,
    /// End of the agent's part; none until it has ended.
    pub ended: Option<EndKind>,
    /// Kind of the outcome; none until there is one.
    pub outcome: Option<OutcomeKind>,
    /// True if the attempt passed; none without a grade.
    pub passed: Option<bool>,
    /// Score from 0 to 1: the part of the task that was done. None without a grade.
    pub score: Option<f64>,
    /// Rule by which the score was computed; none without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// Kind of the fault, if the outcome is a state fault.
    pub state_fault: Option<FaultKind>,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Number of calls whose arguments are not a JSON object, plus replies that cannot be parsed.
    pub malformed_calls: u32,
    /// Tokens of all requests; none without a model, or if a reply does not report its usage.
    pub usage: Option<Usage>,
    /// Cost of all requests; none if it is unknown.
    pub cost: Option<Cost>,
    /// Wall time of the agent's part, in microseconds; none until it has ended.
    pub agent_us: Option<u64>,
    /// Tools that the agent called: name, number of calls, and number of calls that failed or have no result.
    pub tools: Vec<(Arc<str>, u64, u64)>,
    /// Failure class, if the attempt has a grade and did not pass.
    pub failure: Option<Failure>,
}

impl SurveyRow {
    /// Returns the name of the outcome, or of the status if there is no outcome.
    pub fn standing(&self) -> &'static str {
        self.outcome
            .map_or(self.status.as_str(), OutcomeKind::as_str)
    }
}

/// Compact rows of the attempts of an experiment, with the total cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survey {
    /// Last try of each attempt, in the order of the plan.
    pub rows: Vec<SurveyRow>,
    /// Sum of the known costs of all tries, in nano-dollars.
    pub spent_nano_usd: u64,
    /// True if the cost of a try with a model is unknown.
    pub spent_some_unknown: bool,
}

/// Returns the query of [`RawRow`]. The columns are read by number, because with this many cells, looking them up by
/// name takes longer than the query.
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
    /// Returns compact rows of the last try of each attempt of an experiment. It reads the attempts in one pass.
    ///
    /// # Errors
    ///
    /// Returns an error if no experiment has this name, or the journal cannot be read.
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
        // A second thread parses the JSON of the rows, while this one continues to read.
        let (sender, receiver) = mpsc::sync_channel::<Vec<RawRow>>(CHUNKS_AHEAD);
        thread::scope(|scope| {
            let understanding = scope.spawn(move || {
                let mut survey = Survey::default();
                let mut tools = Interner::default();
                for raw in receiver.into_iter().flatten() {
                    survey.add(raw.parse(&mut tools)?);
                }
                Ok(survey)
            });
            let mut chunk = Vec::with_capacity(CHUNK);
            let mut columns = Columns::default();
            while let Some(row) = rows.next()? {
                chunk.push(RawRow::read(row, &mut columns)?);
                if chunk.len() == CHUNK {
                    let full = mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
                    // If the thread has ended, joining it returns its error.
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

    /// Returns the compact row of an attempt, by its full id.
    ///
    /// # Errors
    ///
    /// Returns an error if no attempt has this id, or the journal cannot be read.
    pub fn survey_attempt(&self, id: &str) -> Result<SurveyRow, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&format!("{} WHERE id = ?1", columns()))?;
        let mut rows = query.query([id])?;
        match rows.next()? {
            Some(row) => {
                RawRow::read(row, &mut Columns::default())?.parse(&mut Interner::default())
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
        // A later try replaces an earlier one.
        match self.rows.last_mut() {
            Some(last) if last.position == row.position => *last = row,
            _ => self.rows.push(row),
        }
    }
}

/// Number of rows that are sent to the parsing thread at once.
const CHUNK: usize = 512;

/// Number of chunks that the channel buffers.
const CHUNKS_AHEAD: usize = 16;

/// Row whose JSON has not been parsed yet.
struct RawRow {
    row: SurveyRow,
    tools: Option<String>,
    /// Inputs of the failure class, if the attempt failed.
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
        let place = || format!("attempt {}", shown(row, 0));
        let ended = optional_word(row, 15, place, "ended")?;
        let grade = || format!("the last grade of attempt {}", shown(row, 0));
        let ending = match ended.filter(|_| passed == Some(false)) {
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
                status: word_at(row, 12, place, "status")?,
                outcome: optional_word(row, 19, place, "outcome")?,
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
                state_fault: optional_word(row, ATTEMPT.len() + 1, grade, "fault_kind")?,
                ended,
                passed,
                usage,
            },
            tools: row.get(35)?,
            ending,
        })
    }

    fn parse(self, tools: &mut Interner) -> Result<SurveyRow, JournalError> {
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

/// Interned strings of the columns that have few distinct values.
#[derive(Default)]
struct Columns {
    task: Interner,
    agent: Interner,
    agent_settings: Interner,
    model: Interner,
    model_settings: Interner,
}

/// String interner: each distinct string is stored once.
#[derive(Default)]
struct Interner {
    /// Most recent string. It is often requested again.
    last: Option<Arc<str>>,
    all: HashSet<Arc<str>>,
}

impl Interner {
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

/// Deserializer of the tools `{"name": [calls, errors], …}` that [`SUMMARISE`](super::schema::SUMMARISE) writes.
struct Tools<'a>(&'a mut Interner);

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

struct Name<'a>(&'a mut Interner);

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
