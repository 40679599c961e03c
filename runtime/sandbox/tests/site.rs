//! Sites: one request in one instance, with the database, the clock and the random source of its host.

use std::sync::{Arc, Mutex};

use mcpmark_sandbox::site::{Request, Response, Rows, SiteHost, StoreError, Value};
use mcpmark_sandbox::{
    FaultKind, GuestKind, Limits, LoadError, Run, RunError, Sandbox, SandboxConfig,
};

/// Returns a site that imports `now` and `execute` and answers with `body`, a function body that may use `$request`, the
/// local variables `$target` and `$length`, and returns the pointer to the response at 64: status 200 and the target as
/// the body.
fn component(body: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(component
  (import "mcpmark:site/clock@0.1.0" (instance $clock (export "now" (func (result s64)))))
  (import "mcpmark:site/store@0.1.0" (instance $store
    (type $value (variant (case "null") (case "integer" s64) (case "real" f64) (case "text" string) (case "blob" (list u8))))
    (export "value" (type $value-type (eq $value)))
    (type $rows (record (field "columns" (list string)) (field "rows" (list (list $value-type))) (field "changes" u64) (field "last-insert-rowid" s64)))
    (export "rows" (type $rows-type (eq $rows)))
    (type $error (variant (case "constraint" string) (case "invalid" string) (case "full" string)))
    (export "error" (type $error-type (eq $error)))
    (export "execute" (func (param "statement" string) (param "parameters" (list $value-type)) (result (result $rows-type (error $error-type)))))))
  (core module $memory
    (memory (export "memory") 2)
    (global $free (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
      (global.set $free (i32.add (local.get $at) (local.get 3)))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (core func $now (canon lower (func $clock "now")))
  (core func $execute (canon lower (func $store "execute")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "memory" "memory" (memory 2))
    (import "host" "now" (func $now (result i64)))
    (import "host" "execute" (func $execute (param i32 i32 i32 i32 i32)))
    (data (i32.const 256) "SELECT 1")
    (func (export "answer") (param i32 i32 i32 i32) (param $target i32) (param $length i32) (param i32 i32 i32 i32) (result i32)
      (i32.store16 (i32.const 64) (i32.const 200))
      (i32.store (i32.const 76) (local.get $target))
      (i32.store (i32.const 80) (local.get $length))
      {body}
      (i32.const 64)))
  (core instance $host (export "now" (func $now)) (export "execute" (func $execute)))
  (core instance $guest (instantiate $guest (with "memory" (instance $memory)) (with "host" (instance $host))))
  (type $request (record (field "method" string) (field "host" string) (field "target" string)
    (field "headers" (list (tuple string string))) (field "body" (list u8))))
  (import "request" (type $request-type (eq $request)))
  (type $response (record (field "status" u16) (field "headers" (list (tuple string string)))
    (field "body" (list u8)) (field "account" (option string))))
  (import "response" (type $response-type (eq $response)))
  (func (export "answer") (param "request" $request-type) (result $response-type)
    (canon lift (core func $guest "answer") (memory (core memory $memory "memory"))
      (realloc (core func $memory "realloc")))))"#
    ))
    .expect("a valid component")
}

/// Call of `execute` with the statement at 256. The result is stored at 512.
const EXECUTE: &str =
    "(call $execute (i32.const 256) (i32.const 8) (i32.const 0) (i32.const 0) (i32.const 512))";

/// Host that records statements.
struct Recorded {
    statements: Arc<Mutex<Vec<String>>>,
    result: Result<Rows, StoreError>,
}

impl SiteHost for Recorded {
    fn execute(&mut self, statement: &str, parameters: Vec<Value>) -> Result<Rows, StoreError> {
        assert!(parameters.is_empty());
        self.statements.lock().unwrap().push(statement.to_owned());
        self.result.clone()
    }

    fn now(&mut self) -> i64 {
        42
    }

    fn random(&mut self) -> u64 {
        7
    }
}

struct Answered {
    run: Run<Response>,
    statements: Vec<String>,
}

fn sandbox() -> Sandbox {
    Sandbox::new(&SandboxConfig::default()).unwrap().trusting()
}

fn answer(body: &str, result: Result<Rows, StoreError>, limits: &Limits) -> Answered {
    let sandbox = sandbox();
    let site = sandbox.site(&component(body)).unwrap();
    let statements = Arc::new(Mutex::new(Vec::new()));
    let host = Recorded {
        statements: Arc::clone(&statements),
        result,
    };
    let request = Request {
        method: "GET".to_owned(),
        host: "desk.test".to_owned(),
        target: "/jobs?page=2".to_owned(),
        headers: vec![("cookie".to_owned(), "session=1".to_owned())],
        body: vec![1, 2, 3],
    };
    let run = sandbox.answer(&site, request, Box::new(host), limits);
    let statements = statements.lock().unwrap().clone();
    Answered { run, statements }
}

fn fault(run: Run<Response>) -> (FaultKind, String) {
    match run.result {
        Err(RunError::Fault(fault)) => (fault.kind, fault.to_string()),
        other => panic!("expected a fault, found {other:?}"),
    }
}

#[test]
fn a_site_answers_from_its_request_and_its_host() {
    let body = format!(
        "{EXECUTE} (i32.store16 (i32.const 64) (i32.add (i32.const 200) (i32.wrap_i64 (call $now))))"
    );
    let rows = Rows {
        columns: vec!["n".to_owned()],
        rows: vec![vec![Value::Integer(1)], vec![Value::Text("é".to_owned())]],
        steps: 1000,
        ..Rows::default()
    };
    let answered = answer(&body, Ok(rows), &Limits::SITE);
    assert_eq!(answered.statements, ["SELECT 1"]);
    assert!(answered.run.fuel >= 1000, "steps are charged");
    let response = answered.run.result.unwrap();
    assert_eq!(response.status, 242);
    assert_eq!(response.body, b"/jobs?page=2");
    assert_eq!((response.headers, response.account), (Vec::new(), None));
}

#[test]
fn errors_of_statements_reach_the_site_and_limits_end_it() {
    // The result begins with 1 for an error, whose case is the byte at 520.
    let body = format!(
        "{EXECUTE} (i32.store16 (i32.const 64) (i32.add (i32.mul (i32.load8_u (i32.const 512)) (i32.const 400)) (i32.load8_u (i32.const 520))))"
    );
    for (error, status) in [
        (StoreError::Constraint("unique".to_owned()), 400),
        (StoreError::Invalid("syntax".to_owned()), 401),
        (StoreError::Full("full".to_owned()), 402),
    ] {
        let answered = answer(&body, Err(error), &Limits::SITE);
        assert_eq!(answered.run.result.unwrap().status, status);
    }
    let limit = Err(StoreError::Limit("too many steps".to_owned()));
    let (kind, message) = fault(answer(&body, limit, &Limits::SITE).run);
    assert_eq!(kind, FaultKind::Fuel);
    assert!(message.contains("too many steps"), "{message}");
    let host = Err(StoreError::Host("no memory".to_owned()));
    let run = answer(&body, host, &Limits::SITE).run;
    assert!(matches!(run.result, Err(RunError::Host(message)) if message == "no memory"));
}

#[test]
fn broken_sites_have_faults() {
    for (body, kind) in [
        ("(unreachable)", FaultKind::Trap),
        ("(loop $again (br $again))", FaultKind::Fuel),
        (
            "(i32.store (i32.const 80) (i32.const 1000000))",
            FaultKind::Trap,
        ),
    ] {
        let limits = Limits {
            fuel: 1_000_000,
            ..Limits::SITE
        };
        let (found, message) = fault(answer(body, Ok(Rows::default()), &limits).run);
        assert_eq!(found, kind, "{body}: {message}");
    }
    let limits = Limits {
        output_bytes: 11,
        ..Limits::SITE
    };
    let (kind, message) = fault(answer("", Ok(Rows::default()), &limits).run);
    assert_eq!(kind, FaultKind::Output);
    assert!(message.contains("the response has 12 bytes"), "{message}");
}

#[test]
fn a_site_gets_its_own_interfaces_only() {
    let inspection = sandbox().inspect(&component("")).unwrap();
    assert_eq!(inspection.kind, Some(GuestKind::Site));
    assert_eq!(
        inspection.summary(),
        "can read the world's own clock; can read and change the rows of its own database; nothing else"
    );
    let other = wat::parse_str(
        r#"(component
            (import "mcpmark:guest/state@0.1.0" (instance))
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (export "answer" (func $f)))"#,
    );
    let refused = sandbox().site(&other.unwrap()).err().unwrap();
    assert!(matches!(&refused, LoadError::Imports { .. }), "{refused}");
    let own = wat::parse_str(
        r#"(component
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (export "answer" (func $f)))"#,
    );
    let refused = sandbox().site(&own.unwrap()).err().unwrap();
    assert!(matches!(&refused, LoadError::Contract { .. }), "{refused}");
}
