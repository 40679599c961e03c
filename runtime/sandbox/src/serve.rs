//! Child process that compiles guests: the counterpart of `Compiler`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, setrlimit};
use wasmtime::Engine;

use crate::compiler::{ANSWER, BROKEN, INVALID, Request, UNABLE};
use crate::component::one_line;
use crate::engine::compiler_config_of;
use crate::precompile::precompile;
use crate::profile::profile;
use crate::{CompileError, CompileLimits};

/// Maximum size of the request line, in bytes. No sandbox sends a longer one.
const REQUEST_BYTES: u64 = 64 << 10;
/// Address space allowed beyond the memory limit, in bytes, for pages that are mapped and never written.
const ADDRESS_SPACE: u64 = 4 << 30;

/// Compiles one component. Reads the request of a [`Compiler`](crate::Compiler) from `input`, sets the limits of the
/// request on the whole process, and writes machine code to `output`. Call it first in a process that does nothing
/// else, and exit with the returned code.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     mcpmark_sandbox::serve_compiler(std::io::stdin(), std::io::stdout())
/// }
/// ```
pub fn serve_compiler(input: impl Read, mut output: impl Write) -> ExitCode {
    let (answer, code) = match answer(input) {
        Ok(artefact) => (artefact, None),
        Err((code, message)) => (message.into_bytes(), Some(code)),
    };
    let written = match code {
        None => output.write_all(ANSWER),
        Some(_) => Ok(()),
    };
    match written
        .and_then(|()| output.write_all(&answer))
        .and_then(|()| output.flush())
    {
        Ok(()) => code.map_or(ExitCode::SUCCESS, ExitCode::from),
        Err(_) => ExitCode::from(UNABLE),
    }
}

fn answer(input: impl Read) -> Result<Vec<u8>, (u8, String)> {
    let unable = |message: String| (UNABLE, message);
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    (&mut input)
        .take(REQUEST_BYTES)
        .read_until(b'\n', &mut line)
        .map_err(|error| unable(format!("cannot read the request: {error}")))?;
    let request: Request = serde_json::from_slice(&line)
        .map_err(|error| unable(format!("the request is not valid: {error}")))?;
    confine(&request.limits)
        .map_err(|error| unable(format!("cannot set resource limits: {error}")))?;
    let engine = Engine::new(&compiler_config_of(request.engine, request.form))
        .map_err(|error| unable(one_line(&error)))?;
    let own = profile(&engine, request.engine);
    if own != request.profile {
        return Err(unable(format!(
            "the compiler produces code for {own}, but expected {}: it is another version of this program",
            request.profile
        )));
    }
    let mut component = Vec::new();
    input
        .read_to_end(&mut component)
        .map_err(|error| unable(format!("cannot read the component: {error}")))?;
    precompile(request.engine, request.form, &component).map_err(|error| match error {
        CompileError::Invalid(message) => (INVALID, message),
        CompileError::Crashed(message) => (BROKEN, message),
        other => unable(other.to_string()),
    })
}

/// Drops privileges and sets resource limits, before the process reads a byte of the component.
fn confine(limits: &CompileLimits) -> rustix::io::Result<()> {
    let set = |resource, soft: u64, hard: u64| {
        let current = rustix::process::getrlimit(resource);
        // Limits can only be lowered, not raised.
        let within = |wanted: u64| Some(current.maximum.map_or(wanted, |most| most.min(wanted)));
        setrlimit(
            resource,
            Rlimit {
                current: within(soft),
                maximum: within(hard),
            },
        )
    };
    let both = |resource, value| set(resource, value, value);
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        rustix::thread::set_no_new_privs(true)?;
    }
    both(Resource::Core, 0)?;
    both(Resource::Fsize, 0)?;
    both(Resource::Data, limits.memory_bytes)?;
    both(
        Resource::As,
        limits.memory_bytes.saturating_add(ADDRESS_SPACE),
    )?;
    // The signal of the soft limit tells the parent what happened; that of the hard limit cannot be ignored.
    let seconds = limits.cpu_seconds.max(1);
    set(Resource::Cpu, seconds, seconds.saturating_add(1))
}
