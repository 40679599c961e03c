//! Client libraries in scripts, and a service with canned answers.

use std::sync::Arc;

use mcpmark_grading::{Script, ScriptContext, grade_script};
use mcpmark_journal::Outcome;
use mcpmark_sandbox::{
    FaultKind, Limits, RunError, ScriptRun, ScriptServices, ScriptSession, ServiceAnswer, Snapshot,
};
use serde_json::{Value, json};

use crate::guest::{Guest, directory, guest};

/// Service with one repository, one table and one page, which counts the statements of a run.
#[derive(Debug)]
struct Canned;

struct Session {
    statements: u32,
}

impl ScriptServices for Canned {
    fn open(&self) -> Box<dyn ScriptSession> {
        Box::new(Session { statements: 0 })
    }
}

impl ScriptSession for Session {
    fn call(&mut self, service: &str, request: &str, _: i64) -> ServiceAnswer {
        let request: Value = serde_json::from_str(request).unwrap();
        match service {
            "http" => http(&request),
            "sql" => self.sql(&request),
            "notion" => notion(&request),
            "broken" => ServiceAnswer::Broken("it is out".to_owned()),
            _ => ServiceAnswer::Absent,
        }
    }
}

fn answer(value: Value) -> ServiceAnswer {
    ServiceAnswer::Answer(value.to_string())
}

fn http(request: &Value) -> ServiceAnswer {
    let url = request["url"].as_str().unwrap();
    assert_eq!(request["headers"]["Authorization"], "Bearer mcpmark");
    let (status, body) = match url {
        "https://api.github.com/repos/o/r/branches/main" => (200, json!({"name": "main"})),
        _ => (404, json!({"message": "Not Found"})),
    };
    answer(json!({
        "status": status,
        "headers": {"Content-Type": "application/json"},
        "body": body.to_string(),
    }))
}

fn notion(request: &Value) -> ServiceAnswer {
    match request["path"].as_str().unwrap() {
        "pages/p1" => answer(json!({"object": "page", "id": "p1"})),
        "search" => {
            let title =
                |text: &str| json!({"title": {"type": "title", "title": [{"plain_text": text}]}});
            answer(json!({"results": [
                {"object": "page", "id": "p0", "properties": title("Resume, old")},
                {"object": "page", "id": "p1", "properties": title("Resume")},
            ]}))
        }
        "blocks/p1/children" => answer(json!({"results": [
            {"id": "b1", "type": "toggle", "has_children": true,
             "toggle": {"rich_text": [{"plain_text": "Sk"}, {"plain_text": "ills"}]}},
        ]})),
        "blocks/b1/children" => answer(json!({"results": [
            {"id": "d1", "type": "child_database", "has_children": true,
             "child_database": {"title": "Projects"}},
        ]})),
        _ => ServiceAnswer::Error(
            json!({"status": 404, "code": "object_not_found", "message": "no such page"})
                .to_string(),
        ),
    }
}

impl Session {
    fn sql(&mut self, request: &Value) -> ServiceAnswer {
        if !request["connect"].is_null() {
            assert_eq!(request["connect"]["database"], "chinook");
            return answer(json!({"connection": 1}));
        }
        self.statements += 1;
        let none = json!({"columns": null, "rows": null, "count": -1});
        match request["execute"]["sql"].as_str().unwrap() {
            "BEGIN" | "ROLLBACK" => answer(none),
            sql if sql.starts_with("SELECT") => answer(json!({
                "columns": ["id", "total", "day", "number"],
                "rows": [[
                    ["int4", "7"],
                    ["numeric", "12.50"],
                    ["date", "2026-02-03"],
                    ["int4", self.statements.to_string()],
                ]],
                "count": 1,
            })),
            _ => ServiceAnswer::Error(
                json!({"code": "42P01", "message": "relation \"t\" does not exist"}).to_string(),
            ),
        }
    }
}

fn judge(
    guest: &Guest,
    text: &str,
    services: Option<Arc<dyn ScriptServices>>,
) -> (Outcome, ScriptRun) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("verify.py");
    std::fs::write(&file, text).unwrap();
    let input = Script::read(&file).unwrap().input(ScriptContext {
        state: Snapshot::of_directory(dir.path()).unwrap(),
        answer: None,
        arguments: vec!["p1".to_owned()],
        environment: vec![("EVAL_NOTION_API_KEY".to_owned(), "mcpmark".to_owned())],
        clock: 0,
        services,
    });
    grade_script(&guest.sandbox, &guest.interpreter, &input, &Limits::SCRIPT)
}

const ALL: &str = r#"
import asyncio, sys
from datetime import date
from decimal import Decimal

import psycopg2
import requests
from psycopg2.extras import DictCursor, RealDictCursor
from dotenv import load_dotenv
from notion_client import Client
from tasks.utils import notion_utils

load_dotenv(".mcp_env")

headers = {"Authorization": "Bearer mcpmark"}
base = "https://api.github.com/repos/o/r"
found = requests.get(f"{base}/branches/main", headers=headers, timeout=30)
assert found.status_code == 200 and found.json()["name"] == "main", found.text
assert requests.get(f"{base}/branches/none", headers=headers).status_code == 404

connection = psycopg2.connect(host="localhost", database="chinook", user="u", password="p")
with connection.cursor() as cursor:
    cursor.execute("SELECT * FROM invoice WHERE id = %s", (7,))
    assert cursor.fetchall() == [(7, Decimal("12.50"), date(2026, 2, 3), 2)]
    try:
        cursor.execute("UPDATE t SET a = 1")
        raise SystemExit("no error")
    except psycopg2.Error as error:
        assert error.pgcode == "42P01", error.pgcode
    cursor.execute("SELECT * FROM invoice")
    assert cursor.fetchone()[0] == 7
with connection.cursor(cursor_factory=DictCursor) as cursor:
    cursor.execute("SELECT * FROM invoice")
    row = cursor.fetchone()
    assert row["id"] == row[0] == 7 and list(row.keys())[1] == "total", row
    assert isinstance(row, list) and row[1:3] == [Decimal("12.50"), date(2026, 2, 3)]
    assert dict(row.items())["day"] == date(2026, 2, 3)
with connection.cursor(cursor_factory=RealDictCursor) as cursor:
    cursor.execute("SELECT * FROM invoice")
    assert cursor.fetchall()[0]["total"] == Decimal("12.50")
connection.rollback()

notion = notion_utils.get_notion_client()
assert notion.pages.retrieve(page_id=sys.argv[1])["id"] == "p1"
assert notion_utils.find_page(notion, "Resume") == "p0"
assert notion_utils.find_page_or_database_by_id(notion, "p1") == ("p1", "page")
assert notion_utils.find_page_or_database_by_id(notion, "none") == (None, None)
assert notion_utils.find_database_in_block(notion, "p1", "Projects") == "d1"
blocks = notion_utils.get_all_blocks_recursively(notion, "p1")
assert [notion_utils.get_block_plain_text(block) for block in blocks] == ["Skills", ""]
try:
    Client(auth="x").pages.retrieve(page_id="p2")
    raise SystemExit("no error")
except Exception as error:
    assert "no such page" in str(error), error

async def part(number):
    await asyncio.sleep(60 * number)
    return number

async def main():
    async with asyncio.timeout(1000):
        return await asyncio.gather(*(part(number) for number in range(4)))

assert asyncio.get_event_loop().run_until_complete(part(1)) == 1
assert asyncio.run(main()) == [0, 1, 2, 3]
print("✅ all that was asked was answered")
"#;

#[test]
fn libraries_ask_the_services_of_the_world() {
    let Some(guest) = guest() else { return };
    // Runs twice, because the second run must not see changes of the first.
    for _ in 0..2 {
        let (outcome, run) = judge(guest, ALL, Some(Arc::new(Canned)));
        let stderr = String::from_utf8_lossy(&run.written.stderr).into_owned();
        assert_eq!(outcome.passed(), Some(true), "{outcome:?}\n{stderr}");
    }
}

/// `published.txt` has the answers of the published `tasks/utils/notion_utils.py` on native Python.
#[test]
fn notion_verifiers_get_the_answers_of_the_published_module() {
    let Some(guest) = guest() else { return };
    let fixture = |name: &str| {
        let path = directory("notion-utils").join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let (outcome, run) = judge(guest, &fixture("verify.py"), None);
    let stderr = String::from_utf8_lossy(&run.written.stderr).into_owned();
    assert_eq!(outcome.passed(), Some(true), "{outcome:?}\n{stderr}");
    let answers = String::from_utf8_lossy(&run.written.stdout).into_owned();
    assert_eq!(answers, fixture("published.txt"));
}

#[test]
fn a_service_that_is_not_there_or_breaks_gives_no_grade() {
    let Some(guest) = guest() else { return };
    let ask =
        |service: &str| format!("from mcpmark_script.services import call\ncall({service:?})");
    let fault = |outcome: &Outcome, words: &str| match outcome {
        Outcome::VerifierFault(fault) => {
            assert_eq!(fault.kind, FaultKind::Link);
            assert!(fault.message.contains(words), "{fault}");
        }
        other => panic!("{other:?}"),
    };
    let (outcome, _) = judge(guest, ALL, None);
    fault(&outcome, "the service \"http\", which is not available");
    let (outcome, _) = judge(guest, &ask("gopher"), Some(Arc::new(Canned)));
    fault(&outcome, "the service \"gopher\", which is not available");
    let (outcome, run) = judge(guest, &ask("broken"), Some(Arc::new(Canned)));
    assert!(matches!(outcome, Outcome::InfraError(_)), "{outcome:?}");
    assert!(matches!(run.result, Err(RunError::Host(_))));
}
