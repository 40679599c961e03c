//! What a grade follows from beside the states and the answer, as a document in the store.
//!
//! With it, and with the component or the script that lies in the store beside it, a grade can be made
//! again when the task is long gone.

use mcpmark_kinds::{ScriptInvocation, Services, WorldGuestError};
use mcpmark_sandbox::{Interpreter, Limits, LoadError, Sandbox};
use mcpmark_snapshot::{Blobs, Digest, LoadError as TreeError, Snapshot, Store, StoreError, Tree};
use mcpmark_task::{ByRole, GuestRole};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Judge, Script, ScriptJudge};

/// The version of the document.
const SCHEMA: u32 = 1;

/// How states are judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    schema: u32,
    /// Who judges.
    pub verifier: VerifierTerms,
    /// The task's parameters, an object.
    pub parameters: Value,
    /// Whether the agent's last message is judged too.
    pub answer: bool,
    /// What the verifier may use.
    pub limits: Limits,
    /// The world's instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
}

/// The verifier, by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum VerifierTerms {
    /// A component.
    Component(ComponentTerms),
    /// A Python script.
    Script(ScriptTerms),
}

/// A verifier that is a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentTerms {
    /// Its bytes.
    pub digest: Digest,
}

/// A verifier that is a Python script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptTerms {
    /// Its name among the files that it sees.
    pub name: String,
    /// Its bytes.
    pub digest: Digest,
    /// The tree of the files that it sees, itself among them.
    pub beside: Digest,
    /// The component that runs it.
    pub interpreter: Digest,
    /// The arguments after the script itself.
    pub arguments: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
    /// The guests of its world.
    #[serde(flatten)]
    pub guests: ByRole<Digest>,
}

impl VerifierTerms {
    /// The digest of the component, or of the script.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Component(terms) => terms.digest,
            Self::Script(terms) => terms.digest,
        }
    }

    /// The objects in the store without which the verifier cannot grade. Every field is named here, so that a new one
    /// does not compile until it is known whether it refers to an object.
    pub fn references(&self) -> impl Iterator<Item = Reference> + use<> {
        let references: Vec<Reference> = match self {
            Self::Component(ComponentTerms { digest }) => vec![Reference::Blob(*digest)],
            Self::Script(ScriptTerms {
                name: _,
                // The script is a file of the tree.
                digest: _,
                beside,
                // Installed on the machine and not kept in the store.
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

/// An object in the store that a grade cannot be made without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A blob.
    Blob(Digest),
    /// A tree: the encodings of its directories and the contents of its files.
    Tree(Digest),
}

impl Reference {
    /// Whether the store has the object, with all that is below it.
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

/// Why a grade cannot be made again.
#[derive(Debug, thiserror::Error)]
pub enum TermsError {
    /// The document is not in the store, or the verifier is not.
    #[error("the {what} {digest} is not in the store")]
    Missing {
        /// What is looked for.
        what: &'static str,
        /// Its digest.
        digest: Digest,
        /// What the store says.
        source: std::io::Error,
    },
    /// The document is not what it should be.
    #[error("{digest} says of no grade what it follows from: {reason}")]
    Malformed {
        /// The document.
        digest: Digest,
        /// What is wrong.
        reason: String,
    },
    /// The files beside a script cannot be read.
    #[error("the files beside the script cannot be read")]
    Beside(#[source] TreeError),
    /// The verifier does not load.
    #[error("the verifier: {0}")]
    Verifier(#[source] Box<LoadError>),
    /// A guest of the world cannot be used.
    #[error(transparent)]
    Guest(#[from] WorldGuestError),
    /// The script is run by another guest than this machine has.
    #[error(
        "the script was judged by the Python guest {wanted}, and this machine has {found}; name the other with MCPMARK_PYTHON_GUEST"
    )]
    Interpreter {
        /// What judged.
        wanted: Digest,
        /// What is here.
        found: Digest,
    },
}

impl Terms {
    /// The terms of a judge.
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

    /// The terms of whoever judges.
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

    /// Why this mcpmark does not know what the document says; none where it does.
    pub(crate) fn unknown(&self) -> Option<String> {
        (self.schema != SCHEMA).then(|| {
            format!(
                "it has schema {}, and this mcpmark knows {SCHEMA}",
                self.schema
            )
        })
    }

    /// The parts that are not those of other terms, by their keys.
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

    /// Whether the limits are those of other terms, or what those were when the defaults of scripts
    /// were others.
    fn has_limits_of(&self, other: &Self) -> bool {
        let is_script = matches!(self.verifier, VerifierTerms::Script(_));
        self.limits == other.limits || is_script && self.limits.are_former(&other.limits)
    }

    /// The objects in the store that a grade by these terms needs beside the document itself, the two states and the
    /// answer: the only place that says so. Garbage collection keeps them, an export carries them, an import insists on
    /// them, and a verifier that is held back and a receipt are checked by them.
    pub fn references(&self) -> impl Iterator<Item = Reference> + use<> {
        let Self {
            schema: _,
            verifier,
            parameters: _,
            // Whether there is one. Its text is in the journal, and a blob of that digest in the store.
            answer: _,
            limits: _,
            clock: _,
        } = self;
        verifier.references()
    }

    /// The document.
    pub fn document(&self) -> Value {
        json!(self)
    }

    /// Keeps the document; the verifier is kept by whoever has its bytes.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<Digest, StoreError> {
        store.put(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// Reads a document back.
    ///
    /// # Errors
    ///
    /// When it is not there, or is none.
    pub fn read(store: &Store, digest: &Digest) -> Result<Self, TermsError> {
        let bytes = store.read(digest).map_err(|source| TermsError::Missing {
            what: "document",
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

    /// The judge of states of a service, loaded from the store. A script needs the `interpreter`.
    ///
    /// # Errors
    ///
    /// When something is missing, or does not load.
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
                Ok(Judge::Component(verifier))
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

/// A component of the store.
fn component(store: &Store, what: &'static str, digest: &Digest) -> Result<Vec<u8>, TermsError> {
    store.read(digest).map_err(|source| TermsError::Missing {
        what,
        digest: *digest,
        source,
    })
}
