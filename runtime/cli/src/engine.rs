//! Configuration of the sandbox and reading of components, with hints for their errors.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use mcpmark_experiment::{PrepareError, WorldError};
use mcpmark_kinds::WorldGuestError;
use mcpmark_sandbox::{
    CompileError, Compiler, EngineKind, GradeData, LoadError, MAX_INTERPRETER_BYTES, SandboxConfig,
};

use crate::args::{EngineArgs, EngineName};
use crate::error::CommandError;
use crate::output::sanitise;
use crate::settings::{self, Setting, Settings};

pub(crate) fn config(
    cache: PathBuf,
    slots: u32,
    args: EngineArgs,
) -> Result<SandboxConfig, CommandError> {
    let settings = Settings::new();
    Ok(SandboxConfig {
        engine: match args.engine {
            EngineName::Cranelift => EngineKind::Cranelift,
            EngineName::Pulley => EngineKind::Pulley,
        },
        cross_check: args.cross_check,
        compiler: Some(compiler(&settings)?),
        cache: Some(cache),
        cache_bytes: settings.cache.value()?,
        ceiling: settings::ceiling()?,
        ceiling_setting: Some(settings::CEILING),
        slots,
        stays_warm: true,
        max_component_bytes: settings.component.value()?,
        interfaces: Vec::new(),
        data: GradeData::none(),
    })
}

/// Returns the compiler process: the running executable, even if another version has replaced it on disk.
fn compiler(settings: &Settings) -> Result<Compiler, CommandError> {
    let program = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().map_err(CommandError::infrastructure)?
    };
    let mut compiler = Compiler::new(program, ["compile-guest"]);
    let limits = &mut compiler.limits;
    limits.cpu_seconds = settings.cpu.value()?;
    limits.wall_seconds = settings.wall.value()?;
    limits.memory_bytes = settings.memory.value()?;
    limits.code_bytes = settings.code.value()?;
    Ok(compiler)
}

/// Reads a component, up to the maximum size of components. A core module of WASI 0.1 is converted to one.
pub(crate) fn read_component(file: &Path) -> Result<Vec<u8>, CommandError> {
    let limit = Settings::new().component.value()?;
    let bytes = read(file, limit)?.map_err(|size| {
        let error = LoadError::TooLarge { size, limit };
        load_error(format!("{}: {error}", file.display()), &error)
    })?;
    adapted(file, bytes)
}

/// Returns the component of a core module of WASI 0.1, and other bytes as they are.
fn adapted(file: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, CommandError> {
    let adapted = mcpmark_build::adapt(&bytes).map_err(|error| {
        let file = file.display();
        // The error contains names of the module.
        CommandError::invalid(sanitise::block(&format!(
            "{file}: cannot convert the module of WASI 0.1 to a component: {error}"
        )))
    })?;
    let component = match adapted {
        Cow::Borrowed(_) => None,
        Cow::Owned(component) => Some(component),
    };
    Ok(component.unwrap_or(bytes))
}

/// Reads a component of any kind, up to the maximum size of interpreters. A core module of WASI 0.1 is converted to one.
pub(crate) fn read_guest(file: &Path) -> Result<Vec<u8>, CommandError> {
    let limit = Settings::new().component.value()?;
    let limit = limit.max(MAX_INTERPRETER_BYTES);
    let bytes = read(file, limit)?.map_err(|size| {
        let file = file.display();
        CommandError::invalid(format!(
            "{file}: {size} bytes exceed the limit of {limit} bytes for a guest"
        ))
    })?;
    adapted(file, bytes)
}

/// Reads a file, or returns its size if it exceeds the limit.
pub(crate) fn read(file: &Path, limit: u64) -> Result<Result<Vec<u8>, u64>, CommandError> {
    let unreadable = |error| CommandError::usage(format!("{}: {error}", file.display()));
    let mut bytes = Vec::new();
    // Opening a named pipe would block until it has a writer.
    let found = std::fs::metadata(file).map_err(unreadable)?;
    if !found.is_file() && !found.file_type().is_char_device() {
        let reason = io::Error::other("not a regular file");
        return Err(unreadable(reason));
    }
    let opened = File::open(file).map_err(unreadable)?;
    let size = found.len();
    let most = limit.saturating_add(1);
    opened
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let size = size.max(bytes.len() as u64);
    Ok(if size > limit { Err(size) } else { Ok(bytes) })
}

/// Returns the load error of a guest inside a preparation error.
pub(crate) fn load_error_of(error: &PrepareError) -> Option<&LoadError> {
    match error {
        PrepareError::Guest { source, .. } => Some(source),
        PrepareError::World {
            source: WorldError::Load(source),
            ..
        } => Some(source),
        PrepareError::WorldGuest { source, .. } => of_world_guest(source),
        PrepareError::World {
            source: WorldError::Guest(source),
            ..
        } => of_world_guest(source),
        _ => None,
    }
}

fn of_world_guest(error: &WorldGuestError) -> Option<&LoadError> {
    match error {
        WorldGuestError::Load { source, .. } => Some(source),
        WorldGuestError::UnknownRole { .. } => None,
    }
}

/// Converts the error of a component that cannot be loaded, with a hint to the setting that limits it.
pub(crate) fn load_error(message: impl std::fmt::Display, error: &LoadError) -> CommandError {
    let result = if error.is_infrastructure() {
        CommandError::infrastructure(message)
    } else {
        CommandError::invalid(message)
    };
    let settings = Settings::new();
    let setting = match error {
        LoadError::TooLarge { .. } => Some(settings.component),
        LoadError::Compile(CompileError::Limit { limit, .. }) => match *limit {
            "cpu_seconds" => Some(settings.cpu),
            "wall_seconds" => Some(settings.wall),
            "memory_bytes" => Some(settings.memory),
            "code_bytes" => Some(settings.code),
            _ => None,
        },
        _ => None,
    };
    match setting {
        Some(Setting { variable, .. }) => result.hint(format!(
            "if you trust the component, set {variable} to a higher number"
        )),
        None => result,
    }
}
