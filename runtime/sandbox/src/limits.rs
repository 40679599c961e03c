use serde::{Deserialize, Serialize};

/// What one run of a guest may use. The defaults are those of a verifier.
///
/// All of them but [`time_ms`](Self::time_ms) are deterministic on one engine
/// profile: the same component on the same input reaches them at the same
/// instruction on every run. The time limit is the guard of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// WebAssembly instructions, roughly: wasmtime charges one unit for most of them.
    pub fuel: u64,
    /// Bytes of linear memory, all memories of the guest together.
    pub memory_bytes: u64,
    /// Elements of tables, all tables of the guest together.
    pub table_elements: u64,
    /// Wall time in milliseconds.
    pub time_ms: u64,
    /// Bytes that the host copies to the guest over all calls, with
    /// [`CALL_COST`] bytes charged for each call on top.
    pub copy_bytes: u64,
    /// Bytes of log lines that are kept; later ones are counted and dropped.
    pub log_bytes: u64,
    /// Bytes of the result: names and details of a verdict, or an answer.
    pub output_bytes: u64,
    /// Checks in a verdict.
    pub checks: u64,
}

/// What a call into the host is charged beyond the bytes it copies.
pub const CALL_COST: u64 = 256;

const MIB: u64 = 1 << 20;

impl Limits {
    /// The limits of a verifier where its task sets none.
    pub const VERIFIER: Self = Self {
        fuel: 1_000_000_000,
        memory_bytes: 64 * MIB,
        table_elements: 20_000,
        time_ms: 30_000,
        copy_bytes: 512 * MIB,
        log_bytes: 64 << 10,
        output_bytes: 256 << 10,
        checks: 1_000,
    };

    /// The limits of a setup routine, which may write a large world.
    pub const SETUP: Self = Self {
        fuel: 20_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 120_000,
        ..Self::VERIFIER
    };

    /// The limits of a solution. Its time includes that of the tools it calls.
    pub const SOLUTION: Self = Self {
        fuel: 20_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 3_600_000,
        output_bytes: MIB,
        ..Self::VERIFIER
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::VERIFIER
    }
}
