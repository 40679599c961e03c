//! Terms: the grading specification, that is, the inputs of a grade apart from the two states and the answer. It is a
//! document in the store.
//!
//! With the terms, and with the component or script in the store, a grade can be repeated even if the task no longer
//! exists.

use mcpmark_kinds::{ScriptInvocation, Services, WorldGuestError};
use mcpmark_sandbox::{Interpreter, Limits, LoadError, Sandbox};
use mcpmark_snapshot::{Blobs, Digest, LoadError as TreeError, Snapshot, Store, StoreError, Tree};
use mcpmark_task::{ByRole, GuestRole};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Judge, Script, ScriptJudge};

/// Schema version of the document.
const SCHEMA: u32 = 1;

/// Terms of a grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    schema: u32,
    /// Verifier, by digest.
    pub verifier: VerifierTerms,
    /// Parameters of the task, a JSON object.
    pub parameters: Value,
    /// True if the agent's last message is judged, too.
    pub answer: bool,
    /// Limits of the verifier.
    pub limits: Limits,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
}

/// Verifier in the terms of a grade, by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum VerifierTerms {
    /// Verifier that is a component.
    Component(ComponentTerms),
    /// Verifier that is a Python script.
    Script(ScriptTerms),
}

/// Terms of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentTerms {
    /// Digest of the component.
    pub digest: Digest,
}

/// Terms of a Python script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptTerms {
    /// File name of the script in its directory.
    pub name: String,
    /// Digest of the script.
    pub digest: Digest,
    /// Digest of the tree of the script's directory, which includes the script.
    pub beside: Digest,
    /// Digest of the interpreter.
    pub interpreter: Digest,
    /// Arguments after the script's path.
    pub arguments: Vec<String>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Digests of the guests of the world.
    #[serde(flatten)]
    pub guests: ByRole<Digest>,
}

impl VerifierTerms {
    /// Returns the digest of the component or script.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Component(terms) => terms.digest,
            Self::Script(terms) => terms.digest,
        }
    }

    /// Returns the objects in the store that the verifier references. Every field is named in the pattern, so that a
    /// new field does not compile until it is decided whether it is a reference.
    pub fn references(&self) -> impl Iterator<Item = Reference> + use<> {
        let references: Vec<Reference> = match self {
            Self::Component(ComponentTerms { digest }) => vec![Reference::Blob(*digest)],
            Self::Script(ScriptTerms {
                name: _,
                // The script is a file of the tree.
                digest: _,
                beside,
                // The interpreter is installed on the machine and not in the store.
                interpreter: _,
                arguments: _,
                environment: _,
                guests,
            }) => {
                let guests = guests.iter().map(|(_, digest)| Reference::Blob(*digest));
                std::iter::once(Reference::Tree(*beside))
                    .chain(guests)
                    .collect()
            }
        };
        references.into_iter()
    }
}

/// Reference of a grade to an object in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// Digest of a blob.
    Blob(Digest),
    /// Root digest of a tree, with the encodings of its directories and the contents of its files.
    Tree(Digest),
}

impl Reference {
    /// Reports whether the store has the object with everything below it.
    pub fn is_complete(&self, store: &Store) -> bool {
        match self {
            Self::Blob(digest) => store.contains(digest),
            Self::Tree(root) => {
                let has_files =
                    |tree: Tree| tree.files().all(|(_, file)| store.contains(&file.content));
                store.load_tree(root).is_ok_and(has_files)
            }
        }
    }
}

/// Errors of reading terms or loading their verifier.
#[derive(Debug, thiserror::Error)]
pub enum TermsError {
    /// An object is not in the store.
    #[error("the {what} {digest} is not in the store")]
    Missing {
        /// Kind of the object.
        what: &'static str,
        /// Digest of the object.
        digest: Digest,
        /// Error of the store.
        source: std::io::Error,
    },
    /// The document is not valid.
    #[error("{digest} is not a valid document of terms: {reason}")]
    Malformed {
        /// Digest of the document.
        digest: Digest,
        /// Error of the parser, or the unknown schema.
        reason: String,
    },
    /// The tree of the script's directory cannot be read.
    #[error("cannot read the files in the directory of the script")]
    Beside(#[source] TreeError),
    /// The verifier cannot be loaded.
    #[error("verifier: {0}")]
    Verifier(#[source] Box<LoadError>),
    /// A guest of the world cannot be loaded.
    #[error(transparent)]
    Guest(#[from] WorldGuestError),
    /// The interpreter of this machine is not the one that the terms name.
    #[error(
        "the grade needs the Python guest {wanted}, but this machine has {found}; set MCPMARK_PYTHON_GUEST to the path of the needed guest"
    )]
    Interpreter {
        /// Digest of the interpreter that the terms name.
        wanted: Digest,
        /// Digest of the interpreter of this machine.
        found: Digest,
    },
}

impl Terms {
    /// Returns the terms of a judge.
    pub fn of(judge: &Judge, parameters: Value, answer: bool, limits: Limits, clock: i64) -> Self {
        let verifier = match judge {
            Judge::Component(verifier) => VerifierTerms::Component(ComponentTerms {
                digest: verifier.digest(),
            }),
            Judge::Script(judge) => VerifierTerms::Script(ScriptTerms {
                name: judge.script.name().to_owned(),
                digest: judge.script.digest(),
                beside: judge.script.beside(),
                interpreter: judge.interpreter.digest(),
                arguments: judge.invocation.arguments.clone(),
                environment: judge.invocation.environment.clone(),
                guests: judge.guests.digests().into_iter().collect(),
            }),
            Judge::HeldBack(verifier) => (**verifier).clone(),
        };
        Self::new(verifier, parameters, answer, limits, clock)
    }

    /// Returns the terms of a verifier that is given by digest.
    pub fn new(
        verifier: VerifierTerms,
        parameters: Value,
        answer: bool,
        limits: Limits,
        clock: i64,
    ) -> Self {
        Self {
            schema: SCHEMA,
            verifier,
            parameters,
            answer,
            limits,
            clock,
        }
    }

    /// Returns an error message if this version does not know the schema of the document.
    pub(crate) fn unknown(&self) -> Option<String> {
        (self.schema != SCHEMA).then(|| {
            format!(
                "it has schema {}, but this version of mcpmark reads {SCHEMA}",
                self.schema
            )
        })
    }

    /// Returns the keys of the parts that differ from those of other terms.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("verifier", self.verifier == other.verifier),
            ("parameters", self.parameters == other.parameters),
            ("answer", self.answer == other.answer),
            ("limits", self.has_limits_of(other)),
            ("clock", self.clock == other.clock),
        ];
        let differing = parts.into_iter().filter(|(_, is_same)| !is_same);
        differing.map(|(key, _)| key).collect()
    }

    /// Reports whether the limits are equal, also if a script's limits differ only because earlier versions had other
    /// defaults.
    fn has_limits_of(&self, other: &Self) -> bool {
        let is_script = matches!(self.verifier, VerifierTerms::Script(_));
        self.limits == other.limits || is_script && self.limits.are_earlier_defaults(&other.limits)
    }

    /// Returns the objects in the store that a grade needs apart from the document itself, the two states and the
    /// answer. This is the only definition of these references: garbage collection keeps them, exports contain them,
    /// imports require them, and held-back verifiers and receipts are checked by them.
    pub fn references(&self) -> impl Iterator<Item = Reference> + use<> {
        let Self {
            schema: _,
            verifier,
            parameters: _,
            // Only a flag. The text of the answer is in the journal, and in the store as the blob of its digest.
            answer: _,
            limits: _,
            clock: _,
        } = self;
        verifier.references()
    }

    /// Returns the terms as JSON.
    pub fn document(&self) -> Value {
        json!(self)
    }

    /// Stores the document. The caller stores the verifier.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<Digest, StoreError> {
        store.put(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// Reads a document from the store.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is missing, malformed or has an unknown schema.
    pub fn read(store: &Store, digest: &Digest) -> Result<Self, TermsError> {
        let bytes = store.read(digest).map_err(|source| TermsError::Missing {
            what: "document of terms",
            digest: *digest,
            source,
        })?;
        let malformed = |reason: String| TermsError::Malformed {
            digest: *digest,
            reason,
        };
        let terms: Self =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        match terms.unknown() {
            None => Ok(terms),
            Some(reason) => Err(malformed(reason)),
        }
    }

    /// Loads the judge from the store, for states of the given service. `interpreter` is called only for scripts.
    ///
    /// # Errors
    ///
    /// Returns an error if an object is missing or cannot be loaded, or if `interpreter` returns
    /// another interpreter than the terms name.
    pub fn judge<E: From<TermsError>>(
        &self,
        service: &str,
        services: &Services,
        store: &Store,
        sandbox: &Sandbox,
        interpreter: impl FnOnce() -> Result<Interpreter, E>,
    ) -> Result<Judge, E> {
        match &self.verifier {
            VerifierTerms::Component(ComponentTerms { digest }) => {
                let bytes = component(store, "verifier", digest)?;
                let verifier = sandbox
                    .verifier(&bytes)
                    .map_err(|error| TermsError::Verifier(Box::new(error)))?;
                Ok(Judge::Component(verifier.starting_at(self.clock)))
            }
            VerifierTerms::Script(ScriptTerms {
                name,
                digest,
                beside,
                interpreter: wanted,
                arguments,
                environment,
                guests,
            }) => {
                let beside: Snapshot = store.snapshot(beside).map_err(TermsError::Beside)?;
                let script = Script::kept(name, *digest, beside).ok_or(TermsError::Missing {
                    what: "script",
                    digest: *digest,
                    source: std::io::ErrorKind::NotFound.into(),
                })?;
                let components: Vec<(GuestRole, Vec<u8>)> = guests
                    .iter()
                    .map(|(role, digest)| {
                        Ok((role, component(store, "guest of the world", digest)?))
                    })
                    .collect::<Result<_, TermsError>>()?;
                let guests = components.iter().map(|(role, bytes)| (*role, &**bytes));
                let guests = services
                    .load_guests(service, sandbox, guests)
                    .map_err(TermsError::Guest)?;
                let interpreter = interpreter()?;
                let found = interpreter.digest();
                if found != *wanted {
                    let wanted = *wanted;
                    return Err(TermsError::Interpreter { wanted, found }.into());
                }
                Ok(Judge::Script(Box::new(ScriptJudge {
                    script,
                    interpreter,
                    invocation: ScriptInvocation {
                        arguments: arguments.clone(),
                        environment: environment.clone(),
                    },
                    clock: self.clock,
                    kind: services.kind(service).cloned(),
                    guests,
                })))
            }
        }
    }
}

/// Reads a component from the store.
fn component(store: &Store, what: &'static str, digest: &Digest) -> Result<Vec<u8>, TermsError> {
    store.read(digest).map_err(|source| TermsError::Missing {
        what,
        digest: *digest,
        source,
    })
}
