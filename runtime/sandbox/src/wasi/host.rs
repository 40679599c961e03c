//! State of WASI for one run, the store data of an interpreter, and the linked interfaces.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use wasmtime::component::{HasData, HasSelf, Linker, ResourceTable};

use super::bindings::mcpmark::script::{gaps, services};
use super::bindings::wasi::{cli, clocks, filesystem, io, random};
use super::clock::Clock;
use super::files::Files;
use super::random::random_source;
use super::run::ScriptInput;
use super::services::{ScriptServices, ScriptSession, ServiceAnswer};
use super::streams::Written;
use crate::host::{Common, HasCommon, Stop};
use crate::limits::{Allowed, MAX_OPEN};
use crate::{FaultKind, InterfaceVersions, Mount};

/// Bytes charged for a call that copies almost nothing.
const LIGHT_COST: u64 = 64;
/// Maximum size of the message about a missing feature, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Program that uses WASI. It determines the words of messages, and what an exit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// Script in an interpreter.
    Script,
    /// Command, whose exit code is the verdict.
    Command,
    /// Component that exports `verify` and returns checks.
    Checks,
}

impl Program {
    /// Returns the name of such a program in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Command | Self::Checks => "verifier",
        }
    }
}

/// WASI of one run: files, clock, random source and output.
pub(crate) struct WasiState {
    pub(crate) program: Program,
    pub(crate) table: ResourceTable,
    pub(crate) files: Files,
    pub(crate) clock: Clock,
    /// Start time of the program, which is also the time stamp of files that have none.
    pub(crate) started: i64,
    pub(crate) random: ChaCha20Rng,
    pub(crate) written: Written,
    /// Cost of the directory listings that are open, in bytes.
    pub(crate) listed: u64,
    /// Arguments, of which the first is the name of the program.
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// Exit code with which a command ended itself.
    pub(crate) exited: Option<u8>,
}

impl WasiState {
    pub(crate) fn new(program: Program, mounts: Vec<Mount>, clock: i64, seed: u64) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_OPEN);
        Self {
            program,
            table,
            files: Files::new(mounts),
            clock: Clock::new(clock),
            started: clock,
            random: random_source(seed),
            written: Written::default(),
            listed: 0,
            arguments: Vec::new(),
            environment: Vec::new(),
            exited: None,
        }
    }
}

/// Host functions of WASI for one call: the state of WASI with the charges of the guest.
pub(crate) struct WasiHost<'a> {
    pub(crate) common: &'a mut Common,
    pub(crate) wasi: &'a mut WasiState,
}

impl WasiHost<'_> {
    /// Charges a call that costs little, and the bytes that pass with it.
    pub(crate) fn light(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge_bytes(bytes.saturating_add(LIGHT_COST))
    }

    /// Charges fuel for the part of a file that the last read loaded, as a read through `state` is charged, and returns
    /// its size in bytes. A read within a part that is cached loads nothing.
    pub(crate) fn charge_loaded(&mut self) -> wasmtime::Result<u64> {
        let loaded = self.wasi.files.take_loaded();
        if loaded > 0 {
            self.common.charge_blob(loaded)?;
        }
        Ok(loaded)
    }
}

/// Store data of a guest that can import WASI.
pub(crate) trait HasWasi {
    fn wasi(&mut self) -> WasiHost<'_>;
}

/// Selects the WASI of a store in the generated bindings.
struct WasiData;

impl HasData for WasiData {
    type Data<'a> = WasiHost<'a>;
}

/// Store data of one script.
pub(crate) struct ScriptHost {
    pub(crate) common: Common,
    pub(crate) wasi: WasiState,
    /// Backend of services, opened at the first request.
    services: Option<Arc<dyn ScriptServices>>,
    asked: Option<Box<dyn ScriptSession>>,
}

impl ScriptHost {
    pub(crate) fn new(allowed: Allowed, input: &ScriptInput) -> Self {
        let mounts = input.mounts.clone();
        Self {
            common: Common::new(allowed, String::new()),
            // The interpreter gets the arguments and the environment of a script as arguments of its export `run`.
            wasi: WasiState::new(Program::Script, mounts, input.clock, input.seed),
            services: input.services.clone(),
            asked: None,
        }
    }

    /// Returns the servers that answered the script.
    pub(crate) fn interfaces(&self) -> InterfaceVersions {
        let asked = self.asked.as_ref();
        asked.map_or_else(InterfaceVersions::default, |session| session.interfaces())
    }
}

impl HasCommon for ScriptHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl HasWasi for ScriptHost {
    fn wasi(&mut self) -> WasiHost<'_> {
        WasiHost {
            common: &mut self.common,
            wasi: &mut self.wasi,
        }
    }
}

impl services::Host for ScriptHost {
    fn call(
        &mut self,
        service: String,
        request: String,
    ) -> wasmtime::Result<Result<String, String>> {
        self.common.charge((service.len() + request.len()) as u64)?;
        if self.asked.is_none() {
            self.asked = self.services.as_ref().map(|services| services.open());
        }
        let answer = match &mut self.asked {
            Some(session) => session.call(&service, &request, self.wasi.clock.now()),
            None => ServiceAnswer::Absent,
        };
        let service = crate::host::cut(service, 64);
        let (text, is_answer) = match answer {
            ServiceAnswer::Answer(text) => (text, true),
            ServiceAnswer::Error(text) => (text, false),
            ServiceAnswer::Absent => {
                return Err(Stop::fault(
                    FaultKind::Link,
                    format!(
                        "the script calls the service {service:?}, which is not available: the service of this state is unknown, or does not have this interface"
                    ),
                ));
            }
            ServiceAnswer::Exhausted { kind, message } => return Err(Stop::fault(kind, message)),
            ServiceAnswer::Broken(message) => {
                return Err(Stop::host(format!(
                    "the service {service:?} failed: {message}"
                )));
            }
        };
        self.common.charge(text.len() as u64)?;
        Ok(if is_answer { Ok(text) } else { Err(text) })
    }
}

impl gaps::Host for ScriptHost {
    fn stop(&mut self, what: String) -> wasmtime::Result<()> {
        self.common.charge(what.len() as u64)?;
        let what = crate::host::cut(what, MAX_MESSAGE_BYTES);
        Err(Stop::fault(FaultKind::Link, format!("the script {what}")))
    }
}

/// Links the interfaces of the contract between host and interpreter.
pub(crate) fn add_script_interfaces(linker: &mut Linker<ScriptHost>) -> wasmtime::Result<()> {
    gaps::add_to_linker::<_, HasSelf<ScriptHost>>(linker, |host| host)?;
    services::add_to_linker::<_, HasSelf<ScriptHost>>(linker, |host| host)
}

/// Links the interfaces of WASI that guests get. Sockets and HTTP are not among them.
pub(crate) fn add_to_linker<H: HasWasi + 'static>(linker: &mut Linker<H>) -> wasmtime::Result<()> {
    macro_rules! add {
        ($($interface:path),* $(,)?) => {{
            $({
                use $interface as interface;
                interface::add_to_linker::<_, WasiData>(linker, H::wasi)?;
            })*
        }};
    }
    add!(
        io::error,
        io::poll,
        io::streams,
        clocks::monotonic_clock,
        clocks::wall_clock,
        random::random,
        random::insecure,
        random::insecure_seed,
        cli::environment,
        cli::exit,
        cli::stdin,
        cli::stdout,
        cli::stderr,
        cli::terminal_input,
        cli::terminal_output,
        cli::terminal_stdin,
        cli::terminal_stdout,
        cli::terminal_stderr,
        filesystem::types,
        filesystem::preopens,
    );
    Ok(())
}
