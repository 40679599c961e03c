//! What stands behind the libraries that scripts import to reach a service.
//!
//! `requests`, `psycopg2` and `notion_client` are modules of the interpreter, which put each call
//! as a JSON object and hand it to the host under the name of a service: `http`, `sql`, `notion`.
//! What answers is the embedder's. It knows the final state and nothing else; what a script changes is
//! a copy of its own, which goes when the script ends.

use std::fmt;

use crate::FaultKind;

/// Answers what scripts ask of services.
pub trait ScriptServices: fmt::Debug + Send + Sync {
    /// Begins anew for one run of a script: what one run does to a database no other sees.
    fn open(&self) -> Box<dyn ScriptSession>;
}

/// The services of one run of a script.
pub trait ScriptSession: Send {
    /// Answers a request, a JSON object. `now` is the script's own instant, in seconds since
    /// 1970-01-01T00:00:00Z. The same requests in the same order get the same answers.
    fn call(&mut self, service: &str, request: &str, now: i64) -> ServiceAnswer;
}

/// What a service says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceAnswer {
    /// The answer, a JSON object.
    Answer(String),
    /// The error that the library raises, in the service's own form.
    Error(String),
    /// There is no such service here. The script is stopped, for what it would make of that says
    /// nothing of the state.
    Absent,
    /// The script asks for more than one run may have. It is stopped, for what it would make of that
    /// says nothing of the state either.
    Exhausted {
        /// What there is no more of.
        kind: FaultKind,
        /// The limit, by its name.
        message: String,
    },
    /// The service itself broke; the script is not to blame, and there is no grade.
    Broken(String),
}
