//! Services behind the libraries with which scripts reach an API or a database.
//!
//! `requests`, `psycopg2` and `notion_client` are modules of the interpreter. They encode each call as a JSON object
//! and pass it to the host with the name of a service: `http`, `sql`, `notion`. The embedder answers. It has the final
//! state and nothing else; a script changes only its own copy, which is discarded when the script ends.

use std::fmt;

use crate::{FaultKind, InterfaceVersions};

/// Backend that answers requests of scripts to services.
pub trait ScriptServices: fmt::Debug + Send + Sync {
    /// Opens a fresh session for one run of a script: no other run sees changes that it makes to a database.
    fn open(&self) -> Box<dyn ScriptSession>;
}

/// Services of one run of a script.
pub trait ScriptSession: Send {
    /// Answers a request, a JSON object. `now` is the virtual time of the script, in seconds since
    /// 1970-01-01T00:00:00Z. The same requests in the same order get the same answers.
    fn call(&mut self, service: &str, request: &str, now: i64) -> ServiceAnswer;

    /// Returns the servers that answered the requests so far, such as `postgres 15` for `sql`. A backend that is a part
    /// of this program has none.
    fn interfaces(&self) -> InterfaceVersions {
        InterfaceVersions::default()
    }
}

/// Answer of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceAnswer {
    /// Answer, a JSON object.
    Answer(String),
    /// Error that the library raises, in the format of the service.
    Error(String),
    /// Missing service. The script is stopped, because its reaction would say nothing about the state.
    Absent,
    /// Limit of the run reached. The script is stopped, because its reaction would say nothing about the state.
    Exhausted {
        /// Kind of the fault.
        kind: FaultKind,
        /// Message that names the limit.
        message: String,
    },
    /// Failure of the service itself. The script is not the cause, and there is no grade.
    Broken(String),
}
