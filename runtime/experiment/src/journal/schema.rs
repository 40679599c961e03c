//! The tables, and the rule for files of other versions.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{JournalError, sums};

/// Marks a SQLite file as a journal of ours: `MCPM`.
const APPLICATION_ID: i32 = 0x4d43_504d;

/// The format that this program reads and writes.
pub(super) const FORMAT: i32 = STEPS.len() as i32;

/// The oldest format whose rows another journal sent are still taken in.
pub(super) const CARRIED: i32 = 4;

/// What makes each format out of the one before; a new file takes all of them.
const STEPS: [&str; 10] = [
    BASE, MODELS, SURVEY, REGRADES, JUDGES, IMPORTS, REMOVALS, SUMS, TEXTS, SCORES,
];

/// The first format whose rows have check sums.
const SUMMED: i32 = 8;

/// The columns of [`SURVEY`] out of the other tables. `tools` is an object: for each name the calls,
/// and those of them without a good result. A reply that cannot be read counts as a malformed call.
/// A reply was cut off where its provider says so: OpenAI's
/// two interfaces, Anthropic and Gemini each have a word for it.
macro_rules! summary {
    () => {
        "grade = (SELECT max(id) FROM grades WHERE attempt = attempts.id),
    passed = (SELECT passed FROM grades WHERE attempt = attempts.id ORDER BY id DESC LIMIT 1),
    score = (SELECT score FROM grades WHERE attempt = attempts.id ORDER BY id DESC LIMIT 1),
    tools = (SELECT json_group_object(name, json_array(calls, errors)) FROM (
        SELECT name, count(*) AS calls, sum(result IS NULL OR is_error = 1) AS errors
        FROM tool_calls WHERE attempt = attempts.id GROUP BY name)),
    last_malformed = (
        SELECT iif(content ->> '$.unreadable', content ->> '$.text',
            content ->> '$.calls[#-1].malformed')
        FROM messages
        WHERE attempt = attempts.id AND role = 'assistant'
          AND (json_array_length(content, '$.calls') > 0 OR content ->> '$.unreadable')
        ORDER BY seq DESC LIMIT 1),
    truncated = coalesce((SELECT 'length' IS raw ->> '$.choices[0].finish_reason'
            OR 'max_output_tokens' IS raw ->> '$.incomplete_details.reason'
            OR 'max_tokens' IS raw ->> '$.stop_reason'
            OR 'MAX_TOKENS' IS raw ->> '$.candidates[0].finishReason'
        FROM model_calls
        WHERE attempt = attempts.id AND status = 'ok' AND purpose = 'turn' AND raw IS NOT NULL
        ORDER BY seq DESC LIMIT 1), 0)"
    };
}

const BASE: &str = "
CREATE TABLE experiments (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    created_ms  INTEGER NOT NULL,
    spec        TEXT NOT NULL
) STRICT;

CREATE TABLE attempts (
    id              TEXT PRIMARY KEY,
    experiment      TEXT NOT NULL REFERENCES experiments (id),
    position        INTEGER NOT NULL,
    task            TEXT NOT NULL,
    agent           TEXT NOT NULL,
    agent_settings  TEXT NOT NULL,
    model           TEXT,
    model_settings  TEXT NOT NULL,
    k               INTEGER NOT NULL,
    try             INTEGER NOT NULL,
    bundle          TEXT,
    world           TEXT,
    status          TEXT NOT NULL CHECK (status IN ('running', 'finished', 'abandoned')),
    started_ms      INTEGER NOT NULL,
    ended_ms        INTEGER,
    ended           TEXT,
    ended_detail    TEXT,
    answer          TEXT,
    state           TEXT,
    outcome         TEXT,
    error           TEXT,
    UNIQUE (experiment, position, try)
) STRICT;

CREATE TABLE messages (
    attempt  TEXT NOT NULL REFERENCES attempts (id),
    seq      INTEGER NOT NULL,
    turn     INTEGER NOT NULL,
    role     TEXT NOT NULL,
    content  TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (attempt, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
    attempt     TEXT NOT NULL REFERENCES attempts (id),
    seq         INTEGER NOT NULL,
    turn        INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    started_ms  INTEGER NOT NULL,
    elapsed_us  INTEGER,
    result      TEXT,
    is_error    INTEGER,
    error       TEXT,
    PRIMARY KEY (attempt, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE grades (
    id             INTEGER PRIMARY KEY,
    attempt        TEXT NOT NULL REFERENCES attempts (id),
    at_ms          INTEGER NOT NULL,
    verifier       TEXT NOT NULL,
    engine         TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    passed         INTEGER,
    score          REAL,
    fault_kind     TEXT,
    fault_message  TEXT,
    log            TEXT NOT NULL
) STRICT;
CREATE INDEX grades_by_attempt ON grades (attempt, id);

CREATE TABLE checks (
    grade   INTEGER NOT NULL REFERENCES grades (id),
    seq     INTEGER NOT NULL,
    name    TEXT NOT NULL,
    passed  INTEGER NOT NULL,
    detail  TEXT NOT NULL,
    PRIMARY KEY (grade, seq)
) STRICT, WITHOUT ROWID;
";

/// Models: what they took and what they cost. Null is unknown, or that no model acted; it is
/// never 0 for unknown. Costs are nano-dollars, times with `_us` microseconds.
const MODELS: &str = "
ALTER TABLE attempts ADD COLUMN input_tokens     INTEGER;
ALTER TABLE attempts ADD COLUMN cached_tokens    INTEGER;
ALTER TABLE attempts ADD COLUMN output_tokens    INTEGER;
ALTER TABLE attempts ADD COLUMN reasoning_tokens INTEGER;
ALTER TABLE attempts ADD COLUMN cost_nano_usd    INTEGER;
ALTER TABLE attempts ADD COLUMN turns            INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN tool_calls       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN malformed_calls  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN agent_us         INTEGER;
ALTER TABLE attempts ADD COLUMN model_us         INTEGER;
ALTER TABLE attempts ADD COLUMN tool_us          INTEGER;

UPDATE attempts SET
    turns = (SELECT coalesce(max(turn), 0) FROM messages WHERE attempt = attempts.id),
    tool_calls = (SELECT count(*) FROM tool_calls WHERE attempt = attempts.id),
    tool_us = (SELECT sum(elapsed_us) FROM tool_calls WHERE attempt = attempts.id);

CREATE TABLE model_calls (
    attempt           TEXT NOT NULL REFERENCES attempts (id),
    seq               INTEGER NOT NULL,
    turn              INTEGER NOT NULL,
    purpose           TEXT NOT NULL CHECK (purpose IN ('turn', 'compaction')),
    try               INTEGER NOT NULL,
    started_ms        INTEGER NOT NULL,
    elapsed_us        INTEGER NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('ok', 'retry', 'failed')),
    error_kind        TEXT,
    error             TEXT,
    request_digest    TEXT,
    raw               TEXT,
    input_tokens      INTEGER,
    cached_tokens     INTEGER,
    output_tokens     INTEGER,
    reasoning_tokens  INTEGER,
    cost_nano_usd     INTEGER,
    PRIMARY KEY (attempt, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_sets (
    digest  TEXT PRIMARY KEY,
    tools   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What lists and reports of very many attempts need, in the attempt's own row: the last grade, the
/// tools, and how the last reply ended. The index answers how far experiments have come by itself.
const SURVEY: &str = concat!(
    "
ALTER TABLE attempts ADD COLUMN grade           INTEGER REFERENCES grades (id);
ALTER TABLE attempts ADD COLUMN passed          INTEGER;
ALTER TABLE attempts ADD COLUMN score           REAL;
ALTER TABLE attempts ADD COLUMN tools           TEXT;
ALTER TABLE attempts ADD COLUMN last_malformed  TEXT;
ALTER TABLE attempts ADD COLUMN truncated       INTEGER NOT NULL DEFAULT 0;
CREATE INDEX attempts_by_place ON attempts (experiment, position, try, outcome, passed);
UPDATE attempts SET ",
    summary!(),
    " WHERE status = 'finished';
"
);

/// Grades that are made again: from which regrade one is, and what it follows from beside the states and
/// the answer. `plan` names all that a regrade makes, so that one that was stopped is found again.
const REGRADES: &str = "
CREATE TABLE regrades (
    id        INTEGER PRIMARY KEY,
    plan      TEXT NOT NULL,
    begun_ms  INTEGER NOT NULL,
    ended_ms  INTEGER
) STRICT;
ALTER TABLE grades ADD COLUMN regrade INTEGER REFERENCES regrades (id);
ALTER TABLE grades ADD COLUMN terms   TEXT;
";

/// Whose verifier judged: the task's digest then, which may be another than that of the attempt once
/// a verifier was mended. Null in grades of before, which are of what the attempt says.
const JUDGES: &str = "
ALTER TABLE grades ADD COLUMN bundle TEXT;
";

/// When an experiment was taken in from another journal, and when somebody here agreed to what it runs. Both
/// are null where it was begun here, or taken in by a program that did not say so.
const IMPORTS: &str = "
ALTER TABLE experiments ADD COLUMN imported_ms INTEGER;
ALTER TABLE experiments ADD COLUMN accepted_ms INTEGER;
";

/// What was removed: a journal without experiments that somebody emptied is none that was lost. The indexes are
/// what SQLite looks for other rows in that name a grade or a regrade which is to go.
const REMOVALS: &str = "
CREATE INDEX attempts_by_grade ON attempts (grade) WHERE grade IS NOT NULL;
CREATE INDEX grades_by_regrade ON grades (regrade) WHERE regrade IS NOT NULL;
CREATE TABLE removed (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    removed_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Check sums, which [`sums`](super::sums) describes. A row whose sum is null still changes, or was written by others.
const SUMS: &str = "
ALTER TABLE experiments ADD COLUMN sum INTEGER;
ALTER TABLE attempts    ADD COLUMN sum INTEGER;
ALTER TABLE grades      ADD COLUMN sum INTEGER;
CREATE TABLE row_sums (
    attempt   TEXT NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
    of_table  TEXT NOT NULL,
    sums      BLOB NOT NULL,
    PRIMARY KEY (attempt, of_table)
) STRICT, WITHOUT ROWID;
";

/// The long strings of JSON columns, which [`texts`](super::texts) describes. Rows of older formats have theirs in the
/// columns themselves until [`Journal::compact`](super::Journal::compact) moves them.
const TEXTS: &str = "
CREATE TABLE texts (
    id       INTEGER PRIMARY KEY,
    digest   BLOB NOT NULL UNIQUE,
    content  BLOB NOT NULL
) STRICT;
";

/// What the score of a grade follows from beside its checks: a [`Scoring`](crate::Scoring) as JSON. Null where the score
/// is the share of checks that passed, as in all grades of older formats.
const SCORES: &str = "
ALTER TABLE grades ADD COLUMN scoring TEXT;
";

/// Sums up an attempt, `?1`, in its own row from the rows that belong to it: whoever adds a grade or
/// writes rows by other means runs this after it.
pub const SUMMARISE: &str = concat!("UPDATE attempts SET ", summary!(), " WHERE id = ?1");

/// The same for all attempts of an experiment, `?1`.
pub(super) const SUMMARISE_ALL: &str =
    concat!("UPDATE attempts SET ", summary!(), " WHERE experiment = ?1");

/// How long one process waits for another.
const PATIENCE: Duration = Duration::from_secs(30);

/// Prepares a connection, makes the tables of a new file, and refuses those of a newer program.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), JournalError> {
    // Another process may hold the write lock for the length of one small transaction.
    connection.busy_timeout(PATIENCE)?;
    // Where two make the journal at the same moment, SQLite does not wait for this one.
    let begun = Instant::now();
    while let Err(error) = connection.pragma_update(None, "journal_mode", "WAL") {
        let is_busy = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy);
        if !is_busy || begun.elapsed() > PATIENCE {
            return Err(error.into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Where more is promised, more is asked for.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let pragma =
        |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let found = pragma("user_version")?;
    match pragma("application_id")? {
        0 if found == 0 => transaction.pragma_update(None, "application_id", APPLICATION_ID)?,
        APPLICATION_ID if (1..=FORMAT).contains(&found) => {}
        APPLICATION_ID => {
            return Err(JournalError::Format {
                found,
                known: FORMAT,
            });
        }
        _ => return Err(JournalError::Foreign),
    }
    for step in &STEPS[found as usize..] {
        transaction.execute_batch(step)?;
    }
    if (1..SUMMED).contains(&found) {
        sums::sum_all(&transaction, None)?;
    }
    if found < FORMAT {
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Whether a journal can be read, and has the format of this program.
pub(super) fn is_current(connection: &Connection) -> bool {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables = "SELECT count(*) FROM sqlite_master";
    let readable = connection.query_row(tables, [], |row| row.get::<_, i64>(0));
    readable.is_ok()
        && pragma("application_id").is_ok_and(|id| id == APPLICATION_ID)
        && pragma("user_version").is_ok_and(|version| version == FORMAT)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::Journal;

    /// The tables and indexes of a file, each as SQLite keeps its definition.
    fn definitions(connection: &Connection) -> String {
        let mut query = connection
            .prepare("SELECT sql || ';\n' FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name")
            .unwrap();
        let definitions = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        definitions.map(Result::unwrap).collect()
    }

    /// A golden vector for each format: journals of it are everywhere, so its tables never change.
    #[test]
    fn journal_schema_of_each_format() {
        let vectors = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/fixtures/vectors/journal-schema");
        let connection = Connection::open_in_memory().unwrap();
        for (format, step) in (1..).zip(STEPS) {
            connection.execute_batch(step).unwrap();
            let file = vectors.join(format!("format-{format}.sql"));
            let found = definitions(&connection);
            let expected = fs::read_to_string(&file).unwrap();
            assert!(
                found == expected,
                "the tables of format {format} have changed; add a format instead.\nexpected: {expected}\n   found: {found}"
            );
        }
        assert_eq!(fs::read_dir(vectors).unwrap().count(), STEPS.len());

        // A file that was brought up to date has the tables of a new one.
        let old = Connection::open_in_memory().unwrap();
        old.execute_batch(include_str!("../../tests/format-1.sql"))
            .unwrap();
        for step in &STEPS[1..] {
            old.execute_batch(step).unwrap();
        }
        assert_eq!(definitions(&old), definitions(&connection));
    }

    #[test]
    fn a_journal_of_format_1_is_brought_up_to_date_in_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.db");
        let old = Connection::open(&path).unwrap();
        // The dump of a file that the last program with format 1 wrote: one attempt that passed,
        // and one that was cut off.
        old.execute_batch(include_str!("../../tests/format-1.sql"))
            .unwrap();
        drop(old);

        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.check_rows().unwrap(), []);
        let rows = journal.attempts("old").unwrap();
        let row = &rows[0];
        assert_eq!((row.turns, row.tool_calls, row.malformed_calls), (8, 7, 0));
        assert_eq!((row.usage, row.cost, row.agent_us), (None, None, None));
        assert_eq!(row.grade.as_ref().unwrap().passed, Some(true));
        let calls = journal.trajectory(&row.id).unwrap().calls;
        assert_eq!(row.tool_us, calls.iter().map(|call| call.elapsed_us).sum());
        assert_eq!((rows[1].turns, rows[1].status.as_str()), (0, "running"));
        let spec = journal.experiment("old").unwrap().spec;
        let spec: crate::Spec = serde_json::from_str(&spec).unwrap();
        assert_eq!(spec.plan().len(), 2);
        drop(journal);

        Journal::open(&path).unwrap();
        let connection = Connection::open(&path).unwrap();
        let version: i32 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version, FORMAT);
        connection
            .pragma_update(None, "user_version", FORMAT + 1)
            .unwrap();
        drop(connection);
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("use a newer mcpmark"), "{error}");
    }
}
