//! Limits of guests, their defaults, and the ceiling of the host.

use std::fmt;

use mcpmark_verdict::{MAX_CHECKS, MAX_OUTPUT_BYTES, VerdictLimits};
use serde::{Deserialize, Serialize};

use crate::{GuestKind, MAX_MEMORY_BYTES};

/// Limits of one run of a guest. The defaults are those of a verifier.
///
/// All limits except [`time_ms`](Self::time_ms) are deterministic on one engine profile: the same component on the same
/// input reaches them at the same instruction in every run. The time limit protects the host.
///
/// | limit | unit | verifier | setup | solution | ceiling |
/// |---|---|---|---|---|---|
/// | `fuel` | instructions | 1,000,000,000 | 20,000,000,000 | 20,000,000,000 | 500,000,000,000 |
/// | `memory_bytes` | bytes | 64 MiB | 256 MiB | 256 MiB | 1 GiB |
/// | `table_elements` | elements | 20,000 | 20,000 | 20,000 | 100,000 |
/// | `time_ms` | milliseconds | 30 s | 120 s | 1 h | 1 h |
/// | `copy_bytes` | bytes | 512 MiB | 4 GiB | 512 MiB | 16 GiB |
/// | `log_bytes` | bytes | 64 KiB | 64 KiB | 64 KiB | 16 MiB |
/// | `output_bytes` | bytes | 256 KiB | 256 KiB | 1 MiB | 16 MiB |
/// | `checks` | checks | 1,000 | 1,000 | 1,000 | 100,000 |
///
/// A task sets the limits of its verifier under `limits` in `meta.json`, with these names and units. The operator of
/// the host sets the ceiling. Fixed for every guest, apart from interpreters, are [`MAX_INSTANCES`], [`MAX_MEMORIES`],
/// [`MAX_TABLES`], [`MAX_STACK_BYTES`] and [`MAX_HANDLES`]. [`SandboxConfig`](crate::SandboxConfig) limits the size of
/// components, and [`CompileLimits`](crate::CompileLimits) the cost of compiling them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Fuel, about one unit per WebAssembly instruction: wasmtime charges one unit for most of them.
    pub fuel: u64,
    /// Linear memory of all memories of the guest together, in bytes.
    pub memory_bytes: u64,
    /// Elements of all tables of the guest together.
    pub table_elements: u64,
    /// Wall-clock time, in milliseconds.
    pub time_ms: u64,
    /// Bytes that pass between guest and host in all calls, in either direction, plus [`CALL_COST`] bytes for each
    /// call.
    pub copy_bytes: u64,
    /// Bytes of log messages that are kept, each with a line break. Later messages are counted and dropped. The log
    /// uses at most twice as much host memory.
    pub log_bytes: u64,
    /// Bytes of the result: the names and details of a verdict, the answer of a solution, or the output of a script.
    pub output_bytes: u64,
    /// Number of checks in a verdict.
    pub checks: u64,
}

/// Bytes charged for each host call, in addition to the bytes that it copies.
pub const CALL_COST: u64 = 1 << 10;

/// Maximum number of core instances in one guest. Fixed, like the following maxima.
pub const MAX_INSTANCES: u32 = 20;
/// Maximum number of linear memories in one guest.
pub const MAX_MEMORIES: u32 = 4;
/// Maximum number of tables in one guest.
pub const MAX_TABLES: u32 = 8;
/// Maximum number of elements in one table. No limit can exceed it.
pub const MAX_TABLE_ELEMENTS: u64 = 100_000;
/// Stack size of a guest's functions, in bytes.
pub const MAX_STACK_BYTES: u64 = 512 << 10;
/// Maximum number of handles to resources that a guest holds at once. Each takes memory of the host.
pub const MAX_HANDLES: usize = 10_000;
/// Maximum number of descriptors, streams and timers that a script has open at once.
pub(crate) const MAX_OPEN: usize = 10_000;

const MIB: u64 = 1 << 20;

impl Limits {
    /// Default limits of a verifier.
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

    /// Limits of a setup guest, which may write a large world.
    pub const SETUP: Self = Self {
        fuel: 20_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 120_000,
        copy_bytes: 4096 * MIB,
        ..Self::VERIFIER
    };

    /// Limits of a solution. Its time includes that of the tools it calls.
    pub const SOLUTION: Self = Self {
        fuel: 20_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 3_600_000,
        output_bytes: MIB,
        ..Self::VERIFIER
    };

    /// Limits of a site for one request. Its time includes that of its SQL statements.
    pub const SITE: Self = Self {
        fuel: 2_000_000_000,
        copy_bytes: 256 * MIB,
        output_bytes: 16 * MIB,
        ..Self::VERIFIER
    };

    /// Default ceiling: the most that a host grants unless its operator sets another ceiling.
    pub const CEILING: Self = Self {
        fuel: 500_000_000_000,
        memory_bytes: MAX_MEMORY_BYTES,
        table_elements: MAX_TABLE_ELEMENTS,
        time_ms: 3_600_000,
        copy_bytes: 16_384 * MIB,
        log_bytes: 16 * MIB,
        output_bytes: MAX_OUTPUT_BYTES,
        checks: MAX_CHECKS,
    };

    /// Returns these limits if they are valid as a ceiling.
    ///
    /// # Errors
    ///
    /// Returns an error if memory or table elements exceed [`MAX_MEMORY_BYTES`] or [`MAX_TABLE_ELEMENTS`].
    pub fn as_ceiling(self) -> Result<Self, LimitsError> {
        let mut limits = self;
        for (name, value) in limits.fields() {
            if let Some(most) = fixed_maximum(name).filter(|most| *value > *most) {
                return Err(LimitsError::PastMaximum {
                    name,
                    value: *value,
                    most,
                });
            }
        }
        Ok(self)
    }

    /// Returns the names of the limits that exceed the ceiling, with the values of the ceiling.
    pub fn above(mut self, ceiling: &Self) -> Vec<(&'static str, u64)> {
        let mut ceiling = *ceiling;
        let pairs = self.fields().into_iter().zip(ceiling.fields());
        let above = pairs.filter(|((_, value), (_, most))| **value > **most);
        above.map(|((name, _), (_, most))| (name, *most)).collect()
    }

    /// Returns these limits, each lowered to the ceiling if it exceeds it.
    #[must_use]
    pub fn below(mut self, ceiling: &Self) -> Self {
        let mut ceiling = *ceiling;
        for (limit, most) in self.fields().into_iter().zip(ceiling.fields()) {
            *limit.1 = (*limit.1).min(*most.1);
        }
        self
    }

    /// Parses a text such as `fuel=2000000000, memory_bytes=134217728` and sets these limits to its values.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form or an unknown name, or if a value is not a positive integer.
    pub fn with(mut self, text: &str) -> Result<Self, LimitsError> {
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, value) = part
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or_else(|| LimitsError::Shape(part.to_owned()))?;
            self = self.with_one(name, value)?;
        }
        Ok(self)
    }

    /// Sets one limit to a value in text form.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is unknown, or if the value is not a positive integer.
    pub fn with_one(mut self, name: &str, value: &str) -> Result<Self, LimitsError> {
        let mut fields = self.fields();
        let names = fields.each_ref().map(|(name, _)| *name);
        let field = fields
            .iter_mut()
            .find(|field| field.0 == name)
            .ok_or_else(|| LimitsError::Unknown {
                name: name.to_owned(),
                known: names.join(", "),
            })?;
        *field.1 = match value.parse() {
            Ok(value) if value > 0 => value,
            _ => {
                return Err(LimitsError::Value {
                    name: name.to_owned(),
                    value: value.to_owned(),
                });
            }
        };
        Ok(self)
    }

    pub(crate) fn fields(&mut self) -> [(&'static str, &mut u64); 8] {
        [
            ("fuel", &mut self.fuel),
            ("memory_bytes", &mut self.memory_bytes),
            ("table_elements", &mut self.table_elements),
            ("time_ms", &mut self.time_ms),
            ("copy_bytes", &mut self.copy_bytes),
            ("log_bytes", &mut self.log_bytes),
            ("output_bytes", &mut self.output_bytes),
            ("checks", &mut self.checks),
        ]
    }

    fn get(mut self, name: &str) -> u64 {
        let fields = self.fields();
        let field = fields.into_iter().find(|field| field.0 == name);
        field.map_or(0, |field| *field.1)
    }
}

/// Writes the form that [`Limits::with`] parses.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limits = *self;
        for (number, (name, value)) in limits.fields().into_iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            write!(f, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::VERIFIER
    }
}

/// Errors of parsing limits, and of limits as a ceiling.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// Part that is not of the form `name=number`.
    #[error("{0:?} is not of the form name=number")]
    Shape(String),
    /// Unknown name of a limit.
    #[error("unknown limit `{name}`; expected one of {known}")]
    Unknown {
        /// Name in the text.
        name: String,
        /// Names of all limits.
        known: String,
    },
    /// Value that is not a positive integer.
    #[error("limit `{name}`: expected an integer above 0, found {value:?}")]
    Value {
        /// Name of the limit.
        name: String,
        /// Value in the text.
        value: String,
    },
    /// Value above the maximum of every host.
    #[error("limit `{name}`: {value} exceeds {most}, the maximum on every host (fixed)")]
    PastMaximum {
        /// Name of the limit.
        name: &'static str,
        /// Requested value.
        value: u64,
        /// Maximum of every host.
        most: u64,
    },
}

/// Returns the maximum of any ceiling, which follows from the size of a slot in the pool.
fn fixed_maximum(name: &str) -> Option<u64> {
    match name {
        "memory_bytes" => Some(MAX_MEMORY_BYTES),
        "table_elements" => Some(MAX_TABLE_ELEMENTS),
        _ => None,
    }
}

/// Limits of one run, lowered to the ceiling, with the facts that the message of a fault needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) limits: Limits,
    ceiling: Limits,
    guest: GuestKind,
    /// Name of the setting with which the operator raises the ceiling.
    setting: Option<&'static str>,
}

impl Allowed {
    pub(crate) fn new(guest: GuestKind, limits: &Limits, ceiling: &Limits) -> Self {
        Self {
            limits: limits.below(ceiling),
            ceiling: *ceiling,
            guest,
            setting: None,
        }
    }

    /// Sets the name of the setting with which the operator raises the ceiling.
    pub(crate) fn set_by(self, setting: Option<&'static str>) -> Self {
        Self { setting, ..self }
    }

    /// Returns the value of a limit by its name.
    pub(crate) fn value(&self, name: &'static str) -> u64 {
        self.limits.get(name)
    }

    /// Returns a note for the end of a fault's message: the name of a limit, and how to raise it.
    pub(crate) fn limit_hint(&self, name: &'static str) -> LimitHint {
        LimitHint {
            name,
            value: self.limits.get(name),
            ceiling: self.ceiling.get(name),
            guest: self.guest,
            setting: self.setting,
        }
    }
}

impl VerdictLimits for Allowed {
    fn checks(&self) -> u64 {
        self.limits.checks
    }

    fn output_bytes(&self) -> u64 {
        self.limits.output_bytes
    }

    fn hint(&self, name: &'static str) -> String {
        self.limit_hint(name).to_string()
    }
}

/// The limits of a verifier on a host with the default ceiling.
impl VerdictLimits for Limits {
    fn checks(&self) -> u64 {
        self.below(&Self::CEILING).checks
    }

    fn output_bytes(&self) -> u64 {
        self.below(&Self::CEILING).output_bytes
    }

    fn hint(&self, name: &'static str) -> String {
        let allowed = Allowed::new(GuestKind::Verifier, self, &Self::CEILING);
        allowed.limit_hint(name).to_string()
    }
}

pub(crate) struct LimitHint {
    name: &'static str,
    value: u64,
    ceiling: u64,
    guest: GuestKind,
    setting: Option<&'static str>,
}

impl fmt::Display for LimitHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            value,
            ceiling,
            guest,
            setting,
        } = self;
        if fixed_maximum(name) == Some(*value) {
            write!(f, "(limit `{name}`, fixed: no host grants more)")
        } else if value >= ceiling {
            let by = setting.map_or_else(String::new, |setting| format!(" with `{setting}`"));
            write!(
                f,
                "(limit `{name}`, at the ceiling of this host, which its operator may raise{by})"
            )
        } else if *guest == GuestKind::Solution && *name == "time_ms" {
            write!(f, "(limit `{name}`, the remaining time of the attempt)")
        } else if matches!(guest, GuestKind::Verifier | GuestKind::Interpreter) {
            write!(
                f,
                "(limit `{name}`, which `limits` of the task or of the grade may raise to {ceiling} on this host)"
            )
        } else {
            // Neither a task nor the operator sets the limits of these guests.
            write!(f, "(limit `{name}`, fixed: the same for every {guest})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_sets_the_limits_it_names() {
        let limits = Limits::VERIFIER.with(" fuel=5, checks = 7 ,").unwrap();
        assert_eq!((limits.fuel, limits.checks), (5, 7));
        assert_eq!(limits.memory_bytes, Limits::VERIFIER.memory_bytes);
        let text = limits.to_string();
        assert!(text.starts_with("fuel=5,memory_bytes=67108864,"), "{text}");
        assert_eq!(Limits::CEILING.with(&text), Ok(limits));
        for (text, message) in [
            ("fuel", "\"fuel\" is not of the form name=number"),
            (
                "fuel=0",
                "limit `fuel`: expected an integer above 0, found \"0\"",
            ),
            (
                "fuel=-1",
                "limit `fuel`: expected an integer above 0, found \"-1\"",
            ),
            (
                "speed=1",
                "unknown limit `speed`; expected one of fuel, memory_bytes, table_elements, time_ms, copy_bytes, log_bytes, output_bytes, checks",
            ),
        ] {
            assert_eq!(
                Limits::VERIFIER.with(text).unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn every_limit_has_a_name_and_stays_below_the_ceiling() {
        let serde_json::Value::Object(written) = serde_json::to_value(Limits::VERIFIER).unwrap()
        else {
            panic!("limits are an object");
        };
        let mut limits = Limits::VERIFIER;
        let names = limits.fields().map(|field| field.0);
        assert!(written.keys().eq(names));
        for name in names {
            let ceiling = Limits::CEILING.with(&format!("{name}=3")).unwrap();
            let limits = Limits::VERIFIER.below(&ceiling);
            assert_eq!(limits, Limits::VERIFIER.with(&format!("{name}=3")).unwrap());
        }
    }

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_code() {
        let source = include_str!("limits.rs");
        let number = |text: &str| -> u64 {
            let text = text.trim().replace(',', "");
            let (digits, unit) = text.split_once(' ').unwrap_or((&text, ""));
            let unit = match unit {
                "" => 1,
                "KiB" => 1 << 10,
                "MiB" => 1 << 20,
                "GiB" => 1 << 30,
                "s" => 1_000,
                "h" => 3_600_000,
                other => panic!("{other}"),
            };
            digits.parse::<u64>().unwrap() * unit
        };
        let mut limits = Limits::VERIFIER;
        let mut rows = 0;
        for line in source.lines() {
            let Some(row) = line.strip_prefix("/// | `") else {
                continue;
            };
            let cells: Vec<&str> = row.split('|').collect();
            let name = cells[0].trim().trim_end_matches('`');
            let kinds = [
                Limits::VERIFIER,
                Limits::SETUP,
                Limits::SOLUTION,
                Limits::CEILING,
            ];
            for (cell, limits) in cells[2..6].iter().zip(kinds) {
                assert_eq!(number(cell), limits.get(name), "{name}: {cell}");
            }
            rows += 1;
        }
        assert_eq!(rows, limits.fields().len());
    }

    #[test]
    fn a_fault_says_who_can_raise_the_limit() {
        let allowed = |kind: GuestKind| Allowed::new(kind, &kind.limits(), &Limits::CEILING);
        assert_eq!(
            allowed(GuestKind::Verifier)
                .limit_hint("checks")
                .to_string(),
            "(limit `checks`, which `limits` of the task or of the grade may raise to 100000 on this host)"
        );
        assert_eq!(
            allowed(GuestKind::Setup).limit_hint("fuel").to_string(),
            "(limit `fuel`, fixed: the same for every setup guest)"
        );
        assert_eq!(
            allowed(GuestKind::Solution).limit_hint("fuel").to_string(),
            "(limit `fuel`, fixed: the same for every solution)"
        );
        let hurried = Limits {
            time_ms: 10,
            ..Limits::SOLUTION
        };
        assert_eq!(
            Allowed::new(GuestKind::Solution, &hurried, &Limits::CEILING)
                .limit_hint("time_ms")
                .to_string(),
            "(limit `time_ms`, the remaining time of the attempt)"
        );
        let ceiling = Limits {
            checks: 10,
            ..Limits::CEILING
        };
        let low = Allowed::new(GuestKind::Verifier, &Limits::VERIFIER, &ceiling);
        assert_eq!(
            low.limit_hint("checks").to_string(),
            "(limit `checks`, at the ceiling of this host, which its operator may raise)"
        );
        let named = low.set_by(Some("CEILING_OF_THE_HOST"));
        assert_eq!(
            named.limit_hint("checks").to_string(),
            "(limit `checks`, at the ceiling of this host, which its operator may raise with `CEILING_OF_THE_HOST`)"
        );
        let most = Allowed::new(GuestKind::Verifier, &Limits::CEILING, &Limits::CEILING);
        for name in ["memory_bytes", "table_elements"] {
            assert_eq!(
                most.limit_hint(name).to_string(),
                format!("(limit `{name}`, fixed: no host grants more)")
            );
        }
    }

    #[test]
    fn a_ceiling_past_what_is_fixed_is_refused_by_name() {
        assert_eq!(Limits::CEILING.as_ceiling(), Ok(Limits::CEILING));
        for (name, most) in [
            ("memory_bytes", MAX_MEMORY_BYTES),
            ("table_elements", MAX_TABLE_ELEMENTS),
        ] {
            let past = (most + 1).to_string();
            let ceiling = Limits::CEILING.with_one(name, &past).unwrap();
            assert_eq!(
                ceiling.as_ceiling().unwrap_err().to_string(),
                format!("limit `{name}`: {past} exceeds {most}, the maximum on every host (fixed)")
            );
            let config = crate::SandboxConfig {
                ceiling,
                ..crate::SandboxConfig::default()
            };
            let refused = crate::Sandbox::new(&config).err().unwrap().to_string();
            assert!(
                refused.contains(name) && refused.contains(&past),
                "{refused}"
            );
        }
        let wide = Limits::CEILING.with("fuel=1000000000000,log_bytes=1000000000");
        assert_eq!(wide.clone().unwrap().as_ceiling(), wide);
        assert_eq!(
            wide.unwrap().above(&Limits::CEILING),
            [("fuel", Limits::CEILING.fuel), ("log_bytes", 16 << 20)]
        );
    }
}
