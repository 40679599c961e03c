use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{GuestKind, MAX_MEMORY_BYTES};

/// What one run of a guest may use. The defaults are those of a verifier.
///
/// All of them but [`time_ms`](Self::time_ms) are deterministic on one engine
/// profile: the same component on the same input reaches them at the same
/// instruction on every run. The time limit is the guard of the host.
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
/// A task sets those of its verifier under `limits` in `meta.json`, by these names and in
/// these units; who runs the host lowers the ceiling. The same for every guest are
/// [`MAX_INSTANCES`], [`MAX_MEMORIES`], [`MAX_TABLES`], [`MAX_STACK_BYTES`] and [`MAX_HANDLES`],
/// the component's size ([`SandboxConfig`](crate::SandboxConfig)), and what compiling it takes
/// ([`CompileLimits`](crate::CompileLimits)).
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
    /// Bytes that pass between guest and host over all calls, in either direction, with
    /// [`CALL_COST`] bytes charged for each call on top.
    pub copy_bytes: u64,
    /// Bytes of log messages that are kept, each with a line break; later ones are counted and
    /// dropped. The host holds at most twice as many.
    pub log_bytes: u64,
    /// Bytes of the result: names and details of a verdict, or an answer.
    pub output_bytes: u64,
    /// Checks in a verdict.
    pub checks: u64,
}

/// What a call into the host is charged beyond the bytes it copies.
pub const CALL_COST: u64 = 1 << 10;

/// Core instances in one guest. Fixed, as is what follows.
pub const MAX_INSTANCES: u32 = 20;
/// Linear memories in one guest.
pub const MAX_MEMORIES: u32 = 4;
/// Tables in one guest.
pub const MAX_TABLES: u32 = 8;
/// Elements in one table; no limit goes past it.
pub const MAX_TABLE_ELEMENTS: u64 = 100_000;
/// Bytes of stack of a guest's functions.
pub const MAX_STACK_BYTES: u64 = 512 << 10;
/// Handles to resources that a guest holds at once; each takes memory of the host.
pub const MAX_HANDLES: usize = 10_000;
/// Descriptors, streams and timers that a script may have open at once.
pub(crate) const MOST_OPEN: usize = 10_000;

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
        copy_bytes: 4096 * MIB,
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

    /// What a host grants at most, unless its operator says otherwise.
    pub const CEILING: Self = Self {
        fuel: 500_000_000_000,
        memory_bytes: MAX_MEMORY_BYTES,
        table_elements: MAX_TABLE_ELEMENTS,
        time_ms: 3_600_000,
        copy_bytes: 16_384 * MIB,
        log_bytes: 16 * MIB,
        output_bytes: 16 * MIB,
        checks: 100_000,
    };

    /// These limits, as a ceiling: nothing in them is beyond what any host can grant.
    ///
    /// # Errors
    ///
    /// When memory or table elements are past [`MAX_MEMORY_BYTES`] or [`MAX_TABLE_ELEMENTS`].
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

    /// The names of those that are above the ceiling, in their order, with what it has.
    pub fn above(mut self, ceiling: &Self) -> Vec<(&'static str, u64)> {
        let mut ceiling = *ceiling;
        let pairs = self.fields().into_iter().zip(ceiling.fields());
        let above = pairs.filter(|((_, value), (_, most))| **value > **most);
        above.map(|((name, _), (_, most))| (name, *most)).collect()
    }

    /// These limits, lowered where the ceiling is below them.
    #[must_use]
    pub fn below(mut self, ceiling: &Self) -> Self {
        let mut ceiling = *ceiling;
        for (limit, most) in self.fields().into_iter().zip(ceiling.fields()) {
            *limit.1 = (*limit.1).min(*most.1);
        }
        self
    }

    /// These limits, with those that a text like `fuel=2000000000, memory_bytes=134217728` sets.
    ///
    /// # Errors
    ///
    /// When the text has another shape, names something else, or a value is no positive number.
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

    /// These limits, with the value that a text gives to one of them.
    ///
    /// # Errors
    ///
    /// When there is no such limit, or the value is no positive number.
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

/// As [`Limits::with`] reads them.
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

/// Limits that somebody wrote cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// Not a name, an equals sign and a number.
    #[error("{0:?} is not of the form name=number")]
    Shape(String),
    /// There is no such limit.
    #[error("there is no limit `{name}`; there are {known}")]
    Unknown {
        /// What was written.
        name: String,
        /// The limits there are.
        known: String,
    },
    /// Not a number that a limit can have.
    #[error("limit `{name}`: {value:?} is no whole number above 0")]
    Value {
        /// The limit.
        name: String,
        /// What was written.
        value: String,
    },
    /// More than any host has room for.
    #[error("limit `{name}`: {value} is more than {most}, which is the most on every host (fixed)")]
    PastMaximum {
        /// The limit.
        name: &'static str,
        /// What was asked for.
        value: u64,
        /// What there can be.
        most: u64,
    },
}

/// What no ceiling goes past: the pool of slots has room for no more.
fn fixed_maximum(name: &str) -> Option<u64> {
    match name {
        "memory_bytes" => Some(MAX_MEMORY_BYTES),
        "table_elements" => Some(MAX_TABLE_ELEMENTS),
        _ => None,
    }
}

/// The limits of one run, and the ceiling of the host that they are under.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) limits: Limits,
    ceiling: Limits,
    guest: GuestKind,
    /// What the host's operator sets to raise the ceiling.
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

    /// The same, where an operator raises the ceiling by a setting of this name.
    pub(crate) fn set_by(self, setting: Option<&'static str>) -> Self {
        Self { setting, ..self }
    }

    /// The value of a limit by its name.
    pub(crate) fn value(&self, name: &'static str) -> u64 {
        self.limits.get(name)
    }

    /// Names a limit and who can raise it, for the end of a fault's message.
    pub(crate) fn how_to_raise(&self, name: &'static str) -> Raise {
        Raise {
            name,
            value: self.limits.get(name),
            ceiling: self.ceiling.get(name),
            guest: self.guest,
            setting: self.setting,
        }
    }
}

pub(crate) struct Raise {
    name: &'static str,
    value: u64,
    ceiling: u64,
    guest: GuestKind,
    setting: Option<&'static str>,
}

impl fmt::Display for Raise {
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
            write!(f, "(limit `{name}`, what was left of the attempt's time)")
        } else if matches!(guest, GuestKind::Verifier | GuestKind::Interpreter) {
            write!(
                f,
                "(limit `{name}`, which `limits` of the task or of the grade may raise to {ceiling} on this host)"
            )
        } else {
            // Neither a task nor the ceiling sets these.
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
            ("fuel=0", "limit `fuel`: \"0\" is no whole number above 0"),
            ("fuel=-1", "limit `fuel`: \"-1\" is no whole number above 0"),
            (
                "speed=1",
                "there is no limit `speed`; there are fuel, memory_bytes, table_elements, time_ms, copy_bytes, log_bytes, output_bytes, checks",
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
                .how_to_raise("checks")
                .to_string(),
            "(limit `checks`, which `limits` of the task or of the grade may raise to 100000 on this host)"
        );
        assert_eq!(
            allowed(GuestKind::Setup).how_to_raise("fuel").to_string(),
            "(limit `fuel`, fixed: the same for every setup routine)"
        );
        assert_eq!(
            allowed(GuestKind::Solution)
                .how_to_raise("fuel")
                .to_string(),
            "(limit `fuel`, fixed: the same for every solution)"
        );
        let hurried = Limits {
            time_ms: 10,
            ..Limits::SOLUTION
        };
        assert_eq!(
            Allowed::new(GuestKind::Solution, &hurried, &Limits::CEILING)
                .how_to_raise("time_ms")
                .to_string(),
            "(limit `time_ms`, what was left of the attempt's time)"
        );
        let ceiling = Limits {
            checks: 10,
            ..Limits::CEILING
        };
        let low = Allowed::new(GuestKind::Verifier, &Limits::VERIFIER, &ceiling);
        assert_eq!(
            low.how_to_raise("checks").to_string(),
            "(limit `checks`, at the ceiling of this host, which its operator may raise)"
        );
        let named = low.set_by(Some("CEILING_OF_THE_HOST"));
        assert_eq!(
            named.how_to_raise("checks").to_string(),
            "(limit `checks`, at the ceiling of this host, which its operator may raise with `CEILING_OF_THE_HOST`)"
        );
        let most = Allowed::new(GuestKind::Verifier, &Limits::CEILING, &Limits::CEILING);
        for name in ["memory_bytes", "table_elements"] {
            assert_eq!(
                most.how_to_raise(name).to_string(),
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
                format!(
                    "limit `{name}`: {past} is more than {most}, which is the most on every host (fixed)"
                )
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
