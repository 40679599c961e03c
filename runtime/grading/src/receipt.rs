//! Receipts: statements of the inputs and the verdict of a grade, so that others can repeat the grade.
//!
//! A receipt is an in-toto Statement about a final state, with the test-result predicate. Its key `mcpmark` contains
//! all inputs of the verdict: digests, the terms of the grade and the engine profile. It contains no time, fuel, path
//! or host name, so equal grades have equal receipts, byte for byte.
//!
//! - the statement: <https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>
//! - the predicate: <https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md>

mod verify;

use mcpmark_journal::{AttemptRow, GradeResult, GradeRow, Outcome};
use mcpmark_sandbox::{Check, FaultKind, InterfaceVersions};
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::{TaskId, WorldId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::verify::{LocalTask, TaskComparison, Verified, VerifyError};
use crate::{Terms, TermsError};

/// Type of the statement.
pub const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// Type of the predicate.
pub const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// Version of the form below the key `mcpmark`.
const SCHEMA: u32 = 1;
/// Version of the form for receipts with a fault, which readers of version 1 do not know.
const SCHEMA_OF_FAULTS: u32 = 2;
/// Version of the form for receipts with interfaces, with or without a fault. Readers of version 2 do not know them.
const SCHEMA_OF_INTERFACES: u32 = 3;

/// Inputs of a verdict, and the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    schema: u32,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Digest of the task whose verifier judged.
    #[serde(rename = "bundle")]
    pub task_digest: Digest,
    /// Digest of the starting state.
    pub start: Digest,
    /// Digest of the final state.
    pub state: Digest,
    /// Digest of the agent's last message, if it was judged and not absent.
    pub answer: Option<Digest>,
    /// Terms of the grade: verifier, parameters, limits and clock.
    pub terms: Terms,
    /// Engine profile: wasmtime version, settings and processor.
    pub engine: String,
    /// Checks in their order; empty for a state fault.
    pub checks: Vec<ReceiptCheck>,
    /// Kind of the fault that the state causes in the verifier. The message of the fault is left out, because it
    /// contains limits of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultKind>,
    /// Servers that answered the verifier, by interface; absent if there was none. Their answers may depend on the major
    /// version, which is why it is named.
    #[serde(default, skip_serializing_if = "InterfaceVersions::is_empty")]
    pub interfaces: InterfaceVersions,
}

/// Check of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptCheck {
    /// Name of the check.
    pub name: String,
    /// True if the check passed.
    pub passed: bool,
    /// Expected and found values.
    pub detail: String,
}

/// Formats a number of grades.
fn counted(count: &usize) -> String {
    if *count == 1 {
        "1 grade".to_owned()
    } else {
        format!("{count} grades")
    }
}

/// Errors of making or reading a receipt.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// The attempt has no verdict.
    #[error("attempt {0} has no verdict, so it has no receipt")]
    NotGraded(String),
    /// The attempt was graded by a version that did not store the terms.
    #[error(
        "attempt {0} was graded by a version without receipts; grade it again with `mcpmark regrade {0}`"
    )]
    NotKept(String),
    /// The journal does not have one of the digests.
    #[error("attempt {attempt} has no digest of its {what}")]
    NoDigest {
        /// Id of the attempt.
        attempt: String,
        /// Name of the missing digest.
        what: &'static str,
    },
    /// The attempt has fewer grades.
    #[error("attempt {attempt} has {count}, but grade {number} was requested", count = counted(.count))]
    NoGrade {
        /// Id of the attempt.
        attempt: String,
        /// Number of its grades.
        count: usize,
        /// Requested number, from 1.
        number: usize,
    },
    /// The requested grade has no verdict.
    #[error("grade {number} of attempt {attempt} has no verdict, and therefore no receipt")]
    NoVerdict {
        /// Id of the attempt.
        attempt: String,
        /// Requested number, from 1.
        number: usize,
    },
    /// The terms of the grade cannot be read.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// The text is not a valid receipt.
    #[error("not a valid receipt: {0}")]
    Malformed(String),
    /// A part of the statement does not match the rest.
    #[error("the receipt contradicts itself: {0}")]
    Contradiction(&'static str),
}

impl Receipt {
    /// Returns the receipt of an attempt's last grade.
    ///
    /// # Errors
    ///
    /// Returns an error if the attempt has no verdict, or if the terms or digests of the grade were not stored.
    pub fn of_attempt(row: &AttemptRow, store: &Store) -> Result<Self, ReceiptError> {
        let grade = row.grade.as_ref();
        let grade = grade.ok_or_else(|| ReceiptError::NotGraded(row.id.clone()))?;
        Self::of_grade(row, grade, store)
    }

    /// Returns the receipt of one of an attempt's grades.
    ///
    /// # Errors
    ///
    /// Returns an error if the grade has no verdict, or if its terms or digests were not stored.
    pub fn of_grade(
        row: &AttemptRow,
        grade: &GradeRow,
        store: &Store,
    ) -> Result<Self, ReceiptError> {
        let fault = match &grade.result {
            GradeResult::Verdict { .. } => None,
            GradeResult::StateFault(fault) => Some(fault.kind),
            GradeResult::VerifierFault(_) => return Err(ReceiptError::NotGraded(row.id.clone())),
        };
        let not_kept = || ReceiptError::NotKept(row.id.clone());
        let terms = grade.terms.ok_or_else(not_kept)?;
        let no_digest = |what| ReceiptError::NoDigest {
            attempt: row.id.clone(),
            what,
        };
        let task_digest = grade.task_digest.or(row.task_digest);
        let terms = Terms::read(store, &terms.untyped())?;
        let answer = row.answer.as_ref().filter(|_| terms.answer);
        Ok(Self {
            schema: schema(fault, &grade.interfaces),
            task: row.task.clone(),
            task_digest: task_digest.ok_or_else(|| no_digest("task"))?.untyped(),
            start: row
                .world
                .ok_or_else(|| no_digest("starting state"))?
                .untyped(),
            state: row.state.ok_or_else(|| no_digest("final state"))?.untyped(),
            answer: answer.map(|text| Digest::of(text.as_bytes())),
            terms,
            engine: grade.engine.clone(),
            checks: grade.result.checks().iter().map(ReceiptCheck::of).collect(),
            fault,
            interfaces: grade.interfaces.clone(),
        })
    }

    /// Returns the receipt of the grade with a number, from 1 for the oldest of `grades`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such grade, or if it has no verdict, or if its terms or digests were not stored.
    pub fn of_numbered_grade(
        row: &AttemptRow,
        grades: &[GradeRow],
        number: usize,
        store: &Store,
    ) -> Result<Self, ReceiptError> {
        let index = number.checked_sub(1);
        let grade = index.and_then(|index| grades.get(index));
        let grade = grade.ok_or_else(|| ReceiptError::NoGrade {
            attempt: row.id.clone(),
            count: grades.len(),
            number,
        })?;
        Self::of_grade(row, grade, store).map_err(|error| match error {
            ReceiptError::NotGraded(attempt) => ReceiptError::NoVerdict { attempt, number },
            error => error,
        })
    }

    /// Returns the world of the task; none if the task is of a corpus.
    pub fn world(&self) -> Option<WorldId> {
        let task: TaskId = self.task.parse().ok()?;
        WorldId::new(task.service(), task.group()).ok()
    }

    /// Returns the receipts of all grades of an attempt that can have one. Grades without a verdict or without stored
    /// terms are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if no grade is left, or if the terms of a grade cannot be read.
    pub fn of_grades(
        row: &AttemptRow,
        grades: &[GradeRow],
        store: &Store,
    ) -> Result<Vec<Self>, ReceiptError> {
        let mut receipts = Vec::new();
        for grade in grades {
            match Self::of_grade(row, grade, store) {
                Err(ReceiptError::NotGraded(_) | ReceiptError::NotKept(_)) => {}
                other => receipts.push(other?),
            }
        }
        if receipts.is_empty() {
            Err(ReceiptError::NotGraded(row.id.clone()))
        } else {
            Ok(receipts)
        }
    }

    /// Returns the receipt with the verdict of another grade; none if that grade has no verdict.
    #[must_use]
    pub fn with_verdict(
        &self,
        outcome: &Outcome,
        engine: &str,
        interfaces: &InterfaceVersions,
    ) -> Option<Self> {
        outcome.passed()?;
        let fault = match outcome {
            Outcome::StateFault(fault) => Some(fault.kind),
            _ => None,
        };
        Some(Self {
            schema: schema(fault, interfaces),
            fault,
            interfaces: interfaces.clone(),
            engine: engine.to_owned(),
            checks: outcome.checks().iter().map(ReceiptCheck::of).collect(),
            ..self.clone()
        })
    }

    /// Returns true if all checks passed and there was no fault.
    pub fn passed(&self) -> bool {
        self.fault.is_none() && self.checks.iter().all(|check| check.passed)
    }

    /// Returns the digest of the component or script that judged.
    pub fn verifier(&self) -> Digest {
        self.terms.verifier.digest()
    }

    /// Returns the in-toto Statement.
    pub fn statement(&self) -> Value {
        let named =
            |name: &str, digest: &Digest| json!({"name": name, "digest": {"sha256": digest.hex()}});
        let mut configuration = vec![
            named("bundle", &self.task_digest),
            named("start", &self.start),
            named("verifier", &self.verifier()),
        ];
        configuration.extend(self.answer.as_ref().map(|digest| named("answer", digest)));
        let names = |passed: bool| -> Vec<&str> {
            let checks = self.checks.iter().filter(|check| check.passed == passed);
            checks.map(|check| check.name.as_str()).collect()
        };
        json!({
            "_type": STATEMENT,
            "subject": [named(&self.task, &self.state)],
            "predicateType": PREDICATE,
            "predicate": {
                "result": if self.passed() { "PASSED" } else { "FAILED" },
                "configuration": configuration,
                "passedTests": names(true),
                "failedTests": names(false),
                "mcpmark": self,
            },
        })
    }

    /// Returns the statement in canonical JSON, with a final line feed.
    pub fn text(&self) -> String {
        let mut text = mcpmark_json::canonical(&self.statement());
        text.push('\n');
        text
    }

    /// Parses a statement.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a valid receipt, or if its parts contradict each other.
    pub fn parse(text: &[u8]) -> Result<Self, ReceiptError> {
        let malformed = |error: &dyn std::fmt::Display| ReceiptError::Malformed(error.to_string());
        let statement: Value =
            mcpmark_json::from_unique(text).map_err(|error| malformed(&error))?;
        for (key, wanted) in [("_type", STATEMENT), ("predicateType", PREDICATE)] {
            if statement[key] != wanted {
                let reason = format!("key {key:?} is not {wanted:?}");
                return Err(ReceiptError::Malformed(reason));
            }
        }
        let own = statement["predicate"]["mcpmark"].clone();
        let known = [SCHEMA, SCHEMA_OF_FAULTS, SCHEMA_OF_INTERFACES];
        if own["schema"].is_number() && known.iter().all(|known| own["schema"] != *known) {
            let reason = format!(
                "it has schema {}, but this version of mcpmark reads {SCHEMA} to {SCHEMA_OF_INTERFACES}",
                own["schema"]
            );
            return Err(ReceiptError::Malformed(reason));
        }
        let receipt: Self = serde_json::from_value(own)
            .map_err(|error| malformed(&format_args!("key \"predicate.mcpmark\": {error}")))?;
        if let Some(reason) = receipt.terms.unknown() {
            let reason = format!("key \"predicate.mcpmark.terms\": {reason}");
            return Err(ReceiptError::Malformed(reason));
        }
        if receipt.answer.is_some() && !receipt.terms.answer {
            return Err(ReceiptError::Contradiction(
                "it has an answer, but its terms state that no answer is judged",
            ));
        }
        if let Err(error) = TaskId::published(&receipt.task) {
            let reason = format!("key \"predicate.mcpmark.task\": {error}");
            return Err(ReceiptError::Malformed(reason));
        }
        match receipt.fault {
            None if receipt.checks.is_empty() => {
                return Err(ReceiptError::Malformed(
                    "expected at least one check, found none".to_owned(),
                ));
            }
            Some(kind) if !kind.follows_from_input() => {
                return Err(ReceiptError::Malformed(format!(
                    "a {kind} fault is not caused by a state"
                )));
            }
            Some(_) if !receipt.checks.is_empty() => {
                return Err(ReceiptError::Contradiction(
                    "it has both a fault of the verifier and checks",
                ));
            }
            _ => {}
        }
        if receipt.schema != schema(receipt.fault, &receipt.interfaces) {
            return Err(ReceiptError::Contradiction(
                "its schema does not match its content",
            ));
        }
        let expected = receipt.statement();
        for (pointer, name) in [
            ("/subject", "its subject is not the graded state"),
            ("/predicate/result", "its result does not match its checks"),
            (
                "/predicate/passedTests",
                "its passed tests do not match its passed checks",
            ),
            (
                "/predicate/failedTests",
                "its failed tests do not match its failed checks",
            ),
            (
                "/predicate/configuration",
                "its configuration does not match the inputs of the grade",
            ),
            ("", "it has keys that a receipt does not have"),
        ] {
            if statement.pointer(pointer) != expected.pointer(pointer) {
                return Err(ReceiptError::Contradiction(name));
            }
        }
        Ok(receipt)
    }

    /// Returns the differences between two receipts as messages. The engine is not compared, because verdicts do not
    /// depend on it, nor are the servers of interfaces: only the verdicts that follow from their answers are.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let word = |passed| if passed { "passed" } else { "failed" };
        if self.passed() != other.passed() {
            found.push(format!(
                "the verdict: {} before, {} now",
                word(self.passed()),
                word(other.passed())
            ));
        }
        if self.fault != other.fault {
            let told = |fault: Option<FaultKind>| match fault {
                Some(kind) => format!("faulted ({kind})"),
                None => "returned a verdict".to_owned(),
            };
            found.push(format!(
                "the verifier {} before, {} now",
                told(self.fault),
                told(other.fault)
            ));
        }
        for check in &self.checks {
            match other.checks.iter().find(|it| it.name == check.name) {
                None => found.push(format!("check {:?} is missing", check.name)),
                Some(now) if now.passed != check.passed => found.push(format!(
                    "check {:?}: {} before, {} now",
                    check.name,
                    word(check.passed),
                    word(now.passed)
                )),
                Some(now) if now.detail != check.detail => found.push(format!(
                    "check {:?}: the detail was {:?} and is {:?}",
                    check.name, check.detail, now.detail
                )),
                Some(_) => {}
            }
        }
        for check in &other.checks {
            if !self.checks.iter().any(|it| it.name == check.name) {
                found.push(format!("check {:?} is new", check.name));
            }
        }
        if found.is_empty() && self.checks != other.checks {
            found.push(
                "the checks have another order or are repeated another number of times".to_owned(),
            );
        }
        found
    }
}

fn schema(fault: Option<FaultKind>, interfaces: &InterfaceVersions) -> u32 {
    match fault {
        _ if !interfaces.is_empty() => SCHEMA_OF_INTERFACES,
        None => SCHEMA,
        Some(_) => SCHEMA_OF_FAULTS,
    }
}

impl ReceiptCheck {
    fn of(check: &Check) -> Self {
        Self {
            name: check.name.clone(),
            passed: check.passed,
            detail: check.detail.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_sandbox::{Fault, Limits};

    use super::*;
    use crate::{ComponentTerms, VerifierTerms};

    pub(super) fn receipt() -> Receipt {
        let check = |name: &str, passed, detail: &str| ReceiptCheck {
            name: name.to_owned(),
            passed,
            detail: detail.to_owned(),
        };
        Receipt {
            schema: SCHEMA,
            task: "filesystem/w/t".to_owned(),
            task_digest: Digest::of(b"bundle"),
            start: Digest::of(b"start"),
            state: Digest::of(b"state"),
            answer: Some(Digest::of(b"answer")),
            terms: Terms::new(
                VerifierTerms::Component(ComponentTerms {
                    digest: Digest::of(b"verifier"),
                }),
                json!({"b": 1, "a": [2.5, null]}),
                true,
                Limits::VERIFIER,
                7,
            ),
            engine: "cranelift".to_owned(),
            checks: vec![
                check("one", true, ""),
                check("two", false, "expected 1, found 2"),
            ],
            fault: None,
            interfaces: InterfaceVersions::default(),
        }
    }

    #[test]
    fn a_state_that_stops_the_verifier_has_a_receipt_of_a_failure() {
        let graded = receipt();
        let fault = Fault {
            kind: FaultKind::Memory,
            message: "words of this host".to_owned(),
        };
        let stopped = graded
            .with_verdict(
                &Outcome::StateFault(fault),
                &graded.engine,
                &graded.interfaces,
            )
            .unwrap();
        assert!(!stopped.passed());
        let text = stopped.text();
        assert!(!text.contains("words of this host"), "{text}");
        assert_eq!(Receipt::parse(text.as_bytes()).unwrap(), stopped);
        let statement = stopped.statement();
        assert_eq!(statement["predicate"]["result"], "FAILED");
        assert_eq!(statement["predicate"]["mcpmark"]["schema"], 2);
        assert_eq!(
            graded.differences(&stopped)[0],
            "the verifier returned a verdict before, faulted (memory) now"
        );
        assert_eq!(stopped.differences(&stopped), Vec::<String>::new());
        // The form of a receipt without a fault is unchanged.
        assert!(
            graded.statement()["predicate"]["mcpmark"]
                .get("fault")
                .is_none()
        );

        for (pointer, value, wanted) in [
            ("/schema", json!(1), "its schema"),
            (
                "/fault",
                json!("time"),
                "a time fault is not caused by a state",
            ),
            ("/fault", json!("tiredness"), "unknown variant"),
            (
                "/checks",
                json!([{"name": "a", "passed": true, "detail": ""}]),
                "both a fault of the verifier and checks",
            ),
        ] {
            let mut forged = statement.clone();
            *forged["predicate"]["mcpmark"].pointer_mut(pointer).unwrap() = value;
            let error = Receipt::parse(forged.to_string().as_bytes()).unwrap_err();
            assert!(error.to_string().contains(wanted), "{pointer}: {error}");
        }
    }

    #[test]
    fn servers_of_interfaces_are_part_of_a_receipt_of_schema_3() {
        let without = receipt();
        let servers = |server: &str| InterfaceVersions::from_iter([("sql", server)]);
        let verdict = serde_json::from_value(json!({"checks": without.checks})).unwrap();
        let outcome = Outcome::Graded {
            verdict,
            scoring: mcpmark_journal::Scoring::default(),
        };
        let graded = |servers: &InterfaceVersions| {
            let receipt = without.with_verdict(&outcome, &without.engine, servers);
            receipt.unwrap()
        };
        let receipt = graded(&servers("postgres 15"));
        let own = receipt.statement()["predicate"]["mcpmark"].clone();
        assert_eq!(own["schema"], 3);
        assert_eq!(own["interfaces"], json!({"sql": "postgres 15"}));
        assert_eq!(Receipt::parse(receipt.text().as_bytes()).unwrap(), receipt);
        // Another major version is no difference between verdicts.
        let other = graded(&servers("postgres 17"));
        assert_eq!(receipt.differences(&other), Vec::<String>::new());
        // The bytes of a receipt without interfaces are those of earlier versions.
        assert_eq!(graded(&InterfaceVersions::default()).text(), without.text());
        let own = without.statement()["predicate"]["mcpmark"].clone();
        assert_eq!((&own["schema"], own.get("interfaces")), (&json!(1), None));

        for (receipt, pointer, value) in [
            (&receipt, "/schema", json!(1)),
            (&receipt, "/schema", json!(2)),
            (&receipt, "/interfaces", json!({})),
            (&without, "/schema", json!(3)),
        ] {
            let mut forged = receipt.statement();
            *forged["predicate"]["mcpmark"].pointer_mut(pointer).unwrap() = value;
            let error = Receipt::parse(forged.to_string().as_bytes()).unwrap_err();
            assert!(error.to_string().contains("its schema"), "{error}");
        }
    }

    #[test]
    fn a_receipt_is_read_back_as_it_was() {
        let receipt = receipt();
        let text = receipt.text();
        assert_eq!(Receipt::parse(text.as_bytes()).unwrap(), receipt);
        // White space and the order of keys do not matter.
        let pretty = serde_json::to_string_pretty(&receipt.statement()).unwrap();
        assert_eq!(Receipt::parse(pretty.as_bytes()).unwrap().text(), text);
        let statement = receipt.statement();
        assert_eq!(statement["predicate"]["result"], "FAILED");
        assert_eq!(statement["predicate"]["failedTests"], json!(["two"]));
        assert_eq!(
            statement["subject"][0]["digest"]["sha256"],
            Digest::of(b"state").hex()
        );
    }

    #[test]
    fn every_part_that_is_changed_is_noticed() {
        let statement = receipt().statement();
        let changed = |pointer: &str, value: Value| {
            let mut changed = statement.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            match Receipt::parse(changed.to_string().as_bytes()) {
                Ok(_) => panic!("{pointer} was not noticed"),
                Err(error) => error.to_string(),
            }
        };
        for (pointer, value, wanted) in [
            ("/_type", json!("x"), "\"_type\" is not"),
            ("/predicateType", json!("x"), "\"predicateType\" is not"),
            ("/subject/0/digest/sha256", json!("00"), "its subject"),
            ("/predicate/result", json!("PASSED"), "its result"),
            ("/predicate/passedTests", json!([]), "its passed tests"),
            ("/predicate/failedTests", json!([]), "its failed tests"),
            (
                "/predicate/configuration/0/name",
                json!("x"),
                "its configuration",
            ),
            ("/predicate/mcpmark/schema", json!(4), "it has schema 4"),
            (
                "/predicate/mcpmark/terms/schema",
                json!(2),
                "terms\": it has schema 2",
            ),
            (
                "/predicate/mcpmark/terms/answer",
                json!(false),
                "its terms state that no answer is judged",
            ),
            (
                "/predicate/mcpmark/checks",
                json!([]),
                "expected at least one check",
            ),
            (
                "/predicate/mcpmark/task",
                json!("../../x"),
                "predicate.mcpmark.task",
            ),
            (
                "/predicate/mcpmark/task",
                json!("task"),
                "expected <service>/…/<task>",
            ),
            (
                "/predicate/mcpmark/checks/1/passed",
                json!(true),
                "its result",
            ),
            (
                "/predicate/mcpmark/state",
                json!("sha256:1"),
                "predicate.mcpmark",
            ),
        ] {
            let error = changed(pointer, value);
            assert!(error.contains(wanted), "{pointer}: {error}");
        }
        let mut more = statement.clone();
        more["predicate"]["url"] = json!("https://example.org");
        let error = Receipt::parse(more.to_string().as_bytes()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("keys that a receipt does not have"),
            "{error}"
        );
        // A duplicate key at any depth is refused, even if its last value is right.
        let text = statement.to_string();
        for key in ["_type", "result", "state", "detail"] {
            let quoted = format!("\"{key}\":");
            let twice = text.replacen(&quoted, &format!("{quoted}null,{quoted}"), 1);
            let told = Receipt::parse(twice.as_bytes()).unwrap_err().to_string();
            let word = format!("duplicate key {key:?}");
            assert!(told.contains(&word), "{told}");
        }
        for text in ["", "[]", "null", "{}", "{\"_type\":1}", "\u{feff}{}"] {
            assert!(Receipt::parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn differences_are_reported() {
        let before = receipt();
        assert!(before.differences(&before).is_empty());
        let mut now = before.clone();
        now.engine = "pulley".to_owned();
        assert!(before.differences(&now).is_empty());
        now.checks[1].passed = true;
        now.checks[0].detail = "new".to_owned();
        let told = before.differences(&now).join("; ");
        assert_eq!(
            told,
            "the verdict: failed before, passed now; check \"one\": the detail was \"\" and is \"new\"; \
             check \"two\": failed before, passed now"
        );
        now = before.clone();
        now.checks.reverse();
        assert!(before.differences(&now)[0].contains("another order"));
        now.checks.remove(0);
        assert!(
            before
                .differences(&now)
                .join("; ")
                .contains("\"two\" is missing")
        );
    }
}
