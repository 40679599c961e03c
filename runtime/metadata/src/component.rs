//! Inspection of components.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output of `inspect`: kind, imports, exports and limits of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentDetail {
    /// Digest of the component.
    pub digest: String,
    /// Size of the component in bytes.
    pub bytes: u64,
    /// Kind of guest: `verifier`, `setup`, `solution`, `interpreter` or `site`; null if the exports fit no kind.
    pub kind: Option<String>,
    /// Export that makes the component a command of WASI, whose exit code is the verdict; null for other components.
    pub command: Option<String>,
    /// System interfaces: `pure` without WASI, or `wasi`.
    pub profile: String,
    /// Imports, in the order of the component.
    pub imports: Vec<ComponentImport>,
    /// Exports, in the order of the component.
    pub exports: Vec<ComponentExport>,
    /// Description of the capabilities that the imports provide.
    pub can: String,
    /// Limits of guests of this kind; null if the kind is unknown.
    pub limits: Option<GuestLimits>,
    /// Reason why the component cannot be loaded; null if it can.
    pub problem: Option<String>,
}

/// Import of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentImport {
    /// Name of the import.
    pub import: String,
    /// Description of what the import allows; null if guests of this kind do not get it.
    pub allows: Option<String>,
}

/// Export of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentExport {
    /// Name of the export.
    pub name: String,
    /// Sort of the export, such as `function` or `instance`.
    pub sort: String,
}

/// Limits of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuestLimits {
    /// Fuel, about one unit per WebAssembly instruction.
    pub fuel: u64,
    /// Linear memory in bytes.
    pub memory_bytes: u64,
    /// Elements of all tables together.
    pub table_elements: u64,
    /// Wall time in milliseconds.
    pub time_ms: u64,
    /// Bytes that pass between guest and host.
    pub copy_bytes: u64,
    /// Bytes of log messages that are recorded.
    pub log_bytes: u64,
    /// Bytes of the result.
    pub output_bytes: u64,
    /// Number of checks in a verdict.
    pub checks: u64,
}
