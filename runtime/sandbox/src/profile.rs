//! Kinds of engines, and the engine profile that names version, settings and processor.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use wasmtime::Engine;

/// Engine that executes guests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Machine code from Cranelift, wasmtime's compiler.
    #[default]
    Cranelift,
    /// Pulley, wasmtime's portable interpreter. It is slower, and executes bytecode instead of machine code.
    Pulley,
}

impl EngineKind {
    /// Returns the name used on the command line and in profiles.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cranelift => "cranelift",
            Self::Pulley => "pulley",
        }
    }

    /// Returns the engine that a cross-check compares with.
    pub fn other(self) -> Self {
        match self {
            Self::Cranelift => Self::Pulley,
            Self::Pulley => Self::Cranelift,
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns a short name for everything about an engine that compiled code depends on: wasmtime's version and settings,
/// and the processor.
pub(crate) fn profile(engine: &Engine, kind: EngineKind) -> String {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{kind}-{}-{:016x}", std::env::consts::ARCH, hasher.finish())
}

/// FNV-1a hash. The hasher of the standard library may change from one release to the next.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
