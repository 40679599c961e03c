//! How the sandbox is set up here, and what its errors mean to a person.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mcpmark_experiment::{PrepareError, WorldError};
use mcpmark_sandbox::{CompileError, Compiler, EngineKind, Limits, LoadError, SandboxConfig};

use crate::args::{EngineArgs, EngineName};
use crate::error::CommandError;

/// The largest component that is accepted, in bytes.
const MAX_COMPONENT_BYTES: u64 = 16 << 20;

/// The limits that the host's operator may set: the variable, the limit it stands for.
const CPU: (&str, &str) = ("MCPMARK_COMPILE_CPU_SECONDS", "cpu_seconds");
const WALL: (&str, &str) = ("MCPMARK_COMPILE_WALL_SECONDS", "wall_seconds");
const MEMORY: (&str, &str) = ("MCPMARK_COMPILE_MEMORY_BYTES", "memory_bytes");
const CODE: (&str, &str) = ("MCPMARK_COMPILE_CODE_BYTES", "code_bytes");
const COMPONENT: &str = "MCPMARK_MAX_COMPONENT_BYTES";
const CEILING: &str = "MCPMARK_LIMITS_CEILING";
const CACHE: &str = "MCPMARK_CACHE_BYTES";

pub(crate) fn config(
    cache: PathBuf,
    slots: u32,
    args: EngineArgs,
) -> Result<SandboxConfig, CommandError> {
    let defaults = SandboxConfig::default();
    Ok(SandboxConfig {
        engine: match args.engine {
            EngineName::Cranelift => EngineKind::Cranelift,
            EngineName::Pulley => EngineKind::Pulley,
        },
        cross_check: args.cross_check,
        compiler: Some(compiler()?),
        cache: Some(cache),
        cache_bytes: number(CACHE, defaults.cache_bytes)?,
        ceiling: ceiling()?,
        slots,
        max_component_bytes: max_component_bytes()?,
        interfaces: defaults.interfaces,
    })
}

/// This program itself, as it is now, though a newer one may stand in its place on disk.
fn compiler() -> Result<Compiler, CommandError> {
    let program = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().map_err(CommandError::infrastructure)?
    };
    let mut compiler = Compiler::new(program, ["compile-guest"]);
    let limits = &mut compiler.limits;
    limits.cpu_seconds = number(CPU.0, limits.cpu_seconds)?;
    limits.wall_seconds = number(WALL.0, limits.wall_seconds)?;
    limits.memory_bytes = number(MEMORY.0, limits.memory_bytes)?;
    limits.code_bytes = number(CODE.0, limits.code_bytes)?;
    Ok(compiler)
}

/// What a guest may use at most on this host, as in `fuel=5000000000,memory_bytes=134217728`.
fn ceiling() -> Result<Limits, CommandError> {
    match std::env::var(CEILING) {
        Ok(text) => Limits::CEILING
            .with(&text)
            .map_err(|error| CommandError::usage(format!("{CEILING}: {error}"))),
        Err(std::env::VarError::NotPresent) => Ok(Limits::CEILING),
        Err(error) => Err(CommandError::usage(format!("{CEILING}: {error}"))),
    }
}

fn max_component_bytes() -> Result<u64, CommandError> {
    number(COMPONENT, MAX_COMPONENT_BYTES)
}

fn number(variable: &str, default: u64) -> Result<u64, CommandError> {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| {
                CommandError::usage(format!(
                    "{variable} is {text:?}, and must be a whole number above 0"
                ))
            }),
        Err(std::env::VarError::NotPresent) => Ok(default),
        Err(error) => Err(CommandError::usage(format!("{variable}: {error}"))),
    }
}

/// Reads a component, but not one that is too large to be accepted.
pub(crate) fn read_component(file: &Path) -> Result<Vec<u8>, CommandError> {
    let unreadable = |error| CommandError::usage(format!("{}: {error}", file.display()));
    let limit = max_component_bytes()?;
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(unreadable)?;
    let size = opened.metadata().map_err(unreadable)?.len();
    let most = limit.saturating_add(1);
    opened
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let size = size.max(bytes.len() as u64);
    if size > limit {
        let error = LoadError::TooLarge { size, limit };
        return Err(load_error(format!("{}: {error}", file.display()), &error));
    }
    Ok(bytes)
}

/// The error of a guest within that of making tasks ready.
pub(crate) fn load_error_of(error: &PrepareError) -> Option<&LoadError> {
    match error {
        PrepareError::Guest { source, .. } => Some(source),
        PrepareError::World {
            source: WorldError::Load(source),
            ..
        } => Some(source),
        _ => None,
    }
}

/// What a component that cannot be loaded means for the command.
pub(crate) fn load_error(message: impl std::fmt::Display, error: &LoadError) -> CommandError {
    let result = if error.is_infrastructure() {
        CommandError::infrastructure(message)
    } else {
        CommandError::invalid(message)
    };
    let variable = match error {
        LoadError::TooLarge { .. } => Some(COMPONENT),
        LoadError::Compile(CompileError::Limit { limit, .. }) => [CPU, WALL, MEMORY, CODE]
            .into_iter()
            .find_map(|(variable, name)| (name == *limit).then_some(variable)),
        _ => None,
    };
    match variable {
        Some(variable) => result.hint(format!(
            "if you trust it, set {variable} to a higher number"
        )),
        None => result,
    }
}
