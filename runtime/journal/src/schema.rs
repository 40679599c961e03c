//! Database schema: tables, format versions and migrations.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{JournalError, sums};

/// SQLite application id of journals: `MCPM`.
const APPLICATION_ID: i32 = 0x4d43_504d;

/// Current format, which this program reads and writes.
pub(super) const FORMAT: i32 = STEPS.len() as i32;

/// Oldest journal format whose exported rows can be imported.
pub(super) const CARRIED: i32 = 4;

/// Migrations: each creates a format from the previous one. A new file runs all of them.
const STEPS: [&str; 11] = [
    BASE, MODELS, SURVEY, REGRADES, JUDGES, IMPORTS, REMOVALS, SUMS, TEXTS, SCORES, INTERFACES,
];

/// First format with check sums of rows.
const SUMMED: i32 = 8;

/// SQL assignments that copy the last grade of an attempt into the columns of [`SURVEY`].
macro_rules! last_grade {
    () => {
        "grade = (SELECT max(id) FROM grades WHERE attempt = attempts.id),
    passed = (SELECT passed FROM grades WHERE attempt = attempts.id ORDER BY id DESC LIMIT 1),
    score = (SELECT score FROM grades WHERE attempt = attempts.id ORDER BY id DESC LIMIT 1)"
    };
}

/// SQL assignments that compute the columns of [`SURVEY`] from the other tables. `tools` is an object with, for each
/// tool name, the number of calls and the number of calls that failed or have no result. A reply that cannot be parsed
/// counts as a malformed call. `truncated` is set if the finish reason of the last reply is the output limit, which has
/// a different name in each of OpenAI's two interfaces, in Anthropic's and in Gemini's.
macro_rules! summary {
    () => {
        concat!(
            last_grade!(),
            ",
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
        )
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

/// Usage and cost of models. Null means unknown, or that no model was used; an unknown value is never 0. Costs are in
/// nano-dollars; columns with `_us` are in microseconds.
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

/// Denormalised columns of attempts for lists and reports of very many attempts: the last grade, the tools, and the end
/// of the last reply. The index covers the query for the progress of experiments.
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

/// Regrades, with the regrade of each grade and the digest of its terms. `plan` identifies everything that a regrade
/// grades, so that an interrupted regrade can be resumed.
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

/// Digest of the task whose verifier graded. It differs from the attempt's digest if the verifier was fixed in between.
/// Null in older grades, whose verifier belongs to the task digest of the attempt.
const JUDGES: &str = "
ALTER TABLE grades ADD COLUMN bundle TEXT;
";

/// Times of the import of an experiment and of its acceptance by a user. Both are null if the experiment was created in
/// this journal, or imported by a program without these columns.
const IMPORTS: &str = "
ALTER TABLE experiments ADD COLUMN imported_ms INTEGER;
ALTER TABLE experiments ADD COLUMN accepted_ms INTEGER;
";

/// Removed experiments. They distinguish a journal that was emptied from one that was lost. SQLite uses the indexes to
/// find rows that refer to a grade or a regrade that is being deleted.
const REMOVALS: &str = "
CREATE INDEX attempts_by_grade ON attempts (grade) WHERE grade IS NOT NULL;
CREATE INDEX grades_by_regrade ON grades (regrade) WHERE regrade IS NOT NULL;
CREATE TABLE removed (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    removed_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Check sums, see [`sums`](super::sums). A row whose sum is null can still change, or was written by another program.
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

/// Long strings of JSON columns, see [`texts`](super::texts). Rows of older formats keep theirs in the columns until
/// [`Journal::compact`](super::Journal::compact) moves them.
const TEXTS: &str = "
CREATE TABLE texts (
    id       INTEGER PRIMARY KEY,
    digest   BLOB NOT NULL UNIQUE,
    content  BLOB NOT NULL
) STRICT;
";

/// Inputs of a score apart from the checks: a [`Scoring`](crate::Scoring) as JSON. Null if the score is the share of
/// passed checks, as in all grades of older formats.
const SCORES: &str = "
ALTER TABLE grades ADD COLUMN scoring TEXT;
";

/// Servers that answered the verifier: [`InterfaceVersions`](crate::InterfaceVersions) as JSON. Null if there was none,
/// and in grades of older formats, which did not record them.
const INTERFACES: &str = "
ALTER TABLE grades ADD COLUMN interfaces TEXT;
";

/// SQL statement that updates the summary columns of the attempt `?1` from its grades, messages and calls. Run it after
/// adding a grade, or after writing rows without the methods of [`Journal`](super::Journal).
pub const SUMMARISE: &str = concat!("UPDATE attempts SET ", summary!(), " WHERE id = ?1");

/// Like [`SUMMARISE`], after only the last grade of the attempt has changed. It does not read messages and calls, which
/// may be damaged.
pub(super) const SUMMARISE_GRADE: &str =
    concat!("UPDATE attempts SET ", last_grade!(), " WHERE id = ?1");

/// Like [`SUMMARISE`], for all attempts of the experiment `?1`.
pub(super) const SUMMARISE_ALL: &str =
    concat!("UPDATE attempts SET ", summary!(), " WHERE experiment = ?1");

/// Timeout for locks that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Configures a connection, creates or migrates the tables, and refuses the format of a newer program.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), JournalError> {
    // Another process may hold the write lock for the duration of one small transaction.
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // SQLite does not apply the busy timeout to this pragma if two processes create the journal at the same time.
    let begun = Instant::now();
    while let Err(error) = connection.pragma_update(None, "journal_mode", "WAL") {
        let is_busy = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy);
        if !is_busy || begun.elapsed() > BUSY_TIMEOUT {
            return Err(error.into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Durable transactions change this to `FULL`.
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

/// Returns true if a journal can be read and has the current format.
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
    use crate::{AttemptStatus, Journal};

    /// Returns the SQL definitions of the tables and indexes of a database.
    fn definitions(connection: &Connection) -> String {
        let mut query = connection
            .prepare("SELECT sql || ';\n' FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name")
            .unwrap();
        let definitions = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        definitions.map(Result::unwrap).collect()
    }

    /// Compares the tables of each format with a golden file: journals of every format exist, so its tables must not
    /// change.
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

        // A migrated file has the same tables as a new one.
        let old = Connection::open_in_memory().unwrap();
        old.execute_batch(include_str!("../tests/format-1.sql"))
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
        // Dump of a file that the last program with format 1 wrote: one attempt that passed, and one that was
        // interrupted.
        old.execute_batch(include_str!("../tests/format-1.sql"))
            .unwrap();
        drop(old);

        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.check_rows().unwrap(), []);
        let rows = journal.attempts("old").unwrap();
        let row = &rows[0];
        assert_eq!((row.turns, row.tool_calls, row.malformed_calls), (8, 7, 0));
        assert_eq!((row.usage, row.cost, row.agent_us), (None, None, None));
        assert_eq!(row.passed(), Some(true));
        let calls = journal.trajectory(&row.id).unwrap().calls;
        assert_eq!(row.tool_us, calls.iter().map(|call| call.elapsed_us).sum());
        assert_eq!((rows[1].turns, rows[1].status), (0, AttemptStatus::Running));
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
