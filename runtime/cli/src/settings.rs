//! The limits that whoever runs this host sets by variables of the environment.

use mcpmark_sandbox::{CompileLimits, Limits, SandboxConfig};

use crate::environment;
use crate::error::CommandError;
use crate::output;

/// What a guest may use at most, as in `fuel=5000000000,memory_bytes=134217728`.
pub(crate) const CEILING: &str = "MCPMARK_LIMITS_CEILING";

#[derive(Debug, Clone, Copy)]
enum Unit {
    Bytes,
    Seconds,
}

/// A limit that is one number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// The variable that sets it.
    pub(crate) variable: &'static str,
    unit: Unit,
    default: u64,
}

/// All limits that are numbers.
pub(crate) struct Settings {
    pub(crate) component: Setting,
    pub(crate) cpu: Setting,
    pub(crate) wall: Setting,
    pub(crate) memory: Setting,
    pub(crate) code: Setting,
    pub(crate) cache: Setting,
}

impl Settings {
    pub(crate) fn new() -> Self {
        let CompileLimits {
            cpu_seconds,
            wall_seconds,
            memory_bytes,
            code_bytes,
        } = CompileLimits::default();
        let sandbox = SandboxConfig::default();
        let bytes = |variable, default| Setting {
            variable,
            unit: Unit::Bytes,
            default,
        };
        let seconds = |variable, default| Setting {
            variable,
            unit: Unit::Seconds,
            default,
        };
        Self {
            component: bytes("MCPMARK_MAX_COMPONENT_BYTES", sandbox.max_component_bytes),
            cpu: seconds("MCPMARK_COMPILE_CPU_SECONDS", cpu_seconds),
            wall: seconds("MCPMARK_COMPILE_WALL_SECONDS", wall_seconds),
            memory: bytes("MCPMARK_COMPILE_MEMORY_BYTES", memory_bytes),
            code: bytes("MCPMARK_COMPILE_CODE_BYTES", code_bytes),
            cache: bytes("MCPMARK_CACHE_BYTES", sandbox.cache_bytes),
        }
    }

    pub(crate) fn all(&self) -> [Setting; 6] {
        [
            self.component,
            self.cpu,
            self.wall,
            self.memory,
            self.code,
            self.cache,
        ]
    }
}

impl Setting {
    /// The value that counts.
    pub(crate) fn value(self) -> Result<u64, CommandError> {
        let Some(text) = environment::text(self.variable)? else {
            return Ok(self.default);
        };
        let number = text.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| {
            let unit = match self.unit {
                Unit::Bytes => "bytes",
                Unit::Seconds => "seconds",
            };
            CommandError::usage(format!(
                "{} is {text:?}, and must be a whole number of {unit} above 0",
                self.variable
            ))
            .hint(format!(
                "the default is {}: unset it, or set it to another number",
                self.default
            ))
        })
    }

    /// The value that counts, for people, and where it comes from.
    pub(crate) fn describe(self) -> Result<String, CommandError> {
        let value = self.value()?;
        let shown = match self.unit {
            Unit::Bytes => output::bytes(value),
            Unit::Seconds => format!("{value} s"),
        };
        Ok(format!("{shown} ({})", origin(self.variable)))
    }
}

/// What a guest may use at most on this host.
pub(crate) fn ceiling() -> Result<Limits, CommandError> {
    match environment::text(CEILING)? {
        Some(text) => {
            let ceiling = Limits::CEILING.with(&text).and_then(Limits::as_ceiling);
            ceiling.map_err(|error| {
                CommandError::usage(format!("{CEILING}: {error}"))
                    .hint("write it as in fuel=5000000000,memory_bytes=134217728")
            })
        }
        None => Ok(Limits::CEILING),
    }
}

/// The ceiling as the variable would set it, and where it comes from.
pub(crate) fn describe_ceiling() -> Result<String, CommandError> {
    let ceiling = ceiling()?;
    let ceiling = ceiling.to_string().replace(',', ", ");
    Ok(format!("{ceiling} ({})", origin(CEILING)))
}

fn origin(variable: &str) -> &'static str {
    if environment::is_set(variable.as_ref()) {
        "set"
    } else {
        "default"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_limits_tells_every_default() {
        let page = include_str!("../../../docs/limits.md");
        let row = |name: &str| {
            let start = format!("| `{name}` |");
            let row = page.lines().find(|line| line.starts_with(&start));
            row.unwrap_or_else(|| panic!("docs/limits.md says nothing of {name}"))
        };
        let tells = |row: &str, number: u64| {
            row.split('|')
                .any(|cell| cell.split(' ').any(|word| word == number.to_string()))
        };
        for setting in Settings::new().all() {
            let row = row(setting.variable);
            assert!(tells(row, setting.default), "{row}");
        }
        let (verifier, ceiling) = (Limits::VERIFIER.to_string(), Limits::CEILING.to_string());
        for limit in verifier.split(',').chain(ceiling.split(',')) {
            let (name, value) = limit.split_once('=').unwrap();
            let row = row(name);
            assert!(tells(row, value.parse().unwrap()), "{row}");
        }
        for (name, value) in mcpmark_experiment::transport::LIMITS {
            let row = row(name);
            assert!(tells(row, value), "{row}");
        }
        row(CEILING);
    }
}
