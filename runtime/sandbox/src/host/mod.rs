//! What guests may ask of the host, one file an interface.

mod builder;
mod state;
mod tools;

use std::fmt;

use wasmtime::ResourceLimiter;

pub(crate) use self::builder::{SetupHost, WorldBuilder};
pub(crate) use self::state::VerifierHost;
pub(crate) use self::tools::SolutionHost;
pub use self::tools::{ToolContent, ToolError, ToolHost, ToolInfo, ToolOutput};
use crate::bindings::mcpmark::guest::{log, parameters};
use crate::limits::CALL_COST;
use crate::{Fault, FaultKind, Limits, RunError};

/// The part of a store's data that every kind of guest has.
pub(crate) struct Common {
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    parameters: String,
    panic: Option<String>,
    copied: u64,
    memory: usize,
    table: usize,
}

/// The lines that a guest logged, up to a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The lines that were kept.
    pub lines: Vec<String>,
    /// How many came after the limit was reached.
    pub dropped: u64,
    bytes: u64,
}

/// Why a host function stops a guest; travels through wasmtime as an error.
#[derive(Debug)]
pub(crate) struct Stop(pub(crate) RunError);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stop {}

impl Stop {
    pub(crate) fn fault(kind: FaultKind, message: String) -> wasmtime::Error {
        wasmtime::Error::from(Self(RunError::Fault(Fault::new(kind, message))))
    }

    pub(crate) fn host(message: impl fmt::Display) -> wasmtime::Error {
        wasmtime::Error::from(Self(RunError::Host(message.to_string())))
    }
}

impl Common {
    pub(crate) fn new(limits: Limits, parameters: String) -> Self {
        Self {
            limits,
            log: Log::default(),
            parameters,
            panic: None,
            copied: 0,
            memory: 0,
            table: 0,
        }
    }

    pub(crate) fn panic_message(&self) -> Option<&str> {
        self.panic.as_deref()
    }

    /// Charges a call and the bytes it hands to the guest.
    pub(crate) fn charge(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.copied = self.copied.saturating_add(bytes).saturating_add(CALL_COST);
        if self.copied > self.limits.copy_bytes {
            return Err(Stop::fault(
                FaultKind::Copy,
                format!(
                    "the host copied more than {} bytes for the guest (limit `copy_bytes`)",
                    self.limits.copy_bytes
                ),
            ));
        }
        Ok(())
    }
}

/// Finds [`Common`] in the data of any kind of guest.
pub(crate) trait HasCommon: 'static {
    fn common(&mut self) -> &mut Common;
}

impl log::Host for Common {
    fn write(&mut self, message: String) -> wasmtime::Result<()> {
        self.charge(0)?;
        let log = &mut self.log;
        let bytes = log.bytes + message.len() as u64 + 1;
        if log.dropped > 0 || bytes > self.limits.log_bytes {
            log.dropped += 1;
        } else {
            log.bytes = bytes;
            log.lines.push(message);
        }
        Ok(())
    }

    fn panic(&mut self, message: String) -> wasmtime::Result<()> {
        self.charge(0)?;
        self.panic = Some(cut(message, 4096));
        Ok(())
    }
}

impl parameters::Host for Common {
    fn get(&mut self) -> wasmtime::Result<String> {
        self.charge(self.parameters.len() as u64)?;
        Ok(self.parameters.clone())
    }
}

/// Shortens a text to at most `limit` bytes, at a character's boundary.
fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = text.floor_char_boundary(limit);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Growth past a limit stops the guest, so that it is a fault with a name and not
/// an allocation failure somewhere in the guest's own library.
impl ResourceLimiter for Common {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.memory += desired.saturating_sub(current);
        if self.memory as u64 > self.limits.memory_bytes {
            return Err(Stop::fault(
                FaultKind::Memory,
                format!(
                    "the guest asked for {} bytes of memory, more than the limit of {} (`memory_bytes`)",
                    self.memory, self.limits.memory_bytes
                ),
            ));
        }
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.table += desired.saturating_sub(current);
        if self.table as u64 > self.limits.table_elements {
            return Err(Stop::fault(
                FaultKind::Memory,
                format!(
                    "the guest asked for {} table elements, more than the limit of {} (`table_elements`)",
                    self.table, self.limits.table_elements
                ),
            ));
        }
        Ok(true)
    }
}
