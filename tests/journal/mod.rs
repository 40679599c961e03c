//! Demonstration journals for tests and benchmarks, written as rows and the same every time.
//!
//! [`demonstration`] is small and contains every class of failure, attempts without a grade, and hostile text.
//! [`large`] has any number of attempts.

#![allow(dead_code, reason = "each user takes a part of it")]

use std::path::Path;

use mcpmark_experiment::{Journal, capture_directory};
use mcpmark_snapshot::{Digest, Store};
use rusqlite::{Connection, Transaction, params};
use serde_json::{Value, json};

/// Text of a hostile agent that tries to inject markup and terminal escapes into reports.
pub(crate) const HOSTILE: &str =
    "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[2J\u{202e}gpj";

/// Creation time of the experiments, in milliseconds: 2026-03-02T08:00:00Z.
const BEGUN_MS: i64 = 1_772_438_400_000;

/// Agent of all attempts. Any name works, because nothing is run.
const AGENT: &str = "oracle";

/// Tools of the attempts.
const TOOLS: [&str; 6] = [
    "read_text_file",
    "list_directory",
    "write_file",
    "edit_file",
    "search_files",
    "get_file_info",
];

/// Tasks of the demonstration.
pub(crate) const TASKS: [&str; 12] = [
    "filesystem/harbour/berth-list",
    "filesystem/harbour/fuel-ledger",
    "filesystem/harbour/late-arrivals",
    "filesystem/orchard/pruning-plan",
    "filesystem/orchard/seed-labels",
    "filesystem/orchard/yield-summary",
    "github/lantern/changelog-gap",
    "github/lantern/release-notes",
    "github/lantern/stale-branches",
    "filesystem/theatre/cast-sheet",
    "filesystem/theatre/prop-inventory",
    "filesystem/theatre/seat-plan",
];

/// Model of a demonstration: name, effort, and skill in per cent.
pub(crate) type Player = (&'static str, Option<&'static str>, u64);

/// Models of the demonstration.
pub(crate) const PLAYERS: [Player; 2] = [
    ("openai/atlas-large", Some("medium"), 68),
    ("local/sprig-small", None, 36),
];

/// Course of an attempt.
struct Play {
    end: &'static str,
    detail: Option<String>,
    answer: String,
    outcome: &'static str,
    passed: Option<bool>,
    malformed: bool,
    truncated: bool,
    turns: u32,
}

/// Writes a journal and a store below `home`, with two experiments. `demonstration` has two models, twelve tasks and
/// four attempts each, with every class of failure. `efforts` has one model at three efforts.
pub(crate) fn demonstration(home: &Path) {
    std::fs::create_dir_all(home).unwrap();
    let store = Store::open(home.join("store")).unwrap();
    let states = states(&store, home);
    let mut connection = open(&home.join("journal.db"));
    let transaction = connection.transaction().unwrap();
    experiment(&transaction, "demonstration", &PLAYERS, 4, Some(&states));
    let efforts = [
        ("openai/atlas-large", Some("low"), 44),
        ("openai/atlas-large", Some("medium"), 68),
        ("openai/atlas-large", Some("high"), 80),
    ];
    experiment(&transaction, "efforts", &efforts, 1, None);
    transaction.commit().unwrap();
}

/// Writes one experiment, `large`, with `attempts` attempts by two models: four of each model at each task.
pub(crate) fn large(journal: &Path, attempts: usize) {
    let tasks: Vec<String> = (0..attempts / 8)
        .map(|number| format!("filesystem/world-{}/task-{number}", number / 40))
        .collect();
    let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
    let mut connection = open(journal);
    let transaction = connection.transaction().unwrap();
    planned(&transaction, "large", &tasks, &PLAYERS, 4, None);
    transaction.commit().unwrap();
    drop(connection);
    Journal::open(journal).unwrap().sum_rows().unwrap();
}

fn open(journal: &Path) -> Connection {
    drop(Journal::open(journal).unwrap());
    Connection::open(journal).unwrap()
}

/// Stores a starting and a final state and returns their digests.
fn states(store: &Store, home: &Path) -> (Digest, Digest) {
    let dir = home.join("states");
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let keep = || {
        store
            .put_tree(&capture_directory(&dir, store).unwrap())
            .unwrap()
    };
    write("ledger.csv", "date,litres\n2026-01-04,120\n2026-01-09,80\n");
    write("notes/todo.md", "- [ ] count the berths\n- [ ] call Ida\n");
    let start = keep();
    write(
        "ledger.csv",
        "date,litres\n2026-01-04,120\n2026-01-09,85\n2026-01-11,40\n",
    );
    write(
        "report.md",
        &format!("# Report\n\nAll is well. {HOSTILE}\n"),
    );
    std::fs::remove_file(dir.join("notes/todo.md")).unwrap();
    let end = keep();
    std::fs::remove_dir_all(dir).unwrap();
    (start, end)
}

fn experiment(
    transaction: &Transaction<'_>,
    name: &str,
    players: &[Player],
    attempts: u32,
    states: Option<&(Digest, Digest)>,
) {
    planned(transaction, name, &TASKS, players, attempts, states);
}

fn planned(
    transaction: &Transaction<'_>,
    name: &str,
    tasks: &[&str],
    players: &[Player],
    attempts: u32,
    states: Option<&(Digest, Digest)>,
) {
    let settings = |effort: Option<&str>| match effort {
        Some(effort) => json!({ "reasoning-effort": effort }),
        None => json!({}),
    };
    let models: Vec<Value> = players
        .iter()
        .map(|(name, effort, _)| json!({ "name": name, "settings": settings(*effort) }))
        .collect();
    let spec = json!({
        "tasks": tasks, "agent": AGENT, "models": models, "attempts": attempts,
    });
    let experiment = id(&["experiment", name]);
    transaction
        .execute(
            "INSERT INTO experiments (id, name, created_ms, spec) VALUES (?1, ?2, ?3, ?4)",
            params![experiment, name, BEGUN_MS, spec.to_string()],
        )
        .unwrap();
    let tools = tool_set(transaction);
    let mut position = 0;
    for k in 1..=attempts {
        for (number, task) in tasks.iter().enumerate() {
            for (place, (model, effort, skill)) in players.iter().enumerate() {
                let draw = chance(&[name, task, model, effort.unwrap_or(""), &k.to_string()]);
                // The last planned attempt of the demonstration has not begun.
                if let Some(play) = play(number, place, k, *skill, draw, tasks.len()) {
                    let attempt = id(&[
                        "attempt",
                        name,
                        task,
                        model,
                        effort.unwrap_or(""),
                        &k.to_string(),
                    ]);
                    let row = Row {
                        attempt: &attempt,
                        experiment: &experiment,
                        position,
                        task,
                        model,
                        settings: settings(*effort).to_string(),
                        k,
                        tools: &tools,
                        price: if place == 0 { Some(2_500) } else { None },
                        states,
                    };
                    row.write(transaction, &play, draw);
                }
                position += 1;
            }
        }
    }
}

/// Determines the course of an attempt from skill and difficulty, with a different kind of failure for each draw.
/// Returns `None` for an attempt that has not begun.
fn play(task: usize, place: usize, k: u32, skill: u64, draw: u64, tasks: usize) -> Option<Play> {
    let turns = 4 + (draw >> 8) as u32 % 19;
    let graded = |passed, end, detail: Option<String>, answer: String| {
        Some(Play {
            end,
            detail,
            answer,
            outcome: "graded",
            passed: Some(passed),
            malformed: false,
            truncated: false,
            turns,
        })
    };
    if tasks == TASKS.len() && place == 1 {
        match (task, k) {
            (11, 4) => return None,
            (10, 4) => {
                return Some(Play {
                    outcome: "infra-error",
                    passed: None,
                    ..graded(
                        false,
                        "model-error",
                        Some("overloaded: 529".into()),
                        String::new(),
                    )?
                });
            }
            (9, 3) => {
                return Some(Play {
                    outcome: "verifier-fault",
                    passed: None,
                    ..graded(false, "completed", None, "Task completed.".into())?
                });
            }
            _ => {}
        }
    }
    let hurdle = (task as u64 * 37) % 60;
    if draw % 100 + hurdle < skill + 22 {
        return graded(true, "completed", None, "Task completed.".into());
    }
    match (draw >> 16) % 16 {
        0 => graded(
            false,
            "completed",
            None,
            format!("I am unable to complete this task. {HOSTILE}"),
        ),
        1 => graded(
            false,
            "completed",
            None,
            "I found two ledgers. Next, I will merge them.".into(),
        ),
        2 => Some(Play {
            malformed: true,
            ..graded(false, "completed", None, "I am finished.".into())?
        }),
        3 => graded(
            false,
            "context-overflow",
            Some("the request has 131,300 tokens, and the model takes 131,072".into()),
            String::new(),
        ),
        4 => Some(Play {
            turns: 30,
            ..graded(
                false,
                "turn-limit",
                Some("30 turns were used".into()),
                String::new(),
            )?
        }),
        5 => graded(
            false,
            "time-limit",
            Some("3600 s were used".into()),
            String::new(),
        ),
        6 => graded(
            false,
            "cost-limit",
            Some("0.50 USD were used".into()),
            String::new(),
        ),
        7 => Some(Play {
            truncated: true,
            ..graded(
                false,
                "completed",
                None,
                "The first total is 1,204 and the sec".into(),
            )?
        }),
        _ => graded(
            false,
            "completed",
            None,
            "All files are in place. Task completed.".into(),
        ),
    }
}

struct Row<'a> {
    attempt: &'a str,
    experiment: &'a str,
    position: i64,
    task: &'a str,
    model: &'a str,
    settings: String,
    k: u32,
    tools: &'a str,
    /// Price in nano-dollars per token, if known.
    price: Option<i64>,
    states: Option<&'a (Digest, Digest)>,
}

impl Row<'_> {
    fn write(&self, transaction: &Transaction<'_>, play: &Play, draw: u64) {
        let input = i64::from(play.turns) * (2_000 + (draw % 900) as i64);
        let output = i64::from(play.turns) * (90 + (draw % 60) as i64);
        let started = BEGUN_MS + self.position * 1_000;
        let agent_us = i64::from(play.turns) * (2_100_000 + (draw % 700_000) as i64);
        let digest = |side: fn(&(Digest, Digest)) -> Digest| {
            self.states.map(|states| side(states).to_string())
        };
        transaction
            .prepare_cached(
                "INSERT INTO attempts (id, experiment, position, task, agent, agent_settings, model,
                    model_settings, k, try, bundle, world, status, started_ms, ended_ms, ended,
                    ended_detail, answer, state, outcome, error, input_tokens, cached_tokens,
                    output_tokens, reasoning_tokens, cost_nano_usd, turns, tool_calls,
                    malformed_calls, agent_us, model_us, tool_us)
                 VALUES (?1, ?2, ?3, ?4, ?27, '{}', ?5, ?6, ?7, 1, ?8, ?9, 'finished', ?10,
                    ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,
                    ?26, 0)",
            )
            .unwrap()
            .execute(params![
                self.attempt,
                self.experiment,
                self.position,
                self.task,
                self.model,
                self.settings,
                self.k,
                Digest::of(self.task.as_bytes()).to_string(),
                digest(|states| states.0),
                started,
                started + agent_us / 1000 + 40,
                play.end,
                play.detail,
                play.answer,
                digest(|states| states.1),
                play.outcome,
                (play.outcome == "infra-error").then_some("the provider is overloaded"),
                input,
                input / 3,
                output,
                output / 4,
                self.price.map(|price| (input + output * 4) * price),
                play.turns,
                play.turns - 1,
                i64::from(play.malformed),
                agent_us,
                AGENT,
            ])
            .unwrap();
        self.trajectory(transaction, play, draw);
        self.grade(transaction, play);
        transaction
            .prepare_cached(mcpmark_experiment::journal::SUMMARISE)
            .unwrap()
            .execute([self.attempt])
            .unwrap();
    }

    fn trajectory(&self, transaction: &Transaction<'_>, play: &Play, draw: u64) {
        let mut messages = transaction
            .prepare_cached(
                "INSERT INTO messages (attempt, seq, turn, role, content, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .unwrap();
        let mut message = |seq: u32, turn: u32, role: &str, content: Value| {
            messages
                .execute(params![
                    self.attempt,
                    seq,
                    turn,
                    role,
                    content.to_string(),
                    BEGUN_MS
                ])
                .unwrap();
        };
        let mut calls = transaction
            .prepare_cached(
                "INSERT INTO tool_calls (attempt, seq, turn, call_id, name, arguments, started_ms,
                    elapsed_us, result, is_error)
                 VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, 900, ?7, ?8)",
            )
            .unwrap();
        let mut requests = transaction
            .prepare_cached(
                "INSERT INTO model_calls (attempt, seq, turn, purpose, try, started_ms, elapsed_us,
                    status, raw, input_tokens, cached_tokens, output_tokens, reasoning_tokens)
                 VALUES (?1, ?2, ?2, 'turn', 1, ?3, 2000000, 'ok', ?4, 2000, 600, 100, 25)",
            )
            .unwrap();
        let told = format!("Put the papers of {} in order.", self.task);
        message(1, 0, "user", json!({ "text": told }));
        let system = json!({ "text": "Work with the tools.", "tools": self.tools, "adapted": [] });
        message(2, 0, "system", system);
        for turn in 1..=play.turns {
            let last = turn == play.turns;
            let id = format!("call_{turn}");
            let tool = TOOLS[(draw as usize >> (turn % 13)) % TOOLS.len()];
            let path = json!({ "path": format!("papers/{turn}.md") });
            let malformed = (play.malformed && turn + 1 == play.turns)
                .then(|| format!("{{\"path\": {HOSTILE}"));
            let content = if last {
                json!({ "text": play.answer, "calls": [] })
            } else if let Some(malformed) = &malformed {
                json!({ "text": "", "calls": [
                    { "id": id, "name": tool, "arguments": {}, "malformed": malformed }
                ] })
            } else {
                json!({
                    "text": if turn == 1 { "I look around first." } else { "" },
                    "reasoning": format!("Step {turn}: look at the next paper."),
                    "calls": [{ "id": id, "name": tool, "arguments": path }],
                })
            };
            message(turn + 2, turn, "assistant", content);
            let finish = if last && play.truncated {
                "length"
            } else {
                "stop"
            };
            let raw = json!({ "choices": [{ "finish_reason": finish }] }).to_string();
            requests
                .execute(params![self.attempt, turn, BEGUN_MS, raw])
                .unwrap();
            if !last {
                let is_error = turn % 9 == 4;
                let text = if is_error {
                    "Error: no such file".to_owned()
                } else {
                    format!("Paper {turn} of the {} papers. {HOSTILE}", self.task)
                };
                let result = json!({
                    "content": [{ "type": "text", "text": text }], "is_error": is_error,
                });
                calls
                    .execute(params![
                        self.attempt,
                        turn,
                        id,
                        tool,
                        malformed.map_or(path, Value::from).to_string(),
                        BEGUN_MS,
                        result.to_string(),
                        is_error
                    ])
                    .unwrap();
            }
        }
    }

    fn grade(&self, transaction: &Transaction<'_>, play: &Play) {
        let fault = play.outcome == "verifier-fault";
        if play.passed.is_none() && !fault {
            return;
        }
        transaction
            .prepare_cached(
                "INSERT INTO grades (attempt, at_ms, verifier, engine, outcome, passed, score,
                    fault_kind, fault_message, log)
                 VALUES (?1, ?2, ?3, 'engine', ?4, ?5, ?6, ?7, ?8, '')",
            )
            .unwrap()
            .execute(params![
                self.attempt,
                BEGUN_MS,
                Digest::of(b"verifier").to_string(),
                play.outcome,
                play.passed,
                play.passed.map(|passed| if passed { 1.0 } else { 0.5 }),
                fault.then_some("fuel"),
                fault.then_some("all fuel was used"),
            ])
            .unwrap();
        let grade = transaction.last_insert_rowid();
        let Some(passed) = play.passed else {
            return;
        };
        let mut insert = transaction
            .prepare_cached(
                "INSERT INTO checks (grade, seq, name, passed, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .unwrap();
        insert
            .execute(params![grade, 0, "the report is there", true, ""])
            .unwrap();
        let found = format!("expected 3 rows, found 4: {HOSTILE}");
        let detail = if passed { "" } else { &found };
        insert
            .execute(params![grade, 1, "one row per berth", passed, detail])
            .unwrap();
    }
}

/// Stores the tools as a model sees them and returns their digest.
fn tool_set(transaction: &Transaction<'_>) -> String {
    let tools: Vec<Value> = TOOLS
        .iter()
        .map(|name| {
            json!({
                "name": name,
                "description": format!("Does what {name} says.\nReturns text."),
                "input_schema": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string" },
                        "head": { "type": "number" },
                        "excludes": { "type": "array", "items": { "type": "string" } },
                    },
                    "required": ["path"],
                },
            })
        })
        .collect();
    let text = Value::from(tools).to_string();
    let digest = Digest::of(text.as_bytes()).hex();
    transaction
        .execute(
            "INSERT OR IGNORE INTO tool_sets (digest, tools) VALUES (?1, ?2)",
            params![digest, text],
        )
        .unwrap();
    digest
}

/// Returns an id of twelve hexadecimal digits.
fn id(parts: &[&str]) -> String {
    Digest::of(parts.join("\n").as_bytes()).hex()[..12].to_owned()
}

/// Returns a pseudo-random number that depends only on the parts.
fn chance(parts: &[&str]) -> u64 {
    u64::from_str_radix(&Digest::of(parts.join("\t").as_bytes()).hex()[..12], 16).unwrap()
}
