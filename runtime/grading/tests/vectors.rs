//! Golden vectors of stored grades and attempts: terms, receipts, and rows of the journal.

#[path = "../../../tests/vectors.rs"]
mod vectors;

use mcpmark_grading::receipt::Receipt;
use mcpmark_grading::{ComponentTerms, ScriptTerms, Terms, VerifierTerms};
use mcpmark_journal::{AttemptRow, GradeResult, GradeRow, Scoring};
use mcpmark_sandbox::{Check, Fault, FaultKind, Limits};
use mcpmark_snapshot::{Blobs, Digest, Store};
use mcpmark_task::{ByRole, GuestRole};
use serde_json::Value;

use crate::vectors::Vectors;

fn text<'a>(input: &'a Value, key: &str) -> &'a str {
    input[key].as_str().unwrap_or_else(|| panic!("key {key:?}"))
}

fn optional_text(input: &Value, key: &str) -> Option<String> {
    (!input[key].is_null()).then(|| text(input, key).to_owned())
}

/// Returns the digest of a text that represents a component or a tree.
fn digest(input: &Value, key: &str) -> Digest {
    Digest::of(text(input, key).as_bytes())
}

fn optional_digest(input: &Value, key: &str) -> Option<Digest> {
    (!input[key].is_null()).then(|| digest(input, key))
}

fn guests(verifier: &Value) -> ByRole<Digest> {
    let roles = GuestRole::ALL.iter().copied();
    roles
        .filter_map(|role| Some((role, optional_digest(verifier, role.as_str())?)))
        .collect()
}

fn terms(input: &Value) -> Terms {
    let verifier = &input["verifier"];
    let verifier = match text(verifier, "kind") {
        "component" => VerifierTerms::Component(ComponentTerms {
            digest: digest(verifier, "digest"),
        }),
        _ => VerifierTerms::Script(ScriptTerms {
            name: text(verifier, "name").to_owned(),
            digest: digest(verifier, "digest"),
            beside: digest(verifier, "beside"),
            interpreter: digest(verifier, "interpreter"),
            arguments: serde_json::from_value(verifier["arguments"].clone()).unwrap(),
            environment: serde_json::from_value(verifier["environment"].clone()).unwrap(),
            guests: guests(verifier),
        }),
    };
    let limit = |key: &str| input["limits"][key].as_u64().unwrap();
    let limits = Limits {
        fuel: limit("fuel"),
        memory_bytes: limit("memory_bytes"),
        table_elements: limit("table_elements"),
        time_ms: limit("time_ms"),
        copy_bytes: limit("copy_bytes"),
        log_bytes: limit("log_bytes"),
        output_bytes: limit("output_bytes"),
        checks: limit("checks"),
    };
    Terms::new(
        verifier,
        input["parameters"].clone(),
        input["answer"].as_bool().unwrap(),
        limits,
        input["clock"].as_i64().unwrap(),
    )
}

#[test]
fn terms_of_a_grade() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let vectors = Vectors::of("terms");
    for (name, input) in vectors.inputs() {
        let terms = terms(&input);
        let digest = terms.keep(&store).unwrap();
        let bytes = store.read(&digest).unwrap();
        vectors.assert_same(&format!("{name}.json"), &bytes);
        assert_eq!(digest, Digest::of(&bytes), "{name}");
        assert_eq!(Terms::read(&store, &digest).unwrap(), terms, "{name}");
    }
    vectors.assert_all_compared();
}

/// Returns an attempt with its grade, as the journal returns them.
fn row(input: &Value, terms: &Digest) -> AttemptRow {
    let checks = input["checks"].as_array().unwrap().iter();
    let checks: Vec<Check> = checks
        .map(|check| Check {
            name: text(check, "name").to_owned(),
            passed: check["passed"].as_bool().unwrap(),
            detail: text(check, "detail").to_owned(),
        })
        .collect();
    let fault: Option<FaultKind> = serde_json::from_value(input["fault"].clone()).unwrap();
    let result = match fault {
        None => GradeResult::Verdict {
            passed: checks.iter().all(|check| check.passed),
            score: Scoring::default().score(&checks),
            scoring: Scoring::default(),
            checks,
        },
        Some(kind) => GradeResult::StateFault(Fault::new(kind, "words of this host")),
    };
    AttemptRow {
        id: "0123456789ab".to_owned(),
        task: text(input, "task").to_owned(),
        task_digest: optional_digest(input, "task_of_attempt").map(Into::into),
        world: optional_digest(input, "start").map(Into::into),
        answer: optional_text(input, "answer"),
        state: optional_digest(input, "state").map(Into::into),
        grade: Some(GradeRow {
            verifier: Digest::of(b"the receipt takes that of the terms").into(),
            engine: text(input, "engine").to_owned(),
            terms: Some((*terms).into()),
            task_digest: optional_digest(input, "task_of_grade").map(Into::into),
            log: "what the verifier logged".to_owned(),
            interfaces: serde_json::from_value(input["interfaces"].clone()).unwrap_or_default(),
            result,
        }),
        ..AttemptRow::default()
    }
}

#[test]
fn receipts() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let all_terms = Vectors::of("terms").inputs();
    let vectors = Vectors::of("receipt");
    for (name, input) in vectors.inputs() {
        let terms = terms(&all_terms[text(&input, "terms")]);
        let row = row(&input, &terms.keep(&store).unwrap());
        let receipt = Receipt::of_attempt(&row, &store).unwrap();
        let file = format!("{name}.json");
        vectors.assert_same(&file, receipt.text().as_bytes());
        let read = Receipt::parse(&vectors.read(&file)).unwrap();
        assert_eq!(read, receipt, "{name}");
    }
    vectors.assert_all_compared();
}
