//! Limits that the operator sets by environment variables.

use std::sync::Once;

use mcpmark_sandbox::{CompileLimits, Limits, LimitsError, SandboxConfig};
use mcpmark_service::{MemoryBudget, SessionLimits, machine_memory};

use crate::environment;
use crate::error::CommandError;
use crate::output;

/// Environment variable with the ceiling of guests and worlds, as in `fuel=5000000000,world_bytes=1073741824`.
pub(crate) const CEILING: &str = "MCPMARK_LIMITS_CEILING";

/// Environment variable with the limit on the memory of all worlds and tool calls of this process.
pub(crate) const MEMORY: &str = "MCPMARK_MEMORY_BYTES";

#[derive(Debug, Clone, Copy)]
enum Unit {
    Bytes,
    Seconds,
}

/// Numeric limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// Environment variable that sets it.
    pub(crate) variable: &'static str,
    unit: Unit,
    default: u64,
}

/// Numeric limits.
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
    /// Returns the value from the environment, or the default.
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
                "{}: expected a whole number of {unit} above 0, found {text:?}",
                self.variable
            ))
            .hint(format!(
                "the default is {}; unset the variable, or set it to another number",
                self.default
            ))
        })
    }

    /// Formats the value with its origin.
    pub(crate) fn describe(self) -> Result<String, CommandError> {
        let value = self.value()?;
        let shown = match self.unit {
            Unit::Bytes => output::bytes(value),
            Unit::Seconds => format!("{value} s"),
        };
        Ok(format!("{shown} ({})", origin(self.variable)))
    }
}

/// Returns the ceiling of guests on this host.
pub(crate) fn ceiling() -> Result<Limits, CommandError> {
    Ok(ceilings()?.0)
}

/// Returns the ceiling of worlds on this host.
pub(crate) fn world_ceiling() -> Result<SessionLimits, CommandError> {
    Ok(ceilings()?.1)
}

fn ceilings() -> Result<(Limits, SessionLimits), CommandError> {
    let Some(text) = environment::text(CEILING)? else {
        return Ok((Limits::CEILING, SessionLimits::CEILING));
    };
    read_ceilings(&text).map_err(|problem| {
        CommandError::usage(format!("{CEILING}: {problem}")).hint(
            "write limits as in fuel=5000000000,memory_bytes=134217728,world_bytes=1073741824",
        )
    })
}

fn read_ceilings(text: &str) -> Result<(Limits, SessionLimits), String> {
    let mut worlds = SessionLimits::CEILING;
    let mut guests = Vec::new();
    let mut seen = Vec::new();
    for one in text.split(',') {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        let (name, value) = (name.trim(), value.trim());
        let mut named = worlds.named().into_iter();
        let Some((name, limit)) = named.find(|(known, _)| *known == name) else {
            guests.push(one);
            continue;
        };
        if seen.contains(&name) {
            return Err(format!("limit {name} is set twice"));
        }
        seen.push(name);
        let number = value.parse().ok().filter(|number| *number > 0);
        *limit = number.ok_or_else(|| {
            format!("limit `{name}`: expected an integer above 0, found {value:?}")
        })?;
    }
    let guests = if guests.is_empty() {
        Limits::CEILING
    } else {
        Limits::CEILING
            .with(&guests.join(","))
            .and_then(Limits::as_ceiling)
            .map_err(|error| match error {
                LimitsError::Unknown { name, known } => {
                    let names = worlds.named().map(|(name, _)| name).join(", ");
                    let known = format!("{known}, {names}");
                    LimitsError::Unknown { name, known }.to_string()
                }
                error => error.to_string(),
            })?
    };
    Ok((guests, worlds))
}

/// Returns the memory limit of worlds and tool calls in this process: by default half of the memory of the machine or
/// of its control group. Returns `None` if the limit is neither set nor known.
fn memory() -> Result<Option<Setting>, CommandError> {
    let half = machine_memory().map(|bytes| bytes / 2);
    if half.is_none() && environment::text(MEMORY)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Setting {
        variable: MEMORY,
        unit: Unit::Bytes,
        default: half.unwrap_or(u64::MAX),
    }))
}

/// Formats the memory limit with its origin.
pub(crate) fn describe_memory() -> Result<String, CommandError> {
    match memory()? {
        Some(setting) => setting.describe(),
        None => Ok("no limit: the memory size of this machine is unknown".to_owned()),
    }
}

/// Applies the memory limit to the worlds and tool calls of this process.
pub(crate) fn bound_memory() -> Result<(), CommandError> {
    static WATCHED: Once = Once::new();
    if let Some(setting) = memory()? {
        let budget = MemoryBudget::of_process();
        budget.limit_to(setting.value()?);
        WATCHED.call_once(|| budget.watch());
    }
    Ok(())
}

/// Returns the hint to raise the ceiling for a world that exceeds it.
pub(crate) fn raise(name: &str, found: u64) -> String {
    let set = environment::text(CEILING).ok().flatten();
    let ceiling = raised(set.as_deref().unwrap_or_default(), name, found);
    format!("if you trust its source, grant it with {CEILING}={ceiling}")
}

/// Returns a ceiling in the syntax of its variable, with another value of one limit.
fn raised(ceiling: &str, name: &str, value: u64) -> String {
    let own = format!("{name}={value}");
    let own = own.as_str();
    let is_own = |limit: &str| limit.split('=').next().is_some_and(|it| it.trim() == name);
    let limits = ceiling.split(',').map(str::trim);
    let limits = limits.filter(|limit| !limit.is_empty());
    let mut limits: Vec<&str> = limits
        .map(|limit| if is_own(limit) { own } else { limit })
        .collect();
    if !limits.contains(&own) {
        limits.push(own);
    }
    limits.join(",")
}

/// Formats the ceiling in the syntax of its variable, with its origin.
pub(crate) fn describe_ceiling() -> Result<String, CommandError> {
    let (guests, mut worlds) = ceilings()?;
    let mut ceiling = guests.to_string().replace(',', ", ");
    for (name, limit) in worlds.named() {
        ceiling.push_str(&format!(", {name}={limit}"));
    }
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
        let (mut worlds, mut most) = (SessionLimits::default(), SessionLimits::CEILING);
        for ((name, value), (_, most)) in worlds.named().into_iter().zip(most.named()) {
            let row = row(name);
            assert!(tells(row, *value) && tells(row, *most), "{row}");
        }
        for (name, value) in mcpmark_experiment::transport::LIMITS {
            let row = row(name);
            assert!(tells(row, value), "{row}");
        }
        row(CEILING);
        row(MEMORY);
    }

    #[test]
    fn a_ceiling_names_limits_of_guests_and_of_worlds() {
        let (guests, worlds) =
            read_ceilings("fuel=7, world_bytes=8 ,world_files=9,result_bytes=10").unwrap();
        assert_eq!(guests.fuel, 7);
        assert_eq!(guests.checks, Limits::CEILING.checks);
        let expected = SessionLimits {
            max_bytes: 8,
            max_files: 9,
            max_result_bytes: 10,
        };
        assert_eq!(worlds, expected);
        let (guests, worlds) = read_ceilings("world_bytes=8").unwrap();
        assert_eq!((guests, worlds.max_bytes), (Limits::CEILING, 8));
        for (text, word) in [
            (
                "world_bytes=0",
                "limit `world_bytes`: expected an integer above 0, found \"0\"",
            ),
            (
                "world_bytes",
                "limit `world_bytes`: expected an integer above 0, found \"\"",
            ),
            (
                "world_files=-1",
                "limit `world_files`: expected an integer above 0, found \"-1\"",
            ),
            (
                "world_files=1,world_files=2",
                "limit world_files is set twice",
            ),
            ("worlds=1", "checks, world_bytes, world_files, result_bytes"),
        ] {
            let problem = read_ceilings(text).unwrap_err();
            assert!(problem.contains(word), "{text}: {problem}");
        }
    }

    #[test]
    fn raising_a_limit_keeps_the_others() {
        for (ceiling, expected) in [
            ("", "world_bytes=9"),
            ("fuel=7", "fuel=7,world_bytes=9"),
            (
                " world_bytes = 1 , fuel=7,world_files=3",
                "world_bytes=9,fuel=7,world_files=3",
            ),
        ] {
            assert_eq!(raised(ceiling, "world_bytes", 9), expected, "{ceiling:?}");
            read_ceilings(expected).unwrap();
        }
    }
}
