//! Host functions of the guest contract, with one file per kind of guest.

mod builder;
pub mod site;
mod state;
mod tools;

use std::any::Any;
use std::fmt;

use wasmtime::ResourceLimiter;

pub use self::builder::SetupHost;
pub(crate) use self::builder::WorldBuilder;
pub(crate) use self::site::SiteGuestHost;
pub use self::state::VerifierHost;
pub(crate) use self::tools::SolutionHost;
pub use self::tools::{ToolContent, ToolError, ToolHost, ToolInfo, ToolOutput};
use crate::bindings::mcpmark::guest::{log, parameters};
use crate::component::one_line;
use crate::limits::{
    Allowed, CALL_COST, MAX_INSTANCES, MAX_MEMORIES, MAX_TABLE_ELEMENTS, MAX_TABLES,
};
use crate::meter::Meter;
use crate::{Fault, FaultKind, InterfaceVersions, RunError};

/// Fuel for a read that opens a blob, which takes about 10 µs even if few bytes are read.
const OPEN_COST: u64 = 20_000;

/// Store data that every kind of guest has.
pub(crate) struct Common {
    pub(crate) allowed: Allowed,
    pub(crate) log: Log,
    /// Servers that answered the guest.
    pub(crate) interfaces: InterfaceVersions,
    parameters: String,
    panic: Option<String>,
    copied: u64,
    /// Fuel that host functions charged.
    pub(crate) charged: u64,
    memory: usize,
    table: usize,
}

/// Log of a guest, up to a limit.
///
/// All messages share one string, because a million short lines would take many times their bytes as separate strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Messages, each followed by a line break.
    text: String,
    /// Number of messages that were dropped after the limit was reached.
    pub dropped: u64,
}

impl Log {
    /// Returns the lines that were kept. A message that contains line breaks yields several lines.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.split_terminator('\n')
    }

    /// Returns the lines as one text, without a line break at the end.
    pub fn text(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }

    /// Appends a message if it fits below the limit with its line break, and if no earlier one was dropped.
    fn add(&mut self, message: &str, limit: u64) {
        let bytes = self.text.len() as u64 + message.len() as u64 + 1;
        if self.dropped > 0 || bytes > limit {
            self.dropped += 1;
            return;
        }
        self.text.push_str(message);
        self.text.push('\n');
    }
}

/// State of interfaces that lasts for one run: one value per type.
#[derive(Default)]
pub(crate) struct RunState(Vec<Box<dyn Any>>);

impl RunState {
    /// Returns the value of this type, or inserts the default.
    pub(crate) fn get<T: Any + Default>(&mut self) -> &mut T {
        let place = self.0.iter().position(|value| value.as_ref().is::<T>());
        let place = place.unwrap_or_else(|| {
            self.0.push(Box::new(T::default()));
            self.0.len() - 1
        });
        match self.0[place].downcast_mut() {
            Some(value) => value,
            None => unreachable!("the value at this place has this type"),
        }
    }
}

/// Error with which a host function stops a guest. It passes through wasmtime.
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

    pub(crate) fn world(message: impl fmt::Display) -> wasmtime::Error {
        wasmtime::Error::from(Self(RunError::World(message.to_string())))
    }

    pub(crate) fn host(message: impl fmt::Display) -> wasmtime::Error {
        wasmtime::Error::from(Self(RunError::Host(message.to_string())))
    }
}

impl Common {
    pub(crate) fn new(allowed: Allowed, parameters: String) -> Self {
        Self {
            allowed,
            log: Log::default(),
            interfaces: InterfaceVersions::default(),
            parameters,
            panic: None,
            copied: 0,
            charged: 0,
            memory: 0,
            table: 0,
        }
    }

    /// Appends a message to the log.
    pub(crate) fn write_log(&mut self, message: &str) -> wasmtime::Result<()> {
        self.charge(message.len() as u64)?;
        self.log.add(message, self.allowed.limits.log_bytes);
        Ok(())
    }

    /// Stores the reason of a trap that follows.
    pub(crate) fn note_panic(&mut self, message: String) -> wasmtime::Result<()> {
        self.charge(message.len() as u64)?;
        self.panic = Some(cut(message, 4096));
        Ok(())
    }

    pub(crate) fn panic_message(&self) -> Option<&str> {
        self.panic.as_deref()
    }

    /// Charges a call and the bytes that pass with it, in either direction, to `copy_bytes`.
    pub(crate) fn charge(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.charge_bytes(bytes.saturating_add(CALL_COST))
    }

    /// Charges only bytes to `copy_bytes`, for a call that costs almost nothing.
    pub(crate) fn charge_bytes(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.copied = self.copied.saturating_add(bytes);
        let limit = self.allowed.limits.copy_bytes;
        if self.copied > limit {
            return Err(Stop::fault(
                FaultKind::Copy,
                format!(
                    "the host copied more than {limit} bytes for the guest, with {CALL_COST} bytes charged for each call {}",
                    self.allowed.limit_hint("copy_bytes")
                ),
            ));
        }
        Ok(())
    }

    /// Charges fuel for work that takes longer than its bytes suggest.
    pub(crate) fn charge_fuel(&mut self, units: u64) -> wasmtime::Result<()> {
        self.charged = self.charged.saturating_add(units);
        if self.charged > self.allowed.limits.fuel {
            return Err(Stop(RunError::Fault(self.out_of_fuel())).into());
        }
        Ok(())
    }

    /// Charges fuel for opening a blob and for each byte that is read from it and hashed. At the price of its bytes
    /// alone the time limit would decide a grade, not fuel.
    pub(crate) fn charge_blob(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.charge_fuel(OPEN_COST.saturating_add(bytes))
    }

    /// Returns a meter with the remaining fuel and bytes of the guest.
    pub(crate) fn meter(&self) -> Meter {
        let limits = &self.allowed.limits;
        Meter::new(
            limits.fuel.saturating_sub(self.charged),
            limits.copy_bytes.saturating_sub(self.copied),
        )
    }

    /// Charges the work of an engine that stopped because fuel or bytes ran out, and returns the fault.
    pub(crate) fn exhausted(&mut self, meter: &Meter) -> wasmtime::Error {
        let charged = self.charge_fuel(meter.fuel());
        let charged = charged.and_then(|()| self.charge_bytes(meter.bytes()));
        charged.err().unwrap_or_else(|| {
            Stop::host("an engine reported that fuel or bytes ran out, but enough of both was left")
        })
    }

    pub(crate) fn out_of_fuel(&self) -> Fault {
        Fault::new(
            FaultKind::Fuel,
            format!(
                "the guest used up its {} units of fuel {}",
                self.allowed.limits.fuel,
                self.allowed.limit_hint("fuel")
            ),
        )
    }
}

/// Access to [`Common`] in the data of any kind of guest.
pub(crate) trait HasCommon: 'static {
    fn common(&mut self) -> &mut Common;
}

impl log::Host for Common {
    fn write(&mut self, message: String) -> wasmtime::Result<()> {
        self.write_log(&message)
    }

    fn panic(&mut self, message: String) -> wasmtime::Result<()> {
        self.note_panic(message)
    }
}

impl parameters::Host for Common {
    fn get(&mut self) -> wasmtime::Result<String> {
        self.charge(self.parameters.len() as u64)?;
        Ok(self.parameters.clone())
    }
}

/// Shortens a text to at most `limit` bytes at a character boundary, and then appends `…`.
pub(crate) fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = text.floor_char_boundary(limit);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Growth beyond a limit stops the guest with a fault, instead of an allocation failure in the guest's own library.
/// Growth beyond a maximum that the guest declared fails as WebAssembly specifies, and the guest continues. If growth
/// is granted but the host has no memory, the host is the cause and the grade ends: a guest that continued could reach
/// a verdict that differs from the one on another machine.
impl ResourceLimiter for Common {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.memory = self.memory.saturating_add(desired.saturating_sub(current));
        let limit = self.allowed.limits.memory_bytes;
        if self.memory as u64 > limit {
            return Err(Stop::fault(
                FaultKind::Memory,
                format!(
                    "the guest requested {} bytes of memory, more than {limit} {}",
                    self.memory,
                    self.allowed.limit_hint("memory_bytes")
                ),
            ));
        }
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::host(format!(
            "the host cannot allocate memory for the guest: {}",
            one_line(&error)
        )))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // A table without a maximum of its own has the maximum of its slot.
        let declared = maximum.filter(|maximum| (*maximum as u64) < MAX_TABLE_ELEMENTS);
        if declared.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.table = self.table.saturating_add(desired.saturating_sub(current));
        let limit = self.allowed.limits.table_elements;
        if self.table as u64 > limit {
            return Err(Stop::fault(
                FaultKind::Memory,
                format!(
                    "the guest requested {} table elements, more than {limit} {}",
                    self.table,
                    self.allowed.limit_hint("table_elements")
                ),
            ));
        }
        Ok(true)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::host(format!(
            "the host cannot allocate a table for the guest: {}",
            one_line(&error)
        )))
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES as usize
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES as usize
    }

    fn tables(&self) -> usize {
        MAX_TABLES as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_takes_no_more_than_twice_its_limit_however_short_the_lines_are() {
        let limit = 1 << 20;
        let mut log = Log::default();
        for _ in 0..limit {
            log.add("", limit);
        }
        assert_eq!((log.lines().count() as u64, log.dropped), (limit, 0));
        log.add("", limit);
        assert_eq!(log.dropped, 1);
        let held = log.text.capacity() + size_of::<Log>();
        assert!(held as u64 <= 2 * limit + 64, "{held} bytes");
    }

    #[test]
    fn output_after_the_limit_is_counted_and_not_kept() {
        let mut log = Log::default();
        for message in ["one", "two\nlines", "", "more than fits", "x"] {
            log.add(message, 15);
        }
        let lines: Vec<&str> = log.lines().collect();
        assert_eq!(lines, ["one", "two", "lines", ""]);
        assert_eq!(log.text(), "one\ntwo\nlines\n");
        assert_eq!(log.dropped, 2);
        assert_eq!(Log::default().lines().count(), 0);
    }
}
