//! Verification of receipts: collects the objects that a grade needs, compares the receipt with the task that it names,
//! and repeats the grade.

use std::io;

use mcpmark_journal::Outcome;
use mcpmark_kinds::Services;
use mcpmark_sandbox::{InterfaceVersions, Sandbox};
use mcpmark_snapshot::{Blobs, Digest, LoadError as TreeError, Needed, Store, StoreError, Tree};

use crate::receipt::Receipt;
use crate::{Baselines, GradeInput, Judge, Terms, TermsError, grade};

/// Errors of verifying a receipt.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A given object has another digest than the receipt names.
    #[error("not the {object} of the receipt: expected {expected}, found {found}")]
    OtherObject {
        /// `state`, `verifier` or `answer`.
        object: &'static str,
        /// Digest in the receipt.
        expected: Digest,
        /// Digest of the given object.
        found: Digest,
    },
    /// An answer is given, but the receipt names none.
    #[error("the receipt is of a grade without an answer")]
    NoAnswer,
    /// The starting state is missing or incomplete in the store.
    #[error("starting state {digest}")]
    Start {
        /// Digest of the state.
        digest: Digest,
        /// Error of loading its tree.
        source: Box<TreeError>,
    },
    /// The final state is not in the store.
    #[error("final state {0} is not in the store")]
    MissingState(Digest),
    /// A directory of the final state is missing or damaged.
    #[error("final state {digest} cannot be read")]
    UnreadableState {
        /// Digest of the state.
        digest: Digest,
        /// Error of loading its tree.
        source: Box<TreeError>,
    },
    /// A file of the final state is not in the store.
    #[error("final state {digest} is incomplete in the store: {missing} is missing")]
    IncompleteState {
        /// Digest of the state.
        digest: Digest,
        /// Digest of the missing blob.
        missing: Digest,
    },
    /// The agent's last message is not in the store.
    #[error("the agent's last message: {0}")]
    MissingAnswer(io::Error),
    /// The agent's last message is not text.
    #[error("the agent's last message is not valid UTF-8")]
    AnswerNotText,
    /// The task of the same bundle has another digest than the receipt names.
    #[error(
        "task {task} of the receipt: expected the digest {expected}, but the task of this bundle has {found}"
    )]
    OtherTask {
        /// Id of the task.
        task: String,
        /// Task digest in the receipt.
        expected: Digest,
        /// Digest of the task in the bundle.
        found: Digest,
    },
    /// The task has the digest that the receipt names, but other terms.
    #[error("task {task} of the receipt: the terms differ: {}", keys.join(", "))]
    OtherTerms {
        /// Id of the task.
        task: String,
        /// Keys of the parts that differ.
        keys: Vec<&'static str>,
    },
    /// The terms of the task cannot be read.
    #[error(transparent)]
    Terms(Box<TermsError>),
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Task on this machine with the id that a receipt names.
#[derive(Debug, Clone)]
pub struct LocalTask {
    /// Id of the task.
    pub id: String,
    /// Task digest.
    pub digest: Digest,
    /// Digest of the terms of its grades, a document in the store.
    pub terms: Digest,
    /// Digest of its starting state.
    pub start: Digest,
    /// True if the task is from a bundle. The tasks of a bundle never change, so another digest is an error. A task of
    /// a library may have changed since the grade.
    pub is_bundled: bool,
}

/// Comparison of a receipt with the task that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskComparison {
    /// The task has the digest and the terms of the receipt.
    Same {
        /// Starting state of the task, which may differ from that of the receipt if a later version of the task graded
        /// the attempt.
        start: Digest,
    },
    /// The task of the library has this digest, not that of the receipt.
    OtherDigest(Digest),
    /// The task is not available, for the given reason.
    Unavailable(String),
}

impl TaskComparison {
    /// Returns the starting state of the task, if the task was compared.
    pub fn start(&self) -> Option<Digest> {
        match self {
            Self::Same { start } => Some(*start),
            Self::OtherDigest(_) | Self::Unavailable(_) => None,
        }
    }

    /// Returns the reason why the task was not compared.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Same { .. } => None,
            Self::OtherDigest(found) => {
                Some(format!("the task of this library has the digest {found}"))
            }
            Self::Unavailable(reason) => Some(reason.clone()),
        }
    }
}

/// Result of repeating the grade of a receipt.
#[derive(Debug)]
pub struct Verified {
    /// Outcome of the repeated grade.
    pub outcome: Outcome,
    /// Engine profile of the repeated grade.
    pub engine: String,
    /// Servers that answered the verifier in the repeated grade.
    pub interfaces: InterfaceVersions,
    /// Differences between the verdicts, as messages; none if the repeated grade has no verdict.
    pub differences: Option<Vec<String>>,
}

impl Receipt {
    /// Returns the name of the task's service.
    pub fn service(&self) -> &str {
        self.task.split('/').next().unwrap_or_default()
    }

    /// Reports whether the store has the starting state and all objects that the terms reference. Preparing the task
    /// stores them.
    pub fn has_task_objects(&self, store: &Store) -> bool {
        store.contains(&self.start) && self.terms.references().all(|it| it.is_complete(store))
    }

    /// Loads the tree of the starting state.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree is missing or damaged.
    pub fn start_tree(&self, store: &Store) -> Result<Tree, VerifyError> {
        store
            .load_tree(&self.start)
            .map_err(|source| VerifyError::Start {
                digest: self.start,
                source: Box::new(source),
            })
    }

    /// Imports a final state that was captured from a directory. If its digest is not that of the receipt, the state is
    /// converted into the form that its service captures, without the files that an export adds.
    ///
    /// # Errors
    ///
    /// Returns an error if the state is not that of the receipt, or if the store cannot be written.
    pub fn import_state(
        &self,
        tree: Tree,
        services: &Services,
        store: &Store,
    ) -> Result<(), VerifyError> {
        let tree = match services.service(self.service()) {
            Some(service) if tree.digest() != self.state => {
                let tree = service.as_captured(tree);
                store.put_tree(&tree)?;
                tree
            }
            _ => tree,
        };
        expect("state", self.state, tree.digest())
    }

    /// Imports the bytes of the verifier.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not the verifier of the receipt, or if the store cannot be written.
    pub fn import_verifier(&self, bytes: &[u8], store: &Store) -> Result<(), VerifyError> {
        expect("verifier", self.verifier(), Digest::of(bytes))?;
        store.put(bytes)?;
        Ok(())
    }

    /// Imports the bytes of the agent's last message.
    ///
    /// # Errors
    ///
    /// Returns an error if the receipt names no answer or another one, or if the store cannot be written.
    pub fn import_answer(&self, bytes: &[u8], store: &Store) -> Result<(), VerifyError> {
        let expected = self.answer.ok_or(VerifyError::NoAnswer)?;
        expect("answer", expected, Digest::of(bytes))?;
        store.put(bytes)?;
        Ok(())
    }

    /// Checks that the final state is complete in the store.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory or file of the state is missing, or if a directory is damaged.
    pub fn check_state(&self, store: &Store) -> Result<(), VerifyError> {
        let digest = self.state;
        let mut needed = Needed::new();
        match needed.add_tree(store, &digest) {
            Err(_) if !store.contains(&digest) => return Err(VerifyError::MissingState(digest)),
            Err(source) => {
                return Err(VerifyError::UnreadableState {
                    digest,
                    source: Box::new(source),
                });
            }
            Ok(()) => {}
        }
        let missing = needed.blobs().find(|digest| !store.contains(digest));
        missing.map_or(Ok(()), |missing| {
            Err(VerifyError::IncompleteState {
                digest,
                missing: *missing,
            })
        })
    }

    /// Reads the agent's last message from the store; none if the receipt names none.
    ///
    /// # Errors
    ///
    /// Returns an error if the message is missing or is not valid UTF-8.
    pub fn answer_text(&self, store: &Store) -> Result<Option<String>, VerifyError> {
        let Some(digest) = &self.answer else {
            return Ok(None);
        };
        // An empty answer is not stored.
        if *digest == Digest::of(b"") {
            return Ok(Some(String::new()));
        }
        let bytes = store.read(digest).map_err(VerifyError::MissingAnswer)?;
        let text = String::from_utf8(bytes).map_err(|_| VerifyError::AnswerNotText)?;
        Ok(Some(text))
    }

    /// Compares the task digest and the terms of the receipt with those of the task, because the digests that determine
    /// the verdict do not prove which task they belong to.
    ///
    /// # Errors
    ///
    /// Returns an error if a bundle has the task with another digest, if the task has the same digest but other terms,
    /// or if the terms of the task cannot be read.
    pub fn compare(&self, task: &LocalTask, store: &Store) -> Result<TaskComparison, VerifyError> {
        if task.digest != self.task_digest {
            return if task.is_bundled {
                Err(VerifyError::OtherTask {
                    task: task.id.clone(),
                    expected: self.task_digest,
                    found: task.digest,
                })
            } else {
                Ok(TaskComparison::OtherDigest(task.digest))
            };
        }
        let terms =
            Terms::read(store, &task.terms).map_err(|error| VerifyError::Terms(Box::new(error)))?;
        let keys = self.terms.differences(&terms);
        if keys.is_empty() {
            Ok(TaskComparison::Same { start: task.start })
        } else {
            Err(VerifyError::OtherTerms {
                task: task.id.clone(),
                keys,
            })
        }
    }

    /// Repeats the grade from the objects in the store, and compares the verdicts. `judge` is the verifier of the
    /// receipt's terms.
    pub fn verify(
        &self,
        judge: &Judge,
        answer: Option<String>,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Verified {
        let input = GradeInput {
            start: self.start,
            state: self.state,
            answer,
            parameters: mcpmark_json::canonical(&self.terms.parameters),
        };
        let baselines = Baselines::default();
        let graded = grade(sandbox, store, judge, input, &self.terms.limits, &baselines);
        let engine = judge.engine(sandbox);
        let now = self.with_verdict(&graded.outcome, &engine, &graded.interfaces);
        Verified {
            differences: now.map(|now| self.differences(&now)),
            outcome: graded.outcome,
            engine,
            interfaces: graded.interfaces,
        }
    }
}

/// Checks the digest of an object that the user gives.
fn expect(object: &'static str, expected: Digest, found: Digest) -> Result<(), VerifyError> {
    if found == expected {
        Ok(())
    } else {
        Err(VerifyError::OtherObject {
            object,
            expected,
            found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipt::tests::receipt;

    #[test]
    fn objects_with_other_digests_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let receipt = receipt();
        let refused = |result: Result<(), VerifyError>, wanted: &str| {
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        };
        let wanted = "not the verifier of the receipt: expected sha256:";
        refused(receipt.import_verifier(b"other", &store), wanted);
        let wanted = "not the answer of the receipt: expected sha256:";
        refused(receipt.import_answer(b"other", &store), wanted);
        let services = Services::builtin();
        let wanted = "not the state of the receipt: expected sha256:";
        refused(
            receipt.import_state(Tree::empty(), &services, &store),
            wanted,
        );
        receipt.import_verifier(b"verifier", &store).unwrap();
        receipt.import_answer(b"answer", &store).unwrap();
        assert_eq!(receipt.answer_text(&store).unwrap().unwrap(), "answer");
        let silent = Receipt {
            answer: None,
            ..receipt
        };
        let error = silent.import_answer(b"answer", &store).unwrap_err();
        assert!(matches!(error, VerifyError::NoAnswer), "{error}");
        assert_eq!(silent.answer_text(&store).unwrap(), None);
        assert!(matches!(
            silent.check_state(&store),
            Err(VerifyError::MissingState(_))
        ));
    }

    #[test]
    fn a_task_with_another_digest_is_an_error_only_in_a_bundle() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let receipt = receipt();
        let same = LocalTask {
            id: receipt.task.clone(),
            digest: receipt.task_digest,
            terms: receipt.terms.keep(&store).unwrap(),
            start: Digest::of(b"new start"),
            is_bundled: false,
        };
        let compared = receipt.compare(&same, &store).unwrap();
        assert_eq!(compared.start(), Some(same.start));
        assert_eq!(compared.reason(), None);

        let mut other = same.clone();
        other.digest = Digest::of(b"other");
        let compared = receipt.compare(&other, &store).unwrap();
        assert_eq!(compared, TaskComparison::OtherDigest(other.digest));
        other.is_bundled = true;
        let error = receipt.compare(&other, &store).unwrap_err();
        assert!(matches!(error, VerifyError::OtherTask { .. }), "{error}");

        let mut terms = receipt.terms.clone();
        terms.clock += 1;
        let changed = LocalTask {
            terms: terms.keep(&store).unwrap(),
            ..same
        };
        let error = receipt.compare(&changed, &store).unwrap_err();
        assert_eq!(
            error.to_string(),
            "task filesystem/w/t of the receipt: the terms differ: clock"
        );
    }
}
