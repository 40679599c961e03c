//! The tables, and the rule for files of other versions.

use rusqlite::Connection;

use super::JournalError;

/// Marks a SQLite file as a journal of ours: `MCPM`.
const APPLICATION_ID: i32 = 0x4d43_504d;

/// The format that this program reads and writes.
pub(super) const FORMAT: i32 = 1;

const TABLES: &str = "
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

/// Prepares a connection, makes the tables of a new file, and refuses those of a newer program.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), JournalError> {
    // Another process may hold the write lock for the length of one small transaction.
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let pragma =
        |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    match (pragma("application_id")?, pragma("user_version")?) {
        (0, 0) => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        (APPLICATION_ID, FORMAT) => {}
        (APPLICATION_ID, found) => {
            return Err(JournalError::Format {
                found,
                known: FORMAT,
            });
        }
        _ => return Err(JournalError::Foreign),
    }
    transaction.commit()?;
    Ok(())
}
