//! `wasi:clocks` and `wasi:io/poll` with a virtual clock. It advances by a fixed step when it is read, and jumps ahead
//! when the program waits.
//!
//! Not the implementation of `wasmtime-wasi`: its traits for clocks replace what a clock reads, but not waiting.
//! `subscribe-duration` creates a timer of tokio, and `poll` and `block` wait for it in real time. Its trait `Pollable`
//! has one function for waiting and for `ready`, so that a virtual timer could not tell which of them advances the
//! clock. A timer also takes two of the places that limit open resources. The wall clock alone would fit, but it must
//! advance together with the other one.
#![expect(
    unreachable_pub,
    reason = "the bindings re-export the types of resources"
)]

use wasmtime::component::Resource;

use super::bindings::wasi::clocks::{monotonic_clock, wall_clock};
use super::bindings::wasi::io::poll;
use super::host::{Program, WasiHost};
use crate::FaultKind;
use crate::host::Stop;

/// Advance of the clock when it is read, in nanoseconds. Thus no two readings are equal, and scripts can divide by
/// their difference.
const LOOK: u64 = 1_000;
/// Advance of the clock for a wait whose time has passed, in nanoseconds, so that a loop of such waits also ends.
const PASSED: u64 = 10_000_000;
/// Maximum virtual time that a script may wait, in nanoseconds.
const MAX_WAITED: u64 = 3_600_000_000_000;

/// Condition to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pollable {
    /// Condition that is always met.
    Ready,
    /// Time in nanoseconds since the start of the script.
    At(u64),
}

/// Virtual clock of a script.
pub(crate) struct Clock {
    /// Start time of the script, in seconds since 1970-01-01T00:00:00Z.
    start: i64,
    elapsed: u64,
}

impl Clock {
    pub(crate) fn new(start: i64) -> Self {
        Self { start, elapsed: 0 }
    }

    /// Returns the time in seconds since 1970-01-01T00:00:00Z, without advancing the clock.
    pub(crate) fn now(&self) -> i64 {
        let elapsed = i64::try_from(self.elapsed / 1_000_000_000).unwrap_or(i64::MAX);
        self.start.saturating_add(elapsed)
    }

    fn look(&mut self) -> u64 {
        self.elapsed += LOOK;
        self.elapsed
    }

    fn is_ready(&self, pollable: Pollable) -> bool {
        pollable <= Pollable::At(self.elapsed)
    }

    fn wait_for(&mut self, pollable: Pollable, program: Program) -> wasmtime::Result<()> {
        let Pollable::At(instant) = pollable else {
            return Ok(());
        };
        self.elapsed = if instant > self.elapsed {
            instant
        } else {
            self.elapsed.saturating_add(PASSED)
        };
        if self.elapsed > MAX_WAITED {
            return Err(Stop::fault(
                FaultKind::Wait,
                format!(
                    "the {} waited longer than {} s of its virtual time (fixed)",
                    program.noun(),
                    MAX_WAITED / 1_000_000_000
                ),
            ));
        }
        Ok(())
    }
}

impl poll::Host for WasiHost<'_> {
    fn poll(&mut self, pollables: Vec<Resource<Pollable>>) -> wasmtime::Result<Vec<u32>> {
        self.light(pollables.len() as u64 * 8)?;
        let pollables = pollables
            .iter()
            .map(|pollable| Ok(*self.wasi.table.get(pollable)?))
            .collect::<wasmtime::Result<Vec<Pollable>>>()?;
        let Some(first) = pollables.iter().min() else {
            return Err(wasmtime::Error::msg("poll was called with an empty list"));
        };
        self.wasi.clock.wait_for(*first, self.wasi.program)?;
        let ready = (0..).zip(&pollables);
        let ready = ready.filter(|(_, pollable)| self.wasi.clock.is_ready(**pollable));
        Ok(ready.map(|(number, _)| number).collect())
    }
}

impl poll::HostPollable for WasiHost<'_> {
    fn ready(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<bool> {
        self.light(0)?;
        Ok(self.wasi.clock.is_ready(*self.wasi.table.get(&pollable)?))
    }

    fn block(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<()> {
        self.light(0)?;
        let pollable = *self.wasi.table.get(&pollable)?;
        self.wasi.clock.wait_for(pollable, self.wasi.program)
    }

    fn drop(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<()> {
        self.wasi.table.delete(pollable)?;
        Ok(())
    }
}

impl monotonic_clock::Host for WasiHost<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        self.light(0)?;
        Ok(self.wasi.clock.look())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        self.light(0)?;
        Ok(LOOK)
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<Pollable>> {
        self.pollable(Pollable::At(when))
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<Pollable>> {
        let when = self.wasi.clock.elapsed.saturating_add(duration);
        self.pollable(Pollable::At(when))
    }
}

impl WasiHost<'_> {
    pub(crate) fn pollable(&mut self, pollable: Pollable) -> wasmtime::Result<Resource<Pollable>> {
        self.light(0)?;
        Ok(self.wasi.table.push(pollable)?)
    }
}

impl wall_clock::Host for WasiHost<'_> {
    fn now(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        self.light(0)?;
        let elapsed = self.wasi.clock.look();
        Ok(wall_clock::Datetime {
            seconds: seconds(self.wasi.clock.start).saturating_add(elapsed / 1_000_000_000),
            nanoseconds: (elapsed % 1_000_000_000) as u32,
        })
    }

    fn resolution(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        self.light(0)?;
        Ok(wall_clock::Datetime {
            seconds: 0,
            nanoseconds: LOOK as u32,
        })
    }
}

/// Converts a time to seconds of WASI, which has no time before 1970. Earlier times become 0.
pub(crate) fn seconds(instant: i64) -> u64 {
    u64::try_from(instant).unwrap_or(0)
}
